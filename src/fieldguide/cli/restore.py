"""`fieldguide restore`: what a backup holds, back into the database."""

import argparse
import shutil

from fieldguide.cli.backup import open_everything, open_file_beside, report_tables
from fieldguide.cli.options import add_place_options
from fieldguide.storage.health import find_file_problems, find_missing_tables
from fieldguide.storage.transfer import transfer
from fieldguide.text.errors import Refusal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, which project, and whether to replace what is there."""
    parser.add_argument("file", metavar="FILE", help="a file that `fieldguide backup` wrote")
    add_place_options(parser)
    parser.add_argument("--replace", action="store_true", help="remove what the database holds first")
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Carry it over: whole, or not at all. The backup itself is only read."""
    app, schemas = open_everything(arguments)
    with open_file_beside(arguments.file, schemas) as (backup, file):
        try:
            shutil.copyfile(arguments.file, file)
        except OSError as error:
            raise Refusal(f"{arguments.file} can't be read: {error.strerror}.") from error
        problems = find_file_problems(file)
        if problems:
            raise Refusal(f"{arguments.file} is damaged or no backup of ours: {problems[0]}.")
        missing = find_missing_tables(file, schemas)
        if missing:
            raise Refusal(f"{arguments.file} is no backup of everything: it lacks {', '.join(missing)}.")
        try:
            reports = transfer(backup, app.database, schemas, replace=arguments.replace)
        except Refusal as refusal:
            raise Refusal(f"{refusal.message} `--replace` removes what is there first.") from refusal
    report_tables(reports, as_json=arguments.json, sentence=f"Restored into {app.database.describe()}.")
    return 0
