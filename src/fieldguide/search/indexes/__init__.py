"""Keyword and vector indexes in SQLite."""
