"""Hostile repositories and hostile callers, against real servers."""
