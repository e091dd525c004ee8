"""One open PostgreSQL connection that listens for notifications and holds locks.

A process has one for each database, however many projects it serves. A thread of its own drives it: what is to be said
and which locks are wanted is left for it, and it is woken. When the connection is gone, every lock that it held is
another's to take, and what was said meanwhile is lost: whoever listens is told of both.
"""

import select
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict

LOOK_SECONDS = 1.0  # between two tries for a lock that another process holds
SHORTEST_REST_SECONDS = 0.2
LONGEST_REST_SECONDS = 2.0  # between two tries to connect
CONNECT_SECONDS = 5
NAME = "fieldguide line"
MOST_UNSAID = 10_000
MOST_AT_ONCE = 500
# A machine that vanished without a word must not keep its locks: both ends ask each other, and give up after 11 s.
KEEPALIVE = {"keepalives": 1, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
OPTIONS = "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c statement_timeout=10000"

TAKE = "SELECT key, pg_try_advisory_lock(key) FROM unnest(%s::bigint[]) AS key"
SAY = "SELECT pg_notify(%s, said) FROM unnest(%s::text[]) AS said"


class HeldLock(NamedTuple):
    """What is done when a lock is ours, and when it may be another's again. Both must come back at once."""

    gained: Callable[[], None]
    lost: Callable[[], None]


class PostgresLine:
    """The line of one process; it is opened when somebody first needs it.

    `hear` is told of each payload, and `miss` that some may have been missed. Both must come back at once.
    """

    def __init__(self, address: str, channel: str, hear: Callable[[str], None], miss: Callable[[], None]) -> None:
        self._address = address
        self._channel = channel
        self._hear = hear
        self._miss = miss
        self._lock = threading.Lock()
        self._wanted: dict[int, list[HeldLock]] = {}
        self._held: set[int] = set()
        self._unsaid: deque[str] = deque(maxlen=MOST_UNSAID)
        self._released: set[int] = set()
        self._waking: tuple[socket.socket, socket.socket] | None = None
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._has_missed = False
        self.is_open = threading.Event()
        """Whether it is connected now, and hears what is said."""

    def say(self, payload: str) -> None:
        """Tell every process, this one too; it goes out as soon as the line is free."""
        self._unsaid.append(payload)
        self.begin()

    def hold(self, key: int, held: HeldLock) -> None:
        """Take a lock as soon as nobody else has it, and again whenever it was lost; here, one after the other."""
        with self._lock:
            self._wanted.setdefault(key, []).append(held)
        self.begin()

    def release(self, key: int, held: HeldLock) -> None:
        """Give a lock back, or want it no longer; who waits for it in this process has it next."""
        with self._lock:
            waiting = self._wanted.get(key, [])
            is_ours = bool(waiting) and waiting[0] is held and key in self._held
            waiting.remove(held)
            following = waiting[0] if waiting and is_ours else None
            if not waiting:
                self._wanted.pop(key, None)
                self._released.add(key)
        if following is not None:
            following.gained()
        self._wake()

    def close(self) -> None:
        """End the line, with all that it holds."""
        with self._lock:
            self._is_closed = True
            thread = self._thread
        self._wake()
        if thread is not None and thread is not threading.current_thread():
            thread.join(CONNECT_SECONDS)

    def begin(self) -> None:
        """Open the line, if it is not open; what is said from then on is heard."""
        with self._lock:
            if self._thread is None and not self._is_closed:
                self._waking = socket.socketpair()
                for end in self._waking:
                    end.setblocking(False)
                self._thread = threading.Thread(target=self._run, name="line", daemon=True)
                self._thread.start()
        self._wake()

    def _wake(self) -> None:
        if self._waking is not None:
            with suppress(OSError):  # full: it is awake already; or closed
                self._waking[1].send(b"\0")

    def _run(self) -> None:
        rest = SHORTEST_REST_SECONDS
        while not self._is_closed:
            try:
                with _connected(self._address) as connection:
                    self._opened(connection)
                    rest = SHORTEST_REST_SECONDS
                    while not self._is_closed:
                        self._give_back(connection)
                        self._take(connection)
                        self._say(connection)
                        self._wait(connection)
            except (psycopg.Error, OSError):
                self._lost()
                self._sleep(rest)
                rest = min(rest * 2, LONGEST_REST_SECONDS)
        self._lost()
        for each in self._waking or ():
            each.close()

    def _opened(self, connection: "psycopg.Connection[Any]") -> None:
        """Listen from here on. What was said before is lost, so whoever listens is told."""
        connection.add_notify_handler(lambda notice: self._hear(notice.payload))
        connection.execute(f'LISTEN "{self._channel}"'.encode())
        self.is_open.set()
        if self._has_missed:
            self._miss()

    def _give_back(self, connection: "psycopg.Connection[Any]") -> None:
        with self._lock:
            released = {key for key in self._released & self._held if key not in self._wanted}
            self._released = set()
            self._held -= released
        for key in released:
            connection.execute("SELECT pg_advisory_unlock(%s)", (key,))

    def _take(self, connection: "psycopg.Connection[Any]") -> None:
        with self._lock:
            missing = [key for key in self._wanted if key not in self._held]
        if not missing:
            return
        gained = [key for key, is_ours in connection.execute(TAKE, (missing,)).fetchall() if is_ours]
        for key in gained:
            with self._lock:
                self._held.add(key)
                waiting = self._wanted.get(key)
                if not waiting:
                    self._released.add(key)
            if waiting:
                waiting[0].gained()

    def _say(self, connection: "psycopg.Connection[Any]") -> None:
        while self._unsaid:
            saying = [self._unsaid[place] for place in range(min(len(self._unsaid), MOST_AT_ONCE))]
            connection.execute(SAY, (self._channel, saying))
            for _ in saying:  # only now: what could not be said is said when the line is back
                self._unsaid.popleft()

    def _wait(self, connection: "psycopg.Connection[Any]") -> None:
        """Wait until something is said, somebody wakes us, or a lock is to be tried again."""
        self._sleep(LOOK_SECONDS, connection.fileno())
        connection.pgconn.consume_input()
        while (notice := connection.pgconn.notifies()) is not None:
            self._hear(notice.extra.decode(errors="replace"))

    def _sleep(self, seconds: float, *others: int) -> None:
        if self._is_closed or self._waking is None:
            return
        waking = self._waking[0]
        waiting = select.poll()  # `select` takes no descriptor above 1,023
        for each in (waking.fileno(), *others):
            waiting.register(each, select.POLLIN)
        if waking.fileno() in dict(waiting.poll(seconds * 1000)):
            with suppress(OSError):
                waking.recv(4096)

    def _lost(self) -> None:
        """The connection is gone, and with it every lock."""
        self.is_open.clear()
        self._has_missed = True
        with self._lock:
            lost = [self._wanted[key][0] for key in self._held if key in self._wanted]
            self._held.clear()
            self._released.clear()
        for held in lost:
            held.lost()


def _connected(address: str) -> "psycopg.Connection[Any]":
    asked = conninfo_to_dict(address).get("options") or ""
    given: dict[str, Any] = {"options": f"{asked} {OPTIONS}", "connect_timeout": CONNECT_SECONDS, **KEEPALIVE}
    given["application_name"] = NAME
    return psycopg.connect(address, autocommit=True, **given)
