"""The shared words: a Call asks a Tool for an Answer, on behalf of a user."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from fieldguide.errors import InputNeeded, Refusal
from fieldguide.spine.cancellation import Cancellation
from fieldguide.spine.workflow import WorkflowContext

ANONYMOUS = "anonymous"


class Channel(Protocol):
    """How a running tool speaks to the client that called it; every method may be called from a worker thread."""

    def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell how far the work is, if the client asked to be told."""
        ...

    def log(self, level: str, data: Any, logger: str | None = None) -> None:
        """Send a log message, if the client wants messages of this level."""
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

    def ask(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Nobody can answer."""
        raise Refusal(f"Nobody is there to answer {method}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to run a tool, from whichever wire it came."""

    tool: str
    arguments: Mapping[str, Any]
    user: str | None = None
    connection: str = "local"
    workflow: WorkflowContext | None = None
    channel: Channel = field(default_factory=SilentChannel)
    cancellation: Cancellation = field(default_factory=Cancellation)
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    state: str | None = None


@dataclass(frozen=True, slots=True)
class InputRequired:
    """What a tool gives back when it can't go on before the client has answered `requests`.

    The client calls again with its answers (`Call.inputs`) and the `state` (`Call.state`), both by the same names.
    """

    requests: Mapping[str, Mapping[str, Any]]
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gave back: the text that the caller reads, and the value itself where it is an object."""

    text: str
    value: Any = None
    blocks: tuple[Mapping[str, Any], ...] = ()
    is_error: bool = False
    required: InputRequired | None = None


def compact_json(value: Any) -> str:
    """A value as JSON with no spare character: what an agent reads, it pays for."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One thing that an agent can ask for: what it is called, what it takes, and the plain function that does it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    run: Callable[[Call], Any]
    title: str | None = None
    writes: bool = False
    destroys: bool = False
    repeatable: bool = True
    open_world: bool = False
    timeout_seconds: float | None = None
    calls_per_minute: int | None = None
    user_argument: str | None = None
    write_text: Callable[[Any], str] = compact_json

    def answer(self, call: Call) -> Answer:
        """Run the tool and give its value the text that goes to the caller."""
        try:
            value = self.run(call)
        except InputNeeded as needed:
            value = InputRequired({needed.key: needed.request})
        if isinstance(value, Answer):
            return value
        if isinstance(value, InputRequired):
            return Answer(text="", required=value)
        text = value if isinstance(value, str) else self.write_text(value)
        return Answer(text=text, value=value)
