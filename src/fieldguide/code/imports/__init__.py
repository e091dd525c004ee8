"""Reads import statements, resolves them to files of the project, and keeps the import graph."""
