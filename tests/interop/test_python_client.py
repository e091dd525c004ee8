"""The official Python client against our real server: over both transports, with and without a handshake."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from typing import Any

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import PromptReference

from tests.clients import http_client
from tests.interop.clients import (
    CONTEXT_ARGUMENTS,
    CONTEXT_TEXT,
    CONTEXT_VALUE,
    DIRECTIVE_TOOLS,
    MISSING_PATH,
    ONLY_DIRECTIVE,
    TRANSPORTS,
)
from tests.projects import Project
from tests.proves import proves
from tests.servers import environment, http_server, stdio_command

VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("transport", TRANSPORTS),
    pytest.mark.parametrize("mode", VERSIONS),
]


@asynccontextmanager
async def connected(
    project: Project, transport: str, *, with_test_toolsets: bool = False, **settings: Any
) -> AsyncIterator[Client]:
    """A client over this transport; its `mode` is among the settings."""
    flags = () if with_test_toolsets else ONLY_DIRECTIVE
    with ExitStack() as serving:
        if transport == "http":
            url = serving.enter_context(http_server(project.root, *flags, with_test_toolsets=with_test_toolsets))
            client = http_client(url, **settings)
        else:
            command, *arguments = stdio_command(project.root, *flags, with_test_toolsets=with_test_toolsets)
            client = Client(StdioServerParameters(command=command, args=arguments, env=environment()), **settings)
        async with client:
            yield client


def as_json(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


@proves("S4-1", "S4-2", "S4-3", "S0-7", "S4-20", "S4-19")
async def test_the_python_client_lists_and_calls_the_directive_tools(project, transport, mode):
    project.add_directive()

    async with connected(project, transport, mode=mode) as client:
        listed = await client.list_tools()
        read = await client.call_tool("directive/file.get", CONTEXT_ARGUMENTS)
        refused = await client.call_tool("directive/file.get", {})
        unknown = await client.call_tool("directive/nothing", {})
        with pytest.raises(MCPError, match="Tool not found: nothing") as raised:
            await client.call_tool("nothing", {})
        with pytest.warns(MCPDeprecationWarning):
            pinging = client.send_ping()
        if mode == "legacy":
            assert as_json(await pinging) == {}
        else:
            with pytest.raises(MCPError, match="ping"):
                await pinging

        assert client.protocol_version == VERSIONS[mode]
        assert as_json(client.server_info)["name"] == "fieldguide"
    assert [as_json(tool) for tool in listed.tools] == DIRECTIVE_TOOLS
    assert [as_json(block) for block in read.content] == [{"type": "text", "text": CONTEXT_TEXT}]
    assert (read.structured_content, read.is_error) == (CONTEXT_VALUE, False)
    assert (refused.is_error, as_json(refused.content[0])["text"]) == (True, MISSING_PATH)
    assert (unknown.is_error, as_json(unknown.content[0])["text"]) == (True, "Tool not found: directive/nothing")
    assert raised.value.error.code == (-32001 if mode == "legacy" else -32602)


@proves("S0-8")
async def test_the_python_client_finds_resources_and_prompts_beside_the_tools(project, transport, mode):
    async with connected(project, transport, mode=mode, with_test_toolsets=True) as client:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        templates = await client.list_resource_templates()
        read = await client.read_resource("note://007")
        prompts = await client.list_prompts()
        prompt = await client.get_prompt("greet", {"name": "Ada"})
        completed = await client.complete(PromptReference(name="greet"), {"name": "name", "value": "a"})
        with pytest.raises(MCPError, match="Resource not found") as raised:
            await client.read_resource("note://nothing")

    assert raised.value.error.code == (-32002 if mode == "legacy" else -32602)
    assert raised.value.error.data == {"uri": "note://nothing"}
    notes = [as_json(each) for each in (*first.resources, *second.resources) if str(each.uri).startswith("note:")]
    assert (len(first.resources), len(notes)) == (100, 150)
    assert notes[0] == {"uri": "note://000", "name": "Note 0", "mimeType": "text/plain"}
    assert {"uriTemplate": "note://{name}", "name": "A note"} in map(as_json, templates.resource_templates)
    assert [as_json(each) for each in read.contents] == [
        {"uri": "note://007", "mimeType": "text/plain", "text": "This is note://007"}
    ]
    blank = {"name": "name", "description": "Whom to greet", "required": True}
    assert {"name": "greet", "description": "Greets", "arguments": [blank]} in map(as_json, prompts.prompts)
    assert as_json(prompt.messages[0]) == {"role": "user", "content": {"type": "text", "text": "Hello Ada"}}
    assert completed.completion.values == ["ada", "alan"]
