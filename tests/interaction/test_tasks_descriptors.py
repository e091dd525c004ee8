"""The five task tools as a client sees them in `tools/list`."""

import json
from pathlib import Path

import jsonschema_rs
import pytest

from tests.proves import proves
from tests.raw_client import RawClient

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tools.json").read_text(encoding="utf-8"))
TASKS = {tool["name"]: tool for tool in GOLDEN if tool["toolset"] == "tasks"}
FIVE = ["add_task", "complete_task", "delete_task", "list_tasks", "update_task"]
USER = {"type": "string", "description": "The authenticated user's ID"}
HINTS = {
    "add_task": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False},
    "list_tasks": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
    "complete_task": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    "delete_task": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
    "update_task": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True},
}


def listed(root, *flags):
    with RawClient(root, *flags) as client:
        client.initialize()
        return {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}


def all_five(root, *flags):
    tools = listed(root, "--toolsets", "tasks", *flags)
    assert list(tools) == FIVE
    return tools


@proves("S1-1")
def test_exactly_five_tools_are_listed(project):
    assert list(listed(project.root, "--toolsets", "tasks")) == FIVE
    assert sorted(TASKS) == FIVE


@proves("S1-9", "S1-11", "S1-12", "S1-13", "S1-20", "S1-22", "S1-23", "S1-28", "S1-29")
@proves("S1-35", "S1-36", "S1-41", "S1-42", "S1-43", "S1-44", "S1-45")
@pytest.mark.parametrize("flags", [("--toolsets", "tasks"), ()], ids=["alone", "with every toolset"])
def test_every_descriptor_is_the_specified_one_to_the_byte(project, flags):
    tools = listed(project.root, *flags)

    for name, golden in TASKS.items():
        shown = {key: tools[name][key] for key in ("name", "description", "inputSchema")}
        specified = {key: golden[key] for key in ("name", "description", "inputSchema")}
        assert json.dumps(shown) == json.dumps(specified)
        assert list(tools[name]) == ["name", "title", "description", "inputSchema", "annotations"]
        assert tools[name]["annotations"] == {**HINTS[name], "openWorldHint": False}


@proves("S1-4", "S1-10", "S1-21")
def test_every_tool_requires_the_user(project):
    for tool in all_five(project.root).values():
        assert tool["inputSchema"]["properties"]["user_id"] == USER
        assert tool["inputSchema"]["required"][0] == "user_id"


def test_every_schema_is_valid_json_schema(project):
    for tool in all_five(project.root).values():
        jsonschema_rs.meta.validate(tool["inputSchema"])
        assert jsonschema_rs.is_valid(tool["inputSchema"], {"user_id": "a", "title": "b", "task_id": 1})
        assert not jsonschema_rs.is_valid(tool["inputSchema"], {})


def test_a_server_that_only_reads_offers_the_list_alone(project):
    assert list(listed(project.root, "--toolsets", "tasks", "--read-only")) == ["list_tasks"]


def test_a_bound_user_is_not_asked_for(project):
    free = listed(project.root, "--toolsets", "tasks")

    for name, tool in all_five(project.root, "--user", "ann").items():
        schema = free[name]["inputSchema"]
        properties = {key: value for key, value in schema["properties"].items() if key != "user_id"}
        assert tool["inputSchema"] == {"type": "object", "properties": properties, "required": schema["required"][1:]}
        assert {**tool, "inputSchema": schema} == free[name]
