"""Prompts: guided workflows with arguments that a person picks."""

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.settings.consents import Access, is_allowed
from fieldguide.spine.tool import InputRequired
from fieldguide.text.errors import DuplicateTool, InvalidArguments, shorten

Message = Mapping[str, Any]


class PromptArgument(NamedTuple):
    """One blank of a prompt."""

    name: str
    description: str
    required: bool = False
    max_length: int | None = None


class PromptArguments(dict[str, str]):
    """What fills the blanks of a prompt, by name; with the client's answers where the prompt asked for more."""

    def __init__(self, given: Mapping[str, str], inputs: Mapping[str, Any], state: str | None) -> None:
        super().__init__(given)
        self.inputs = inputs
        self.state = state


class Prompt(NamedTuple):
    """A named prompt and the plain function that fills it in, or says what it must ask the client first.

    One that `gives_way` leaves its name to any other of that name, such as a project's own.
    """

    name: str
    description: str
    render: Callable[[PromptArguments], Sequence[Message] | InputRequired]
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
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        inputs: Mapping[str, Any],
        state: str | None,
        access: Access | None = None,
    ) -> tuple[Prompt, Sequence[Message] | InputRequired]:
        """The prompt of this name with its arguments filled in."""
        prompt = next((each for each in self.list(access) if each.name == name), None)
        if prompt is None:
            raise InvalidArguments(f"prompt not found: {shorten(name)}")
        _check(prompt, arguments)
        return prompt, prompt.render(PromptArguments(arguments, inputs, state))


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
