"""What the hooks of clients put before a model."""
