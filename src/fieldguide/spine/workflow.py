"""Remembers the arguments and results of a guided prompt."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from time import time
from typing import Any, Protocol

LIFETIME_SECONDS = 3600.0
SWEEP_SECONDS = 300.0
MAX_WORKFLOWS = 1000
MAX_CHARACTERS = 32_000_000
MAX_RESULT_CHARACTERS = 200_000


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


class WorkflowStore(Protocol):
    """Where workflows are kept: in memory, or where every replica finds them."""

    prompts_given: Counter[str]

    def start(self, prompt_name: str, prompt_args: Mapping[str, Any], user: str | None = None) -> WorkflowContext:
        """Open a workflow for a prompt that is being given out."""
        ...

    def find(self, handle: str, user: str | None = None) -> WorkflowContext | None:
        """The workflow with this handle, kept alive by being asked for; None when it is unknown, over or another's."""
        ...

    def __len__(self) -> int: ...


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


def recall_arguments(
    arguments: Mapping[str, Any], context: WorkflowContext, remembers: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, str]]:
    """What was left out of some arguments and the prompt was given, with the name it has there."""
    return {
        field: (name, str(context.prompt_args[name]))
        for field, names in remembers.items()
        if field not in arguments
        for name in reversed(names)
        if name in context.prompt_args
    }
