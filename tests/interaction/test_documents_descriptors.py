"""The eight document tools as a client sees them in `tools/list`."""

import json
from pathlib import Path

import pytest

from tests.clients import connected
from tests.proves import proves
from tests.raw_client import RawClient

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tools.json").read_text(encoding="utf-8"))
DOCUMENTS = {tool["name"]: tool for tool in GOLDEN if tool["toolset"] == "documents"}
EIGHT = [
    "documents_find_related",
    "documents_get_document",
    "documents_get_outline",
    "documents_get_section",
    "documents_list_collections",
    "documents_list_documents",
    "documents_search",
    "documents_search_batch",
]
HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def listed(root, *flags):
    with RawClient(root, *flags) as client:
        client.initialize()
        return {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}


@proves("S2-1", "S2-63")
@pytest.mark.anyio
async def test_the_official_client_sees_exactly_eight_tools(project):
    async with connected(project.root, "--toolsets", "documents") as client:
        tools = (await client.list_tools()).tools

    assert [tool.name for tool in tools] == EIGHT
    assert sorted(DOCUMENTS) == EIGHT


@proves("S2-2", "S2-10", "S2-11", "S2-12", "S2-13", "S2-21", "S2-22", "S2-29", "S2-30")
@proves("S2-38", "S2-39", "S2-40", "S2-46", "S2-47", "S2-48", "U2-1")
@pytest.mark.parametrize("flags", [("--toolsets", "documents"), ()], ids=["alone", "with every toolset"])
def test_every_descriptor_is_the_specified_one_to_the_byte(project, flags):
    tools = listed(project.root, *flags)

    for name, golden in DOCUMENTS.items():
        shown = {key: tools[name][key] for key in ("name", "description", "inputSchema")}
        specified = {key: golden[key] for key in ("name", "description", "inputSchema")}
        assert json.dumps(shown) == json.dumps(specified)
        assert tools[name]["annotations"] == HINTS


def test_a_server_that_only_reads_offers_all_eight(project):
    assert list(listed(project.root, "--toolsets", "documents", "--read-only")) == EIGHT
