"""Embedding models: built-in, or behind an HTTP endpoint."""
