"""The writer of the audit log: lines are taken in without waiting, and written in order, in batches.

What is promised: when `flush` has come back, every line that was taken in before it is safe in the database; a writing
call is not answered before. Lines of reading calls are written within a second or two; a process that is killed loses
those of that moment. Lines that can't be kept while the database is away are counted, and the count becomes a line.
"""

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from time import time

from fieldguide.errors import StorageFailed
from fieldguide.limits import Limits
from fieldguide.spine.journal import timestamp
from fieldguide.spine.oversight.audit import AuditRecord
from fieldguide.storage.port import Database
from fieldguide.teams.audit.chain import FIELDS, Head, linked

COLUMNS = (*FIELDS, "writer", "number", "hash")
INSERT = (
    f"INSERT INTO audit_entry ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)}) "  # noqa: S608  names of ours
    "ON CONFLICT (writer, number) DO NOTHING"
)
"""A batch whose commit got no answer is written again, the same rows under the same numbers."""
BATCH = 500
PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
MINUTE_SECONDS = 60


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
        self._head = Head(os.urandom(8).hex())
        self._waiting: deque[AuditRecord] = deque()
        self._taking, self._writing = threading.Lock(), threading.Lock()
        self._something, self._closed = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None
        self._minute, self._refusals, self._untold = 0, 0, 0
        self._unsaid = 0
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
            self._take(record._replace(at=timestamp(now)))
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep_writing, name="audit", daemon=True)
                self._thread.start()
        self._something.set()

    def flush(self) -> None:
        """Write every line that was taken in before; whoever finds others at it has theirs written with them."""
        with self._writing:
            left = len(self._waiting)  # of those that come meanwhile, whoever brings them takes care
            while left:
                batch = [*islice(self._waiting, min(left, BATCH))]
                left -= len(batch)
                rows = [*linked(self._head, batch)]
                with self._database.writing() as transaction:
                    transaction.execute_many(INSERT, rows)
                self._head = Head(self._head.writer, rows[-1]["number"], rows[-1]["hash"])
                self.written += len(batch)
                for _ in batch:
                    self._waiting.popleft()
            self._say_what_was_lost()

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
            self._take(_summary("refusals", self._untold, timestamp(now)))
        self._minute, self._refusals, self._untold = int(now // MINUTE_SECONDS), 0, 0

    def _say_what_was_lost(self) -> None:
        with self._taking:
            if self._unsaid:
                self._waiting.append(_summary("lost", self._unsaid, timestamp(self._clock())))
                self._unsaid = 0

    def _keep_writing(self) -> None:
        pause = PAUSE_SECONDS
        while not self._closed.is_set():
            self._something.wait()
            self._something.clear()
            self._closed.wait(pause)
            try:
                self.flush()
                pause = PAUSE_SECONDS
            except StorageFailed as error:
                self._tell(error.message)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
                self._something.set()


def _summary(name: str, count: int, at: str) -> AuditRecord:
    """A line for many: how many refused requests have no lines of their own, or how many lines are lost."""
    return AuditRecord("", "", "summary", name, "summary", str(count), at=at)
