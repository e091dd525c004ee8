"""Which collections a project has: its own file, its settings, the user's global file, or simply its `docs/` folder."""

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Misconfiguration, NotFound, Refusal

PROJECT_FILE = "context.json"
GLOBAL_FILE = os.path.join("ctxpkg", "global-context.json")
DEFAULT_FOLDER = "docs"
MOST_BYTES = 1 << 20


class Collection(NamedTuple):
    """A collection: the alias it is called by, its ID, where it comes from, and the folder that relative paths mean."""

    alias: str
    id: str
    source: str
    base: str


def configured_collections(project: str, settings: Mapping[str, Any]) -> dict[str, Collection]:
    """The collections by alias; the project's own win over the user's global ones."""
    found: dict[str, Collection] = {}
    global_file = global_path()
    for alias, source in _from_file(global_file).items():
        found[alias] = _collection(alias, source, os.path.dirname(global_file))
    own_file = os.path.join(project, PROJECT_FILE)
    own = {**_from_settings(settings), **_from_file(own_file)}
    if not own and not os.path.exists(own_file) and os.path.isdir(os.path.join(project, DEFAULT_FOLDER)):
        own = {DEFAULT_FOLDER: DEFAULT_FOLDER}
    for alias, source in own.items():
        found[alias] = _collection(alias, source, project)
    return dict(sorted(found.items()))


def global_path() -> str:
    """The user's file of collections for every project."""
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, GLOBAL_FILE)


def collection_id(source: str) -> str:
    """The ID of a collection: `dir:` and the path of a plain folder, `pkg:` and the address of anything else."""
    trimmed = source.rstrip("/") or source
    return f"dir:{trimmed}" if is_folder(source) else f"pkg:{trimmed}"


def is_folder(source: str) -> bool:
    """Whether a source names a plain folder: no address, no manifest, no bundle."""
    return "://" not in source and not source.endswith((".json", ".tar.gz", ".tgz"))


def write_collections(path: str, change: Mapping[str, str | None]) -> None:
    """Add collections to a file of them (or take away, where there is no source), whole or not at all."""
    content = _read(path)
    listed = dict(content.get("collections", {}))
    for alias, source in change.items():
        listed.pop(alias, None)
        if source is not None:
            listed[alias] = {"url": source}
    os.makedirs(os.path.dirname(path), exist_ok=True)
    draft = f"{path}.new"
    with open(draft, "w", encoding="utf-8") as file:
        json.dump({**content, "collections": listed}, file, indent=2, ensure_ascii=False)
        file.write("\n")
    os.replace(draft, path)


def _collection(alias: str, source: str, base: str) -> Collection:
    return Collection(alias, collection_id(source), source, base)


def _from_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    tables = settings.get("collections", {})
    if not isinstance(tables, dict):
        raise Misconfiguration("[documents.collections] in fieldguide.toml must hold a table for each collection.")
    return {alias: _source(alias, table, "source") for alias, table in cast("dict[str, Any]", tables).items()}


def _from_file(path: str) -> dict[str, str]:
    collections = _read(path).get("collections", {})
    if not isinstance(collections, dict):
        raise Misconfiguration(f'"collections" in {os.path.basename(path)} must be an object.')
    return {alias: _source(alias, entry, "url") for alias, entry in cast("dict[str, Any]", collections).items()}


def _source(alias: str, entry: Any, key: str) -> str:
    said = cast("dict[str, Any]", entry) if isinstance(entry, dict) else {}
    if not isinstance(said.get(key), str) or not said[key].strip():
        raise Misconfiguration(f'The collection {alias!r} must say where it comes from: {{"{key}": "…"}}.')
    return str(said[key])


def _read(path: str) -> dict[str, Any]:
    folder, name = os.path.split(path)
    try:
        value = json.loads(ConfinedFolder(folder).read(name, limit_bytes=MOST_BYTES))
    except NotFound:
        return {}
    except (Refusal, ValueError, RecursionError) as error:
        raise Misconfiguration(f"{name} can't be read: {error}.") from error
    if not isinstance(value, dict):
        raise Misconfiguration(f"{name} must hold a JSON object.")
    return cast("dict[str, Any]", value)
