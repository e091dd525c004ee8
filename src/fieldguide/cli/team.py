"""`fieldguide team`: the tokens, the projects and the audit log of a service for a team.

The audit log says who did what: it is exported, verified and pruned here.
"""

import argparse
import csv
import io
import json
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from fieldguide.cli.console.terminal import complain, say, say_json
from fieldguide.cli.service import projects, token
from fieldguide.settings.config import Settings, read_settings
from fieldguide.storage.database import Database
from fieldguide.team.audit import (
    ENTRY_COLUMNS,
    AuditQuery,
    ChainHead,
    collect_pending,
    format_moment,
    open_audit,
    prune_audit,
    read_entries,
    verify_chains,
)
from fieldguide.text.errors import Misconfiguration, Refusal

FORMATS = ("jsonl", "csv")
LARGEST_HEADS_BYTES = 10_000_000
FORMULA = ("=", "+", "-", "@", "\t", "\r")
LONGEST_DAYS = 100_000
FEWEST_DAYS = 1


def add_audit_arguments(parser: argparse.ArgumentParser) -> None:
    """`export`, `verify` or `prune`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    export = actions.add_parser("export", help="print the lines of the log, the oldest first")
    export.add_argument(
        "--since", metavar="WHEN", help="from this day or moment on, such as 2026-11-01, or 30d for days"
    )
    export.add_argument("--until", metavar="WHEN", help="before this day or moment")
    export.add_argument("--project", metavar="NAME", help="only of this project of the service")
    export.add_argument("--user", metavar="ID", help="only of this user")
    export.add_argument("--format", choices=FORMATS, default="jsonl", help="a JSON object a line (the default), or CSV")
    verify = actions.add_parser("verify", help="say whether rows were changed or taken out")
    verify.add_argument("--json", action="store_true", help="print it as JSON, with how far each chain goes")
    verify.add_argument("--against", metavar="FILE", help="what --json printed before: nothing of that may be gone")
    cut = actions.add_parser("prune", help="remove what is older than the log keeps")
    cut.add_argument("--older-than", metavar="DAYS", help="such as 400d (default: the limit audit_days)")
    for action in (export, verify, cut):
        action.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")


def run_audit(arguments: argparse.Namespace) -> int:
    """Do what the action says."""
    settings = read_settings({"database": arguments.database}, os.environ)
    database = open_audit(settings, complain)
    try:
        if settings.database is None:
            collect_pending(database, complain)
        match arguments.action:
            case "export":
                return _export(database, arguments)
            case "verify":
                return _verify(database, arguments)
            case _:
                return _prune(database, arguments, settings)
    finally:
        database.close()


def _export(database: Database, arguments: argparse.Namespace) -> int:
    wanted = AuditQuery(project=arguments.project, user=arguments.user)
    if arguments.since:
        wanted = wanted._replace(since=_moment(arguments.since))
    if arguments.until:
        wanted = wanted._replace(until=_moment(arguments.until))
    entries = read_entries(database, wanted)
    lines = _format_csv(entries) if arguments.format == "csv" else map(json.dumps, entries)
    for line in lines:
        say(line)
    return 0


def _format_csv(found: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Lines of CSV; what a spreadsheet would take for a formula is marked as text."""
    yield ",".join(ENTRY_COLUMNS)
    for row in found:
        line = io.StringIO()
        cells = (str(row[name]) for name in ENTRY_COLUMNS)
        csv.writer(line, lineterminator="").writerow(f"'{cell}" if cell.startswith(FORMULA) else cell for cell in cells)
        yield line.getvalue()


def _verify(database: Database, arguments: argparse.Namespace) -> int:
    verdict = verify_chains(database, _read_heads(arguments.against) if arguments.against else ())
    if arguments.json:
        say_json(
            {"rows": verdict.rows, "heads": [each._asdict() for each in verdict.heads], "problems": verdict.problems}
        )
    elif verdict.problems:
        complain(*(f"{each[0].upper()}{each[1:]}." for each in verdict.problems))
    else:
        say(f"{verdict.rows} rows in {len(verdict.heads)} chains, and none was changed or taken out.")
    return int(bool(verdict.problems))


def _read_heads(path: str) -> list[ChainHead]:
    """The heads that an earlier look has printed."""
    try:
        with open(path, "rb") as file:
            printed = json.loads(file.read(LARGEST_HEADS_BYTES))
        return [ChainHead(str(each["writer"]), int(each["number"]), str(each["hash"])) for each in printed["heads"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refusal(f"{path!r} is not what `fieldguide team audit verify --json` printed.") from error


def _prune(database: Database, arguments: argparse.Namespace, settings: Settings) -> int:
    days = settings.limits.audit_days if arguments.older_than is None else _days(arguments.older_than)
    removed = prune_audit(database, older_than_days=days)
    say(f"Removed {removed} rows that were older than {days} days.")
    return 0


def _days(text: str) -> int:
    number = text.removesuffix("d")
    if not (number.isascii() and number.isdecimal()) or not FEWEST_DAYS <= int(number[:9]) <= LONGEST_DAYS:
        raise Misconfiguration(f"{text[:40]!r} is not a number of days; write 400d.")
    return int(number)


def _moment(text: str) -> str:
    """A day, a moment, or so many days ago, as the log writes moments."""
    if text.endswith("d"):
        return format_moment(datetime.now(UTC) - timedelta(days=_days(text)))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise Misconfiguration(f"{text[:40]!r} is no day or moment; write 2026-11-01, or 30d.") from error
    return format_moment(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


PARTS = {
    "token": ("make, list and revoke the tokens that people show to a service", token.add_arguments, token.run),
    "projects": ("say which projects are served, and who may do what in each", projects.add_arguments, projects.run),
    "audit": ("export the log of who did what, verify and prune it", add_audit_arguments, run_audit),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`token`, `projects` or `audit`, each with actions of its own."""
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    for name, (about, add_part_arguments, _) in PARTS.items():
        add_part_arguments(parts.add_parser(name, help=about))


def run(arguments: argparse.Namespace) -> int:
    """Do what the action of the part says."""
    _, _, run_part = PARTS[arguments.part]
    return run_part(arguments)
