"""The clients that need something of their own, by the name in their `clientInfo`: the one place that lists them.

A client that is not known gets everything as it is specified. Where each fact comes from is in the decisions 0004, 0037
and 0038.
"""

import string

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


def is_one_of(client: str | None, known: tuple[str, ...]) -> bool:
    """Whether words of the client's name begin like a known name; one with `=` before it is the whole name."""
    words = "".join(each if each in IN_A_WORD else " " for each in (client or "").casefold()).split()
    name = f" {' '.join(words)}"
    return any(f" {each}" in name if each[0] != "=" else f" {each[1:]}" == name for each in known)
