"""Hostile repositories and servers: what they may try, and that it comes to nothing."""
