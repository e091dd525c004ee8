"""Bundles: a collection in one `.tar.gz`, its manifest at the top; written the same bytes for the same files."""

import gzip
import io
import os
import tarfile
from collections.abc import Callable, Iterator, Sequence

from fieldguide.errors import NotFound, Unreadable
from fieldguide.toolsets.documents.globbing import matcher
from fieldguide.toolsets.documents.manifest import FILE_NAME, parse_manifest
from fieldguide.toolsets.documents.snapshot import (
    LARGEST_DOCUMENT_BYTES,
    MARKDOWN,
    Entry,
    Snapshot,
    manifest_snapshot,
    verified,
)

MOST_FILES = 100_000
MOST_BYTES = 1 << 30


def bundle_snapshot(path: str) -> Snapshot:
    """What a bundle holds; nothing is unpacked to disk, so no path in it can lead anywhere."""
    try:
        with open(path, "rb") as file:
            contents = dict(_members(file.read()))
    except FileNotFoundError as error:
        raise NotFound(f"There is no bundle {os.path.basename(path)!r}.") from error
    except (OSError, tarfile.TarError, EOFError) as error:
        raise Unreadable(f"The bundle {os.path.basename(path)!r} can't be read.") from error
    return contents_snapshot(contents, watched=(os.path.dirname(os.path.realpath(path)),))


def contents_snapshot(contents: dict[str, bytes], watched: tuple[str, ...] = ()) -> Snapshot:
    """A snapshot of files in memory: by their manifest, or all that is markdown."""
    if FILE_NAME not in contents:
        wanted = matcher(MARKDOWN)
        return Snapshot([_entry(name, contents[name]) for name in sorted(contents) if wanted(name)], {}, watched)
    manifest = parse_manifest(contents[FILE_NAME])
    if manifest.files:
        entries = [
            _entry(name, verified(contents.get(name), file.hash))
            for file in manifest.files
            if (name := (file.path or "").removeprefix("./"))
        ]
    else:
        wanted = matcher((*manifest.globs, f"!{FILE_NAME}"))
        entries = [_entry(name, contents[name]) for name in sorted(contents) if wanted(name)]
    return Snapshot(entries, manifest.details(), watched)


def write_bundle(manifest_path: str, target: str) -> int:
    """Pack a manifest and its files; the number of files. Dates and owners are left out: same files, same bytes."""
    snapshot = manifest_snapshot(manifest_path)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        with open(manifest_path, "rb") as file:
            _add(archive, FILE_NAME, file.read())
        written = sum(_add(archive, entry.name, content) for entry, content in _read(snapshot.entries))
    draft = f"{target}.new"
    with open(draft, "wb") as written_file, gzip.GzipFile("", "wb", fileobj=written_file, mtime=0) as compressed:
        compressed.write(packed.getvalue())
    os.replace(draft, target)
    return written


def _members(packed: bytes) -> Iterator[tuple[str, bytes]]:
    total = 0
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
        for number, member in enumerate(archive):
            if not member.isreg():
                continue
            total += member.size
            if number > MOST_FILES or total > MOST_BYTES:
                raise Unreadable("The bundle is too large.")
            content = archive.extractfile(member)
            if content is not None and member.size <= LARGEST_DOCUMENT_BYTES:
                yield os.path.normpath(member.name).replace(os.sep, "/"), content.read()


def _entry(name: str, content: bytes | None) -> Entry:
    read: Callable[[], bytes | None] = lambda: content  # noqa: E731  a name for its type
    return Entry(name, "", read)


def _read(entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
    for entry in entries:
        content = entry.read()
        if content is not None:
            yield entry, content


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> int:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))
    return 1
