"""Reads Java: declarations, what statements bind, types, and routes."""
