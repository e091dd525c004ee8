"""`fieldguide index`: brings everything that can be searched up to date.

Other commands use it too: they refresh the index, with a progress bar or in the background, before they ask a tool.
"""

import argparse
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any, cast

from fieldguide.app import build_app
from fieldguide.cli.console.options import add_project_options, read_settings_from
from fieldguide.cli.console.terminal import (
    GAP,
    complain,
    count_columns,
    count_terminal_columns,
    fit_to_columns,
    is_watched,
    remark,
    say,
    say_json,
    show_in_place,
)
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Answer
from fieldguide.team.served_project import App
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Failure, FieldguideError, Misconfiguration, Refusal
from fieldguide.toolsets.documents.upkeep import NEEDS_EXTRA, TOO_LARGE, explain_needed_extra, explain_too_large
from fieldguide.wire.methods import STRUCTURED_SINCE, encode_answer

BAR_PATIENCE_SECONDS = 0.5
BAR_WIDTH = 30
PATIENCE_SECONDS = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; `--json` for scripts."""
    add_project_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do the upkeep of every toolset that has one; 1 when a part of it failed."""
    app = build_app(read_settings_from(arguments), write_journal=report_storage)
    done: dict[str, Any] = {}
    for toolset in app.toolsets:
        if toolset.upkeep is not None:
            began = monotonic()
            indexed = _index_toolset(app, toolset.name)
            done[toolset.name] = {"seconds": round(monotonic() - began, 3), "indexed": indexed}
    if arguments.json:
        say_json(done)
    else:
        _print(done)
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


def _print(done: dict[str, Any]) -> None:
    rows = [
        (toolset, to_visible_line(name), describe_counts(result))
        for toolset, name, result in _list_results(done)
        if not _is_error(result)
    ]
    toolset_width = max((count_columns(row[0]) for row in rows), default=0)
    name_width = max((count_columns(row[1]) for row in rows), default=0)
    for toolset, name, counts in rows:
        say(
            GAP.join(
                (fit_to_columns(toolset, toolset_width), fit_to_columns(name, name_width), to_visible_line(counts))
            )
        )
    seconds = sum(each["seconds"] for each in done.values())
    say(f"Up to date after {seconds:.1f} seconds." if done else "Nothing here can be indexed.")


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
    app = build_app(settings, write_journal=lambda lines: None)
    problems, is_whole = refresh_in_background(app, waits=waits)
    answer = execute_once(app, tool, arguments)
    report_refresh(problems, is_whole=is_whole)
    return answer


def execute_once(app: App, tool: str, arguments: Mapping[str, Any]) -> Answer:
    """Run one tool in this process; arguments that are None are left out."""
    return app.executor.call(tool, {name: value for name, value in arguments.items() if value is not None})


def print_answer(answer: Answer, *, as_json: bool) -> None:
    """Print the text of an answer, or the whole result of tools/call as JSON."""
    if as_json:
        say_json(encode_answer(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
