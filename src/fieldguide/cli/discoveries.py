"""`fieldguide discoveries`: what was remembered and learnt, to be looked over and corrected."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from fieldguide.app import open_database, open_engine
from fieldguide.cli.options import add_place_options, find_settings
from fieldguide.cli.terminal import complain, say, say_json
from fieldguide.knowledge.findings import SCHEMA
from fieldguide.knowledge.findings.finding import OPEN, TYPES, Finding, FindingRepository
from fieldguide.knowledge.findings.indexing import index_findings
from fieldguide.settings.config import find_namespace
from fieldguide.spine.journal import Journal
from fieldguide.spine.metrics import Metrics
from fieldguide.text.display import to_visible_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(arguments: Any) -> int:
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
