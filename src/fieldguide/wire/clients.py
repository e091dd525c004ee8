"""What a client is shown: the server's instructions, the list of tools that suits it, and names that it takes."""

import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.files.file_system import find_login_name
from fieldguide.settings.access import Access, is_allowed
from fieldguide.spine.executor import Registry
from fieldguide.spine.tool import Tool, compact_json
from fieldguide.spine.toolset import Toolset, make_safe_name

LONGEST_USER = 255
LEAN = "lean"
FULL = "full"
AUTO = "auto"
THE_DOOR = "guide"


def write_instructions(toolsets: Sequence[Toolset], registry: Registry, user: str | None, access: Access | None) -> str:
    """A few sentences for the model behind a client; they name only tools that are served, and that it may call."""
    toolsets = [each for each in toolsets if is_allowed(access, each.name)]
    user = user if access is None else access.user
    known = "; ".join(each.about for each in toolsets if each.about) or "what its toolsets tell"
    sentences = [f"Fieldguide knows this project: {known}."]
    served = {tool.name for tool in registry.all(access)}
    routes = "; ".join(way for each in toolsets for tool, way in each.routes.items() if tool in served)
    if routes:
        sentences.append(f"{routes[0].upper()}{routes[1:]}.")
    sentences.append("Don't read again what it shows. For exact strings in one file use rg.")
    takes_user = any(tool.user_argument for each in toolsets for tool in each.tools)
    person = (user or find_login_name()) if takes_user else None
    if person is not None:
        whose = "Every call is made for the user_id" if user else "Where a tool takes a user_id, the person's own is"
        sentences.append(f"{whose} {compact_json(person[:LONGEST_USER])}.")
    return " ".join(sentences)


REFUSING_NAMES = (
    "claude",
    "anthropic",
    "codex",
    "openai",
    "chatgpt",
    "copilot",
    "vscode",
    "visual studio code",
    "cursor",
    "opencode",
    "gemini",
)
"""Those whose model's API takes only letters, digits, `_` and `-` in a tool's name."""

CODING_CLIENTS = (
    "claude code",
    "codex",
    "copilot",
    "visual studio code",
    "vscode",
    "code oss",
    "vscodium",
    "cursor",
    "opencode",
    "gemini cli",
)
"""Those whose model works on code: they have their own tools for files, and pay for every tool in every turn."""

READING_VALUES = ("claude code", "codex", "copilot", "visual studio code", "code oss", "vscodium")
"""Those that hand the model an answer's value in place of its text, or both of them."""

DEFERRING_TOOLS = ("claude code",)
"""Those that hide tools behind a search, unless their server asks for them to be loaded at once."""

IN_A_WORD = frozenset(string.ascii_lowercase + string.digits)


def is_known_client(client: str | None, known: tuple[str, ...]) -> bool:
    """Whether words of the client's name begin like a known name."""
    words = "".join(each if each in IN_A_WORD else " " for each in (client or "").casefold()).split()
    name = f" {' '.join(words)}"
    return any(f" {each}" in name for each in known)


def spell_tool_name(name: str, *, mode: str, client: str | None) -> str:
    """A tool's name as this client is shown it, in the mode `auto`, `literal` or `safe`."""
    if mode == "safe" or (mode == "auto" and is_known_client(client, REFUSING_NAMES)):
        return make_safe_name(name)
    return name


class ToolProfile(NamedTuple):
    """The choice for a server: its mode, and the names of the tools that the lean list has; none: every tool."""

    mode: str = FULL
    front: frozenset[str] = frozenset()

    def listed(self, tools: Sequence[Tool], client: str | None) -> Sequence[Tool]:
        """The tools that this client is shown."""
        is_lean = self.mode == LEAN or (self.mode == AUTO and is_known_client(client, CODING_CLIENTS))
        if not is_lean or not self.front:
            return tools
        return [tool for tool in tools if tool.name in self.front]


def choose_profile(mode: str, toolsets: Iterable[Toolset], *, are_chosen: bool) -> ToolProfile:
    """The profile over these toolsets: the front has what each of them puts there.

    Without the guide there is no front door, and nothing is left out. Nor is it by itself where the person has chosen
    the toolsets: they want those.
    """
    served = tuple(toolsets)
    shown = [name for each in served for name in each.front]
    has_door = any(each.name == THE_DOOR for each in served)
    return ToolProfile(FULL if mode == AUTO and are_chosen else mode, frozenset(shown if has_door else ()))


def describe_tool(tool: Tool, *, name: str, schema: Mapping[str, Any], loads_at_once: bool = False) -> dict[str, Any]:
    """A tool as an entry of `tools/list`."""
    return without_none(
        name=name,
        title=tool.title,
        description=tool.description,
        inputSchema=schema,
        annotations={
            "readOnlyHint": not tool.effects.writes,
            "destructiveHint": tool.effects.destroys,
            "idempotentHint": tool.effects.repeatable,
            "openWorldHint": tool.effects.open_world,
        },
        _meta={"anthropic/alwaysLoad": True} if loads_at_once else None,
    )


def without_none(**members: Any) -> dict[str, Any]:
    """The members that have a value, as JSON objects of the protocol leave out the others."""
    return {name: value for name, value in members.items() if value is not None}
