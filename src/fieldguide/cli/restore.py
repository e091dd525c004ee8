"""`fieldguide restore`: what a backup holds, back into the database."""

import argparse
import shutil

from fieldguide.app import build_app
from fieldguide.cli.options import add_project, settings_from
from fieldguide.cli.transferring import file_beside, schemas_of, tell
from fieldguide.errors import Refusal
from fieldguide.storage.transfer import transfer

SIGNATURE = b"SQLite format 3\0"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, which project, and whether to replace what is there."""
    parser.add_argument("file", metavar="FILE", help="a file that `fieldguide backup` wrote")
    add_project(parser)
    parser.add_argument("--replace", action="store_true", help="remove what the database holds first")
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Carry it over: whole, or not at all. The backup itself is only read."""
    app = build_app(settings_from(arguments))
    schemas = schemas_of(app)
    with file_beside(arguments.file, schemas) as (backup, file):
        try:
            shutil.copyfile(arguments.file, file)
        except OSError as error:
            raise Refusal(f"{arguments.file} can't be read: {error.strerror}.") from error
        with open(file, "rb") as copied:
            if copied.read(len(SIGNATURE)) != SIGNATURE:
                raise Refusal(f"{arguments.file} is no backup of ours.")
        reports = transfer(backup, app.database, schemas, replace=arguments.replace)
    tell(reports, as_json=arguments.json, sentence=f"Restored into {app.database.describe()}.")
    return 0
