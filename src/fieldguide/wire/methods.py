"""Answers the MCP methods of tools, prompts, completions and resources, and encodes their results and errors."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.settings.consents import Access, acting_as, is_allowed
from fieldguide.settings.limits import Limits
from fieldguide.spine.executor import Executor
from fieldguide.spine.journal import Metrics
from fieldguide.spine.prompts import Prompt, Prompts, WorkflowContext, WorkflowStore
from fieldguide.spine.resources import (
    PANEL_ADDRESS,
    Panel,
    Panels,
    Resource,
    ResourceContents,
    ResourceProvider,
    Resources,
    ResourceTemplate,
)
from fieldguide.spine.tool import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    PLAIN,
    Answer,
    Call,
    Dialect,
    FailedCall,
    Fault,
    InputRequired,
    Tool,
)
from fieldguide.spine.toolset import Completer, Registry, Toolset
from fieldguide.spine.workers import Timer, time_limit
from fieldguide.text.errors import (
    Failure,
    FieldguideError,
    InputNeeded,
    InvalidArguments,
    NotFound,
    Refusal,
    ToolNotFound,
    shorten,
)
from fieldguide.wire.connection import (
    CAPABILITIES,
    DEFERRING_TOOLS,
    LEVELS,
    READING_VALUES,
    Request,
    ToolProfile,
    add_cache_hint,
    is_known_client,
    shows_panels,
    spell_tool_name,
)
from fieldguide.wire.jsonrpc import INVALID_REQUEST, RpcError, make_method_not_found

if TYPE_CHECKING:
    from fieldguide.wire.sealed_state import SealedState

TOOL_NOT_FOUND = -32001
FILE_NOT_FOUND = 1001
RESOURCE_NOT_FOUND = -32002
STRUCTURED_SINCE = "2025-06-18"
WORKFLOW_KEY = "fieldguide/workflow"
MAX_COMPLETIONS = 100
PAGE = 100

Result = dict[str, Any]


class RequestChannel(NamedTuple):
    """The channel of one request; every message is sent before the call continues, so none overtakes the answer."""

    request: Request
    inputs: Mapping[str, Any]

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress, if the client gave a token for it."""
        token = self.request.meta.get("progressToken")
        if not isinstance(token, str | int) or isinstance(token, bool):
            return
        params = _without_none(progressToken=token, progress=done, total=total, message=message)
        self.request.outlet.notify("notifications/progress", params, self.request.cancellation)

    def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Send a log message, if the client wants messages of this level."""
        if level not in LEVELS:
            raise ValueError(f"{level!r} is no log level; the levels are {', '.join(LEVELS)}")
        if not self.request.wants_log(level):
            return
        params: dict[str, Any] = {"level": level, "data": data}
        if logger is not None:
            params["logger"] = logger
        self.request.outlet.notify("notifications/message", params, self.request.cancellation)

    def can_ask(self, method: str) -> bool:
        """Whether the client says that it can be asked this."""
        return self.request.can_ask(method)

    def ask(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the client; in the new era by ending this call with the question, and the client calls again."""
        if self.request.is_modern:
            if key not in self.inputs:
                raise InputNeeded(key, {"method": method, "params": dict(params)})
            return dict(self.inputs[key])
        if not self.can_ask(method):
            capability = CAPABILITIES[method]
            raise Refusal(f"This client can't be asked: it does not declare the capability {capability!r}.")
        try:
            return self.request.outlet.request(method, params, self.request.cancellation)
        except RpcError as error:
            raise Refusal(f"The client answered with an error: {shorten(error.message)}") from error


def _read_inputs(request: Request, open_state: "Callable[[], SealedState]") -> tuple[Mapping[str, Any], str | None]:
    """The client's answers to what it was asked, and the state that came back with them; most requests have neither."""
    if request.params.get("inputResponses") is None and request.params.get("requestState") is None:
        return {}, None
    return open_state().opened(request)


def describe_tool(
    tool: Tool, *, name: str, schema: Mapping[str, Any], shows_panel: bool = False, loads_at_once: bool = False
) -> dict[str, Any]:
    """A tool as an entry of `tools/list`; its panel is named only to clients that show panels."""
    meta: dict[str, Any] = {"ui": {"resourceUri": tool.panel}} if shows_panel and tool.panel else {}
    if loads_at_once:
        meta["anthropic/alwaysLoad"] = True
    return _without_none(
        name=name,
        title=tool.title,
        description=tool.description,
        inputSchema=schema,
        annotations={
            "readOnlyHint": not tool.effects.writes,
            "destructiveHint": tool.effects.destroys,
            "idempotentHint": tool.effects.repeatable,
            "openWorldHint": tool.effects.open_world,
        },
        _meta=meta or None,
    )


def encode_answer(answer: Answer, *, version: str, is_modern: bool) -> Result:
    """An answer as the result of `tools/call`: the text, and the value where the protocol version has one."""
    result: Result = {"content": list(answer.blocks) or [{"type": "text", "text": answer.text}]}
    value: Any = answer.value if answer.tells_value else None
    if version >= STRUCTURED_SINCE and type(value) in ((dict, list) if is_modern else (dict,)):
        result["structuredContent"] = value
    if answer.is_error:
        result["isError"] = True
    if answer.meta is not None:
        result["_meta"] = answer.meta
    return result


def encode_error(error: Answer | Fault) -> Result:
    """The result for an error, or an RpcError raised for a fault, as the dialect chose."""
    if isinstance(error, Fault):
        raise RpcError(error.code, error.message, error.data)
    result: Result = {"content": list(error.blocks) or [{"type": "text", "text": error.text}]}
    if error.is_error:
        result["isError"] = True
    return result


def make_method_error(error: FieldguideError) -> RpcError:
    """The error of a toolset's own JSON-RPC method."""
    if isinstance(error, InvalidArguments):
        return RpcError(INVALID_PARAMS, error.message, {"issues": error.issues})
    if isinstance(error, Refusal):
        return RpcError(FILE_NOT_FOUND, error.message)
    return RpcError(INTERNAL_ERROR, error.message)


class ToolMethods:
    """Lists tools in the spelling that a client takes, and answers calls in the dialect of their toolset."""

    def __init__(
        self,
        *,
        executor: Executor,
        workflows: WorkflowStore,
        toolsets: tuple[Toolset, ...],
        name_mode: str,
        profile: ToolProfile,
        open_state: "Callable[[], SealedState]",
    ) -> None:
        self._executor = executor
        self._workflows = workflows
        self._toolsets = toolsets
        self._name_mode = name_mode
        self._profile = profile
        self._dialects = {tool.name: each.dialect for each in toolsets for tool in each.tools}
        self._open_state = open_state

    def list_tools(self, request: Request) -> dict[str, Any]:
        """`tools/list`: every tool of the profile on one page, sorted by name."""
        if request.params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Invalid cursor: the list of tools has one page.")
        identity = self._executor.identity
        user = request.connection.user
        shows_panel = shows_panels(request.capabilities)
        defers = is_known_client(request.client_name, DEFERRING_TOOLS)
        tools = [
            describe_tool(
                tool,
                name=spell_tool_name(tool.name, mode=self._name_mode, client=request.client_name),
                schema=identity.shown_schema(tool, user),
                shows_panel=shows_panel,
                loads_at_once=defers and tool.name in self._profile.front,
            )
            for tool in self._profile.listed(self._executor.registry.all(request.access), request.client_name)
        ]
        return add_cache_hint({"tools": tools}, is_modern=request.is_modern)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """A tool's schema by its name; the HTTP transport checks headers that mirror arguments against it."""
        try:
            return self._executor.registry.find(name).input_schema
        except ToolNotFound:
            return None

    def call_tool(self, request: Request) -> dict[str, Any]:
        """`tools/call`."""
        name = request.params.get("name")
        arguments: Any = request.params.get("arguments")
        if arguments is None:
            arguments = {}
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "name" must be a string.')
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "arguments" must be an object.', {"tool": shorten(name)})
        answer = self._execute(request, name, cast("dict[str, Any]", arguments))
        if answer.required is not None:
            return self._open_state().asking(answer.required, request)
        text_says_more = self._executor.registry.find(name).wording.text_says_more
        if text_says_more and is_known_client(request.client_name, READING_VALUES):
            answer = answer._replace(tells_value=False)  # else the model would get the value in place of the text
        return encode_answer(answer, version=request.version, is_modern=request.is_modern)

    def tell_call_error(self, request: Request, error: FieldguideError) -> dict[str, Any]:
        """The result for an error that ended a `tools/call`, in the dialect of its toolset."""
        name = request.params["name"]
        if isinstance(error, ToolNotFound):
            claimant = self._claimant(name, request.access)
            if claimant is not None and claimant.tell_unknown is not None:
                return encode_error(claimant.tell_unknown(error))
            code = INVALID_PARAMS if request.is_modern else TOOL_NOT_FOUND
            raise RpcError(code, error.message, error.details) from error
        tool = self._executor.registry.find(name)
        failed = FailedCall(tool, request.params.get("arguments") or {}, request.is_modern)
        return encode_error(self._dialects.get(tool.name, PLAIN).tell(error, failed))

    def call_method(self, request: Request, tool: str) -> dict[str, Any]:
        """A toolset's own JSON-RPC method: the tool's plain value, not wrapped in content."""
        arguments = {key: value for key, value in request.params.items() if key != "_meta"}
        answer = self._execute(request, tool, arguments)
        if answer.required is not None:
            raise RpcError(INTERNAL_ERROR, "This method can't ask its client; call the tool instead.")
        return dict(answer.value)

    def tell_method_error(self, request: Request, error: FieldguideError) -> dict[str, Any]:
        """The error of a toolset's own JSON-RPC method."""
        if isinstance(error, ToolNotFound) and request.access is not None:  # not theirs to see
            raise make_method_not_found(request.method) from None
        raise make_method_error(error) from error

    def _execute(self, request: Request, name: str, arguments: Mapping[str, Any]) -> Answer:
        inputs, state = _read_inputs(request, self._open_state)
        handle = request.meta.get(WORKFLOW_KEY)
        call = Call(
            tool=name,
            arguments=arguments,
            user=request.connection.user,
            access=request.access,
            request_id=request.id,
            connection=request.connection.id,
            is_passing=request.connection.is_passing,
            workflow=self._workflow(request, handle),
            is_workflow_named=handle is not None,
            channel=RequestChannel(request, inputs),
            cancellation=request.cancellation,
            inputs=inputs,
            state=state,
            shows_panel=shows_panels(request.capabilities),
            refusal=request.refusal,
        )
        return self._executor.execute(call)

    def _workflow(self, request: Request, handle: Any) -> WorkflowContext | None:
        if handle is None:
            latest = None if request.is_modern else request.connection.workflow
            return None if latest is None else self._find_workflow(latest, request)
        workflow = self._find_workflow(handle, request) if isinstance(handle, str) else None
        if workflow is None:
            raise RpcError(INVALID_PARAMS, f"Unknown or expired {WORKFLOW_KEY}; get the prompt again for a new one.")
        return workflow

    def _find_workflow(self, handle: str, request: Request) -> WorkflowContext | None:
        user = request.connection.user
        with acting_as(user):
            return self._workflows.find(handle, user)

    def _claimant(self, name: str, access: Access | None) -> Dialect | None:
        """The dialect of the toolset that claims a name that no tool has, among those the caller may see."""
        seen = [toolset for toolset in self._toolsets if is_allowed(access, toolset.name)]
        for toolset in seen:
            if toolset.claims and name.startswith(toolset.claims):
                return toolset.dialect
        return seen[0].dialect if len(seen) == 1 and seen[0].claims is None else None


class PromptMethods:
    """Answers for prompts; each prompt that is given out opens a workflow, and its handle goes with it."""

    def __init__(
        self,
        *,
        prompts: Prompts,
        workflows: WorkflowStore,
        completers: Mapping[str, Completer],
        timer: Timer,
        metrics: Metrics,
        open_state: "Callable[[], SealedState]",
    ) -> None:
        self._metrics = metrics
        self._prompts = prompts
        self._workflows = workflows
        self._completers = completers
        self._timer = timer
        self._open_state = open_state

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
        inputs, state = _read_inputs(request, self._open_state)
        with time_limit(self._timer, request.cancellation, "prompts/get", None), _acting_for(request):
            prompt, messages = self._prompts.render(name, given, inputs=inputs, state=state, access=request.access)
        if isinstance(messages, InputRequired):
            return self._open_state().asking(messages, request)
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
    return _without_none(name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments)


class ResourceMethods:
    """Answers for resources."""

    def __init__(self, *, resources: Resources, timer: Timer, limits: Limits) -> None:
        self._resources = resources
        self._timer = timer
        self._limits = limits

    def list_resources(self, request: Request) -> dict[str, Any]:
        """`resources/list`, a hundred at a time; panels only for clients that show them.

        The cursor is the last URI of the page before, so a change in between loses nothing.
        """
        with _acting_for(request):
            resources = self._resources.list(request.access)
        if not shows_panels(request.capabilities):
            resources = [each for each in resources if not each.uri.startswith(PANEL_ADDRESS)]
        cursor: Any = request.params.get("cursor")
        if cursor is not None:
            if not isinstance(cursor, str) or not cursor.startswith("after:"):
                raise RpcError(INVALID_PARAMS, "Invalid cursor.")
            last = cursor.removeprefix("after:")
            resources = [each for each in resources if each.uri > last]
        page = resources[:PAGE]
        result: Result = {"resources": [_describe_resource(each) for each in page]}
        if len(resources) > PAGE:
            result["nextCursor"] = f"after:{page[-1].uri}"
        return add_cache_hint(result, is_modern=request.is_modern)

    def list_templates(self, request: Request) -> dict[str, Any]:
        """`resources/templates/list`."""
        with _acting_for(request):
            templates = self._resources.templates(request.access)
        result = {"resourceTemplates": [_describe_template(each) for each in templates]}
        return add_cache_hint(result, is_modern=request.is_modern)

    def read_resource(self, request: Request) -> dict[str, Any]:
        """`resources/read`."""
        uri = self._uri(request)
        with time_limit(self._timer, request.cancellation, "resources/read", None), _acting_for(request):
            contents = self._resources.read(uri, request.access)
        return add_cache_hint({"contents": [_encode_contents(each) for each in contents]}, is_modern=request.is_modern)

    def tell_error(self, request: Request, error: FieldguideError) -> dict[str, Any]:
        """The error of `resources/read`."""
        code = INVALID_REQUEST if type(error) is Refusal else INVALID_PARAMS
        if isinstance(error, NotFound):
            code = INVALID_PARAMS if request.is_modern else RESOURCE_NOT_FOUND
        elif isinstance(error, Failure):
            code = INTERNAL_ERROR
        raise RpcError(code, error.message, {**error.details, "uri": self._uri(request)}) from error

    def subscribe(self, request: Request) -> dict[str, Any]:
        """`resources/subscribe`, of the handshake era."""
        uri = self._uri(request)
        subscriptions = request.connection.subscriptions
        self.look()
        if uri not in subscriptions and len(subscriptions) >= self._limits.subscriptions_per_connection:
            limit = self._limits.told("subscriptions_per_connection")
            raise RpcError(INVALID_REQUEST, f"Too many subscriptions: {limit}.")
        subscriptions.add(uri)
        return {}

    def look(self) -> None:
        """List everything once, so that changes from here on are noticed."""
        with suppress(FieldguideError):
            self._resources.list()

    def unsubscribe(self, request: Request) -> dict[str, Any]:
        """`resources/unsubscribe`, of the handshake era."""
        request.connection.subscriptions.discard(self._uri(request))
        return {}

    def _uri(self, request: Request) -> str:
        uri = request.params.get("uri")
        if not isinstance(uri, str) or not uri:
            raise RpcError(INVALID_PARAMS, 'Invalid params: "uri" must be a string.')
        if len(uri) > self._limits.uri_characters:
            limit = self._limits.told("uri_characters")
            raise RpcError(INVALID_PARAMS, f"Invalid params: the URI is too long: {limit}.", {"uri": shorten(uri)})
        return uri


def collect_panels(toolsets: Sequence[Toolset]) -> tuple[Panel, ...]:
    """The panels of all toolsets."""
    return tuple(panel for each in toolsets for panel in each.panels)


def collect_resources(toolsets: Sequence[Toolset], registry: Registry) -> Resources:
    """The resources and panels of all toolsets."""
    providers: list[ResourceProvider] = []
    owners: dict[str, str] = {}
    for toolset in toolsets:
        providers += toolset.resources
        owners |= {provider.scheme: toolset.name for provider in toolset.resources}
        owners |= {panel.uri: toolset.name for panel in toolset.panels}
    panels = collect_panels(toolsets)
    if panels:
        providers.append(Panels(panels, registry))
    return Resources(providers, owners)


def _describe_resource(resource: Resource) -> dict[str, Any]:
    return _without_none(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mimeType=resource.mime_type,
        size=resource.size,
        annotations=resource.annotations,
        _meta=resource.meta,
    )


def _describe_template(template: ResourceTemplate) -> dict[str, Any]:
    return _without_none(
        uriTemplate=template.uri_template,
        name=template.name,
        title=template.title,
        description=template.description,
        mimeType=template.mime_type,
    )


def _encode_contents(contents: ResourceContents) -> Mapping[str, Any]:
    return _without_none(
        uri=contents.uri, mimeType=contents.mime_type, text=contents.text, blob=contents.blob, _meta=contents.meta
    )


def _without_none(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
