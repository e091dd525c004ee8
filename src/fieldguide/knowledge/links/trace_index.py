"""The tables of the trace in the index database, and their upkeep.

The message of a commit is read whole, since what it is about often stands below its first line.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.listing import list_files
from fieldguide.git.history import History, load_history
from fieldguide.git.program import GitProgram
from fieldguide.knowledge.links.trace_reading import (
    COMMIT_TEXT,
    DEFINES,
    TraceMark,
    TraceReading,
    is_traced_text,
    read_trace_text,
    read_trace_words,
)
from fieldguide.search.backlog import make_stamp
from fieldguide.search.derived import Derived, DerivedRows, split_path_batches
from fieldguide.search.engine import SearchEngine
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.text.windows import decode_readable

MOST_ROWS = 2_000  # of one question
MOST_DEFINED = 50_000
MOST_DECISIONS = 2_000


class PlacedMark(NamedTuple):
    """A mark and the file that it stands in, or the commit whose message has it."""

    path: str
    mark: TraceMark


class DecisionRow(NamedTuple):
    """A decision as the files tell it."""

    path: str
    title: str
    status: str


class ReadText(NamedTuple):
    """A file or a commit that was read, by what tells that it is still the same."""

    path: str
    stamp: str
    kind: str
    reading: TraceReading


class TraceStore(DerivedRows):
    """The trace of one project through one transaction."""

    def stamps(self, only: Iterable[str] | None = None) -> dict[str, str]:
        """Which files, or some, were read, and what told then that they are the same."""
        return self._fetch_stamps("SELECT path, stamp FROM trace_file WHERE namespace = :namespace", only)

    def put(self, files: Sequence[ReadText]) -> None:
        """Keep what was read, in place of what was read of the same files before."""
        self.forget([each.path for each in files])
        self._transaction.execute_many(
            """
            INSERT INTO trace_file (namespace, path, base, stamp, kind, title, status)
            VALUES (:namespace, :path, :base, :stamp, :kind, :title, :status)
            """,
            [self._row(each) for each in files],
        )
        marks: list[dict[str, Any]] = []
        for each in files:
            of_file = {"namespace": self._namespace, "path": each.path}
            marks += [{**of_file, **mark._asdict()} for mark in each.reading.marks]
        self._transaction.execute_many(
            """
            INSERT INTO trace_mark (namespace, name, path, role, line, family, said)
            VALUES (:namespace, :name, :path, :role, :line, :family, :said)
            """,
            marks,
        )

    def _row(self, each: ReadText) -> dict[str, str]:
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

    def named(self, name: str) -> list[PlacedMark]:
        """Where a name stands, by path and line."""
        sql = f"{MARKS} AND name = :name ORDER BY path, line, role, said LIMIT :most"
        return [_placed(row) for row in self._fetch(sql, name=name, most=MOST_ROWS)]

    def marks_of(self, path: str) -> list[TraceMark]:
        """What stands in a file, by line."""
        sql = f"{MARKS} AND path = :path ORDER BY line, role, name, said LIMIT :most"
        return [_placed(row).mark for row in self._fetch(sql, path=path, most=MOST_ROWS)]

    def role_of_family(self, role: str, family: str) -> list[PlacedMark]:
        """Where the ids of a family stand in one role."""
        sql = f"{IDS} AND role = :role AND family = :family ORDER BY path, line, name LIMIT :most"
        return [_placed(row) for row in self._fetch(sql, role=role, family=family, most=MOST_DEFINED)]

    def defined(self) -> list[PlacedMark]:
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
        return [str(row["path"]) for row in self._fetch(sql, commit=COMMIT_TEXT)]

    def decisions(self) -> list[DecisionRow]:
        """Every decision, by path."""
        sql = """
            SELECT path, title, status FROM trace_file
            WHERE namespace = :namespace AND kind = 'decision' ORDER BY path LIMIT :most
        """
        rows = self._fetch(sql, most=MOST_DECISIONS)
        return [DecisionRow(str(row["path"]), str(row["title"]), str(row["status"])) for row in rows]


MARKS = "SELECT path, name, role, line, family, said FROM trace_mark WHERE namespace = :namespace"
IDS = f"{MARKS} AND family <> ''"


def _placed(row: Mapping[str, Any]) -> PlacedMark:
    mark = TraceMark(str(row["name"]), str(row["role"]), int(row["line"]), str(row["family"]), str(row["said"]))
    return PlacedMark(str(row["path"]), mark)


VERSION = "6"  # of how texts are read: what was read by another is read again
LARGEST_BYTES = 1 << 20
MOST_LATEST = 200
BATCH = 200
FIRST_BATCH = 1_000
COMMITS = f"{COMMIT_TEXT}:"
READ_SECONDS = 30.0
MESSAGES = ("log", "--no-walk=unsorted", "--stdin", "--no-color", "--encoding=UTF-8", "--format=%H%x00%B%x00%x01")
LONGEST_MESSAGE = 8_000
WHOLE = ""  # stands for everything: there once all files were read
UNSETTLED = "?"  # of a file that was changed just now: it is read again


def update_trace(
    engine: SearchEngine,
    namespace: str,
    project: ConfinedFolder,
    paths: Sequence[str],
    only: Iterable[str] | None = None,
) -> int:
    """Read what is new in the project's files, or in `only` some of them; how many were read."""
    wanted = paths if only is None else list(only)
    now = _stamps(project, filter(is_traced_text, wanted))
    with engine.database.reading() as transaction:
        before = TraceStore(transaction, namespace).stamps(None if only is None else wanted)
    files = {path: stamp for path, stamp in before.items() if path != WHOLE and not path.startswith(COMMITS)}
    read = Derived(engine, namespace, TraceStore, partial(_read_files, engine, namespace, project), BATCH)
    changed = read.update(files, now)
    if only is None and WHOLE not in before:
        _put(engine, namespace, [ReadText(WHOLE, VERSION, "", TraceReading([]))])
    return len(changed)


def _read_files(engine: SearchEngine, namespace: str, project: ConfinedFolder, wanted: Mapping[str, str]) -> None:
    if engine.is_full():
        raise Refusal(f"The index is full: {engine.limits.told('index_megabytes')}.")
    _put(engine, namespace, [_read(project, path, stamp) for path, stamp in wanted.items()])


def _put(engine: SearchEngine, namespace: str, read: Sequence[ReadText]) -> None:
    with engine.database.writing() as transaction:
        TraceStore(transaction, namespace).put(read)


def update_commits(engine: SearchEngine, namespace: str, project: str, history: History) -> int:
    """Read the messages of all commits that are new; how many there were."""
    with engine.database.reading() as transaction:
        known = TraceStore(transaction, namespace).stamps()
    missing = [each.id for each in history.changes if known.get(f"{COMMITS}{each.id}") != VERSION]
    return _read_commits(engine, namespace, project, missing)


def update_latest_commits(engine: SearchEngine, namespace: str, project: str, history: History) -> int:
    """Read the messages of the latest commits, where the last one is new: a commit changes no file that is watched."""
    latest = [each.id for each in history.changes[:MOST_LATEST]]
    with engine.database.reading() as transaction:
        store = TraceStore(transaction, namespace)
        if not latest or store.stamps([f"{COMMITS}{latest[0]}"]):
            return 0
        known = store.stamps(f"{COMMITS}{each}" for each in latest)
    return _read_commits(engine, namespace, project, [each for each in latest if f"{COMMITS}{each}" not in known])


def _read_commits(engine: SearchEngine, namespace: str, project: str, missing: Sequence[str]) -> int:
    for some in split_path_batches(missing, 10 * BATCH):
        engine.way.give()
        messages = dict(_messages(project, some))
        read: list[ReadText] = []
        for each in some:
            marks = read_trace_words(messages.get(each, ""), with_symbols=False)
            read.append(ReadText(f"{COMMITS}{each}", VERSION, COMMIT_TEXT, TraceReading(marks)))
        _put(engine, namespace, read)
    return len(missing)


def _messages(project: str, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
    with suppress(FieldguideError):
        said = GitProgram(project, READ_SECONDS).ask(*MESSAGES, said="".join(f"{each}\n" for each in ids).encode())
        for each in said.decode("utf-8", "replace").split("\0\x01"):
            identity, _, message = each.strip("\n").partition("\0")
            yield identity, message[:LONGEST_MESSAGE]


def _stamps(project: ConfinedFolder, paths: Iterable[str]) -> dict[str, str]:
    now = time.time()
    found: dict[str, str] = {}
    for path in paths:
        try:
            status = os.stat(os.path.join(project.root, path))
        except OSError:
            continue
        if status.st_size <= LARGEST_BYTES:
            found[path] = f"{VERSION} {make_stamp(status, now) or f'{UNSETTLED}{now}'}"
    return found


def _read(project: ConfinedFolder, path: str, stamp: str) -> ReadText:
    try:
        content = project.read(path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return ReadText(path, stamp, "", TraceReading([]))
    reading = TraceReading([]) if b"\0" in content[:1024] else read_trace_text(path, decode_readable(content))
    return ReadText(path, stamp, reading.kind, reading)


TRACE = "trace"
FIRST_TRACE_SECONDS = 20.0  # what is read by then is kept, and the next question reads on


def is_trace_kept(engine: SearchEngine, namespace: str) -> bool:
    """Whether all files were read once."""
    with engine.database.reading() as transaction:
        return bool(TraceStore(transaction, namespace).stamps([WHOLE]))


def make_first_trace(engine: SearchEngine, namespace: str, project: ConfinedFolder) -> None:
    """Read all files and commits, for some seconds at most, if nobody has done so yet."""
    if is_trace_kept(engine, namespace):
        return
    until = monotonic() + FIRST_TRACE_SECONDS
    paths = list_files(project).paths
    for some in split_path_batches(paths, FIRST_BATCH):
        with engine.turn(TRACE):
            update_trace(engine, namespace, project, paths, some)
        if monotonic() > until:
            return
    keep_trace(engine, namespace, project, paths, None)


def keep_trace(
    engine: SearchEngine, namespace: str, project: ConfinedFolder, paths: Sequence[str], only: Sequence[str] | None
) -> None:
    """Bring the trace up to date with all files and commits, or with some files that have changed."""
    with engine.turn(TRACE):
        update_trace(engine, namespace, project, paths, only)
        if only is None:
            history = load_history(engine.database, namespace, project.root, wait_seconds=READ_SECONDS)
            update_commits(engine, namespace, project.root, history)
