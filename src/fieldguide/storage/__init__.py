"""The one door to a database: SQLite or PostgreSQL."""
