"""Executes a call: journal, find, permit, identity, time limit, validation, rate limit, breaker and run.

The registry of the tools that are served is here too, and the check of arguments against the schema of a tool.
"""

import math
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.settings.access import ACTING, Access, Acting, is_allowed
from fieldguide.spine.circuit_breaker import CircuitBreakers
from fieldguide.spine.journal import CHANGE, CallRecord, Journal
from fieldguide.spine.prompts import recall_arguments
from fieldguide.spine.rate_limit import RateLimiter
from fieldguide.spine.schemas import TYPES, check_definition
from fieldguide.spine.tool import Answer, Call, Issue, Tool
from fieldguide.spine.toolset import make_safe_name
from fieldguide.spine.workers import Timer, Workers, time_limit
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import (
    MOST_ISSUES,
    AccessDenied,
    Busy,
    DuplicateTool,
    InvalidArguments,
    ToolNotFound,
    shorten,
)

if TYPE_CHECKING:
    from fieldguide.spine.oversight import Oversight

IN_PROCESS = "in-process"
READ_ONLY = "Access denied: this tool changes something, and you may only read here."
MOST_NAMED = 20
MOST_NAMED_CHARACTERS = 200
ArgumentPath = tuple[str | int, ...]
LIMITS = {
    "maxLength": ("too_big", "maximum", "exceeds maximum length of {}"),
    "minLength": ("too_small", "minimum", "must be at least {} characters long"),
    "maximum": ("too_big", "maximum", "must be at most {}"),
    "minimum": ("too_small", "minimum", "must be at least {}"),
    "maxItems": ("too_big", "maximum", "must hold at most {}"),
    "minItems": ("too_small", "minimum", "must hold at least {}"),
}
SHORT_SHARE = 3 / 8  # so many characters for each token that is allowed fit in any case


class Registry:
    """The tools that are served, in memory: listing and finding them touches no disk."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._lock = threading.Lock()
        self._tools: dict[str, Tool] = {}
        self._spellings: dict[str, Tool] = {}
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool) -> None:
        """Take a tool in; a second one with its name (in either spelling) is an error, and the first one stays."""
        check_definition(tool)
        with self._lock:
            taken = self._spellings.get(tool.name) or self._spellings.get(make_safe_name(tool.name))
            if taken is not None:
                raise DuplicateTool(f"Two tools are named {tool.name!r}; every tool needs a name of its own.")
            self._spellings = {**self._spellings, tool.name: tool, make_safe_name(tool.name): tool}
            self._tools = dict(sorted({**self._tools, tool.name: tool}.items()))

    def find(self, name: str, access: Access | None = None) -> Tool:
        """The tool of this name, in its literal or its safe spelling; of those that the caller may see."""
        tool = self._spellings.get(name)
        if tool is None or (access is not None and not access.allows(tool.toolset)):
            from fieldguide.text.near_names import find_near_names  # only who mistypes pays for it

            seen = [each.name for each in self.all(access)]
            raise ToolNotFound(name, seen, find_near_names(name.replace(".", "_"), seen))
        return tool

    def all(self, access: Access | None = None) -> list[Tool]:
        """Every tool that the caller may call, sorted by name."""
        return [each for each in self._tools.values() if is_allowed(access, each.toolset, writes=each.effects.writes)]


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
    limiter: RateLimiter
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
            if call.access is not None and not call.access.allows(tool.toolset, writes=tool.effects.writes):
                raise AccessDenied(READ_ONLY)
            record.tool = tool.name
            record.writes = tool.effects.writes
            call = self.identity.resolve(call, tool)
            if call.workflow is not None:
                call = recall_arguments(tool, call, call.workflow)
            record.user = call.user
            record.breaker = breaker = self.breakers[tool.name]
            acting = ACTING.set(Acting(call.user, call.access))
            changing = CHANGE.set(record if record.writes else None)
            try:
                with time_limit(self.timer, call.cancellation, tool.name, tool.pace.timeout_seconds):
                    check_arguments(tool, call.arguments)
                    if tool.pace.slow_milliseconds is not None:
                        record.slow_milliseconds = tool.pace.slow_milliseconds(call.arguments)
                    if tool.pace.calls_per_minute is not None:
                        self.limiter.admit(call.user, tool)
                    breaker.admit()
                    record.answer = self._run(tool, call)
            finally:
                CHANGE.reset(changing)
                ACTING.reset(acting)
            return record.answer

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """The answer of a tool to our own process; a stuck one is left behind when its time is over."""
        call = Call(tool, arguments, Cancellation(), connection=IN_PROCESS)
        return self.workers.wait(partial(self.execute, call), call.cancellation)

    def place(self, access: Access | None) -> AbstractAsyncContextManager[Busy | None]:
        """Hold a place among the calls of the process while the block runs; gives Busy where there is none in time."""
        if self.oversight is None or self.oversight.bounds is None:
            return nullcontext()
        return self.oversight.bounds.place((self.oversight.project, None if access is None else access.user))

    def _run(self, tool: Tool, call: Call) -> Answer:
        """The answer of a tool."""
        answer = tool.answer(tool.run(call))
        if tool.wording.text_says_more:  # it keeps a budget of its own, and its value is not the same words again
            answer = answer._replace(text_says_more=True)
        elif len(answer.text) > SHORT_SHARE * self.answer_tokens / 2:
            answer = self._cut(tool, answer)
        if call.workflow is not None and not call.cancellation.is_set:
            call.workflow.keep(tool.name, answer.value, len(answer.text))
        return answer

    def _cut(self, tool: Tool, answer: Answer) -> Answer:
        """An answer that fits a context; the value beside the text goes where both would not."""
        from fieldguide.spine.truncation import truncate_answer  # most answers are short
        from fieldguide.text.tokens import fits

        if fits(answer.text, self.answer_tokens // 2):
            return answer
        return truncate_answer(tool, answer, self.answer_tokens)._replace(tells_value=False)


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise InvalidArguments: in the tool's own words if it has any, else with every issue of the schema."""
    issues = [*islice(_unpaired_surrogates(arguments), MOST_ISSUES)] if arguments else []
    if tool.wording.check_first is not None:
        tool.wording.check_first(arguments)
    if tool.wording.check is not None:
        tool.wording.check(arguments)
    else:
        schema = tool.input_schema
        if tool.wording.ignores_unknown:
            schema = {**schema, "additionalProperties": True}
        issues = [*islice(find_issues(schema, arguments), MOST_ISSUES), *issues]
    if issues:
        raise InvalidArguments("; ".join(str(issue["message"]) for issue in issues), issues=issues)


def find_issues(schema: Mapping[str, Any], value: Any, place: ArgumentPath = ()) -> Iterator[Issue]:
    """Everything in a value that a schema forbids, in the shape that Zod gives it: code, message, path, broken limit.

    It knows the keywords that `schemas.py` lets a tool use. Unlike JSON Schema it takes 1.0 for no integer: a tool
    would be handed a float that nobody wrote a case for.
    """
    types = schema.get("type", ())
    if isinstance(types, str):
        types = (types,)
    if types and not any(_is_of_type(value, each) for each in types):
        listed = " or ".join(f"an {each}" if each[0] in "aeiou" else f"a {each}" for each in types)
        text = _named(place, f"must be {listed}")
        yield {"code": "invalid_type", "path": [*place], "expected": types[0], "message": text}
    if "enum" in schema and not any(_is_same(value, each) for each in schema["enum"]):
        text = _named(place, "has invalid value, must be one of allowed values")
        yield {"code": "invalid_enum_value", "path": [*place], "options": schema["enum"], "message": text}
    if "anyOf" in schema and all(any(find_issues(each, value)) for each in schema["anyOf"]):
        yield {"code": "anyOf", "path": [*place], "message": _named(place, "is not allowed here (anyOf)")}
    if isinstance(value, str):
        yield from _broken_limits(schema, len(value), ("minLength", "maxLength"), place)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _broken_limits(schema, value, ("minimum", "maximum"), place)
    elif isinstance(value, list):
        items = cast("Any", value)
        yield from _broken_limits(schema, len(items), ("minItems", "maxItems"), place)
        for number, each in enumerate(items):
            yield from find_issues(schema.get("items", {}), each, (*place, number))
    elif isinstance(value, dict):
        members = cast("Any", value)
        yield from _object_issues(schema, members, place)


def _object_issues(schema: Mapping[str, Any], value: Mapping[str, Any], place: ArgumentPath) -> Iterator[Issue]:
    properties = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    unexpected: list[str] = []
    for name, each in value.items():
        if name in properties:
            yield from find_issues(properties[name], each, (*place, name))
        elif others is False:
            unexpected.append(name)
        elif others is not True:
            yield from find_issues(others, each, (*place, name))
    if unexpected:
        names = [shorten(name) for name in unexpected[:MOST_NAMED]]
        placed = [".".join(map(str, (*place, name))) for name in names]
        text = f"unexpected argument: {shorten(', '.join(placed), MOST_NAMED_CHARACTERS)}"
        yield {"code": "unrecognized_keys", "path": [*place], "keys": names, "message": text}
    for name in schema.get("required", ()):
        if name not in value:
            path = [*place, name]
            text = f"missing required argument: {'.'.join(map(str, path))}"
            yield {"code": "invalid_type", "path": path, "message": text}


def _broken_limits(
    schema: Mapping[str, Any], size: float, keywords: tuple[str, str], place: ArgumentPath
) -> Iterator[Issue]:
    lowest, highest = keywords
    broken = [lowest] if size < schema.get(lowest, size) else []
    broken += [highest] if size > schema.get(highest, size) else []
    for keyword in broken:
        code, bound, claim = LIMITS[keyword]
        limit = schema[keyword]
        yield {"code": code, "path": [*place], bound: limit, "message": _named(place, claim.format(limit))}


def _is_of_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"  # Python counts a bool as an integer
    if isinstance(value, float) and not math.isfinite(value):
        return False  # JSON has no way to write it, but `1e999` is read as infinite
    return isinstance(value, TYPES[name])


def _is_same(value: Any, option: Any) -> bool:
    return value == option and isinstance(value, bool) == isinstance(option, bool)


def _named(place: ArgumentPath, claim: str) -> str:
    return f"field {shorten('.'.join(map(str, place)))} {claim}" if place else f"the arguments object {claim}"


def _unpaired_surrogates(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """JSON can escape half a character; no file, database or model can take it."""
    waiting: list[tuple[ArgumentPath, Any]] = [((), arguments)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str):
            if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
                message = _named(place, "is not valid Unicode text")
                yield {"code": "invalid_string", "path": [*place], "message": message}
        elif isinstance(value, dict):
            members = cast("Any", value)
            waiting += [(place, name) for name in members]
            waiting += [((*place, name), each) for name, each in members.items()]
        elif isinstance(value, list):
            items = cast("Any", value)
            waiting += [((*place, number), each) for number, each in enumerate(items)]
