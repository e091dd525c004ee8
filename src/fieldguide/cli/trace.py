"""`fieldguide trace`: the chain from a requirement or decision to code, tests and commits, or what a project lacks."""

import argparse
import os
from itertools import groupby
from typing import Any

from fieldguide.app import build_app
from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.refresh import PATIENCE_SECONDS, BackgroundRefresh, ask_tool
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.typed_paths import resolve_place
from fieldguide.git.history import load_history
from fieldguide.knowledge.links.trace import (
    UNFOLLOWED,
    UNKNOWN,
    UNTESTED,
    TraceGap,
    TraceSummary,
    open_ground,
    summarize_trace,
)
from fieldguide.settings.config import find_namespace
from fieldguide.team.served_project import App
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration
from fieldguide.wire.tool_methods import STRUCTURED_SINCE, encode_answer

TOOL = "guide_trace"
HISTORY_SECONDS = 30.0
NOTHING = "There is nothing to trace: no list of requirements, and no decision."
NOTHING_YET = "Nothing to trace was found so far."
HEADINGS = {
    UNTESTED: "Requirements without a test:",
    UNKNOWN: "Ids that a test names and nothing defines:",
    UNFOLLOWED: "Decisions that nothing follows:",
}
EPILOG = """\
`fieldguide trace --missing` ends with 1 where something is missing, for CI; so does `fieldguide trace OF --missing`.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is asked about, how much may be said of it, and how to print."""
    parser.epilog = EPILOG
    parser.add_argument(
        "of", nargs="?", metavar="OF", help="an id (G-12, ADR 34, #7), a path, a finding, a task, or commit:abc"
    )
    parser.add_argument("--missing", action="store_true", help="end with 1 where something is missing; waits for all")
    parser.add_argument(
        "--budget", type=int, metavar="N", help="at most so many tokens, 200 to 50,000 (default: 2,000)"
    )
    parser.add_argument("--wait", action="store_true", help="wait until everything is indexed, however long it takes")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, ask, and print; 1 where something is missing and that was asked for."""
    waits: bool = arguments.wait or arguments.missing
    if arguments.of is None:
        if arguments.budget is not None:
            raise Misconfiguration("--budget is for the chain of one thing: say which.")
        return _summary(arguments, waits=waits)
    settings = find_settings(arguments)
    given = {"of": resolve_place(os.path.realpath(settings.project), arguments.of), "budget": arguments.budget}
    answer = ask_tool(settings, TOOL, given, waits=waits)
    if arguments.json:
        say_json(encode_answer(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
    return 1 if arguments.missing and _lacks(answer.value) else 0


def _lacks(value: Any) -> bool:
    return bool(value.get("missing"))


def _summary(arguments: argparse.Namespace, *, waits: bool) -> int:
    settings = find_settings(arguments)
    app = build_app(settings, write_journal=lambda lines: None)
    refreshing = BackgroundRefresh(app, [each.name for each in app.toolsets if each.upkeep is not None])
    is_whole = refreshing.wait(None if waits else PATIENCE_SECONDS)
    found = _found(app, find_namespace(settings), settings.project)
    if arguments.json:
        say_json(_as_json(found))
    else:
        say(*(format_summary(found) or [NOTHING if is_whole else NOTHING_YET]))
    complain(*map(to_visible_line, refreshing.wrong))
    if not is_whole:
        complain("Not everything is indexed yet. `fieldguide index` finishes it, and so does --wait.")
    return 1 if arguments.missing and found.gaps else 0


def _found(app: App, namespace: str, project: str) -> TraceSummary:
    engine = app.engine()
    history = load_history(engine.database, namespace, project, wait_seconds=HISTORY_SECONDS)
    with engine.database.reading() as transaction:
        return summarize_trace(open_ground(engine, transaction, namespace, ConfinedFolder(project), history))


def _as_json(found: TraceSummary) -> dict[str, Any]:
    return {**found._asdict(), "gaps": [gap._asdict() for gap in found.gaps]}


def format_summary(found: TraceSummary) -> list[str]:
    """What there is to trace and what of it is missing, as lines; none where there is nothing."""
    lines = [f"{found.tested} of {found.requirements} requirements are named by a test."] if found.requirements else []
    lines += [f"{found.followed} of {found.decisions} decisions lead to code or tests."] if found.decisions else []
    for kind, gaps in groupby(sorted(found.gaps, key=lambda gap: list(HEADINGS).index(gap.kind)), lambda gap: gap.kind):
        lines += ["", HEADINGS[kind], *(f"  {_gap(gap)}" for gap in gaps)]
    return lines


def _gap(gap: TraceGap) -> str:
    return to_visible_line(f"{gap.path}:{gap.line} {gap.name}: {gap.why}")
