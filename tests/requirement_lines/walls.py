"""The lines of the second wall: what PostgreSQL itself keeps apart."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "teams: walls in the database": (
        ("Z-170", None,
         "All parts of a process that work at one PostgreSQL address share its connections: no more than "
         "`database_connections`, and none after the last of them has closed it."),
        ("Z-171", None,
         "Every table of PostgreSQL has a policy that shows and takes rows of one project, and of one user where they "
         "are a person's, or is closed to projects of a service; who owns the tables is not held back."),
        ("Z-173", None,
         "A project of a service works as a role that owns nothing and belongs to nothing; each transaction says for "
         "which project and for whom it is, together with its first statement, and forgets it at its end."),
        ("Z-174", None,
         "Where the login may not make the role, the service does not start, and says in SQL what an administrator "
         "must do; databases on one server have roles of their own."),
    ),
}
