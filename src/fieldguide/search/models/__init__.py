"""Embedding and reranking models: built-in, installed, or behind an HTTP endpoint."""
