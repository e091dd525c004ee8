"""What `fieldguide search` is made of: the kinds of things that it finds, and how a hit is printed."""
