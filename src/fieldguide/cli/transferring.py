"""What `backup`, `restore` and `migrate-to` share: the served database, files of ours, and what they tell."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

from fieldguide.app import App, build_app
from fieldguide.cli.options import settings_from
from fieldguide.cli.terminal import say, say_json
from fieldguide.storage.port import Database, Schema
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.storage.transfer import TableReport


def everything(arguments: Any) -> tuple[App, list[Schema]]:
    """The app with every installed toolset, and all that they keep: a backup must not depend on what is served."""
    app = build_app(replace(settings_from(arguments), toolsets=None, suggested_toolsets=None))
    return app, list(dict.fromkeys(each.schema for each in app.toolsets if each.schema is not None))


@contextmanager
def file_beside(path: str, schemas: Sequence[Schema]) -> Generator[tuple[Database, str]]:
    """A SQLite database in a folder of its own beside `path`, and the file it will be in once it is closed."""
    with TemporaryDirectory(dir=os.path.dirname(os.path.abspath(path)), prefix=".fieldguide-") as folder:
        file = os.path.join(folder, "fieldguide.db")
        database = SqliteDatabase(lambda: file, schemas, lambda sentence: None)
        try:
            yield database, file
        finally:
            database.close()


def tell(reports: Sequence[TableReport], *, as_json: bool, sentence: str) -> None:
    """Say what was carried: a line a table, with the checksum that both sides have."""
    if as_json:
        say_json([each._asdict() for each in reports])
        return
    for each in reports:
        say(f"{each.table}: {each.rows} rows, checksum {each.checksum[:16]} on both sides")
    say(sentence)
