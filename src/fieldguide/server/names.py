"""The spelling of tool names that a client is shown.

The APIs behind the big clients take only letters, digits, `_` and `-` in a tool's name, and one other name breaks every
request of such a client, not just ours. `tools/call` takes both spellings from everybody.
"""

from fieldguide.spine.registry import safe_name

REFUSING_CLIENTS = (
    "claude",
    "anthropic",
    "codex",
    "openai",
    "chatgpt",
    "copilot",
    "visual studio code",
    "vscode",
    "cursor",
    "windsurf",
    "cline",
    "roo",
    "zed",
    "continue",
    "opencode",
    "goose",
    "gemini",
    "jetbrains",
)


def shown_name(name: str, *, mode: str, client: str | None) -> str:
    """A tool's name as this client is shown it, in the mode `auto`, `literal` or `safe`."""
    if mode == "safe" or (mode == "auto" and _refuses(client or "")):
        return safe_name(name)
    return name


def _refuses(client: str) -> bool:
    folded = client.casefold()
    return any(word in folded for word in REFUSING_CLIENTS)
