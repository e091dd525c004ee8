"""`fieldguide documents`: the collections of a project, and the only way by which anything is fetched for them."""

import argparse
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.collecting.adding import add_collection, listing_file
from fieldguide.cli.collecting.fetching import fetched, reach_of, tell
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import GAP, columns_of, complain, fitted, say, say_json
from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.consents import TRUST, Ask
from fieldguide.errors import FieldguideError, NotFound, Refusal
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.toolsets.documents.collections import (
    DEFAULT_FOLDER,
    Collection,
    listed_in,
    write_collections,
)
from fieldguide.toolsets.documents.fetching import Fetching
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.sources.budget import Budget
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep, Fetched
from fieldguide.upkeep import LateUpkeep

PLACES = {
    "global": "It stands in your global file.",
    "settings": "It stands in fieldguide.toml.",
    "default": "It was found: `leave_out` and `folders` under [documents] in fieldguide.toml correct that.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`add`, `sync`, `list`, `remove` or `pack`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="name a collection, fetch it and index it")
    add.add_argument("alias", metavar="ALIAS", help="what to call it")
    add.add_argument("source", metavar="SOURCE", help="a folder, a manifest.json, a .tar.gz, git+https://…, https://…")
    sync = actions.add_parser("sync", help="fetch and index collections again (default: all)")
    sync.add_argument("aliases", nargs="*", metavar="ALIAS", help="only these collections")
    listing = actions.add_parser("list", help="show the collections and what is in the index of each")
    remove = actions.add_parser("remove", help="take a collection away, and out of the index")
    remove.add_argument("alias", metavar="ALIAS", help="what it is called")
    for action in (add, sync):
        action.add_argument(
            "--allow-address",
            action="append",
            default=[],
            metavar="HOST|IP|CIDR",
            help="reach this too, though it is not on the public internet; may be repeated",
        )
    for action in (add, remove):
        action.add_argument("--global", dest="is_global", action="store_true", help="for every project of yours")
    pack = actions.add_parser("pack", help="write a collection into one .tar.gz that others can add")
    pack.add_argument("source", metavar="MANIFEST_OR_FOLDER", help="a manifest, or a folder with or without one")
    pack.add_argument("-o", "--output", metavar="FILE.tar.gz", required=True, help="the bundle to write")
    pack.add_argument("--name", metavar="TEXT", help="of a manifest that is made (default: the folder's)")
    pack.add_argument("--version", metavar="TEXT", help="of a manifest that is made (default: 1.0.0)")
    for action in (add, sync, listing, remove):
        add_place(action)
    for action in (add, sync, listing, remove, pack):
        action.add_argument("--json", action="store_true", help="print the outcome as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 when it could not be done."""
    if arguments.action == "pack":
        return _pack(arguments)
    app = build_app(replace(settings_from(arguments), toolsets=(KIND,)), write_journal=lambda lines: None)
    upkeep = cast("LateUpkeep[DocumentsUpkeep]", app.toolsets[0].upkeep).made()
    match arguments.action:
        case "add":
            return add_collection(app, upkeep, arguments)
        case "sync":
            return _sync(app, upkeep, arguments)
        case "list":
            return _list(app, upkeep, as_json=arguments.json)
        case _:
            return _remove(app, upkeep, arguments)


def _sync(app: App, upkeep: DocumentsUpkeep, arguments: argparse.Namespace) -> int:
    reach = reach_of(app, arguments)
    collections, asks = upkeep.collections(), upkeep.asks()
    unknown = [alias for alias in arguments.aliases if alias not in collections]
    if unknown:
        raise _unknown(unknown[0], collections, asks)
    for ask in asks:
        complain(f"{ask.sentence()}. That is not obeyed: {TRUST}")
    if not arguments.aliases:
        upkeep.forget_others()
    done: dict[str, Fetched | FieldguideError] = {}
    for alias in arguments.aliases or collections:
        fetching = Fetching(reach, Budget(app.settings.limits))
        done[alias] = _fetched_or_refused(upkeep, collections[alias], fetching)
    tell(done, as_json=arguments.json)
    return 1 if any(isinstance(each, FieldguideError) for each in done.values()) else 0


def _fetched_or_refused(upkeep: DocumentsUpkeep, collection: Collection, fetching: Fetching) -> Fetched | Refusal:
    """What came of one collection: one that can't be fetched does not keep the others from it."""
    try:
        return fetched(upkeep, collection, fetching)
    except Refusal as error:
        return error


def _unknown(alias: str, collections: Mapping[str, Collection], asks: Iterable[Ask]) -> Refusal:
    """Why there is no such collection: nobody has allowed it yet, or nobody has named it."""
    for ask in asks:
        if ask.what == f"collection {alias}":
            return Refusal(f"{ask.sentence()}, outside of the project: {TRUST}")
    near, listed = did_you_mean(alias, collections), ", ".join(collections) or "none yet"
    return NotFound(f"There is no collection {alias!r}.{near} The collections: {listed}.")


def _list(app: App, upkeep: DocumentsUpkeep, *, as_json: bool) -> int:
    stored = {source.name: source for source in app.engine().sources(KIND)}
    rows: list[dict[str, Any]] = []
    for alias, collection in upkeep.collections().items():
        found = stored.get(collection.id)
        details: Mapping[str, Any] = found.details if found else {}
        row = {"alias": alias, "id": collection.id, "documents": found.documents if found else 0}
        said = {key: details[key] for key in ("version", "description") if details.get(key)}
        rows.append({**row, **said, "synced": bool(found and found.is_synced), "from": collection.origin})
    if as_json:
        say_json(rows)
    else:
        say(*(_table(rows) if rows else ["No collections. `fieldguide documents add ALIAS SOURCE` adds one."]))
    return 0


def _table(rows: list[dict[str, Any]]) -> Iterable[str]:
    heads = ("alias", "documents", "version", "synced", "id", "description")
    cells = [[_cell(row.get(head, "")) for head in heads] for row in rows]
    lines = [list(heads), *cells]
    widths = [max(columns_of(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        yield GAP.join(map(fitted, line, widths)).rstrip()


def _cell(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else shown(str(value))


def _remove(app: App, upkeep: DocumentsUpkeep, arguments: argparse.Namespace) -> int:
    alias, before = arguments.alias, upkeep.collections()
    path = listing_file(app.settings.project, is_global=arguments.is_global)
    is_default = alias == DEFAULT_FOLDER and not arguments.is_global and _is_found(before.get(alias))
    if alias not in listed_in(path) and not is_default:
        raise NotFound(
            f"There is no collection {alias!r} in {os.path.basename(path)}.{_where_it_is(before.get(alias))}"
        )
    write_collections(path, {alias: None})
    left = {each.id for each in upkeep.collections().values()}
    gone = [each for each in before.values() if each.id not in left]
    for each in gone:
        upkeep.forget(each)
    if arguments.json:
        say_json({"removed": alias}, indent=None)
    else:
        say(f"Removed {shown(alias)}.")
    return 0


def _is_found(collection: Collection | None) -> bool:
    return collection is not None and collection.origin == "default"


def _where_it_is(collection: Collection | None) -> str:
    """A hint for who looked for a collection in the wrong file."""
    if collection is None:
        return ""
    return f" {PLACES[collection.origin]}" if collection.origin in PLACES else ""


def _pack(arguments: argparse.Namespace) -> int:
    from fieldguide.toolsets.documents.packing import pack

    packed = pack(arguments.source, arguments.output, name=arguments.name, version=arguments.version)
    if arguments.json:
        say_json({"file": arguments.output, "name": packed.name, "documents": packed.documents}, indent=None)
    else:
        number = "1 document" if packed.documents == 1 else f"{packed.documents} documents"
        say(f"Packed {number} of {shown(packed.name)} into {shown(arguments.output)}.")
    return 0
