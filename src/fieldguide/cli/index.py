"""`fieldguide index`: everything that can be searched, brought up to date now."""

import argparse
from collections.abc import Iterator
from time import monotonic
from typing import Any, cast

from fieldguide.app import App, build_app
from fieldguide.cli.indexing import refresh, tell_of_storage
from fieldguide.cli.options import add_project, settings_from
from fieldguide.cli.terminal import GAP, columns_of, complain, fitted, say, say_json
from fieldguide.errors import Failure, Refusal
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.toolsets.documents.sync import NEEDS_EXTRA, TOO_LARGE, needs_extra_sentence, too_large_sentence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project; `--json` for scripts."""
    add_project(parser)
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Do the upkeep of every toolset that has one; 1 when a part of it failed."""
    app = build_app(settings_from(arguments), write_journal=tell_of_storage)
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
        complain(f"{shown(name)}: {shown(sentence)}")
    failed = [
        (name, said["error"]) for each in done.values() for name, said in each["indexed"].items() if _failed(said)
    ]
    for name, error in failed:
        complain(f"{shown(name)}: {shown(error)}")
    return 1 if failed else 0


def _indexed(app: App, name: str) -> dict[str, Any]:
    """What was done for one toolset; what stops it does not stop the others, but for settings that can't be meant."""
    try:
        return refresh(app, name)
    except (Failure, Refusal) as error:
        return {name: {"error": error.message}}


def described(counts: Any) -> str:
    """What was done, as a person says it: `2 added, 0 updated, 0 removed, 7 in total`."""
    said = cast("dict[str, Any]", counts) if isinstance(counts, dict) else {"done": counts}
    counted = {key: value for key, value in said.items() if not isinstance(value, list)}
    return ", ".join(f"{value} {'in total' if key == 'total' else key}" for key, value in counted.items())


def _left_out(done: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The collections with documents that were left out, and why."""
    sentences = {TOO_LARGE: too_large_sentence, NEEDS_EXTRA: needs_extra_sentence}
    for each in done.values():
        for name, said in each["indexed"].items():
            for why, sentence in sentences.items():
                if isinstance(said, dict) and why in said:
                    yield name, sentence(cast("list[str]", said[why]))


def _failed(said: Any) -> bool:
    return isinstance(said, dict) and "error" in said


def _print(done: dict[str, Any]) -> None:
    rows = [
        (toolset, shown(name), described(said))
        for toolset, each in done.items()
        for name, said in each["indexed"].items()
        if not _failed(said)
    ]
    widths = [max((columns_of(row[column]) for row in rows), default=0) for column in (0, 1)]
    say(*(GAP.join((fitted(row[0], widths[0]), fitted(row[1], widths[1]), shown(row[2]))) for row in rows))
    seconds = sum(each["seconds"] for each in done.values())
    say(f"Up to date after {seconds:.1f} seconds." if done else "Nothing here can be indexed.")
