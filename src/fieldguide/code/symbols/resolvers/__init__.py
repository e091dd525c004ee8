"""Resolve what names mean, with one module per language for what the language has of its own."""
