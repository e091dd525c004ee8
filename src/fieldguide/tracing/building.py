"""Brings the trace up to date with the project: each file is read once for each content, each commit once.

The message of a commit is read whole, since what it is about often stands below its first line.
"""

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.lines import readable_text
from fieldguide.errors import FieldguideError, Refusal
from fieldguide.import_graph.changes import batches, changes_since
from fieldguide.project_history.git_program import GitProgram
from fieldguide.project_history.history import History
from fieldguide.search.engine import SearchEngine
from fieldguide.search.syncing import stamp_of
from fieldguide.tracing.marks import COMMIT, SYMBOL, Reading
from fieldguide.tracing.reading.texts import is_read, read_text, read_words
from fieldguide.tracing.store import Read, TraceStore

VERSION = "5"  # of how texts are read: what was read by another is read again
LARGEST_BYTES = 1 << 20
MOST_LATEST = 200
BATCH = 200
COMMITS = f"{COMMIT}:"
READ_SECONDS = 30.0
MESSAGES = ("log", "--no-walk=unsorted", "--stdin", "--no-color", "--encoding=UTF-8", "--format=%H%x00%B%x00%x01")
LONGEST_MESSAGE = 8_000
WHOLE = ""  # stands for everything: there once all files were read
UNSETTLED = "?"  # of a file that was changed just now: it is read again


def bring_up(
    engine: SearchEngine,
    namespace: str,
    project: ConfinedFolder,
    paths: Sequence[str],
    only: Iterable[str] | None = None,
) -> int:
    """Read what is new in the project's files, or in `only` some of them; how many were read."""
    wanted = paths if only is None else list(only)
    now = _stamps(project, filter(is_read, wanted))
    with engine.database.reading() as transaction:
        before = TraceStore(transaction, namespace).stamps(None if only is None else wanted)
    changed, gone = changes_since(_of_files(before), now)
    for some in batches(changed, BATCH):
        engine.way.give()
        if engine.is_full():
            raise Refusal(f"The index is full: {engine.limits.told('index_megabytes')}.")
        _put(engine, namespace, [_read(project, path, now[path]) for path in some])
    if gone:
        with engine.database.writing() as transaction:
            TraceStore(transaction, namespace).forget(gone)
    if only is None and WHOLE not in before:
        _put(engine, namespace, [Read(WHOLE, VERSION, "", Reading([]))])
    return len(changed)


def _of_files(stamps: Mapping[str, str]) -> dict[str, str]:
    return {path: stamp for path, stamp in stamps.items() if path != WHOLE and not path.startswith(COMMITS)}


def _put(engine: SearchEngine, namespace: str, read: Sequence[Read]) -> None:
    with engine.database.writing() as transaction:
        TraceStore(transaction, namespace).put(read)


def bring_up_commits(engine: SearchEngine, namespace: str, project: str, history: History) -> int:
    """Read the messages of all commits that are new; how many there were."""
    with engine.database.reading() as transaction:
        known = TraceStore(transaction, namespace).stamps()
    missing = [each.id for each in history.changes if known.get(f"{COMMITS}{each.id}") != VERSION]
    return _read_commits(engine, namespace, project, missing)


def bring_up_latest(engine: SearchEngine, namespace: str, project: str, history: History) -> int:
    """Read the messages of the latest commits, where the last one is new: a commit changes no file that is watched."""
    latest = [each.id for each in history.changes[:MOST_LATEST]]
    with engine.database.reading() as transaction:
        store = TraceStore(transaction, namespace)
        if not latest or store.stamps([f"{COMMITS}{latest[0]}"]):
            return 0
        known = store.stamps(f"{COMMITS}{each}" for each in latest)
    return _read_commits(engine, namespace, project, [each for each in latest if f"{COMMITS}{each}" not in known])


def _read_commits(engine: SearchEngine, namespace: str, project: str, missing: Sequence[str]) -> int:
    for some in batches(missing, 10 * BATCH):
        engine.way.give()
        messages = dict(_messages(project, some))
        read = [Read(f"{COMMITS}{each}", VERSION, COMMIT, _of_message(messages.get(each, ""))) for each in some]
        _put(engine, namespace, read)
    return len(missing)


def _of_message(message: str) -> Reading:
    return Reading([mark for mark in read_words(message) if mark.role != SYMBOL])


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
            found[path] = f"{VERSION} {stamp_of(status, now) or f'{UNSETTLED}{now}'}"
    return found


def _read(project: ConfinedFolder, path: str, stamp: str) -> Read:
    try:
        content = project.read(path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return Read(path, stamp, "", Reading([]))
    reading = Reading([]) if b"\0" in content[:1024] else read_text(path, readable_text(content))
    return Read(path, stamp, reading.kind, reading)
