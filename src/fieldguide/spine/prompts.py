"""Prompts: guided workflows with arguments that a person picks, and the memory of what was asked and answered."""

import builtins
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import time
from typing import Any, NamedTuple

from fieldguide.settings.access import Access, is_allowed
from fieldguide.spine.tool import Call, Tool
from fieldguide.text.errors import DuplicateTool, InvalidArguments, shorten

Message = Mapping[str, Any]
LIFETIME_SECONDS = 3600.0
SWEEP_SECONDS = 300.0
MAX_WORKFLOWS = 1000
MAX_CHARACTERS = 32_000_000
MAX_RESULT_CHARACTERS = 200_000


class PromptArgument(NamedTuple):
    """One blank of a prompt."""

    name: str
    description: str
    required: bool = False
    max_length: int | None = None


class Prompt(NamedTuple):
    """A named prompt and the plain function that fills it in.

    One that `gives_way` leaves its name to any other of that name, such as a project's own.
    """

    name: str
    description: str
    render: Callable[[Mapping[str, str]], Sequence[Message]]
    title: str | None = None
    arguments: tuple[PromptArgument, ...] = ()
    gives_way: bool = False


class Prompts:
    """The prompts by name, from each toolset; it is asked each time, because a project's own prompts come and go."""

    def __init__(self, sources: Mapping[str, Callable[[], Iterable[Prompt]]] | None = None) -> None:
        self._sources = dict(sources or {})

    def list(self, access: Access | None = None) -> "builtins.list[Prompt]":
        """Every prompt that the caller may see, sorted by name."""
        found: dict[str, Prompt] = {}
        for source in (each for toolset, each in self._sources.items() if is_allowed(access, toolset)):
            for prompt in source():
                other = found.get(prompt.name)
                if other is None or (other.gives_way and not prompt.gives_way):
                    found[prompt.name] = prompt
                elif not prompt.gives_way:
                    raise DuplicateTool(f"Two prompts are named {prompt.name!r}.")
        return [found[name] for name in sorted(found)]

    def render(
        self, name: str, arguments: Mapping[str, Any], access: Access | None = None
    ) -> tuple[Prompt, Sequence[Message]]:
        """The prompt of this name with its arguments filled in."""
        prompt = next((each for each in self.list(access) if each.name == name), None)
        if prompt is None:
            raise InvalidArguments(f"prompt not found: {shorten(name)}")
        _check(prompt, arguments)
        return prompt, prompt.render(arguments)


def _check(prompt: Prompt, arguments: Mapping[str, Any]) -> None:
    known = {argument.name: argument for argument in prompt.arguments}
    for name, value in arguments.items():
        if name not in known:
            raise InvalidArguments(f"unknown argument: {shorten(name)}")
        if not isinstance(value, str):
            raise InvalidArguments(f"argument {name} must be a string")
        longest = known[name].max_length
        if longest is not None and len(value) > longest:
            raise InvalidArguments(f"argument {name} exceeds maximum length of {longest}")
    for argument in prompt.arguments:
        if argument.required and argument.name not in arguments:
            raise InvalidArguments(f"missing required argument: {argument.name}")


class WorkflowContext:
    """One workflow; gone an hour after its last use, or with the process."""

    def __init__(
        self, session_id: str, user: str | None, prompt_name: str, prompt_args: Mapping[str, Any], now: float
    ) -> None:
        self.session_id = session_id
        self.user = user
        self.prompt_name = prompt_name
        self.prompt_args = prompt_args
        self.created_at = now
        self.last_accessed_at = now
        self.tool_results: dict[str, Any] = {}
        self.result_sizes: dict[str, int] = {}
        self._argument_size = sum(len(str(value)) for value in prompt_args.values())

    @property
    def size(self) -> int:
        """How many characters are kept, about."""
        return self._argument_size + sum(self.result_sizes.values())

    def keep(self, tool: str, value: Any, characters: int) -> None:
        """Remember what a tool gave back, unless it is very long."""
        if characters <= MAX_RESULT_CHARACTERS:
            self.tool_results[tool] = value
            self.result_sizes[tool] = characters


class Workflows:
    """The live workflows by their handles, in memory only.

    A handle is given out with a prompt and comes back with each call, so two workflows on one connection, or one over
    two, stay apart and together as the client wants. Most clients drop it: then the latest prompt of the connection is
    meant.
    """

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._contexts: dict[str, WorkflowContext] = {}
        self._lock = threading.Lock()
        self._swept_at = clock()
        self.prompts_given: Counter[str] = Counter()

    def start(self, prompt_name: str, prompt_args: Mapping[str, Any], user: str | None = None) -> WorkflowContext:
        """Open a workflow for a prompt that is being given out."""
        now = self._clock()
        context = WorkflowContext(os.urandom(16).hex(), user, prompt_name, dict(prompt_args), now)
        with self._lock:
            self._sweep(now)
            self._contexts[context.session_id] = context
            self.prompts_given[prompt_name] += 1
        return context

    def find(self, handle: str, user: str | None = None) -> WorkflowContext | None:
        """The workflow with this handle, kept alive by being asked for; None when it is unknown, over or another's."""
        now = self._clock()
        with self._lock:
            context = self._contexts.get(handle)
            if context is None or now - context.last_accessed_at > LIFETIME_SECONDS:
                self._contexts.pop(handle, None)
                return None
            if context.user != user:
                return None
            context.last_accessed_at = now
            self._sweep(now)
        return context

    def __len__(self) -> int:
        return len(self._contexts)

    def _sweep(self, now: float) -> None:
        size = sum(context.size for context in self._contexts.values())
        if now - self._swept_at < SWEEP_SECONDS and len(self._contexts) < MAX_WORKFLOWS and size < MAX_CHARACTERS:
            return
        self._swept_at = now
        for handle, context in list(self._contexts.items()):
            if now - context.last_accessed_at > LIFETIME_SECONDS:
                del self._contexts[handle]
        while len(self._contexts) >= MAX_WORKFLOWS or size >= MAX_CHARACTERS:
            oldest = min(self._contexts, key=lambda handle: self._contexts[handle].last_accessed_at)
            size -= self._contexts.pop(oldest).size


def recall_arguments(tool: Tool, call: Call, workflow: WorkflowContext) -> Call:
    """The call with what it left out of its workflow's prompt, where something that the tool needs is missing.

    What belongs to an argument that the caller gave, such as the language of some code, is not filled in. Where
    something else stands in for an argument, as a problem for a query, it is cut to the length that is taken.
    """
    if not tool.remembers:
        return call
    required = tool.input_schema.get("required", ())
    if not call.is_workflow_named and all(field in call.arguments for field in required):
        return call
    is_subject_given = bool(required) and required[0] in call.arguments
    filled: dict[str, str] = {}
    for field, names in tool.remembers.items():
        name = next((each for each in names if each in workflow.prompt_args), None)
        if name is None or field in call.arguments or (is_subject_given and field not in required):
            continue
        longest = None if name == field else tool.input_schema["properties"][field].get("maxLength")
        filled[field] = str(workflow.prompt_args[name])[:longest]
    return call._replace(arguments={**call.arguments, **filled})
