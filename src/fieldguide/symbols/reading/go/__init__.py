"""Reads Go: declarations, what statements bind, types, routes and commands."""
