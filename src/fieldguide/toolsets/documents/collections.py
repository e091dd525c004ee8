"""Which collections a project has: its own file, its settings, the user's global file, or else what is found in it.

A project names what lies inside it. A folder outside, or an address, is an ask of the project's: it counts once the
person has allowed it. What stands in the person's global file needs no asking.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from fieldguide import linear_regex as re
from fieldguide.confinement import ConfinedFolder
from fieldguide.consents import Ask, Consents
from fieldguide.errors import Misconfiguration, NotFound, Refusal
from fieldguide.formats import Malformed
from fieldguide.formats.json_text import read_json
from fieldguide.toolsets.documents.manifest import is_whole
from fieldguide.toolsets.documents.sources.addresses import without_secrets

PROJECT_FILE = "context.json"
GLOBAL_FILE = os.path.join("ctxpkg", "global-context.json")
DEFAULT_FOLDER = "docs"
MOST_BYTES = 1 << 20
ADDRESS = re.compile(r"^(?:git\+|[A-Za-z][A-Za-z0-9+.-]*://)")

Origin = Literal["project", "settings", "global", "default"]


class Collection(NamedTuple):
    """A collection: the alias it is called by, its ID, where it comes from, the folder that relative paths mean, and
    what names it. `inside` is the project that it may not leave; None where the person has named or allowed it.

    Of one that was found, `names` are its files, `language` is that of a translation, and `why` the reason.
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


def configured_collections(
    project: str, settings: Mapping[str, Any], folder: ConfinedFolder | None = None
) -> dict[str, Collection]:
    """The collections by alias; the project's own win over the user's global ones.

    What the project asks for and nobody has allowed is left out. A project that names none has those that are found in
    its `folder`.
    """
    global_file = global_path()
    found = [_global(alias, source, os.path.dirname(global_file)) for alias, source in listed_in(global_file).items()]
    own = _own(project, settings)
    if own is None:
        own = found_collections(folder or ConfinedFolder(project), settings)
    found += _obeyed(own, project)
    return dict(sorted({each.alias: each for each in found}.items()))


def _obeyed(own: Iterable[Collection], project: str) -> Iterator[Collection]:
    """The project's own collections: those that ask for nothing, held to the project, and those that are allowed."""
    asks = [(each, ask_of(each, project)) for each in own]
    allowed = Consents(project).allowed(ask for _, ask in asks if ask)
    for each, ask in asks:
        if ask is None:
            yield each._replace(inside=project)
        elif ask in allowed:
            yield each


def collection_asks(project: str, settings: Mapping[str, Any]) -> list[Ask]:
    """What the project's own collections ask for beyond the project, allowed or not."""
    return [ask for each in _own(project, settings) or () if (ask := ask_of(each, project))]


def ask_of(collection: Collection, project: str) -> Ask | None:
    """What a collection asks for: an address, or a folder or file outside of the project; None when it lies inside.

    A consent is for the place that the path leads to, through whatever links: another place is another ask.
    """
    what = f"collection {collection.alias}"
    where = "fieldguide.toml" if collection.origin == "settings" else PROJECT_FILE
    source = collection.source
    if ADDRESS.match(source) and not source.startswith("file://"):
        return Ask(what, source, without_secrets(source), where)
    place = os.path.realpath(local_path(source, collection.base))
    if is_below(place, os.path.realpath(project)):
        return None
    return Ask(what, place, source if source == place else f"{source} ({place})", where)


def is_below(place: str, root: str) -> bool:
    """Whether a resolved path is a resolved root, or lies below it."""
    return place == root or place.startswith(root.rstrip(os.sep) + os.sep)


def local_path(source: str, base: str) -> str:
    """The path of a source on this machine: relative ones begin at the folder of the file that names them."""
    path = source
    if source.startswith("file://"):
        rest = source.removeprefix("file://").removeprefix("localhost/")
        is_absolute = source.startswith(("file:///", "file://localhost/"))
        path = unquote(urlsplit(f"file:///{rest.lstrip('/')}").path) if is_absolute else unquote(rest)
    return os.path.normpath(os.path.join(base, os.path.expanduser(path)))


def found_collections(folder: ConfinedFolder, settings: Mapping[str, Any]) -> list[Collection]:
    """The collections of a project that names none: its own text, wherever it lies."""
    from fieldguide.project_text.finding import known_text
    from fieldguide.toolsets.documents.discovery import grouped, read_corrections

    corrections = read_corrections(settings)
    if corrections.folders:
        return [named(_alias_of(each), each, folder.root, "settings") for each in corrections.folders]
    found = known_text(folder.root).now(folder, leave_out=corrections.leave_out)
    return [
        Collection(
            alias=group.alias,
            id=collection_id(group.folder) + _told_apart(group.folder, group.language),
            source=group.folder,
            base=folder.root,
            origin="default",
            inside=folder.root,
            names=group.names,
            language=group.language,
            why=group.why,
        )
        for group in grouped(found)
    ]


def _told_apart(folder: str, language: str) -> str:
    """What follows the ID of a folder where a translation lies in it among other documents."""
    return f"#{language}" if language and not folder.lower().replace("_", "-").endswith(language) else ""


def _alias_of(folder: str) -> str:
    return "project" if folder == "." else folder.replace("/", "-")


def _own(project: str, settings: Mapping[str, Any]) -> list[Collection] | None:
    """What the project names by itself; None where it names nothing, and has no file that says so."""
    own_file = os.path.join(project, PROJECT_FILE)
    found = {alias: named(alias, source, project, "settings") for alias, source in _from_settings(settings).items()}
    found |= {alias: named(alias, source, project, "project") for alias, source in listed_in(own_file).items()}
    return None if not found and not os.path.lexists(own_file) else list(found.values())


def global_path() -> str:
    """The user's file of collections for every project."""
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(folder, GLOBAL_FILE)


def named(alias: str, source: str, base: str, origin: Origin) -> Collection:
    """A collection that a file or the settings name."""
    return Collection(alias, collection_id(source), source, base, origin)


def collection_id(source: str) -> str:
    """The ID of a collection: `dir:` and the path of a plain folder, `pkg:` and the address of anything else.

    A password in the address is no part of the ID: IDs are shown to everybody.
    """
    shown = without_secrets(source)
    trimmed = shown.rstrip("/") or shown
    return f"dir:{trimmed}" if is_folder(source) else f"pkg:{trimmed}"


def is_folder(source: str) -> bool:
    """Whether a source names a plain folder: no address, no manifest, no bundle."""
    return "://" not in source and not source.startswith("git+") and not source.endswith((".json", ".tar.gz", ".tgz"))


def listed_in(path: str) -> dict[str, str]:
    """The sources that a file of collections names, by alias."""
    collections = _read(path).get("collections", {})
    if not isinstance(collections, dict):
        raise Misconfiguration(f'"collections" in {os.path.basename(path)} must be an object.')
    return {alias: _source(alias, entry, "url") for alias, entry in cast("dict[str, Any]", collections).items()}


def write_collections(path: str, change: Mapping[str, str | None]) -> None:
    """Add collections to a file of them (or take away, where there is no source), whole or not at all."""
    from tempfile import NamedTemporaryFile

    listed_in(path)  # a file that can't be understood is not written over
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
    with NamedTemporaryFile("w", dir=os.path.dirname(target), encoding="utf-8", delete=False) as draft:
        draft.write(f"{text}\n")
    os.chmod(draft.name, _mode(target))
    os.replace(draft.name, target)


def _mode(path: str) -> int:
    """The rights of the file as it was; of a new one, those that any new file gets."""
    try:
        return os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _global(alias: str, source: str, base: str) -> Collection:
    """A collection of the global file: its relative path is made whole, for a project may have the same one."""
    is_path = not ADDRESS.match(source) and not source.startswith("~")
    return named(alias, os.path.normpath(os.path.join(base, source)) if is_path else source, base, "global")


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
    """What a file of collections holds; the user's own may be a link to wherever they keep such files."""
    folder, name = os.path.split(os.path.realpath(path) if path == global_path() else path)
    try:
        value = read_json(ConfinedFolder(folder).read(name, limit_bytes=MOST_BYTES))
    except NotFound:
        return {}
    except (Refusal, Malformed) as error:
        raise Misconfiguration(f"{os.path.basename(path)} can't be read: {error}.") from error
    if not isinstance(value, dict) or not is_whole(value):
        raise Misconfiguration(f"{os.path.basename(path)} must hold a JSON object, without half characters.")
    return cast("dict[str, Any]", value)
