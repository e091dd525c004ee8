"""The TypeScript SDK's client, the strict one, against our real server, over both transports."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.interop.clients import (
    CONTEXT_ARGUMENTS,
    CONTEXT_TEXT,
    CONTEXT_VALUE,
    DIRECTIVE_TOOLS,
    MISSING_PATH,
    ONLY_DIRECTIVE,
    TRANSPORTS,
    run_node,
)
from tests.projects import Project
from tests.proves import proves
from tests.servers import AUTHORIZATION, environment, http_server, stdio_command

CLIENT = Path(__file__).parent / "client.mjs"

pytestmark = pytest.mark.parametrize("transport", TRANSPORTS)


def ask(
    project: Project, transport: str, *requests: dict[str, Any], with_test_toolsets: bool = False
) -> dict[str, Any]:
    """What the client made of the answers to these requests."""
    flags = () if with_test_toolsets else ONLY_DIRECTIVE
    over_http = http_server(project.root, *flags, with_test_toolsets=with_test_toolsets)
    with over_http if transport == "http" else nullcontext() as url:
        command, *arguments = stdio_command(project.root, *flags, with_test_toolsets=with_test_toolsets)
        started = {"command": command, "args": arguments, "env": environment()}
        server = {"url": url, "headers": AUTHORIZATION} if url else started
        done = run_node(CLIENT, json.dumps(server), json.dumps(requests), home=project.root.parent / "home")
    assert done.returncode == 0, done.stderr
    answered: dict[str, Any] = json.loads(done.stdout)
    return answered


@proves("S4-1", "S4-2", "S4-4", "S4-5", "S4-6", "S4-7", "S4-8", "S4-9", "S4-10", "S4-12", "S4-20", "U4-8")
def test_the_typescript_client_lists_tools_reads_a_file_and_is_told_what_is_missing(project, transport):
    project.add_directive()
    call = {"do": "call", "name": "directive/file.get"}
    calls = ({**call, "arguments": CONTEXT_ARGUMENTS}, {**call, "arguments": {}})

    answered = ask(project, transport, {"do": "list"}, {"do": "list"}, *calls, {"do": "ping"})

    assert answered["about"]["server"]["name"] == "fieldguide"
    assert answered["about"]["capabilities"]["tools"] == {}
    read = {"content": [{"type": "text", "text": CONTEXT_TEXT}], "structuredContent": CONTEXT_VALUE}
    refused = {"content": [{"type": "text", "text": MISSING_PATH}], "isError": True}
    assert [each["result"] for each in answered["answers"]] == [DIRECTIVE_TOOLS, DIRECTIVE_TOOLS, read, refused, {}]
