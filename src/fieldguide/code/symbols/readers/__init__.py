"""Read symbol facts from source text, one module per language."""
