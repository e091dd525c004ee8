"""Tool, Call and Answer: what an agent can ask for, one request, and what it gave back."""

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.settings.access import Access
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.errors import Refusal

if TYPE_CHECKING:
    from fieldguide.spine.prompts import WorkflowContext

ANONYMOUS = "anonymous"
PAGE = "page"
"""The connection of calls that the page for people makes."""
SLOW_MILLISECONDS = 5000.0
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
Issue = dict[str, Any]
IMPORTING = threading.RLock()
"""Held while something is imported late: two threads that meet in a package and its module get half of either."""


class Call(NamedTuple):
    """One request to run a tool, from whichever wire it came.

    `refusal` is why it can't run at all, where its wire knows that: the server is busy, say.
    `is_workflow_named` tells whether the client named the workflow, or it is only the latest of its connection.
    `access` is what its caller may do.
    `request_id` is what the client calls its request, for the audit log; `client` is what it says about itself.
    """

    tool: str
    arguments: Mapping[str, Any]
    cancellation: Cancellation
    user: str | None = None
    connection: str = "local"
    workflow: "WorkflowContext | None" = None
    is_workflow_named: bool = False
    access: Access | None = None
    request_id: str | int | float | None = None
    refusal: Refusal | None = None
    client: Mapping[str, Any] = {}


class Answer(NamedTuple):
    """What a tool gave back: the text that the caller reads, and the value itself where it is an object.

    A value that is not told is kept for callers in our process and sent to nobody: it would be the same bytes again.
    `text_says_more` is as in `Wording`.
    """

    text: str
    value: Any = None
    blocks: tuple[Mapping[str, Any], ...] = ()
    is_error: bool = False
    tells_value: bool = True
    text_says_more: bool = False


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


def import_late(target: str, *given: Any, **named: Any) -> Callable[..., Any]:
    """A function that is imported from `module:function` by its first call, with these arguments before the call's.

    A start lists tools and runs none: what they need stays on disk until one is called.
    """
    function: Callable[..., Any] | None = None

    def run(*arguments: Any) -> Any:
        nonlocal function
        if function is None:
            module, _, name = target.partition(":")
            with IMPORTING:
                function = partial(getattr(import_module(module), name), *given, **named)
        return function(*arguments)

    return run


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
    slow_milliseconds: Callable[[Mapping[str, Any]], float] | None = None


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

    `user_argument` names the argument that says whose call it is, `reads_index` says that a command brings the index
    up to date first, and `remembers` names the arguments that may be left out in a workflow, each with
    those of a prompt that stand in for it. `toolset` is whose it is: the app fills it in.
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
    toolset: str = ""

    def answer(self, value: Any) -> Answer:
        """What the tool gave back, with the text that goes to the caller."""
        if isinstance(value, Answer):
            return value
        text = value if isinstance(value, str) else self.wording.write(value)
        return Answer(text=text, value=value, tells_value=self.wording.tells_value)
