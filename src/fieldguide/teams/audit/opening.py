"""Where the audit log lies: in the database that the settings name, else in a file of its own beside the service's."""

import os
from collections.abc import Callable

from fieldguide.config import Settings
from fieldguide.storage.port import Database
from fieldguide.storage.state_folder import private_folder
from fieldguide.teams.audit import SCHEMA
from fieldguide.teams.service_database import FOLDER, open_service_database

FILE = "audit.db"


def open_audit(settings: Settings, tell: Callable[[str], None]) -> Database:
    """The database of the audit log; it is met when it is first needed."""
    if settings.database is not None:
        return open_service_database(settings, [SCHEMA], tell)
    from fieldguide.storage.sqlite import SqliteDatabase

    return SqliteDatabase(lambda: os.path.join(private_folder(FOLDER), FILE), [SCHEMA], tell)
