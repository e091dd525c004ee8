"""`fieldguide index`: brings everything that can be searched up to date.

With `--stop` it ends the background process that another command left behind.
"""

import argparse
import gc
import json
from collections.abc import Callable, Iterator
from typing import Any, cast

from fieldguide.app import build_app, find_own_index
from fieldguide.cli.console.indexing import REPLACED, Background, IndexPass
from fieldguide.cli.console.options import add_json_option, add_project_options, find_settings
from fieldguide.cli.console.terminal import ProgressLine, complain, format_table, say_result
from fieldguide.files.parser_process import prepare_children
from fieldguide.search.backlog import GIVEN_UP, explain_given_up
from fieldguide.text.display import format_count, to_visible_line
from fieldguide.toolsets.context.file_documents import LEFT_OUT, PARSE_FILE
from fieldguide.toolsets.documents.upkeep import NEEDS_EXTRA, TOO_LARGE, explain_needed_extra, explain_too_large

STOPPED = (
    "The background process was stopped. What it has indexed is kept; within the hour no other is started. "
    "`fieldguide index` finishes the index."
)
NOTICE_SECONDS = 0.2
MOST_UNCOLLECTED = 50_000  # objects: few of them are garbage in cycles, so looking for those often is wasted
NOT_RUNNING = "No background process indexes this project."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which project, and whether to stop."""
    parser.add_argument("--stop", action="store_true", help="only end the background process that indexes the project")
    add_project_options(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Do the upkeep of every toolset that has one; 1 when a part of it failed."""
    gc.set_threshold(MOST_UNCOLLECTED)
    settings = find_settings(arguments)
    background = Background(settings)
    if arguments.stop:
        return _stop(background, as_json=arguments.json)
    background.stop(REPLACED)  # whoever runs this waits for it: it goes on here, and quicker
    if find_own_index(settings) is None:
        prepare_children(PARSE_FILE)  # all files are read
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
        if isinstance(result, dict) and LEFT_OUT in result:
            yield name, " ".join(cast("list[str]", result[LEFT_OUT]))


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
