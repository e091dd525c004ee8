"""`fieldguide documents`: adds, fetches, lists and removes collections of documents."""

import argparse
import os
from collections.abc import Iterator, Mapping
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.console.options import add_json_option, add_place_options, read_settings_from
from fieldguide.cli.console.terminal import ProgressBar, complain, format_table, is_watched, remark, say_result
from fieldguide.cli.index import describe_counts
from fieldguide.text import regex as re
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import FieldguideError, Misconfiguration, NotFound, Refusal
from fieldguide.text.near_names import suggest_names
from fieldguide.toolsets.documents.collections import (
    ADDRESS,
    DEFAULT_FOLDER,
    PROJECT_FILE,
    DocumentCollection,
    find_global_file,
    leads_outside,
    make_collection,
    read_sources,
    write_collections,
)
from fieldguide.toolsets.documents.fetching import FetchRules, read_allowed_hosts
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.snapshot import hide_secrets
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep, FetchResult
from fieldguide.toolsets.upkeep import LateUpkeep

ALIAS = re.compile(r"\w[\w.@/+-]*")
PLACES = {
    "global": "It is in your global file.",
    "settings": "It is in fieldguide.toml.",
    "default": "It was found: `leave_out` and `folders` under [documents] in fieldguide.toml correct that.",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`add`, `sync`, `list` or `remove`."""
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
            metavar="HOST",
            help="reach this host too, though it is not public or not encrypted; may be repeated",
        )
    for action in (add, remove):
        action.add_argument("--global", dest="is_global", action="store_true", help="for every project of yours")
    for action in (add, sync, listing, remove):
        add_place_options(action)
        add_json_option(action)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 when it could not be done."""
    app = build_app(read_settings_from(arguments)._replace(toolsets=(KIND,)), write_journal=lambda lines: None)
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


def add_collection(app: App, upkeep: DocumentsUpkeep, arguments: argparse.Namespace) -> int:
    """The file is written last: a source that can't be read leaves it as it was."""
    if not ALIAS.fullmatch(arguments.alias):
        raise Misconfiguration(f"{arguments.alias!r} is no alias: letters, digits and . _ - / @ + make one.")
    project = app.settings.project
    before = upkeep.collections()
    collection = _named(project, arguments)
    if collection.origin != "global" and leads_outside(collection, project):
        raise Refusal(f"{arguments.source!r} is outside of the project: add it with --global.")
    done = fetch_collection(upkeep, collection, read_rules(app, arguments))
    _write(collection, before)
    after = upkeep.collections()
    replaced = before.get(collection.alias)
    if replaced is not None and replaced.id not in {each.id for each in after.values()}:
        upkeep.forget(replaced)
    complain(*_warnings(collection, after))
    report_collections({collection.alias: done}, as_json=arguments.json)
    return 0


def find_listing_file(project: str, *, is_global: bool) -> str:
    """The file that lists the collections of a project, or the person's own of every project."""
    return find_global_file() if is_global else os.path.join(project, PROJECT_FILE)


def _named(project: str, arguments: argparse.Namespace) -> DocumentCollection:
    """The collection that a person names, as the file will name it."""
    is_global: bool = arguments.is_global
    base = os.path.dirname(find_listing_file(project, is_global=is_global))
    source = _written_source(arguments.source, project, is_global=is_global)
    return make_collection(arguments.alias, source, base, "global" if is_global else "project")


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


def _write(collection: DocumentCollection, before: Mapping[str, DocumentCollection]) -> None:
    """Write a collection down; a project's docs/ that was found until now stays a collection beside it."""
    listed = {collection.alias: collection.source}
    if collection.origin == "global":
        write_collections(find_global_file(), listed)
        return
    found = [each.alias for each in before.values() if each.origin == "default"]
    kept = {DEFAULT_FOLDER: DEFAULT_FOLDER} if DEFAULT_FOLDER in found else {}
    write_collections(os.path.join(collection.base, PROJECT_FILE), {**kept, **listed})
    hidden = [alias for alias in found if alias != DEFAULT_FOLDER]
    if hidden and is_watched():
        remark(f"{PROJECT_FILE} decides alone from now on; no collections any more: {', '.join(hidden)}.")


def _warnings(collection: DocumentCollection, after: Mapping[str, DocumentCollection]) -> Iterator[str]:
    """What a person should know of the collection that was added."""
    if hide_secrets(collection.source) != collection.source:
        file = os.path.basename(find_global_file()) if collection.origin == "global" else PROJECT_FILE
        yield f"{file} now holds what lets you in there; let nobody see that file."
    if after[collection.alias].id != collection.id:
        yield f"This project has a collection {collection.alias!r} of its own, which wins here."


def _sync(app: App, upkeep: DocumentsUpkeep, arguments: argparse.Namespace) -> int:
    collections = upkeep.collections()
    unknown = [alias for alias in arguments.aliases if alias not in collections]
    if unknown:
        near = suggest_names(unknown[0], collections)
        listed = ", ".join(collections) or "none yet"
        raise NotFound(f"There is no collection {unknown[0]!r}.{near} The collections: {listed}.")
    if not arguments.aliases:
        upkeep.forget_others()
    done: dict[str, FetchResult | FieldguideError] = {}
    for alias in arguments.aliases or collections:
        try:
            done[alias] = fetch_collection(upkeep, collections[alias], read_rules(app, arguments))
        except Refusal as error:  # the others are fetched all the same
            done[alias] = error
    report_collections(done, as_json=arguments.json)
    return int(any(isinstance(each, FieldguideError) for each in done.values()))


def _list(app: App, upkeep: DocumentsUpkeep, *, as_json: bool) -> int:
    stored = {source.name: source for source in app.engine().sources(KIND)}
    rows: list[dict[str, Any]] = []
    for alias, collection in upkeep.collections().items():
        found = stored.get(collection.id)
        details: Mapping[str, Any] = found.details if found else {}
        row = {"alias": alias, "id": collection.id, "documents": found.documents if found else 0}
        said = {key: details[key] for key in ("version", "description") if details.get(key)}
        rows.append({**row, **said, "synced": bool(found and found.is_synced), "from": collection.origin})
    say_result(rows, _format_rows(rows), as_json=as_json)
    return 0


def _format_rows(rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return ["No collections. `fieldguide documents add ALIAS SOURCE` adds one."]
    heads = ["alias", "documents", "version", "synced", "id", "description"]
    lines = [heads]
    for row in rows:
        shown = {**row, "synced": "yes" if row["synced"] else "no"}
        lines.append([str(shown.get(head, "")) for head in heads])
    return format_table(lines)


def _remove(app: App, upkeep: DocumentsUpkeep, arguments: argparse.Namespace) -> int:
    alias = arguments.alias
    before = upkeep.collections()
    path = find_listing_file(app.settings.project, is_global=arguments.is_global)
    known = before.get(alias)
    origin = "" if known is None else known.origin
    is_default = alias == DEFAULT_FOLDER and not arguments.is_global and origin == "default"
    if alias not in read_sources(path) and not is_default:
        hint = f" {PLACES[origin]}" if origin in PLACES else ""
        raise NotFound(f"There is no collection {alias!r} in {os.path.basename(path)}.{hint}")
    write_collections(path, {alias: None})
    left = {each.id for each in upkeep.collections().values()}
    for each in before.values():
        if each.id not in left:
            upkeep.forget(each)
    say_result({"removed": alias}, [f"Removed {to_visible_line(alias)}."], as_json=arguments.json)
    return 0


def read_rules(app: App, arguments: argparse.Namespace) -> FetchRules:
    """What one fetch may reach and take."""
    allowed = read_allowed_hosts(arguments.allow_address, app.settings.sections.get("fetch", {}))
    return FetchRules(app.settings.limits, allowed)


def fetch_collection(upkeep: DocumentsUpkeep, collection: DocumentCollection, rules: FetchRules) -> FetchResult:
    """Fetch and index a collection, with a bar for whoever waits."""
    bar = ProgressBar()
    try:
        return upkeep.fetch(collection, bar, rules)
    finally:
        bar.clear()


def report_collections(done: Mapping[str, FetchResult | FieldguideError], *, as_json: bool) -> None:
    """Say what came of each collection."""
    rows: list[list[str]] = []
    problems: list[str] = []
    for alias, each in done.items():
        shown = to_visible_line(alias)
        if isinstance(each, FieldguideError):
            problems.append(f"{shown}: {to_visible_line(each.message)} What was there is kept.")
            continue
        rows.append([alias, describe_counts(each.counts._asdict())])
        for name in each.skipped:
            reason = "it is not there, or not what its manifest says."
            problems.append(f"{shown}: {to_visible_line(name)} was passed over: {reason}")
    lines = format_table(rows) if rows else []
    result = {alias: _as_json(each) for alias, each in done.items()}
    say_result(result, lines if done else ["No collections."], as_json=as_json)
    complain(*problems)


def _as_json(done: FetchResult | FieldguideError) -> dict[str, Any]:
    if isinstance(done, FieldguideError):
        return {"error": done.message}
    result = done.counts._asdict()
    if done.skipped:
        result["skipped"] = list(done.skipped)
    return result
