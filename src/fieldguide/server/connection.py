"""One client: what it said about itself, what it wants to hear, and the way to reach it."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

from fieldguide.server.era import HANDSHAKE_VERSIONS, Envelope
from fieldguide.server.jsonrpc import RequestId
from fieldguide.spine.callers.access import Access

CAPABILITIES = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Outlet(Protocol):
    """The way to a client."""

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        ...

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result; RpcError when the client answers with an error or can't be asked."""
        ...


@dataclass(slots=True, kw_only=True)
class Connection:
    """The state of one client for as long as it is connected."""

    outlet: Outlet
    loop: asyncio.AbstractEventLoop | None = None
    """Where words to the client are said; the one that runs, unless it is named."""
    id: str = field(default_factory=lambda: os.urandom(8).hex())
    user: str | None = None
    access: Access | None = None
    """What the client's principal may do here, by its latest request; None on the person's own machine."""
    owner: tuple[str, str] | None = None
    """The principal that opened it: for any other it does not exist."""
    version: str = HANDSHAKE_VERSIONS[-1]
    client: Mapping[str, Any] = field(default_factory=dict[str, Any])
    capabilities: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_initialized: bool = False
    open_requests: int = 0
    log_level: str = "info"
    workflow: str | None = None
    subscriptions: set[str] = field(default_factory=set[str])
    is_passing: bool = False
    """Made for one request, as over HTTP in the new era, where a client is not known again."""


class Request(NamedTuple):
    """One request: its method and params, the connection it came on, and the era it belongs to."""

    id: RequestId
    method: str
    params: Mapping[str, Any]
    connection: Connection
    outlet: Outlet
    envelope: Envelope | None
    is_alone: bool = False
    access: Access | None = None
    """What whoever sent it may do: that of its own token, which may differ from the one before it."""

    @property
    def is_modern(self) -> bool:
        """Whether the request is of the new era."""
        return self.envelope is not None

    @property
    def version(self) -> str:
        """The protocol version that the request speaks."""
        return self.envelope.version if self.envelope else self.connection.version

    @property
    def client_name(self) -> str | None:
        """What the client calls itself."""
        name = (self.envelope.client if self.envelope else self.connection.client).get("name")
        return name if isinstance(name, str) else None

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the client says it can do."""
        return self.envelope.capabilities if self.envelope else self.connection.capabilities

    @property
    def meta(self) -> Mapping[str, Any]:
        """The `_meta` of the request, empty where there is none."""
        meta = self.params.get("_meta")
        if meta is None:
            return {}
        return cast("Mapping[str, Any]", meta) if isinstance(meta, Mapping) else {}

    def can_ask(self, method: str) -> bool:
        """Whether the client says that it can be asked this."""
        return CAPABILITIES[method] in self.capabilities

    def wants_log(self, level: str) -> bool:
        """Whether the client wants a log message of this level: set once in the handshake era, per request since."""
        wanted = self.envelope.log_level if self.envelope else self.connection.log_level
        return wanted in LEVELS and LEVELS.index(level) >= LEVELS.index(wanted)
