"""What a service for a team keeps in its database: who may do what, and what its replicas share."""
