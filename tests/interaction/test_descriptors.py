"""Every specified tool as a client sees it in `tools/list`, held beside the golden file."""

import hashlib
import json
from pathlib import Path

import jsonschema_rs
import pytest

from fieldguide import __version__
from fieldguide.toolsets.architecture import tools as constants
from tests.architecture_projects import HttpClient, write_architecture
from tests.clients import connected
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import http_server

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "tools.json").read_text(encoding="utf-8"))
TOOLSETS = {
    name: {tool["name"]: tool for tool in GOLDEN if tool["toolset"] == name}
    for name in ("architecture", "context", "directive", "documents", "tasks")
}
ARCHITECTURE = sorted(TOOLSETS["architecture"])
COUNTS = {"architecture": 3, "context": 3, "directive": 5, "documents": 8, "tasks": 5}
KEYS = ("name", "description", "inputSchema")
READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
WRITES = {
    "add_task": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False, "openWorldHint": False},
    "complete_task": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False},
    "delete_task": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False},
    "update_task": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False},
}
USER = {"type": "string", "description": "The authenticated user's ID"}
NOT_OFFERED = {"write_file", "run_command", "refactor_code", "generate_test", "explain_code"}
PURPOSES = {
    "directive/spec.template": "drafting a new Spec",
    "directive/impact.template": "drafting an Impact analysis",
    "directive/tdr.template": "drafting a Technical Design Review",
    "directive/files.list": "List all files",
    "directive/file.get": "by path",
}
# What a version promised, and those after it up to the next line: other schemas need a new version and a new line.
SCHEMAS_SINCE = {"0.1.0": "bef5fb98"}


def listed(root, *flags):
    with RawClient(root, *flags).ready() as client:
        return {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}


def numbers(version):
    return [int(part) for part in version.split(".")]


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return listed(tmp_path_factory.mktemp("every"))


@proves("S0-1", "S0-2", "S0-6", "S0-13", "S1-1", "S2-1", "S2-63", "S3-1", "S3-73", "S4-1", "D-1")
@pytest.mark.parametrize("toolset", TOOLSETS)
def test_a_toolset_alone_has_exactly_its_tools_in_order_of_their_names(project, everything, toolset):
    tools = listed(project.root, "--toolsets", toolset)

    assert list(tools) == sorted(TOOLSETS[toolset])
    assert len(tools) == COUNTS[toolset]
    assert tools == {name: everything[name] for name in tools}


@proves(
    "S0-2", "S0-26", "S0-27", "S0-28", "S0-29", "S0-37", "S0-38", "S0-39", "S0-40", "S0-41", "S0-47", "S0-48", "S0-80"
)
@proves("S0-49", "U0-17", "S1-4", "S1-9", "S1-10", "S1-11", "S1-12", "S1-13", "S1-20", "S1-21", "S1-22", "S1-23")
@proves("S1-28", "S1-29", "S1-35", "S1-36", "S1-41", "S1-42", "S1-43", "S1-44", "S1-45", "S2-2", "S2-10", "S2-11")
@proves("S2-12", "S2-13", "S2-21", "S2-22", "S2-29", "S2-30", "S2-38", "S2-39", "S2-40", "S2-46", "S2-47", "S2-48")
@proves("U2-1", "S3-2", "S3-3", "S3-8", "S3-9", "S3-10", "S3-11", "S3-24", "S3-25", "S3-26", "S3-41", "S3-42")
@proves("S3-43", "S3-44", "S4-2", "S4-4", "S4-5", "S4-6", "S4-7", "S4-8", "S4-9", "S4-10")
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden["name"])
def test_every_descriptor_is_the_specified_one_to_the_byte(everything, golden):
    tool = everything[golden["name"]]

    assert json.dumps({key: tool[key] for key in KEYS}) == json.dumps({key: golden[key] for key in KEYS})
    assert tool["title"] == golden.get("title", tool["title"])
    assert list(tool) == ["name", "title", "description", "inputSchema", "annotations"]
    assert tool["annotations"] == WRITES.get(golden["name"], READS)
    jsonschema_rs.meta.validate(tool["inputSchema"])
    assert golden["toolset"] != "architecture" or '"default"' not in json.dumps(tool)
    if golden["toolset"] == "tasks":
        assert tool["inputSchema"]["properties"]["user_id"] == USER
        assert tool["inputSchema"]["required"][0] == "user_id"


@proves("S0-7", "S0-2", "S4-1", "S0-80", "S0-81")
@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_the_official_client_can_call_each_tool_that_only_reads(project, mode):
    write_architecture(project)
    project.add_directive()
    arguments = {
        "directive/file.get": {"path": "directive/agent_context.md"},
        "validate-against-pattern": {"code": "import sqlite3", "pattern_name": "repository-pattern"},
        "search-architecture": {"query": "repository"},
        "check-adr-alignment": {"decision_description": "Keep orders in PostgreSQL"},
    }
    async with connected(project.root, "--toolsets", "architecture,directive", mode=mode) as client:
        tools = (await client.list_tools()).tools
        results = [await client.call_tool(tool.name, arguments.get(tool.name, {})) for tool in tools]

    assert len(results) == 8
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
    assert not any(result.is_error for result in results)


@proves("S4-3", "S0-23")
def test_two_lists_are_the_same_to_the_byte_and_over_http_too(project, everything):
    with RawClient(project.root).ready() as client:
        project.write("directive/new.md", "appeared in between")

        client.send({"jsonrpc": "2.0", "id": "same", "method": "tools/list"})
        first = client.receive_line()
        client.send({"jsonrpc": "2.0", "id": "same", "method": "tools/list"})
        second = client.receive_line()
    with http_server(project.root) as url:
        over_http = HttpClient(url).request("tools/list")["result"]["tools"]

    assert first == second
    assert over_http == list(everything.values())


@proves("S4-29")
def test_a_description_says_what_each_bundle_is_for(everything):
    for name, purpose in PURPOSES.items():
        assert purpose in everything[name]["description"]
    assert len({tool["description"] for tool in everything.values()}) == len(everything)


@proves("S4-25", "S4-28", "S0-5", "S0-8")
def test_initialize_declares_tools_that_never_change_beside_resources_and_prompts(project):
    with RawClient(project.root, "--toolsets", "directive") as client:
        told = client.initialize()
        listed_resources = client.request("resources/list")["result"]
        listed_prompts = client.request("prompts/list")["result"]
    with RawClient(project.root) as client:
        of_all = client.initialize()["instructions"]

    assert told["capabilities"]["tools"] == {}
    assert {"resources", "prompts"} <= set(told["capabilities"])
    assert listed_resources == {"resources": []}
    assert listed_prompts == {"prompts": []}
    assert "way of working" in told["instructions"]
    assert "tasks" not in told["instructions"]
    assert "way of working" in of_all
    assert "each user's tasks" in of_all


@proves("S0-79", "S0-74")
def test_schemas_keep_what_their_version_promised_and_hold_the_specified_limits(project, everything):
    with RawClient(project.root) as client:
        version = client.initialize()["serverInfo"]["version"]
    schemas = {name: everything[name]["inputSchema"] for name in ARCHITECTURE}
    digest = hashlib.sha256(json.dumps(schemas, sort_keys=True).encode()).hexdigest()[:8]
    newest = max((each for each in SCHEMAS_SINCE if numbers(each) <= numbers(version)), key=numbers)
    fields = {name: schema["properties"] for name, schema in schemas.items()}

    assert version == __version__
    assert digest == SCHEMAS_SINCE[newest]
    assert fields["validate-against-pattern"]["code"]["maxLength"] == constants.MAX_CODE_LENGTH == 50_000
    assert fields["search-architecture"]["query"]["maxLength"] == constants.MAX_QUERY_LENGTH == 500
    assert fields["search-architecture"]["max_results"]["maximum"] == constants.MAX_SEARCH_RESULTS == 20
    described = fields["check-adr-alignment"]["decision_description"]
    assert described["maxLength"] == constants.MAX_DESCRIPTION_LENGTH == 5_000


@proves("S3-73")
def test_no_toolset_offers_what_the_specification_leaves_for_later(everything):
    assert NOT_OFFERED.isdisjoint(everything)
