"""The three context tools as a client sees them in `tools/list`."""

import json
from pathlib import Path

import pytest

from tests.clients import connected
from tests.proves import proves
from tests.raw_client import RawClient

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tools.json").read_text(encoding="utf-8"))
CONTEXT = {tool["name"]: tool for tool in GOLDEN if tool["toolset"] == "context"}
THREE = ["context_search", "grep_codebase", "read_file"]
NOT_OFFERED = {"write_file", "run_command", "refactor_code", "generate_test", "explain_code"}


def listed(root, *flags):
    with RawClient(root, *flags) as client:
        client.initialize()
        return {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}


@proves("S3-1", "S3-73")
@pytest.mark.anyio
async def test_the_official_client_sees_exactly_three_tools_that_change_nothing(project):
    async with connected(project.root, "--toolsets", "context") as client:
        tools = (await client.list_tools()).tools

    assert [tool.name for tool in tools] == THREE
    assert list(CONTEXT) == ["context_search", "read_file", "grep_codebase"]
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)


@proves("S3-2", "S3-3", "S3-8", "S3-9", "S3-10", "S3-11", "S3-24", "S3-25", "S3-26")
@proves("S3-41", "S3-42", "S3-43", "S3-44")
@pytest.mark.parametrize("flags", [("--toolsets", "context"), ()], ids=["alone", "with every toolset"])
def test_every_descriptor_is_the_specified_one_to_the_byte(project, flags):
    tools = listed(project.root, *flags)

    for name, golden in CONTEXT.items():
        shown = {key: tools[name][key] for key in ("name", "description", "inputSchema")}
        assert json.dumps(shown) == json.dumps({key: golden[key] for key in ("name", "description", "inputSchema")})


@proves("S3-73")
def test_no_toolset_offers_what_the_specification_leaves_for_later(project):
    assert NOT_OFFERED.isdisjoint(listed(project.root))
