"""The parts that `install` writes for a client: the entry of a server, permission, hooks, facts, a sub-agent.

An entry alone gives a model no reason to call the server. The formats are those that the clients document, and that
their own programs were seen to read (`make clients`); a format that could not be confirmed is left out.
"""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any, NamedTuple

from fieldguide.cli.clients import editing
from fieldguide.cli.clients.catalog import NAME, PROJECT, USER, EntryRequest, Machine, McpClient, make_entry
from fieldguide.cli.clients.settings_files import (
    AGENT,
    ENTRY,
    HOOKS,
    PERMISSION,
    SECTION,
    SettingsFile,
    decode_text,
)
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal

PROMPT = "prompt"
SESSION = "session"
BEFORE_EDIT = "before-edit"
AFTER_EDIT = "after-edit"
BEFORE_SEARCH = "before-search"
ALL_HOOKS = (PROMPT, SESSION, BEFORE_EDIT, AFTER_EDIT, BEFORE_SEARCH)
USUAL_HOOKS = ALL_HOOKS[:4]  # a process for each search of a shell is a cost that a person should choose
HOOK_SECONDS = 10

READING_TOOLS = ("guide_brief", "guide_search", "guide_open", "guide_governs", "guide_symbol", "guide_flow")
BEGIN = "<!-- fieldguide:begin -->"
END = "<!-- fieldguide:end -->"
OURS = "Written by `fieldguide install`; `fieldguide install --remove` takes it away."
OUR_COMMAND = re.compile(r"fieldguide['\"\\]* hook (?:prompt|session|before-edit|after-edit|before-search) --client ")


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


VERSIONED = '{\n  "version": 1\n}\n'


class HookShape(Enum):
    """How a client writes a hook down."""

    NESTED = "a matcher with a list of commands, seconds"
    NESTED_MILLISECONDS = "the same, with milliseconds"
    FLAT = "a command with its matcher, seconds"
    BASH = "a command of a named shell, seconds"


class HookFormat(NamedTuple):
    """Where a client reads hooks, and for each hook of ours its event and the tools that it is for.

    `begins` is what a new file has beside the hooks. A hook whose event could not tell the model anything is left out.
    """

    file: str
    shape: HookShape
    events: Mapping[str, tuple[str, str]]
    begins: str = ""
    remark: str = ""

    def make(self, client: str, hook: str, words: Sequence[str]) -> list[Any]:
        """The path of the list that a hook is put into, and the item."""
        event, matcher = self.events[hook]
        command = f"{shlex.join([*words, 'hook', hook, '--client', client])} || true"  # exit code 2 blocks a prompt
        chosen = {"matcher": matcher} if matcher else {}
        if self.shape is HookShape.FLAT:
            return [["hooks", event], {**chosen, "command": command, "timeout": HOOK_SECONDS}]
        if self.shape is HookShape.BASH:
            return [["hooks", event], {"type": "command", **chosen, "bash": command, "timeoutSec": HOOK_SECONDS}]
        timeout = HOOK_SECONDS * (1000 if self.shape is HookShape.NESTED_MILLISECONDS else 1)
        started = {"type": "command", "command": command, "timeout": timeout}
        return [["hooks", event], {**chosen, "hooks": [started]}]


HOOK_FORMATS: Mapping[str, HookFormat] = {
    # https://code.claude.com/docs/en/hooks, seen with 2.1.326
    "claude-code": HookFormat(
        "{claude_folder}/settings.json",
        HookShape.NESTED,
        {
            PROMPT: ("UserPromptSubmit", ""),
            SESSION: ("SessionStart", "startup|clear"),
            BEFORE_EDIT: ("PreToolUse", "Edit|Write|NotebookEdit"),
            AFTER_EDIT: ("PostToolUse", "Edit|Write|NotebookEdit"),
            BEFORE_SEARCH: ("PreToolUse", "Grep|Bash"),
        },
    ),
    # https://developers.openai.com/codex/hooks, seen with 0.169
    "codex": HookFormat(
        "{codex}/hooks.json",
        HookShape.NESTED,
        {
            PROMPT: ("UserPromptSubmit", ""),
            SESSION: ("SessionStart", "startup|clear"),
            BEFORE_EDIT: ("PreToolUse", "apply_patch"),
            AFTER_EDIT: ("PostToolUse", "apply_patch"),
            BEFORE_SEARCH: ("PreToolUse", "Bash"),
        },
        remark="Codex runs them once you have looked at them and trust them: it asks, and /hooks lists them.",
    ),
    # https://geminicli.com/docs/hooks/reference, seen with 0.61: before a tool, a hook can't tell the model anything.
    "gemini": HookFormat(
        "{home}/.gemini/settings.json",
        HookShape.NESTED_MILLISECONDS,
        {
            PROMPT: ("BeforeAgent", ""),
            SESSION: ("SessionStart", ""),
            AFTER_EDIT: ("AfterTool", "write_file|replace"),
        },
    ),
    # https://cursor.com/docs/hooks: what a hook says before a prompt or a tool does not reach the model.
    "cursor": HookFormat(
        "{home}/.cursor/hooks.json",
        HookShape.FLAT,
        {SESSION: ("sessionStart", ""), AFTER_EDIT: ("postToolUse", "Write")},
        begins=VERSIONED,
    ),
    # https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md
    "crush": HookFormat(
        "{xdg}/crush/crush.json",
        HookShape.FLAT,
        {
            BEFORE_EDIT: ("PreToolUse", "^(edit|multiedit|write)$"),
            BEFORE_SEARCH: ("PreToolUse", "^(bash|grep)$"),
        },
    ),
    # https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference, seen with 1.0.102
    "copilot": HookFormat(
        "{copilot}/hooks/fieldguide.json",
        HookShape.BASH,
        {
            PROMPT: ("userPromptSubmitted", ""),
            SESSION: ("sessionStart", ""),
            BEFORE_EDIT: ("preToolUse", "edit|create"),
            AFTER_EDIT: ("postToolUse", "edit|create"),
            BEFORE_SEARCH: ("preToolUse", "grep|bash"),
        },
        begins=VERSIONED,
    ),
}
OPENCODE_HOOKS = (PROMPT, SESSION, AFTER_EDIT)


class Part(NamedTuple):
    """One thing of ours in one file.

    The value of an entry is its object, at a path; that of a section, and of a file that is wholly ours, its text; that
    of anything else a list of items, each with the path of the JSON list that it is in. `begins` is what a file that is
    not there yet has beside it.
    """

    kind: str
    name: str
    title: str
    client: str
    place: SettingsFile
    value: Any
    path: tuple[str, ...] = ()
    begins: str = ""
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
        remarks = tuple(filter(None, [client.remark, in_project, _find_elsewhere(machine, client, wish)]))
        value = make_entry(client, wish)
        parts.append(Part(ENTRY, wish.name, client.title, key, place, value, client.path, remarks=remarks))
    if wish.scope == PROJECT:
        return parts

    def add(kind: str, file: str, value: Any, begins: str = "", remark: str = "") -> None:
        remarks = (remark,) if remark else ()
        place = machine.own_file(file)
        parts.append(Part(kind, kind, client.title, key, place, value, begins=begins, remarks=remarks))

    if key in PERMISSIONS:
        file, make_permission = PERMISSIONS[key]
        add(PERMISSION, file, make_permission(wish.name))
    if key in SECTION_FILES:
        add(SECTION, SECTION_FILES[key], make_section(wish.shell))
    hooks = HOOK_FORMATS.get(key)
    chosen = [each for each in wish.hooks if hooks is not None and each in hooks.events]
    if hooks is not None and chosen:
        items = [hooks.make(key, each, wish.words) for each in chosen]
        add(HOOKS, hooks.file, items, hooks.begins, hooks.remark)
    if key == "opencode":
        add(HOOKS, "{xdg}/opencode/plugin/fieldguide.js", _opencode_plugin(wish))
    if key == "claude-code":
        add(AGENT, "{claude_folder}/agents/fieldguide.md", make_claude_agent(wish.name))
    return parts


def _find_elsewhere(machine: Machine, client: McpClient, wish: EntryRequest) -> str:
    """A remark where the client has such an entry in its other file too."""
    place = machine.place(client, USER if wish.scope == PROJECT else PROJECT)
    if place is None:
        return ""
    with suppress(Refusal):
        text = decode_text(place.read())
        if wish.name in editing.read_entries(text, client.path, is_toml=place.path.endswith(".toml")):
            return f"{place.shown} has a {wish.name!r} of its own, beside this one."
    return ""


def _list_permissions(path: Sequence[str], prefix: str) -> list[Any]:
    return [[[*path], f"{prefix}{tool}"] for tool in READING_TOOLS]


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
PERMISSIONS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "claude-code": (
        "{claude_folder}/settings.json",
        lambda name: _list_permissions(("permissions", "allow"), f"mcp__{name}__"),
    ),
    "crush": (
        "{xdg}/crush/crush.json",
        lambda name: _list_permissions(("permissions", "allowed_tools"), f"mcp_{name}_"),
    ),
    "gemini": ("{home}/.gemini/policies/fieldguide.toml", _write_gemini_policy),
}


def make_claude_agent(name: str, remark: str = OURS) -> str:
    """A sub-agent that only reads: its answer costs the caller a few lines in place of all that it looked at."""
    tools = ", ".join(["Read", *(f"mcp__{name}__{tool}" for tool in READING_TOOLS)])
    return f"""---
name: fieldguide
description: Finds where something is in this project, what governs it and what uses it. Answers with cited lines.
tools: {tools}
---

<!-- {remark} -->
`guide_search` answers a question, `guide_brief` gives the places of a task, `guide_symbol` the uses of a name,
`guide_governs` what applies to a file. The answer is a short list of places with their lines, each with its reason.
"""


def _opencode_plugin(wish: EntryRequest) -> str:
    """A plugin in place of hooks, which opencode does not have (https://opencode.ai/docs/plugins, seen with 1.18)."""
    chosen = [each for each in wish.hooks if each in OPENCODE_HOOKS]
    return OPENCODE_PLUGIN.format(
        ours=OURS, program=json.dumps(wish.words), hooks=json.dumps(chosen), milliseconds=HOOK_SECONDS * 1000
    )


OPENCODE_PLUGIN = """\
// {ours}
import {{ spawn }} from "node:child_process"

const program = {program}
const hooks = {hooks}
const greeted = new Set()

function ask(hook, given) {{
  return new Promise((resolve) => {{
    if (!hooks.includes(hook)) return resolve("")
    const words = [...program.slice(1), "hook", hook, "--client", "opencode"]
    const child = spawn(program[0], words, {{ stdio: ["pipe", "pipe", "ignore"], timeout: {milliseconds} }})
    let said = ""
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {{}})
    child.stdout.on("data", (part) => (said += part))
    child.on("close", () => {{
      try {{
        resolve(JSON.parse(said).additionalContext ?? "")
      }} catch {{
        resolve("")
      }}
    }})
    child.stdin.end(JSON.stringify(given))
  }})
}}

export const Fieldguide = async ({{ directory }}) => ({{
  "chat.message": async (input, output) => {{
    const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
    if (!typed.length) return
    const given = {{ session_id: input.sessionID, cwd: directory, prompt: typed.map((part) => part.text).join("\\n") }}
    const told = []
    if (!greeted.has(input.sessionID)) told.push(await ask("session", given))
    greeted.add(input.sessionID)
    told.push(await ask("prompt", given))
    const text = told.filter(Boolean).join("\\n")
    const last = typed[typed.length - 1]
    if (text) output.parts.push({{ ...last, id: last.id + "f", text, synthetic: true }})
  }},
  "tool.execute.after": async (input, output) => {{
    if (!["edit", "write"].includes(input.tool)) return
    const edit = {{ tool_name: input.tool, tool_input: {{ file_path: input.args?.filePath }} }}
    const told = await ask("after-edit", {{ session_id: input.sessionID, cwd: directory, ...edit }})
    if (told) output.output += "\\n" + told
  }},
}})
"""


def make_paste(part: Part) -> str:
    """What to paste into a file that is empty."""
    if part.kind == ENTRY:
        return editing.make_snippet(part.path, part.name, part.value, is_toml=part.is_toml)
    if isinstance(part.value, str):
        return part.value.rstrip("\n")
    whole: dict[str, Any] = json.loads(part.begins or "{}")
    for (*path, key), item in part.value:
        inner = whole
        for each in path:
            inner = inner.setdefault(each, {})
        inner.setdefault(key, []).append(item)
    return json.dumps(whole, indent=2, ensure_ascii=False)


def is_ours(part: str, item: Any) -> bool:
    """Whether an item of a client's list is one that we write."""
    if part == PERMISSION:
        return isinstance(item, str) and item.startswith((f"mcp__{NAME}__guide_", f"mcp_{NAME}_guide_"))
    return OUR_COMMAND.search(json.dumps(item)) is not None


def find_hooks(text: str) -> list[str]:
    """Which of our hooks a text has: items of a client's lists as JSON, or our plugin."""
    for line in text.splitlines():
        if line.startswith("const hooks = "):
            return [each for each in ALL_HOOKS if json.dumps(each) in line]
    return [each for each in ALL_HOOKS if f" hook {each} --client " in text]
