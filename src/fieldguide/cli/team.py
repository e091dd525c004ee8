"""`fieldguide team`: the tokens, the projects and the audit log of a service for a team."""

import argparse
import csv
import io
import json
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from fieldguide.cli.console.terminal import complain, say
from fieldguide.cli.service import projects, token
from fieldguide.settings.config import read_settings
from fieldguide.team.audit import ENTRY_COLUMNS, AuditQuery, format_moment, read_audit
from fieldguide.text.errors import Misconfiguration

FORMATS = ("jsonl", "csv")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
LONGEST_DAYS = 100_000
FEWEST_DAYS = 1


def add_audit_arguments(parser: argparse.ArgumentParser) -> None:
    """Which lines, and in which form."""
    parser.add_argument(
        "--since", metavar="WHEN", help="from this day or moment on, such as 2026-11-01, or 30d for days"
    )
    parser.add_argument("--until", metavar="WHEN", help="before this day or moment")
    parser.add_argument("--project", metavar="NAME", help="only of this project of the service")
    parser.add_argument("--user", metavar="ID", help="only of this user")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="a JSON object a line (the default), or CSV")
    parser.add_argument("--database", metavar="URL", help="a postgresql:// address (default: SQLite)")


def run_audit(arguments: argparse.Namespace) -> int:
    """Print the lines, the oldest first."""
    settings = read_settings({"database": arguments.database}, os.environ)
    wanted = AuditQuery(project=arguments.project, user=arguments.user)
    if arguments.since:
        wanted = wanted._replace(since=_moment(arguments.since))
    if arguments.until:
        wanted = wanted._replace(until=_moment(arguments.until))
    entries = read_audit(settings, wanted, complain)
    for line in _format_csv(entries) if arguments.format == "csv" else map(json.dumps, entries):
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
    "audit": ("print the log of who changed what, the oldest first", add_audit_arguments, run_audit),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`token`, `projects` or `audit`."""
    parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
    for name, (about, add_part_arguments, _) in PARTS.items():
        add_part_arguments(parts.add_parser(name, help=about))


def run(arguments: argparse.Namespace) -> int:
    """Do what the action of the part says."""
    _, _, run_part = PARTS[arguments.part]
    return run_part(arguments)
