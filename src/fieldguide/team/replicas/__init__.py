"""What the replicas of a service share through PostgreSQL, so that any of them can answer any request."""
