"""`fieldguide documents`: the collections of a project, and the only way by which anything is fetched for them."""

import argparse
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from fieldguide import linear_regex as re
from fieldguide.app import App, build_app
from fieldguide.cli.index import described
from fieldguide.cli.indexing import Bar
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import GAP, columns_of, complain, fitted, is_watched, remark, say, say_json
from fieldguide.cli.typed.nearest import did_you_mean
from fieldguide.consents import TRUST, Ask, Consents
from fieldguide.errors import FieldguideError, Misconfiguration, NotFound, Refusal
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.toolsets.documents.collections import (
    ADDRESS,
    DEFAULT_FOLDER,
    PROJECT_FILE,
    Collection,
    ask_of,
    global_path,
    listed_in,
    named,
    write_collections,
)
from fieldguide.toolsets.documents.fetching import Fetching, typed_host
from fieldguide.toolsets.documents.locations import fetching_ask
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.sources.addresses import has_secrets
from fieldguide.toolsets.documents.sources.budget import Budget
from fieldguide.toolsets.documents.sources.reach import Reach, all_named
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep, Fetched
from fieldguide.upkeep import LateUpkeep

ALIAS = re.compile(r"\w[\w.@/+-]*")
CORRECTION = "`leave_out` and `folders` under [documents] in fieldguide.toml correct that."
FILES = {"global": "your global file", "settings": "fieldguide.toml"}


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
            return _add(app, upkeep, arguments)
        case "sync":
            return _sync(app, upkeep, arguments)
        case "list":
            return _list(app, upkeep, as_json=arguments.json)
        case _:
            return _remove(app, upkeep, arguments)


def _add(app: App, upkeep: DocumentsUpkeep, arguments: argparse.Namespace) -> int:
    """The file is written last: a source that can't be read leaves it as it was."""
    if not ALIAS.fullmatch(arguments.alias):
        raise Misconfiguration(f"{arguments.alias!r} is no alias: letters, digits and . _ - / @ + make one.")
    project = app.settings.project
    before = upkeep.collections()
    path = global_path() if arguments.is_global else os.path.join(project, PROJECT_FILE)
    source = _written_source(arguments.source, project, is_global=arguments.is_global)
    base = os.path.dirname(path)
    collection = named(arguments.alias, source, base, "global" if arguments.is_global else "project")
    asks = [] if arguments.is_global else _asks_of(collection, project)
    reach, typed = _reach(app, arguments), typed_host(source)
    fetched = _fetched(upkeep, collection, Fetching(reach.also(typed), Budget(app.settings.limits)))
    default = before.get(DEFAULT_FOLDER)
    keeps_default = default is not None and default.origin == "default" and not arguments.is_global
    write_collections(path, {**({DEFAULT_FOLDER: DEFAULT_FOLDER} if keeps_default else {}), arguments.alias: source})
    hidden = [each.alias for each in before.values() if each.origin == "default" and each.alias != DEFAULT_FOLDER]
    if hidden and not arguments.is_global and is_watched():
        remark(f"{PROJECT_FILE} decides alone from now on; no collections any more: {', '.join(hidden)}.")
    if asks:
        Consents(project).allow(asks)  # who types an address or a folder has allowed it
    replaced = before.get(arguments.alias)
    if replaced is not None and replaced.id not in {each.id for each in upkeep.collections().values()}:
        upkeep.forget(replaced)
    if has_secrets(source):
        complain(f"{os.path.basename(path)} now holds what lets you in there; let nobody see that file.")
    if upkeep.collections()[arguments.alias].id != collection.id:
        complain(f"This project has a collection {arguments.alias!r} of its own, which wins here.")
    if typed is not None and not reach.covers(typed):
        complain(
            f"{typed.spelled} is not on the public internet. `documents sync` reaches it with --allow-address "
            f"{typed.spelled}, or when `allow` under [fetch] in your own settings names it."
        )
    _tell({arguments.alias: fetched}, as_json=arguments.json)
    return 0


def _asks_of(collection: Collection, project: str) -> list[Ask]:
    """What a collection that a person has just named asks for: with that it is allowed."""
    ask = ask_of(collection, project)
    found = fetching_ask(collection._replace(inside=project)) if ask is None else ask
    return [found] if found else []


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


def _sync(app: App, upkeep: DocumentsUpkeep, arguments: argparse.Namespace) -> int:
    reach = _reach(app, arguments)
    collections = upkeep.collections()
    asks = upkeep.asks()
    unknown = [alias for alias in arguments.aliases if alias not in collections]
    if unknown:
        asked = next((ask for ask in asks if ask.what == f"collection {unknown[0]}"), None)
        if asked is not None:
            raise Refusal(f"{asked.sentence()}, outside of the project: {TRUST}")
        listed = ", ".join(collections) or "none yet"
        near = did_you_mean(unknown[0], collections)
        raise NotFound(f"There is no collection {unknown[0]!r}.{near} The collections: {listed}.")
    for ask in asks:
        complain(f"{ask.sentence()}. That is not obeyed: {TRUST}")
    if not arguments.aliases:
        upkeep.forget_others()
    done: dict[str, Fetched | FieldguideError] = {}
    for alias in arguments.aliases or collections:
        try:
            done[alias] = _fetched(upkeep, collections[alias], Fetching(reach, Budget(app.settings.limits)))
        except Refusal as error:
            done[alias] = error
    _tell(done, as_json=arguments.json)
    return 1 if any(isinstance(each, FieldguideError) for each in done.values()) else 0


def _reach(app: App, arguments: argparse.Namespace) -> Reach:
    return Reach(all_named(arguments.allow_address, app.settings.sections.get("fetch", {}), os.environ))


def _fetched(upkeep: DocumentsUpkeep, collection: Collection, fetching: Fetching) -> Fetched:
    bar = Bar()
    try:
        return upkeep.fetch(collection, bar, fetching)
    finally:
        bar.clear()


def _tell(done: Mapping[str, Fetched | FieldguideError], *, as_json: bool) -> None:
    if as_json:
        say_json({alias: _as_json(each) for alias, each in done.items()})
    elif not done:
        say("No collections.")
    width = max((columns_of(shown(alias)) for alias in done), default=0)
    for alias, each in done.items():
        if isinstance(each, FieldguideError):
            complain(f"{shown(alias)}: {shown(each.message)} What was there is kept.")
            continue
        if not as_json:
            say(f"{fitted(shown(alias), width)}{GAP}{described(each.counts._asdict())}")
        for name in each.skipped:
            complain(f"{shown(alias)}: {shown(name)} was passed over: it is not there, or not what its manifest says.")


def _as_json(done: Fetched | FieldguideError) -> dict[str, Any]:
    if isinstance(done, FieldguideError):
        return {"error": done.message}
    return {**done.counts._asdict(), **({"skipped": list(done.skipped)} if done.skipped else {})}


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
    alias = arguments.alias
    path = global_path() if arguments.is_global else os.path.join(app.settings.project, PROJECT_FILE)
    before = upkeep.collections()
    found = before.get(alias)
    is_default = found is not None and found.origin == "default" and alias == DEFAULT_FOLDER and not arguments.is_global
    if alias not in listed_in(path) and not is_default:
        where = FILES.get(found.origin) if found else None
        is_found = found is not None and found.origin == "default"
        hint = f" It stands in {where}." if where else f" It was found: {CORRECTION}" if is_found else ""
        raise NotFound(f"There is no collection {alias!r} in {os.path.basename(path)}.{hint}")
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


def _pack(arguments: argparse.Namespace) -> int:
    from fieldguide.toolsets.documents.packing import pack

    packed = pack(arguments.source, arguments.output, name=arguments.name, version=arguments.version)
    if arguments.json:
        say_json({"file": arguments.output, "name": packed.name, "documents": packed.documents}, indent=None)
    else:
        number = "1 document" if packed.documents == 1 else f"{packed.documents} documents"
        say(f"Packed {number} of {shown(packed.name)} into {shown(arguments.output)}.")
    return 0
