"""What `install` writes beside the entry of a server: permission, hooks, a section of facts, a sub-agent.

An entry alone gives a model no reason to call the server. The formats are those that the clients document, and that
their own programs were seen to read (`make clients`); a format that could not be confirmed is left out.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple, cast

from fieldguide.cli.clients.catalog import NAME, EntryRequest, McpClient
from fieldguide.cli.clients.settings_files import AGENT, HOOKS, PERMISSION, SECTION
from fieldguide.text import regex as re

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

    def make(self, client: str, hook: str, words: Sequence[str]) -> tuple[tuple[str, ...], Any]:
        """The list that a hook is appended to, and the item."""
        event, matcher = self.events[hook]
        command = f"{shlex.join([*words, 'hook', hook, '--client', client])} || true"  # exit code 2 blocks a prompt
        chosen = {"matcher": matcher} if matcher else {}
        if self.shape is HookShape.FLAT:
            return ("hooks", event), {**chosen, "command": command, "timeout": HOOK_SECONDS}
        if self.shape is HookShape.BASH:
            return ("hooks", event), {"type": "command", **chosen, "bash": command, "timeoutSec": HOOK_SECONDS}
        timeout = HOOK_SECONDS * (1000 if self.shape is HookShape.NESTED_MILLISECONDS else 1)
        started = {"type": "command", "command": command, "timeout": timeout}
        return ("hooks", event), {**chosen, "hooks": [started]}


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


class Addition(NamedTuple):
    """One file of a client and what it gets.

    `items` are appended to lists of a JSON file, each at its path; `text` is all of a file that is ours; with neither,
    the file gets the section. `begins` is what a file that is not there yet has beside the items.
    """

    part: str
    file: str
    items: tuple[tuple[tuple[str, ...], Any], ...] = ()
    text: str = ""
    begins: str = ""
    remark: str = ""


SECTION_FILES: Mapping[str, str] = {
    "claude-code": "{claude_folder}/CLAUDE.md",
    "codex": "{codex}/AGENTS.md",
    "gemini": "{home}/.gemini/GEMINI.md",
    "opencode": "{xdg}/opencode/AGENTS.md",
    "copilot": "{copilot}/copilot-instructions.md",
}


def list_additions(client: McpClient, wish: EntryRequest) -> list[Addition]:
    """Everything that a client can be given beside its entry, in the person's own files."""
    additions = _permissions(client.key, wish.name)
    if client.key in SECTION_FILES:
        additions.append(Addition(SECTION, SECTION_FILES[client.key]))
    hooks = HOOK_FORMATS.get(client.key)
    chosen = [each for each in wish.hooks if hooks is not None and each in hooks.events]
    if hooks is not None and chosen:
        items = tuple(hooks.make(client.key, each, wish.words) for each in chosen)
        additions.append(Addition(HOOKS, hooks.file, items=items, begins=hooks.begins, remark=hooks.remark))
    elif client.key == "opencode":
        additions.append(Addition(HOOKS, "{xdg}/opencode/plugin/fieldguide.js", text=_opencode_plugin(wish)))
    if client.key == "claude-code":
        additions.append(Addition(AGENT, "{claude_folder}/agents/fieldguide.md", text=make_claude_agent(wish.name)))
    return additions


def _permissions(client: str, name: str) -> list[Addition]:
    """Leave to call the tools that only read; what writes is still asked for."""
    if client == "claude-code":
        rules = [f"mcp__{name}__{tool}" for tool in READING_TOOLS]
        items = tuple((("permissions", "allow"), rule) for rule in rules)
        return [Addition(PERMISSION, "{claude_folder}/settings.json", items=items)]
    if client == "crush":
        items = tuple((("permissions", "allowed_tools"), f"mcp_{name}_{tool}") for tool in READING_TOOLS)
        return [Addition(PERMISSION, "{xdg}/crush/crush.json", items=items)]
    if client == "gemini":  # https://geminicli.com/docs/reference/policy-engine
        rule = f"""# {OURS}
[[rule]]
mcpName = {json.dumps(name)}
toolName = {json.dumps(READING_TOOLS)}
decision = "allow"
priority = 100
"""
        return [Addition(PERMISSION, "{home}/.gemini/policies/fieldguide.toml", text=rule)]
    return []  # Codex and opencode call a tool that says it only reads without asking


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


def make_paste(addition: Addition, wish: EntryRequest) -> str:
    """What to paste into a file that is empty."""
    if addition.part == SECTION:
        return make_section(wish.shell)
    if addition.text:
        return addition.text.rstrip("\n")
    whole: dict[str, Any] = json.loads(addition.begins or "{}")
    for path, item in addition.items:
        find_list(whole, path).append(item)
    return json.dumps(whole, indent=2, ensure_ascii=False)


def find_list(value: Any, path: Sequence[str]) -> list[Any]:
    """The list at a path of a parsed file, which is made where it is missing."""
    for key in path[:-1]:
        value = value.setdefault(key, {})
    return cast("list[Any]", value.setdefault(path[-1], []))


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


def as_items(value: Any) -> list[tuple[tuple[str, ...], Any]]:
    """The items of a change, also as a record keeps them."""
    pairs = cast("Sequence[tuple[Sequence[str], Any]]", value)
    return [(tuple(path), item) for path, item in pairs]
