"""References as language servers tell them: the truth that `benchmarks.references` judges with."""
