"""Many projects in one service."""
