"""What the code defines and who uses it: read once for each content, resolved when somebody asks."""
