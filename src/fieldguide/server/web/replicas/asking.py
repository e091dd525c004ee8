"""What the head of a request of the handshake era says, and who words the refusal of one that is malformed."""

from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fieldguide.server.web.calls import SESSION_HEADER
from fieldguide.server.web.principals import caller_of
from fieldguide.server.web.refusal import refusal
from fieldguide.server.web.sessions import NAME_BYTES, delete_session
from fieldguide.spine.callers.access import Access
from fieldguide.teams.replicas.sessions import Opener

MALFORMED = "Bad Request: this message opens no session."


class Asked(NamedTuple):
    """Which session and version a request names, and who asks: for whom, with which rights, counted with whom."""

    session: str | None
    version: bytes | None
    user: str | None
    access: Access | None
    owner: str
    peer: str

    @property
    def opener(self) -> Opener:
        """Who opens a session by this request."""
        return Opener(self.owner, self.user, self.peer)

    @classmethod
    def read(cls, scope: Scope, user: str | None) -> "Asked":
        """What this request says; `user` is whom the server is bound to."""
        session = _value(scope, SESSION_HEADER)
        address, name = (scope.get("client") or ("",))[0], _value(scope, b"user-agent") or b""
        caller = caller_of(scope)
        owner = "" if caller.key is None else "\n".join(caller.key)
        return cls(
            session=None if session is None else session.decode("latin-1"),
            version=_value(scope, b"mcp-protocol-version"),
            user=user if caller.principal is None else caller.principal.user,
            access=caller.access,
            owner=owner,
            peer=owner or f"{address} {name[:NAME_BYTES].decode('latin-1')}",
        )


def accepts(scope: Scope, *kinds: str) -> bool:
    """Whether a client takes answers of all of these kinds."""
    named = b",".join(value for name, value in scope["headers"] if name == b"accept").decode("latin-1").lower()
    taken = {each.partition(";")[0].strip() for each in named.split(",")}
    return all(not taken.isdisjoint({kind, f"{kind.partition('/')[0]}/*", "*/*"}) for kind in kinds)


def brings(scope: Scope, kind: str) -> bool:
    """Whether the body of a request is of this kind."""
    named = (_value(scope, b"content-type") or b"").decode("latin-1").partition(";")[0]
    return kind in {each.strip().lower() for each in named.split(",")}


async def judged(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Have the SDK refuse a request in its own words. A session that it opens instead is ended, and refused."""
    session = _value(scope, SESSION_HEADER)
    given = {**scope, "headers": [each for each in scope["headers"] if each[0] != SESSION_HEADER]}
    is_refused = False

    async def passed(message: Message) -> None:
        nonlocal is_refused
        if message["type"] == "http.response.start":
            opened = next((value for name, value in message["headers"] if name == SESSION_HEADER), None)
            if message["status"] < 400:
                is_refused = True
                if opened is not None:
                    await delete_session(app, opened.decode("latin-1"))
                await refusal(400, MALFORMED)(scope, receive, send)
            kept = [each for each in message["headers"] if each[0] != SESSION_HEADER]
            message = {**message, "headers": kept if session is None else [*kept, (SESSION_HEADER, session)]}
        if not is_refused:
            await send(message)

    await app(given, receive, passed)


def _value(scope: Scope, name: bytes) -> bytes | None:
    return next((value for each, value in scope["headers"] if each == name), None)
