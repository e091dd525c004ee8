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
        ("Z-172", None,
         "With the filters of every repository taken out, a project of a service still sees and changes nothing of "
         "another project, and a user nothing of another user."),
        ("Z-173", None,
         "A project of a service works as a role that owns nothing and belongs to nothing; each transaction says for "
         "which project and for whom it is, together with its first statement, and forgets it at its end."),
        ("Z-174", None,
         "Where the login may not make the role, the service does not start, and says in SQL what an administrator "
         "must do; databases on one server have roles of their own."),
        ("Z-175", None,
         "A function that reads past the policies lets a tenant see its own project and its own user's sources alone, "
         "has a fixed path, and can be called by nobody but the owner and tenants."),
        ("Z-176", None,
         "A server of the version before goes on with the tables behind walls: its chunks get their project, its tasks "
         "stay those of people who share a database."),
        ("Z-177", None,
         "A task belongs to a project of a service: the same user has other tasks in each, and those of a project that "
         "is served alone are in none."),
        ("Z-178", None,
         "A backup, its restoring and a move to another database carry the tasks and findings of all projects of a "
         "service, each to where it was."),
        ("Z-179", None,
         "`fieldguide doctor` says when the wall of a PostgreSQL database is missing or open somewhere."),
    ),
}
