"""The MCP Inspector's command line against our real server, over both transports and in both eras."""

import json
from contextlib import nullcontext
from typing import Any

import pytest

from tests.interop.clients import (
    CONTEXT_ARGUMENTS,
    CONTEXT_TEXT,
    CONTEXT_VALUE,
    DIRECTIVE_TOOLS,
    MISSING_PATH,
    ONLY_DIRECTIVE,
    PACKAGES,
    TRANSPORTS,
    run_node,
)
from tests.projects import Project
from tests.proves import proves
from tests.servers import AUTHORIZATION, http_server, stdio_command

INSPECTOR = PACKAGES / "inspector" / "clients" / "launcher" / "build" / "index.js"
TOOL_SAID_NO = 5

EACH_ONCE = pytest.mark.parametrize(("transport", "era"), [("stdio", "legacy"), ("http", "modern")])


def inspect(project: Project, transport: str, era: str, *flags: str) -> tuple[int, dict[str, Any]]:
    """The exit code of the Inspector, and the result that it shows."""
    serving = http_server(project.root, *ONLY_DIRECTIVE) if transport == "http" else nullcontext("")
    with serving as url:
        entry = {"type": "streamable-http", "url": url, "headers": AUTHORIZATION} if url else _started(project)
        config = project.root.parent / "inspector.json"
        config.write_text(json.dumps({"mcpServers": {"fieldguide": entry}}), encoding="utf-8")
        target = ("--config", str(config), "--server", "fieldguide", "--protocol-era", era)
        home = project.root.parent / "home"
        done = run_node(INSPECTOR, "--cli", *target, "--format", "json", "--quiet", *flags, home=home)
    assert done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)["result"]
    return done.returncode, result


def _started(project: Project) -> dict[str, Any]:
    command, *arguments = stdio_command(project.root, *ONLY_DIRECTIVE)
    return {"command": command, "args": arguments}


@proves("S4-1", "S4-2")
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_the_directive_tools_and_finds_no_fault_in_their_schemas(project, transport, era):
    project.add_directive()

    code, result = inspect(project, transport, era, "--method", "tools/list", "--strict")

    assert (code, result["tools"]) == (0, DIRECTIVE_TOOLS)


@proves("S4-12", "S4-20")
@EACH_ONCE
def test_the_inspector_reads_a_file_and_shows_that_the_path_is_missing(project, transport, era):
    project.add_directive()
    call = ("--method", "tools/call", "--tool-name", "directive/file.get", "--tool-args-json")

    code, result = inspect(project, transport, era, *call, json.dumps(CONTEXT_ARGUMENTS))
    refused, error = inspect(project, transport, era, *call, "{}")

    assert (code, result["content"]) == (0, [{"type": "text", "text": CONTEXT_TEXT}])
    assert result["structuredContent"] == CONTEXT_VALUE
    assert ("_meta" in result) == (era == "modern")
    assert (refused, error["isError"]) == (TOOL_SAID_NO, True)
    assert error["content"] == [{"type": "text", "text": MISSING_PATH}]
