"""Reads facts out of source texts: one module for each language, one walker for all of them."""
