"""Fieldguide: a field guide to a project, for the AI agents that work on it."""

__version__ = "0.1.0"
