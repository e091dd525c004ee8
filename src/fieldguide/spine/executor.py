"""The way of every call, whatever wire it came on: one straight function that lists its steps."""

from functools import partial
from typing import Any, NamedTuple

from fieldguide.errors import InputNeeded
from fieldguide.spine.circuit_breaker import CircuitBreakers
from fieldguide.spine.contract import Answer, Call, InputRequired, Tool
from fieldguide.spine.identity import Identity
from fieldguide.spine.journal import Journal
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.spine.registry import Registry
from fieldguide.spine.time_limit import time_limit
from fieldguide.spine.validation import Validation
from fieldguide.spine.workers import Workers


class Executor(NamedTuple):
    """Runs calls: journal, find, identity, validate, rate limit, breaker, time limit, run."""

    registry: Registry
    identity: Identity
    validation: Validation
    limiter: RateLimiter
    breakers: CircuitBreakers
    workers: Workers
    journal: Journal

    async def execute(self, call: Call) -> Answer:
        """The answer of the tool that is called; a Refusal or a Failure when there is none."""
        with self.journal.record(call) as entry:
            tool = self.registry.find(call.tool)
            entry.tool = tool.name
            call = tool.recall(self.identity.resolve(call, tool))
            entry.user = call.user
            self.validation.check(tool, call.arguments)
            entry.slow_milliseconds = tool.slow_milliseconds(call.arguments)
            self.limiter.admit(call.user, tool)
            with self.breakers.guard(tool.name):
                limit = time_limit(tool.name, tool.timeout_seconds)
                value = await self.workers.run_call(partial(_run, tool, call), call=call, limit=limit)
                entry.answer = answer = tool.answer(value)
        if call.workflow is not None:
            call.workflow.keep(tool.name, answer.value, len(answer.text))
        return answer


def _run(tool: Tool, call: Call) -> Any:
    """On the worker thread: the tool's value; a question to the client is a value too."""
    try:
        return tool.run(call)
    except InputNeeded as needed:
        return InputRequired({needed.key: needed.request})
