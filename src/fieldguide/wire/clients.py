"""Adapts the server to known MCP clients: tool names, tool profiles, panels and instructions.

A client that is not known gets everything as it is specified. Decision 0004 has the sources.

The APIs behind the big clients take only letters, digits, `_` and `-` in a tool's name, and one other name breaks every
request of such a client, not just ours. `tools/call` takes both spellings from everybody.

A long list costs its reader tokens before the first question, and some clients take only so many tools. But a model
calls only what its client was shown, so a client that is not known to mind is shown everything.
"""

import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.settings.consents import Access, is_allowed
from fieldguide.settings.folders import find_login_name
from fieldguide.spine.registry import Registry, make_safe_name
from fieldguide.spine.resources import PANEL_MIME_TYPE, Panel
from fieldguide.spine.tool import Tool, compact_json
from fieldguide.spine.toolset import Toolset

LONGEST_USER = 255
EXTENSION = "io.modelcontextprotocol/ui"
LEAN = "lean"
FULL = "full"
AUTO = "auto"
THE_DOOR = "guide"


def write_instructions(
    toolsets: Sequence[Toolset], registry: Registry, user: str | None, access: Access | None = None
) -> str:
    """A few sentences for the model behind a client; they name only tools that are served, and that it may call."""
    toolsets = [each for each in toolsets if is_allowed(access, each.name)]
    user = user if access is None else access.user
    known = "; ".join(each.about for each in toolsets if each.about) or "what its toolsets tell"
    sentences = [f"Fieldguide knows this project: {known}."]
    served = {tool.name for tool in registry.all(access)}
    routes = "; ".join(way for each in toolsets for tool, way in each.routes.items() if tool in served)
    if routes:
        sentences.append(f"{routes[0].upper()}{routes[1:]}.")
    sentences.append("Ask it before you guess, and cite what it tells you.")
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
    "cursor",
    "windsurf",
    "cline",
    "opencode",
    "goose",
    "gemini",
    "jetbrains",
    "visual studio code",
    "=roo",
    "=roo code",
    "=zed",
    "=continue",
)
"""Those whose model's API takes only letters, digits, `_` and `-` in a tool's name."""

COUNTING_TOOLS = ("cursor", "windsurf", "antigravity")
"""Those that take only so many tools from all servers together, and leave the others out or refuse the server."""

READING_VALUES = ("claude code", "codex", "copilot", "visual studio code", "code oss", "vscodium")
"""Those that hand the model an answer's value in place of its text, or both of them."""

IN_A_WORD = frozenset(string.ascii_lowercase + string.digits)


def is_known_client(client: str | None, known: tuple[str, ...]) -> bool:
    """Whether words of the client's name begin like a known name; one with `=` before it is the whole name."""
    words = "".join(each if each in IN_A_WORD else " " for each in (client or "").casefold()).split()
    name = f" {' '.join(words)}"
    return any(f" {each}" in name if each[0] != "=" else f" {each[1:]}" == name for each in known)


def spell_tool_name(name: str, *, mode: str, client: str | None) -> str:
    """A tool's name as this client is shown it, in the mode `auto`, `literal` or `safe`."""
    if mode == "safe" or (mode == "auto" and is_known_client(client, REFUSING_NAMES)):
        return make_safe_name(name)
    return name


def declare_extensions(panels: Sequence[Panel]) -> dict[str, Any]:
    """What a server with these panels declares."""
    return {EXTENSION: {"mimeTypes": [PANEL_MIME_TYPE]}} if panels else {}


def shows_panels(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client says that it shows pages of our kind."""
    shown = _member(_member(capabilities.get("extensions"), EXTENSION), "mimeTypes")
    return isinstance(shown, list) and PANEL_MIME_TYPE in shown


def _member(value: Any, name: str) -> Any:
    """A member of what may be no object at all."""
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None


class ToolProfile(NamedTuple):
    """The choice for a server: its mode, and the names of the tools that the lean list has; none: every tool."""

    mode: str = FULL
    front: frozenset[str] = frozenset()

    def listed(self, tools: Sequence[Tool], client: str | None) -> Sequence[Tool]:
        """The tools that this client is shown."""
        is_lean = self.mode == LEAN or (self.mode == AUTO and is_known_client(client, COUNTING_TOOLS))
        return [tool for tool in tools if tool.name in self.front] if is_lean and self.front else tools


def choose_profile(mode: str, toolsets: Iterable[Toolset], *, are_chosen: bool) -> ToolProfile:
    """The profile over these toolsets: the front has every tool of the guide, and what the others put there.

    Without the guide there is no front door, and nothing is left out. Nor is it by itself where the person has chosen
    the toolsets: they want those.
    """
    served = tuple(toolsets)
    shown = [tool.name for each in served for tool in each.tools if each.name == THE_DOOR or tool.name in each.front]
    has_door = any(each.name == THE_DOOR for each in served)
    return ToolProfile(FULL if mode == AUTO and are_chosen else mode, frozenset(shown if has_door else ()))
