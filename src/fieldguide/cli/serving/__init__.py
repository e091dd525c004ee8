"""What `fieldguide serve` and `fieldguide open` share: the HTTP server with its page."""
