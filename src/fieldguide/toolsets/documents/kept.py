"""What was fetched, kept as one bundle for each collection: the index can be made again from it without a network."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress

from fieldguide.errors import FieldguideError
from fieldguide.toolsets.documents.bundle import bundle_snapshot, write_bundle
from fieldguide.toolsets.documents.manifest import FILE_NAME
from fieldguide.toolsets.documents.snapshot import Snapshot

FOLDER = "sources"


def keep(state: str, collection: str, snapshot: Snapshot) -> None:
    """Keep a collection as it was fetched, in place of what was kept; files that were not there stay listed."""
    os.makedirs(os.path.join(state, FOLDER), exist_ok=True)
    write_bundle(_path(state, collection), _files(snapshot))


def kept_snapshot(state: str, collection: str) -> Snapshot | None:
    """The collection as it was fetched last; None when it never was, or nothing legible is left of it."""
    try:
        return bundle_snapshot(_path(state, collection), lambda address: None)
    except FieldguideError:
        return None


def forget_kept(state: str, collection: str) -> None:
    """Keep a collection no longer."""
    with suppress(FileNotFoundError):
        os.unlink(_path(state, collection))


def _path(state: str, collection: str) -> str:
    return os.path.join(state, FOLDER, f"{hashlib.sha256(collection.encode()).hexdigest()[:20]}.tar.gz")


def _files(snapshot: Snapshot) -> Iterator[tuple[str, bytes]]:
    said = {"name": "", "version": "", **snapshot.details}
    entries = [entry for entry in snapshot.entries if entry.name != FILE_NAME]
    listed: dict[str, list[str]] = {"files": [entry.name for entry in entries]} if entries else {"glob": []}
    yield FILE_NAME, json.dumps({**said, "sources": listed}).encode()
    for entry in entries:
        content = entry.read()
        if content is not None:
            yield entry.name, content
