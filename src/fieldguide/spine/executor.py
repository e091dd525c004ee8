"""Executes a call: journal, find, permit, identity, then validation, rate limit, quota, breaker and run on a thread."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.settings.consents import bind_caller, is_allowed
from fieldguide.spine.circuit_breaker import CircuitBreakers, LateGuard
from fieldguide.spine.journal import Journal, JournalEntry
from fieldguide.spine.rate_limit import Limiter
from fieldguide.spine.registry import Registry
from fieldguide.spine.schemas import check_arguments
from fieldguide.spine.tool import Answer, Call, InputRequired, Tool
from fieldguide.spine.workers import Workers, time_limit
from fieldguide.text.errors import AccessDenied, InputNeeded
from fieldguide.text.tokens import MOST_TOKENS, fits

if TYPE_CHECKING:
    from fieldguide.spine.oversight import Oversight

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
    """Runs calls: journal, find, permit, identity, and on a thread in time: validate, rate limit, quota, breaker, run.

    Where there is an oversight, a call waits for its place first, and the audit log is told of it in the end.
    """

    registry: Registry
    identity: Identity
    limiter: Limiter
    breakers: CircuitBreakers
    workers: Workers
    journal: Journal
    answer_tokens: int = MOST_TOKENS
    oversight: "Oversight | None" = None

    async def execute(self, call: Call) -> Answer:
        """The answer of the tool that is called; a Refusal or a Failure when there is none."""
        with self.journal.record(call) as entry:
            if self.oversight is None:
                return await self._execute(call, entry)
            return await self.oversight.seen(call, entry, self._execute, self.workers)

    async def _execute(self, call: Call, entry: JournalEntry) -> Answer:
        tool = self.registry.find(call.tool, call.access)
        if not is_allowed(call.access, tool.toolset, writes=tool.effects.writes):
            raise AccessDenied(READ_ONLY)
        entry.tool = tool.name
        entry.writes = tool.effects.writes
        call = tool.recall(self.identity.resolve(call, tool))
        entry.user = call.user
        with self.breakers.late_guard(tool.name) as guard:
            limit = time_limit(tool.name, tool.pace.timeout_seconds)
            run = bind_caller(call.user, partial(self._run, tool, call, entry, guard), call.access)
            entry.answer = await self.workers.run_call(run, call=call, limit=limit)
        return entry.answer

    def _run(self, tool: Tool, call: Call, entry: JournalEntry, guard: LateGuard) -> Answer:
        """Check the arguments and limits, run the tool and write its answer, on the thread of the call."""
        check_arguments(tool, call.arguments)
        entry.slow_milliseconds = tool.pace.slow_milliseconds(call.arguments)
        self.limiter.admit(call.user, tool)
        if self.oversight is not None:
            self.oversight.spend(call)
        guard.check()
        try:
            answer = self._fitted(tool, tool.answer(tool.run(call)))
        except InputNeeded as needed:  # a question to the client is an answer too
            answer = tool.answer(InputRequired({needed.key: needed.request}))
        if call.workflow is not None and not call.cancellation.is_set:
            call.workflow.keep(tool.name, answer.value, len(answer.text))
        return answer

    def _fitted(self, tool: Tool, answer: Answer) -> Answer:
        """The answer, cut where it would not fit a context; the value beside the text goes where both would not."""
        if tool.wording.text_says_more or fits(answer.text, self.answer_tokens // 2):
            return answer  # such a tool keeps a budget of its own, and its value is not the same words again
        from fieldguide.spine.truncation import truncate_answer  # most answers are short

        return truncate_answer(tool, answer, self.answer_tokens)._replace(tells_value=False, meta=answer.meta)
