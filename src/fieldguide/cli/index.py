"""`fieldguide index`: brings everything that can be searched up to date, and chooses the model for it.

`fieldguide stop` is `index --stop`: it ends the background process that another command left behind.
"""

import argparse
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from fieldguide.app import build_app
from fieldguide.cli.clients.toml_editing import with_value
from fieldguide.cli.console.indexing import REPLACED, Background, IndexPass
from fieldguide.cli.console.options import add_json_option, add_place_options, add_project_options, find_settings
from fieldguide.cli.console.terminal import ProgressLine, complain, format_table, say_result
from fieldguide.files.file_system import PRIVATE_FILE, PRIVATE_FOLDER, replace_file
from fieldguide.search.models.choice import (
    KNOWN,
    MODEL,
    KnownModel,
    describe_missing_setting,
    find_configured_model,
    find_known,
    load_model,
)
from fieldguide.settings.config import Settings, find_personal_file
from fieldguide.text.display import format_count, to_visible_line
from fieldguide.text.errors import Misconfiguration, Refusal
from fieldguide.toolsets.context.file_documents import GIVEN_UP, explain_given_up
from fieldguide.toolsets.documents.upkeep import NEEDS_EXTRA, TOO_LARGE, explain_needed_extra, explain_too_large

STOPPED = (
    "The background process was stopped. What it has indexed is kept; within the hour no other is started. "
    "`fieldguide index` finishes the index."
)
NOTICE_SECONDS = 0.2
NOT_RUNNING = "No background process indexes this project."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; or what to do about models."""
    parser.add_argument("--stop", action="store_true", help="only end the background process that indexes the project")
    add_project_options(parser)
    add_json_option(parser)
    _add_model_actions(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do the upkeep of every toolset that has one; 1 when a part of it failed."""
    if arguments.action is not None:
        return _run_model_action(arguments)
    settings = find_settings(arguments)
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


def _add_model_actions(parser: argparse.ArgumentParser) -> None:
    """`models` or `use`; without any, the command does its own work."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("models", help="show the models, which one is in use and which made the index")
    add_place_options(listing)
    use = actions.add_parser("use", help="write the choice of a model into your own settings, for all your projects")
    use.add_argument("name", metavar="NAME", help="a model, such as built-in or openai:MODEL")
    add_json_option(listing)
    add_json_option(use)


def _run_model_action(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    if arguments.action == "models":
        return _list_models(find_settings(arguments), as_json=arguments.json)
    return _use_model(arguments.name, as_json=arguments.json)


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


def _use_model(name: str, *, as_json: bool) -> int:
    find_known(name)
    load_model(name, os.environ)
    path = find_personal_file(os.environ)
    write_setting(path, table="search", key="model", value=name)
    lines = [f"{path} now says: model = {json.dumps(name)}. The next index embeds every document again."]
    own = os.environ.get(MODEL)
    if own and own != name:
        lines.append(f"But {MODEL} says {own!r}, and your environment wins over the file.")
    say_result({"path": path, "model": name}, lines, as_json=as_json)
    return 0


def write_setting(path: str, *, table: str, key: str, value: str) -> None:
    """Set `key` in `[table]` to a text; a file that can't be changed safely is left alone, and the way out told."""
    wanted = f"{key} = {json.dumps(value, ensure_ascii=False)} under [{table}]"
    target = os.path.realpath(path)  # the person's own file may be a link to wherever they keep such files
    before = _read_settings_text(target)
    after = set_in_text(before, table=table, key=key, value=value)
    if after is None:
        raise Refusal(f"{path} is written in a way that can't be changed safely: write {wanted} yourself.")
    os.makedirs(os.path.dirname(target), mode=PRIVATE_FOLDER, exist_ok=True)
    with replace_file(target, PRIVATE_FILE) as file:
        file.write(after.encode())


def set_in_text(text: str, *, table: str, key: str, value: str) -> str | None:
    """The text with the setting in it; None where the result would not be exactly that one change."""
    before = tomllib.loads(text)
    section = before.get(table, {})
    if not isinstance(section, dict):
        return None
    after = with_value(text, table, key, value)
    try:
        is_right = tomllib.loads(after) == {**before, table: {**section, key: value}}
    except tomllib.TOMLDecodeError:
        return None
    return after if is_right else None


def _read_settings_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        tomllib.loads(text)
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise Misconfiguration(f"{path} can't be read: {error}.") from error
    return text
