"""Reads `.tar.gz` bundles within limits, and keeps fetched collections as such.

Of the standard library only a single header is read by `tarfile`: its reader of whole archives calls itself for each
header that announces another, and searches them in quadratic time.
"""

import gzip
import hashlib
import io
import json
import os
import posixpath
import tarfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import PRIVATE_FILE, PRIVATE_FOLDER, replace_file
from fieldguide.text.errors import FieldguideError, StorageFailed, Unreadable
from fieldguide.toolsets.documents.snapshot import (
    FILE_NAME,
    LARGEST_DOCUMENT_BYTES,
    Fetch,
    Snapshot,
    is_inside,
    make_legible,
    take_contents_snapshot,
)

LARGEST_BUNDLE_BYTES = 24 << 20
MOST_BYTES = 64 << 20  # unpacked, with the headers
MOST_FILES = 100_000
MOST_NAME_BYTES = 8 << 20
LARGEST_HEADER_BYTES = 64 << 10
MOST_DIGITS = 20
LARGEST_KEPT_BYTES = 256 << 20
MOST_KEPT_BYTES = 512 << 20  # what was fetched within the person's own limits, and packed by ourselves
FOLDER = "sources"


class BundleTooLarge(ValueError):
    """A bundle that unpacks to more than its limits."""


class _Unpacked:
    """The bytes of a gzip stream, up to a limit."""

    def __init__(self, packed: bytes, most_bytes: int) -> None:
        self._stream = gzip.GzipFile(fileobj=io.BytesIO(packed))
        self._left = most_bytes

    def read(self, size: int, least: int | None = None) -> bytes:
        """The next bytes, all of them or at the end `least`, without what fills the last block."""
        if size < 0:
            raise ValueError
        padded = -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        self._left -= padded
        if self._left < 0:
            raise BundleTooLarge
        content = self._stream.read(padded)
        if len(content) < (size if least is None else least):
            raise EOFError
        return content[:size]

    def skip(self, size: int) -> None:
        """Pass over bytes without keeping them all."""
        while size > 0:
            self.read(min(size, 1 << 20))
            size -= 1 << 20


def take_packed_snapshot(packed: bytes, fetch: Fetch | None, *, most_bytes: int = MOST_BYTES) -> Snapshot:
    """What the bytes of a bundle hold; without `fetch` it holds the files that have an address, too."""
    try:
        files = dict(_read_members(packed, most_bytes))
    except BundleTooLarge as error:
        raise Unreadable(f"The bundle is too large: more than {most_bytes >> 20} MiB or {MOST_FILES} files.") from error
    except (OSError, EOFError, zlib.error, ValueError, tarfile.TarError, RecursionError) as error:
        raise Unreadable("The bundle can't be read: it is no .tar.gz, or a damaged one.") from error
    return take_contents_snapshot(files, files.get, manifest=_find_nested_manifest(files), fetch=fetch or files.get)


def _read_members(packed: bytes, most_bytes: int) -> Iterator[tuple[str, bytes]]:
    """The regular files; links, devices, large files and names that lead out are passed over."""
    stream = _Unpacked(packed, most_bytes)
    said: dict[bytes, bytes] = {}
    number = 0
    names = 0
    while (member := _read_header(stream, is_first=not number)) is not None:
        number += 1
        if number > MOST_FILES:
            raise BundleTooLarge
        if member.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE, tarfile.GNUTYPE_LONGNAME):
            if member.size > LARGEST_HEADER_BYTES:
                raise BundleTooLarge
            content = stream.read(member.size)
            is_name = member.type == tarfile.GNUTYPE_LONGNAME
            said |= {b"path": content.partition(b"\0")[0]} if is_name else dict(_read_records(content))
            continue
        size = _read_number(said[b"size"]) if b"size" in said else member.size
        given = os.fsdecode(said[b"path"]) if b"path" in said else member.name
        name = given if "://" in given else posixpath.normpath(given)
        is_whole = not any(key.startswith(b"GNU.sparse") for key in said)
        said = {}
        names += len(name)
        if names > MOST_NAME_BYTES:
            raise BundleTooLarge
        is_file = member.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
        if is_file and is_whole and size <= LARGEST_DOCUMENT_BYTES and is_inside(name):
            yield make_legible(name), stream.read(size)
        elif is_file or member.type not in tarfile.SUPPORTED_TYPES or member.type == tarfile.XGLTYPE:
            stream.skip(size)


def _read_header(stream: _Unpacked, *, is_first: bool) -> tarfile.TarInfo | None:
    """The next header; None at the end."""
    block = stream.read(tarfile.BLOCKSIZE, least=0)
    if block == bytes(tarfile.BLOCKSIZE) or not (block or is_first):
        return None
    return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")


def _read_records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """What an extended header says, in linear time: `30 path=…` and a line end, where 30 is the length of it all."""
    at = 0
    while at < len(content):
        space = content.index(b" ", at, at + MOST_DIGITS)
        length = _read_number(content[at:space])
        key, mark, value = content[space + 1 : at + length - 1].partition(b"=")
        if not mark or at + length > len(content):
            raise ValueError
        yield key, value
        at += length


def _read_number(digits: bytes) -> int:
    if len(digits) > MOST_DIGITS or not digits.isdigit():
        raise ValueError
    return int(digits)


def _find_nested_manifest(names: Collection[str]) -> str | None:
    """The manifest of a bundle that was packed with its folder around it."""
    tops = {name.partition("/")[0] for name in names}
    inner = f"{next(iter(tops))}/{FILE_NAME}" if len(tops) == 1 else ""
    return inner if inner in names else None


def keep_snapshot(state: str, collection: str, snapshot: Snapshot) -> None:
    """Keep a collection as it was fetched, in place of what was kept; files that were not there stay listed."""
    path = os.path.join(state, _find_place(collection))
    try:
        os.makedirs(os.path.dirname(path), PRIVATE_FOLDER, exist_ok=True)
        with replace_file(path, PRIVATE_FILE) as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
            for name, content in _list_kept_files(snapshot):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    except OSError as error:
        raise StorageFailed(f"What was fetched can't be kept: {error.strerror}.") from error


def read_kept_snapshot(state: str, collection: str) -> Snapshot | None:
    """The collection as it was fetched last; None when it never was, or can't be read any more."""
    try:
        packed = ConfinedFolder(state).read(_find_place(collection), limit_bytes=LARGEST_KEPT_BYTES)
        return take_packed_snapshot(packed, None, most_bytes=MOST_KEPT_BYTES)
    except FieldguideError:
        return None


def forget_snapshot(state: str, collection: str) -> None:
    """Keep a collection no longer."""
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(state, _find_place(collection)))


def _find_place(collection: str) -> str:
    return f"{FOLDER}/{hashlib.sha256(collection.encode()).hexdigest()[:20]}.tar.gz"


def _list_kept_files(snapshot: Snapshot) -> Iterator[tuple[str, bytes]]:
    manifest = {"name": "", "version": "", **snapshot.details}
    entries = [entry for entry in snapshot.entries if entry.name != FILE_NAME]
    names = [{"url" if "://" in entry.name else "path": entry.name} for entry in entries]
    yield FILE_NAME, json.dumps({**manifest, "sources": {"files": names} if names else {"glob": []}}).encode()
    for entry in entries:
        content = entry.read()
        if content is not None:
            yield entry.name, content
