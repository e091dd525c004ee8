"""`fieldguide backup`: writes everything that users wrote into one file; also what restore and migrate-to share."""

import argparse
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

from fieldguide.app import build_app
from fieldguide.cli.options import add_place_options, read_settings_from
from fieldguide.cli.terminal import say, say_json
from fieldguide.storage.database import Database, Schema
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.storage.transfer import TableReport, transfer
from fieldguide.team.served_project import App
from fieldguide.text.errors import Refusal


def open_everything(arguments: Any) -> tuple[App, list[Schema]]:
    """The app with every installed toolset, and all that they keep: a backup must not depend on what is served."""
    app = build_app(replace(read_settings_from(arguments), toolsets=None, suggested_toolsets=None))
    return app, list(dict.fromkeys(each.schema for each in app.toolsets if each.schema is not None))


@contextmanager
def open_file_beside(path: str, schemas: Sequence[Schema]) -> Generator[tuple[Database, str]]:
    """A SQLite database in a folder of its own beside `path`, and the file it will be in once it is closed."""
    with TemporaryDirectory(dir=os.path.dirname(os.path.abspath(path)), prefix=".fieldguide-") as folder:
        file = os.path.join(folder, "fieldguide.db")
        database = SqliteDatabase(lambda: file, schemas, lambda sentence: None)
        try:
            yield database, file
        finally:
            database.close()


def report_tables(reports: Sequence[TableReport], *, as_json: bool, sentence: str) -> None:
    """Say what was carried: a line a table, with the checksum that both sides have."""
    if as_json:
        say_json([each._asdict() for each in reports])
        return
    for each in reports:
        say(f"{each.table}: {each.rows} rows, checksum {each.checksum[:16]} on both sides")
    say(sentence)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, and which project."""
    parser.add_argument("file", metavar="FILE", help="the file to write; it must not be there yet")
    add_place_options(parser)
    parser.add_argument("--json", action="store_true", help="print what was carried as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the file: whole, or not at all."""
    if os.path.exists(arguments.file):
        raise Refusal(f"{arguments.file} is there already; name another file.")
    if not os.path.isdir(os.path.dirname(os.path.abspath(arguments.file))):
        raise Refusal(f"There is no folder for {arguments.file}.")
    app, schemas = open_everything(arguments)
    with open_file_beside(arguments.file, schemas) as (copy, file):
        reports = transfer(app.database, copy, schemas)
        copy.close()
        os.link(file, arguments.file)
    report_tables(reports, as_json=arguments.json, sentence=f"Kept in {arguments.file}.")
    return 0
