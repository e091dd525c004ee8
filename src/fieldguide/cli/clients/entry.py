"""Makes the entry that starts this Fieldguide in the form a client reads."""

import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import metadata
from typing import Any, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from fieldguide.cli.clients.catalog import PROJECT, EntryShape, McpClient
from fieldguide.cli.clients.settings_files import SettingsFile, append_lines, find_newline, remove_lines
from fieldguide.text.errors import Refusal
from fieldguide.wire.clients import COUNTING_TOOLS, REFUSING_NAMES, is_known_client

PROGRAM = "fieldguide"
UVX = "uvx"
FOLDERS_OF_UVX = frozenset({"archive-v0", "environments-v2", "builds-v0"})


def find_start_words(*, is_shared: bool) -> list[str]:
    """What stands before `serve`: a whole path for the person's own settings, a name in those that others read too.

    A client that is no terminal's child does not know the person's PATH.
    """
    if _is_from_uvx():
        return [*_uvx(is_shared=is_shared), *_source(), PROGRAM]
    own = os.path.join(sysconfig.get_path("scripts"), PROGRAM)
    named = shutil.which(PROGRAM)
    is_named = named is not None and os.path.realpath(named) == os.path.realpath(own)
    if is_shared and is_named:
        return [PROGRAM]
    if is_named and named is not None:
        return [os.path.abspath(named)]
    return [own] if os.access(own, os.X_OK) else [sys.executable, "-m", PROGRAM]


def is_of_this_machine(words: list[str]) -> bool:
    """Whether somebody else's machine may not have what is started."""
    return os.path.isabs(words[0])


def _is_from_uvx() -> bool:
    """Whether this is an environment that uv made for one run, and may remove again."""
    return bool(FOLDERS_OF_UVX.intersection(sys.prefix.split(os.sep)))


def _uvx(*, is_shared: bool) -> list[str]:
    whole = shutil.which(UVX)
    if is_shared:
        return [UVX]
    if whole is None and os.path.isabs(os.environ.get("UV", "")):  # uv tells those whom it runs where it is
        return [os.environ["UV"], "tool", "run"]
    return [UVX if whole is None else os.path.abspath(whole)]


def _source() -> list[str]:
    """Where uvx takes Fieldguide from, if not from an index."""
    try:
        text = metadata.distribution(PROGRAM).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        text = None
    told: dict[str, Any] = json.loads(text) if text else {}
    url = str(told.get("url", ""))
    if not url:
        return []
    if "vcs_info" in told:
        wanted = told["vcs_info"].get("requested_revision")
        return ["--from", f"git+{url}@{wanted}" if wanted else f"git+{url}"]
    return ["--from", unquote(urlsplit(url).path) if url.startswith("file:") else url]


SERVE = "serve"
NAME = "fieldguide"


class EntryRequest(NamedTuple):
    """What the person wants of every client: the scope, the words that start the server, whose it is, more flags."""

    scope: str
    project: str
    words: tuple[str, ...]
    user: str | None = None
    flags: tuple[str, ...] = ()
    name: str = NAME


def make_entry(client: McpClient, wish: EntryRequest) -> dict[str, Any]:
    """The entry in the form that the client reads."""
    words = [*wish.words, SERVE, *_arguments(client, wish)]
    command = words[0]
    arguments = words[1:]
    shape = client.project_shape if wish.scope == PROJECT and client.project_shape else client.shape
    if shape is EntryShape.ONE_LIST:
        return {"type": "local", "command": [command, *arguments], "enabled": True}
    if shape is EntryShape.LOCAL:
        return {"type": "local", "command": command, "args": arguments, "tools": ["*"]}
    typed = {"type": "stdio"} if shape is EntryShape.TYPED else {}
    return {**typed, "command": command, "args": arguments}


def read_bound_project(entry: Any) -> str | None:
    """The one project that an entry is for; None where it is for whichever it is started in."""
    words = read_command_line(entry)
    named = words[words.index("--project") + 1] if "--project" in words[:-1] else "."
    return None if named == "." else named


def starts_fieldguide(entry: Any) -> bool:
    """Whether an entry starts a Fieldguide, whoever wrote it."""
    words = read_command_line(entry)
    return SERVE in words and any(_program_name(word) == PROGRAM for word in words[: words.index(SERVE)])


def read_command_line(entry: Any) -> list[str]:
    """The words that an entry starts; none where it starts nothing."""
    if not isinstance(entry, dict):
        return []
    told = cast("Mapping[str, Any]", entry)
    command = told.get("command")
    arguments = told.get("args")
    words = [each for part in (command, arguments) for each in _listed(part)]
    return [word for word in words if isinstance(word, str)]


def _listed(part: Any) -> list[Any]:
    return [*cast("Sequence[Any]", part)] if isinstance(part, list) else [part]


def _program_name(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _arguments(client: McpClient, wish: EntryRequest) -> list[str]:
    folder = wish.project if client.folder is None else client.folder
    return [
        *(["--project", folder] if folder else []),
        *(["--bind-user"] if wish.user is None else ["--user", wish.user]),
        *wish.flags,
        *_tool_flags(client, wish.flags),
    ]


def _tool_flags(client: McpClient, given: tuple[str, ...]) -> list[str]:
    """What the server can't tell from the client's name, and what a client that counts tools must have at any rate."""
    is_known = is_known_client(client.wire, REFUSING_NAMES)
    names = [] if is_known or "--tool-names" in given else ["--tool-names", "safe"]
    is_lean = is_known_client(client.wire, COUNTING_TOOLS) and not {"--profile", "--toolsets"}.intersection(given)
    return [*(["--profile", "lean"] if is_lean else []), *names]


BEGIN = "<!-- fieldguide:begin -->"
END = "<!-- fieldguide:end -->"
RULE = ".cursor/rules/fieldguide.mdc"
FILES = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", RULE)
TO_BEGIN_WITH = "AGENTS.md"
HEAD_OF_RULE = "---\ndescription: How to use this project's field guide\nalwaysApply: true\n---\n"
PARAGRAPH = (
    "This project has a field guide: the MCP server `fieldguide`. Ask it before you guess. Begin a task with",
    "`guide_brief`; look things up with `guide_search`, and open what an answer cites with `guide_open`; ask",
    "`guide_governs` before you change a file, and `guide_symbol` where a name is defined and used; keep what you",
    "found out with `guide_record`. Cite what it tells you.",
)
SECTION = (BEGIN, *PARAGRAPH, END)


def choose_section_files(project: str, wanted: Sequence[str]) -> list[str]:
    """The files to write to: those that are named, else those that are there, else the one that most agents read."""
    if wanted:
        return [*dict.fromkeys(wanted)]
    there = [name for name in FILES if name != RULE and os.path.lexists(os.path.join(project, name))]
    if TO_BEGIN_WITH in there:
        there = [name for name in there if not _includes(project, name)]
    if os.path.isdir(os.path.join(project, os.path.dirname(RULE))):
        there.append(RULE)
    return there or [TO_BEGIN_WITH]


def _includes(project: str, name: str) -> bool:
    """Whether a file takes in all of the one that most agents read, as Claude Code lets files do."""
    with suppress(Refusal):
        content = SettingsFile(os.path.join(project, name), project, project).read() or b""
        return f"@{TO_BEGIN_WITH}".encode() in content.split()
    return False


def find_section(text: str) -> str | None:
    """The section as it stands in a text; None where there is none."""
    span = _span(text)
    return None if span is None else text[span[0] : span[1]].strip("\r\n").replace("\r\n", "\n")


def add_section(text: str, name: str) -> str:
    """The text with the section below it, or in the place of an older one."""
    span = _span(text)
    if span is None:
        return append_lines(HEAD_OF_RULE if name == RULE and not text else text, [*SECTION])
    start, end = span
    ending = find_newline(text) if text[start:end].endswith("\n") else ""
    return text[:start] + find_newline(text).join(SECTION) + ending + text[end:]


def remove_section(text: str) -> str:
    """The text without the section; of our own rule's file nothing is left."""
    span = _span(text)
    if span is None:
        return text
    left = remove_lines(text, *span)
    return "" if left == HEAD_OF_RULE else left


def _span(text: str) -> tuple[int, int] | None:
    start = text.find(BEGIN)
    if start < 0:
        return None
    end = text.find(END, start)
    if end < 0 or text.find(BEGIN, start + 1) >= 0:
        raise Refusal(f"has {BEGIN} without its end, or twice; put it right by hand.")
    line_end = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if line_end < 0 else line_end + 1
