"""The three architecture tools as a client sees them in `tools/list`, and the version that their schemas belong to."""

import hashlib
import json
from pathlib import Path

import pytest

from fieldguide import __version__
from fieldguide.toolsets.architecture import tools as constants
from tests.architecture_projects import FLAGS, HttpClient, served, served_over_http, write_architecture
from tests.clients import connected, payload
from tests.proves import proves
from tests.raw_client import RawClient

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tools.json").read_text(encoding="utf-8"))
ARCHITECTURE = {tool["name"]: tool for tool in GOLDEN if tool["toolset"] == "architecture"}
THREE = ["check-adr-alignment", "search-architecture", "validate-against-pattern"]
KEYS = ("name", "description", "inputSchema")
# What a version promised, and those after it up to the next line: other schemas need a new version and a new line.
SCHEMAS_SINCE = {"0.1.0": "bef5fb98"}


def described(tools):
    return {tool["name"]: {key: tool[key] for key in KEYS} for tool in tools}


def digest(tools):
    schemas = {name: tools[name]["inputSchema"] for name in THREE}
    return hashlib.sha256(json.dumps(schemas, sort_keys=True).encode()).hexdigest()[:8]


def promised(version):
    """The digest of the newest line that is not newer than a version."""
    ordered = sorted(SCHEMAS_SINCE, key=numbers)
    return SCHEMAS_SINCE[[each for each in ordered if numbers(each) <= numbers(version)][-1]]


def numbers(version):
    return [int(part) for part in version.split(".")]


@proves("S0-2", "S0-7")
@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_lists_three_tools_and_calls_each(project, mode):
    write_architecture(project)
    async with connected(project.root, *FLAGS, mode=mode) as client:
        tools = (await client.list_tools()).tools
        validated = await client.call_tool(
            "validate-against-pattern", {"code": "from sqlite3 import connect", "pattern_name": "repository-pattern"}
        )
        found = await client.call_tool("search-architecture", {"query": "repository"})
        aligned = await client.call_tool("check-adr-alignment", {"decision_description": "Keep orders in PostgreSQL"})

    assert [tool.name for tool in tools] == THREE
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
    assert payload(validated)["compliant"] is False
    assert payload(found)["total_matches"] > 0
    assert payload(aligned)["related_adrs"]


@proves("S0-2", "S0-26", "S0-27", "S0-28", "S0-29")
@proves("S0-37", "S0-38", "S0-39", "S0-40", "S0-41", "S0-47", "S0-48", "S0-49", "U0-17")
@pytest.mark.parametrize("flags", [FLAGS, ()], ids=["alone", "with every toolset"])
def test_every_descriptor_is_the_specified_one_to_the_byte(project, flags):
    with RawClient(project.root, *flags) as client:
        client.initialize()
        tools = described(client.request("tools/list")["result"]["tools"])

    for name, golden in ARCHITECTURE.items():
        assert json.dumps(tools[name]) == json.dumps({key: golden[key] for key in KEYS})


def test_http_tells_the_same_descriptors(project):
    with served_over_http(project) as url:
        tools = described(HttpClient(url).request("tools/list")["result"]["tools"])

    assert tools == described(ARCHITECTURE.values())


@proves("S0-79")
def test_a_schema_does_not_change_while_the_version_stays(project):
    with served(project) as client:
        version = client.initialize()["serverInfo"]["version"]
        tools = described(client.request("tools/list")["result"]["tools"])

    assert version == __version__
    assert digest(tools) == promised(version)


@proves("S0-74")
def test_the_limits_are_the_specified_ones_and_stand_in_the_schemas(project):
    with served(project) as client:
        tools = described(client.request("tools/list")["result"]["tools"])
    fields = {name: tools[name]["inputSchema"]["properties"] for name in THREE}

    assert (constants.MAX_CODE_LENGTH, constants.MAX_QUERY_LENGTH) == (50_000, 500)
    assert (constants.MAX_DESCRIPTION_LENGTH, constants.MAX_SEARCH_RESULTS) == (5_000, 20)
    assert fields["validate-against-pattern"]["code"]["maxLength"] == constants.MAX_CODE_LENGTH
    assert fields["search-architecture"]["query"]["maxLength"] == constants.MAX_QUERY_LENGTH
    assert fields["search-architecture"]["max_results"]["maximum"] == constants.MAX_SEARCH_RESULTS
    assert fields["check-adr-alignment"]["decision_description"]["maxLength"] == constants.MAX_DESCRIPTION_LENGTH


@proves("S0-41")
def test_no_default_is_told_as_json_schema(project):
    with served(project) as client:
        tools = client.request("tools/list")["result"]["tools"]

    assert '"default"' not in json.dumps(tools)
