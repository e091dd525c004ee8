"""Steps 1 and 3, without a 2."""
