"""Keeps a project's history in the database and answers which files change together, how often and by whom."""

import os
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import sqrt
from weakref import WeakKeyDictionary

from fieldguide.files.file_system import read_status_stamp
from fieldguide.files.git_index import find_git_index
from fieldguide.git.log import HistoryCommit, parse_changes, read_changes, read_head, serialize_changes
from fieldguide.git.program import GitProgram
from fieldguide.storage.database import Database
from fieldguide.text.errors import FieldguideError

HALF_LIFE = 1500.0  # commits: so much older, a commit counts half
PRIOR = 1.0  # as many commits that tell nothing: what happened once is no habit yet
LARGEST_TOGETHER = 60  # files: a commit that sweeps over more says nothing about which of them belong together
SWEEPING_SHARE = 0.2  # of all files: in a small project a smaller commit sweeps, too
LEAST_SWEEPING = 20  # files


class History:
    """Commits that HEAD reaches, newest first, under the names that files have now; nothing changes once it is made.

    `lack` says why there is none; it is empty where commits could be read. `head` is the commit that it is whole for;
    of a shallow clone, which may be given more commits at the same HEAD, none.
    """

    def __init__(self, changes: Sequence[HistoryCommit] = (), *, head: str = "", lack: str = "") -> None:
        self.changes = changes
        self.head = head
        self.lack = lack

    def together(self, paths: Iterable[str]) -> dict[str, float]:
        """Files that changed with these, and how strongly: from 0 to 1 for each of the given, strongest first.

        A commit counts more the newer and the smaller it is. That a file changes with others as well takes nothing
        away: measured on what changed together later, dividing by its own commits made the order worse.
        """
        given = list(dict.fromkeys(paths))
        total: Counter[str] = Counter()
        for path in given:
            total.update(self._with(path))
        for path in given:
            total.pop(path, None)
        return dict(sorted(total.items(), key=lambda each: (-each[1], each[0])))

    def support(self, path: str, other: str) -> tuple[int, int]:
        """In how many of the commits of a file another changed too, and in how many the file itself did.

        Commits that sweep over the whole project are left out of both.
        """
        mine = {place for place in self._by_path.get(path, ()) if self._weights[place]}
        return len(mine.intersection(self._by_path.get(other, ()))), len(mine)

    def count_changes(self, path: str) -> int:
        """How often a file changed."""
        return len(self._by_path.get(path, ()))

    def places_of(self, path: str) -> Sequence[int]:
        """The places in `changes` of the commits that changed a file, newest first."""
        return self._by_path.get(path, ())

    def commits_of(self, path: str, limit: int = 10) -> list[HistoryCommit]:
        """The latest commits that changed a file, newest first."""
        return [self.changes[place] for place in self.places_of(path)[:limit]]

    def authors_of(self, path: str) -> list[tuple[str, int]]:
        """Who changed a file, or the files in a folder, and how often; most first, of equals who did so last."""
        folder = f"{path}/" if path else ""
        places = self._by_path.get(path) or sorted(
            {place for name, each in self._by_path.items() if name.startswith(folder) for place in each}
        )
        return Counter(self.changes[place].author for place in places).most_common()

    def near(self, path: str) -> dict[str, float]:
        """What changes with the other files of a file's folder: it stands in where the file itself has little past."""
        folder = path.rpartition("/")[0]
        places = {place for each in self._by_folder.get(folder, ()) if each != path for place in self._by_path[each]}
        mine = self._mass.get(path, 0.0)
        weights, total = self._gathered(sorted(places))
        weights.pop(path, None)
        return {other: weight / (total + PRIOR) / (1.0 + mine) for other, weight in weights.items()}

    def activity(self, path: str) -> float:
        """How much a file changes, from 0 to 1 for the one that changes most."""
        return self._mass.get(path, 0.0) / self._most if self._most else 0.0

    def most_active(self, limit: int) -> list[str]:
        """The files that change most, the most active first."""
        return self._active[:limit]

    @cached_property
    def _active(self) -> list[str]:
        return sorted(self._mass, key=lambda path: (-self._mass[path], path))

    def _with(self, path: str) -> dict[str, float]:
        weights, total = self._gathered(self._by_path.get(path, ()))
        weights.pop(path, None)
        return {other: weight / (total + PRIOR) for other, weight in weights.items()}

    def _gathered(self, places: Sequence[int]) -> tuple[dict[str, float], float]:
        """What changed in some commits, and how much, and the weight of them all."""
        weights: dict[str, float] = {}
        for place in places:
            weight = self._weights[place]
            for other in self._present[place] if weight else ():
                weights[other] = weights.get(other, 0.0) + weight
        return weights, sum(self._weights[place] for place in places)

    @cached_property
    def _weights(self) -> list[float]:
        known = len({path for files in self._present for path in files})
        most = min(LARGEST_TOGETHER, max(LEAST_SWEEPING, int(SWEEPING_SHARE * known)))
        return [_weight(place, len(files), most) for place, files in enumerate(self._present)]

    @cached_property
    def _mass(self) -> Mapping[str, float]:
        mass: dict[str, float] = {}
        for place, files in enumerate(self._present):
            for path in files:
                mass[path] = mass.get(path, 0.0) + self._weights[place]
        return mass

    @cached_property
    def _most(self) -> float:
        return max(self._mass.values(), default=0.0)

    @cached_property
    def _by_folder(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for path in self._by_path:
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    @cached_property
    def _by_path(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for place, files in enumerate(self._present):
            for path in files:
                found.setdefault(path, []).append(place)
        return found

    @cached_property
    def _present(self) -> list[tuple[str, ...]]:
        """The files of each commit under their present names; those that were taken away are left out."""
        names: dict[str, str | None] = {}
        seen: set[str] = set()
        found: list[tuple[str, ...]] = []
        for change in self.changes:
            for path in change.gone:
                if path not in seen:
                    names.setdefault(path, None)
                    seen.add(path)
            now = [names.get(path, path) for path in change.files]
            seen.update(change.files)
            found.append(tuple(dict.fromkeys(path for path in now if path is not None)))
            for old, new in change.renamed:
                names[old] = names.get(new, new)
                seen.add(old)
        return found


def _weight(place: int, files: int, most: int) -> float:
    """What a commit says of its files: more the newer and the smaller it is; nothing where it has very many."""
    if not 1 <= files <= most:
        return 0.0
    return float(0.5 ** (place / HALF_LIFE)) / sqrt(max(files - 1, 1))


VERSION = "3"  # what was kept in another form is read again


def load_stored_history(database: Database, namespace: str) -> History | None:
    """The history as it was kept last; None where none was."""
    with database.reading() as transaction:
        row = transaction.fetch_one(
            "SELECT head, changes FROM project_history WHERE namespace = :namespace", {"namespace": namespace}
        )
    if row is None:
        return None
    version, _, head = str(row["head"]).partition(" ")
    if version != VERSION:
        return None
    return History(parse_changes(str(row["changes"])), head=head)


def save_history(database: Database, namespace: str, head: str, changes: list[HistoryCommit]) -> None:
    """Keep the history as of a commit, in place of what was kept."""
    with database.writing() as transaction:
        transaction.execute(
            """
            INSERT INTO project_history (namespace, head, changes) VALUES (:namespace, :head, :changes)
            ON CONFLICT (namespace) DO UPDATE SET head = excluded.head, changes = excluded.changes
            """,
            {"namespace": namespace, "head": f"{VERSION} {head}", "changes": serialize_changes(changes)},
        )


READ_SECONDS = 30.0
WAIT_SECONDS = 2.0  # a call waits so long for the history; what it lacks then, the next call has
LARGEST_HEAD_BYTES = 4096
STAMPED = ("HEAD", "packed-refs", "shallow", "reftable/tables.list")
READ = ("HEAD", "packed-refs", "refs", "objects", "objects/info", "objects/pack")  # what a link would lead elsewhere
NO_GIT = "There is no git history here that can be read."
NOT_READ_YET = "The git history is still being read."
KEEPERS: "WeakKeyDictionary[Database, dict[tuple[str, str], HistoryKeeper]]" = WeakKeyDictionary()


def load_history(database: Database, namespace: str, project: str, *, wait_seconds: float = WAIT_SECONDS) -> History:
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
        stamp = stamp_head(self._project)
        if stamp is None:
            return History(lack=NO_GIT)
        with self._lock:
            if self._kept is not None and self._stamp == stamp:
                return self._kept
            if self._reading is None or not self._reading.is_alive():
                given = (database, stamp)
                self._reading = threading.Thread(target=self._read, args=given, name="history", daemon=True)
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
            self._kept = found
            self._stamp = stamp

    def _brought_up(self, database: Database) -> History:
        """The history as it is now."""
        git = GitProgram(self._project, READ_SECONDS)
        head = read_head(git)
        if head is None:
            return History(lack=NO_GIT)
        history = self._loaded(database)
        if history is None or history.head != head.id:
            changes = read_changes(git, head, {each.id: each for each in history.changes} if history else {})
            history = History(changes, head="" if head.is_shallow else head.id)
            self._save(database, history)
        return history

    def _save(self, database: Database, history: History) -> None:
        # not what a shallow clone shows of its oldest commits: more may be fetched
        whole = [each for each in history.changes if history.head or each.files or each.gone]
        with suppress(FieldguideError):
            save_history(database, self._namespace, history.head, whole)

    def _loaded(self, database: Database) -> History | None:
        if self._kept is not None and self._kept.head:
            return self._kept
        with suppress(FieldguideError):
            return load_stored_history(database, self._namespace)
        return None


def stamp_head(project: str) -> object:
    """What changes whenever another commit is checked out, from files alone; None where git is not to be read."""
    place = find_git_index(project)
    if place is None or any(map(os.path.islink, (os.path.join(place.folder, name) for name in READ))):
        return None
    shared = place.folder
    named = _said(os.path.join(place.folder, "commondir")).strip()
    if named:  # a linked work tree: the branches are in the repository's folder
        shared = os.path.normpath(os.path.join(place.folder, named))
    said = _said(os.path.join(place.folder, "HEAD"))
    branch = said.partition("ref: ")[2].strip()
    tip = _said(os.path.join(shared, branch)) if branch and ".." not in branch else ""
    return (place.folder, said, tip, *(read_status_stamp(os.path.join(shared, name)) for name in STAMPED))


def _said(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    with open(descriptor, "rb") as file, suppress(OSError):
        return file.read(LARGEST_HEAD_BYTES).decode("utf-8", "replace")
    return ""
