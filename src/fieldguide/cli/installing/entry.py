"""What is written down for a client: how it starts the server, for whom, and what it must be told of tools."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.cli.installing.clients import Client, Shape
from fieldguide.cli.installing.machine import PROJECT
from fieldguide.cli.installing.program import PROGRAM
from fieldguide.server.clients.known import COUNTING_TOOLS, REFUSING_NAMES, is_one_of

SERVE = "serve"
NAME = "fieldguide"


class Wish(NamedTuple):
    """What the person wants of every client: the scope, the words that start the server, whose it is, more flags."""

    scope: str
    project: str
    words: tuple[str, ...]
    user: str | None = None
    flags: tuple[str, ...] = ()
    name: str = NAME


def entry_for(client: Client, wish: Wish) -> dict[str, Any]:
    """The entry in the form that the client reads."""
    words = [*wish.words, SERVE, *_arguments(client, wish)]
    command, arguments = words[0], words[1:]
    shape = client.project_shape if wish.scope == PROJECT and client.project_shape else client.shape
    if shape is Shape.ONE_LIST:
        return {"type": "local", "command": [command, *arguments], "enabled": True}
    if shape is Shape.LOCAL:
        return {"type": "local", "command": command, "args": arguments, "tools": ["*"]}
    typed = {"type": "stdio"} if shape is Shape.TYPED else {}
    return {**typed, "command": command, "args": arguments}


def bound_project(entry: Any) -> str | None:
    """The one project that an entry is for; None where it is for whichever it is started in."""
    words = command_line(entry)
    named = words[words.index("--project") + 1] if "--project" in words[:-1] else "."
    return None if named == "." else named


def starts_fieldguide(entry: Any) -> bool:
    """Whether an entry starts a Fieldguide, whoever wrote it."""
    words = command_line(entry)
    return SERVE in words and any(_program_name(word) == PROGRAM for word in words[: words.index(SERVE)])


def command_line(entry: Any) -> list[str]:
    """The words that an entry starts; none where it starts nothing."""
    if not isinstance(entry, dict):
        return []
    told = cast("Mapping[str, Any]", entry)
    command, arguments = told.get("command"), told.get("args")
    words = [each for part in (command, arguments) for each in _listed(part)]
    return [word for word in words if isinstance(word, str)]


def _listed(part: Any) -> list[Any]:
    return [*cast("Sequence[Any]", part)] if isinstance(part, list) else [part]


def _program_name(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _arguments(client: Client, wish: Wish) -> list[str]:
    folder = wish.project if client.folder is None else client.folder
    return [
        *(["--project", folder] if folder else []),
        *(["--bind-user"] if wish.user is None else ["--user", wish.user]),
        *wish.flags,
        *_tool_flags(client, wish.flags),
    ]


def _tool_flags(client: Client, given: tuple[str, ...]) -> list[str]:
    """What the server can't tell from the client's name, and what a client that counts tools must have at any rate."""
    is_known = is_one_of(client.wire, REFUSING_NAMES)
    names = [] if is_known or "--tool-names" in given else ["--tool-names", "safe"]
    is_lean = is_one_of(client.wire, COUNTING_TOOLS) and not {"--profile", "--toolsets"}.intersection(given)
    return [*(["--profile", "lean"] if is_lean else []), *names]
