"""The parts that `install` writes for a client: the entry of a server, permission, and a section for the model.

An entry alone gives a model no reason to call the server. The formats are those that the clients document; a format
that could not be confirmed is left out.
"""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.cli.clients import editing
from fieldguide.cli.clients.catalog import NAME, PROJECT, EntryRequest, Machine, McpClient, make_entry
from fieldguide.cli.clients.settings_files import ENTRY, PERMISSION, SECTION, SettingsFile

READING_TOOLS = ("guide_brief", "guide_search", "guide_open", "guide_governs", "guide_symbol", "guide_flow")
BEGIN = "<!-- fieldguide:begin -->"
END = "<!-- fieldguide:end -->"
OURS = "Written by `fieldguide install`; `fieldguide install --remove` takes it away."


def make_section(words: Sequence[str]) -> str:
    """The facts for a file that a model always reads: what the server knows, and how a shell asks it."""
    program = shlex.join(words)
    return "\n".join(
        (
            BEGIN,
            "The MCP server `fieldguide` knows code, tests, documents and decisions here.",
            "`guide_brief` answers for a task, `guide_search` for a question, with citations.",
            "The same in a shell, and for sub-agents:",
            f'`{program} brief "task"`, `{program} find "question"`.',
            END,
        )
    )


class Part(NamedTuple):
    """One thing of ours in one file.

    The value of an entry is its object, below `path`; that of a section, and of a file that is wholly ours, its text;
    that of anything else the items of the JSON list at `path`.
    """

    kind: str
    name: str
    title: str
    client: str
    place: SettingsFile
    value: Any
    path: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def is_toml(self) -> bool:
        """Whether its file is TOML."""
        return self.place.path.endswith(".toml")

    @property
    def is_file(self) -> bool:
        """Whether all of its file is ours."""
        return self.kind != SECTION and isinstance(self.value, str)


SECTION_FILES: Mapping[str, str] = {
    "claude-code": "{claude_folder}/CLAUDE.md",
    "codex": "{codex}/AGENTS.md",
    "gemini": "{home}/.gemini/GEMINI.md",
    "opencode": "{xdg}/opencode/AGENTS.md",
    "copilot": "{copilot}/copilot-instructions.md",
}


def list_parts(machine: Machine, client: McpClient, wish: EntryRequest) -> list[Part]:
    """Everything that a client can be given; in a project's files the entry alone: the rest is each person's own."""
    key = client.key
    parts: list[Part] = []
    place = machine.place(client, wish.scope)
    if place is not None:
        in_project = client.project_remark if wish.scope == PROJECT else ""
        remarks = tuple(filter(None, [client.remark, in_project]))
        value = make_entry(client, wish)
        parts.append(Part(ENTRY, wish.name, client.title, key, place, value, client.path, remarks=remarks))
    if wish.scope == PROJECT:
        return parts
    if key in PERMISSIONS:
        file, path, make_permission = PERMISSIONS[key]
        value = make_permission(wish.name)
        parts.append(Part(PERMISSION, PERMISSION, client.title, key, machine.own_file(file), value, path))
    if key in SECTION_FILES:
        place = machine.own_file(SECTION_FILES[key])
        parts.append(Part(SECTION, SECTION, client.title, key, place, make_section(wish.shell)))
    return parts


def _list_claude_permissions(name: str) -> list[str]:
    return [f"mcp__{name}__{tool}" for tool in READING_TOOLS]


def _write_gemini_policy(name: str) -> str:
    """https://geminicli.com/docs/reference/policy-engine"""
    return f"""# {OURS}
[[rule]]
mcpName = {json.dumps(name)}
toolName = {json.dumps(READING_TOOLS)}
decision = "allow"
priority = 100
"""


# Leave to call the tools that only read; what writes is still asked for. Codex and opencode call a tool that says it
# only reads without asking.
PERMISSIONS: Mapping[str, tuple[str, tuple[str, ...], Callable[[str], Any]]] = {
    "claude-code": ("{claude_folder}/settings.json", ("permissions", "allow"), _list_claude_permissions),
    "gemini": ("{home}/.gemini/policies/fieldguide.toml", (), _write_gemini_policy),
}


def make_paste(part: Part) -> str:
    """What to paste into a file that is empty."""
    if part.kind == ENTRY:
        return editing.make_snippet(part.path, part.name, part.value, is_toml=part.is_toml)
    if isinstance(part.value, str):
        return part.value.rstrip("\n")
    above, key = part.path
    return json.dumps({above: {key: part.value}}, indent=2, ensure_ascii=False)


def is_ours(item: Any) -> bool:
    """Whether an item of a client's list of permissions is one that we write."""
    return isinstance(item, str) and item.startswith(f"mcp__{NAME}__guide_")
