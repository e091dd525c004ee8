"""Where a collection comes from: a folder, a manifest, a bundle, a git repository or the web, each made a snapshot.

What lies on this machine is read where it lies. What must be fetched is fetched when a person asks for it, and kept.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from fieldguide import linear_regex as re
from fieldguide.errors import Unreadable
from fieldguide.search.syncing import Entry
from fieldguide.toolset import Progress
from fieldguide.toolsets.documents.addresses import without_secrets
from fieldguide.toolsets.documents.bundle import bundle_snapshot
from fieldguide.toolsets.documents.collections import ADDRESS, Collection
from fieldguide.toolsets.documents.contents import Fetch
from fieldguide.toolsets.documents.snapshot import Snapshot, folder_snapshot, manifest_snapshot

BUNDLES = (".tar.gz", ".tgz")
WEB = ("https://", "http://")
GIT = "git+"
GIT_SCHEMES = ("https://", "http://", "ssh://", "file://")
NOT_IN_A_REF = re.compile(r"[\x00-\x20\x7f~^:*\[\\]|\.\.|@\{")


class GitLocation(NamedTuple):
    """A repository, what to take of it, and where its manifest is."""

    repository: str
    ref: str | None
    manifest: str | None


def is_remote(source: str) -> bool:
    """Whether somebody must ask for it to be fetched: a served project never reaches out by itself."""
    return source.startswith((GIT, *WEB))


def local_snapshot(collection: Collection, fetch: Fetch | None = None) -> Snapshot:
    """What a collection on this machine holds now; files with an address on the web only where they can be fetched."""
    if ADDRESS.match(collection.source) and not collection.source.startswith("file://"):
        raise Unreadable(f"{without_secrets(collection.source)!r} is no address that documents come from.")
    path = local_path(collection.source, collection.base)
    if path.endswith(BUNDLES):
        return bundle_snapshot(path, fetch or _nothing)
    if path.endswith(".json"):
        return manifest_snapshot(path, fetch)
    return folder_snapshot(path)


def fetched_snapshot(collection: Collection, progress: Progress) -> Snapshot:
    """What a collection holds, with everything fetched that must be; an error means that nothing is known anew."""
    from fieldguide.toolsets.documents.web_source import WebSource

    hold = partial(read_ahead, name=f"fetching {collection.id}", progress=progress)
    if collection.source.startswith(GIT):
        from fieldguide.toolsets.documents.git_source import git_snapshot

        return git_snapshot(parse_git(collection.source), hold)
    web = WebSource(collection.source)
    return hold(web.snapshot() if is_remote(collection.source) else local_snapshot(collection, web.fetch))


def read_ahead(snapshot: Snapshot, *, name: str, progress: Progress) -> Snapshot:
    """A snapshot that is in memory where it would have to be fetched: whatever can fail has then happened."""
    entries: list[Entry] = []
    for number, entry in enumerate(snapshot.entries, start=1):
        entries.append(entry if entry.stamp else _held(entry))
        progress(number, len(snapshot.entries), name)
    return snapshot._replace(entries=entries)


def local_path(source: str, base: str) -> str:
    """The path of a source on this machine: relative ones begin at the folder of the file that names them."""
    path = source
    if source.startswith("file://"):
        rest = source.removeprefix("file://").removeprefix("localhost/")
        is_absolute = source.startswith(("file:///", "file://localhost/"))
        path = unquote(urlsplit(f"file:///{rest.lstrip('/')}").path) if is_absolute else unquote(rest)
    return os.path.normpath(os.path.join(base, os.path.expanduser(path)))


def parse_git(source: str) -> GitLocation:
    """The parts of `git+https://host/repo.git#ref?manifest=docs/manifest.json`; ref and manifest may be left out."""
    before, _, fragment = source.removeprefix(GIT).partition("#")
    ref, _, query = fragment.partition("?")
    address, mark, manifest = before.partition("?manifest=")
    manifest = manifest if mark else query.removeprefix("manifest=")
    if not address.startswith(GIT_SCHEMES) or address.partition("://")[2].startswith("-"):
        shown = without_secrets(source)
        raise Unreadable(f"{shown!r} is no repository: write git+https://…, git+ssh://… or git+file://….")
    if ref.startswith(("-", "+")) or NOT_IN_A_REF.search(ref):
        raise Unreadable(f"{ref!r} is not the name of a branch or a tag, and not the id of a commit.")
    return GitLocation(address, ref or None, manifest or None)


def _held(entry: Entry) -> Entry:
    read: Callable[[], bytes | None] = partial(_same, entry.read())
    return Entry(entry.name, "", read)


def _same(content: bytes | None) -> bytes | None:
    return content


def _nothing(address: str) -> bytes | None:
    """What is fetched where nobody asked for it."""
    return None
