"""Text that is not ours: what hides in it is found, told, or made visible."""
