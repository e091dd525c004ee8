"""Reads which collections a project has and where each comes from, or discovers them in the project.

A project may name folders inside of it, and addresses; a folder outside counts only in the person's own global file.
Discovered folders are named by their last part if that is unique. Many folders
in one place, such as those of the packages of a large repository, become one collection. Local collections are read in
place, others only when a person asks for a fetch.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Literal, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import find_xdg_folder, replace_file
from fieldguide.files.secrets import is_secret_folder
from fieldguide.prose.discovery import FoundDocument, FoundText
from fieldguide.prose.translations import find_folder_language
from fieldguide.search.backlog import SourcePart
from fieldguide.text import regex as re
from fieldguide.text.data_formats import MalformedText, read_json
from fieldguide.text.errors import Misconfiguration, NotFound, Refusal, Unreadable
from fieldguide.toolsets.documents.bundle import LARGEST_BUNDLE_BYTES, take_packed_snapshot
from fieldguide.toolsets.documents.snapshot import (
    Fetch,
    Snapshot,
    fetch_nothing,
    hide_secrets,
    is_storable,
    take_folder_snapshot,
    take_manifest_snapshot,
)

PROJECT_FILE = "context.json"
GLOBAL_FILE = os.path.join("ctxpkg", "global-context.json")
DEFAULT_FOLDER = "docs"
MOST_BYTES = 1 << 20
ADDRESS = re.compile(r"^(?:git\+|[A-Za-z][A-Za-z0-9+.-]*://)")

Origin = Literal["project", "settings", "global", "default"]


class DocumentCollection(NamedTuple):
    """A collection: its alias, its ID, its source, the folder for relative paths, and what names it.

    `inside` is the project that it may not leave; None if the person has named it. For a discovered one,
    `names` are its files, `language` is that of a translation, and `why` the reason.
    """

    alias: str
    id: str
    source: str
    base: str
    origin: Origin = "project"
    inside: str | None = None
    names: frozenset[str] | None = None
    language: str = ""
    why: str = ""


def read_collections(
    project: str, settings: Mapping[str, Any], folder: ConfinedFolder | None = None
) -> dict[str, DocumentCollection]:
    """The collections by alias; the project's own win over the user's global ones.

    Folders outside of the project that its own files name are left out. If the project names none, those discovered in
    `folder` are used.
    """
    global_file = find_global_file()
    base = os.path.dirname(global_file)
    found: list[DocumentCollection] = []
    for alias, source in read_sources(global_file).items():
        if not ADDRESS.match(source) and not source.startswith("~"):  # a project may have the same relative path
            source = os.path.normpath(os.path.join(base, source))
        found.append(make_collection(alias, source, base, "global"))
    own = _own(project, settings)
    if own is None:
        own = discover_collections(folder or ConfinedFolder(project), settings)
    found += (each._replace(inside=project) for each in own if not leads_outside(each, project))
    return dict(sorted({each.alias: each for each in found}.items()))


def leads_outside(collection: DocumentCollection, project: str) -> bool:
    """Whether a collection is a place on this machine outside of the project."""
    source = collection.source
    if is_remote(source):
        return source.startswith(f"{GIT}file:")
    place = os.path.realpath(resolve_local_path(source, collection.base))
    return not is_below(place, os.path.realpath(project))


def list_outside_aliases(project: str, settings: Mapping[str, Any]) -> list[str]:
    """The aliases of the project's own collections that are left out, because they are outside of it."""
    return [each.alias for each in _own(project, settings) or () if leads_outside(each, project)]


def is_below(place: str, root: str) -> bool:
    """Whether a resolved path is a resolved root, or lies below it."""
    return place == root or place.startswith(root.rstrip(os.sep) + os.sep)


def resolve_local_path(source: str, base: str) -> str:
    """The path of a source on this machine: relative ones begin at the folder of the file that names them."""
    path = source
    if source.startswith("file://"):
        rest = source.removeprefix("file://").removeprefix("localhost/")
        is_absolute = source.startswith(("file:///", "file://localhost/"))
        path = unquote(urlsplit(f"file:///{rest.lstrip('/')}").path) if is_absolute else unquote(rest)
    return os.path.normpath(os.path.join(base, os.path.expanduser(path)))


def discover_collections(folder: ConfinedFolder, settings: Mapping[str, Any]) -> list[DocumentCollection]:
    """The collections of a project that names none: its own texts, in whatever folders."""
    from fieldguide.prose.discovery import get_known_text

    folders = _named_folders(settings)
    leave_out = _texts(settings, "leave_out")
    if folders:
        named = {"project" if each == "." else each.replace("/", "-"): each for each in folders}
        return [make_collection(alias, each, folder.root, "settings") for alias, each in named.items()]
    found = get_known_text(folder.root).now(folder, leave_out=leave_out)
    return [each._replace(base=folder.root, inside=folder.root) for each in group_documents(found)]


def _own(project: str, settings: Mapping[str, Any]) -> list[DocumentCollection] | None:
    """What the project names by itself; None where it names nothing, and has no file that says so."""
    own_file = os.path.join(project, PROJECT_FILE)
    found: dict[str, DocumentCollection] = {}
    for alias, source in _from_settings(settings).items():
        found[alias] = make_collection(alias, source, project, "settings")
    for alias, source in read_sources(own_file).items():
        found[alias] = make_collection(alias, source, project, "project")
    if not found and not os.path.lexists(own_file):
        return None
    return list(found.values())


def find_global_file() -> str:
    """The user's file of collections for every project."""
    return os.path.join(find_xdg_folder("XDG_CONFIG_HOME", ".config"), GLOBAL_FILE)


def make_collection(alias: str, source: str, base: str, origin: Origin) -> DocumentCollection:
    """A collection that a file or the settings name."""
    return DocumentCollection(alias, make_collection_id(source), source, base, origin)


def make_collection_id(source: str) -> str:
    """The ID of a collection: `dir:` and the path of a plain folder, `pkg:` and the address of anything else.

    A password in the address is no part of the ID: IDs are shown to everybody.
    """
    shown = hide_secrets(source)
    trimmed = shown.rstrip("/") or shown
    is_address = "://" in source or source.startswith(GIT)
    is_folder = not is_address and not source.endswith((*BUNDLES, ".json"))
    return f"dir:{trimmed}" if is_folder else f"pkg:{trimmed}"


def read_sources(path: str) -> dict[str, str]:
    """The sources that a file of collections names, by alias."""
    collections = _read(path).get("collections", {})
    if not isinstance(collections, dict):
        raise Misconfiguration(f'"collections" in {os.path.basename(path)} must be an object.')
    return {alias: _source(alias, entry, "url") for alias, entry in cast("dict[str, Any]", collections).items()}


def write_collections(path: str, change: Mapping[str, str | None]) -> None:
    """Add collections to a file of them (or take away, where there is no source), whole or not at all."""
    read_sources(path)  # a file that can't be understood is not written over
    content = _read(path)
    listed: dict[str, Any] = dict(content.get("collections", {}))
    for alias, source in change.items():
        before = listed.pop(alias, {})
        if source is not None:
            listed[alias] = {**before, "url": source}
    target = os.path.realpath(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    others = {key: value for key, value in content.items() if key != "collections"}
    if not listed and not others and DEFAULT_FOLDER not in change:  # one that names nothing would hide the default
        with suppress(FileNotFoundError):
            os.unlink(target)
        return
    text = json.dumps({**others, "collections": listed}, indent=2, ensure_ascii=False)
    with replace_file(target, 0o666) as file:
        file.write(f"{text}\n".encode())


def _from_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    tables = settings.get("collections", {})
    if not isinstance(tables, dict):
        raise Misconfiguration("[documents.collections] in fieldguide.toml must hold a table for each collection.")
    return {alias: _source(alias, table, "source") for alias, table in cast("dict[str, Any]", tables).items()}


def _source(alias: str, entry: Any, key: str) -> str:
    said = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    source: Any = said.get(key)
    if not isinstance(source, str) or not source.strip() or "\0" in source:
        raise Misconfiguration(f'The collection {alias!r} must say where it comes from: {{"{key}": "…"}}.')
    return source.strip()


def _read(path: str) -> dict[str, Any]:
    """The content of a file of collections; the user's own may be a link."""
    folder, name = os.path.split(os.path.realpath(path) if path == find_global_file() else path)
    try:
        value = read_json(ConfinedFolder(folder).read(name, limit_bytes=MOST_BYTES))
    except NotFound:
        return {}
    except (Refusal, MalformedText) as error:
        raise Misconfiguration(f"{os.path.basename(path)} can't be read: {error}.") from error
    if not isinstance(value, dict) or not is_storable(value):
        raise Misconfiguration(f"{os.path.basename(path)} must hold a JSON object, without half characters.")
    return cast("dict[str, Any]", value)


KEPT = 8
PROJECT = "project"
HERE = "."
MOST_ROOTS = 8
LEAST_TOGETHER = 3
LEAST_OF_ITS_OWN = 3  # a folder of fewer documents is no collection of its own


@lru_cache(maxsize=KEPT)
def group_documents(found: FoundText) -> tuple[DocumentCollection, ...]:
    """The collections of what was found, wherever that is; names and folders are told apart."""
    homes = _homes([each for each in found.documents if not each.language])
    main = [*_parted(homes, found)]
    return tuple(_named([*main, *_translations([each for each in found.documents if each.language])]))


def _homes(documents: Sequence[FoundDocument]) -> dict[str, list[str]]:
    """The documents of the main language by the folder that becomes a collection; "" has those among the code."""
    by_root: dict[str, list[str]] = defaultdict(list)
    for each in documents:
        by_root[each.root].append(each.path)
    small = {root for root, paths in by_root.items() if root and "/" in root and len(paths) < LEAST_OF_ITS_OWN}
    roots = [root for root in by_root if root and root not in small]
    homes = dict.fromkeys(small, "") | _together(roots)
    by_home: dict[str, list[str]] = defaultdict(list)
    for root, paths in by_root.items():
        by_home[homes.get(root, "")] += paths
    return by_home


def _together(roots: Sequence[str]) -> dict[str, str]:
    """The folder that each folder of documentation belongs to: itself, or their common one if there are many."""
    if len(roots) <= MOST_ROOTS:
        return {root: root for root in roots}
    tops: dict[str, list[str]] = defaultdict(list)
    for root in roots:
        tops[root.partition("/")[0]].append(root)
    homes: dict[str, str] = {}
    for top, inner in tops.items():
        common = top if len(inner) >= LEAST_TOGETHER else ""
        homes |= {root: common if "/" in root else root for root in inner}
    return homes


def _make_group(folder: str, paths: Sequence[str], why: str, alias: str = "", language: str = "") -> DocumentCollection:
    """A collection of these files in a folder."""
    identity = make_collection_id(folder)
    if language and not folder.lower().replace("_", "-").endswith(language):
        identity += f"#{language}"  # a translation among other documents of the folder
    names = frozenset(paths if folder == HERE else (path[len(folder) + 1 :] for path in paths))
    return DocumentCollection(alias, identity, folder, "", "default", None, names, language, why)


def _parted(homes: Mapping[str, Sequence[str]], found: FoundText) -> Iterator[DocumentCollection]:
    for home, paths in homes.items():
        if not home:
            yield _make_group(HERE, paths, "texts of the project that lie beside its code", alias=PROJECT)
            continue
        why = found.roots.get(home, "the documents of several packages")
        folder = _find_language_folder(paths, home.count("/") + 1) or home
        yield _make_group(folder, paths, why)


def _translations(documents: Sequence[FoundDocument]) -> Iterator[DocumentCollection]:
    """A collection for each language of each folder of documentation."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in documents:
        groups[each.root, each.language].append(each.path)
    for (root, language), paths in groups.items():
        folder = _find_language_folder(paths, 0, language) or root or HERE
        yield _make_group(folder, paths, f"a translation ({language}) of other documents", language=language)


def _find_language_folder(paths: Sequence[str], depth: int, language: str = "") -> str:
    """The folder of a language, or of any, below so many others that all of these lie in; empty where there is none."""
    folders = paths[0].split("/")[:-1]
    for at in range(depth, len(folders)):
        found = find_folder_language(folders[at])
        if found and found == (language or found):
            above = "/".join(folders[: at + 1])
            return above if all(path.startswith(f"{above}/") for path in paths) else ""
    return ""


def _named(groups: Sequence[DocumentCollection]) -> list[DocumentCollection]:
    """The groups with names: the last name of a folder where only one has it, else all of them."""
    taken: set[str] = set()
    found: list[DocumentCollection] = []
    for group in sorted(groups, key=lambda each: (bool(each.language), each.source.count("/"), each.source)):
        alias = next(each for each in _names(group) if each not in taken)
        taken.add(alias)
        found.append(group._replace(alias=alias))
    return found


def _names(group: DocumentCollection) -> Iterator[str]:
    """The names that a collection may have, the best first."""
    if group.language:
        yield from _translated_names(group)
    elif group.alias:
        yield group.alias
    else:
        names = [name for name in group.source.split("/") if not find_folder_language(name)] or [group.source]
        yield names[-1]
        yield "-".join(names)
        yield group.source.replace("/", "-")
    number = 2
    while True:
        yield f"{group.alias or group.source.replace('/', '-')}-{group.language or number}-{number}"
        number += 1


def _translated_names(group: DocumentCollection) -> Iterator[str]:
    """The names of a translation: what it is of, or where it lies, with its language."""
    is_here = group.source == HERE
    place = "" if is_here else group.source.replace("/", "-")
    yield f"{PROJECT if is_here else 'docs'}-{group.language}"
    yield place if place.lower().endswith(group.language) else f"{place}-{group.language}"


def _named_folders(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """The folders that hold the documents, as the settings say; none: they are found."""
    folders = tuple(os.path.normpath(each).replace(os.sep, "/") for each in _texts(settings, "folders"))
    for folder in folders:
        if folder.startswith(("/", "..")):
            raise Misconfiguration(f"`folders` in [documents] must name folders inside the project: {folder}.")
    return folders


def _texts(settings: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value: Any = settings.get(name, [])
    listed: Any = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) and each for each in cast("list[object]", listed)):
        raise Misconfiguration(f"`{name}` in [documents] must be a list of texts.")
    return tuple(cast("list[str]", listed))


BUNDLES = (".tar.gz", ".tgz")
WEB = ("https://", "http://")
GIT = "git+"
GIT_SCHEMES = ("https://", "ssh://", "file://")
NOT_IN_A_REF = re.compile(r"[\x00-\x20\x7f~^:*\[\\]|\.\.|@\{")


class GitLocation(NamedTuple):
    """A repository, what to take of it, and where its manifest is."""

    repository: str
    ref: str | None
    manifest: str | None


def is_remote(source: str) -> bool:
    """Whether a source is fetched only on request: a served project never uses the network by itself."""
    return source.startswith((GIT, *WEB))


def take_local_snapshot(
    collection: DocumentCollection,
    fetch: Fetch | None = None,
    *,
    project: ConfinedFolder | None = None,
    part: SourcePart | None = None,
) -> Snapshot:
    """The current files of a local collection; files with an address on the web only if `fetch` is given.

    Files of the project that are never served are not served as documents either.
    """
    if ADDRESS.match(collection.source) and not collection.source.startswith("file://"):
        raise Unreadable(f"{hide_secrets(collection.source)!r} is no address that documents come from.")
    path = resolve_local_path(collection.source, collection.base)
    if is_secret_folder(_below(path, collection.base)):
        raise Unreadable(f"Permission denied: {collection.source!r} is a place whose files are never served.")
    if not path.endswith((*BUNDLES, ".json")):
        return take_folder_snapshot(_confined(collection, path, project), part=part, names=collection.names)
    folder, name = os.path.split(path)
    if path.endswith(".json"):
        return take_manifest_snapshot(_confined(collection, folder, project), name, fetch, part)
    confined = _confined(collection, os.path.dirname(os.path.realpath(path)), project)
    packed = confined.read(os.path.basename(os.path.realpath(path)), limit_bytes=LARGEST_BUNDLE_BYTES)
    return take_packed_snapshot(packed, fetch or fetch_nothing)


def _confined(collection: DocumentCollection, path: str, project: ConfinedFolder | None = None) -> ConfinedFolder:
    """A folder to read from; no link leads out of the project if the collection is confined to it."""
    if collection.inside is None:
        return ConfinedFolder(path, like=project)
    root = os.path.realpath(collection.inside)
    return (project or ConfinedFolder(root)).folder(os.path.relpath(os.path.realpath(path), root))


def parse_git(source: str) -> GitLocation:
    """The parts of `git+https://host/repo.git#ref?manifest=docs/manifest.json`; ref and manifest may be left out."""
    before, _, fragment = source.removeprefix(GIT).partition("#")
    ref, _, query = fragment.partition("?")
    address, mark, manifest = before.partition("?manifest=")
    manifest = manifest if mark else query.removeprefix("manifest=")
    if not address.startswith(GIT_SCHEMES) or address.partition("://")[2].startswith("-"):
        shown = hide_secrets(source)
        raise Unreadable(f"{shown!r} is no repository: write git+https://…, git+ssh://… or git+file://….")
    if ref.startswith(("-", "+")) or NOT_IN_A_REF.search(ref):
        raise Unreadable(f"{ref!r} is not the name of a branch or a tag, and not the id of a commit.")
    return GitLocation(address, ref or None, manifest or None)


def _below(path: str, base: str) -> str:
    """The real path, relative to the folder that names it if it is below."""
    real = os.path.realpath(path)
    root = os.path.realpath(base)
    return real.removeprefix(root) if real.startswith(root + os.sep) else real
