"""`guide_symbol`: what a name stands for in the code, and who uses it."""
