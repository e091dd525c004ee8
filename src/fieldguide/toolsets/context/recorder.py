"""The trace that calls leave: which files were looked at, in which session. Nobody's answer waits for it.

Looks are written together, a moment after the first of them, or at once when somebody asks for what they leave.
A session that ends, because its connection is gone or was idle for half an hour, is given its topics here.
"""

import atexit
import threading
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import NamedTuple

from fieldguide.discoveries.indexing import index_sessions
from fieldguide.discoveries.items import ItemRepository
from fieldguide.discoveries.sessions import SessionRepository
from fieldguide.discoveries.topics import tell_topics
from fieldguide.errors import FieldguideError
from fieldguide.spine.changes import Change
from fieldguide.toolset import Services
from fieldguide.toolsets.context.project_model import known_model

MOST_CONNECTIONS = 10_000
GATHER_SECONDS = 0.1
FLUSH_SECONDS = 2.0
CHARACTERS_PER_TOKEN = 4


class Access(NamedTuple):
    """One look at a file."""

    connection: str
    user: str | None
    path: str
    size: int
    at: datetime


class Recorder:
    """Writes accesses in a thread of its own, in the order in which they came; what it can't write it tells."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._waiting: SimpleQueue[Access] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        self._is_awaited = threading.Event()
        self._thread: threading.Thread | None = None
        self._connections: dict[str, str] = {}
        self._is_compared = False

    def record(self, access: Access) -> None:
        """Take note of an access, at once."""
        with self._lock:
            self._idle.clear()
            self._waiting.put(access)
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_all, name="recorder", daemon=True)
                self._thread.start()
                atexit.register(self.flush)

    def flush(self) -> None:
        """Have what is not written yet written now, and wait a moment for it."""
        self._is_awaited.set()
        self._idle.wait(FLUSH_SECONDS)

    def end_sessions(self) -> None:
        """End the sessions of this process: their connections are gone. The next start makes them searchable."""
        self.flush()
        if not self._connections:
            return
        try:
            with self._services.database.writing() as transaction:
                sessions = SessionRepository(transaction, self._services.namespace)
                sessions.end(sorted(self._connections), now=datetime.now(UTC))
            self._tell_topics()
        except FieldguideError as error:
            self._services.note("Storage", notice=f"The end of a session was not recorded: {error}")

    def finish_sessions(self) -> None:
        """Give the sessions that have ended their topics, and make them searchable."""
        self._tell_topics()
        services, is_first = self._services, not self._is_compared
        index_sessions(services.database, services.engine(), services.namespace, is_first=is_first)
        self._is_compared = True

    def _write_all(self) -> None:
        while True:
            batch = [self._waiting.get()]
            self._is_awaited.wait(GATHER_SECONDS)
            batch += self._gathered()
            try:
                self._write(batch)
            except Exception as error:  # noqa: BLE001  the border of a thread: the next looks are recorded all the same
                said = f"{len(batch)} looks at files were not recorded: {_sentence(error)}"
                self._services.note("Storage", notice=said)
            with self._lock:
                if self._waiting.empty():
                    self._is_awaited.clear()
                    self._idle.set()

    def _gathered(self) -> list[Access]:
        """Every look that waits by now."""
        gathered: list[Access] = []
        with suppress(Empty):
            while True:
                gathered.append(self._waiting.get_nowait())
        return gathered

    def _write(self, batch: list[Access]) -> None:
        before = set(self._connections.values())
        with self._services.database.writing() as transaction:
            sessions = SessionRepository(transaction, self._services.namespace)
            items = ItemRepository(transaction, self._services.namespace)
            has_ended = sessions.close_idle(now=batch[0].at)
            for access in batch:
                session = sessions.touch(access.connection, user=access.user, now=access.at)
                sessions.access(session, access.path, now=access.at)
                items.access("file", access.path, tokens=access.size // CHARACTERS_PER_TOKEN, now=access.at)
                self._connections[access.connection] = session
            while len(self._connections) > MOST_CONNECTIONS:  # the sessions of the oldest end by being idle
                del self._connections[next(iter(self._connections))]
            items.archive_lowest(batch[-1].at)
        if not before.issuperset(self._connections.values()):
            self._services.changes.announce(Change("resources"))  # a session has begun: it can be read
        if has_ended:
            self.finish_sessions()

    def _tell_topics(self) -> None:
        services = self._services
        with services.database.reading() as transaction:
            is_untold = bool(SessionRepository(transaction, services.namespace).untold())
        if is_untold:
            model = known_model(services.project)
            with services.database.writing() as transaction:
                tell_topics(transaction, services.namespace, lambda path: model.place_of(path).module)


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, FieldguideError) else f"{type(error).__name__}: {error}"
