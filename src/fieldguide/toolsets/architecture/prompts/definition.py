"""A prompt as it is written in a JSON file: read, and refused with a reason where it is not one."""

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.formats import Malformed
from fieldguide.formats.json_text import read_json
from fieldguide.spine.prompts import PromptArgument

NAME = re.compile(r"[a-z0-9-]+")
ROLES = ("user", "assistant")


class Definition(NamedTuple):
    """A prompt before it is filled in: each message is a role and a template."""

    name: str
    description: str
    arguments: tuple[PromptArgument, ...]
    messages: tuple[tuple[str, str], ...]
    title: str | None = None


class MalformedPrompt(ValueError):
    """A file that is no prompt; the message says why."""


def read_definition(content: bytes) -> Definition:
    """The prompt in a file; MalformedPrompt when there is none."""
    try:
        value = read_json(content)
    except Malformed as error:
        raise MalformedPrompt(f"it is not JSON ({error})") from error
    given = _object(value, "the file")
    name = _text(given, "name", "the prompt")
    if not NAME.fullmatch(name):
        raise MalformedPrompt(f"the name {name!r} must match ^[a-z0-9-]+$")
    return Definition(
        name=name,
        description=_text(given, "description", "the prompt", default=""),
        arguments=tuple(_arguments(given.get("arguments", []))),
        messages=tuple(_messages(given.get("messages"))),
        title=_text(given, "title", "the prompt") if "title" in given else None,
    )


def _arguments(value: Any) -> Iterator[PromptArgument]:
    seen: set[str] = set()
    for each in _list(value, "arguments"):
        given = _object(each, "an argument")
        name = _text(given, "name", "an argument")
        if not name or name in seen:
            raise MalformedPrompt(f"the argument {name!r} has no name, or one that is there twice")
        seen.add(name)
        required, longest = given.get("required", False), given.get("maxLength")
        if not isinstance(required, bool):
            raise MalformedPrompt(f"`required` of the argument {name!r} must be true or false")
        if longest is not None and (type(longest) is not int or longest < 1):
            raise MalformedPrompt(f"`maxLength` of the argument {name!r} must be a positive integer")
        yield PromptArgument(name, _text(given, "description", "an argument", default=""), required, longest)


def _messages(value: Any) -> Iterator[tuple[str, str]]:
    messages = _list(value, "messages")
    if not messages:
        raise MalformedPrompt("it has no messages")
    for each in messages:
        given = _object(each, "a message")
        role, content = given.get("role"), _object(given.get("content"), "the content of a message")
        if role not in ROLES:
            raise MalformedPrompt(f"the role {role!r} must be user or assistant")
        if content.get("type") != "text":
            raise MalformedPrompt("the content of a message must have the type text")
        yield role, _text(content, "text", "the content of a message")


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedPrompt(f"{what} must be an object")
    return cast("dict[str, Any]", value)


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise MalformedPrompt(f"`{what}` must be a list")
    return [*value]


def _text(given: dict[str, Any], key: str, what: str, default: str | None = None) -> str:
    value = given.get(key, default)
    if not isinstance(value, str):
        raise MalformedPrompt(f"`{key}` of {what} must be a string")
    return value
