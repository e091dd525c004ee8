"""After `fieldguide install`, with an empty home, real agents say themselves that the server is connected."""

import json
import subprocess
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.agents.desks import Desk
from tests.servers import FIELDGUIDE

ASKED_OF_CODEX = (
    {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "title": "Test", "version": "0"}}},
    {"method": "initialized"},
    {"id": 2, "method": "mcpServerStatus/list", "params": {}},
)


@pytest.fixture
def desk(tmp_path) -> Desk:
    return Desk(tmp_path)


def test_all_are_found_and_connected(desk):
    written = desk.install("--only", "entry")

    assert [line for line in written.splitlines() if line.startswith("written")] == [
        "written  ~/.claude.json",
        "written  ~/.codex/config.toml",
        "written  ~/.gemini/settings.json",
        "written  ~/.config/opencode/opencode.json",
        "written  ~/.copilot/mcp-config.json",
    ]
    assert f"fieldguide: {FIELDGUIDE} serve" in (claude := desk.run("claude", "mcp", "list"))
    assert "✔ Connected" in claude
    assert "✓ fieldguide" in (gemini := desk.run("gemini", "mcp", "list"))
    assert "Connected" in gemini
    assert "connected" in desk.run("opencode", "mcp", "list")
    assert names_in_codex(desk) == ["fieldguide"]


def test_codex_starts_the_server_and_sees_tools_with_names_that_it_takes(desk):
    desk.install("--client", "codex")

    (server,) = status_in_codex(desk)["data"]

    assert (server["name"], server["serverInfo"]["name"]) == ("fieldguide", "fieldguide")
    assert {"guide_search", "guide_brief"} <= set(server["tools"])


def test_a_projects_own_files_wait_for_trust(desk):
    desk.install("--scope", "project", "--client", "claude-code", "--client", "codex", "--client", "gemini")

    assert "Pending approval" in desk.run("claude", "mcp", "list")
    assert "Connected" in desk.run("gemini", "mcp", "list")
    assert names_in_codex(desk) == []
    trust = f'[projects."{desk.project}"]\ntrust_level = "trusted"\n'
    (desk.home / ".codex").mkdir(exist_ok=True)
    (desk.home / ".codex" / "config.toml").write_text(trust)
    assert names_in_codex(desk) == ["fieldguide"]


def test_what_agents_write_themselves_survives_uninstalling(desk):
    desk.install()
    desk.run("claude", "mcp", "add", "--scope", "user", "other", "--", "other-server", "--flag")
    desk.run("codex", "mcp", "add", "other", "--", "other-server")
    desk.run("gemini", "mcp", "add", "--scope", "user", "other", "other-server")

    desk.run(FIELDGUIDE, "install", "--remove", "--yes")

    claude = json.loads((desk.home / ".claude.json").read_text())
    gemini = json.loads((desk.home / ".gemini" / "settings.json").read_text())
    codex = tomllib.loads((desk.home / ".codex" / "config.toml").read_text())
    assert [*claude["mcpServers"]] == [*gemini["mcpServers"]] == [*codex["mcp_servers"]] == ["other"]


def names_in_codex(desk: Desk) -> list[str]:
    """The servers that Codex lists as enabled."""
    listed, _ = json.JSONDecoder().raw_decode(desk.run("codex", "mcp", "list", "--json"))
    return [each["name"] for each in listed if each["enabled"]]


def status_in_codex(desk: Desk) -> Any:
    """What Codex's own app server knows of its MCP servers, which it starts for that."""
    process = subprocess.Popen(
        ["codex", "app-server"], cwd=desk.project, env=desk.environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    with process, process.stdin, process.stdout:
        process.stdin.write("".join(f"{json.dumps(each)}\n" for each in ASKED_OF_CODEX))
        process.stdin.flush()
        answer = next(each for each in _messages(process.stdout) if each.get("id") == 2)
        process.terminate()
    return answer["result"]


def _messages(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        yield json.loads(line)
