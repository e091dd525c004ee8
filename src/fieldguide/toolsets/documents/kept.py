"""What was fetched, kept as one bundle for each collection: the index can be made again from it without a network.

It is written below a handle of the folder, under a name that nobody can guess, then renamed; no link is followed.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import FieldguideError, StorageFailed
from fieldguide.places import PRIVATE_FILE, PRIVATE_FOLDER
from fieldguide.platform_files import flag
from fieldguide.toolsets.documents.manifest import FILE_NAME
from fieldguide.toolsets.documents.snapshot import Snapshot
from fieldguide.toolsets.documents.sources.bundle import LARGEST_BUNDLE_BYTES, pack_into, packed_snapshot

FOLDER = "sources"
_FOLDER_FLAGS = os.O_RDONLY | flag("O_DIRECTORY") | flag("O_NOFOLLOW") | flag("O_CLOEXEC")
_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | flag("O_NOFOLLOW") | flag("O_CLOEXEC")


def keep(state: str, collection: str, snapshot: Snapshot) -> None:
    """Keep a collection as it was fetched, in place of what was kept; files that were not there stay listed."""
    try:
        with _sources(state) as folder:
            _write(folder, _name(collection), snapshot)
    except OSError as error:
        raise StorageFailed(f"What was fetched can't be kept: {error.strerror}.") from error


def kept_snapshot(state: str, collection: str) -> Snapshot | None:
    """The collection as it was fetched last; None when it never was, or nothing legible is left of it."""
    try:
        packed = ConfinedFolder(state).read(f"{FOLDER}/{_name(collection)}", limit_bytes=LARGEST_BUNDLE_BYTES)
        return packed_snapshot(packed, lambda address: None)
    except FieldguideError:
        return None


def forget_kept(state: str, collection: str) -> None:
    """Keep a collection no longer."""
    with suppress(FileNotFoundError), _sources(state) as folder:
        os.unlink(_name(collection), dir_fd=folder)


def _write(folder: int, name: str, snapshot: Snapshot) -> None:
    draft = f".{secrets.token_hex(8)}.draft"
    try:
        with open(os.open(draft, _FILE_FLAGS, PRIVATE_FILE, dir_fd=folder), "wb") as file:
            pack_into(file, _files(snapshot))
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)
        raise


@contextmanager
def _sources(state: str) -> Generator[int]:
    """A handle of the folder that bundles are kept in; one that is a link is not opened."""
    outer = os.open(state, _FOLDER_FLAGS)
    try:
        with suppress(FileExistsError):
            os.mkdir(FOLDER, PRIVATE_FOLDER, dir_fd=outer)
        inner = os.open(FOLDER, _FOLDER_FLAGS, dir_fd=outer)
    finally:
        os.close(outer)
    try:
        yield inner
    finally:
        os.close(inner)


def _name(collection: str) -> str:
    return f"{hashlib.sha256(collection.encode()).hexdigest()[:20]}.tar.gz"


def _files(snapshot: Snapshot) -> Iterator[tuple[str, bytes]]:
    said = {"name": "", "version": "", **snapshot.details}
    entries = [entry for entry in snapshot.entries if entry.name != FILE_NAME]
    listed: dict[str, list[str]] = {"files": [entry.name for entry in entries]} if entries else {"glob": []}
    yield FILE_NAME, json.dumps({**said, "sources": listed}).encode()
    for entry in entries:
        content = entry.read()
        if content is not None:
            yield entry.name, content
