"""Decisions, findings and the links between texts and code."""
