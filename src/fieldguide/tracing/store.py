"""The tables of the trace, in the index's own database: which names stand where."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.storage.port import Transaction
from fieldguide.tracing.marks import COMMIT, DEFINES, Mark, Reading

MOST_ROWS = 2_000  # of one question
MOST_DEFINED = 50_000
MOST_DECISIONS = 2_000


class Placed(NamedTuple):
    """A mark and the file that it stands in, or the commit whose message has it."""

    path: str
    mark: Mark


class DecisionRow(NamedTuple):
    """A decision as the files tell it."""

    path: str
    title: str
    status: str


class Read(NamedTuple):
    """A file or a commit that was read, by what tells that it is still the same."""

    path: str
    stamp: str
    kind: str
    reading: Reading


class TraceStore:
    """The trace of one project through one transaction."""

    def __init__(self, transaction: Transaction, namespace: str) -> None:
        self._transaction = transaction
        self._namespace = namespace

    def stamps(self, only: Iterable[str] | None = None) -> dict[str, str]:
        """Which files, or some, were read, and what told then that they are the same."""
        sql = "SELECT path, stamp FROM trace_file WHERE namespace = :namespace"
        if only is None:
            rows = list(self._fetch(sql))
        else:
            rows = [row for path in only for row in self._fetch(f"{sql} AND path = :path", path=path)]
        return {str(row["path"]): str(row["stamp"]) for row in rows}

    def put(self, files: Sequence[Read]) -> None:
        """Keep what was read, in place of what was read of the same files before."""
        self.forget([each.path for each in files])
        self._transaction.execute_many(
            """
            INSERT INTO trace_file (namespace, path, base, stamp, kind, title, status)
            VALUES (:namespace, :path, :base, :stamp, :kind, :title, :status)
            """,
            [self._row(each) for each in files],
        )
        self._transaction.execute_many(
            """
            INSERT INTO trace_mark (namespace, name, path, role, line, family, said)
            VALUES (:namespace, :name, :path, :role, :line, :family, :said)
            """,
            [
                {"namespace": self._namespace, "path": each.path, **mark._asdict()}
                for each in files
                for mark in each.reading.marks
            ],
        )

    def _row(self, each: Read) -> dict[str, str]:
        return {
            "namespace": self._namespace,
            "path": each.path,
            "base": each.path.rpartition("/")[2],
            "stamp": each.stamp,
            "kind": each.kind,
            "title": each.reading.title,
            "status": each.reading.status,
        }

    def forget(self, paths: Iterable[str]) -> None:
        """Forget files that are gone, and what stood in them."""
        rows = [{"namespace": self._namespace, "path": path} for path in paths]
        for table in ("trace_file", "trace_mark"):
            self._transaction.execute_many(
                f"DELETE FROM {table} WHERE namespace = :namespace AND path = :path",  # noqa: S608  names of ours
                rows,
            )

    def named(self, name: str) -> list[Placed]:
        """Where a name stands, by path and line."""
        sql = f"{MARKS} AND name = :name ORDER BY path, line, role, said LIMIT :most"
        return [_placed(row) for row in self._fetch(sql, name=name, most=MOST_ROWS)]

    def marks_of(self, path: str) -> list[Mark]:
        """What stands in a file, by line."""
        sql = f"{MARKS} AND path = :path ORDER BY line, role, name, said LIMIT :most"
        return [_placed(row).mark for row in self._fetch(sql, path=path, most=MOST_ROWS)]

    def role_of_family(self, role: str, family: str) -> list[Placed]:
        """Where the ids of a family stand in one role."""
        sql = f"{IDS} AND role = :role AND family = :family ORDER BY path, line, name LIMIT :most"
        return [_placed(row) for row in self._fetch(sql, role=role, family=family, most=MOST_DEFINED)]

    def defined(self) -> list[Placed]:
        """Where ids are defined."""
        sql = f"{IDS} AND role = :role ORDER BY path, line, name LIMIT :most"
        return [_placed(row) for row in self._fetch(sql, role=DEFINES, most=MOST_DEFINED)]

    def based(self, name: str) -> list[str]:
        """The files that are called so, wherever they lie."""
        sql = "SELECT path FROM trace_file WHERE namespace = :namespace AND base = :base ORDER BY path LIMIT :most"
        return [str(row["path"]) for row in self._fetch(sql, base=name, most=MOST_ROWS)]

    def below(self, folder: str, most: int) -> list[str]:
        """Some files below a folder, by path."""
        sql = """
            SELECT path FROM trace_file
            WHERE namespace = :namespace AND path >= :first AND path < :last ORDER BY path LIMIT :most
        """
        return [str(row["path"]) for row in self._fetch(sql, first=f"{folder}/", last=f"{folder}0", most=most)]

    def paths(self) -> list[str]:
        """Every file that was read, by path."""
        sql = """
            SELECT path FROM trace_file
            WHERE namespace = :namespace AND kind <> :commit AND base <> '' ORDER BY path
        """
        return [str(row["path"]) for row in self._fetch(sql, commit=COMMIT)]

    def decisions(self) -> list[DecisionRow]:
        """Every decision, by path."""
        sql = """
            SELECT path, title, status FROM trace_file
            WHERE namespace = :namespace AND kind = 'decision' ORDER BY path LIMIT :most
        """
        rows = self._fetch(sql, most=MOST_DECISIONS)
        return [DecisionRow(str(row["path"]), str(row["title"]), str(row["status"])) for row in rows]

    def _fetch(self, sql: str, **given: Any) -> Sequence[Mapping[str, Any]]:
        return self._transaction.fetch_all(sql, {"namespace": self._namespace, **given})


MARKS = "SELECT path, name, role, line, family, said FROM trace_mark WHERE namespace = :namespace"
IDS = f"{MARKS} AND family <> ''"


def _placed(row: Mapping[str, Any]) -> Placed:
    mark = Mark(str(row["name"]), str(row["role"]), int(row["line"]), str(row["family"]), str(row["said"]))
    return Placed(str(row["path"]), mark)
