"""`fieldguide index`: brings everything that can be searched up to date; `index models` lists the models.

`fieldguide stop` is `index --stop`: it ends the background process that another command left behind.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from fieldguide.app import build_app
from fieldguide.cli.console.indexing import REPLACED, Background, IndexPass
from fieldguide.cli.console.options import add_json_option, add_place_options, add_project_options, find_settings
from fieldguide.cli.console.terminal import ProgressLine, complain, format_table, say_result
from fieldguide.search.models.choice import (
    KNOWN,
    KnownModel,
    describe_missing_setting,
    find_configured_model,
    find_known,
)
from fieldguide.settings.config import Settings
from fieldguide.text.display import format_count, to_visible_line
from fieldguide.text.errors import Misconfiguration
from fieldguide.toolsets.context.file_documents import GIVEN_UP, explain_given_up
from fieldguide.toolsets.documents.upkeep import NEEDS_EXTRA, TOO_LARGE, explain_needed_extra, explain_too_large

STOPPED = (
    "The background process was stopped. What it has indexed is kept; within the hour no other is started. "
    "`fieldguide index` finishes the index."
)
NOTICE_SECONDS = 0.2
NOT_RUNNING = "No background process indexes this project."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; or `models`."""
    parser.add_argument("--stop", action="store_true", help="only end the background process that indexes the project")
    add_project_options(parser)
    add_json_option(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("models", help="show the models, which one is in use and which made the index")
    add_place_options(listing)
    add_json_option(listing)


def run(arguments: argparse.Namespace) -> int:
    """Do the upkeep of every toolset that has one; 1 when a part of it failed."""
    settings = find_settings(arguments)
    if arguments.action is not None:
        return _list_models(settings, as_json=arguments.json)
    background = Background(settings)
    if arguments.stop:
        return _stop(background, as_json=arguments.json)
    background.stop(REPLACED)  # whoever runs this waits for it: it goes on here, and quicker
    notices: list[str] = []
    whole = IndexPass(build_app(settings, write_journal=notices.extend))
    with ProgressLine(whole.paint) as line:
        while not whole.wait(NOTICE_SECONDS):
            report_storage(line.remark, notices)
        report_storage(line.remark, notices)
    done: dict[str, Any] = {}
    for name, indexed in whole.done.items():
        done[name] = {"seconds": round(whole.seconds[name], 3), "indexed": indexed}
    say_result(done, _format_done(done), as_json=arguments.json)
    for name, sentence in _list_left_out(done):
        complain(f"{to_visible_line(name)}: {to_visible_line(sentence)}")
    complain(*map(to_visible_line, whole.problems))
    return int(bool(whole.problems))


def _stop(background: Background, *, as_json: bool) -> int:
    """End the background process of a project; that there is none is no error."""
    was_running = background.stop()
    say_result({"stopped": was_running}, [STOPPED if was_running else NOT_RUNNING], as_json=as_json)
    return 0


def describe_counts(counts: Any) -> str:
    """Counts as a sentence: `2 added, 0 updated, 0 removed, 7 in total`."""
    if not isinstance(counts, dict):
        return f"{counts} done"
    parts: list[str] = []
    for key, value in cast("dict[str, Any]", counts).items():
        if key == "total":
            parts.append(f"{value} in total")
        elif not isinstance(value, list):
            parts.append(f"{value} {key}")
    return ", ".join(parts)


def _list_results(done: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """The toolset, the name and the result of everything that was indexed."""
    for toolset, each in done.items():
        for name, result in each["indexed"].items():
            yield toolset, name, result


def _is_error(result: Any) -> bool:
    return isinstance(result, dict) and "error" in result


def _list_left_out(done: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The collections with documents that were left out, and why."""
    for _, name, result in _list_results(done):
        if isinstance(result, dict) and TOO_LARGE in result:
            yield name, explain_too_large(cast("list[str]", result[TOO_LARGE]))
        if isinstance(result, dict) and NEEDS_EXTRA in result:
            yield name, explain_needed_extra(cast("list[str]", result[NEEDS_EXTRA]))
        if isinstance(result, dict) and GIVEN_UP in result:
            yield name, explain_given_up(cast("list[str]", result[GIVEN_UP]))


TITLES = {"adr": "decisions", "text": "configuration"}
CHANGES = {"added": "new", "updated": "changed", "removed": "removed"}


def _format_done(done: dict[str, Any]) -> Iterator[str]:
    """A row for everything that there is, and what is new in it."""
    rows: list[tuple[str, str]] = []
    for _, name, result in _list_results(done):
        if _is_error(result):
            continue
        news = [f"{result[key]:,} {word}" for key, word in CHANGES.items() if result.get(key)]
        total = result.get("total")
        if total or news:
            files = [format_count(total, "file")] if total is not None else []
            rows.append((TITLES.get(name, name), ", ".join([*files, *news])))
    yield from format_table(rows) if rows else ()
    seconds = sum(each["seconds"] for each in done.values())
    yield f"Up to date after {seconds:.1f} seconds." if done else "Nothing here can be indexed."


def report_storage(print_line: Callable[[str], None], lines: list[str]) -> None:
    """Print the notices of the storage among the lines of a journal, such as which process is waited for."""
    while lines:
        entry = json.loads(lines.pop(0))
        if entry.get("message") == "Storage":
            print_line(to_visible_line(str(entry.get("notice", ""))))


def _list_models(settings: Settings, *, as_json: bool) -> int:
    made = _count_makers(settings)
    in_use, wrong = _find_model_in_use(settings)
    rows = [_describe_model(known, in_use, made) for known in KNOWN]
    table = [["model", "dimensions", "state", "installed"]]
    for row in rows:
        states: list[str] = []
        if row["in_use"]:
            states.append("in use")
        if row["made_index"]:
            states.append("made the index")
        installed = "yes" if row["installed"] else f"no: {row['missing']}"
        table.append([row["name"], str(row["dimensions"] or "-"), ", ".join(states), installed])
    lines = format_table(table)
    if wrong:
        lines += ["", wrong]
    say_result({"models": rows, "in_use": in_use, "index": made, "wrong": wrong}, lines, as_json=as_json)
    return 0


def _describe_model(known: KnownModel, in_use: str | None, made: Mapping[str, int]) -> dict[str, Any]:
    is_used = in_use is not None and find_known(in_use) is known
    missing = describe_missing_setting(known, os.environ)
    return {
        "name": in_use if is_used else known.name,
        "dimensions": known.dimensions,
        "installed": not missing,
        "missing": missing,
        "in_use": is_used,
        "made_index": any(f"/{known.made}" in maker for maker in made),
    }


def _find_model_in_use(settings: Settings) -> tuple[str | None, str]:
    """The model that the settings name; or None, and what is wrong with them."""
    try:
        return find_configured_model(settings.sections.get("search", {}), os.environ), ""
    except Misconfiguration as error:
        return None, error.message


def _count_makers(settings: Settings) -> dict[str, int]:
    """How many documents of the index each model has made; nothing where there is no index yet."""
    from fieldguide.app import INDEX_FILE
    from fieldguide.search.engine import SCHEMA
    from fieldguide.search.indexes.document_store import count_documents_by_maker
    from fieldguide.settings.config import find_namespace
    from fieldguide.storage.state_folder import find_expected_folder

    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        with PostgresDatabase(settings.database, [SCHEMA]).reading() as transaction:
            return count_documents_by_maker(transaction, find_namespace(settings))
    from fieldguide.storage.sqlite import SqliteDatabase

    path = os.path.join(find_expected_folder(settings.project), INDEX_FILE)
    if not os.path.exists(path):
        return {}
    with SqliteDatabase(lambda: path, [SCHEMA], lambda sentence: None, is_derived=True).reading() as transaction:
        return count_documents_by_maker(transaction, "")
