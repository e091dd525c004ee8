"""Several servers of one project on one PostgreSQL."""
