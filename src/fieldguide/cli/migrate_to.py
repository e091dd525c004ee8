"""`fieldguide migrate-to`: from SQLite beside the project to PostgreSQL for a team."""

import argparse
from dataclasses import replace

from fieldguide.app import open_database
from fieldguide.cli.options import add_place
from fieldguide.cli.transferring import everything, tell
from fieldguide.config import POSTGRES
from fieldguide.errors import Misconfiguration
from fieldguide.storage.transfer import transfer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, and from which project."""
    parser.add_argument("target", metavar="URL", help="a postgresql:// address; its tables must be empty")
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Carry it over: whole and equal, or not at all. The old database stays as it is."""
    if not arguments.target.startswith(POSTGRES):
        raise Misconfiguration("The target is a postgresql:// address.")
    app, schemas = everything(arguments)
    target = open_database(replace(app.settings, database=arguments.target), schemas, app.executor.journal)
    reports = transfer(app.database, target, schemas)
    sentence = f"Moved to {target.describe()}. Now set `database` in your settings, or FIELDGUIDE_DATABASE, to it."
    target.close()
    tell(reports, as_json=arguments.json, sentence=sentence)
    return 0
