"""Reads C#: declarations, what statements bind, types, and routes."""
