"""The one door to a database: plain SQL behind a small port, SQLite beside the project or PostgreSQL for a team."""
