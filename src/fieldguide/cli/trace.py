"""`fieldguide trace`: the chain from a requirement or decision to code, tests and commits, or what a project lacks."""

import argparse
from itertools import groupby
from typing import Any

from fieldguide.app import App, build_app, namespace_of
from fieldguide.cli.finding.asking import answered
from fieldguide.cli.finding.refreshing import PATIENCE_SECONDS, Refreshing
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Misconfiguration
from fieldguide.project_history.keeping import history_of
from fieldguide.server.encoding import STRUCTURED_SINCE, encoded
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.tracing.asking import ground_of
from fieldguide.tracing.missing import UNFOLLOWED, UNKNOWN, UNTESTED, Gap, Summary, summary_of

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
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print the whole result as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Bring the index up to date, ask, and print; 1 where something is missing and that was asked for."""
    waits: bool = arguments.wait or arguments.missing
    if arguments.of is None:
        if arguments.budget is not None:
            raise Misconfiguration("--budget is for the chain of one thing: say which.")
        return _summary(arguments, waits=waits)
    given = {"of": arguments.of, "budget": arguments.budget}
    answer = answered(settings_from(arguments), TOOL, given, waits=waits)
    if arguments.json:
        say_json(encoded(answer, version=STRUCTURED_SINCE, is_modern=False))
    else:
        say(answer.text)
    return 1 if arguments.missing and _lacks(answer.value) else 0


def _lacks(value: Any) -> bool:
    return bool(value.get("missing"))


def _summary(arguments: argparse.Namespace, *, waits: bool) -> int:
    settings = settings_from(arguments)
    app = build_app(settings, write_journal=lambda lines: None)
    refreshing = Refreshing(app, [each.name for each in app.toolsets if each.upkeep is not None])
    is_whole = refreshing.wait(None if waits else PATIENCE_SECONDS)
    found = _found(app, namespace_of(settings), settings.project)
    if arguments.json:
        say_json(_as_json(found))
    else:
        say(*(told(found) or [NOTHING if is_whole else NOTHING_YET]))
    complain(*map(shown, refreshing.wrong))
    if not is_whole:
        complain("Not everything is indexed yet. `fieldguide index` finishes it, and so does --wait.")
    return 1 if arguments.missing and found.gaps else 0


def _found(app: App, namespace: str, project: str) -> Summary:
    engine = app.engine()
    history = history_of(engine.database, namespace, project, wait_seconds=HISTORY_SECONDS)
    with engine.database.reading() as transaction:
        return summary_of(ground_of(engine, transaction, namespace, ConfinedFolder(project), history))


def _as_json(found: Summary) -> dict[str, Any]:
    return {**found._asdict(), "gaps": [gap._asdict() for gap in found.gaps]}


def told(found: Summary) -> list[str]:
    """What there is to trace and what of it is missing, as lines; none where there is nothing."""
    lines = [f"{found.tested} of {found.requirements} requirements are named by a test."] if found.requirements else []
    lines += [f"{found.followed} of {found.decisions} decisions lead to code or tests."] if found.decisions else []
    for kind, gaps in groupby(sorted(found.gaps, key=lambda gap: list(HEADINGS).index(gap.kind)), lambda gap: gap.kind):
        lines += ["", HEADINGS[kind], *(f"  {_gap(gap)}" for gap in gaps)]
    return lines


def _gap(gap: Gap) -> str:
    return shown(f"{gap.path}:{gap.line} {gap.name}: {gap.why}")
