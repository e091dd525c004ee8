"""What `fieldguide stale` is made of: notes that are given, and how what was found is told."""
