"""How to connect each client to a server at a URL: what to type, or what to put where.

A setting with a token in it goes where it is not committed: into the person's own settings, or into the client's own
store of secrets.
"""

import json
from typing import Any, NamedTuple

VSCODE_INPUT = "fieldguide-token"
OPEN_TO_ALL = (
    "No token is asked for: every user and every program of this machine can use this server, read this project "
    "through it and write what its tools write. Without --no-token they can't."
)
ON_A_SOCKET = (
    "No token is asked for: the socket can be opened by its owner alone (0600). MCP is at /mcp, for example:\n"
    "    curl --unix-socket {path} http://localhost/healthz\n"
    "Ctrl-C ends."
)


class Instruction(NamedTuple):
    """One client, where its setting goes, and the setting itself."""

    client: str
    where: str
    text: str


def instructions(url: str, token: str | None) -> list[Instruction]:
    """The clients that most people use."""
    if token is None:
        return _open_to_all(url)
    shown = {"Authorization": f"Bearer {token}"}
    asked = {"Authorization": f"Bearer ${{input:{VSCODE_INPUT}}}"}
    prompt = {"type": "promptString", "id": VSCODE_INPUT, "description": "Fieldguide's token", "password": True}
    served = {"fieldguide": {"type": "http", "url": url, "headers": asked}}
    return [
        Instruction(
            "Claude Code",
            "In a terminal:",
            f'claude mcp add --transport http fieldguide {url} --header "Authorization: Bearer {token}"',
        ),
        Instruction(
            "Cursor", "In ~/.cursor/mcp.json:", _json({"mcpServers": {"fieldguide": {"url": url, "headers": shown}}})
        ),
        Instruction(
            "VS Code",
            f"In .vscode/mcp.json; it asks once for the token, {token}, and keeps it:",
            _json({"inputs": [prompt], "servers": served}),
        ),
        Instruction(
            "Codex",
            "In ~/.codex/config.toml:",
            f'[mcp_servers.fieldguide]\nurl = "{url}"\nhttp_headers = {{ "Authorization" = "Bearer {token}" }}',
        ),
    ]


def as_text(url: str, *, token: str | None, link: str | None) -> str:
    """The instructions for a terminal."""
    if url.startswith("unix:"):
        return f"Serving on {url}\n\n{ON_A_SOCKET.format(path=url.removeprefix('unix:'))}"
    parts = [f"Connect a client to {url}"]
    if link is None:
        parts += [f"A page for people is at {url.removesuffix('mcp')} and Ctrl-C ends.", OPEN_TO_ALL]
    else:
        parts.append(f"A page for people opens once by this link, and Ctrl-C ends:\n    {link}")
    for each in instructions(url, token):
        indented = "\n".join(f"    {line}" for line in each.text.splitlines())
        parts.append(f"{each.client}. {each.where}\n{indented}")
    return "\n\n".join(parts)


def _open_to_all(url: str) -> list[Instruction]:
    return [
        Instruction("Claude Code", "In a terminal:", f"claude mcp add --transport http fieldguide {url}"),
        Instruction("Cursor", "In .cursor/mcp.json:", _json({"mcpServers": {"fieldguide": {"url": url}}})),
        Instruction(
            "VS Code", "In .vscode/mcp.json:", _json({"servers": {"fieldguide": {"type": "http", "url": url}}})
        ),
        Instruction("Codex", "In ~/.codex/config.toml:", f'[mcp_servers.fieldguide]\nurl = "{url}"'),
    ]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2)
