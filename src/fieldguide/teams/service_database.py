"""The database of a service: the PostgreSQL that its settings name, else a SQLite file beside the state of projects."""

import os
from collections.abc import Callable, Sequence

from fieldguide.config import Settings
from fieldguide.errors import StorageFailed
from fieldguide.places import PRIVATE_FOLDER, STATE_VARIABLE, state_root
from fieldguide.storage.port import Database, Schema

FOLDER, FILE = "service", "service.db"


def open_service_database(settings: Settings, schemas: Sequence[Schema], tell: Callable[[str], None]) -> Database:
    """The database that keeps these schemas for the whole service; it is met when it is first needed."""
    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        return PostgresDatabase(settings.database, schemas)
    from fieldguide.storage.sqlite import SqliteDatabase

    return SqliteDatabase(lambda: os.path.join(private_folder(FOLDER), FILE), schemas, tell)


def private_folder(*names: str) -> str:
    """A folder below the state root, made if need be, that is ours alone."""
    folder = os.path.join(state_root(), *names)
    try:
        os.makedirs(folder, mode=PRIVATE_FOLDER, exist_ok=True)
        status = os.lstat(folder)
    except OSError as error:
        said = f"Your state folder can't be written to: set {STATE_VARIABLE} to one that can (`fieldguide doctor`)."
        raise StorageFailed(said) from error
    if os.path.islink(folder) or status.st_uid != os.geteuid():
        raise StorageFailed(f"{folder} is a link, or belongs to somebody else: nothing is kept there.")
    return folder
