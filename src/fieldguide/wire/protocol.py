"""Connections and requests of both eras, and the protocol that routes every MCP method; stdio and HTTP both call it.

A request whose `_meta` names a protocol version is of the new era and carries everything it needs; any other is of the
handshake era. Real clients probe with `server/discover` and then send `initialize` on the same pipe.
"""

import os
import typing
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide import __version__
from fieldguide.settings.access import Access
from fieldguide.spine.tool import INTERNAL_ERROR, INVALID_PARAMS
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import FieldguideError, Refusal, shorten
from fieldguide.wire.jsonrpc import UNSUPPORTED_VERSION, RequestId, RpcError, make_method_not_found

if TYPE_CHECKING:
    from fieldguide.wire.methods import PromptMethods, ResourceMethods, ServerMethods
    from fieldguide.wire.subscriptions import Subscriptions
    from fieldguide.wire.telemetry import RequestObserver
    from fieldguide.wire.tools import ToolMethods

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
CACHE_MS = 60_000
CAPABILITIES = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class RequestEnvelope(NamedTuple):
    """What a request of the new era says about its sender."""

    version: str
    client: Mapping[str, Any]
    capabilities: Mapping[str, Any]
    log_level: str | None


def read_envelope(meta: Mapping[str, Any]) -> RequestEnvelope | None:
    """The envelope of a request of the new era, from its `_meta`; None for one of the handshake era."""
    if VERSION_KEY not in meta:
        return None
    if CAPABILITIES_KEY not in meta:
        raise RpcError(INVALID_PARAMS, f"params._meta is missing {CAPABILITIES_KEY}, which every request carries.")
    version = meta[VERSION_KEY]
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, f"{VERSION_KEY} must be a string.")
    if version not in MODERN_VERSIONS:
        supported = {"supported": list(MODERN_VERSIONS), "requested": shorten(version)}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", supported)
    level = meta.get(LOG_LEVEL_KEY)
    return RequestEnvelope(
        version=version,
        client=read_object(meta.get(CLIENT_INFO_KEY)),
        capabilities=read_object(meta[CAPABILITIES_KEY]),
        log_level=level if isinstance(level, str) else None,
    )


def add_cache_hint(result: dict[str, Any], *, is_modern: bool) -> dict[str, Any]:
    """A list or a document with the hint how long it stays fresh, where the era knows such hints."""
    return {**result, "ttlMs": CACHE_MS, "cacheScope": "private"} if is_modern else result


def read_object(value: Any) -> Mapping[str, Any]:
    """A JSON object as it is, and an empty one for any other value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


class Outlet(typing.Protocol):
    """The way to the client of a request, for the thread that answers it."""

    def notify(self, method: str, params: Mapping[str, Any], cancellation: Cancellation) -> None:
        """Send a notification; Cancelled if that is given up."""
        ...

    def request(self, method: str, params: Mapping[str, Any], cancellation: Cancellation) -> dict[str, Any]:
        """Send a request and wait for its result; RpcError when the client answers with an error or can't be asked."""
        ...


class Connection:
    """The state of one client for as long as it is connected.

    `access` is what its principal may do here, by its latest request; None on the person's own machine. It `is_passing`
    when it was made for one request, as over HTTP in the new era, where a client is not known again.
    """

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002
        user: str | None = None,
        access: Access | None = None,
        capabilities: Mapping[str, Any] | None = None,
        is_initialized: bool = False,
    ) -> None:
        self.id = id or os.urandom(8).hex()
        self.user = user
        self.access = access
        self.version = HANDSHAKE_VERSIONS[-1]
        self.client: Mapping[str, Any] = {}
        self.capabilities: Mapping[str, Any] = capabilities or {}
        self.is_initialized = is_initialized
        self.log_level = "info"
        self.workflow: str | None = None
        self.subscriptions: set[str] = set()
        self.is_passing = False


class Request(NamedTuple):
    """One request: its method and params, the connection it came on, and what is known of its sender.

    `sender` is the envelope of a request of the new era, else the connection. `access` is what it may do: that of its
    own token, which may differ from the one before it. `cancellation` gives it up, and `refusal` is why no call can run
    now.
    """

    id: RequestId
    method: str
    params: Mapping[str, Any]
    connection: Connection
    outlet: Outlet
    sender: RequestEnvelope | Connection
    cancellation: Cancellation
    access: Access | None = None
    refusal: Refusal | None = None
    is_modern: bool = False
    meta: Mapping[str, Any] = {}

    @property
    def client_name(self) -> str | None:
        """What the client calls itself."""
        name = self.sender.client.get("name")
        return name if isinstance(name, str) else None

    def can_ask(self, method: str) -> bool:
        """Whether the client declares that it answers this method."""
        return CAPABILITIES[method] in self.sender.capabilities

    def wants_log(self, level: str) -> bool:
        """Whether the client wants a log message of this level: set once in the handshake era, per request since."""
        wanted = self.sender.log_level
        return wanted in LEVELS and LEVELS.index(level) >= LEVELS.index(wanted)


Handler = Callable[[Request], dict[str, Any]]
Teller = Callable[[Request, FieldguideError], dict[str, Any]]

LISTEN = "subscriptions/listen"
"""Answered when its stream ends: the transport opens it (`Subscriptions`)."""

SERVER_INFO = {"name": "fieldguide", "title": "Fieldguide", "version": __version__}


class Protocol:
    """The methods by name; a method that one era does not have is not found in it."""

    observer: "RequestObserver | None" = None

    def __init__(
        self,
        *,
        tools: "ToolMethods",
        resources: "ResourceMethods",
        prompts: "PromptMethods",
        subscriptions: "Subscriptions",
        server: "ServerMethods",
        own_methods: Mapping[str, str],
    ) -> None:
        self.subscriptions = subscriptions
        self.input_schema = tools.input_schema
        common: dict[str, Handler] = {
            "tools/list": tools.list_tools,
            "tools/call": tools.call_tool,
            "resources/list": resources.list_resources,
            "resources/templates/list": resources.list_templates,
            "resources/read": resources.read_resource,
            "prompts/list": prompts.list_prompts,
            "prompts/get": prompts.get_prompt,
            "completion/complete": prompts.complete,
            "server/performance": server.tell_performance,
            **{name: partial(tools.call_method, tool=tool) for name, tool in own_methods.items()},
        }
        self._handshake: dict[str, Handler] = {
            **common,
            "initialize": server.initialize,
            "ping": server.ping,
            "logging/setLevel": server.set_level,
            "resources/subscribe": resources.subscribe,
            "resources/unsubscribe": resources.unsubscribe,
        }
        self._modern: dict[str, Handler] = {
            **common,
            "server/discover": server.discover,
            LISTEN: self._listen,
        }
        self.calls = frozenset({"tools/call", *own_methods})
        self._tellers: dict[str, Teller] = {
            "tools/call": tools.tell_call_error,
            "resources/read": resources.tell_error,
            "prompts/get": prompts.tell_error,
            **dict.fromkeys(own_methods, tools.tell_method_error),
        }

    def make_request(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        request_id: RequestId,
        connection: Connection,
        outlet: Outlet,
        access: Access | None = None,
    ) -> Request:
        """A request as its era has it; RpcError where the era knows no such method."""
        meta: Any = params.get("_meta")
        if not isinstance(meta, dict):
            meta = {}
        envelope = None
        if meta and not (method == "initialize" and "protocolVersion" in params):
            envelope = read_envelope(cast("dict[str, Any]", meta))
        if method not in (self._handshake if envelope is None else self._modern):
            raise make_method_not_found(method)
        return Request(
            request_id,
            method,
            params,
            connection,
            outlet,
            envelope or connection,
            Cancellation(),
            connection.access if access is None else access,
            is_modern=envelope is not None,
            meta=cast("dict[str, Any]", meta),
        )

    def answer(self, request: Request) -> dict[str, Any]:
        """The result of one request; RpcError when there is none."""
        handler = (self._modern if request.is_modern else self._handshake)[request.method]
        with nullcontext() if self.observer is None else self.observer.follow(request) as note_result:
            try:
                result = handler(request)
                if request.is_modern:
                    result = self.stamp(request, result)
            except FieldguideError as error:
                result = self.tell_error(request, error)
            if note_result is not None:
                note_result(result)
            return result

    def tell_error(self, request: Request, error: FieldguideError) -> dict[str, Any]:
        """The result for an error that ended a request, or that it was given up with; RpcError when there is none."""
        teller = self._tellers.get(request.method)
        if teller is None:
            raise error
        return self.stamp(request, teller(request, error))

    def stamp(self, request: Request, result: dict[str, Any]) -> dict[str, Any]:
        """A result with what the new era wants on each: its type, and who answered."""
        if not request.is_modern:
            return result
        meta = {**result.get("_meta", {}), SERVER_INFO_KEY: SERVER_INFO}
        return {"resultType": "complete", **result, "_meta": meta}

    def notified(self, method: str, connection: Connection) -> None:
        """Take a notification that the transport does not handle itself."""
        if method == "notifications/initialized":
            connection.is_initialized = True

    def _listen(self, request: Request) -> dict[str, Any]:
        raise RpcError(INTERNAL_ERROR, "There is nobody to listen.")
