"""The memory of a guided prompt: its arguments, and what the tools called under its handle gave back."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import time
from typing import Any

LIFETIME_SECONDS = 3600.0
SWEEP_SECONDS = 300.0
MAX_WORKFLOWS = 1000


@dataclass(slots=True, kw_only=True)
class WorkflowContext:
    """One workflow; gone an hour after its last use, or with the process."""

    session_id: str
    prompt_name: str
    prompt_args: Mapping[str, Any]
    created_at: float
    last_accessed_at: float
    tool_results: dict[str, Any] = field(default_factory=dict[str, Any])


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

    def start(self, prompt_name: str, prompt_args: Mapping[str, Any]) -> WorkflowContext:
        """Open a workflow for a prompt that is being given out."""
        now = self._clock()
        context = WorkflowContext(
            session_id=os.urandom(16).hex(),
            prompt_name=prompt_name,
            prompt_args=dict(prompt_args),
            created_at=now,
            last_accessed_at=now,
        )
        with self._lock:
            self._sweep(now)
            self._contexts[context.session_id] = context
            self.prompts_given[prompt_name] += 1
        return context

    def find(self, handle: str) -> WorkflowContext | None:
        """The workflow with this handle, kept alive by being asked for; None when it is unknown or over."""
        now = self._clock()
        with self._lock:
            context = self._contexts.get(handle)
            if context is None or now - context.last_accessed_at > LIFETIME_SECONDS:
                self._contexts.pop(handle, None)
                return None
            context.last_accessed_at = now
            self._sweep(now)
        return context

    def latest(self, handle: str | None) -> WorkflowContext | None:
        """The workflow that a connection remembers, unless it is over by now."""
        return None if handle is None else self.find(handle)

    def __len__(self) -> int:
        return len(self._contexts)

    def _sweep(self, now: float) -> None:
        if now - self._swept_at < SWEEP_SECONDS and len(self._contexts) < MAX_WORKFLOWS:
            return
        self._swept_at = now
        for handle, context in list(self._contexts.items()):
            if now - context.last_accessed_at > LIFETIME_SECONDS:
                del self._contexts[handle]
        while len(self._contexts) >= MAX_WORKFLOWS:
            del self._contexts[min(self._contexts, key=lambda handle: self._contexts[handle].last_accessed_at)]


def recalled(
    arguments: Mapping[str, Any], context: WorkflowContext, remembers: Mapping[str, tuple[str, ...]]
) -> dict[str, str]:
    """What was left out of some arguments and the prompt was given; `remembers` tells under which names."""
    return {
        field: str(context.prompt_args[name])
        for field, names in remembers.items()
        if field not in arguments
        for name in reversed(names)
        if name in context.prompt_args
    }
