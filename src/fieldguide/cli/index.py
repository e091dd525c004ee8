"""`fieldguide index`: everything that can be searched, brought up to date now."""

import argparse
from collections.abc import Iterator
from time import monotonic
from typing import Any, cast

from fieldguide.app import build_app
from fieldguide.cli.options import add_project_options, read_settings_from
from fieldguide.cli.refresh import refresh_toolset, report_storage
from fieldguide.cli.terminal import GAP, complain, count_columns, fit_to_columns, say, say_json
from fieldguide.team.served_project import App
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Failure, Refusal
from fieldguide.toolsets.documents.upkeep import NEEDS_EXTRA, TOO_LARGE, explain_needed_extra, explain_too_large


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
