"""Opens the database of a service, and lists the tables that it keeps there."""

import os
from collections.abc import Callable, Sequence

from fieldguide.settings.config import Settings
from fieldguide.storage.database import Database, Schema
from fieldguide.storage.state_folder import make_private_folder

AUDIT_SCHEMA = Schema("audit", "fieldguide.team", ("audit_entry", "audit_anchor"), folder="migrations/audit")


PAGES_SCHEMA = Schema("pages", "fieldguide.team", ("page_key",), folder="migrations/pages")


PROJECTS_SCHEMA = Schema(
    "projects",
    "fieldguide.team",
    ("registry_revision", "hosted_project", "project_grant", "project_copy"),
    folder="migrations/projects",
)


REPLICAS_SCHEMA = Schema(
    "replicas",
    "fieldguide.team",
    (
        "replica_session",
        "replica_workflow",
        "replica_workflow_result",
        "replica_key",
        "replica_rate",
        "replica_quota",
        "replica_message",
    ),
    folder="migrations/replicas",
)


SERVICE_FOLDER = "service"
SERVICE_FILE = "service.db"


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

    return SqliteDatabase(lambda: os.path.join(make_private_folder(SERVICE_FOLDER), SERVICE_FILE), schemas, tell)


TOKENS_SCHEMA = Schema("tokens", "fieldguide.team", ("access_token",), folder="migrations/tokens")
