"""`fieldguide backup`: everything that users wrote, in one file."""

import argparse
import os

from fieldguide.cli.options import add_place
from fieldguide.cli.transferring import everything, file_beside, tell
from fieldguide.errors import Refusal
from fieldguide.storage.transfer import transfer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, and which project."""
    parser.add_argument("file", metavar="FILE", help="the file to write; it must not be there yet")
    add_place(parser)
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the file: whole, or not at all."""
    if os.path.exists(arguments.file):
        raise Refusal(f"{arguments.file} is there already; name another file.")
    if not os.path.isdir(os.path.dirname(os.path.abspath(arguments.file))):
        raise Refusal(f"There is no folder for {arguments.file}.")
    app, schemas = everything(arguments)
    with file_beside(arguments.file, schemas) as (copy, file):
        reports = transfer(app.database, copy, schemas)
        copy.close()
        os.link(file, arguments.file)
    tell(reports, as_json=arguments.json, sentence=f"Kept in {arguments.file}.")
    return 0
