"""Executes a call: journal, find, permit, identity, time limit, validation, rate limit, quota, breaker and run."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.settings.consents import Access, acting_as, is_allowed
from fieldguide.spine.circuit_breaker import CircuitBreakers
from fieldguide.spine.journal import CallRecord, Journal
from fieldguide.spine.rate_limit import Limiter
from fieldguide.spine.schemas import check_arguments
from fieldguide.spine.tool import Answer, Call, InputRequired, Tool
from fieldguide.spine.toolset import Registry
from fieldguide.spine.workers import Timer, Workers, time_limit
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import AccessDenied, Busy, InputNeeded

if TYPE_CHECKING:
    from fieldguide.spine.oversight import Oversight

IN_PROCESS = "in-process"
READ_ONLY = "Access denied: this tool changes something, and you may only read here."


class Identity(NamedTuple):
    """The user that the server is bound to, or None where callers are trusted to say who they are."""

    bound_user: str | None = None

    def resolve(self, call: Call, tool: Tool) -> Call:
        """The call with its user: filled in where it is bound and left out, refused where it claims another."""
        user = call.user or self.bound_user
        name = tool.user_argument
        if name is None:
            return call if call.user == user else call._replace(user=user)
        claimed = call.arguments.get(name)
        if user is None:
            return call._replace(user=claimed if isinstance(claimed, str) else None)
        if name in call.arguments and claimed != user:
            raise AccessDenied("Access denied")
        return call._replace(user=user, arguments={**call.arguments, name: user})

    def shown_schema(self, tool: Tool, user: str | None) -> Mapping[str, Any]:
        """A tool's schema as this caller sees it: an identity that is bound is not asked for."""
        name = tool.user_argument
        if name is None or (user or self.bound_user) is None:
            return tool.input_schema
        properties = {key: value for key, value in tool.input_schema["properties"].items() if key != name}
        required = [key for key in tool.input_schema.get("required", []) if key != name]
        return {**tool.input_schema, "properties": properties, "required": required}


class Executor(NamedTuple):
    """Runs calls, each from its beginning to its end on the thread of its caller.

    A call whose time is over is given up by the timer (`time_limit`): whoever waits for it is answered then, and what
    the tool gives back later is dropped.
    """

    registry: Registry
    identity: Identity
    limiter: Limiter
    breakers: CircuitBreakers
    workers: Workers
    timer: Timer
    journal: Journal
    answer_tokens: int
    oversight: "Oversight | None" = None

    def execute(self, call: Call) -> Answer:
        """The answer of the tool that is called; a Refusal or a Failure when there is none."""
        with CallRecord(self.journal, call, self.oversight) as record:
            if call.refusal is not None:
                raise call.refusal
            tool = self.registry.find(call.tool, call.access)
            if not is_allowed(call.access, tool.toolset, writes=tool.effects.writes):
                raise AccessDenied(READ_ONLY)
            record.tool = tool.name
            record.writes = tool.effects.writes
            call = self.identity.resolve(call, tool)
            if call.workflow is not None:
                call = tool.recall(call, call.workflow)
            record.user = call.user
            record.breaker = breaker = self.breakers.of(tool.name)
            limit = time_limit(self.timer, call.cancellation, tool.name, tool.pace.timeout_seconds)
            with limit, acting_as(call.user, call.access):
                check_arguments(tool, call.arguments)
                if tool.pace.slow_milliseconds is not None:
                    record.slow_milliseconds = tool.pace.slow_milliseconds(call.arguments)
                self.limiter.admit(call.user, tool)
                if self.oversight is not None:
                    self.oversight.spend(call)
                breaker.admit()
                record.answer = self._run(tool, call)
            return record.answer

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """The answer of a tool to our own process; a stuck one is left behind when its time is over."""
        call = Call(tool, arguments, Cancellation(), connection=IN_PROCESS)
        return self.workers.wait(partial(self.execute, call), call.cancellation)

    def place(self, access: Access | None) -> AbstractAsyncContextManager[Busy | None]:
        """Hold a place among the calls of the process while the block runs; gives Busy where there is none in time."""
        return nullcontext() if self.oversight is None else self.oversight.place(access)

    def _run(self, tool: Tool, call: Call) -> Answer:
        """The answer, cut where it would not fit a context; the value beside the text goes where both would not."""
        from fieldguide.text.tokens import fits  # only a call needs it

        try:
            answer = tool.answer(tool.run(call))
            # a tool whose text says more keeps a budget of its own, and its value is not the same words again
            if not tool.wording.text_says_more and not fits(answer.text, self.answer_tokens // 2):
                from fieldguide.spine.truncation import truncate_answer  # most answers are short

                cut = truncate_answer(tool, answer, self.answer_tokens)
                answer = cut._replace(tells_value=False, meta=answer.meta)
        except InputNeeded as needed:  # a question to the client is an answer too
            answer = tool.answer(InputRequired({needed.key: needed.request}))
        if call.workflow is not None and not call.cancellation.is_set:
            call.workflow.keep(tool.name, answer.value, len(answer.text))
        return answer
