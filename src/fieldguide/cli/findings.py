"""`fieldguide learn`: keep what the git history of a project says about decisions, faults, rules and patterns."""

import argparse
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fieldguide.app import open_database, open_engine
from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.files.listing import list_files
from fieldguide.files.project_files import resolve_place
from fieldguide.git.history import read_history
from fieldguide.git.log import GitHistory
from fieldguide.knowledge.findings import SCHEMA
from fieldguide.knowledge.findings.commit_message import LEAST_CONFIDENCE
from fieldguide.knowledge.findings.finding import OPEN, TYPES, Finding, FindingRepository, create_finding
from fieldguide.knowledge.findings.indexing import index_findings, record_finding
from fieldguide.knowledge.findings.lessons import ProjectPresent, keep_new_lessons, read_lessons, sift_findings
from fieldguide.settings.config import Settings, find_namespace, open_project_folder
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.text.display import to_visible_line
from fieldguide.text.errors import Misconfiguration

DEFAULT_COMMITS = 1000
SHORT_ID = 10


class LearnedFindings(NamedTuple):
    """What a look at the history gave."""

    commits: int
    has_more: bool
    found: Sequence[Finding]


def add_learn_arguments(parser: argparse.ArgumentParser) -> None:
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
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run_learn(arguments: Any) -> int:
    """Look through the history; keep what it says, or list it for review."""
    if arguments.limit < 1:
        raise Misconfiguration("--limit must be at least 1.")
    if not 0.0 <= arguments.min_confidence <= 1.0:
        raise Misconfiguration("--min-confidence must be between 0 and 1.")
    settings = find_settings(arguments)
    project = open_project_folder(settings)
    present = ProjectPresent(project, list_files(project).paths, lambda: read_history(settings.project))
    learned = _look(settings.project, arguments, present)
    new = [] if arguments.review else _keep(settings, learned.found, present)
    if arguments.json:
        say_json(_as_json(learned, new, is_review=arguments.review))
    elif arguments.review:
        say(*_review(learned))
    else:
        say(_summary(learned, len(new)))
    return 0


def _look(folder: str, arguments: Any, present: ProjectPresent) -> LearnedFindings:
    history = GitHistory(folder)
    read = list(islice(history.commits(since=arguments.since, limit=arguments.limit + 1), arguments.limit + 1))
    commits = read[: arguments.limit]
    lessons = read_lessons(history, commits, least=arguments.min_confidence)
    found = sift_findings([each.discovery() for each in lessons], present)
    return LearnedFindings(len(commits), len(read) > len(commits), found)


def _keep(settings: Settings, found: Sequence[Finding], present: ProjectPresent) -> list[Finding]:
    """Keep what is not kept yet; what was new. A commit that says it again, or in another module, adds nothing."""
    journal = Journal(Metrics())
    namespace = find_namespace(settings)
    database = open_database(settings, [SCHEMA], journal)
    try:
        new = keep_new_lessons(database, namespace, settings.limits, found, present)
        index_findings(database, open_engine(settings, journal), namespace)
    finally:
        database.close()
    return new


def _as_json(learned: LearnedFindings, new: Sequence[Finding], *, is_review: bool) -> dict[str, Any]:
    kept = {} if is_review else {"new": len(new), "known": len(learned.found) - len(new)}
    findings = [
        {"type": each.type, "content": each.content, "module": each.module, **each.evidence} for each in learned.found
    ]
    return {"commits": learned.commits, "hasMore": learned.has_more, **kept, "findings": findings}


def _summary(learned: LearnedFindings, new: int) -> str:
    known = len(learned.found) - new
    return f"Kept {_counted(new, 'new finding')}, {known} already known, from {_from(learned)}"


def _review(learned: LearnedFindings) -> Iterator[str]:
    for each in learned.found:
        evidence = each.evidence
        module = f" in {to_visible_line(each.module)}" if each.module else ""
        yield f"{each.type}{module}: {to_visible_line(each.content)}"
        yield f"    {evidence['commit'][:SHORT_ID]}, {each.date[:10]}, {to_visible_line(evidence['author'])}"
        yield f"    confidence {evidence['confidence']:.2f}: {to_visible_line(evidence['why'])}"
    yield f"{_counted(len(learned.found), 'finding')} in {_from(learned)}"


def _from(learned: LearnedFindings) -> str:
    more = " There are older ones: --limit looks further back." if learned.has_more else ""
    return f"{_counted(learned.commits, 'commit')}.{more}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def add_discoveries_arguments(parser: argparse.ArgumentParser) -> None:
    """`list` or `remove`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="show them, newest first")
    listing.add_argument("--type", choices=TYPES, help="only this kind")
    listing.add_argument("--module", metavar="NAME", help="only those about this module")
    remove = actions.add_parser("remove", help="forget discoveries that were wrong")
    remove.add_argument("ids", nargs="+", metavar="ID", help="the id that `list` shows")
    for action in (listing, remove):
        add_place_options(action)
        action.add_argument("--json", action="store_true", help="print JSON")


def run_discoveries(arguments: Any) -> int:
    """Do what the action says; 1 when an id is not there."""
    settings = find_settings(arguments)
    namespace = find_namespace(settings)
    journal = Journal(Metrics())
    database = open_database(settings, [SCHEMA], journal)
    try:
        if arguments.action == "list":
            with database.reading() as transaction:
                found = FindingRepository(transaction, namespace).all()
            return _list([each for each in found if _is_wanted(each, arguments)], as_json=arguments.json)
        with database.writing() as transaction:
            repository = FindingRepository(transaction, namespace)
            removed = {identity: repository.remove(identity) for identity in arguments.ids}
        index_findings(database, open_engine(settings, journal), namespace)
        return _told(removed, as_json=arguments.json)
    finally:
        database.close()


def _is_wanted(discovery: Finding, arguments: Any) -> bool:
    return arguments.type in (None, discovery.type) and arguments.module in (None, discovery.module)


def _list(found: Sequence[Finding], *, as_json: bool) -> int:
    if as_json:
        kept = [{**each._asdict(), "created_at": each.date, "evidence": dict(each.evidence)} for each in found]
        say_json(kept)
    else:
        say(*(_lines(found) if found else ["No discoveries."]))
    return 0


def _lines(found: Sequence[Finding]) -> Iterator[str]:
    for each in found:
        where = f" in {to_visible_line(each.module)}" if each.module else ""
        said = "" if each.review == OPEN else f", {each.review}"
        yield f"{each.id}  {each.date[:10]}  {each.type}{where}{said}"
        yield f"    {to_visible_line(each.content)}"


def _told(removed: dict[str, bool], *, as_json: bool) -> int:
    if as_json:
        say_json(removed)
    for identity, was_there in removed.items():
        if not was_there:
            complain(f"There is no discovery {identity!r}.")
        elif not as_json:
            say(f"Removed {to_visible_line(identity)}.")
    return 0 if all(removed.values()) else 1


def add_remember_arguments(parser: argparse.ArgumentParser) -> None:
    """The text, its kind, and where it belongs."""
    parser.add_argument("text", metavar="TEXT", help="what was found out, in a sentence or two")
    parser.add_argument("--type", choices=TYPES, required=True, help="what kind of finding it is")
    parser.add_argument("--module", metavar="NAME", help="the module that it is about")
    parser.add_argument("--file", metavar="PATH", action="append", default=[], help="a file that shows it; repeatable")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was kept, as JSON")


def run_remember(arguments: Any) -> int:
    """Keep the finding; one that is already kept is not kept twice."""
    settings = find_settings(arguments)
    named = [resolve_place(os.path.realpath(settings.project), path) for path in arguments.file]
    files = {"files": named} if named else {}
    evidence = {"extractedFrom": "remember", "confidence": 1.0, **files}
    discovery = create_finding(arguments.type, arguments.text, module=arguments.module, evidence=evidence)
    journal = Journal(Metrics())
    database = open_database(settings, [SCHEMA], journal)
    try:
        is_new = record_finding(database, open_engine(settings, journal), find_namespace(settings), discovery)
    finally:
        database.close()
    if arguments.json:
        said = {"id": discovery.id, "type": discovery.type, "content": discovery.content, "module": discovery.module}
        say_json({**said, "isNew": is_new})
    else:
        say(f"{'Remembered' if is_new else 'Already known'}: {discovery.content}")
    return 0
