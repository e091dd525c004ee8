"""Keeps the history of a project up to date: read once, and when HEAD moves only the commits that are new."""

import os
import threading
from contextlib import suppress
from weakref import WeakKeyDictionary

from fieldguide.errors import FieldguideError
from fieldguide.project_history.git_program import GitProgram
from fieldguide.project_history.history import History
from fieldguide.project_history.log import read_changes, read_head
from fieldguide.project_history.store import load, save
from fieldguide.project_text.git_index import index_place
from fieldguide.storage.port import Database

READ_SECONDS = 30.0
WAIT_SECONDS = 2.0  # a call waits so long for the history; what it lacks then, the next call has
LARGEST_HEAD_BYTES = 4096
STAMPED = ("HEAD", "packed-refs", "shallow", "reftable/tables.list")
READ = ("HEAD", "packed-refs", "refs", "objects", "objects/info", "objects/pack")  # what a link would lead elsewhere
NO_GIT = "There is no git history here that can be read."
NOT_READ_YET = "The git history is still being read."
KEEPERS: "WeakKeyDictionary[Database, dict[tuple[str, str], HistoryKeeper]]" = WeakKeyDictionary()


def history_of(database: Database, namespace: str, project: str, *, wait_seconds: float = WAIT_SECONDS) -> History:
    """The history that HEAD of a project reaches now; `database` is the index's, `project` a folder.

    One without commits says by its `lack` why: no git, or not read yet within the time that the caller can wait.
    """
    keepers = KEEPERS.setdefault(database, {})
    keeper = keepers.setdefault((namespace, project), HistoryKeeper(namespace, project))
    return keeper.now(database, wait_seconds)


class HistoryKeeper:
    """Gives the history as of the commit that is checked out now, to any thread; one for a project and process."""

    def __init__(self, namespace: str, project: str) -> None:
        self._namespace = namespace
        self._project = project
        self._lock = threading.Lock()
        self._stamp: object = None
        self._kept: History | None = None
        self._reading: threading.Thread | None = None

    def now(self, database: Database, wait_seconds: float) -> History:
        """The history that HEAD reaches; one that says so where it could not be read in this time."""
        stamp = head_stamp(self._project)
        if stamp is None:
            return History(lack=NO_GIT)
        with self._lock:
            if self._kept is not None and self._stamp == stamp:
                return self._kept
            if self._reading is None or not self._reading.is_alive():
                self._reading = threading.Thread(target=self._read, args=(database, stamp), name="history", daemon=True)
                self._reading.start()
            reading = self._reading
        reading.join(wait_seconds)
        with self._lock:
            return self._kept if self._kept is not None and self._stamp == stamp else History(lack=NOT_READ_YET)

    def _read(self, database: Database, stamp: object) -> None:
        found = History(lack=NO_GIT)
        with suppress(FieldguideError):
            found = self._brought_up(database)
        with self._lock:
            self._kept, self._stamp = found, stamp

    def _brought_up(self, database: Database) -> History:
        git = GitProgram(self._project, READ_SECONDS)
        head = read_head(git)
        if head is None:
            return History(lack=NO_GIT)
        kept = self._loaded(database)
        if kept is not None and kept.head == head.id:
            return kept
        changes = read_changes(git, head, {each.id: each for each in kept.changes} if kept else {})
        found = History(changes, head="" if head.is_shallow else head.id)
        self._save(database, found)
        return found

    def _loaded(self, database: Database) -> History | None:
        if self._kept is not None and self._kept.head:
            return self._kept
        with suppress(FieldguideError):
            return load(database, self._namespace)
        return None

    def _save(self, database: Database, history: History) -> None:
        """Keep it, but not what a shallow clone shows of its oldest commits: more may be fetched."""
        whole = [each for each in history.changes if history.head or each.files or each.gone]
        with suppress(FieldguideError):
            save(database, self._namespace, history.head, whole)


def head_stamp(project: str) -> object:
    """What changes whenever another commit is checked out, from files alone; None where git is not to be read."""
    place = index_place(project)
    if place is None or any(map(os.path.islink, (os.path.join(place.folder, name) for name in READ))):
        return None
    shared = _shared_folder(place.folder)
    said = _said(os.path.join(place.folder, "HEAD"))
    branch = said.partition("ref: ")[2].strip()
    tip = _said(os.path.join(shared, branch)) if branch and ".." not in branch else ""
    return (place.folder, said, tip, *(_status(os.path.join(shared, name)) for name in STAMPED))


def _shared_folder(folder: str) -> str:
    """Where the branches lie: in a linked work tree the folder of the repository, which a file names."""
    named = _said(os.path.join(folder, "commondir")).strip()
    return os.path.normpath(os.path.join(folder, named)) if named else folder


def _said(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with open(descriptor, "rb") as file, suppress(OSError):
        return file.read(LARGEST_HEAD_BYTES).decode("utf-8", "replace")
    return ""


def _status(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
