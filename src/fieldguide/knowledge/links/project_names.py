"""The words of a project's code, its known paths and its documents' mentions, cached per file.

It can all be made again, so it lies beside the index.
"""

import json
import os
import posixpath
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple, Protocol
from zlib import crc32

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import HTML, IMPLEMENTATION, MIGRATIONS, TEXT, find_format, find_role, is_extracted, is_test
from fieldguide.files.languages import language_of
from fieldguide.knowledge.links.mentions import NameMention, find_mentions
from fieldguide.prose.discovery import FoundText
from fieldguide.search.sync import make_stamp
from fieldguide.storage.database import Database
from fieldguide.text.errors import Refusal
from fieldguide.text.lines import decode_readable

WORDS = "words"
MENTIONS = "mentions"
REMOVED = "removed"
FOUND = "found"
BATCH = 500


class CachedPart(NamedTuple):
    """A part with the stamp of what it was made from."""

    stamp: str
    content: bytes


class DriftCache(Protocol):
    """Where parts are kept: by what they are, and by the file that they are of."""

    def read(self, part: str) -> Mapping[str, CachedPart]:
        """All of one kind, by file."""
        ...

    def put(self, part: str, rows: Mapping[str, CachedPart]) -> None:
        """Keep these in place of what was kept of their files."""
        ...

    def forget(self, part: str, names: Iterable[str]) -> None:
        """Keep nothing of these files."""
        ...


class MemoryDriftCache:
    """For one check, where there is no database."""

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


class DatabaseDriftCache:
    """Beside the index of a project."""

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
            if _is_text(name)
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


def _is_text(name: str) -> bool:
    """Whether a file's name is text: a database takes no other, and such a file is read again each time."""
    return name.isascii() or not any("\ud800" <= each <= "\udfff" for each in name)


MOST_PARTS = 5
MOST_ALIKE = 10


class KnownPaths:
    """Files and folders of one time, asked for by what a document writes."""

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


REMEMBERED = 50_000
DATA = frozenset((None, "csv", "tsv", "diff", "ignore", "text", "latex"))
WORDLESS = (".po", ".pot", ".svg", ".map", ".snap", ".lock", ".sum", ".xlf", ".ftl", ".strings", ".pem", ".patch")


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
    return not is_document_name(path) and not path.lower().endswith(WORDLESS)


OF_TOOLS = frozenset(("ini", "toml", "json", "yaml", "xml", "properties"))
MANIFESTS = frozenset(("setup.py", "setup.cfg", "package.json", "pyproject.toml", "Cargo.toml", "pom.xml", "tox.ini"))


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
    return language_of(path) not in DATA and not path.endswith((".html", ".htm"))  # DATA has None: nobody knows it


LONGEST_WORD = 100
SHORTEST_WORD = 3
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") | frozenset(range(128, 256))
_NAMES = bytes(each if each in _LETTERS else 32 for each in range(256))
_HYPHENED = bytes(each if each in _LETTERS or each == 45 else 32 for each in range(256))


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


VERSION = "4"  # of how words and mentions are read: what was made by another is made again
LARGEST_BYTES = 1 << 20
LOOKED_AT = 8_000


def read_words(project: ConfinedFolder, paths: Iterable[str], text: FoundText, kept: DriftCache) -> Mapping[str, bytes]:
    """The words of every file that is no document and lies in no folder of documentation."""
    documents = {each.path for each in text.documents}
    inside = tuple(f"{folder}/" for folder in text.roots if folder)
    wanted = [
        path for path in paths if is_source(path) and path not in documents and not (inside and path.startswith(inside))
    ]
    return _brought_up(project, WORDS, wanted, kept, _words)


def read_mentions(project: ConfinedFolder, text: FoundText, kept: DriftCache) -> dict[str, list[NameMention]]:
    """What every document names."""
    wanted = [each.path for each in text.documents if not is_extracted(each.path)]
    rows = _brought_up(project, MENTIONS, wanted, kept, _mentions)
    return {path: _read(content) for path, content in rows.items()}


def _brought_up(
    project: ConfinedFolder, part: str, paths: Iterable[str], kept: DriftCache, make: Callable[[str, bytes], bytes]
) -> dict[str, bytes]:
    """What is made of each file: kept where its stamp is the same, made again where it is not."""
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
    return b"" if b"\0" in content[:LOOKED_AT] else hash_words(find_words(content))


def _mentions(path: str, content: bytes) -> bytes:
    return json.dumps(find_mentions(path, decode_readable(content)), ensure_ascii=False).encode()


def _read(content: bytes) -> list[NameMention]:
    return [NameMention(*row) for row in json.loads(content)]
