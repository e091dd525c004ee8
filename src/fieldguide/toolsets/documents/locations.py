"""Where a collection comes from: a folder, a manifest, a bundle, a git repository or the web, each made a snapshot.

What lies on this machine is read where it lies. What must be fetched is kept in the state folder, so that afterwards
no network is needed; a fetch that fails leaves what was there.
"""

import os
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.bundle import bundle_snapshot
from fieldguide.toolsets.documents.collections import Collection
from fieldguide.toolsets.documents.manifest import FILE_NAME
from fieldguide.toolsets.documents.snapshot import Snapshot, folder_snapshot, manifest_snapshot

BUNDLES = (".tar.gz", ".tgz")
WEB = ("https://", "http://")


class GitLocation(NamedTuple):
    """A repository, what to take of it, and where its manifest is."""

    repository: str
    ref: str | None
    manifest: str | None


def is_remote(source: str) -> bool:
    """Whether somebody must ask for it to be fetched: a served project never reaches out by itself."""
    return source.startswith(("git+", *WEB))


def local_snapshot(collection: Collection) -> Snapshot:
    """What a collection on this machine holds now."""
    path = local_path(collection.source, collection.base)
    if path.endswith(BUNDLES):
        return bundle_snapshot(path)
    if path.endswith(".json"):
        return manifest_snapshot(path)
    return folder_snapshot(path)


def fetched_snapshot(collection: Collection, cache: Callable[[], str]) -> Snapshot:
    """What a remote collection holds, fetched just now into the cache folder."""
    if collection.source.startswith("git+"):
        from fieldguide.toolsets.documents.git_source import git_snapshot

        return git_snapshot(parse_git(collection.source), cache())
    from fieldguide.toolsets.documents.web_source import web_snapshot

    return web_snapshot(collection.source, cache())


def local_path(source: str, base: str) -> str:
    """The path of a source on this machine: relative ones begin at the folder of the file that names them."""
    path = unquote(urlsplit(source).path) if source.startswith("file:///") else source.removeprefix("file://")
    return os.path.normpath(os.path.join(base, os.path.expanduser(path)))


def parse_git(source: str) -> GitLocation:
    """The parts of `git+https://host/repo.git#ref?manifest=docs/manifest.json`; ref and manifest may be left out."""
    address, _, fragment = source.removeprefix("git+").partition("#")
    if not fragment and "?manifest=" in address:
        address, _, query = address.partition("?")
        return GitLocation(_checked(address), None, query.removeprefix("manifest=") or None)
    ref, _, query = fragment.partition("?")
    manifest = query.removeprefix("manifest=") if query.startswith("manifest=") else None
    return GitLocation(_checked(address), _checked(ref) or None, manifest or None)


def _checked(part: str) -> str:
    """A part of an address that can't be taken for an option of the program it is given to."""
    if part.startswith("-") or any(ord(character) < 33 for character in part):
        raise Unreadable(f"{part!r} is no address and no ref.")
    return part


def snapshot_at(root: str, manifest: str | None) -> Snapshot:
    """What a fetched folder holds: by the manifest that was named, by one that lies there, or all its markdown."""
    if manifest is None and not os.path.isfile(os.path.join(root, FILE_NAME)):
        return folder_snapshot(root)
    path = os.path.realpath(os.path.join(root, manifest or FILE_NAME))
    if not path.startswith(os.path.realpath(root) + os.sep):
        raise Unreadable("The manifest lies outside of its repository.")
    return manifest_snapshot(path)
