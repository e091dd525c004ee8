"""A collection whose files lie in no folder: in a bundle, or in a commit of git. Nothing of it is written to disk, so
no name in it can lead anywhere."""

import posixpath
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Protocol

from fieldguide.document_formats.kinds import GLOBS
from fieldguide.errors import NotFound
from fieldguide.globbing import matcher
from fieldguide.search.syncing import Entry
from fieldguide.sensitive_files import EVERYBODYS
from fieldguide.toolsets.documents.manifest import FILE_NAME, Manifest, parse_manifest
from fieldguide.toolsets.documents.snapshot import GenuineReader, Snapshot, verified
from fieldguide.toolsets.documents.sources.addresses import without_secrets

Fetch = Callable[[str], bytes | None]


class Contents(Protocol):
    """Files by their paths."""

    @property
    def names(self) -> Collection[str]:
        """Every path."""
        ...

    def read(self, name: str) -> bytes | None:
        """The bytes of a file; None when there is no such file, or none that is wanted."""
        ...


def contents_snapshot(contents: Contents, *, manifest: str | None, fetch: Fetch) -> Snapshot:
    """A snapshot by the manifest that was named, by the one at the top, or of all that is a document."""
    name = manifest or FILE_NAME
    if name not in contents.names:
        if manifest is not None:
            raise NotFound(f"There is no manifest {manifest!r} in it.")
        return Snapshot([*_matching(contents, "", GLOBS)], {})
    said = parse_manifest(contents.read(name) or b"")
    folder = f"{posixpath.dirname(name)}/".lstrip("/")
    if said.files:
        entries = [*_listed(contents, folder, said, fetch)]
    else:
        entries = [*_matching(contents, folder, (*said.globs, f"!{posixpath.basename(name)}"))]
    return Snapshot(entries, said.details())


def is_inside(path: str) -> bool:
    """Whether a path stays below the folder that it begins in."""
    return bool(path) and not path.startswith("/") and ".." not in path.split("/") and "\0" not in path


def is_served(path: str) -> bool:
    """Whether a path of a bundle, a commit or a manifest is not on the list of what is never served."""
    return not EVERYBODYS.refuses(path.split("/"))


def _matching(contents: Contents, folder: str, globs: tuple[str, ...]) -> Iterator[Entry]:
    wanted = matcher(globs)
    for name in sorted(contents.names):
        if name.startswith(folder) and wanted(name[len(folder) :]) and is_served(name):
            read = partial(_verified, partial(contents.read, name), name, None)
            yield Entry(name[len(folder) :], "", GenuineReader(name, read) if globs is GLOBS else read)


def _listed(contents: Contents, folder: str, manifest: Manifest, fetch: Fetch) -> Iterator[Entry]:
    for file in manifest.files:
        if file.path is not None:
            name = file.path
            if not is_served(name):
                continue
            read = partial(contents.read, f"{folder}{name}")
        else:
            name = without_secrets(file.url or "")
            read = partial(fetch, file.url or "")
        yield Entry(name, "", partial(_verified, read, name, file.hash))


def _verified(read: Callable[[], bytes | None], name: str, expected: str | None) -> bytes | None:
    return verified(read(), expected, name)
