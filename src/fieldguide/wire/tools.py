"""Answers `tools/list`, `tools/call` and the toolsets' own methods, and encodes their results and errors."""

from collections.abc import Mapping
from typing import Any, cast

from fieldguide.settings.access import Access, acting_as, is_allowed
from fieldguide.spine.executor import Executor
from fieldguide.spine.prompts import WorkflowContext, Workflows
from fieldguide.spine.tool import INTERNAL_ERROR, INVALID_PARAMS, Answer, Call
from fieldguide.spine.toolset import PLAIN, Dialect, FailedCall, Fault, Toolset
from fieldguide.text.errors import FieldguideError, InvalidArguments, Refusal, ToolNotFound, shorten
from fieldguide.wire.clients import (
    DEFERRING_TOOLS,
    READING_VALUES,
    ToolProfile,
    describe_tool,
    is_known_client,
    spell_tool_name,
)
from fieldguide.wire.jsonrpc import RpcError, make_method_not_found
from fieldguide.wire.protocol import Request, add_cache_hint

TOOL_NOT_FOUND = -32001
FILE_NOT_FOUND = 1001
STRUCTURED_SINCE = "2025-06-18"
WORKFLOW_KEY = "fieldguide/workflow"

Result = dict[str, Any]


def encode_answer(answer: Answer, *, version: str, is_modern: bool) -> Result:
    """An answer as the result of `tools/call`: the text, and the value where the protocol version has one."""
    result: Result = {"content": list(answer.blocks) or [{"type": "text", "text": answer.text}]}
    value: Any = answer.value if answer.tells_value else None
    if version >= STRUCTURED_SINCE and type(value) in ((dict, list) if is_modern else (dict,)):
        result["structuredContent"] = value
    if answer.is_error:
        result["isError"] = True
    return result


def encode_error(error: Answer | Fault) -> Result:
    """The result for an error, or an RpcError raised for a fault, as the dialect chose."""
    if isinstance(error, Fault):
        raise RpcError(error.code, error.message, error.data)
    return encode_answer(error, version="", is_modern=False)


class ToolMethods:
    """Lists tools in the spelling that a client takes, and answers calls in the dialect of their toolset."""

    def __init__(
        self,
        *,
        executor: Executor,
        workflows: Workflows,
        toolsets: tuple[Toolset, ...],
        name_mode: str,
        profile: ToolProfile,
    ) -> None:
        self._executor = executor
        self._workflows = workflows
        self._toolsets = toolsets
        self._name_mode = name_mode
        self._profile = profile
        self._dialects = {tool.name: each.dialect for each in toolsets for tool in each.tools}

    def list_tools(self, request: Request) -> dict[str, Any]:
        """`tools/list`: every tool of the profile on one page, sorted by name."""
        if request.params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "Invalid cursor: the list of tools has one page.")
        identity = self._executor.identity
        user = request.connection.user
        defers = is_known_client(request.client_name, DEFERRING_TOOLS)
        tools = [
            describe_tool(
                tool,
                name=spell_tool_name(tool.name, mode=self._name_mode, client=request.client_name),
                schema=identity.shown_schema(tool, user),
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
        if answer.text_says_more and is_known_client(request.client_name, READING_VALUES):
            answer = answer._replace(tells_value=False)  # else the model would get the value in place of the text
        return encode_answer(answer, version=request.sender.version, is_modern=request.is_modern)

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
        return dict(answer.value)

    def tell_method_error(self, request: Request, error: FieldguideError) -> dict[str, Any]:
        """The error of a toolset's own JSON-RPC method."""
        if isinstance(error, ToolNotFound) and request.access is not None:  # not theirs to see
            raise make_method_not_found(request.method) from None
        if isinstance(error, InvalidArguments):
            raise RpcError(INVALID_PARAMS, error.message, {"issues": error.issues}) from error
        raise RpcError(FILE_NOT_FOUND if isinstance(error, Refusal) else INTERNAL_ERROR, error.message) from error

    def _execute(self, request: Request, name: str, arguments: Mapping[str, Any]) -> Answer:
        handle = request.meta.get(WORKFLOW_KEY)
        workflow: WorkflowContext | None = None
        if handle is not None or (request.connection.workflow is not None and not request.is_modern):
            workflow = self._find_workflow(request, handle)
        call = Call(
            tool=name,
            arguments=arguments,
            user=request.connection.user,
            access=request.access,
            request_id=request.id,
            connection=request.connection.id,
            workflow=workflow,
            is_workflow_named=handle is not None,
            cancellation=request.cancellation,
            refusal=request.refusal,
            client=request.sender.client,
        )
        return self._executor.execute(call)

    def _find_workflow(self, request: Request, handle: Any) -> WorkflowContext | None:
        """The workflow that a request names, or else the latest of its connection, if that is not over."""
        user = request.connection.user
        named: Any = request.connection.workflow if handle is None else handle
        with acting_as(user):
            workflow = self._workflows.find(named, user) if isinstance(named, str) else None
        if workflow is None and handle is not None:
            raise RpcError(INVALID_PARAMS, f"Unknown or expired {WORKFLOW_KEY}; get the prompt again for a new one.")
        return workflow

    def _claimant(self, name: str, access: Access | None) -> Dialect | None:
        """The dialect of the toolset that claims a name that no tool has, among those the caller may see."""
        seen = [toolset for toolset in self._toolsets if is_allowed(access, toolset.name)]
        for toolset in seen:
            if toolset.claims and name.startswith(toolset.claims):
                return toolset.dialect
        return seen[0].dialect if len(seen) == 1 and seen[0].claims is None else None
