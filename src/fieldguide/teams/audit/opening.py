"""Where the audit log lies: in the database that the settings name, else in a file of the person's state folder."""

import os
from collections.abc import Mapping

from fieldguide.config import Settings
from fieldguide.places import PRIVATE_FOLDER, state_root
from fieldguide.storage.port import Database
from fieldguide.teams.audit import SCHEMA

FILE = "audit.db"


def open_audit(settings: Settings, environment: Mapping[str, str]) -> Database:
    """The database of the audit log; it is opened when it is first needed."""
    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        return PostgresDatabase(settings.database, [SCHEMA])
    from fieldguide.storage.sqlite import SqliteDatabase

    def path() -> str:
        folder = state_root(environment)
        os.makedirs(folder, PRIVATE_FOLDER, exist_ok=True)
        return os.path.join(folder, FILE)

    return SqliteDatabase(path, [SCHEMA], lambda sentence: None)
