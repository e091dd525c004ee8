"""Resolves the decision, file, symbol or family of ids that a name in a text refers to.

Ids of one family that are defined one after the other, each in one place, are a list that somebody keeps. What is only
mentioned (`RFC 2119`), or is defined again in every file (`node-1`), is none.
"""

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from fieldguide.files.kinds import IMPLEMENTATION, find_role, is_test
from fieldguide.knowledge.links.trace_index import DecisionRow, PlacedMark, TraceStore
from fieldguide.knowledge.links.trace_model import IdKey, TraceMark, parse_key
from fieldguide.knowledge.links.trace_reading import FOLDERS, read_name_number
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import Scope, locate_chunk, number_chunk
from fieldguide.storage.database import Transaction

LEAST_SERIES = 3  # numbered documents that lie together; fewer are no series
WORDS = ("ADR", "DECISION")  # what a record among decisions is called, whatever its file is called
OPEN = frozenset(("proposed", "draft", "rejected", "superseded", "deprecated", "withdrawn", "abandoned", "obsolete"))
YEARS = range(1980, 2100)


class DecisionNames:
    """Decisions by path, number and name."""

    def __init__(self, rows: Sequence[DecisionRow]) -> None:
        together = Counter(_series(each.path) for each in rows)
        self.rows = [each for each in rows if _is_among(each.path) or together[_series(each.path)] >= LEAST_SERIES]
        self.by_path = {each.path: each for each in self.rows}

    @cached_property
    def _by_key(self) -> dict[str, list[DecisionRow]]:
        found: dict[str, list[DecisionRow]] = {}
        for row in self.rows:
            for key in self.keys(row):
                found.setdefault(key.name, []).append(row)
        return found

    def keys(self, row: DecisionRow) -> list[IdKey]:
        """The ids that a decision goes by."""
        numbered = read_name_number(row.path)
        if numbered is None:
            return []
        word, number = numbered
        folder = posixpath.basename(posixpath.dirname(row.path)).upper().removesuffix("S")
        words = dict.fromkeys((word, *(WORDS if _is_among(row.path) or not word else ()), folder))
        return [IdKey(f"{each}-{number}", each) for each in words if each and each.isalpha()]

    def called(self, key: str, near: str = "") -> DecisionRow | None:
        """The decision with an id; of several the one nearest to a file, None where two are as near."""
        rows = self._by_key.get(key, [])
        ranked = sorted(rows, key=lambda row: -_nearness(row.path, near))
        if len(ranked) > 1 and _nearness(ranked[0].path, near) == _nearness(ranked[1].path, near):
            return None
        return ranked[0] if ranked else None

    def found(self, given: str) -> list[DecisionRow]:
        """The decisions that somebody's words mean: an id, a number, a path, the name of the file, the title."""
        plain = given.strip()
        if plain in self.by_path:
            return [self.by_path[plain]]
        if key := parse_key(plain):
            return self._by_key.get(key.name, [])
        if plain.isdecimal() and len(plain) < 7:
            return [row for row in self.rows if (read_name_number(row.path) or ("", -1))[1] == int(plain)]
        lowered = plain.casefold()
        return [row for row in self.rows if lowered in (_stem(row.path).casefold(), row.title.casefold())]


def is_open(row: DecisionRow) -> bool:
    """Whether nothing need follow a decision: it is not made yet, not made any more, or about how people work."""
    return row.status in OPEN or row.status == "process"


def _is_among(path: str) -> bool:
    return not FOLDERS.isdisjoint(folder.lower() for folder in path.split("/")[:-1])


def _series(path: str) -> tuple[str, str]:
    word, number = read_name_number(path) or ("", 0)
    return posixpath.dirname(path), "year" if not word and number in YEARS else word


def _stem(path: str) -> str:
    return posixpath.basename(path).rpartition(".")[0]


def _nearness(path: str, near: str) -> int:
    return len(posixpath.commonprefix([path.split("/")[:-1], near.split("/")[:-1]])) if near else 0


CODE = "code"
MOST_NAMES = 200
MOST_CHUNKS = 12  # of one name: what has more is defined by several files


class DefinedSymbol(NamedTuple):
    """Where a name is defined: the file, what it is a part of there, and the line in which that begins."""

    path: str
    owner: str = ""
    line: int = 1


class Definers:
    """Finds the only file that defines a name, and the names that a file defines."""

    def __init__(self, engine: SearchEngine, transaction: Transaction) -> None:
        self._engine = engine
        self._transaction = transaction
        self._scope = Scope(tuple(source.id for source in engine.sources(CODE)))
        self._known: dict[str, DefinedSymbol | None] = {}

    def only(self, name: str) -> DefinedSymbol | None:
        """The only file that defines a name, beside tests and examples; None for none, and for several."""
        if name not in self._known:
            self._known[name] = self._asked(name) if self._scope.sources else None
        return self._known[name]

    def _asked(self, name: str) -> DefinedSymbol | None:
        chunks = self._engine.index.headed(self._transaction, [name], self._scope, MOST_CHUNKS)
        if not chunks or len(chunks) == MOST_CHUNKS:
            return None
        documents = self._engine.store(self._transaction).numbered([locate_chunk(chunk)[0] for chunk in chunks])
        paths = {number: each.name for number, each in documents.items()}
        plain = [chunk for chunk in chunks if _is_plain(paths.get(locate_chunk(chunk)[0], ""))]
        found = {paths[locate_chunk(chunk)[0]] for chunk in plain}
        return self._defined(found.pop(), plain) if len(found) == 1 else None

    def _defined(self, path: str, chunks: Sequence[int]) -> DefinedSymbol:
        passages = self._engine.index.passages(self._transaction, chunks).values()
        owners = [each.headings[-2] if len(each.headings) > 1 else "" for each in passages]
        line = min((each.start_line for each in passages), default=1)
        return DefinedSymbol(path, min(owners, default=""), line)

    def names_in(self, path: str) -> list[str]:
        """The names that a file defines, as far as they head its chunks."""
        store = self._engine.store(self._transaction)
        for source in self._scope.sources:
            if (document := store.find(source, path)) is not None:
                chunks = [number_chunk(document.id, position) for position in range(min(document.chunks, MOST_NAMES))]
                passages = self._engine.index.passages(self._transaction, chunks).values()
                return list(dict.fromkeys(each.headings[-1] for each in passages if each.headings))
        return []


def _is_plain(path: str) -> bool:
    return bool(path) and not is_test(path) and find_role(path) == IMPLEMENTATION


LEAST_IDS = 3
LEAST_IN_FILE = 2.5  # ids for each file that defines any
LEAST_SHARE = 0.6  # of the ids, in the folder that has most
MOST_PLACES = 1.5  # for each id


class IdFamily(NamedTuple):
    """A list of ids: where each is defined."""

    name: str
    ids: Mapping[str, PlacedMark]


def learn_families(defined: Iterable[PlacedMark]) -> dict[str, IdFamily]:
    """The families that are lists of requirements, by name."""
    by_family: dict[str, list[PlacedMark]] = {}
    for each in defined:
        by_family.setdefault(each.mark.family, []).append(each)
    found = (_family(name, placed) for name, placed in sorted(by_family.items()))
    return {each.name: each for each in found if each is not None}


def _family(name: str, placed: list[PlacedMark]) -> IdFamily | None:
    places = {(each.path, each.mark.name) for each in placed}
    count = len({each.mark.name for each in placed})
    if count < LEAST_IDS or len(places) / count > MOST_PLACES:
        return None
    home, at_home = _home(places)
    files = Counter(path for path, _ in places if posixpath.dirname(path) == home)
    if at_home < LEAST_SHARE * count or files.total() < LEAST_IN_FILE * len(files):
        return None
    best: dict[str, PlacedMark] = {}
    for each in sorted(placed, key=lambda each: (posixpath.dirname(each.path) != home, -files[each.path], each.path)):
        best.setdefault(each.mark.name, each)
    return IdFamily(name, best)


def _home(places: Iterable[tuple[str, str]]) -> tuple[str, int]:
    """The folder that defines most ids, and how many it does."""
    by_folder: dict[str, set[str]] = {}
    for path, name in places:
        by_folder.setdefault(posixpath.dirname(path), set()).add(name)
    home = min(by_folder, key=lambda folder: (-len(by_folder[folder]), folder))
    return home, len(by_folder[home])


class PlaceNames:
    """Finds the files and folders that are named; asks only for those of that name."""

    def __init__(self, store: TraceStore) -> None:
        self._store = store
        self._based: dict[str, dict[str, list[str]]] = {}

    def file(self, mark: TraceMark, document: str) -> str | None:
        """The one file that a mark of a document means; None where there is none, or several fit."""
        if mark.said.endswith("/"):
            return self._folder(mark.said.rstrip("/"), document)
        by_tail = self._called(mark.name)
        if not by_tail:
            return _only(self._records(mark.name)) if "/" in mark.said else None
        for path in (_joined(document, mark.said), mark.said):
            if path in by_tail.get(_tail(path), ()):
                return path
        return _only(_ending(mark.said.lstrip("./"), by_tail))

    def _called(self, name: str) -> dict[str, list[str]]:
        """The files of a name, by their last two parts: of some names there are thousands."""
        if name not in self._based:
            found: dict[str, list[str]] = {}
            for path in self._store.based(name):
                found.setdefault(_tail(path), []).append(path)
            self._based[name] = found
        return self._based[name]

    def _records(self, name: str) -> list[str]:
        """The documents whose names begin with a number, as in `docs/decisions/0040`."""
        if not any(character.isdecimal() for character in name) or "." in name:
            return []
        rows = (row.path for row in self._store.decisions())
        return [path for path in rows if posixpath.basename(path).partition(".")[0].startswith(f"{name}-")]

    def _folder(self, said: str, document: str) -> str | None:
        for folder in (_joined(document, said), said.removeprefix("./")):
            if folder and not folder.startswith("..") and self._store.below(folder, 1):
                return f"{folder}/"
        ends = f"/{said}"
        fitting = [folder for folder in self._folders if f"/{folder}".endswith(ends)]
        plain = [folder for folder in fitting if not is_test(f"{folder}/")]  # tests lie in folders of the same name
        only = _only(plain)
        return None if only is None else f"{only}/"

    @cached_property
    def _folders(self) -> list[str]:
        found: set[str] = set()
        for path in self._store.paths():
            folder = posixpath.dirname(path)
            while folder and folder not in found:
                found.add(folder)
                folder = posixpath.dirname(folder)
        return sorted(found)


def _ending(plain: str, by_tail: Mapping[str, list[str]]) -> list[str]:
    """The files whose paths end with what is said, part by part."""
    alike = by_tail.get(_tail(plain), []) if "/" in plain else chain.from_iterable(by_tail.values())
    return [path for path in alike if f"/{path}".endswith(f"/{plain}")]


def _only(paths: list[str]) -> str | None:
    return paths[0] if len(paths) == 1 else None


def _joined(document: str, said: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(document), said))


def _tail(path: str) -> str:
    return "/".join(path.rsplit("/", 2)[-2:])
