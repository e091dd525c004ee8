"""`fieldguide learn`: keep what the git history of a project says about decisions, faults, rules and patterns."""

import argparse
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fieldguide.app import namespace_of, open_database, open_engine
from fieldguide.cli.options import add_place, settings_from
from fieldguide.cli.terminal import say, say_json
from fieldguide.config import Settings
from fieldguide.discoveries import SCHEMA
from fieldguide.discoveries.discovery import Discovery
from fieldguide.discoveries.indexing import index_discoveries
from fieldguide.discoveries.keeping import keep_new
from fieldguide.discoveries.learning import LEAST_CONFIDENCE
from fieldguide.discoveries.lessons import lessons_of
from fieldguide.errors import Misconfiguration
from fieldguide.project_history.git_history import GitHistory
from fieldguide.spine.foreign_text.visible_text import shown
from fieldguide.spine.journal import Journal
from fieldguide.spine.metrics import Metrics

DEFAULT_COMMITS = 1000
SHORT_ID = 10


class Learned(NamedTuple):
    """What a look at the history gave."""

    commits: int
    has_more: bool
    found: Sequence[Discovery]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which commits, and whether to keep or only to list what they say."""
    parser.add_argument(
        "--since", metavar="REF_OR_DATE", help="only commits after this commit, tag, branch or date (2026-01-31)"
    )
    parser.add_argument(
        "--limit",
        type=int,
        metavar="N",
        default=DEFAULT_COMMITS,
        help=f"the latest N commits (default: {DEFAULT_COMMITS})",
    )
    parser.add_argument("--review", action="store_true", help="list what would be kept, and why; keep nothing")
    parser.add_argument(
        "--min-confidence",
        type=float,
        metavar="C",
        default=LEAST_CONFIDENCE,
        help=f"leave out what is less sure than this, between 0 and 1 (default: {LEAST_CONFIDENCE})",
    )
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: Any) -> int:
    """Look through the history; keep what it says, or list it for review."""
    if arguments.limit < 1:
        raise Misconfiguration("--limit must be at least 1.")
    if not 0.0 <= arguments.min_confidence <= 1.0:
        raise Misconfiguration("--min-confidence must be between 0 and 1.")
    settings = settings_from(arguments)
    learned = _look(settings.project, arguments)
    new = [] if arguments.review else _keep(settings, learned.found)
    if arguments.json:
        say_json(_as_json(learned, new, is_review=arguments.review))
    elif arguments.review:
        say(*_review(learned))
    else:
        say(_summary(learned, len(new)))
    return 0


def _look(folder: str, arguments: Any) -> Learned:
    history = GitHistory(folder)
    read = list(islice(history.commits(since=arguments.since, limit=arguments.limit + 1), arguments.limit + 1))
    commits = read[: arguments.limit]
    lessons = lessons_of(history, commits, least=arguments.min_confidence)
    return Learned(len(commits), len(read) > len(commits), [each.discovery() for each in lessons])


def _keep(settings: Settings, found: Sequence[Discovery]) -> list[Discovery]:
    """Keep what is not kept yet; what was new. A commit that says it again, or in another module, adds nothing."""
    journal, namespace = Journal(Metrics()), namespace_of(settings)
    database = open_database(settings, [SCHEMA], journal)
    try:
        new = keep_new(database, namespace, settings.limits, found)
        if new:
            index_discoveries(database, open_engine(settings, journal), namespace)
    finally:
        database.close()
    return new


def _as_json(learned: Learned, new: Sequence[Discovery], *, is_review: bool) -> dict[str, Any]:
    kept = {} if is_review else {"new": len(new), "known": len(learned.found) - len(new)}
    findings = [
        {"type": each.type, "content": each.content, "module": each.module, **each.evidence} for each in learned.found
    ]
    return {"commits": learned.commits, "hasMore": learned.has_more, **kept, "findings": findings}


def _summary(learned: Learned, new: int) -> str:
    known = len(learned.found) - new
    return f"Kept {_counted(new, 'new finding')}, {known} already known, from {_from(learned)}"


def _review(learned: Learned) -> Iterator[str]:
    for each in learned.found:
        evidence, module = each.evidence, f" in {shown(each.module)}" if each.module else ""
        yield f"{each.type}{module}: {shown(each.content)}"
        yield f"    {evidence['commit'][:SHORT_ID]}, {each.date[:10]}, {shown(evidence['author'])}"
        yield f"    confidence {evidence['confidence']:.2f}: {shown(evidence['why'])}"
    yield f"{_counted(len(learned.found), 'finding')} in {_from(learned)}"


def _from(learned: Learned) -> str:
    more = " There are older ones: --limit looks further back." if learned.has_more else ""
    return f"{_counted(learned.commits, 'commit')}.{more}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
