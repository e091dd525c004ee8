"""Definitions and uses of names in the project's code."""
