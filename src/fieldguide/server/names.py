"""The spelling of tool names that a client is shown.

The APIs behind the big clients take only letters, digits, `_` and `-` in a tool's name, and one other name breaks every
request of such a client, not just ours. `tools/call` takes both spellings from everybody.
"""

import string

from fieldguide.spine.registry import safe_name

REFUSING_CLIENTS = (
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
)
REFUSING_NAMES = ("visual studio code", "roo", "roo code", "zed", "continue")
IN_A_WORD = frozenset(string.ascii_lowercase + string.digits)


def shown_name(name: str, *, mode: str, client: str | None) -> str:
    """A tool's name as this client is shown it, in the mode `auto`, `literal` or `safe`."""
    if mode == "safe" or (mode == "auto" and _refuses(client or "")):
        return safe_name(name)
    return name


def _refuses(client: str) -> bool:
    """Whether one of the client's words begins like a known client's name, or the whole is one of the short names."""
    words = "".join(each if each in IN_A_WORD else " " for each in client.casefold()).split()
    return " ".join(words) in REFUSING_NAMES or any(word.startswith(REFUSING_CLIENTS) for word in words)
