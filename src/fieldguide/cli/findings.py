"""`fieldguide remember`, `learn` and `discoveries`: keep findings, learn them from git, list and remove them."""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from fieldguide.app import open_database, open_engine
from fieldguide.cli.console.options import add_place_options, find_settings
from fieldguide.cli.console.terminal import complain, say, say_json
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
from fieldguide.text.display import format_count, to_visible_line
from fieldguide.text.errors import Misconfiguration

DEFAULT_COMMITS = 1000
SHORT_ID = 10


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
    evidence: dict[str, Any] = {"extractedFrom": "remember", "confidence": 1.0}
    if arguments.file:
        root = os.path.realpath(settings.project)
        evidence["files"] = [resolve_place(root, path) for path in arguments.file]
    finding = create_finding(arguments.type, arguments.text, module=arguments.module, evidence=evidence)
    journal = Journal(Metrics())
    with closing(open_database(settings, [SCHEMA], journal)) as database:
        is_new = record_finding(database, open_engine(settings, journal), find_namespace(settings), finding)
    if arguments.json:
        fields = {"id": finding.id, "type": finding.type, "content": finding.content, "module": finding.module}
        say_json({**fields, "isNew": is_new})
    elif is_new:
        say(f"Remembered: {finding.content}")
    else:
        say(f"Already known: {finding.content}")
    return 0


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
    history = GitHistory(settings.project)
    read = list(islice(history.commits(since=arguments.since, limit=arguments.limit + 1), arguments.limit + 1))
    commits = read[: arguments.limit]
    lessons = read_lessons(history, commits, least=arguments.min_confidence)
    found = sift_findings([each.discovery() for each in lessons], present)
    new = [] if arguments.review else _keep(settings, found, present)
    source = f"{format_count(len(commits), 'commit')}."
    if len(read) > len(commits):
        source += " There are older ones: --limit looks further back."
    if arguments.json:
        result: dict[str, Any] = {"commits": len(commits), "hasMore": len(read) > len(commits)}
        if not arguments.review:
            result |= {"new": len(new), "known": len(found) - len(new)}
        say_json({**result, "findings": [_learned_to_json(each) for each in found]})
    elif arguments.review:
        say(*_format_review(found))
        say(f"{format_count(len(found), 'finding')} in {source}")
    else:
        say(f"Kept {format_count(len(new), 'new finding')}, {len(found) - len(new)} already known, from {source}")
    return 0


def _keep(settings: Settings, found: Sequence[Finding], present: ProjectPresent) -> list[Finding]:
    """Keep the findings that are not known yet, and return those; the same finding of another commit is known."""
    journal = Journal(Metrics())
    namespace = find_namespace(settings)
    with closing(open_database(settings, [SCHEMA], journal)) as database:
        new = keep_new_lessons(database, namespace, settings.limits, found, present)
        index_findings(database, open_engine(settings, journal), namespace)
    return new


def _learned_to_json(finding: Finding) -> dict[str, Any]:
    return {"type": finding.type, "content": finding.content, "module": finding.module, **finding.evidence}


def _format_review(found: Sequence[Finding]) -> Iterator[str]:
    for each in found:
        evidence = each.evidence
        module = f" in {to_visible_line(each.module)}" if each.module else ""
        yield f"{each.type}{module}: {to_visible_line(each.content)}"
        yield f"    {evidence['commit'][:SHORT_ID]}, {each.date[:10]}, {to_visible_line(evidence['author'])}"
        yield f"    confidence {evidence['confidence']:.2f}: {to_visible_line(evidence['why'])}"


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
    with closing(open_database(settings, [SCHEMA], journal)) as database:
        if arguments.action == "list":
            with database.reading() as transaction:
                found = FindingRepository(transaction, namespace).all()
            return _list(found, arguments)
        with database.writing() as transaction:
            repository = FindingRepository(transaction, namespace)
            removed = {identity: repository.remove(identity) for identity in arguments.ids}
        index_findings(database, open_engine(settings, journal), namespace)
        return _report_removed(removed, as_json=arguments.json)


def _list(findings: Sequence[Finding], arguments: Any) -> int:
    if arguments.type is not None:
        findings = [each for each in findings if each.type == arguments.type]
    if arguments.module is not None:
        findings = [each for each in findings if each.module == arguments.module]
    if arguments.json:
        say_json([{**each._asdict(), "created_at": each.date, "evidence": dict(each.evidence)} for each in findings])
        return 0
    for each in findings:
        where = f" in {to_visible_line(each.module)}" if each.module else ""
        review = "" if each.review == OPEN else f", {each.review}"
        say(f"{each.id}  {each.date[:10]}  {each.type}{where}{review}", f"    {to_visible_line(each.content)}")
    if not findings:
        say("No discoveries.")
    return 0


def _report_removed(removed: dict[str, bool], *, as_json: bool) -> int:
    if as_json:
        say_json(removed)
    for identity, was_there in removed.items():
        if not was_there:
            complain(f"There is no discovery {identity!r}.")
        elif not as_json:
            say(f"Removed {to_visible_line(identity)}.")
    return 0 if all(removed.values()) else 1
