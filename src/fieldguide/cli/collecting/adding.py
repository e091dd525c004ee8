"""`fieldguide documents add`: names a collection, fetches it, and writes it down once it could be read."""

import argparse
import os
from collections.abc import Iterator, Mapping

from fieldguide import linear_regex as re
from fieldguide.app import App
from fieldguide.cli.collecting.fetching import fetched, reach_of, tell
from fieldguide.cli.terminal import complain, is_watched, remark
from fieldguide.consents import Ask, Consents
from fieldguide.errors import Misconfiguration, NotFound
from fieldguide.toolsets.documents.collections import (
    ADDRESS,
    DEFAULT_FOLDER,
    PROJECT_FILE,
    Collection,
    ask_of,
    global_path,
    named,
    write_collections,
)
from fieldguide.toolsets.documents.fetching import Fetching, typed_host
from fieldguide.toolsets.documents.locations import fetching_ask
from fieldguide.toolsets.documents.sources.addresses import has_secrets
from fieldguide.toolsets.documents.sources.budget import Budget
from fieldguide.toolsets.documents.sources.reach import Reach
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep

ALIAS = re.compile(r"\w[\w.@/+-]*")


def add_collection(app: App, upkeep: DocumentsUpkeep, arguments: argparse.Namespace) -> int:
    """The file is written last: a source that can't be read leaves it as it was."""
    if not ALIAS.fullmatch(arguments.alias):
        raise Misconfiguration(f"{arguments.alias!r} is no alias: letters, digits and . _ - / @ + make one.")
    project, before = app.settings.project, upkeep.collections()
    collection = _named(project, arguments)
    asks = _asks_of(collection, project)
    reach = reach_of(app, arguments)
    fetching = Fetching(reach.also(typed_host(collection.source)), Budget(app.settings.limits))
    done = fetched(upkeep, collection, fetching)
    _write(collection, before)
    if asks:
        Consents(project).allow(asks)  # who types an address or a folder has allowed it
    after = upkeep.collections()
    _forget_replaced(upkeep, before.get(collection.alias), after)
    complain(*_warnings(collection, after, reach))
    tell({collection.alias: done}, as_json=arguments.json)
    return 0


def listing_file(project: str, *, is_global: bool) -> str:
    """The file that lists the collections of a project, or the person's own of every project."""
    return global_path() if is_global else os.path.join(project, PROJECT_FILE)


def _named(project: str, arguments: argparse.Namespace) -> Collection:
    """The collection that a person names, as the file will name it."""
    is_global: bool = arguments.is_global
    base = os.path.dirname(listing_file(project, is_global=is_global))
    source = _written_source(arguments.source, project, is_global=is_global)
    return named(arguments.alias, source, base, "global" if is_global else "project")


def _written_source(source: str, project: str, *, is_global: bool) -> str:
    """A source as the file names it: a path inside the project relative to it, any other path in full."""
    if ADDRESS.match(source):
        return source
    candidates = [os.path.abspath(os.path.expanduser(source))]
    if not is_global:
        candidates.insert(0, os.path.normpath(os.path.join(project, source)))
    path = next((each for each in candidates if os.path.exists(each)), None)
    if path is None:
        raise NotFound(f"There is no {source!r}, neither in the project nor in the current folder.")
    inside = os.path.relpath(path, project)
    return path if is_global or inside.split(os.sep)[0] == ".." else inside


def _asks_of(collection: Collection, project: str) -> list[Ask]:
    """What a collection that a person has just named asks for: with that it is allowed."""
    if collection.origin == "global":
        return []
    ask = ask_of(collection, project)
    found = fetching_ask(collection._replace(inside=project)) if ask is None else ask
    return [found] if found else []


def _write(collection: Collection, before: Mapping[str, Collection]) -> None:
    """Write a collection down; a project's docs/ that was found until now stays a collection beside it."""
    listed = {collection.alias: collection.source}
    if collection.origin == "global":
        write_collections(global_path(), listed)
        return
    found = [each.alias for each in before.values() if each.origin == "default"]
    kept = {DEFAULT_FOLDER: DEFAULT_FOLDER} if DEFAULT_FOLDER in found else {}
    write_collections(os.path.join(collection.base, PROJECT_FILE), {**kept, **listed})
    hidden = [alias for alias in found if alias != DEFAULT_FOLDER]
    if hidden and is_watched():
        remark(f"{PROJECT_FILE} decides alone from now on; no collections any more: {', '.join(hidden)}.")


def _forget_replaced(upkeep: DocumentsUpkeep, replaced: Collection | None, after: Mapping[str, Collection]) -> None:
    if replaced is not None and replaced.id not in {each.id for each in after.values()}:
        upkeep.forget(replaced)


def _warnings(collection: Collection, after: Mapping[str, Collection], reach: Reach) -> Iterator[str]:
    """What a person should know of the collection that was added."""
    if has_secrets(collection.source):
        file = os.path.basename(global_path()) if collection.origin == "global" else PROJECT_FILE
        yield f"{file} now holds what lets you in there; let nobody see that file."
    if after[collection.alias].id != collection.id:
        yield f"This project has a collection {collection.alias!r} of its own, which wins here."
    typed = typed_host(collection.source)
    if typed is not None and not reach.covers(typed):
        yield (
            f"{typed.spelled} is not on the public internet. `documents sync` reaches it with --allow-address "
            f"{typed.spelled}, or when `allow` under [fetch] in your own settings names it."
        )
