"""A first step that works and a second that does not."""
