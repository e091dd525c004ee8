"""Panels on the wire: offered to clients that show them, in both eras and over both wires, and to nobody else."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.extension import advertise

from tests.architecture_projects import write_architecture
from tests.clients import http_client
from tests.panels import BOARD, EXTENSION, MIME_TYPE, PANEL_OF, PICTURE, SHOWS_PANELS
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import environment, http_server, stdio_command

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
DECIDING = {"decision_description": "Keep orders in MongoDB instead of PostgreSQL"}
SHOWN = advertise(EXTENSION, {"mimeTypes": [MIME_TYPE]})
NOT_OURS: list[Any] = [
    {},
    {"extensions": {}},
    {"extensions": {EXTENSION: {}}},
    {"extensions": {EXTENSION: {"mimeTypes": ["text/uri-list"]}}},
    {"extensions": {EXTENSION: {"mimeTypes": MIME_TYPE}}},
    {"extensions": [EXTENSION]},
    {"extensions": {EXTENSION: [MIME_TYPE]}},
]

SCHEMAS = (
    Path(__file__).parents[1] / "interop/node_modules/@modelcontextprotocol/ext-apps/dist/src/generated/schema.json"
)
ONLY = ("--toolsets", "architecture,tasks", "--user", "ann")


def official(name: str) -> Any:
    """A check of the official package's own schema."""
    schema = json.loads(SCHEMAS.read_text(encoding="utf-8"))["$defs"][name]
    return jsonschema_rs.validator_for({**schema, "additionalProperties": False})


def as_json(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


class Offered(NamedTuple):
    """What a client was told of panels: by the tools, by the list of resources, by the server's capabilities."""

    tools: dict[str, Any]
    resources: dict[str, str]
    declared: Any


async def offered(client: Client) -> Offered:
    tools = {tool.name: as_json(tool).get("_meta") for tool in (await client.list_tools()).tools}
    resources = {str(each.uri): as_json(each)["mimeType"] for each in (await client.list_resources()).resources}
    return Offered(
        {name: meta for name, meta in tools.items() if meta is not None},
        {uri: kind for uri, kind in resources.items() if uri.startswith("ui:")},
        as_json(client.server_capabilities)["extensions"],
    )


DECLARED = {EXTENSION: {"mimeTypes": [MIME_TYPE]}}
EVERYTHING = Offered(
    {name: {"ui": {"resourceUri": uri}} for name, uri in PANEL_OF.items()},
    {BOARD: MIME_TYPE, PICTURE: MIME_TYPE},
    DECLARED,
)
NOTHING = Offered({}, {}, DECLARED)


@proves("Z-80", "Z-81", "Z-82", "Z-84")
@pytest.mark.anyio
async def test_over_http_only_the_official_client_that_shows_panels_is_offered_them(project):
    write_architecture(project)

    with http_server(project.root, *ONLY) as url:
        for mode in ("legacy", "auto"):
            async with http_client(url, mode=mode, extensions=[SHOWN]) as client:
                assert await offered(client) == EVERYTHING
                page = as_json(await client.read_resource(BOARD))["contents"][0]
                drawn = as_json(await client.call_tool("check-adr-alignment", DECIDING))["_meta"]
            async with http_client(url, mode=mode) as client:
                assert await offered(client) == NOTHING
                plain = as_json(await client.call_tool("check-adr-alignment", DECIDING))

            assert (page["mimeType"], page["_meta"]["ui"]["prefersBorder"]) == (MIME_TYPE, True)
            assert page["_meta"]["ui"]["csp"] == {"connectDomains": [], "resourceDomains": []}
            assert [each["label"] for each in drawn["fieldguide/decisions"]["records"]] == ["001", "002", "003"]
            assert "fieldguide/decisions" not in plain.get("_meta", {})


@proves("Z-80", "Z-81", "Z-82")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.anyio
async def test_over_stdio_only_the_official_client_that_shows_panels_is_offered_them(project, mode):
    command, *arguments = stdio_command(project.root, *ONLY)
    server = StdioServerParameters(command=command, args=arguments, env=environment())

    async with Client(server, mode=mode, extensions=[SHOWN]) as shows, Client(server, mode=mode) as hides:
        assert await offered(shows) == EVERYTHING
        assert await offered(hides) == NOTHING


@proves("Z-81", "Z-84")
def test_whoever_shows_something_else_gets_the_same_bytes_as_who_shows_nothing(project):
    write_architecture(project)
    lists: list[bytes] = []
    answers: list[bytes] = []

    with RawClient(project.root, *ONLY) as client:
        for capabilities in NOT_OURS:
            client.request("initialize", protocolVersion="2025-11-25", capabilities=capabilities, clientInfo={})
            lists += asked(client, "tools/list"), asked(client, "resources/list")
            answers.append(asked(client, "tools/call", name="check-adr-alignment", arguments=DECIDING))
        client.request("initialize", protocolVersion="2025-11-25", capabilities=SHOWS_PANELS, clientInfo={})
        shown = json.loads(asked(client, "tools/list"))["result"]["tools"]
        drawn = json.loads(asked(client, "tools/call", name="check-adr-alignment", arguments=DECIDING))["result"]

    assert (len(set(lists)), len(set(answers))) == (2, 1)
    plain = json.loads(lists[0])["result"]["tools"]
    assert [{key: value for key, value in tool.items() if key != "_meta"} for tool in shown] == plain
    del drawn["_meta"]
    assert drawn == json.loads(answers[0])["result"]


def asked(client: RawClient, method: str, **params: Any) -> bytes:
    """The line that answers a request; always under the same id."""
    client.send({"jsonrpc": "2.0", "id": 0, "method": method, "params": params})
    return client.receive_line()


@proves("Z-81")
def test_in_the_new_era_each_request_says_for_itself_whether_it_is_shown(project):
    with RawClient(project.root) as client:
        shows, hides, again = (
            client.request("tools/list", _meta={**MODERN, CAPABILITIES: capabilities})["result"]["tools"]
            for capabilities in (SHOWS_PANELS, {}, SHOWS_PANELS)
        )

    assert {tool["name"] for tool in shows if "_meta" in tool} == {*PANEL_OF}
    assert all(official("McpUiToolMeta").is_valid(tool["_meta"]["ui"]) for tool in shows if "_meta" in tool)
    assert not [tool["name"] for tool in hides if "_meta" in tool]
    assert again == shows


@proves("Z-80", "Z-82")
def test_without_a_toolset_that_has_a_panel_nothing_is_declared_and_nothing_found(project):
    with RawClient(project.root, "--toolsets", "directive") as client:
        handshake = {"protocolVersion": "2025-11-25", "capabilities": SHOWS_PANELS, "clientInfo": {}}
        declared = client.request("initialize", **handshake)["result"]["capabilities"]
        read = client.request("resources/read", uri=BOARD)

    assert "extensions" not in declared
    assert read["error"]["message"] == "Invalid resource URI"


@proves("Z-82")
def test_an_address_that_no_panel_has_is_not_found(project):
    with RawClient(project.root).ready() as client:
        error = client.request("resources/read", uri="ui://fieldguide/../tasks")["error"]

    assert (error["code"], error["message"]) == (-32002, "Resource not found")


@proves("Z-82", "Z-89")
@pytest.mark.parametrize("uri", [BOARD, PICTURE])
def test_a_panel_is_one_page_that_names_no_address(project, uri):
    with RawClient(project.root, *ONLY, "--read-only").ready() as client:
        [contents] = client.request("resources/read", uri=uri)["result"]["contents"]

    assert official("McpUiResourceMeta").is_valid(contents["_meta"]["ui"])
    page = contents["text"]
    assert page.startswith("<!DOCTYPE html>")
    assert set(re.findall(r"https?://[^\s\"'`]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\(|\bsrc=|\bhref=|\.innerHTML|insertAdjacentHTML|document\.write|eval\(", page)
    [served] = re.findall(r'id="served">(.*?)</script>', page)
    assert served in ('["list_tasks"]', '["search-architecture", "check-adr-alignment"]')


READS = """
import sys
import os
def tell(event, args):
    if event == "open" and ("pages/panel_files" in str(args[0]) or "pages/panels" in str(args[0])):
        os.write(2, f"opened {args[0]}\\n".encode())
sys.addaudithook(tell)
from fieldguide.cli.main import main
main()
"""


@proves("Z-83")
def test_nothing_of_a_page_is_read_before_it_is_asked_for(project):
    handshake = {"protocolVersion": "2025-11-25", "capabilities": SHOWS_PANELS, "clientInfo": {}}
    listing = [("initialize", handshake), ("tools/list", {}), ("resources/list", {})]
    reading = ("resources/read", {"uri": BOARD})

    assert pages_opened(project, listing) == set()
    assert pages_opened(project, [*listing, reading]) >= {"frame.html", "look.css", "host.js", "board.js"}


def pages_opened(project: Project, requests: list[tuple[str, dict[str, Any]]]) -> set[str]:
    """The files of panels that a server opened while it answered."""
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(requests)
    ]
    with subprocess.Popen(
        [sys.executable, "-c", READS, "serve", "--project", str(project.root), "--toolsets", "tasks"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(f"{line}\n" for line in lines))
        server.stdin.flush()
        for _ in lines:  # a call that runs when the input ends has a second left
            assert server.stdout.readline()
        _, told = server.communicate(timeout=60)
    return {line.rpartition("/")[2] for line in told.splitlines() if line.startswith("opened ")}


@proves("Z-84")
def test_the_ties_between_decisions_come_with_the_answer(project):
    project.write(
        "docs/adr/0001-use-moss.md", "---\nstatus: superseded by 2\n---\n# Use moss\n\n## Decision\n\nMoss.\n"
    )
    project.write("docs/adr/0002-use-fern.md", "---\nstatus: accepted\n---\n# Use fern\n\n## Decision\n\nFern.\n")
    project.write(
        "docs/adr/0003-cut-fern.md",
        "---\nstatus: proposed\ndate: 2026-02-03\n---\n# Cut fern\n\nAmends ADR 2.\n\n## Decision\n\nCut it.\n",
    )
    with RawClient(project.root, *ONLY) as client:
        client.request("initialize", protocolVersion="2025-11-25", capabilities=SHOWS_PANELS, clientInfo={})
        found = client.call("search-architecture", query="fern", resource_type="adr")

    moss, fern, cut = found["_meta"]["fieldguide/decisions"]["records"]
    assert (moss["title"], moss["standing"]) == ("Use moss", "retired")
    assert (fern["supersedes"], fern["standing"]) == ([moss["uri"]], "in force")
    assert (cut["amends"], cut["standing"], cut["date"]) == ([fern["uri"]], "proposed", "2026-02-03")
    assert {each["uri"] for each in found["structuredContent"]["results"]} >= {fern["uri"], cut["uri"]}
