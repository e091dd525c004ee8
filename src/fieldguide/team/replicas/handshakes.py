"""Keeps sessions of the handshake era where all replicas find them.

A request reads its session, and what it changed is written before it is answered.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from fieldguide.settings.access import Access, bind_caller
from fieldguide.spine.tool import INTERNAL_ERROR
from fieldguide.spine.workers import Workers
from fieldguide.team.replicas.exchange import ReplicaMessage
from fieldguide.team.replicas.sessions import SessionState, SharedSession
from fieldguide.team.replicas.sharing import ReplicaSharing
from fieldguide.text.errors import FieldguideError, StorageFailed
from fieldguide.wire.http_sessions import Answering, HttpSession, HttpSessions, SessionCaller
from fieldguide.wire.jsonrpc import RequestId, RpcError, RpcMessage
from fieldguide.wire.protocol import Connection

BEAT_SECONDS = 5.0
MOST_KNOWN = 2_000
CANT_KEEP = "The service can't keep this just now. Try again in a moment."
Beat = Callable[[Collection[str], Collection[str]], Awaitable[None]]
T = TypeVar("T")


def read_session_state(connection: Connection) -> SessionState:
    """What is kept of a connection."""
    return SessionState(
        version=connection.version,
        client=dict(connection.client),
        is_initialized=connection.is_initialized,
        workflow=connection.workflow,
    )


def update_connection(connection: Connection, state: SessionState) -> None:
    """Give a connection what is kept of its session now."""
    connection.version = state.version
    connection.client = state.client
    connection.is_initialized = state.is_initialized
    connection.workflow = state.workflow


class SessionPulse:
    """Tells the database every few seconds which sessions are used; it sleeps when none is."""

    def __init__(self, beat: Beat) -> None:
        self._beat = beat
        self._used: list[HttpSession] = []
        self._beating: asyncio.Task[None] | None = None

    def add(self, session: HttpSession) -> None:
        """A request of this session has come."""
        self._used.append(session)
        if self._beating is None or self._beating.done():
            self._beating = asyncio.create_task(self._run())

    def __len__(self) -> int:
        """How many sessions were used a moment ago, or are in use."""
        return len({each.name for each in self._used})

    async def _run(self) -> None:
        while self._used:
            await asyncio.sleep(BEAT_SECONDS)
            used = {each.name for each in self._used}
            self._used = [each for each in self._used if each.calls]
            busy = {each.name for each in self._used}
            with suppress(FieldguideError):  # the database is away: the next beat tells it
                await self._beat(used, busy)


class ReplicaSessions:
    """The sessions of one project that all replicas share, for the wire of this one."""

    def __init__(self, sharing: ReplicaSharing, workers: Workers) -> None:
        self._sharing = sharing
        self._sessions = sharing.sessions
        self._workers = workers
        self._pulse = SessionPulse(lambda used, busy: self._stored(partial(self._sessions.beat, used, busy)))
        self._known: OrderedDict[str, SharedSession] = OrderedDict()
        self._names: dict[str, str] = {}
        self._is_listening = False
        self._wire: HttpSessions | None = None

    def __len__(self) -> int:
        """How many sessions are in use on this replica."""
        return len(self._pulse)

    def attach(self, sessions: HttpSessions) -> None:
        """Tell an application what other replicas say of its sessions."""
        self._wire = sessions

    def keep_changes(self, answer: Answering) -> Answering:
        """A function that answers requests; what one changed of its session is kept before its client hears of it."""

        async def answered(
            message: RpcMessage, id_: RequestId, connection: Connection, access: Access | None
        ) -> dict[str, Any]:
            before = read_session_state(connection)
            try:
                return await answer(message, id_, connection, access)
            finally:
                await self._save(self._names.get(connection.id, ""), connection, before)

        return answered

    async def open(self, caller: SessionCaller, connection: Connection) -> str:
        """Open a session."""
        state = read_session_state(connection)
        return (await self._stored(partial(self._sessions.open, caller, connection.id, state))).name

    async def find(self, name: str, caller: SessionCaller) -> HttpSession | None:
        """A session as it is now, with a connection of its own: two requests share nothing but what is kept."""
        self._listen()
        found = await self._find(name, caller)
        if found is None:
            return None
        connection = Connection(id=found.connection, user=caller.user)
        self._names[connection.id] = name
        update_connection(connection, found.state)
        session = HttpSession(name, caller, connection, kept=found.state)
        self._pulse.add(session)
        return session

    async def note(self, message: RpcMessage, session: HttpSession) -> None:
        """Keep what a notification changed; what belongs to a call elsewhere is told to the other replicas."""
        if message.method == "notifications/cancelled":
            self._sharing.tell(ReplicaMessage("cancel", session.name, message.params.get("requestId")))
        else:
            await self._save(session.name, session.connection, session.kept)

    async def end(self, session: HttpSession) -> None:
        """End a session everywhere."""
        caller = session.caller
        await self._stored(partial(self._sessions.end, session.name, caller.owner), caller.user)
        self._leave(session.name)

    async def _save(self, name: str, connection: Connection, before: SessionState) -> None:
        after = read_session_state(connection)
        if after == before:
            return
        session = SharedSession(name, connection.id, 0, before)
        try:
            await self._stored(partial(self._sessions.save, session, after), connection.user)
        except StorageFailed as error:
            raise RpcError(INTERNAL_ERROR, CANT_KEEP) from error

    async def _find(self, name: str, caller: SessionCaller) -> SharedSession | None:
        """A session as it is now; only what has changed since it was last asked for is read."""
        find = partial(self._sessions.find, name, caller.owner, self._known.get(name))
        try:
            found = await self._stored(find, caller.user)
        except StorageFailed:  # the database may have been restarted under this very statement
            found = await self._stored(find, caller.user)
        if found is None:
            self._known.pop(name, None)
            return None
        self._known[name] = found
        self._known.move_to_end(name)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return found

    async def _stored(self, function: Callable[[], T], user: str | None = None) -> T:
        """Work with the database, on a thread that may wait; for a user, or for the service itself."""
        return await self._workers.run(bind_caller(user, function))

    def _listen(self) -> None:
        """Be told what other replicas say, on this loop."""
        if not self._is_listening:
            self._is_listening = True
            loop = asyncio.get_running_loop()

            def hear(word: ReplicaMessage) -> None:
                with suppress(RuntimeError):  # the loop has closed: nobody is left to tell
                    loop.call_soon_threadsafe(self._hear, word)

            self._sharing.introduce(hear)

    def _hear(self, word: ReplicaMessage) -> None:
        wire = self._wire
        if wire is None:
            return
        if word.kind == "ended":
            self._leave(word.session)
        elif word.kind == "cancel":
            wire.calls.take(RpcMessage("notifications/cancelled", None, {"requestId": word.about}), word.session)

    def _leave(self, name: str) -> None:
        self._known.pop(name, None)
        if self._wire is not None:
            self._wire.leave(name)
