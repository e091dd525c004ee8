"""Records which files were looked at in which work session, in a thread of its own.

Looks are written together, a moment after the first of them, or at once when somebody asks for what they leave.
A session that ends, because its connection is gone or was idle for half an hour, is given its topics here.
"""

import atexit
import threading
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import NamedTuple

from fieldguide.knowledge.findings.indexing import index_sessions
from fieldguide.knowledge.findings.sessions import ContextItemRepository, SessionRepository, write_topics
from fieldguide.spine.resources import ChangeNotice
from fieldguide.spine.toolset import Services
from fieldguide.text.errors import FieldguideError
from fieldguide.toolsets.context.overview import read_model_or_empty

MOST_CONNECTIONS = 10_000
GATHER_SECONDS = 0.1
FLUSH_SECONDS = 2.0
CHARACTERS_PER_TOKEN = 4


class AccessedFile(NamedTuple):
    """One look at a file."""

    connection: str
    user: str | None
    path: str
    size: int
    at: datetime


class AccessRecorder:
    """Writes accesses in a thread of its own, in the order in which they came; what it can't write it tells."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._waiting: SimpleQueue[AccessedFile] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        self._is_awaited = threading.Event()
        self._thread: threading.Thread | None = None
        self._connections: dict[str, str] = {}
        self._is_compared = False

    def record(self, access: AccessedFile) -> None:
        """Take note of an access, at once."""
        with self._lock:
            self._idle.clear()
            self._waiting.put(access)
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_all, name="recorder", daemon=True)
                self._thread.start()
                atexit.register(self.flush)

    def flush(self) -> bool:
        """Have what is not written yet written now, and wait a moment for it; return whether it is."""
        self._is_awaited.set()
        return self._idle.wait(FLUSH_SECONDS)

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
        services = self._services
        is_first = not self._is_compared
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

    def _gathered(self) -> list[AccessedFile]:
        """Every look that waits by now."""
        gathered: list[AccessedFile] = []
        with suppress(Empty):
            while True:
                gathered.append(self._waiting.get_nowait())
        return gathered

    def _write(self, batch: list[AccessedFile]) -> None:
        before = set(self._connections.values())
        begun: set[str | None] = set()
        with self._services.database.writing() as transaction:
            sessions = SessionRepository(transaction, self._services.namespace)
            items = ContextItemRepository(transaction, self._services.namespace)
            has_ended = sessions.close_idle(now=batch[0].at)
            for access in batch:
                session = sessions.touch(access.connection, user=access.user, now=access.at)
                sessions.access(session, access.path, now=access.at)
                items.access("file", access.path, tokens=access.size // CHARACTERS_PER_TOKEN, now=access.at)
                self._connections[access.connection] = session
                if session not in before:
                    begun.add(access.user)
            while len(self._connections) > MOST_CONNECTIONS:  # the sessions of the oldest end by being idle
                del self._connections[next(iter(self._connections))]
            items.archive_lowest(batch[-1].at)
        for user in begun:  # a session has begun: whoever it belongs to can read it
            self._services.changes.announce(ChangeNotice("resources", user=user))
        if has_ended:
            self.finish_sessions()

    def _tell_topics(self) -> None:
        services = self._services
        with services.database.reading() as transaction:
            is_untold = bool(SessionRepository(transaction, services.namespace).untold())
        if is_untold:
            model = read_model_or_empty(services.project)
            with services.database.writing() as transaction:
                write_topics(transaction, services.namespace, lambda path: model.place_of(path).module)


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, FieldguideError) else f"{type(error).__name__}: {error}"
