"""Parses source code and derives imports and symbols from it."""
