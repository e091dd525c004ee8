"""Replicas: several servers of one project on one PostgreSQL, any of which may get any request."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "Replicas of a service": (
        ("Z-200", None,
         "On PostgreSQL a session that one replica opened is answered by any other, for the official client in both "
         "eras, with every request sent to another replica than the one before."),
        ("Z-201", None,
         "What a session was told on one replica (its handshake, log level, workflow and subscriptions) holds on all "
         "at its next request, also when two replicas change it at once."),
        ("Z-202", None,
         "A session that is ended on one replica is ended on all, with its stream, and answers as one that never was."),
        ("Z-203", None,
         "Sessions are counted across replicas: of a peer that opens too many the one that was unused longest gives "
         "way, never one with a call under way, and one that is idle for half an hour is gone."),
        ("Z-204", None,
         "A question that a tool asks its client on one replica is answered through another, however long the answer "
         "is; only the session that was asked can answer."),
        ("Z-205", None,
         "A call that runs on one replica is cancelled through another."),
        ("Z-206", None,
         "News that one replica announces reach the streams of all, of both eras, whatever the length of an address."),
        ("Z-207", None,
         "When a replica was cut off from the database, whoever follows anything there is told that it may have "
         "changed, and no later news are lost."),
        ("Z-208", None,
         "One replica keeps the index of a project; when it is killed another takes over within seconds, and every "
         "replica finds what it indexed."),
        ("Z-209", None,
         "A workflow handle and a sealed state that one replica gave out are good on all, for the same user and "
         "project and for nobody else; the sealing key is changed without breaking what is under way."),
        ("Z-210", None,
         "The calls of a user per minute are counted across replicas; while the database is away each replica holds "
         "the limit by itself."),
        ("Z-211", None,
         "When a replica is killed its sessions go on with the others, and what was acknowledged is there."),
        ("Z-212", None,
         "When PostgreSQL is restarted sessions, news and the keeping of the index go on by themselves."),
        ("Z-213", None,
         "A malformed request of a shared session is refused in the same words as of one in memory."),
        ("Z-214", None,
         "The stream of a session can be opened on any replica; the one that was open elsewhere ends."),
        ("Z-216", None,
         "The calls of a user and of a project per day are counted across replicas: exactly while they are few, and "
         "never too few."),
        ("Z-217", None,
         "In a service a session and a workflow belong to their principal and project on every replica: for any other "
         "they are as if they never were."),
        ("Z-215", None,
         "Without PostgreSQL, and over stdio, everything stays in the memory of the process."),
    ),
}
