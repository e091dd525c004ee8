"""Connections and requests of both eras, and the protocol that routes every MCP method; stdio and HTTP both call it.

A request whose `_meta` names a protocol version is of the new era and carries everything it needs; any other is of the
handshake era. Real clients probe with `server/discover` and then send `initialize` on the same pipe.
"""

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide import __version__
from fieldguide.settings.access import Access
from fieldguide.spine.tool import INVALID_PARAMS
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import FieldguideError, Refusal, shorten
from fieldguide.wire.jsonrpc import UNSUPPORTED_VERSION, RequestId, RpcError, make_method_not_found

if TYPE_CHECKING:
    from fieldguide.wire.methods import PromptMethods, ResourceMethods, ServerMethods
    from fieldguide.wire.tools import ToolMethods

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
CACHE_MS = 60_000


class RequestEnvelope(NamedTuple):
    """What a request of the new era says about its sender."""

    version: str
    client: Mapping[str, Any]


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
    return RequestEnvelope(version, read_object(meta.get(CLIENT_INFO_KEY)))


def add_cache_hint(result: dict[str, Any], *, is_modern: bool) -> dict[str, Any]:
    """A list or a document with the hint how long it stays fresh, where the era knows such hints."""
    return {**result, "ttlMs": CACHE_MS, "cacheScope": "private"} if is_modern else result


def read_object(value: Any) -> Mapping[str, Any]:
    """A JSON object as it is, and an empty one for any other value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


class Connection:
    """The state of one client for as long as it is connected.

    It `announces_lists` where notifications of changed lists are sent.
    """

    def __init__(
        self,
        *,
        id: str | None = None,  # noqa: A002
        user: str | None = None,
        announces_lists: bool = False,
    ) -> None:
        self.id = id or os.urandom(8).hex()
        self.user = user
        self.version = HANDSHAKE_VERSIONS[-1]
        self.client: Mapping[str, Any] = {}
        self.is_initialized = False
        self.announces_lists = announces_lists
        self.workflow: str | None = None


class Request(NamedTuple):
    """One request: its method and params, the connection it came on, and what is known of its sender.

    `sender` is the envelope of a request of the new era, else the connection. `access` is what it may do, by its
    token; None on the person's own machine. `cancellation` gives it up, and `refusal` is why no call can run
    now.
    """

    id: RequestId
    method: str
    params: Mapping[str, Any]
    connection: Connection
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


Handler = Callable[[Request], dict[str, Any]]
Teller = Callable[[Request, FieldguideError], dict[str, Any]]

SERVER_INFO = {"name": "fieldguide", "title": "Fieldguide", "version": __version__}


class Protocol:
    """The methods by name; a method that one era does not have is not found in it."""

    def __init__(
        self,
        *,
        tools: "ToolMethods",
        resources: "ResourceMethods",
        prompts: "PromptMethods",
        server: "ServerMethods",
        own_methods: Mapping[str, str],
    ) -> None:
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
        }
        self._modern: dict[str, Handler] = {
            **common,
            "server/discover": server.discover,
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
            envelope or connection,
            Cancellation(),
            access,
            is_modern=envelope is not None,
            meta=cast("dict[str, Any]", meta),
        )

    def answer(self, request: Request) -> dict[str, Any]:
        """The result of one request; RpcError when there is none."""
        handler = (self._modern if request.is_modern else self._handshake)[request.method]
        try:
            return self.stamp(request, handler(request))
        except FieldguideError as error:
            return self.tell_error(request, error)

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
