"""The five directive tools as a client sees them in `tools/list`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients import connected
from tests.proves import proves
from tests.raw_client import RawClient

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tools.json").read_text(encoding="utf-8"))
DIRECTIVE = {tool["name"]: tool for tool in GOLDEN if tool["toolset"] == "directive"}


def listed(client: RawClient) -> dict[str, Any]:
    return {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}


@proves("S4-1", "S0-1", "S0-13", "D-1", "S0-6")
def test_exactly_five_tools_are_listed_in_order_of_their_names(project):
    with RawClient(project.root, "--toolsets", "directive") as client:
        client.initialize()

        result = client.request("tools/list")["result"]

    names = [tool["name"] for tool in result["tools"]]
    assert names == sorted(DIRECTIVE)
    assert len(names) == 5
    assert set(result) == {"tools"}


@proves("S4-2", "S4-4", "S4-5", "S4-6", "S4-7", "S4-8", "S4-9", "S4-10")
@pytest.mark.parametrize("name", sorted(DIRECTIVE))
def test_every_descriptor_is_literal(project, name):
    with RawClient(project.root, "--toolsets", "directive") as client:
        client.initialize()

        tool = listed(client)[name]

    assert {key: tool[key] for key in ("name", "title", "description", "inputSchema")} == {
        key: value for key, value in DIRECTIVE[name].items() if key != "toolset"
    }
    assert list(tool) == ["name", "title", "description", "inputSchema", "annotations"]
    assert tool["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }


@proves("S4-3", "S0-23")
def test_two_lists_are_the_same_to_the_byte(project):
    with RawClient(project.root) as client:
        client.initialize()
        project.write("directive/new.md", "appeared in between")

        client.send({"jsonrpc": "2.0", "id": "same", "method": "tools/list"})
        first = client.receive_line()
        client.send({"jsonrpc": "2.0", "id": "same", "method": "tools/list"})
        second = client.receive_line()

    assert first == second


@proves("S4-29")
def test_a_description_says_what_each_bundle_is_for(project):
    with RawClient(project.root) as client:
        client.initialize()

        tools = listed(client)

    purposes = {
        "directive/spec.template": "drafting a new Spec",
        "directive/impact.template": "drafting an Impact analysis",
        "directive/tdr.template": "drafting a Technical Design Review",
        "directive/files.list": "List all files",
        "directive/file.get": "by path",
    }
    for name, purpose in purposes.items():
        assert purpose in tools[name]["description"]
    assert len({tool["description"] for tool in tools.values()}) == len(tools)


@proves("S4-25", "S4-28", "S0-5", "S0-8")
def test_initialize_declares_tools_that_never_change_beside_resources_and_prompts(project):
    with RawClient(project.root, "--toolsets", "directive") as client:
        capabilities = client.initialize()["capabilities"]
        listed_resources = client.request("resources/list")["result"]
        listed_prompts = client.request("prompts/list")["result"]

    assert capabilities["tools"] == {}
    assert {"resources", "prompts"} <= set(capabilities)
    assert listed_resources == {"resources": []}
    assert listed_prompts == {"prompts": []}


@proves("S0-7")
@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_each_listed_tool_can_be_called(project, mode):
    project.add_directive()
    arguments = {"directive/file.get": {"path": "directive/agent_context.md"}}

    async with connected(project.root, "--toolsets", "directive", mode=mode) as client:
        tools = (await client.list_tools()).tools
        results = [await client.call_tool(tool.name, arguments.get(tool.name, {})) for tool in tools]

    assert len(results) == 5
    assert not any(result.is_error for result in results)


def test_the_instructions_name_what_is_served_and_nothing_else(project):
    with RawClient(project.root, "--toolsets", "directive") as client:
        alone = client.initialize()["instructions"]
    with RawClient(project.root) as client:
        both = client.initialize()["instructions"]

    assert "way of working" in alone
    assert "tasks" not in alone
    assert "way of working" in both
    assert "each user's tasks" in both
