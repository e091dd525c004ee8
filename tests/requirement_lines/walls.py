"""The lines of the second wall: what PostgreSQL itself keeps apart."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "teams: walls in the database": (
        ("Z-170", None,
         "All parts of a process that work at one PostgreSQL address share its connections: no more than "
         "`database_connections`, and none after the last of them has closed it."),
    ),
}
