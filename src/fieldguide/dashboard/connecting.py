"""How to connect each client to a server at a URL: what to type, or what to put where."""

import json
from typing import Any, NamedTuple


class Instruction(NamedTuple):
    """One client, where its setting goes, and the setting itself."""

    client: str
    where: str
    text: str


def instructions(url: str) -> list[Instruction]:
    """The clients that most people use."""
    return [
        Instruction("Claude Code", "In a terminal:", f"claude mcp add --transport http fieldguide {url}"),
        Instruction("Cursor", "In .cursor/mcp.json:", _json({"mcpServers": {"fieldguide": {"url": url}}})),
        Instruction(
            "VS Code", "In .vscode/mcp.json:", _json({"servers": {"fieldguide": {"type": "http", "url": url}}})
        ),
        Instruction("Codex", "In ~/.codex/config.toml:", f'[mcp_servers.fieldguide]\nurl = "{url}"'),
    ]


def as_text(url: str) -> str:
    """The instructions for a terminal."""
    parts = [f"Connect a client to {url}", f"A page for people is at {url.removesuffix('mcp')} and Ctrl-C ends."]
    for each in instructions(url):
        indented = "\n".join(f"    {line}" for line in each.text.splitlines())
        parts.append(f"{each.client}. {each.where}\n{indented}")
    return "\n\n".join(parts)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)
