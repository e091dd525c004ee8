"""Writes, reads, verifies and prunes the audit log, whose rows form a hash chain per writer.

Each process that writes has a chain of its own, so replicas need not agree on anything. A row that was changed, or
taken out from between others, breaks the chain that it was in.

What is promised: the row of a change commits in the transaction of the change, so that a crash leaves both or neither
(`AuditedDatabase`). SQLite has a file for each project; there the row is kept beside the change, and moved to the log
within a second or two. Rows of other calls that write are safe in the database before the call is answered (`flush`).
Rows of reading calls are written within a second or two; a process that is killed loses those of that moment. Rows
that can't be kept while the database is away are counted, and the count becomes a row.
"""

import hashlib
import json
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from time import time
from typing import Any, NamedTuple, cast

from fieldguide.files.file_system import find_login_name
from fieldguide.settings.config import Settings
from fieldguide.settings.limits import Limits
from fieldguide.spine.journal import CHANGE, format_timestamp
from fieldguide.spine.oversight import LONGEST_USER, AuditRecord, shorten_caller_name
from fieldguide.storage.database import BeginTransaction, Database, Dialect, OwnerTransaction, Row, Schema, Transaction
from fieldguide.storage.state_folder import list_database_files, make_private_folder
from fieldguide.team.registry import AUDIT_PENDING_SCHEMA, AUDIT_SCHEMA, SERVICE_FOLDER, open_service_database
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import StorageFailed

FIELDS = (*(name for name in AuditRecord._fields if name != "user"), "username")
COLUMNS = (*FIELDS, "writer", "number", "hash")
INSERT = (
    f"INSERT INTO audit_entry ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)}) "  # noqa: S608  names of ours
    "ON CONFLICT (writer, number) DO NOTHING"
)
"""A batch whose commit got no answer is written again, the same rows under the same numbers."""
KEEP_PENDING = INSERT.replace("audit_entry", "audit_pending")
PENDING = f"SELECT {', '.join(COLUMNS)} FROM audit_pending ORDER BY writer, number LIMIT :most"  # noqa: S608  ours
HAS_PENDING = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'audit_pending'"
MOVED = "DELETE FROM audit_pending WHERE writer = :writer AND number = :number"
BATCH = 500
PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
MINUTE_SECONDS = 60
FILE = "audit.db"
LONGEST_VALUE = 200
MOST_VALUES = 20


class ChainHead(NamedTuple):
    """How far a writer's chain goes: the number and the hash of its last row; 0 and nothing before the first."""

    writer: str
    number: int = 0
    hash: str = ""


def link_rows(head: ChainHead, records: Iterable[AuditRecord]) -> Iterator[dict[str, Any]]:
    """The rows of these records, in the chain that goes on from `head`."""
    for record in records:
        row: dict[str, Any] = {**record._asdict(), "username": record.user}
        del row["user"]
        head = ChainHead(head.writer, head.number + 1, hash_row(head, row))
        yield {**row, **head._asdict()}


def hash_row(before: ChainHead, row: Mapping[str, Any]) -> str:
    """The hash of the row that follows."""
    told = json.dumps([before.hash, before.writer, before.number + 1, *(row[name] for name in FIELDS)])
    return hashlib.sha256(told.encode()).hexdigest()


class AuditWriter:
    """The chain of one process; any thread may use it."""

    def __init__(
        self,
        database: Database,
        limits: Limits,
        *,
        clock: Callable[[], float] = time,
        tell: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._database = database
        self._limits = limits
        self._clock = clock
        self._tell = tell
        self._head = ChainHead(os.urandom(8).hex())
        self._waiting: deque[AuditRecord] = deque()
        self._taking = threading.Lock()
        self._writing = threading.Lock()
        self._something = threading.Event()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        self._minute = 0
        self._refusals = 0
        self._untold = 0
        self._unsaid = 0
        self._chains: list[ChainHead] = []
        self._holders: set[Database] = set()
        self.written = 0
        self.lost = 0

    @property
    def waiting(self) -> int:
        """How many lines are not in the database yet."""
        return len(self._waiting)

    def note(self, record: AuditRecord) -> None:
        """Take a line in, without waiting."""
        with self._taking:
            now = self._clock()
            if record.effect == "refused" and not self._is_told(now):
                return
            self._take(record._replace(at=format_timestamp(now)))
        self._wake()

    def _wake(self) -> None:
        with self._taking:
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep_writing, name="audit", daemon=True)
                self._thread.start()
        self._something.set()

    def join(self, database: Database, *, is_shared: bool) -> tuple[Database, Schema]:
        """The database with an audit row in each transaction that changes something, and the schema that it needs."""
        if is_shared:
            return AuditedDatabase(database, INSERT, self._chains, self._clock, self._count), AUDIT_SCHEMA
        hold = partial(self._hold, database)
        return AuditedDatabase(database, KEEP_PENDING, [], self._clock, hold), AUDIT_PENDING_SCHEMA

    def _count(self) -> None:
        with self._taking:
            self.written += 1

    def _hold(self, database: Database) -> None:
        """Remember that rows in this database must be moved to the log."""
        with self._taking:
            self._holders.add(database)
        self._wake()

    def collect(self) -> None:
        """Move to the log what was committed with changes of other databases."""
        with self._taking:
            holders = [*self._holders]
            self._holders.clear()
        for holder in holders:
            try:
                self.written += move_pending(holder, self._database)
            except StorageFailed:
                with self._taking:
                    self._holders.add(holder)
                raise

    def flush(self) -> None:
        """Write every line that was taken in before; whoever finds others at it has theirs written with them."""
        with self._writing:
            left = len(self._waiting)  # of those that come meanwhile, whoever brings them takes care
            while left:
                batch = [*islice(self._waiting, min(left, BATCH))]
                left -= len(batch)
                rows = [*link_rows(self._head, batch)]
                with self._database.writing() as transaction:
                    transaction.execute_many(INSERT, rows)
                self._head = ChainHead(self._head.writer, rows[-1]["number"], rows[-1]["hash"])
                self.written += len(batch)
                for _ in batch:
                    self._waiting.popleft()
            with self._taking:
                if self._unsaid:
                    self._waiting.append(_summary("lost", self._unsaid, format_timestamp(self._clock())))
                    self._unsaid = 0

    def close(self) -> None:
        """Write what waits, if the database takes it."""
        with suppress(StorageFailed):
            self.close_or_fail()

    def close_or_fail(self) -> None:
        """Write what waits; StorageFailed if the database does not take it."""
        self._closed.set()
        with self._taking:
            self._end_minute(self._clock())
        self._something.set()
        self.flush()
        self.collect()

    def _take(self, record: AuditRecord) -> None:
        """Keep a line until it is written; where too many wait, those that changed nothing are only counted."""
        many = self._limits.audit_rows_waiting * (2 if record.effect == "write" else 1)
        if len(self._waiting) < many:
            self._waiting.append(record)
        else:
            self.lost += 1
            self._unsaid += 1

    def _is_told(self, now: float) -> bool:
        """Whether a refusal gets a line of its own; of the others their number is told when the minute is over."""
        if int(now // MINUTE_SECONDS) != self._minute:
            self._end_minute(now)
        self._refusals += 1
        if self._refusals <= self._limits.audit_refusals_per_minute:
            return True
        self._untold += 1
        return False

    def _end_minute(self, now: float) -> None:
        if self._untold:
            self._take(_summary("refusals", self._untold, format_timestamp(now)))
        self._minute = int(now // MINUTE_SECONDS)
        self._refusals = 0
        self._untold = 0

    def _keep_writing(self) -> None:
        pause = PAUSE_SECONDS
        while not self._closed.is_set():
            self._something.wait()
            self._something.clear()
            self._closed.wait(pause)
            try:
                self.flush()
                self.collect()
                pause = PAUSE_SECONDS
            except StorageFailed as error:
                self._tell(error.message)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
                self._something.set()


def _summary(name: str, count: int, at: str) -> AuditRecord:
    """A line for many: how many refused requests have no lines of their own, or how many lines are lost."""
    return AuditRecord("", "", "summary", name, "summary", str(count), at=at)


class AuditedDatabase:
    """A database in which the audit row of a change commits with the change.

    Each transaction extends a chain that no other one uses at the same time. A chain whose transaction failed is not
    used again: its last row may have been committed without an answer.
    """

    def __init__(
        self,
        database: Database,
        insert: str,
        chains: list[ChainHead],
        clock: Callable[[], float],
        tell_committed: Callable[[], None],
    ) -> None:
        self._database = database
        self._insert = insert
        self._chains = chains
        self._clock = clock
        self._tell_committed = tell_committed

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
            try:
                head = self._chains.pop()
            except IndexError:  # all are in use
                head = ChainHead(os.urandom(8).hex())
            record = change.describe()._replace(at=format_timestamp(self._clock()))
            [row] = link_rows(head, [record])
            if cancellation is not None:
                cancellation.check()  # its caller was told that it failed: nothing of it may be kept
            cast("OwnerTransaction", transaction).finish_as_owner(self._insert, row)
        self._chains.append(ChainHead(head.writer, row["number"], row["hash"]))
        change.is_logged = True
        self._tell_committed()

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


def move_pending(holder: Database, log: Database) -> int:
    """Move audit rows from the database of a project to the log, and say how many; a row that is there already stays.

    Whoever is killed between the two leaves the rows in both, and the next one goes on.
    """
    moved = 0
    while True:
        with holder.reading() as transaction:
            rows = [dict(row) for row in transaction.fetch_all(PENDING, {"most": BATCH})]
        if not rows:
            return moved
        with log.writing() as transaction:
            transaction.execute_many(INSERT, rows)
        with holder.writing() as transaction:
            transaction.execute_many(MOVED, [{"writer": row["writer"], "number": row["number"]} for row in rows])
        moved += len(rows)


def collect_pending(log: Database, tell: Callable[[str], None]) -> None:
    """Move every row that a killed server left in an SQLite file of a project or the service to the log."""
    from fieldguide.storage.sqlite import SqliteDatabase

    for path in list_database_files():
        with closing(SqliteDatabase(partial(str, path), [], tell)) as holder:
            try:
                with holder.reading() as transaction:
                    has_rows = transaction.fetch_one(HAS_PENDING, {}) is not None
                if has_rows:
                    move_pending(holder, log)
            except StorageFailed as error:
                tell(f"{path}: {error.message} Audit rows in it, if any, are not shown.")


def open_audit(settings: Settings, tell: Callable[[str], None]) -> Database:
    """The database of the audit log; it is met when it is first needed."""
    if settings.database is not None:
        return open_service_database(settings, [AUDIT_SCHEMA], tell)
    from fieldguide.storage.sqlite import SqliteDatabase

    return SqliteDatabase(lambda: os.path.join(make_private_folder(SERVICE_FOLDER), FILE), [AUDIT_SCHEMA], tell)


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
            effect="write",
            outcome="ok",
            arguments=json.dumps(self._told, separators=(",", ":")),
        )


@contextmanager
def open_for_command(
    settings: Settings, schema: Schema, tell: Callable[[str], None], command: AuditedCommand | None
) -> Generator[Database]:
    """The database of the service while the block runs; what the command changes is in the audit log with it."""
    if command is None or settings.audit is False:
        with closing(open_service_database(settings, [schema], tell)) as plain:
            yield plain
        return
    log = open_audit(settings, tell)
    writer = AuditWriter(log, settings.limits)
    schemas = [schema]
    opened = open_service_database(settings, schemas, tell)
    database, needed = writer.join(opened, is_shared=settings.database is not None)
    schemas.append(needed)
    with closing(log), closing(database):
        changing = CHANGE.set(command)
        try:
            yield database
        finally:
            CHANGE.reset(changing)
            writer.close()


def _told(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_told(each) for each in islice(cast("Sequence[Any]", value), MOST_VALUES)]
    return value if isinstance(value, bool | int) else shorten_caller_name(str(value), LONGEST_VALUE)


BEFORE = """
    SELECT writer, COALESCE(MIN(CASE WHEN at >= :moment THEN number END) - 1, MAX(number)) AS number
    FROM audit_entry GROUP BY writer
    HAVING MIN(at) < :moment
"""
ANCHOR = """
    INSERT INTO audit_anchor (writer, number, hash, pruned_at)
    SELECT writer, number, hash, :now FROM audit_entry WHERE writer = :writer AND number = :number
"""
DELETE = "DELETE FROM audit_entry WHERE writer = :writer AND number <= :number"


def prune_audit(database: Database, *, older_than_days: int, now: datetime | None = None) -> int:
    """Remove the rows that are so old, and say how many they were."""
    now = now or datetime.now(UTC)
    moment = now - timedelta(days=older_than_days)
    removed = 0
    with database.writing() as transaction:
        if database.dialect == "postgres":
            transaction.fetch_one("SELECT set_config('fieldguide.audit_prune', 'on', true) AS was", {})
        else:
            transaction.execute("INSERT INTO audit_pruning (allowed) VALUES (1)", {})
        for row in transaction.fetch_all(BEFORE, {"moment": format_moment(moment)}):
            place = {"writer": row["writer"], "number": row["number"]}
            transaction.execute(ANCHOR, {**place, "now": format_moment(now)})
            removed += transaction.execute(DELETE, place)
        if database.dialect == "sqlite":
            transaction.execute("DELETE FROM audit_pruning", {})
    return removed


def format_moment(moment: datetime) -> str:
    """A moment as the log writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


PAGE = 1000
ENTRY_COLUMNS = ("at", *(name for name in FIELDS if name != "at"), "writer", "number", "hash")
ENTRIES = f"""
    SELECT {", ".join(ENTRY_COLUMNS)} FROM audit_entry
    WHERE (at, writer, number) > (:at, :writer, :number) AND at >= :since AND at < :until
      AND (CAST(:project AS TEXT) IS NULL OR project = :project)
      AND (CAST(:user AS TEXT) IS NULL OR username = :user)
    ORDER BY at, writer, number LIMIT :page
"""  # noqa: S608  names of ours
CHAIN = f"""
    SELECT {", ".join(ENTRY_COLUMNS)} FROM audit_entry
    WHERE writer = :writer AND number > :number ORDER BY number LIMIT :page
"""  # noqa: S608  names of ours
WRITERS = "SELECT writer, MIN(number) AS number FROM audit_entry GROUP BY writer ORDER BY writer"
ANCHORS = "SELECT writer, number, hash FROM audit_anchor ORDER BY writer, number"
FOREVER = "9"


class AuditQuery(NamedTuple):
    """Which lines are asked for: from a moment on, before a moment, of a project, of a user."""

    since: str = ""
    until: str = FOREVER
    project: str | None = None
    user: str | None = None


class AuditVerdict(NamedTuple):
    """What a look through the chains found: how far each goes, and what is wrong."""

    rows: int
    heads: list[ChainHead]
    problems: list[str]


def read_entries(database: Database, wanted: AuditQuery) -> Iterator[dict[str, Any]]:
    """Every line that is wanted, the oldest first; only a page of them is in memory."""
    place: dict[str, Any] = {"at": "", "writer": "", "number": 0}
    while True:
        with database.reading() as transaction:
            rows = transaction.fetch_all(ENTRIES, {**wanted._asdict(), **place, "page": PAGE})
        for row in rows:
            yield {name: row[name] for name in ENTRY_COLUMNS}
        if len(rows) < PAGE:
            return
        place = {name: rows[-1][name] for name in place}


def verify_chains(database: Database, kept: Iterable[ChainHead] = ()) -> AuditVerdict:
    """Look through every chain; `kept` are heads of an earlier look, and each must still be there, or be pruned."""
    with database.reading() as transaction:
        first = {row["writer"]: row["number"] for row in transaction.fetch_all(WRITERS, {})}
        anchors = [ChainHead(row["writer"], row["number"], row["hash"]) for row in transaction.fetch_all(ANCHORS, {})]
    pruned = {each.writer: each for each in anchors}  # the last one of each
    found = ChainProblems({each.writer: {each.number: each.hash} for each in kept})
    heads = [found.follow(database, writer, pruned.get(writer, ChainHead(writer))) for writer in first]
    found.miss(pruned)
    return AuditVerdict(found.rows, heads, found.problems)


class ChainProblems:
    """What is found on the way through the chains."""

    def __init__(self, kept: Mapping[str, dict[int, str]]) -> None:
        self._kept = {writer: {**hashes} for writer, hashes in kept.items()}
        self.rows = 0
        self.problems: list[str] = []

    def follow(self, database: Database, writer: str, head: ChainHead) -> ChainHead:
        """Go along one chain from where it begins; where it ends."""
        while True:
            with database.reading() as transaction:
                rows = transaction.fetch_all(CHAIN, {"writer": writer, "number": head.number, "page": PAGE})
            for row in rows:
                head = self._next(head, row)
            if len(rows) < PAGE:
                return head

    def miss(self, pruned: Mapping[str, ChainHead]) -> None:
        """Tell of the heads of an earlier look that are nowhere, and were not pruned either."""
        for writer, hashes in self._kept.items():
            for number in hashes:
                if number > pruned.get(writer, ChainHead(writer)).number:
                    self.problems.append(f"row {number} of writer {writer} is gone; it was there at an earlier look")

    def _next(self, head: ChainHead, row: Row) -> ChainHead:
        self.rows += 1
        number: int = row["number"]
        if number != head.number + 1:
            missing = (
                f"row {head.number + 1}" if number == head.number + 2 else f"rows {head.number + 1} to {number - 1}"
            )
            self.problems.append(f"{missing} of writer {head.writer}: missing")
        elif hash_row(head, row) != row["hash"]:
            self.problems.append(f"row {number} of writer {head.writer}: changed, or the one before it")
        if self._kept.get(head.writer, {}).pop(number, row["hash"]) != row["hash"]:
            self.problems.append(f"row {number} of writer {head.writer} is not the one of an earlier look")
        return ChainHead(head.writer, number, row["hash"])
