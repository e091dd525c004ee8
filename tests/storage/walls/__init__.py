"""The second wall: what PostgreSQL keeps apart when nothing else does."""
