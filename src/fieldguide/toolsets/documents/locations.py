"""Where a collection comes from: a folder, a manifest, a bundle, a git repository or the web, each made a snapshot.

What lies on this machine is read where it lies. What must be fetched is fetched when a person asks for it, and kept.
"""

import hashlib
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.consents import Ask
from fieldguide.errors import Refusal, Unreadable
from fieldguide.search.syncing import Part
from fieldguide.sensitive_files import is_secret_folder
from fieldguide.toolsets.documents.collections import (
    ADDRESS,
    Collection,
    collection_asks,
    configured_collections,
    local_path,
)
from fieldguide.toolsets.documents.snapshot import Snapshot, folder_snapshot, manifest_snapshot
from fieldguide.toolsets.documents.sources.addresses import origin, without_secrets
from fieldguide.toolsets.documents.sources.bundle import LARGEST_BUNDLE_BYTES, packed_snapshot
from fieldguide.toolsets.documents.sources.contents import Fetch

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


def local_snapshot(
    collection: Collection,
    fetch: Fetch | None = None,
    *,
    project: ConfinedFolder | None = None,
    part: Part | None = None,
) -> Snapshot:
    """What a collection on this machine holds now; files with an address on the web only where they can be fetched.

    What is never served of the project is not served as a document either.
    """
    if ADDRESS.match(collection.source) and not collection.source.startswith("file://"):
        raise Unreadable(f"{without_secrets(collection.source)!r} is no address that documents come from.")
    path = local_path(collection.source, collection.base)
    if is_secret_folder(_below(path, collection.base)):
        raise Unreadable(f"Permission denied: {collection.source!r} is a place whose files are never served.")
    if not path.endswith((*BUNDLES, ".json")):
        return folder_snapshot(_confined(collection, path, project), part=part, names=collection.names)
    folder, name = os.path.split(path)
    if path.endswith(".json"):
        return manifest_snapshot(_confined(collection, folder, project), name, fetch, part)
    confined = _confined(collection, os.path.dirname(os.path.realpath(path)), project)
    packed = confined.read(os.path.basename(os.path.realpath(path)), limit_bytes=LARGEST_BUNDLE_BYTES)
    return packed_snapshot(packed, fetch or _nothing)


def _confined(collection: Collection, path: str, project: ConfinedFolder | None = None) -> ConfinedFolder:
    """A folder to read below: of a collection inside the project, one that no link can lead out of it."""
    if collection.inside is None:
        return ConfinedFolder(path, like=project)
    root = os.path.realpath(collection.inside)
    return (project or ConfinedFolder(root)).folder(os.path.relpath(os.path.realpath(path), root))


def project_asks(project: str, settings: Mapping[str, Any]) -> list[Ask]:
    """What the project's collections ask for: places outside of it, and addresses that their files are fetched from."""
    inside = configured_collections(project, settings).values()
    return [*collection_asks(project, settings), *(ask for each in inside if (ask := fetching_ask(each)))]


def fetching_ask(collection: Collection) -> Ask | None:
    """The addresses that a manifest or a bundle of the project's has files at; None when it has none."""
    path = local_path(collection.source, collection.base)
    if collection.inside is None or not path.endswith((*BUNDLES, ".json")):
        return None
    try:
        snapshot = local_snapshot(collection)
        content = _confined(collection, os.path.dirname(os.path.realpath(path))).read(
            os.path.basename(os.path.realpath(path)), limit_bytes=LARGEST_BUNDLE_BYTES
        )
    except Refusal:
        return None
    hosts = sorted({"://".join(origin(entry.name)) for entry in snapshot.entries if ADDRESS.match(entry.name)})
    value = hashlib.sha256(content).hexdigest()
    return Ask(f"fetching for {collection.alias}", value, ", ".join(hosts), collection.source) if hosts else None


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


def _below(path: str, base: str) -> str:
    """Where a path really leads, from the folder that names it; where it leads out of there, the whole way."""
    real, root = os.path.realpath(path), os.path.realpath(base)
    return real.removeprefix(root) if real.startswith(root + os.sep) else real


def _nothing(address: str) -> bytes | None:
    """What is fetched where nobody asked for it."""
    return None
