"""Tools, calls and answers: their types, JSON schemas, argument validation, and the dialects of errors."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, Protocol, cast

from fieldguide.settings.consents import Access
from fieldguide.spine.workflow import WorkflowContext, recall_arguments
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import (
    MOST_ISSUES,
    FieldguideError,
    InvalidArguments,
    InvalidToolSchema,
    Refusal,
    ToolNotFound,
    shorten,
)

ANONYMOUS = "anonymous"
SLOW_MILLISECONDS = 5000.0
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
Issue = dict[str, Any]
MOST_NAMED = 20
MOST_NAMED_CHARACTERS = 200
LIMITS = {
    "maxLength": ("too_big", "maximum", "exceeds maximum length of {}"),
    "minLength": ("too_small", "minimum", "must be at least {} characters long"),
    "maximum": ("too_big", "maximum", "must be at most {}"),
    "minimum": ("too_small", "minimum", "must be at least {}"),
    "maxItems": ("too_big", "maximum", "must hold at most {}"),
    "minItems": ("too_small", "minimum", "must hold at least {}"),
}


class Channel(Protocol):
    """How a running tool speaks to the client that called it; every method may be called from a worker thread."""

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is, if the client asked to be told."""
        ...

    def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Send a log message, if the client wants messages of this level."""
        ...

    def can_ask(self, method: str) -> bool:
        """Whether the client says that it can be asked this."""
        ...

    def ask(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The client's answer to a request; `key` tells several questions of one call apart."""
        ...


class SilentChannel:
    """The channel of a call that nobody listens to, such as one from the command line."""

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Nobody listens."""

    def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Nobody listens."""

    def can_ask(self, method: str) -> bool:
        """Nobody can answer."""
        return False

    def ask(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Nobody can answer."""
        raise Refusal(f"Nobody is there to answer {method}.")


class Call(NamedTuple):
    """One request to run a tool, from whichever wire it came; `is_alone` when its client waits for nothing else
    and the thread that drives it runs what is offered (`Workers`).

    `is_passing` when its connection is not known again, as over HTTP in the new era.
    `is_workflow_named` tells whether the client named the workflow, or it is only the latest of its connection.
    `shows_panel` tells that the client shows the tool's panel beside the answer. `access` is what its caller may do.
    `request_id` is what the client calls its request, for the audit log.
    """

    tool: str
    arguments: Mapping[str, Any]
    cancellation: Cancellation
    user: str | None = None
    connection: str = "local"
    is_alone: bool = False
    is_passing: bool = False
    workflow: WorkflowContext | None = None
    is_workflow_named: bool = False
    channel: Channel = SilentChannel()
    inputs: Mapping[str, Any] = {}
    state: str | None = None
    shows_panel: bool = False
    access: Access | None = None
    request_id: str | int | float | None = None


class InputRequired(NamedTuple):
    """What a tool gives back when it can't go on before the client has answered `requests`.

    The client calls again with its answers (`Call.inputs`) and the `state` (`Call.state`), both by the same names.
    """

    requests: Mapping[str, Mapping[str, Any]]
    state: str | None = None


class Answer(NamedTuple):
    """What a tool gave back: the text that the caller reads, and the value itself where it is an object.

    A value that is not told is kept for callers in our process and sent to nobody: it would be the same bytes again.
    `meta` goes to a tool's panel, and to no model.
    """

    text: str
    value: Any = None
    blocks: tuple[Mapping[str, Any], ...] = ()
    is_error: bool = False
    required: InputRequired | None = None
    tells_value: bool = True
    meta: Mapping[str, Any] | None = None


def json_writer(encoder: json.JSONEncoder) -> Callable[[Any], str]:
    """A function that writes what the encoder writes, in half the time for a short value.

    The standard encoder makes its inner part anew for each value; this one keeps it, where the interpreter has it.
    """
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    quote: Any = json.encoder.encode_basestring_ascii if encoder.ensure_ascii else json.encoder.encode_basestring
    separators = (encoder.key_separator, encoder.item_separator)
    flags = (encoder.sort_keys, encoder.skipkeys)
    try:
        parts: Callable[[Any, int], Iterable[str]]
        parts = make(None, encoder.default, quote, None, *separators, *flags, encoder.allow_nan)
    except TypeError:  # an interpreter that has no such thing, or another kind of it
        return encoder.encode
    return lambda value: "".join(parts(value, 0))


compact_json = json_writer(json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False))
"""A value as JSON with no spare character: what an agent reads, it pays for."""


def usual_milliseconds(arguments: Mapping[str, Any]) -> float:
    """How long a call may take before the journal tells of it, unless its tool says otherwise."""
    return SLOW_MILLISECONDS


class Effects(NamedTuple):
    """What a call may do to the world, as a client is told: may it change something, destroy something, be repeated
    without harm, reach beyond the project?"""

    writes: bool = False
    destroys: bool = False
    repeatable: bool = True
    open_world: bool = False


class Pace(NamedTuple):
    """How long a call may take, how many may come in a minute, and from when on the journal tells that one was slow."""

    timeout_seconds: float | None = None
    calls_per_minute: int | None = None
    slow_milliseconds: Callable[[Mapping[str, Any]], float] = usual_milliseconds


class Wording(NamedTuple):
    """What a specification prints of a tool: `check` refuses arguments in its words, in place of the schema, and
    `check_first` does before the schema; `failure_message` is its one sentence for every failure of ours; `write` makes
    the text of a result; `ignores_unknown` takes arguments that the schema does not name. `is_whole` gives what is
    asked for whole, however many tokens it counts for; `tells_value` sends the value beside the text, where the
    protocol knows such a thing, and `text_says_more` leaves it out for clients whose model would not see the text."""

    check: Callable[[Mapping[str, Any]], None] | None = None
    check_first: Callable[[Mapping[str, Any]], None] | None = None
    failure_message: str | None = None
    ignores_unknown: bool = False
    write: Callable[[Any], str] = compact_json
    is_whole: bool = False
    tells_value: bool = True
    text_says_more: bool = False


class Tool(NamedTuple):
    """One thing that an agent can ask for: what it is called, what it takes, and the plain function that does it.

    `user_argument` names the argument that says whose call it is, `reads_index` says that a command brings the index up
    to date first, and `remembers` names the arguments that may be left out in a workflow, each with those of a prompt
    that stand in for it. `panel` is the address of the page that shows its answers, where a client shows such things.
    `toolset` is whose it is: the app fills it in.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    run: Callable[[Call], Any]
    title: str | None = None
    effects: Effects = Effects()
    pace: Pace = Pace()
    wording: Wording = Wording()
    user_argument: str | None = None
    reads_index: bool = False
    remembers: Mapping[str, tuple[str, ...]] = {}
    panel: str | None = None
    toolset: str = ""

    def recall(self, call: Call) -> Call:
        """The call with what it left out of its workflow's prompt, where something that it needs is missing.

        What belongs to an argument that the caller gave, such as the language of some code, is not filled in. Where
        something else stands in for an argument, as a problem for a query, it is cut to the length that is taken.
        """
        if call.workflow is None or not self.remembers:
            return call
        required = self.input_schema.get("required", ())
        if not call.is_workflow_named and all(field in call.arguments for field in required):
            return call
        is_subject_given = bool(required) and required[0] in call.arguments
        filled: dict[str, str] = {}
        for field, (name, text) in recall_arguments(call.arguments, call.workflow, self.remembers).items():
            if field in required or not is_subject_given:
                longest = None if name == field else self.input_schema["properties"][field].get("maxLength")
                filled[field] = text[:longest]
        return call._replace(arguments={**call.arguments, **filled})

    def answer(self, value: Any) -> Answer:
        """What the tool gave back, with the text that goes to the caller."""
        if isinstance(value, Answer):
            return value
        if isinstance(value, InputRequired):
            return Answer(text="", required=value)
        text = value if isinstance(value, str) else self.wording.write(value)
        return Answer(text=text, value=value, tells_value=self.wording.tells_value)


class Fault(NamedTuple):
    """An error that goes out as one of JSON-RPC, not as a result that a model reads."""

    code: int
    message: str
    data: Mapping[str, Any] | None = None


class FailedCall(NamedTuple):
    """The call that an error ended: its tool, its arguments as they came, and the era it belongs to."""

    tool: Tool
    arguments: Mapping[str, Any]
    is_modern: bool


class Dialect(NamedTuple):
    """How errors are told.

    `tell` gives the answer, or the fault, for an error of a call. `tell_unknown` answers for a name that no tool has,
    where the toolset claims that name; without it the server answers for itself.
    """

    tell: Callable[[FieldguideError, FailedCall], Answer | Fault]
    tell_unknown: Callable[[ToolNotFound], Answer] | None = None


def tell_plainly(error: FieldguideError, failing: FailedCall) -> Answer:
    """JSON with the message, the details and the tool's name."""
    name = failing.tool.name
    if isinstance(error, InvalidArguments) and error.issues:
        return make_error_answer(compact_json({"error": "Invalid parameters", "details": error.issues, "tool": name}))
    return make_error_answer(compact_json({"error": error.message, **error.details, "tool": name}))


def make_error_answer(text: str) -> Answer:
    """A text that a model reads as an error."""
    return Answer(text=text, is_error=True)


PLAIN = Dialect(tell_plainly)


DRAFT = "http://json-schema.org/draft-07/schema#"


def text_schema(**said: Any) -> dict[str, Any]:
    """A string."""
    return {"type": "string", **said}


def integer_schema(**said: Any) -> dict[str, Any]:
    """A number without a fraction."""
    return {"type": "integer", **said}


def open_object(*required: str, **properties: Any) -> dict[str, Any]:
    """An object that may hold more than its properties."""
    return {"type": "object", "properties": properties, "required": list(required)}


def closed_object(*required: str, **properties: Any) -> dict[str, Any]:
    """An object that holds its properties and nothing else."""
    return {**open_object(*required, **properties), "additionalProperties": False}


def drafted_object(*required: str, **properties: Any) -> dict[str, Any]:
    """A closed object that names the draft of JSON Schema that it is written in."""
    return {**closed_object(*required, **properties), "$schema": DRAFT}


class Validation:
    """Checks arguments with a compiled validator per tool, made at the tool's first call."""

    def __init__(self) -> None:
        self._validators: dict[str, Any] = {}
        self._lock = threading.Lock()

    def check(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Raise InvalidArguments: in the tool's own words if it has any, else with every issue of the schema."""
        issues = [*islice(_unpaired_surrogates(arguments), MOST_ISSUES)] if arguments else []
        if tool.wording.check_first is not None:
            tool.wording.check_first(arguments)
        if tool.wording.check is not None:
            tool.wording.check(arguments)
        else:
            validator = self._validators.get(tool.name) or self._compile(tool)
            violations = _list_violations(validator, arguments)
            issues = [*violations, *_fractional_integers(tool, arguments), *issues] if arguments else violations
        if issues:
            raise InvalidArguments("; ".join(str(issue["message"]) for issue in issues), issues=issues)

    def _compile(self, tool: Tool) -> Any:
        import jsonschema_rs  # 20 ms; only a call needs it

        schema = dict(tool.input_schema)
        if tool.wording.ignores_unknown:
            schema.pop("additionalProperties", None)
        with self._lock:
            try:
                validator = jsonschema_rs.validator_for(schema)
            except ValueError as error:
                raise InvalidToolSchema(f"The input schema of {tool.name!r} is not valid.") from error
            self._validators[tool.name] = validator
        return validator


def _list_violations(validator: Any, arguments: Mapping[str, Any]) -> list[Issue]:
    try:
        if validator.is_valid(arguments):
            return []
        return [_describe_violation(error) for error in islice(validator.iter_errors(arguments), MOST_ISSUES)]
    except ValueError:  # a lone surrogate, or nesting without end
        return [{"code": "custom", "path": [], "message": "the arguments object can't be checked"}]


def _describe_violation(error: Any) -> Issue:
    """One violation in the shape that Zod gives it: code, message, path, and the limit that was broken."""
    kind = error.kind
    place = [*error.instance_path]
    if kind.name in LIMITS:
        code, bound, claim = LIMITS[kind.name]
        limit = int(kind.limit) if isinstance(kind.limit, float) and kind.limit.is_integer() else kind.limit
        return {"code": code, "path": place, bound: limit, "message": _named(place, claim.format(limit))}
    if kind.name == "required":
        field = ".".join(map(str, [*place, kind.property]))
        text = f"missing required argument: {field}"
        return {"code": "invalid_type", "path": [*place, kind.property], "message": text}
    if kind.name == "additionalProperties":
        names = [shorten(name) for name in list(kind.unexpected)[:MOST_NAMED]]
        listed = shorten(", ".join(names), MOST_NAMED_CHARACTERS)
        text = f"unexpected argument: {listed}"
        return {"code": "unrecognized_keys", "path": place, "keys": names, "message": text}
    if kind.name == "type":
        types = [str(each) for each in kind.types]
        listed = " or ".join(f"an {each}" if each[0] in "aeiou" else f"a {each}" for each in types)
        text = _named(place, f"must be {listed}")
        return {"code": "invalid_type", "path": place, "expected": types[0], "message": text}
    if kind.name == "enum":
        text = _named(place, "has invalid value, must be one of allowed values")
        return {"code": "invalid_enum_value", "path": place, "options": kind.options, "message": text}
    return {"code": kind.name, "path": place, "message": _named(place, f"is not allowed here ({kind.name})")}


def _named(place: list[Any], claim: str) -> str:
    return f"field {shorten('.'.join(map(str, place)))} {claim}" if place else f"the arguments object {claim}"


def _unpaired_surrogates(arguments: Mapping[str, Any]) -> Iterator[Issue]:
    """JSON can escape half a character; no file, database or model can take it."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), arguments)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, str):
            if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
                message = _named([*place], "is not valid Unicode text")
                yield {"code": "invalid_string", "path": [*place], "message": message}
        elif isinstance(value, dict | list):
            nested = cast("Any", value)
            inner = nested.items() if isinstance(value, dict) else enumerate(nested)
            waiting += [((*place, key), each) for key, each in inner]


def _fractional_integers(tool: Tool, arguments: Mapping[str, Any]) -> list[Issue]:
    """JSON Schema takes 1.0 for an integer; a tool would then be handed a float that nobody wrote a case for."""
    properties = tool.input_schema.get("properties", {})
    return [
        {"code": "invalid_type", "path": [name], "expected": "integer", "message": f"field {name} must be an integer"}
        for name, value in arguments.items()
        if isinstance(value, float) and value.is_integer() and properties.get(name, {}).get("type") == "integer"
    ]
