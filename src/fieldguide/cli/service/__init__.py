"""The commands that serve, and those that say who may use a service."""
