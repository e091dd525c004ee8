"""Resolves the names in texts to files, folders, symbols, decisions and requirement ids of a project.

`KnownPaths`, `PresentWords` and the drift cache hold the paths, words and mentions of files, for `drift`.
`DecisionNames`, `Definers`, `PlaceNames` and `learn_families` resolve names for traces.
"""

import json
import os
import posixpath
import time
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple
from zlib import crc32

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import (
    HTML,
    IMPLEMENTATION,
    MIGRATIONS,
    NO_LANGUAGES,
    TEXT,
    WORDLESS_SUFFIXES,
    find_format,
    find_role,
    is_extracted,
    is_test,
    language_of,
)
from fieldguide.knowledge.links.mentions import IdKey, NameMention, find_mentions, parse_key
from fieldguide.knowledge.links.trace_index import DecisionRow, PlacedMark, TraceStore
from fieldguide.knowledge.links.trace_reading import FOLDERS, TraceMark, read_name_number
from fieldguide.prose.discovery import FoundText
from fieldguide.search.backlog import make_stamp
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import Scope, locate_chunk, number_chunk
from fieldguide.storage.database import Database, Transaction
from fieldguide.text.errors import Refusal
from fieldguide.text.windows import decode_readable

NAMELESS = NO_LANGUAGES | {None, "latex"}
OF_TOOLS = frozenset(("ini", "toml", "json", "yaml", "xml", "properties"))
MANIFESTS = frozenset(("setup.py", "setup.cfg", "package.json", "pyproject.toml", "Cargo.toml", "pom.xml", "tox.ini"))
RECORD_WORDS = ("ADR", "DECISION")  # ids of a record among decisions, whatever its file is called
OPEN = frozenset(("proposed", "draft", "rejected", "superseded", "deprecated", "withdrawn", "abandoned", "obsolete"))
YEARS = range(1980, 2100)
LEAST_SERIES = 3  # numbered documents in one folder; fewer are no series
CODE = "code"
MOST_PARTS = 5
MOST_ALIKE = 10
REMEMBERED = 50_000
LONGEST_WORD = 100
SHORTEST_WORD = 3
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") | frozenset(range(128, 256))
_NAMES = bytes(each if each in _LETTERS else 32 for each in range(256))
_HYPHENED = bytes(each if each in _LETTERS or each == 45 else 32 for each in range(256))
VERSION = "5"  # of how words and mentions are read: what another version made is made again
LARGEST_BYTES = 1 << 20
LOOKED_AT = 8_000
MOST_NAMES = 200
MOST_CHUNKS = 12  # of one name: with more, several files define it
LEAST_IDS = 3
LEAST_IN_FILE = 2.5  # ids for each file that defines any
LEAST_SHARE = 0.6  # of the ids, in the folder that has most
MOST_PLACES = 1.5  # for each id
WORDS = "words"
MENTIONS = "mentions"
REMOVED = "removed"
FOUND = "found"
BATCH = 500


class CachedPart(NamedTuple):
    """A part with the stamp of what it was made from."""

    stamp: str
    content: bytes


class DriftCache:
    """Keeps parts by what they are and by the file that they are of; in memory, for one check without a database."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[str, CachedPart]] = {}

    def read(self, part: str) -> Mapping[str, CachedPart]:
        """All of one kind, by file."""
        return dict(self._parts.get(part, {}))

    def put(self, part: str, rows: Mapping[str, CachedPart]) -> None:
        """Keep these in place of what was kept of their files."""
        self._parts.setdefault(part, {}).update(rows)

    def forget(self, part: str, names: Iterable[str]) -> None:
        """Keep nothing of these files."""
        for name in names:
            self._parts.get(part, {}).pop(name, None)


class DatabaseDriftCache(DriftCache):
    """Keeps them beside the index of a project."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._database = database
        self._namespace = namespace

    def read(self, part: str) -> Mapping[str, CachedPart]:
        """All of one kind, by file."""
        sql = "SELECT name, stamp, content FROM drift_part WHERE namespace = :namespace AND part = :part"
        with self._database.reading() as transaction:
            rows = transaction.fetch_all(sql, {"namespace": self._namespace, "part": part})
        return {str(row["name"]): CachedPart(str(row["stamp"]), bytes(row["content"])) for row in rows}

    def put(self, part: str, rows: Mapping[str, CachedPart]) -> None:
        """Keep these in place of what was kept of their files."""
        sql = """
            INSERT INTO drift_part (namespace, part, name, stamp, content)
            VALUES (:namespace, :part, :name, :stamp, :content)
            ON CONFLICT (namespace, part, name) DO UPDATE SET stamp = excluded.stamp, content = excluded.content
        """
        given = [
            {"namespace": self._namespace, "part": part, "name": name, "stamp": each.stamp, "content": each.content}
            for name, each in rows.items()
            if is_storable(name)
        ]
        for start in range(0, len(given), BATCH):
            with self._database.writing() as transaction:
                transaction.execute_many(sql, given[start : start + BATCH])

    def forget(self, part: str, names: Iterable[str]) -> None:
        """Keep nothing of these files."""
        sql = "DELETE FROM drift_part WHERE namespace = :namespace AND part = :part AND name = :name"
        rows = [{"namespace": self._namespace, "part": part, "name": name} for name in names]
        if rows:
            with self._database.writing() as transaction:
                transaction.execute_many(sql, rows)


def is_storable(name: str) -> bool:
    """Whether a database can store a file's name: one with undecodable bytes it can't."""
    return name.isascii() or not any("\ud800" <= each <= "\udfff" for each in name)


class KnownPaths:
    """The files and folders of one commit or work tree, found by what a document writes."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.files = frozenset(paths)
        self.folders = frozenset(_folders(self.files))
        self._tails: dict[str, str] = {}
        self._modules: dict[str, list[str]] = {}
        for path in sorted(self.files):
            stem = posixpath.splitext(path)[0]
            for tail in _tails(path):
                self._tails.setdefault(tail, path)
            for tail in _tails(stem.removesuffix("/__init__").removesuffix("/index").removesuffix("/mod")):
                self._add_module(tail, path)
        for folder in sorted(self.folders):
            for tail in _tails(folder):
                self._tails.setdefault(tail, folder)
                self._add_module(tail, folder)

    def _add_module(self, tail: str, path: str) -> None:
        held = self._modules.setdefault(tail, [])
        if len(held) < MOST_ALIKE:
            held.append(path)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name of a folder, and of a file without its suffix."""
        names = (part for path in self.folders for part in path.split("/"))
        stems = (posixpath.splitext(posixpath.basename(path))[0] for path in self.files)
        return frozenset((*names, *stems))

    def holds(self, path: str) -> bool:
        """Whether there is a file or a folder at a path."""
        return path in self.files or path in self.folders

    def ending(self, path: str) -> str:
        """A file or folder whose path ends so; empty where none does."""
        return self._tails.get(_last(path), "")

    def modules(self, path: str) -> list[str]:
        """Files and folders that end so when their suffix is left out; so many at most."""
        return self._modules.get(_last(path), [])


def resolve_written_path(document: str, written: str) -> Iterator[str]:
    """Where a written path may lead from a document: from its folder, from the root, or from a folder above."""
    target = written.rstrip("/")
    folder = posixpath.dirname(document)
    if not target.startswith("/"):
        yield posixpath.normpath(posixpath.join(folder, target))
    yield posixpath.normpath(target.lstrip("/"))


def is_folder(written: str) -> bool:
    """Whether what is written can only be a folder; two words with a slash between them may be a package, or either."""
    return written.endswith("/") or written.startswith((".", "/")) or written.count("/") > 1


def _last(path: str) -> str:
    return "/".join(path.strip("/").split("/")[-MOST_PARTS:])


def _tails(path: str) -> Iterator[str]:
    parts = path.split("/")
    for count in range(1, min(len(parts), MOST_PARTS) + 1):
        yield "/".join(parts[-count:])


def _folders(paths: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for path in paths:
        folder = posixpath.dirname(path)
        while folder and folder not in seen:
            seen.add(folder)
            yield folder
            folder = posixpath.dirname(folder)


@lru_cache(maxsize=REMEMBERED)
def is_document_name(path: str) -> bool:
    """Whether a file is a text for people by its name; what lies among code as HTML may be a template."""
    form = find_format(path)
    if form == TEXT:
        return language_of(path) in (None, "text") and not path.endswith("requirements.txt")
    return form is not None and form != HTML


@lru_cache(maxsize=REMEMBERED)
def is_source(path: str) -> bool:
    """Whether a name in a file is one that the project has: code, tests and settings, whoever wrote them."""
    return not is_document_name(path) and not path.lower().endswith(WORDLESS_SUFFIXES)


@lru_cache(maxsize=REMEMBERED)
def is_own(path: str) -> bool:
    """Whether a file can define what documents tell users of: the implementation."""
    if not is_source(path) or path.startswith(".") or "/." in path or is_test(path):
        return False
    folder, _, name = path.rpartition("/")
    if name in MANIFESTS or (not folder and language_of(path) in OF_TOOLS):  # the words in it are those of other tools
        return False
    if find_role(path) not in (IMPLEMENTATION, MIGRATIONS):
        return False
    return language_of(path) not in NAMELESS and find_format(path) != HTML


def find_words(content: bytes) -> set[bytes]:
    """The words of some bytes: identifiers, and those with hyphens whole as well, as options are written.

    What options begin with that are put together of parts keeps its last hyphen: `ext-` of `f"--ext-{name}"`.
    """
    found = set(content.translate(_NAMES).split())
    if b"-" in content:
        hyphened = {word for word in content.translate(_HYPHENED).split() if b"-" in word}
        found.update(word.strip(b"-") for word in hyphened)
        found.update(word.lstrip(b"-") for word in hyphened if word.startswith(b"--") and word.endswith(b"-"))
    return {word for word in found if SHORTEST_WORD <= len(word) <= LONGEST_WORD}


def hash_words(words: Iterable[bytes]) -> bytes:
    """Words as sorted numbers of four bytes each: enough to ask whether one is among them."""
    return array("I", sorted(set(map(crc32, words)))).tobytes()


def contains_word(hashes: bytes, word: bytes) -> bool:
    """Whether a word is among those of one file."""
    found = memoryview(hashes).cast("I")
    wanted = crc32(word)
    at = bisect_left(found, wanted)
    return at < len(found) and found[at] == wanted


class PresentWords:
    """All words that a project's code holds now; a word is among them that is not, once in ten thousand times."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._hashes: set[int] = set()
        for part in parts:
            self._hashes.update(memoryview(part).cast("I"))

    def __contains__(self, word: bytes) -> bool:
        return crc32(word) in self._hashes

    def absent(self, words: Iterable[bytes]) -> set[bytes]:
        """Those of some words that no file holds."""
        hashes = self._hashes
        return {word for word in words if crc32(word) not in hashes}


def read_words(project: ConfinedFolder, paths: Iterable[str], text: FoundText, kept: DriftCache) -> Mapping[str, bytes]:
    """The words of every file that is no document and lies in no folder of documentation."""
    documents = {each.path for each in text.documents}
    inside = tuple(f"{folder}/" for folder in text.roots if folder)
    wanted = [path for path in paths if is_source(path) and path not in documents and not path.startswith(inside)]
    return _brought_up(project, WORDS, wanted, kept, _words)


def read_mentions(project: ConfinedFolder, text: FoundText, kept: DriftCache) -> dict[str, list[NameMention]]:
    """What every document names."""
    wanted = [each.path for each in text.documents if not is_extracted(each.path)]
    mentions: dict[str, list[NameMention]] = {}
    for path, content in _brought_up(project, MENTIONS, wanted, kept, _mentions).items():
        mentions[path] = [NameMention(*row) for row in json.loads(content)]
    return mentions


def _brought_up(
    project: ConfinedFolder, part: str, paths: Iterable[str], kept: DriftCache, make: Callable[[str, bytes], bytes]
) -> dict[str, bytes]:
    """What `make` returns for each file: from the cache if the file's stamp is the same."""
    known = kept.read(part)
    now = time.time()
    found: dict[str, bytes] = {}
    new: dict[str, CachedPart] = {}
    for path in paths:
        stamp = f"{VERSION} {_stamp(project, path, now)}"
        before = known.get(path)
        if before is not None and before.stamp == stamp != f"{VERSION} ":
            found[path] = before.content
            continue
        try:
            content = project.read(path, limit_bytes=LARGEST_BYTES)
        except Refusal:
            continue
        found[path] = make(path, content)
        new[path] = CachedPart(stamp, found[path])
        if len(new) >= BATCH:
            kept.put(part, new)
            new = {}
    kept.put(part, new)
    kept.forget(part, [path for path in known if path not in found])
    return found


def _stamp(project: ConfinedFolder, path: str, now: float) -> str:
    try:
        return make_stamp(os.stat(os.path.join(project.root, path)), now)
    except OSError:
        return ""


def _words(path: str, content: bytes) -> bytes:
    if b"\0" in content[:LOOKED_AT]:
        return b""
    return hash_words(find_words(content))


def _mentions(path: str, content: bytes) -> bytes:
    return json.dumps(find_mentions(path, decode_readable(content)), ensure_ascii=False).encode()


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
        words = dict.fromkeys((word, *(RECORD_WORDS if _is_among(row.path) or not word else ()), folder))
        return [IdKey(f"{each}-{number}", each) for each in words if each and each.isalpha()]

    def called(self, key: str, near: str = "") -> DecisionRow | None:
        """The decision with an id; of several the one nearest to a file, None where two are as near."""
        rows = self._by_key.get(key, [])
        ranked = sorted(rows, key=lambda row: -_nearness(row.path, near))
        if not ranked or (len(ranked) > 1 and _nearness(ranked[0].path, near) == _nearness(ranked[1].path, near)):
            return None
        return ranked[0]

    def found(self, given: str) -> list[DecisionRow]:
        """The decisions that somebody's words mean: an id, a number, a path, the name of the file, the title."""
        plain = given.strip()
        if plain in self.by_path:
            return [self.by_path[plain]]
        key = parse_key(plain)
        if key:
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
            document = store.find(source, path)
            if document is not None:
                chunks = [number_chunk(document.id, position) for position in range(min(document.chunks, MOST_NAMES))]
                passages = self._engine.index.passages(self._transaction, chunks).values()
                return list(dict.fromkeys(each.headings[-1] for each in passages if each.headings))
        return []


def _is_plain(path: str) -> bool:
    return bool(path) and not is_test(path) and find_role(path) == IMPLEMENTATION


class IdFamily(NamedTuple):
    """A list of ids: where each is defined."""

    name: str
    ids: Mapping[str, PlacedMark]


def learn_families(defined: Iterable[PlacedMark]) -> dict[str, IdFamily]:
    """The families that are lists of requirements, by name."""
    by_family: dict[str, list[PlacedMark]] = {}
    for each in defined:
        by_family.setdefault(each.mark.family, []).append(each)
    families: dict[str, IdFamily] = {}
    for name, placed in sorted(by_family.items()):
        family = _family(name, placed)
        if family is not None:
            families[name] = family
    return families


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
        fitting = [f"{folder}/" for folder in self._folders if f"/{folder}".endswith(ends)]
        return _only([folder for folder in fitting if not is_test(folder)])  # tests have folders of the same name

    @cached_property
    def _folders(self) -> list[str]:
        return sorted(_folders(self._store.paths()))


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
