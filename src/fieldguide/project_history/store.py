"""Where the history is kept: one row a project, beside the index, since it can be read from git again."""

from fieldguide.project_history.change import Change, read_changes, written
from fieldguide.project_history.history import History
from fieldguide.storage.port import Database

VERSION = "1"  # what was kept in another form is read again


def load(database: Database, namespace: str) -> History | None:
    """The history as it was kept last; None where none was."""
    with database.reading() as transaction:
        row = transaction.fetch_one(
            "SELECT head, changes FROM project_history WHERE namespace = :namespace", {"namespace": namespace}
        )
    if row is None:
        return None
    version, _, head = str(row["head"]).partition(" ")
    return History(read_changes(str(row["changes"])), head=head) if version == VERSION else None


def save(database: Database, namespace: str, head: str, changes: list[Change]) -> None:
    """Keep the history as of a commit, in place of what was kept."""
    with database.writing() as transaction:
        transaction.execute(
            """
            INSERT INTO project_history (namespace, head, changes) VALUES (:namespace, :head, :changes)
            ON CONFLICT (namespace) DO UPDATE SET head = excluded.head, changes = excluded.changes
            """,
            {"namespace": namespace, "head": f"{VERSION} {head}", "changes": written(changes)},
        )
