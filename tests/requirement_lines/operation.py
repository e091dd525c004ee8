"""The lines of operation: what those rely on who run a server for many."""

# One requirement reads as one line: its id, the open issue that will prove it (None: proved now), its sentence.
# The formatter would spread each over five.
# fmt: off
SECTIONS: dict[str, tuple[tuple[str, int | None, str], ...]] = {
    "operation: readiness": (
        ("Z-220", None,
         "`/readyz` asks the database, its migrations, the index and the model, and answers 200 or 503 with the names "
         "of these parts and nothing else, to anybody."),
        ("Z-221", None,
         "A crowd that asks `/readyz` costs one look a second; a look that hangs is answered with 503 and not begun "
         "again before it has ended."),
    ),
    "operation: metrics": (
        ("Z-222", None,
         "`/metrics` is Prometheus' text format: calls, failures by kind, durations, places and queue, breakers, "
         "index and process, with no user, no argument and no text among its labels."),
        ("Z-223", None,
         "Metrics are told only to whoever has shown a token that may, or on a loopback port or unix socket of their "
         "own (`--metrics`)."),
    ),
    "operation: traces": (
        ("Z-232", None,
         "Where OTEL_ variables name a collector, each request is a span by the conventions for MCP, below the one "
         "that its client carries in `_meta`, without arguments; where they name none, nothing of it is imported."),
    ),
    "operation: audit": (
        ("Z-224", None,
         "The answer of a writing call goes out only when who did what, where, when and with which outcome is safe in "
         "the audit log; no value of an argument that could be a secret is in it."),
        ("Z-225", None,
         "The database refuses to change or remove a row of the audit log; `fieldguide audit prune` alone removes old "
         "ones, and `verify` finds rows that were changed or are missing."),
        ("Z-226", None,
         "Refused attempts are in the audit log, so many a minute one by one and the rest as a number; rows that can't "
         "be kept are counted, and the log says how many."),
        ("Z-227", None,
         "`fieldguide audit export` streams the log by time, project and user, as JSON lines or CSV."),
    ),
    "operation: the end": (
        ("Z-228", None,
         "After SIGTERM a service says 503 at `/readyz`, opens no session, lets running calls finish in bounded time "
         "and streams end with their results, and exits with 0; a second signal ends it at once."),
    ),
    "operation: bounds": (
        ("Z-229", None,
         "Calls at once are bounded in all, for a project and for a user, with a bounded queue before them; beyond it "
         "a call is told that the server is busy, and a request is refused by 503 with Retry-After before its body."),
        ("Z-230", None,
         "A client that does not read what it is sent loses its connection after a bound; connections beyond their "
         "number are ended."),
        ("Z-231", None,
         "A user and a project have so many calls a day; the refusal says which limit it was and when it ends."),
        ("Z-233", None,
         "Calls that end because the database can't be reached count against no circuit breaker once it is back; the "
         "refusal of an open breaker says in how many seconds to try again."),
    ),
}
