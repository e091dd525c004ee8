"""Many projects in one service: the registry, grants, copies from git, and what nobody else gets to see."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "Many projects in one service": (
        ("Z-150", None,
         "The name of a project is safe in a path, and no two projects have one that differs only in case."),
        ("Z-151", None,
         "A project comes from a folder that holds nothing of the service's own, or from an https, ssh or file address "
         "of git that no option, helper or odd spelling can hide in; what lets somebody in is shown nowhere."),
        ("Z-152", None,
         "`fieldguide projects` adds, lists, grants, revokes, removes and syncs on SQLite and PostgreSQL, for people "
         "and as JSON, and says in a sentence with exit code 1 or 2 why something can't be done."),
        ("Z-153", None,
         "Each project of a service is at `/mcp/NAME` with its own answers, tasks, findings and journal lines, and "
         "nothing of one shows in another."),
        ("Z-154", None,
         "A project that is not there and one that is not yours are byte for byte the same answer, for every HTTP "
         "method, path below it, header and body."),
        ("Z-155", None,
         "A grant, a revocation, a new project and a removed one are in force on a running service within a second, "
         "also for sessions and streams that are open."),
        ("Z-156", None,
         "A grant of some toolsets lists and runs only these, and without `--write` nothing can be changed, whatever "
         "the token may."),
        ("Z-157", None,
         "A name that is taken out and added again is a new project, which has nothing of the earlier one."),
        ("Z-158", None,
         "Of a project from git each replica keeps a copy with its history, checked out as one commit or another and "
         "never as half of each, brought up to date now and then and at once when told."),
        ("Z-159", None,
         "A repository runs nothing on the service: no hook, filter, submodule or large file; one that is too large or "
         "too slow is given up with a sentence."),
        ("Z-160", None,
         "A project is opened when it is first asked for, and closed when nobody asks any more or too many are open."),
        ("Z-161", None,
         "What a project's own file asks for has no power in a service: neither its database, nor its user, limits or "
         "models."),
        ("Z-162", None,
         "All projects of a service share one embedding model in memory."),
        ("Z-163", None,
         "A service whose registry can't be reached lets nobody in and says so, and serves on when it is back."),
    ),
}
