"""How Python is read."""
