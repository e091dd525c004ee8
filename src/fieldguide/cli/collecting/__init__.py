"""What `fieldguide documents` is made of: adding and removing a collection, fetching it, and telling what came."""
