"""Answers `prompts/*` and `completion/complete`."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar, cast

from fieldguide.settings.access import Access, bind_caller, is_allowed
from fieldguide.spine.metrics import Metrics
from fieldguide.spine.prompts import Prompt, Prompts
from fieldguide.spine.tool import INTERNAL_ERROR, INVALID_PARAMS, InputRequired
from fieldguide.spine.toolset import Completer
from fieldguide.spine.workers import Workers, time_limit
from fieldguide.spine.workflow import WorkflowContext, WorkflowStore
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.wire.connection import Request, add_cache_hint
from fieldguide.wire.jsonrpc import RpcError
from fieldguide.wire.sealed_state import SealedState, SealingKeys
from fieldguide.wire.tool_methods import WORKFLOW_KEY

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
        return add_cache_hint({"prompts": [_listed(prompt) for prompt in found]}, is_modern=request.is_modern)

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


def _listed(prompt: Prompt) -> dict[str, Any]:
    title = {} if prompt.title is None else {"title": prompt.title}
    arguments = [
        {"name": each.name, "description": each.description, "required": each.required} for each in prompt.arguments
    ]
    return {"name": prompt.name, **title, "description": prompt.description, "arguments": arguments}
