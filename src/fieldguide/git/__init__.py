"""Reads a project's git history through one guarded git program."""
