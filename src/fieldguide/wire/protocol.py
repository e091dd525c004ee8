"""Routes every MCP method of both eras to its handler; stdio and HTTP both call it."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide import __version__
from fieldguide.settings.consents import Access
from fieldguide.spine.executor import Executor
from fieldguide.spine.journal import format_timestamp
from fieldguide.spine.prompts import WorkflowStore
from fieldguide.spine.tool import INTERNAL_ERROR, INVALID_PARAMS
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import FieldguideError
from fieldguide.wire.connection import (
    LEVELS,
    MODERN_VERSIONS,
    Connection,
    Outlet,
    Request,
    add_cache_hint,
    negotiate_version,
    read_envelope,
    read_object,
    stamp_result,
)
from fieldguide.wire.jsonrpc import RequestId, RpcError, make_method_not_found
from fieldguide.wire.methods import PromptMethods, ResourceMethods, ToolMethods
from fieldguide.wire.subscriptions import Subscriptions

if TYPE_CHECKING:
    from fieldguide.wire.telemetry import RequestObserver

Handler = Callable[[Request], dict[str, Any]]
Teller = Callable[[Request, FieldguideError], dict[str, Any]]

LISTEN = "subscriptions/listen"
"""Answered when its stream ends: the transport opens it (`Subscriptions`)."""

SERVER_INFO = {"name": "fieldguide", "title": "Fieldguide", "version": __version__}


def report_performance(executor: Executor, workflows: WorkflowStore, access: Access | None = None) -> dict[str, Any]:
    """The counters of `server/performance`; a principal sees only its own calls."""
    whole = executor.journal.metrics
    metrics = whole if access is None else whole.of(access.user)
    prompts = workflows.prompts_given if access is None else metrics.prompts
    seen = {tool.name for tool in executor.registry.all(access)}
    breakers = executor.breakers.states()
    return {
        "cache_metrics": {"workflows": len(workflows) if access is None else prompts.total()},
        "prompt_metrics": {"total_prompts": prompts.total(), "prompts_by_name": dict(sorted(prompts.items()))},
        "tool_metrics": metrics.tool_metrics(),
        "tools": metrics.per_tool(),
        "circuit_breakers": {name: told for name, told in breakers.items() if access is None or name in seen},
        "error_kinds": metrics.error_kinds(),
        "timestamp": format_timestamp(),
    }


class ServerInfo(NamedTuple):
    """The server's instructions for models, and the protocol extensions it declares to clients."""

    instructions: Callable[[Access | None], str]
    extensions: Mapping[str, Any]


class Protocol:
    """The methods by name; a method that one era does not have is not found in it."""

    observer: "RequestObserver | None" = None

    def __init__(
        self,
        *,
        tools: ToolMethods,
        resources: ResourceMethods,
        prompts: PromptMethods,
        subscriptions: Subscriptions,
        own_methods: Mapping[str, str],
        performance: Callable[[Access | None], dict[str, Any]],
        about: ServerInfo,
    ) -> None:
        self._about = about
        self.subscriptions = subscriptions
        self.input_schema = tools.input_schema
        self._performance = performance
        common: dict[str, Handler] = {
            "tools/list": tools.list_tools,
            "tools/call": tools.call_tool,
            "resources/list": resources.list_resources,
            "resources/templates/list": resources.list_templates,
            "resources/read": resources.read_resource,
            "prompts/list": prompts.list_prompts,
            "prompts/get": prompts.get_prompt,
            "completion/complete": prompts.complete,
            "server/performance": self._tell_performance,
            **{name: partial(tools.call_method, tool=tool) for name, tool in own_methods.items()},
        }
        self._handshake: dict[str, Handler] = {
            **common,
            "initialize": self._initialize,
            "ping": self._ping,
            "logging/setLevel": self._set_level,
            "resources/subscribe": resources.subscribe,
            "resources/unsubscribe": resources.unsubscribe,
        }
        self._modern: dict[str, Handler] = {
            **common,
            "server/discover": self._discover,
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
        is_handshake = method == "initialize" and "protocolVersion" in params
        envelope = None if is_handshake else read_envelope(params)
        if method not in (self._handshake if envelope is None else self._modern):
            raise make_method_not_found(method)
        access = connection.access if access is None else access
        return Request(request_id, method, params, connection, outlet, envelope, Cancellation(), access)

    def answer(self, request: Request) -> dict[str, Any]:
        """The result of one request; RpcError when there is none."""
        handler = (self._handshake if request.envelope is None else self._modern)[request.method]
        with nullcontext() if self.observer is None else self.observer.follow(request) as note_result:
            try:
                result = handler(request)
                if request.envelope is not None:
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
        """A result with what the era of its request wants on each."""
        return stamp_result(result, SERVER_INFO) if request.is_modern else result

    def notified(self, method: str, connection: Connection) -> None:
        """Take a notification that the transport does not handle itself."""
        if method == "notifications/initialized":
            connection.is_initialized = True

    def _initialize(self, request: Request) -> dict[str, Any]:
        connection = request.connection
        params = request.params
        connection.version = negotiate_version(params.get("protocolVersion"))
        connection.client = read_object(params.get("clientInfo"))
        connection.capabilities = read_object(params.get("capabilities"))
        return {
            "protocolVersion": connection.version,
            "capabilities": self._capabilities(is_modern=False),
            "serverInfo": SERVER_INFO,
            "instructions": self._about.instructions(request.access),
        }

    def _discover(self, request: Request) -> dict[str, Any]:
        result = {
            "supportedVersions": list(MODERN_VERSIONS),
            "capabilities": self._capabilities(is_modern=True),
            "instructions": self._about.instructions(request.access),
        }
        return add_cache_hint(result, is_modern=True)

    def _listen(self, request: Request) -> dict[str, Any]:
        raise RpcError(INTERNAL_ERROR, "There is nobody to listen.")

    def _ping(self, request: Request) -> dict[str, Any]:
        return {}

    def _set_level(self, request: Request) -> dict[str, Any]:
        level = request.params.get("level")
        if level not in LEVELS:
            raise RpcError(INVALID_PARAMS, f"Invalid params: the levels are {', '.join(LEVELS)}.")
        request.connection.log_level = level
        return {}

    def _tell_performance(self, request: Request) -> dict[str, Any]:
        counters = self._performance(request.access)
        return {"server_info": SERVER_INFO, "initialized": request.connection.is_initialized, **counters}

    def _capabilities(self, *, is_modern: bool) -> dict[str, Any]:
        """Our capabilities; tools never change while we run, so they have no `listChanged`."""
        capabilities: dict[str, Any] = {
            "tools": {},
            "resources": {"subscribe": True, "listChanged": True},
            "prompts": {"listChanged": True},
            "completions": {},
        }
        if self._about.extensions:
            capabilities["extensions"] = self._about.extensions
        if not is_modern:
            capabilities["logging"] = {}
        return capabilities
