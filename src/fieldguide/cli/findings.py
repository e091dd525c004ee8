"""`fieldguide findings`: add, list, learn from git, review and remove what was found out about a project."""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from fieldguide.app import open_database, open_engine
from fieldguide.cli.console.options import add_json_option, add_place_options, find_settings
from fieldguide.cli.console.terminal import complain, say_result
from fieldguide.files.listing import list_files
from fieldguide.files.project_files import resolve_place
from fieldguide.git.history import read_history
from fieldguide.git.log import GitHistory
from fieldguide.knowledge.findings.commit_message import LEAST_CONFIDENCE
from fieldguide.knowledge.findings.finding import OPEN, TYPES, Finding, FindingRepository, create_finding
from fieldguide.knowledge.findings.indexing import index_findings, record_finding
from fieldguide.knowledge.findings.lessons import ProjectPresent, keep_new_lessons, read_lessons, sift_findings
from fieldguide.settings.config import Settings, find_namespace, open_project_folder
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.text.display import format_count, to_visible_line
from fieldguide.text.errors import Misconfiguration

DEFAULT_COMMITS = 1000
SHORT_ID = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`add`, `list`, `learn`, `review` or `remove`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="keep something worth knowing")
    add.add_argument("text", metavar="TEXT", help="what was found out, in a sentence or two")
    add.add_argument("--type", choices=TYPES, required=True, help="what kind of finding it is")
    add.add_argument("--module", metavar="NAME", help="the module that it is about")
    add.add_argument("--file", metavar="PATH", action="append", default=[], help="a file that shows it; repeatable")
    listing = actions.add_parser("list", help="show them, newest first")
    listing.add_argument("--type", choices=TYPES, help="only this kind")
    listing.add_argument("--module", metavar="NAME", help="only those about this module")
    learn = actions.add_parser("learn", help="keep what the git history says about decisions, faults and rules")
    review = actions.add_parser("review", help="list what `learn` would keep, and why")
    for action in (learn, review):
        _add_history_options(action)
    remove = actions.add_parser("remove", help="forget findings that were wrong")
    remove.add_argument("ids", nargs="+", metavar="ID", help="the id that `list` shows")
    for action in (add, listing, learn, review, remove):
        add_place_options(action)
        add_json_option(action)


def _add_history_options(parser: argparse.ArgumentParser) -> None:
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
    parser.add_argument(
        "--min-confidence",
        type=float,
        metavar="C",
        default=LEAST_CONFIDENCE,
        help=f"leave out what is less sure than this, between 0 and 1 (default: {LEAST_CONFIDENCE})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 when an id to remove is not there."""
    actions = {"add": _add, "list": _list, "learn": _learn, "review": _learn, "remove": _remove}
    return actions[arguments.action](find_settings(arguments), arguments)


def _add(settings: Settings, arguments: argparse.Namespace) -> int:
    """Keep a finding; one that is already kept is not kept twice."""
    evidence: dict[str, Any] = {"extractedFrom": "remember", "confidence": 1.0}
    if arguments.file:
        root = os.path.realpath(settings.project)
        evidence["files"] = [resolve_place(root, path) for path in arguments.file]
    finding = create_finding(arguments.type, arguments.text, module=arguments.module, evidence=evidence)
    journal = Journal(Metrics())
    with closing(open_database(settings, [FINDINGS_SCHEMA], journal)) as database:
        is_new = record_finding(database, open_engine(settings, journal), find_namespace(settings), finding)
    fields = {"id": finding.id, "type": finding.type, "content": finding.content, "module": finding.module}
    said = "Added" if is_new else "Already known"
    say_result({**fields, "isNew": is_new}, [f"{said}: {finding.content}"], as_json=arguments.json)
    return 0


def _learn(settings: Settings, arguments: argparse.Namespace) -> int:
    """Look through the history; keep what it says, or list it for review."""
    if arguments.limit < 1:
        raise Misconfiguration("--limit must be at least 1.")
    if not 0.0 <= arguments.min_confidence <= 1.0:
        raise Misconfiguration("--min-confidence must be between 0 and 1.")
    is_review = arguments.action == "review"
    project = open_project_folder(settings)
    present = ProjectPresent(project, list_files(project).paths, lambda: read_history(settings.project))
    history = GitHistory(settings.project)
    read = list(islice(history.commits(since=arguments.since, limit=arguments.limit + 1), arguments.limit + 1))
    commits = read[: arguments.limit]
    lessons = read_lessons(history, commits, least=arguments.min_confidence)
    found = sift_findings([each.discovery() for each in lessons], present)
    result: dict[str, Any] = {"commits": len(commits), "hasMore": len(read) > len(commits)}
    source = f"{format_count(len(commits), 'commit')}."
    if result["hasMore"]:
        source += " There are older ones: --limit looks further back."
    if is_review:
        lines = [*_format_review(found), f"{format_count(len(found), 'finding')} in {source}"]
    else:
        new = len(_keep(settings, found, present))
        result |= {"new": new, "known": len(found) - new}
        lines = [f"Kept {format_count(new, 'new finding')}, {len(found) - new} already known, from {source}"]
    say_result({**result, "findings": [_learned_to_json(each) for each in found]}, lines, as_json=arguments.json)
    return 0


def _keep(settings: Settings, found: Sequence[Finding], present: ProjectPresent) -> list[Finding]:
    """Keep the findings that are not known yet, and return those; the same finding of another commit is known."""
    journal = Journal(Metrics())
    namespace = find_namespace(settings)
    with closing(open_database(settings, [FINDINGS_SCHEMA], journal)) as database:
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


def _list(settings: Settings, arguments: argparse.Namespace) -> int:
    with (
        closing(open_database(settings, [FINDINGS_SCHEMA], Journal(Metrics()))) as database,
        database.reading() as transaction,
    ):
        findings = FindingRepository(transaction, find_namespace(settings)).all()
    if arguments.type is not None:
        findings = [each for each in findings if each.type == arguments.type]
    if arguments.module is not None:
        findings = [each for each in findings if each.module == arguments.module]
    rows = [{**each._asdict(), "created_at": each.date, "evidence": dict(each.evidence)} for each in findings]
    say_result(rows, _format_findings(findings) if findings else ["No findings."], as_json=arguments.json)
    return 0


def _format_findings(findings: Sequence[Finding]) -> Iterator[str]:
    for each in findings:
        where = f" in {to_visible_line(each.module)}" if each.module else ""
        review = "" if each.review == OPEN else f", {each.review}"
        yield f"{each.id}  {each.date[:10]}  {each.type}{where}{review}"
        yield f"    {to_visible_line(each.content)}"


def _remove(settings: Settings, arguments: argparse.Namespace) -> int:
    namespace = find_namespace(settings)
    journal = Journal(Metrics())
    with closing(open_database(settings, [FINDINGS_SCHEMA], journal)) as database:
        with database.writing() as transaction:
            repository = FindingRepository(transaction, namespace)
            removed = {identity: repository.remove(identity) for identity in arguments.ids}
        index_findings(database, open_engine(settings, journal), namespace)
    lines = [f"Removed {to_visible_line(identity)}." for identity, was_there in removed.items() if was_there]
    say_result(removed, lines, as_json=arguments.json)
    complain(*(f"There is no finding {identity!r}." for identity, was_there in removed.items() if not was_there))
    return 0 if all(removed.values()) else 1
