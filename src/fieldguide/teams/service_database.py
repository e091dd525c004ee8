"""The database of a service: the PostgreSQL that its settings name, else a SQLite file beside the state of projects."""

import os
from collections.abc import Callable, Sequence

from fieldguide.config import Settings
from fieldguide.storage.port import Database, Schema
from fieldguide.storage.state_folder import private_folder

FOLDER, FILE = "service", "service.db"


def open_service_database(
    settings: Settings, schemas: Sequence[Schema], tell: Callable[[str], None], *, has_tenants: bool = False
) -> Database:
    """The database that keeps these schemas for the whole service; it is met when it is first needed.

    Where it `has_tenants`, projects that work in PostgreSQL behind walls, these must be there from the start.
    """
    if settings.database is not None:
        from fieldguide.storage.postgres import PostgresDatabase

        return PostgresDatabase(
            settings.database,
            schemas,
            most_connections=settings.limits.database_connections,
            has_tenants=has_tenants,
        )
    from fieldguide.storage.sqlite import SqliteDatabase

    return SqliteDatabase(lambda: os.path.join(private_folder(FOLDER), FILE), schemas, tell)
