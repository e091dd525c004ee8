"""The handshake era, answered by any replica: a session that one opened is found by all in the database.

The official SDK knows only sessions of its own process. Here it has none: it carries the new era, and words the
refusals of what is malformed. A request reads its session, and what it changed is written before it is answered.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from starlette.types import ASGIApp, Receive, Scope, Send

from fieldguide.errors import Refusal, StorageFailed
from fieldguide.server.connection import Connection
from fieldguide.server.jsonrpc import INTERNAL_ERROR, Message, RequestId, RpcError, encode
from fieldguide.server.protocol import Protocol
from fieldguide.server.web.bodies import replayed
from fieldguide.server.web.calls import (
    VERSIONS,
    Answering,
    CallOutlet,
    HttpCalls,
    parsed,
    send_whole,
)
from fieldguide.server.web.endpoint import PATH
from fieldguide.server.web.refusal import refusal
from fieldguide.server.web.replicas.asking import Asked, accepts, brings, judged
from fieldguide.server.web.replicas.connecting import bring_up_to_date, connection_of, state_of
from fieldguide.server.web.replicas.pulse import Pulse
from fieldguide.server.web.replicas.streams import NewsStream
from fieldguide.spine.callers.access import Access, acting_for
from fieldguide.spine.workers import Workers
from fieldguide.teams.replicas.exchange import Word
from fieldguide.teams.replicas.sessions import SessionState, SharedSession
from fieldguide.teams.replicas.sharing import Sharing

JSON, STREAM = "application/json", "text/event-stream"
MOST_KNOWN = 2_000
CANT_TELL = "The service can't look up this session just now. Try again in a moment."
CANT_KEEP = "The service can't keep this just now. Try again in a moment."
CONFLICT = "Conflict: Only one SSE stream is allowed per session"
T = TypeVar("T")


class SharedHandshakes:
    """An ASGI application before the SDK's: it answers the handshake era, and hands on the new one untouched."""

    def __init__(
        self,
        app: ASGIApp,
        sharing: Sharing,
        *,
        protocol: Protocol,
        answer: Answering,
        workers: Workers,
        user: str | None,
    ) -> None:
        self._app = app
        self._user = user
        self._sharing = sharing
        self._sessions = sharing.sessions
        self._protocol = protocol
        self._answer = answer
        self._workers = workers
        self._calls = HttpCalls(app, {}, self._answered)
        self._pulse = Pulse(lambda used, busy: self._stored(partial(self._sessions.beat, used, busy)))
        self._known: OrderedDict[str, SharedSession] = OrderedDict()
        self._streams: dict[str, NewsStream] = {}
        self._is_listening = False

    def __len__(self) -> int:
        """How many sessions are in use on this replica."""
        return len(self._pulse)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the handshake era, or pass it on."""
        if scope["type"] != "http" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        asked = Asked.read(scope, self._user)
        if asked.version not in VERSIONS:
            await self._app(scope, receive, send)
            return
        self._listen()
        try:
            await self._serve(asked, scope, receive, send)
        except (StorageFailed, RpcError):
            await refusal(503, CANT_TELL, {"retry-after": "2"})(scope, receive, send)

    async def _serve(self, asked: Asked, scope: Scope, receive: Receive, send: Send) -> None:
        if asked.session is None:
            await self._open(asked, scope, receive, send)
            return
        session = await self._found(asked.session, asked)
        if session is None:
            await self._app(scope, receive, send)  # the SDK has no sessions, so it says that there is none
            return
        answering = {"POST": self._take, "GET": self._follow, "DELETE": self._end}.get(scope["method"])
        if answering is None:
            await judged(self._app, scope, receive, send)
            return
        with self._pulse.using(session.name):
            await answering(asked, session, scope, receive, send)

    async def _open(self, asked: Asked, scope: Scope, receive: Receive, send: Send) -> None:
        """Open a session for an `initialize`; anything else without a session is malformed."""
        message, receive = await _message(scope, receive)
        if message is None or message.method != "initialize" or message.id is None:
            await judged(self._app, scope, receive, send)
            return
        outlet = CallOutlet(send, "", {})
        connection = Connection(outlet=outlet, user=asked.user, access=asked.access)
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message.id}
        try:
            reply["result"] = await self._answer(message, message.id, connection, outlet, asked.access)
            opened = partial(self._sessions.open, asked.opener, connection.id, state_of(connection))
            session = await self._stored(opened)
        except RpcError as error:
            await send_whole(send, 200, encode({**reply, "error": error.described()})[:-1], "")
        except Refusal as error:
            await refusal(503, error.message)(scope, receive, send)
        else:
            await send_whole(send, 200, encode(reply)[:-1], session.name)

    async def _take(self, asked: Asked, session: SharedSession, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message of a session."""
        message, receive = await _message(scope, receive)
        if message is None:
            await judged(self._app, scope, receive, send)
            return
        connection = connection_of(session, CallOutlet(send, session.name, {}), user=asked.user, access=asked.access)
        if message.id is not None and message.method is not None:
            await self._calls.respond(message, message.id, session.name, connection, send)
            return
        if not self._calls.take(message, session.name):
            await self._hand_on(message, session, connection)
        await send_whole(send, 202, b"", session.name)

    async def _hand_on(self, message: Message, session: SharedSession, connection: Connection) -> None:
        """Take a notification; what belongs to a call that runs elsewhere is told to the other replicas."""
        if message.method is None:
            told = {"result": dict(message.result), "error": message.error}
            self._sharing.tell(Word("answer", session.name, message.id, told))
        elif message.method == "notifications/cancelled":
            self._sharing.tell(Word("cancel", session.name, message.params.get("requestId")))
        else:
            self._protocol.notified(message.method, connection)
            await self._saved(session, connection)

    async def _follow(self, asked: Asked, session: SharedSession, scope: Scope, receive: Receive, send: Send) -> None:
        """Open the session's stream of news; one that another replica has open ends."""
        if not accepts(scope, STREAM):
            await judged(self._app, scope, receive, send)
            return
        is_taken = session.name in self._streams
        number = 0 if is_taken else await self._stored(partial(self._sessions.begin_stream, session.name), asked.user)
        if is_taken or session.name in self._streams:
            await refusal(409, CONFLICT)(scope, receive, send)
            return
        connection = connection_of(session, CallOutlet(send, session.name, {}), user=asked.user, access=asked.access)
        stream = NewsStream(number, connection, partial(self._reloaded, session, asked))
        self._streams[session.name] = stream
        try:
            await stream.run(session.name, self._protocol.subscriptions, receive, send)
        finally:
            del self._streams[session.name]

    async def _end(self, asked: Asked, session: SharedSession, scope: Scope, receive: Receive, send: Send) -> None:
        """End a session everywhere."""
        await self._stored(partial(self._sessions.end, session.name, asked.owner), asked.user)
        self._ended(session.name)
        await send_whole(send, 200, b"", session.name)

    async def _answered(
        self, message: Message, id_: RequestId, connection: Connection, outlet: CallOutlet, access: Access | None
    ) -> dict[str, Any]:
        """The result of a request; what it changed of its session is kept before its client hears of it."""
        session = SharedSession(outlet.session, connection.id, 0, state_of(connection))
        try:
            return await self._answer(message, id_, connection, outlet, access)
        finally:
            await self._saved(session, connection)

    async def _saved(self, session: SharedSession, connection: Connection) -> None:
        after: SessionState = state_of(connection)
        if after == session.state:
            return
        try:
            await self._stored(partial(self._sessions.save, session, after), connection.user)
        except StorageFailed as error:
            raise RpcError(INTERNAL_ERROR, CANT_KEEP) from error

    async def _found(self, name: str, asked: Asked) -> SharedSession | None:
        """A session as it is now; only what has changed since it was last asked for is read."""
        find = partial(self._sessions.find, name, asked.owner, self._known.get(name))
        try:
            found = await self._stored(find, asked.user)
        except StorageFailed:  # the database may have been restarted under this very statement
            found = await self._stored(find, asked.user)
        if found is None:
            self._known.pop(name, None)
            return None
        self._known[name] = found
        self._known.move_to_end(name)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return found

    async def _reloaded(self, session: SharedSession, asked: Asked, connection: Connection) -> bool:
        found = await self._found(session.name, asked)
        if found is not None:
            bring_up_to_date(connection, found.state)
        return found is not None

    async def _stored(self, function: Callable[[], T], user: str | None = None) -> T:
        """Work with the database, on a thread that may wait; for a user, or for the service itself."""
        return await self._workers.run(acting_for(user, function))

    def _listen(self) -> None:
        """Be told what other replicas say, on this loop."""
        if not self._is_listening:
            self._is_listening = True
            loop = asyncio.get_running_loop()

            def hear(word: Word) -> None:
                with suppress(RuntimeError):  # the loop has closed: nobody is left to tell
                    loop.call_soon_threadsafe(self._hear, word)

            self._sharing.introduce(hear)

    def _hear(self, word: Word) -> None:
        stream = self._streams.get(word.session)
        if word.kind == "ended":
            self._ended(word.session)
        elif word.kind == "answer":
            self._calls.take(Message(None, word.about, {}, word.told["result"], word.told["error"]), word.session)
        elif word.kind == "cancel":
            self._calls.take(Message("notifications/cancelled", None, {"requestId": word.about}), word.session)
        elif word.kind == "missed":
            for each in self._streams.values():
                each.grow_stale()
        elif stream is not None and word.kind == "session":
            stream.grow_stale()
        elif stream is not None and word.kind == "stream":
            stream.give_way(word.about)

    def _ended(self, name: str) -> None:
        self._known.pop(name, None)
        self._calls.leave(name)
        if (stream := self._streams.get(name)) is not None:
            stream.end()


async def _message(scope: Scope, receive: Receive) -> tuple[Message | None, Receive]:
    """The message that a POST brings, where all is as it should be; and a `receive` that gives it again."""
    if scope["method"] != "POST":
        return None, receive
    body = (await receive()).get("body", b"")
    is_plain = brings(scope, JSON) and accepts(scope, JSON, STREAM)
    return (parsed(body) if is_plain else None), replayed(body, receive)
