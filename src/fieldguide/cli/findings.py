"""`fieldguide findings`: add, list and remove what was found out about a project."""

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from fieldguide.app import open_database, open_engine
from fieldguide.cli.console.options import add_json_option, add_place_options, find_settings
from fieldguide.cli.console.terminal import complain, say_result
from fieldguide.files.project_files import resolve_place
from fieldguide.knowledge.findings.finding import TYPES, Finding, FindingRepository, create_finding
from fieldguide.knowledge.findings.indexing import record_finding, remove_findings
from fieldguide.settings.config import Settings, find_namespace
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.text.display import to_visible_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`add`, `list` or `remove`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add = actions.add_parser("add", help="keep something worth knowing")
    add.add_argument("text", metavar="TEXT", help="what was found out, in a sentence or two")
    add.add_argument("--type", choices=TYPES, required=True, help="what kind of finding it is")
    add.add_argument("--module", metavar="NAME", help="the module that it is about")
    add.add_argument("--file", metavar="PATH", action="append", default=[], help="a file that shows it; repeatable")
    listing = actions.add_parser("list", help="show them, newest first")
    listing.add_argument("--type", choices=TYPES, help="only this kind")
    listing.add_argument("--module", metavar="NAME", help="only those about this module")
    remove = actions.add_parser("remove", help="forget findings that were wrong")
    remove.add_argument("ids", nargs="+", metavar="ID", help="the id that `list` shows")
    for action in (add, listing, remove):
        add_place_options(action)
        add_json_option(action)


def run(arguments: argparse.Namespace) -> int:
    """Do what the action says; 1 when an id to remove is not there."""
    actions = {"add": _add, "list": _list, "remove": _remove}
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
        yield f"{each.id}  {each.date[:10]}  {each.type}{where}"
        yield f"    {to_visible_line(each.content)}"


def _remove(settings: Settings, arguments: argparse.Namespace) -> int:
    journal = Journal(Metrics())
    with closing(open_database(settings, [FINDINGS_SCHEMA], journal)) as database:
        removed = remove_findings(database, open_engine(settings, journal), find_namespace(settings), arguments.ids)
    lines = [f"Removed {to_visible_line(identity)}." for identity, was_there in removed.items() if was_there]
    say_result(removed, lines, as_json=arguments.json)
    complain(*(f"There is no finding {identity!r}." for identity, was_there in removed.items() if not was_there))
    return 0 if all(removed.values()) else 1
