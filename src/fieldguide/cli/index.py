"""`fieldguide index`: brings everything that can be searched up to date, and chooses the model for it.

Other commands use it too: they refresh the index, with a progress bar or in the background, before they ask a tool.
"""

import argparse
import json
import os
import threading
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.clients.toml_editing import with_value
from fieldguide.cli.console.options import add_json_option, add_place_options, add_project_options, read_settings_from
from fieldguide.cli.console.terminal import (
    complain,
    count_terminal_columns,
    fit_to_columns,
    format_table,
    is_watched,
    remark,
    say,
    say_result,
    show_in_place,
)
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
from fieldguide.spine.tool import Answer
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Failure, FieldguideError, Misconfiguration, Refusal
from fieldguide.toolsets.documents.upkeep import NEEDS_EXTRA, TOO_LARGE, explain_needed_extra, explain_too_large

BAR_PATIENCE_SECONDS = 0.5
BAR_WIDTH = 30
PATIENCE_SECONDS = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; or what to do about models."""
    add_project_options(parser)
    add_json_option(parser)
    _add_model_actions(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do the upkeep of every toolset that has one; 1 when a part of it failed."""
    if arguments.action is not None:
        return _run_model_action(arguments)
    app = build_app(read_settings_from(arguments), write_journal=report_storage)
    done: dict[str, Any] = {}
    for toolset in app.toolsets:
        if toolset.upkeep is not None:
            began = monotonic()
            indexed = _index_toolset(app, toolset.name)
            done[toolset.name] = {"seconds": round(monotonic() - began, 3), "indexed": indexed}
    say_result(done, _format_done(done), as_json=arguments.json)
    for name, sentence in _list_left_out(done):
        complain(f"{to_visible_line(name)}: {to_visible_line(sentence)}")
    has_failed = False
    for _, name, result in _list_results(done):
        if _is_error(result):
            has_failed = True
            complain(f"{to_visible_line(name)}: {to_visible_line(result['error'])}")
    return int(has_failed)


def _index_toolset(app: App, name: str) -> dict[str, Any]:
    """The counts of one toolset, or its error, which does not stop the others; wrong settings stop all."""
    try:
        return refresh_toolset(app, name)
    except (Failure, Refusal) as error:
        return {name: {"error": error.message}}


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


def _format_done(done: dict[str, Any]) -> Iterator[str]:
    rows = [
        (toolset, name, describe_counts(result))
        for toolset, name, result in _list_results(done)
        if not _is_error(result)
    ]
    yield from format_table(rows) if rows else ()
    seconds = sum(each["seconds"] for each in done.values())
    yield f"Up to date after {seconds:.1f} seconds." if done else "Nothing here can be indexed."


class ProgressBar:
    """A progress bar on stderr; shown on a terminal only, and only for what takes longer than a moment."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._is_shown = False

    def __call__(self, done: int, total: int, name: str) -> None:
        """Show how far the work is."""
        if not is_watched() or monotonic() - self._began < BAR_PATIENCE_SECONDS:
            return
        filled = BAR_WIDTH * done // max(total, 1)
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        show_in_place(
            fit_to_columns(to_visible_line(f"{bar} {done}/{total} {name}"), count_terminal_columns() - 1).rstrip()
        )
        self._is_shown = True

    def clear(self) -> None:
        """Leave no trace of the bar."""
        if self._is_shown:
            show_in_place("")


def report_storage(lines: list[str]) -> None:
    """Print the notices of the storage among the lines of a journal, such as which process is waited for."""
    for line in lines:
        entry = json.loads(line)
        if entry.get("message") == "Storage":
            remark(to_visible_line(str(entry.get("notice", ""))))


def refresh_for_tool(app: App, tool: str) -> None:
    """Bring up to date what a tool reads of the index, if it reads any; the guide reads what all others index."""
    for toolset in app.toolsets:
        if any(each.name == tool and each.reads_index for each in toolset.tools):
            if toolset.upkeep is not None:
                refresh_toolset(app, toolset.name)
            else:
                problems, is_whole = refresh_in_background(app, waits=False)
                report_refresh(problems, is_whole=is_whole)


def refresh_toolset(app: App, name: str) -> dict[str, Any]:
    """Bring up to date what one toolset indexes, and return the counts."""
    bar = ProgressBar()
    done: dict[str, Any] = {}
    try:
        for toolset in app.toolsets:
            if toolset.upkeep is not None and toolset.name == name:
                done.update(toolset.upkeep.refresh(bar))
    finally:
        bar.clear()
    return done


class BackgroundRefresh:
    """A refresh in the background: what could not be indexed, and whether everything has been looked at."""

    def __init__(self, app: App, toolsets: Sequence[str]) -> None:
        self.wrong: list[str] = []
        self._misconfigured: Misconfiguration | None = None
        self._app = app
        self._toolsets = toolsets
        self._thread = threading.Thread(target=self._refresh, name="refresh", daemon=True)

    def wait(self, seconds: float | None = PATIENCE_SECONDS) -> bool:
        """Refresh, and wait no longer than this; whether it is done. Wrong settings are an error.

        A second call waits on for the same refresh.
        """
        if not self._thread.ident:
            self._thread.start()
        self._thread.join(seconds)
        if self._misconfigured is not None:
            raise self._misconfigured
        return not self._thread.is_alive()

    def _refresh(self) -> None:
        for name in self._toolsets:
            try:
                done = refresh_toolset(self._app, name)
            except Misconfiguration as error:
                self._misconfigured = error
            except FieldguideError as error:
                self.wrong.append(f"{name}: {error.message}")
            except Exception as error:  # noqa: BLE001  the border of a thread: whoever waits searches what is there
                self.wrong.append(f"{name}: {error}")
            else:
                self.wrong += [f"{part}: {result['error']}" for part, result in done.items() if "error" in result]


def refresh_in_background(app: App, *, waits: bool) -> tuple[list[str], bool]:
    """Refresh every toolset, and wait a few seconds, or until it is done; the problems, and whether it is done."""
    refreshing = BackgroundRefresh(app, [each.name for each in app.toolsets if each.upkeep is not None])
    is_whole = refreshing.wait(None if waits else PATIENCE_SECONDS)
    return refreshing.wrong, is_whole


def report_refresh(problems: Sequence[str], *, is_whole: bool) -> None:
    """Print the problems of a refresh, and whether something is not indexed yet."""
    complain(*map(to_visible_line, problems))
    if not is_whole:
        complain("Not everything is indexed yet. `fieldguide index` finishes it, and so does --wait.")


def ask_tool(settings: Settings, tool: str, arguments: Mapping[str, Any], *, waits: bool) -> Answer:
    """Refresh the index and ask a tool; arguments that are None are left out."""
    return ask_app(build_app(settings, write_journal=lambda lines: None), tool, arguments, waits=waits)


def ask_app(app: App, tool: str, arguments: Mapping[str, Any], *, waits: bool) -> Answer:
    """The same in an app that is built already."""
    problems, is_whole = refresh_in_background(app, waits=waits)
    answer = execute_once(app, tool, arguments)
    report_refresh(problems, is_whole=is_whole)
    return answer


def execute_once(app: App, tool: str, arguments: Mapping[str, Any]) -> Answer:
    """Run one tool in this process; arguments that are None are left out."""
    return app.executor.call(tool, {name: value for name, value in arguments.items() if value is not None})


def print_answer(answer: Answer, *, as_json: bool) -> None:
    """Print the text of an answer, or its value as JSON."""
    say_result(answer.value, [answer.text], as_json=as_json)


def _add_model_actions(parser: argparse.ArgumentParser) -> None:
    """`models` or `use`; without any, the command does its own work."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("models", help="show the models, which one is in use and which made the index")
    add_place_options(listing)
    use = actions.add_parser("use", help="write the choice of a model into your own settings, for all your projects")
    use.add_argument("name", metavar="NAME", help="a model, such as built-in or openai:MODEL")
    add_json_option(listing)


def _run_model_action(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    settings = read_settings_from(arguments)
    return (
        _list_models(settings, as_json=arguments.json) if arguments.action == "models" else _use_model(arguments.name)
    )


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


def _use_model(name: str) -> int:
    find_known(name)
    load_model(name, os.environ)
    path = find_personal_file(os.environ)
    write_setting(path, table="search", key="model", value=name)
    say(f"{path} now says: model = {json.dumps(name)}. The next index embeds every document again.")
    own = os.environ.get(MODEL)
    if own and own != name:
        say(f"But {MODEL} says {own!r}, and your environment wins over the file.")
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
