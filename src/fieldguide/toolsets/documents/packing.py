"""Packing: a manifest and its files into one bundle; a folder without a manifest gets one made."""

import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.kinds import GLOBS
from fieldguide.errors import NotFound, Unreadable
from fieldguide.toolsets.documents.manifest import FILE_NAME, parse_manifest
from fieldguide.toolsets.documents.snapshot import (
    LARGEST_MANIFEST_BYTES,
    Snapshot,
    folder_snapshot,
    is_no_document,
    manifest_snapshot,
)
from fieldguide.toolsets.documents.sources.bundle import write_bundle

FIRST_VERSION = "1.0.0"


class Packed(NamedTuple):
    """What was packed."""

    name: str
    documents: int


def pack(source: str, target: str, *, name: str | None, version: str | None) -> Packed:
    """Pack what a manifest asks for, or a folder; a file that a manifest names and that can't be read is an error."""
    path = os.path.abspath(source)
    if os.path.isdir(path) and not os.path.exists(os.path.join(path, FILE_NAME)):
        said = {"name": name or os.path.basename(path), "version": version or FIRST_VERSION}
        manifest = json.dumps({**said, "sources": {"glob": list(GLOBS)}}, indent=2).encode()
        snapshot = _taken(folder_snapshot(ConfinedFolder(path)))
    else:
        folder, file_name = (path, FILE_NAME) if os.path.isdir(path) else os.path.split(path)
        manifest = ConfinedFolder(folder).read(file_name, limit_bytes=LARGEST_MANIFEST_BYTES)
        snapshot = manifest_snapshot(ConfinedFolder(folder), file_name)
    files = [(FILE_NAME, manifest), *_files(snapshot)]
    if len(files) == 1:
        raise NotFound(f"There are no documents to pack in {source!r}.")
    write_bundle(target, files)
    return Packed(parse_manifest(manifest).name, len(files) - 1)


def _taken(snapshot: Snapshot) -> Snapshot:
    """A folder's snapshot without the files that only have the name of a document."""
    entries = [each for each in snapshot.entries if not is_no_document(each)]
    return snapshot._replace(entries=entries)


def _files(snapshot: Snapshot) -> Iterator[tuple[str, bytes]]:
    for entry in snapshot.entries:
        content = entry.read()
        if content is not None:
            yield entry.name, content
        elif "://" not in entry.name:  # what has an address of its own is fetched by whoever adds the bundle
            raise Unreadable(f"{entry.name!r} can't be packed: it is not there, or not what its manifest says.")
