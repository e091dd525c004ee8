"""The commands below headings, for the help of the program itself."""

from collections.abc import Mapping

GROUPS = {
    "begin": ("init", "install", "uninstall"),
    "ask": ("brief", "find", "open", "governs", "trace", "search", "prove"),
    "serve": ("serve", "tools", "call", "status", "index"),
    "serve a team": ("token", "projects", "audit"),
    "write down": ("remember", "learn", "discoveries", "tasks"),
    "describe the project": ("directive", "documents", "patterns", "check", "stale", "show"),
    "keep": ("models", "backup", "restore", "migrate-to", "trust", "state", "doctor", "completion"),
}
OTHERS = "more"


def grouped(commands: Mapping[str, str]) -> str:
    """Every command with its line; one that no group names stands in the last."""
    named = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, OTHERS: tuple(name for name in commands if name not in named)}
    width = max(map(len, commands)) + 1
    listed = {
        title: [f"  {name:<{width}}{commands[name]}" for name in names if name in commands]
        for title, names in groups.items()
    }
    return "\n\n".join("\n".join([f"{title}:", *lines]) for title, lines in listed.items() if lines)
