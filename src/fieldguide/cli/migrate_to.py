"""`fieldguide migrate-to`: from SQLite beside the project to PostgreSQL for a team."""

import argparse
from dataclasses import replace

from fieldguide.app import open_database
from fieldguide.cli.backup import open_everything, report_tables
from fieldguide.cli.options import add_place_options
from fieldguide.settings.config import POSTGRES
from fieldguide.storage.transfer import transfer
from fieldguide.text.errors import Misconfiguration


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to, and from which project."""
    parser.add_argument("target", metavar="URL", help="a postgresql:// address; its tables must be empty")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Carry it over: whole and equal, or not at all. The old database stays as it is."""
    if not arguments.target.startswith(POSTGRES):
        raise Misconfiguration("The target is a postgresql:// address.")
    app, schemas = open_everything(arguments)
    target = open_database(replace(app.settings, database=arguments.target), schemas, app.executor.journal)
    reports = transfer(app.database, target, schemas)
    sentence = f"Moved to {target.describe()}. Now set `database` in your settings, or FIELDGUIDE_DATABASE, to it."
    target.close()
    report_tables(reports, as_json=arguments.json, sentence=sentence)
    return 0
