"""What a collection holds at one moment: its files, each with a stamp that tells whether it must be read again."""

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.genuine import is_document
from fieldguide.document_formats.kinds import GLOBS
from fieldguide.errors import NotFound, Refusal
from fieldguide.globbing import matcher
from fieldguide.search.syncing import Entry, Part, stamp_of
from fieldguide.sensitive_files import EVERYBODYS
from fieldguide.storage.state_folder import OLD_FOLDER
from fieldguide.toolsets.documents.manifest import ListedFile, Manifest, parse_manifest
from fieldguide.toolsets.documents.sources.addresses import without_secrets

SETTINGS = ("context.json", "fieldguide.toml")
LARGEST_DOCUMENT_BYTES = 8 << 20
LARGEST_MANIFEST_BYTES = 4 << 20


class Snapshot(NamedTuple):
    """A collection's files, what it says of itself, which part of it was looked at, and which files are too large.

    Without a part, the whole was looked at.
    """

    entries: Sequence[Entry]
    details: Mapping[str, str]
    part: Part | None = None
    too_large: tuple[str, ...] = ()


def folder_snapshot(
    folder: ConfinedFolder,
    globs: Sequence[str] = GLOBS,
    details: Mapping[str, str] | None = None,
    part: Part | None = None,
    names: frozenset[str] | None = None,
) -> Snapshot:
    """The files of a folder, or of a part of it, that some globs want, or that are among these names."""
    if not folder.exists():
        raise NotFound(f"There is no folder {os.path.basename(folder.root)!r} to read documents from.")
    wanted = matcher(globs) if names is None else names.__contains__
    reader = _genuine_reader if names is not None or globs is GLOBS else _reader
    now = time.time()
    entries: list[Entry] = []
    too_large: list[str] = []
    for path, status in _listed_entries(folder, names, part):
        if wanted(path) and not _is_ours(path):
            entries.append(Entry(legible(path), stamp_of(status, now), reader(folder, path), is_only_away=False))
            if status.st_size > LARGEST_DOCUMENT_BYTES:
                too_large.append(legible(path))
    entries.sort(key=lambda entry: entry.name)
    return Snapshot(entries, details or {}, _legible_part(part), tuple(sorted(too_large)))


def _legible_part(part: Part | None) -> Part | None:
    return part and Part(*(frozenset(map(legible, paths)) for paths in part))


def _listed_entries(
    folder: ConfinedFolder, names: frozenset[str] | None, part: Part | None
) -> Iterator[tuple[str, os.stat_result]]:
    """Every file of a folder, or of a part of it, or those of these names: they may be few, and lie among much else."""
    if part is not None:
        yield from _entries_of(folder, part)
    elif names is None:
        yield from folder.entries()
    else:
        yield from ((path, status) for path in names if (status := folder.entry(path)) is not None)


def _entries_of(folder: ConfinedFolder, part: Part) -> Iterator[tuple[str, os.stat_result]]:
    """The files of a part of a folder, each once, with their status."""
    for path in part.names:
        if (status := folder.entry(path)) is not None and not any(path.startswith(f"{each}/") for each in part.folders):
            yield path, status
    for inner in part.folders:
        if not any(inner.startswith(f"{each}/") for each in part.folders):
            for path, status in folder.folder(inner).entries():
                yield f"{inner}/{path}", status


def manifest_snapshot(
    folder: ConfinedFolder,
    name: str,
    fetch: Callable[[str], bytes | None] | None = None,
    part: Part | None = None,
) -> Snapshot:
    """The files that a manifest on disk asks for, below its own folder; `fetch` gets those with an address.

    Of a manifest that has itself changed, or that lists its files, there is no part.
    """
    manifest = parse_manifest(folder.read(name, limit_bytes=LARGEST_MANIFEST_BYTES))
    if not manifest.files:
        is_same = part is not None and name not in part.names
        globs = (*manifest.globs, f"!{name}")
        return folder_snapshot(folder, globs, manifest.details(), part if is_same else None)
    return Snapshot(tuple(_listed(manifest, folder, fetch)), manifest.details())


def _is_ours(path: str) -> bool:
    """Whether a file is Fieldguide's own: its state, or settings that may hold what lets somebody in."""
    return path in SETTINGS or OLD_FOLDER in path.split("/")


def legible(name: str) -> str:
    """A file's name that can be stored and sent: bytes in it that are no UTF-8 are replaced."""
    return name if name.isascii() else name.encode(errors="surrogateescape").decode(errors="replace")


def verified(content: bytes | None, expected: str | None, name: str) -> bytes | None:
    """The content, unless a manifest tells another hash, or it is a secret: then it is as if it were not there."""
    if content is None or EVERYBODYS.refuses_content((name.rpartition("/")[2],), content):
        return None
    if expected is None:
        return content
    digest = hashlib.sha256(content).hexdigest()
    return content if expected.removeprefix("sha256:").lower() == digest else None


def _listed(manifest: Manifest, folder: ConfinedFolder, fetch: Callable[[str], bytes | None] | None) -> Iterator[Entry]:
    for file in manifest.files:
        if file.path is not None:
            name = file.path
            read = _verified_reader(_reader(folder, name), file)
            yield Entry(name, _stamp_at(folder, name), read, is_only_away=False)
        elif file.url is not None:
            yield Entry(without_secrets(file.url), "", _verified_reader(partial(fetch or _nothing, file.url), file))


def _verified_reader(read: Callable[[], bytes | None], file: ListedFile) -> Callable[[], bytes | None]:
    return lambda: verified(read(), file.hash, file.path or file.url or "")


def _nothing(address: str) -> bytes | None:
    """What a manifest on disk gets from the web unless somebody asked for it."""
    return None


def _genuine_reader(folder: ConfinedFolder, path: str) -> Callable[[], bytes | None]:
    return GenuineReader(path, _reader(folder, path))


def _reader(folder: ConfinedFolder, path: str) -> Callable[[], bytes | None]:
    def read() -> bytes | None:
        try:
            return folder.read(path, limit_bytes=LARGEST_DOCUMENT_BYTES)
        except Refusal:  # removed meanwhile, too large, or not a file any more
            return None

    return read


@dataclass(frozen=True, slots=True)
class GenuineReader:
    """Reads a file that only its name makes a document: None where it is none, and then nobody misses it."""

    name: str
    read: Callable[[], bytes | None]

    def __call__(self) -> bytes | None:
        """The bytes of a document."""
        content = self.read()
        return content if content is not None and is_document(self.name, content) else None


def is_no_document(entry: Entry) -> bool:
    """Whether a file can be read, and only has the name of a document."""
    return isinstance(entry.read, GenuineReader) and entry.read.read() is not None and entry.read() is None


def _stamp_at(folder: ConfinedFolder, name: str) -> str:
    status = folder.status(name)
    return "" if status is None else stamp_of(status, time.time())
