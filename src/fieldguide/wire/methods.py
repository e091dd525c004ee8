"""Answers `tools/list` and `tools/call`, and encodes tools, answers and errors for them."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

from fieldguide.settings.consents import Access, bind_caller, is_allowed
from fieldguide.settings.limits import Limits
from fieldguide.spine.executor import Executor
from fieldguide.spine.journal import Metrics
from fieldguide.spine.prompts import Prompt, Prompts
from fieldguide.spine.registry import Registry
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
from fieldguide.spine.toolset import Completer, Toolset
from fieldguide.spine.workers import Workers, time_limit
from fieldguide.spine.workflow import WorkflowContext, WorkflowStore
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import (
    Cancelled,
    Failure,
    FieldguideError,
    InputNeeded,
    InvalidArguments,
    NotFound,
    Refusal,
    ToolNotFound,
    shorten,
)
from fieldguide.wire.clients import READING_VALUES, ToolProfile, is_known_client, shows_panels, spell_tool_name
from fieldguide.wire.connection import CAPABILITIES, LEVELS, Request, add_cache_hint
from fieldguide.wire.jsonrpc import INVALID_REQUEST, RpcError, make_method_not_found
from fieldguide.wire.sealed_state import SealedState, SealingKeys


class RequestChannel:
    """The channel of one request; each word waits until it is on its way, so that nothing overtakes the answer."""

    def __init__(self, request: Request, cancellation: Cancellation, inputs: Mapping[str, Any]) -> None:
        self._request = request
        self._cancellation = cancellation
        self._inputs = inputs
        self._loop = request.connection.loop or asyncio.get_running_loop()

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is, if the client gave a token for it."""
        token = self._request.meta.get("progressToken")
        if not isinstance(token, str | int) or isinstance(token, bool):
            return
        params: dict[str, Any] = {"progressToken": token, "progress": done}
        params |= {} if total is None else {"total": total}
        params |= {} if message is None else {"message": message}
        self._wait_for(self._request.outlet.notify("notifications/progress", params))

    def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Send a log message, if the client wants messages of this level."""
        if level not in LEVELS:
            raise ValueError(f"{level!r} is no log level; the levels are {', '.join(LEVELS)}")
        if not self._request.wants_log(level):
            return
        params: dict[str, Any] = {"level": level, "data": data}
        params |= {} if logger is None else {"logger": logger}
        self._wait_for(self._request.outlet.notify("notifications/message", params))

    def can_ask(self, method: str) -> bool:
        """Whether the client says that it can be asked this."""
        return self._request.can_ask(method)

    def ask(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the client; in the new era by ending this call with the question, to be called again with its answer."""
        if self._request.is_modern:
            if key not in self._inputs:
                raise InputNeeded(key, {"method": method, "params": dict(params)})
            return dict(self._inputs[key])
        if not self.can_ask(method):
            capability = CAPABILITIES[method]
            raise Refusal(f"This client can't be asked: it does not declare the capability {capability!r}.")
        return self._wait_for(self._request.outlet.request(method, params)) or {}

    def _wait_for(self, words: "Coroutine[Any, Any, Any]") -> Any:
        waiting = asyncio.run_coroutine_threadsafe(words, self._loop)
        try:
            with self._cancellation.stopping(lambda: _cancel(waiting)):
                return waiting.result()
        except CancelledError:
            raise Cancelled("The call was cancelled.") from None
        except RpcError as error:
            raise Refusal(f"The client answered with an error: {shorten(error.message)}") from error


def _cancel(waiting: Future[Any]) -> None:
    waiting.cancel()


TOOL_NOT_FOUND = -32001
FILE_NOT_FOUND = 1001
STRUCTURED_SINCE = "2025-06-18"

Result = dict[str, Any]


def describe_tool(tool: Tool, *, name: str, schema: Mapping[str, Any], shows_panel: bool = False) -> dict[str, Any]:
    """A tool as `tools/list` tells it; its panel only to who shows it."""
    title = {} if tool.title is None else {"title": tool.title}
    meta = {"_meta": {"ui": {"resourceUri": tool.panel}}} if shows_panel and tool.panel else {}
    return {
        "name": name,
        **title,
        "description": tool.description,
        "inputSchema": schema,
        "annotations": {
            "readOnlyHint": not tool.effects.writes,
            "destructiveHint": tool.effects.destroys,
            "idempotentHint": tool.effects.repeatable,
            "openWorldHint": tool.effects.open_world,
        },
        **meta,
    }


def encode_answer(answer: Answer, *, version: str, is_modern: bool) -> Result:
    """An answer as the result of `tools/call`: the text, and the object itself where the version knows such a thing."""
    content = list(answer.blocks) or [_text(answer.text)]
    result: Result = {"content": content}
    value: Any = answer.value if answer.tells_value else None
    if version >= STRUCTURED_SINCE and type(value) in ((dict, list) if is_modern else (dict,)):
        result["structuredContent"] = value
    if answer.is_error:
        result["isError"] = True
    if answer.meta is not None:
        result["_meta"] = answer.meta
    return result


def encode_error(told: Answer | Fault) -> Result:
    """An error as its dialect tells it: a result, or an RpcError that is raised."""
    if isinstance(told, Fault):
        raise RpcError(told.code, told.message, told.data)
    result: Result = {"content": list(told.blocks) or [_text(told.text)]}
    return {**result, "isError": True} if told.is_error else result


def answer_unknown_tool(error: ToolNotFound, *, claimant: Dialect | None, is_modern: bool) -> Result:
    """The answer to a name that no tool has, in the dialect that claims the name, if one does."""
    if claimant is not None and claimant.tell_unknown is not None:
        return encode_error(claimant.tell_unknown(error))
    raise RpcError(INVALID_PARAMS if is_modern else TOOL_NOT_FOUND, error.message, error.details)


def make_method_error(error: FieldguideError) -> RpcError:
    """The error of a JSON-RPC method of a toolset's own, which answers with its tool's plain value."""
    if isinstance(error, InvalidArguments):
        return RpcError(INVALID_PARAMS, error.message, {"issues": error.issues})
    if isinstance(error, Refusal):
        return RpcError(FILE_NOT_FOUND, error.message)
    return RpcError(INTERNAL_ERROR, error.message)


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


WORKFLOW_KEY = "fieldguide/workflow"


class ToolMethods:
    """Answers for tools: the list in the spelling a client takes, and each call in its toolset's dialect."""

    def __init__(
        self,
        *,
        executor: Executor,
        workflows: WorkflowStore,
        toolsets: tuple[Toolset, ...],
        name_mode: str,
        profile: ToolProfile,
        keys: SealingKeys | None = None,
    ) -> None:
        self._executor = executor
        self._workflows = workflows
        self._toolsets = toolsets
        self._name_mode = name_mode
        self._profile = profile
        self._dialects = {tool.name: each.dialect for each in toolsets for tool in each.tools}
        self._state = SealedState(keys=keys)

    async def list_tools(self, request: Request) -> dict[str, Any]:
        """`tools/list`: everything that the profile shows, at once, sorted by name."""
        if request.params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Invalid cursor: the list of tools has one page.")
        identity = self._executor.identity
        user = request.connection.user
        shows_panel = shows_panels(request.capabilities)
        tools = [
            describe_tool(
                tool,
                name=spell_tool_name(tool.name, mode=self._name_mode, client=request.client_name),
                schema=identity.shown_schema(tool, user),
                shows_panel=shows_panel,
            )
            for tool in self._profile.listed(self._executor.registry.all(request.access), request.client_name)
        ]
        return add_cache_hint({"tools": tools}, is_modern=request.is_modern)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """A tool's schema by its name; the HTTP transport checks the headers that mirror arguments against it."""
        try:
            return self._executor.registry.find(name).input_schema
        except ToolNotFound:
            return None

    async def call_tool(self, request: Request) -> dict[str, Any]:
        """`tools/call`."""
        name = request.params.get("name")
        given = request.params.get("arguments")
        arguments: Any = {} if given is None else given
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "name" must be a string.')
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "arguments" must be an object.', {"tool": shorten(name)})
        try:
            answer = await self._execute(request, name, cast("dict[str, Any]", arguments))
            if answer.required is not None:
                await self._state.prepare(self._executor.workers)
                return self._state.asking(answer.required, request)
        except ToolNotFound as error:
            return answer_unknown_tool(
                error, claimant=self._claimant(name, request.access), is_modern=request.is_modern
            )
        except FieldguideError as error:
            tool = self._executor.registry.find(name)
            failing = FailedCall(tool, cast("dict[str, Any]", arguments), request.is_modern)
            return encode_error(self._dialects.get(tool.name, PLAIN).tell(error, failing))
        told = answer._replace(tells_value=False) if self._hides_value(name, request.client_name) else answer
        return encode_answer(told, version=request.version, is_modern=request.is_modern)

    async def call_method(self, request: Request, tool: str) -> dict[str, Any]:
        """A method of a toolset's own: the tool's plain value, not wrapped in content."""
        arguments = {key: value for key, value in request.params.items() if key != "_meta"}
        try:
            answer = await self._execute(request, tool, arguments)
        except FieldguideError as error:
            if isinstance(error, ToolNotFound) and request.access is not None:
                raise make_method_not_found(
                    request.method
                ) from None  # not theirs to see: as if there were no such method
            raise make_method_error(error) from error
        if answer.required is not None:
            raise RpcError(INTERNAL_ERROR, "This method can't ask its client; call the tool instead.")
        return dict(answer.value)

    async def _execute(self, request: Request, name: str, arguments: Mapping[str, Any]) -> Answer:
        await self._state.prepare(self._executor.workers, is_wanted="requestState" in request.params)
        inputs, state = self._state.opened(request)
        cancellation = Cancellation()
        handle = request.meta.get(WORKFLOW_KEY)
        call = Call(
            tool=name,
            arguments=arguments,
            user=request.connection.user,
            access=request.access,
            request_id=request.id,
            connection=request.connection.id,
            is_alone=request.is_alone,
            is_passing=request.connection.is_passing,
            workflow=await self._workflow(request, handle),
            is_workflow_named=handle is not None,
            channel=RequestChannel(request, cancellation, inputs),
            cancellation=cancellation,
            inputs=inputs,
            state=state,
            shows_panel=shows_panels(request.capabilities),
        )
        return await self._executor.execute(call)

    def _hides_value(self, name: str, client: str | None) -> bool:
        """Whether the model behind this client would be given the value in place of a text that says more."""
        return self._executor.registry.find(name).wording.text_says_more and is_known_client(client, READING_VALUES)

    async def _workflow(self, request: Request, handle: Any) -> WorkflowContext | None:
        if handle is None:
            latest = None if request.is_modern else request.connection.workflow
            return None if latest is None else await self._found(latest, request)
        found = await self._found(handle, request) if isinstance(handle, str) else None
        if found is None:
            raise RpcError(INVALID_PARAMS, f"Unknown or expired {WORKFLOW_KEY}; get the prompt again for a new one.")
        return found

    async def _found(self, handle: str, request: Request) -> WorkflowContext | None:
        user = request.connection.user
        find = bind_caller(user, partial(self._workflows.find, handle, user))
        return await self._executor.workers.run(find) if self._workflows.is_remote else find()

    def _claimant(self, name: str, access: Access | None) -> Dialect | None:
        """The dialect that answers for a name that no tool has, of those that the caller knows of."""
        seen = [toolset for toolset in self._toolsets if is_allowed(access, toolset.name)]
        for toolset in seen:
            if toolset.claims and name.startswith(toolset.claims):
                return toolset.dialect
        alone = seen[0] if len(seen) == 1 else None
        return alone.dialect if alone is not None and alone.claims is None else None


MAX_COMPLETIONS = 100
T = TypeVar("T")


class PromptMethods:
    """Answers for prompts; each one given out opens a workflow whose handle comes with it."""

    def __init__(
        self,
        *,
        prompts: Prompts,
        workflows: WorkflowStore,
        completers: Mapping[str, Completer],
        workers: Workers,
        metrics: Metrics,
        keys: SealingKeys | None = None,
    ) -> None:
        self._metrics = metrics
        self._prompts = prompts
        self._workflows = workflows
        self._completers = completers
        self._workers = workers
        self._state = SealedState(keys=keys)

    async def list_prompts(self, request: Request) -> dict[str, Any]:
        """`prompts/list`: everything at once, sorted by name."""
        if request.params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Invalid cursor: the list of prompts has one page.")
        found = await self._workers.run(_for(request, partial(self._prompts.list, request.access)))
        return add_cache_hint({"prompts": [_listed_prompt(prompt) for prompt in found]}, is_modern=request.is_modern)

    async def get_prompt(self, request: Request) -> dict[str, Any]:
        """`prompts/get`."""
        name = request.params.get("name")
        filled = request.params.get("arguments")
        arguments: Any = {} if filled is None else filled
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "name" is a string and "arguments" an object.')
        given = cast("dict[str, Any]", arguments)
        await self._state.prepare(self._workers, is_wanted="requestState" in request.params)
        inputs, state = self._state.opened(request)
        try:
            async with time_limit("prompts/get", None):
                render = partial(self._prompts.render, name, given, inputs=inputs, state=state, access=request.access)
                prompt, messages = await self._workers.run(_for(request, render))
            if isinstance(messages, InputRequired):
                await self._state.prepare(self._workers)
                return self._state.asking(messages, request)
            workflow = await self._started(name, given, request)
        except FieldguideError as error:
            code = INVALID_PARAMS if isinstance(error, Refusal) else INTERNAL_ERROR
            raise RpcError(code, error.message, error.details or None) from error
        if not request.is_modern:  # the new era knows no connection, only handles
            request.connection.workflow = workflow.session_id
        return {
            "description": prompt.description,
            "messages": list(messages),
            "_meta": {WORKFLOW_KEY: workflow.session_id},
        }

    async def _started(self, name: str, given: Mapping[str, Any], request: Request) -> WorkflowContext:
        user = request.connection.user
        if request.access is not None:
            self._metrics.of(request.access.user).prompts[name] += 1
        start = bind_caller(user, partial(self._workflows.start, name, given, user))
        return await self._workers.run(start) if self._workflows.is_remote else start()

    async def complete(self, request: Request) -> dict[str, Any]:
        """`completion/complete`: the first toolset that knows the reference answers."""
        reference = request.params.get("ref")
        argument = request.params.get("argument")
        if not isinstance(reference, Mapping) or not isinstance(argument, Mapping):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "ref" and "argument" must be objects.')
        begun = cast("Mapping[str, Any]", argument)
        name = str(begun.get("name", ""))
        prefix = str(begun.get("value", ""))
        known = cast("Mapping[str, Any]", reference)
        values = await self._workers.run(_for(request, partial(self._values, known, name, prefix, request.access)))
        shown = values[:MAX_COMPLETIONS]
        return {"completion": {"values": shown, "total": len(values), "hasMore": len(values) > len(shown)}}

    def _values(self, reference: Mapping[str, Any], name: str, prefix: str, access: Access | None) -> list[str]:
        for complete in (each for toolset, each in self._completers.items() if is_allowed(access, toolset)):
            values = complete(reference, name, prefix)
            if values is not None:
                return list(values)
        return []


def _for(request: Request, function: Callable[[], T]) -> Callable[[], T]:
    """A function that works for whoever sent the request."""
    return bind_caller(request.connection.user, function, request.access)


def _listed_prompt(prompt: Prompt) -> dict[str, Any]:
    title = {} if prompt.title is None else {"title": prompt.title}
    arguments = [
        {"name": each.name, "description": each.description, "required": each.required} for each in prompt.arguments
    ]
    return {"name": prompt.name, **title, "description": prompt.description, "arguments": arguments}


PAGE = 100
RESOURCE_NOT_FOUND = -32002


class ResourceMethods:
    """Answers for resources; whatever touches a disk runs on a worker thread."""

    def __init__(self, *, resources: Resources, workers: Workers, limits: Limits) -> None:
        self._resources = resources
        self._workers = workers
        self._limits = limits

    async def list_resources(self, request: Request) -> dict[str, Any]:
        """`resources/list`, a hundred at a time; panels are for those that show them."""
        found = await self._workers.run(_for(request, partial(self._resources.list, request.access)))
        if not shows_panels(request.capabilities):
            found = [resource for resource in found if not resource.uri.startswith(PANEL_ADDRESS)]
        page, following = _page(found, request.params.get("cursor"))
        result = {"resources": [_listed_resource(resource) for resource in page], **following}
        return add_cache_hint(result, is_modern=request.is_modern)

    async def list_templates(self, request: Request) -> dict[str, Any]:
        """`resources/templates/list`."""
        found = await self._workers.run(_for(request, partial(self._resources.templates, request.access)))
        result = {"resourceTemplates": [_template(template) for template in found]}
        return add_cache_hint(result, is_modern=request.is_modern)

    async def read_resource(self, request: Request) -> dict[str, Any]:
        """`resources/read`."""
        uri = self._uri(request)
        try:
            async with time_limit("resources/read", None):
                read = partial(self._resources.read, uri, request.access)
                contents = await self._workers.run(_for(request, read))
        except NotFound as error:
            code = INVALID_PARAMS if request.is_modern else RESOURCE_NOT_FOUND
            raise RpcError(code, error.message, {**error.details, "uri": uri}) from error
        except FieldguideError as error:
            raise RpcError(_code(error), error.message, {**error.details, "uri": uri}) from error
        return add_cache_hint({"contents": [_contents(each) for each in contents]}, is_modern=request.is_modern)

    async def subscribe(self, request: Request) -> dict[str, Any]:
        """`resources/subscribe`, of the handshake era."""
        uri = self._uri(request)
        subscriptions = request.connection.subscriptions
        await self.look()
        if uri not in subscriptions and len(subscriptions) >= self._limits.subscriptions_per_connection:
            told = self._limits.told("subscriptions_per_connection")
            raise RpcError(INVALID_REQUEST, f"Too many subscriptions: {told}.")
        subscriptions.add(uri)
        return {}

    async def look(self) -> None:
        """See how everything is now, so that whatever changes from here on is told; what can't be seen is no news."""
        with suppress(FieldguideError):
            await self._workers.run(self._resources.list)

    async def unsubscribe(self, request: Request) -> dict[str, Any]:
        """`resources/unsubscribe`, of the handshake era."""
        request.connection.subscriptions.discard(self._uri(request))
        return {}

    def _uri(self, request: Request) -> str:
        uri = request.params.get("uri")
        if not isinstance(uri, str) or not uri:
            raise RpcError(INVALID_PARAMS, 'Invalid params: "uri" must be a string.')
        if len(uri) > self._limits.uri_characters:
            told = self._limits.told("uri_characters")
            raise RpcError(INVALID_PARAMS, f"Invalid params: the URI is too long: {told}.", {"uri": shorten(uri)})
        return uri


def collect_panels(toolsets: Sequence[Toolset]) -> tuple[Panel, ...]:
    """The pages beside the answers of all toolsets."""
    return tuple(panel for each in toolsets for panel in each.panels)


def collect_resources(toolsets: Sequence[Toolset], registry: Registry) -> Resources:
    """Where resources come from: the toolsets, and the pages beside their answers."""
    panels = collect_panels(toolsets)
    providers: list[ResourceProvider] = [provider for each in toolsets for provider in each.resources]
    owners = {provider.scheme: each.name for each in toolsets for provider in each.resources}
    owners |= {panel.uri: each.name for each in toolsets for panel in each.panels}
    return Resources([*providers, *([Panels(panels, registry)] if panels else [])], owners)


def _code(error: FieldguideError) -> int:
    """Internal for a failure of ours, invalid params for a refusal with a reason, invalid request for a plain one."""
    if isinstance(error, Failure):
        return INTERNAL_ERROR
    return INVALID_REQUEST if type(error) is Refusal else INVALID_PARAMS


def _page(found: list[Resource], cursor: Any) -> tuple[list[Resource], dict[str, str]]:
    """One page; the cursor is the last URI of the page before, so that a change in between loses nothing."""
    if cursor is not None and (not isinstance(cursor, str) or not cursor.startswith("after:")):
        raise RpcError(INVALID_PARAMS, "Invalid cursor.")
    rest = found if cursor is None else [resource for resource in found if resource.uri > cursor[len("after:") :]]
    page = rest[:PAGE]
    return page, {"nextCursor": f"after:{page[-1].uri}"} if len(rest) > PAGE else {}


def _listed_resource(resource: Resource) -> dict[str, Any]:
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


def _template(template: ResourceTemplate) -> dict[str, Any]:
    return _without_none(
        uriTemplate=template.uri_template,
        name=template.name,
        title=template.title,
        description=template.description,
        mimeType=template.mime_type,
    )


def _contents(contents: ResourceContents) -> Mapping[str, Any]:
    return _without_none(
        uri=contents.uri, mimeType=contents.mime_type, text=contents.text, blob=contents.blob, _meta=contents.meta
    )


def _without_none(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
