"""What `fieldguide projects` is made of: where a project comes from, what is printed of it."""
