"""`guide_open`: what a citation names, or what became of it."""
