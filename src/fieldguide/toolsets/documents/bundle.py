"""Reads `.tar.gz` bundles within limits, and keeps fetched collections as such."""

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
from typing import Any, cast

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
LARGEST_KEPT_BYTES = 256 << 20
MOST_KEPT_BYTES = 512 << 20  # what was fetched within the person's own limits, and packed by ourselves
FOLDER = "sources"


class BundleTooLarge(ValueError):
    """A bundle that unpacks to more than its limits."""


class _Unpacked(io.RawIOBase):
    """The bytes of a gzip stream, up to a limit: headers are read into memory, too."""

    def __init__(self, packed: bytes, most_bytes: int) -> None:
        self._stream = gzip.GzipFile(fileobj=io.BytesIO(packed))
        self._left = most_bytes

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        content = self._stream.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(content)
        if self._left < 0:
            raise BundleTooLarge
        return content


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
    with tarfile.open(fileobj=_Unpacked(packed, most_bytes), mode="r|") as archive:
        for number, member in enumerate(archive):
            cast("Any", archive).members = []  # it would keep them all
            if number >= MOST_FILES:
                raise BundleTooLarge
            name = member.name if "://" in member.name else posixpath.normpath(member.name)
            if member.isreg() and not member.issparse() and member.size <= LARGEST_DOCUMENT_BYTES and is_inside(name):
                file = archive.extractfile(member)
                content = file.read() if file else b""
                if len(content) < member.size:
                    raise EOFError
                yield make_legible(name), content


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
