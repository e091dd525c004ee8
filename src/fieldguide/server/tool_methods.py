"""`tools/list`, `tools/call`, and the toolsets' own methods that stand for a tool."""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from fieldguide.errors import FieldguideError, ToolNotFound, shortened
from fieldguide.server import encoding
from fieldguide.server.channel import RequestChannel
from fieldguide.server.clients.known import READING_VALUES, is_one_of
from fieldguide.server.clients.names import shown_name
from fieldguide.server.clients.panels import shows_panels
from fieldguide.server.clients.profiles import Profile
from fieldguide.server.connection import Request
from fieldguide.server.era import cacheable
from fieldguide.server.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError, method_not_found
from fieldguide.server.sealed_state import SealedState, SealingKeys
from fieldguide.spine.callers.access import Access, acting_for, allows
from fieldguide.spine.cancellation import Cancellation
from fieldguide.spine.contract import Answer, Call
from fieldguide.spine.dialect import PLAIN, Dialect, Failing
from fieldguide.spine.executor import Executor
from fieldguide.spine.workflow import WorkflowContext, WorkflowStore
from fieldguide.toolset import Toolset

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
        profile: Profile,
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
        identity, user = self._executor.identity, request.connection.user
        shows_panel = shows_panels(request.capabilities)
        tools = [
            encoding.described(
                tool,
                name=shown_name(tool.name, mode=self._name_mode, client=request.client_name),
                schema=identity.shown_schema(tool, user),
                shows_panel=shows_panel,
            )
            for tool in self._profile.listed(self._executor.registry.all(request.access), request.client_name)
        ]
        return cacheable({"tools": tools}, is_modern=request.is_modern)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """A tool's schema by its name; the HTTP transport checks the headers that mirror arguments against it."""
        try:
            return self._executor.registry.find(name).input_schema
        except ToolNotFound:
            return None

    async def call_tool(self, request: Request) -> dict[str, Any]:
        """`tools/call`."""
        name, given = request.params.get("name"), request.params.get("arguments")
        arguments: Any = {} if given is None else given
        if not isinstance(name, str):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "name" must be a string.')
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, 'Invalid params: "arguments" must be an object.', {"tool": shortened(name)})
        try:
            answer = await self._execute(request, name, cast("dict[str, Any]", arguments))
            if answer.required is not None:
                await self._state.prepare(self._executor.workers)
                return self._state.asking(answer.required, request)
        except ToolNotFound as error:
            return encoding.unknown_tool(
                error, claimant=self._claimant(name, request.access), is_modern=request.is_modern
            )
        except FieldguideError as error:
            tool = self._executor.registry.find(name)
            failing = Failing(tool, cast("dict[str, Any]", arguments), request.is_modern)
            return encoding.encoded_error(self._dialects.get(tool.name, PLAIN).tell(error, failing))
        told = answer._replace(tells_value=False) if self._hides_value(name, request.client_name) else answer
        return encoding.encoded(told, version=request.version, is_modern=request.is_modern)

    async def call_method(self, request: Request, tool: str) -> dict[str, Any]:
        """A method of a toolset's own: the tool's plain value, not wrapped in content."""
        arguments = {key: value for key, value in request.params.items() if key != "_meta"}
        try:
            answer = await self._execute(request, tool, arguments)
        except FieldguideError as error:
            if isinstance(error, ToolNotFound) and request.access is not None:
                raise method_not_found(request.method) from None  # not theirs to see: as if there were no such method
            raise encoding.method_error(error) from error
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
        return self._executor.registry.find(name).wording.text_says_more and is_one_of(client, READING_VALUES)

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
        find = acting_for(user, partial(self._workflows.find, handle, user))
        return await self._executor.workers.run(find) if self._workflows.is_remote else find()

    def _claimant(self, name: str, access: Access | None) -> Dialect | None:
        """The dialect that answers for a name that no tool has, of those that the caller knows of."""
        seen = [toolset for toolset in self._toolsets if allows(access, toolset.name)]
        for toolset in seen:
            if toolset.claims and name.startswith(toolset.claims):
                return toolset.dialect
        alone = seen[0] if len(seen) == 1 else None
        return alone.dialect if alone is not None and alone.claims is None else None
