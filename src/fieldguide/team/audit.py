"""Writes and reads the audit log: one row for each call that writes, and for each command that changes a service.

The row of a change commits in the transaction of the change, so that a crash leaves both or neither. It is kept in the
database of the change: one for all projects on PostgreSQL, a file of each project on SQLite.
"""

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple, cast

from fieldguide.files.file_system import find_login_name
from fieldguide.settings.config import Settings
from fieldguide.spine.journal import CHANGE
from fieldguide.spine.oversight import LONGEST_USER, AuditRecord, shorten_caller_name
from fieldguide.storage.database import BeginTransaction, Database, Dialect, OwnerTransaction, Schema, Transaction
from fieldguide.storage.state_folder import list_database_files
from fieldguide.team.registry import open_service_database
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import StorageFailed

AUDIT_SCHEMA = Schema("audit", "fieldguide.team", folder="migrations/audit")
INSERT = """
    INSERT INTO audit_entry (at, project, username, action, name, outcome, request, connection, arguments, milliseconds)
    VALUES (:at, :project, :user, :action, :name, :outcome, :request, :connection, :arguments, :milliseconds)
"""
HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit_entry'"
LONGEST_VALUE = 200
MOST_VALUES = 20


class AuditedDatabase:
    """A database in which the audit row of a change commits with the change."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def reading(self) -> BeginTransaction:
        """Begins a transaction that only reads."""
        return self._database.reading

    @contextmanager
    def writing(self, cancellation: Cancellation | None = None) -> Generator[Transaction]:
        """A transaction that writes; the first one of an audited change takes its row along."""
        change = CHANGE.get()
        with self._database.writing(cancellation) as transaction:
            yield transaction
            if change is None or change.is_logged:
                return
            row = _make_row(change.describe())
            if cancellation is not None:
                cancellation.check()  # its caller was told that it failed: nothing of it may be kept
            cast("OwnerTransaction", transaction).finish_as_owner(INSERT, row)
        change.is_logged = True

    def add(self, record: AuditRecord) -> None:
        """Write a row of its own: of a call that failed, or whose change is elsewhere."""
        with self._database.writing() as transaction:
            cast("OwnerTransaction", transaction).finish_as_owner(INSERT, _make_row(record))

    @property
    def dialect(self) -> Dialect:
        """The kind of its SQL."""
        return self._database.dialect

    def describe(self) -> str:
        """Which database this is."""
        return self._database.describe()

    def close(self) -> None:
        """Close it."""
        self._database.close()


def _make_row(record: AuditRecord) -> dict[str, Any]:
    return {**record._asdict(), "at": format_moment(datetime.now(UTC))}


class AuditedCommand:
    """A command of the service that changes something: names and rights, never a token."""

    def __init__(self, command: str, told: Mapping[str, Any], project: str = "") -> None:
        self.is_logged = False
        self._command = command
        self._told = {name: _told(value) for name, value in told.items() if value not in (None, [], False)}
        self._project = project

    def describe(self) -> AuditRecord:
        """Who ran the command, and what it was about."""
        return AuditRecord(
            project=shorten_caller_name(self._project),
            user=shorten_caller_name(find_login_name() or "", LONGEST_USER),
            action="command",
            name=self._command,
            outcome="ok",
            arguments=json.dumps(self._told, separators=(",", ":")),
        )


@contextmanager
def open_for_command(
    settings: Settings, schema: Schema, tell: Callable[[str], None], command: AuditedCommand | None
) -> Generator[Database]:
    """The database of the service while the block runs; what the command changes is in the audit log with it."""
    is_audited = command is not None and settings.audit is not False
    schemas = [schema, AUDIT_SCHEMA] if is_audited else [schema]
    with closing(open_service_database(settings, schemas, tell)) as plain:
        changing = CHANGE.set(command)
        try:
            yield AuditedDatabase(plain) if is_audited else plain
        finally:
            CHANGE.reset(changing)


def _told(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_told(each) for each in islice(cast("Sequence[Any]", value), MOST_VALUES)]
    return value if isinstance(value, bool | int) else shorten_caller_name(str(value), LONGEST_VALUE)


def format_moment(moment: datetime) -> str:
    """A moment as the log writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


PAGE = 1000
ENTRY_COLUMNS = (
    "at", "project", "username", "action", "name", "outcome", "request", "connection", "arguments", "milliseconds",
)  # fmt: skip
ENTRIES = """
    SELECT id, at, project, username, action, name, outcome, request, connection, arguments, milliseconds
    FROM audit_entry
    WHERE (at, id) > (:at, :id) AND at >= :since AND at < :until
      AND (CAST(:project AS TEXT) IS NULL OR project = :project)
      AND (CAST(:user AS TEXT) IS NULL OR username = :user)
    ORDER BY at, id LIMIT :page
"""
FOREVER = "9"


class AuditQuery(NamedTuple):
    """Which lines are asked for: from a moment on, before a moment, of a project, of a user."""

    since: str = ""
    until: str = FOREVER
    project: str | None = None
    user: str | None = None


def read_audit(settings: Settings, wanted: AuditQuery, tell: Callable[[str], None]) -> Iterator[dict[str, Any]]:
    """Every line that is wanted, the oldest first: of PostgreSQL, or of each SQLite file of a project or service."""
    if settings.database is not None:
        with closing(open_service_database(settings, [AUDIT_SCHEMA], tell)) as database:
            yield from _read_entries(database, wanted)
        return
    from fieldguide.storage.sqlite import SqliteDatabase

    def read_file(path: str) -> Iterator[dict[str, Any]]:
        with closing(SqliteDatabase(lambda: path, [], tell)) as database:
            try:
                with database.reading() as transaction:
                    has_table = transaction.fetch_one(HAS_TABLE, {}) is not None
                if has_table:
                    yield from _read_entries(database, wanted)
            except StorageFailed as error:
                tell(f"{path}: {error.message} Audit rows in it, if any, are not shown.")

    yield from merge(*map(read_file, list_database_files()), key=itemgetter("at"))


def _read_entries(database: Database, wanted: AuditQuery) -> Iterator[dict[str, Any]]:
    """The lines of one database; only a page of them is in memory."""
    place: dict[str, Any] = {"at": "", "id": 0}
    while True:
        with database.reading() as transaction:
            rows = transaction.fetch_all(ENTRIES, {**wanted._asdict(), **place, "page": PAGE})
        for row in rows:
            yield {name: row[name] for name in ENTRY_COLUMNS}
        if len(rows) < PAGE:
            return
        place = {name: rows[-1][name] for name in place}
