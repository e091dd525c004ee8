"""Answers the MCP methods of the server itself (handshake, performance), of prompts, completions and
resources."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, cast

from fieldguide.settings.access import Access, acting_as, is_allowed
from fieldguide.settings.limits import Limits
from fieldguide.spine.executor import Executor
from fieldguide.spine.journal import Metrics, ToolMetrics, format_timestamp
from fieldguide.spine.prompts import Prompt, Prompts, WorkflowContext, Workflows
from fieldguide.spine.resources import (
    Resource,
    ResourceContents,
    ResourceProvider,
    Resources,
    ResourceTemplate,
)
from fieldguide.spine.tool import INTERNAL_ERROR, INVALID_PARAMS
from fieldguide.spine.toolset import Completer, Toolset
from fieldguide.spine.workers import Timer, time_limit
from fieldguide.text.errors import Failure, FieldguideError, NotFound, Refusal, shorten
from fieldguide.wire.clients import without_none
from fieldguide.wire.jsonrpc import INVALID_REQUEST, RpcError
from fieldguide.wire.protocol import (
    HANDSHAKE_VERSIONS,
    MODERN_VERSIONS,
    SERVER_INFO,
    Request,
    add_cache_hint,
    read_object,
)
from fieldguide.wire.tools import WORKFLOW_KEY, Result

RESOURCE_NOT_FOUND = -32002
MAX_COMPLETIONS = 100
PAGE = 100
WIRE_NAMES = {"uri_template": "uriTemplate", "mime_type": "mimeType", "meta": "_meta"}


class PromptMethods:
    """Answers for prompts; each prompt that is given out opens a workflow, and its handle goes with it."""

    def __init__(
        self,
        *,
        prompts: Prompts,
        workflows: Workflows,
        completers: Mapping[str, Completer],
        timer: Timer,
        metrics: Metrics,
    ) -> None:
        self._metrics = metrics
        self._prompts = prompts
        self._workflows = workflows
        self._completers = completers
        self._timer = timer

    def list_prompts(self, request: Request) -> dict[str, Any]:
        """`prompts/list`: everything at once, sorted by name."""
        if request.params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Invalid cursor: the list of prompts has one page.")
        with _acting_for(request):
            prompts = self._prompts.list(request.access)
        return add_cache_hint({"prompts": [_describe_prompt(each) for each in prompts]}, is_modern=request.is_modern)

    def get_prompt(self, request: Request) -> dict[str, Any]:
        """`prompts/get`."""
        name = request.params.get("name")
        arguments: Any = request.params.get("arguments")
        if arguments is None:
            arguments = {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "name" is a string and "arguments" an object.')
        given = cast("dict[str, Any]", arguments)
        with time_limit(self._timer, request.cancellation, "prompts/get", None), _acting_for(request):
            prompt, messages = self._prompts.render(name, given, request.access)
        workflow = self._start_workflow(name, given, request)
        if not request.is_modern:  # the new era knows no connection, only handles
            request.connection.workflow = workflow.session_id
        return {
            "description": prompt.description,
            "messages": list(messages),
            "_meta": {WORKFLOW_KEY: workflow.session_id},
        }

    def tell_error(self, request: Request, error: FieldguideError) -> dict[str, Any]:
        """The error of `prompts/get`."""
        code = INVALID_PARAMS if isinstance(error, Refusal) else INTERNAL_ERROR
        raise RpcError(code, error.message, error.details or None) from error

    def _start_workflow(self, name: str, given: Mapping[str, Any], request: Request) -> WorkflowContext:
        user = request.connection.user
        if request.access is not None:
            self._metrics.of(request.access.user).prompts[name] += 1
        with acting_as(user):
            return self._workflows.start(name, given, user)

    def complete(self, request: Request) -> dict[str, Any]:
        """`completion/complete`: the first toolset that knows the reference answers."""
        reference = request.params.get("ref")
        argument = request.params.get("argument")
        if not isinstance(reference, Mapping) or not isinstance(argument, Mapping):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "ref" and "argument" must be objects.')
        begun = cast("Mapping[str, Any]", argument)
        name = str(begun.get("name", ""))
        prefix = str(begun.get("value", ""))
        known = cast("Mapping[str, Any]", reference)
        with _acting_for(request):
            values = self._values(known, name, prefix, request.access)
        shown = values[:MAX_COMPLETIONS]
        return {"completion": {"values": shown, "total": len(values), "hasMore": len(values) > len(shown)}}

    def _values(self, reference: Mapping[str, Any], name: str, prefix: str, access: Access | None) -> list[str]:
        for toolset, complete in self._completers.items():
            values = complete(reference, name, prefix) if is_allowed(access, toolset) else None
            if values is not None:
                return list(values)
        return []


def _acting_for(request: Request) -> AbstractContextManager[None]:
    """Act with the rights of the sender of a request."""
    return acting_as(request.connection.user, request.access)


def _describe_prompt(prompt: Prompt) -> dict[str, Any]:
    arguments = [
        {"name": each.name, "description": each.description, "required": each.required} for each in prompt.arguments
    ]
    return without_none(name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments)


class ResourceMethods:
    """Answers for resources."""

    def __init__(self, *, resources: Resources, timer: Timer, limits: Limits) -> None:
        self._resources = resources
        self._timer = timer
        self._limits = limits

    def list_resources(self, request: Request) -> dict[str, Any]:
        """`resources/list`, a hundred at a time.

        The cursor is the last URI of the page before, so a change in between loses nothing.
        """
        with _acting_for(request):
            resources = self._resources.list(request.access)
        cursor: Any = request.params.get("cursor")
        if cursor is not None:
            if not isinstance(cursor, str) or not cursor.startswith("after:"):
                raise RpcError(INVALID_PARAMS, "Invalid cursor.")
            last = cursor.removeprefix("after:")
            resources = [each for each in resources if each.uri > last]
        page = resources[:PAGE]
        result: Result = {"resources": [_encode(each) for each in page]}
        if len(resources) > PAGE:
            result["nextCursor"] = f"after:{page[-1].uri}"
        return add_cache_hint(result, is_modern=request.is_modern)

    def list_templates(self, request: Request) -> dict[str, Any]:
        """`resources/templates/list`."""
        with _acting_for(request):
            templates = self._resources.templates(request.access)
        result = {"resourceTemplates": [_encode(each) for each in templates]}
        return add_cache_hint(result, is_modern=request.is_modern)

    def read_resource(self, request: Request) -> dict[str, Any]:
        """`resources/read`."""
        uri = self._uri(request)
        with time_limit(self._timer, request.cancellation, "resources/read", None), _acting_for(request):
            contents = self._resources.read(uri, request.access)
        return add_cache_hint({"contents": [_encode(each) for each in contents]}, is_modern=request.is_modern)

    def tell_error(self, request: Request, error: FieldguideError) -> dict[str, Any]:
        """The error of `resources/read`."""
        code = INVALID_REQUEST if type(error) is Refusal else INVALID_PARAMS
        if isinstance(error, NotFound):
            code = INVALID_PARAMS if request.is_modern else RESOURCE_NOT_FOUND
        elif isinstance(error, Failure):
            code = INTERNAL_ERROR
        raise RpcError(code, error.message, {**error.details, "uri": self._uri(request)}) from error

    def _uri(self, request: Request) -> str:
        uri = request.params.get("uri")
        if not isinstance(uri, str) or not uri:
            raise RpcError(INVALID_PARAMS, 'Invalid params: "uri" must be a string.')
        if len(uri) > self._limits.uri_characters:
            limit = self._limits.told("uri_characters")
            raise RpcError(INVALID_PARAMS, f"Invalid params: the URI is too long: {limit}.", {"uri": shorten(uri)})
        return uri


def collect_resources(toolsets: Sequence[Toolset]) -> Resources:
    """The resources of all toolsets."""
    providers: list[ResourceProvider] = []
    owners: dict[str, str] = {}
    for toolset in toolsets:
        providers += toolset.resources
        owners |= {provider.scheme: toolset.name for provider in toolset.resources}
    return Resources(providers, owners)


def _encode(value: Resource | ResourceTemplate | ResourceContents) -> dict[str, Any]:
    """A value in the names of the protocol, without what it does not have."""
    return without_none(**{WIRE_NAMES.get(name, name): each for name, each in value._asdict().items()})


def _sum_calls(tools: Sequence[ToolMetrics]) -> dict[str, Any]:
    """The totals of `server/performance`."""
    return {
        "total_invocations": sum(each.calls for each in tools),
        "failed_invocations": sum(sum(each.errors.values()) for each in tools),
        "invocations_by_name": {each.tool: each.calls for each in tools},
        "total_execution_time_ms": round(sum(each.milliseconds for each in tools)),
        "execution_time_by_name": {each.tool: round(each.milliseconds) for each in tools},
        "timeout_count": sum(each.errors.get("ToolTimeout", 0) for each in tools),
    }


class ServerMethods:
    """Answers for the server itself: the handshake of either era and its counters."""

    def __init__(
        self,
        *,
        executor: Executor,
        workflows: Workflows,
        instructions: Callable[[Access | None], str],
    ) -> None:
        self._executor = executor
        self._workflows = workflows
        self._instructions = instructions

    def initialize(self, request: Request) -> dict[str, Any]:
        """`initialize`: the version that was asked for if we know it, else our newest."""
        connection = request.connection
        asked = request.params.get("protocolVersion")
        connection.version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        connection.client = read_object(request.params.get("clientInfo"))
        return {
            "protocolVersion": connection.version,
            "capabilities": self._capabilities(announces_lists=connection.announces_lists),
            "serverInfo": SERVER_INFO,
            "instructions": self._instructions(request.access),
        }

    def discover(self, request: Request) -> dict[str, Any]:
        """`server/discover`, the handshake of the new era."""
        result = {
            "supportedVersions": list(MODERN_VERSIONS),
            "capabilities": self._capabilities(),
            "instructions": self._instructions(request.access),
        }
        return add_cache_hint(result, is_modern=True)

    def ping(self, request: Request) -> dict[str, Any]:
        """`ping`."""
        return {}

    def tell_performance(self, request: Request) -> dict[str, Any]:
        """`server/performance`: the counters; a principal sees only its own calls."""
        access = request.access
        whole = self._executor.journal.metrics
        metrics = whole if access is None else whole.of(access.user)
        prompts = self._workflows.prompts_given if access is None else metrics.prompts
        seen = {tool.name for tool in self._executor.registry.all(access)}
        breakers = self._executor.breakers.states()
        return {
            "server_info": SERVER_INFO,
            "initialized": request.connection.is_initialized,
            "cache_metrics": {"workflows": len(self._workflows) if access is None else prompts.total()},
            "prompt_metrics": {"total_prompts": prompts.total(), "prompts_by_name": dict(sorted(prompts.items()))},
            "tool_metrics": _sum_calls(metrics.measured()),
            "tools": metrics.per_tool(),
            "circuit_breakers": {name: told for name, told in breakers.items() if access is None or name in seen},
            "error_kinds": metrics.error_kinds(),
            "timestamp": format_timestamp(),
        }

    def _capabilities(self, *, announces_lists: bool = False) -> dict[str, Any]:
        """Our capabilities; tools never change while we run, so they have no `listChanged`."""
        lists: dict[str, Any] = {"listChanged": True} if announces_lists else {}
        return {"tools": {}, "resources": lists, "prompts": lists, "completions": {}}
