"""`fieldguide index`: everything that can be searched, brought up to date now."""

import argparse
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any, cast

from fieldguide.app import build_app
from fieldguide.cli.in_process import BlockingExecutor
from fieldguide.cli.options import add_project_options, read_settings_from
from fieldguide.cli.terminal import (
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

BAR_PATIENCE_SECONDS = 0.5
BAR_WIDTH = 30


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
    """Of the journal, tell whoever waits at the terminal what the storage says, such as whom we wait for."""
    for line in lines:
        told = json.loads(line)
        if told.get("message") == "Storage":
            remark(to_visible_line(str(told.get("notice", ""))))


def refresh_for_tool(app: App, tool: str) -> None:
    """Bring up to date what a tool reads of the index, if it reads any."""
    for toolset in app.toolsets:
        if any(each.name == tool and each.reads_index for each in toolset.tools):
            refresh_toolset(app, toolset.name)


def refresh_toolset(app: App, name: str) -> dict[str, Any]:
    """Bring up to date what one toolset indexes; what was done."""
    bar = ProgressBar()
    try:
        return {
            key: value
            for toolset in app.toolsets
            if toolset.upkeep is not None and toolset.name == name
            for key, value in toolset.upkeep.refresh(bar).items()
        }
    finally:
        bar.clear()


PATIENCE_SECONDS = 5.0


class BackgroundRefresh:
    """A refresh in the background: what could not be indexed, and whether everything has been looked at."""

    def __init__(self, app: App, toolsets: Sequence[str]) -> None:
        self.wrong: list[str] = []
        self._misconfigured: Misconfiguration | None = None
        self._app = app
        self._toolsets = toolsets
        self._thread = threading.Thread(target=self._refresh, name="refresh", daemon=True)

    def wait(self, seconds: float | None = PATIENCE_SECONDS) -> bool:
        """Refresh, and wait for it no longer than this; whether it is done. Settings that are wrong are an error.

        Who asks again waits on for the same refresh.
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
                self.wrong += [f"{part}: {said['error']}" for part, said in done.items() if "error" in said]


def ask_tool(settings: Settings, tool: str, given: Mapping[str, Any], *, waits: bool) -> Answer:
    """What a tool answers once the index is up to date, or patience is at its end, which is told; None is not given."""
    app = build_app(settings, write_journal=lambda lines: None)
    refreshing = BackgroundRefresh(app, [each.name for each in app.toolsets if each.upkeep is not None])
    is_whole = refreshing.wait(None if waits else PATIENCE_SECONDS)
    blocking = BlockingExecutor(app.executor)
    answer = blocking.execute(tool, {name: value for name, value in given.items() if value is not None})
    blocking.close()
    complain(*map(to_visible_line, refreshing.wrong))
    if not is_whole:
        complain("Not everything is indexed yet. `fieldguide index` finishes it, and so does --wait.")
    return answer


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
            indexed = _indexed(app, toolset.name)
            done[toolset.name] = {"seconds": round(monotonic() - began, 3), "indexed": indexed}
    if arguments.json:
        say_json(done)
    else:
        _print(done)
    for name, sentence in _left_out(done):
        complain(f"{to_visible_line(name)}: {to_visible_line(sentence)}")
    failed = [
        (name, said["error"]) for each in done.values() for name, said in each["indexed"].items() if _failed(said)
    ]
    for name, error in failed:
        complain(f"{to_visible_line(name)}: {to_visible_line(error)}")
    return 1 if failed else 0


def _indexed(app: App, name: str) -> dict[str, Any]:
    """What was done for one toolset; what stops it does not stop the others, but for settings that can't be meant."""
    try:
        return refresh_toolset(app, name)
    except (Failure, Refusal) as error:
        return {name: {"error": error.message}}


def describe_counts(counts: Any) -> str:
    """What was done, as a person says it: `2 added, 0 updated, 0 removed, 7 in total`."""
    said = cast("dict[str, Any]", counts) if isinstance(counts, dict) else {"done": counts}
    counted = {key: value for key, value in said.items() if not isinstance(value, list)}
    return ", ".join(f"{value} {'in total' if key == 'total' else key}" for key, value in counted.items())


def _left_out(done: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The collections with documents that were left out, and why."""
    sentences = {TOO_LARGE: explain_too_large, NEEDS_EXTRA: explain_needed_extra}
    for each in done.values():
        for name, said in each["indexed"].items():
            for why, sentence in sentences.items():
                if isinstance(said, dict) and why in said:
                    yield name, sentence(cast("list[str]", said[why]))


def _failed(said: Any) -> bool:
    return isinstance(said, dict) and "error" in said


def _print(done: dict[str, Any]) -> None:
    rows = [
        (toolset, to_visible_line(name), describe_counts(said))
        for toolset, each in done.items()
        for name, said in each["indexed"].items()
        if not _failed(said)
    ]
    widths = [max((count_columns(row[column]) for row in rows), default=0) for column in (0, 1)]
    say(
        *(
            GAP.join((fit_to_columns(row[0], widths[0]), fit_to_columns(row[1], widths[1]), to_visible_line(row[2])))
            for row in rows
        )
    )
    seconds = sum(each["seconds"] for each in done.values())
    say(f"Up to date after {seconds:.1f} seconds." if done else "Nothing here can be indexed.")
