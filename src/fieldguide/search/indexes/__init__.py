"""Keyword and vector indexes in SQLite and PostgreSQL."""
