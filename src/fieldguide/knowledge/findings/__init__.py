"""Findings and work sessions, and the links between them."""
