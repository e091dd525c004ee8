"""A service of many projects through its front door, on SQLite; `tests/isolation` has one on PostgreSQL."""

import json

import pytest
from mcp.shared.exceptions import MCPError

from tests.clients import payload
from tests.git_projects import GitProject
from tests.hosting.services import Service
from tests.processes import eventually
from tests.projects import Project
from tests.raw_http import INITIALIZE

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A shop of Ann's, a bank of Bob's, a handbook from git for everybody."""
    folder = tmp_path_factory.mktemp("service")
    made = Service(folder, ())
    for name, word in (("shop", "till"), ("bank", "vault")):
        (folder / name).mkdir()
        project = Project(folder / name)
        project.write("docs/guide.md", f"# The {word}\n\nWhoever wants to open the {word} rings first.\n")
        project.write("fieldguide.toml", 'database = "postgresql://evil.example/x"\nuser = "mallory"\n')
        made.run("team", "projects", "add", name, folder / name)
    (folder / "handbook").mkdir()
    handbook = GitProject(folder / "handbook")
    handbook.write("docs/rules.md", "# The rules\n\nNobody runs in the corridor.\n")
    handbook.commit_all("Begin")
    made.run("team", "projects", "add", "handbook", f"file://{handbook.root}")
    made.run("team", "projects", "grant", "ann", "shop", "--write")
    made.run("team", "projects", "grant", "bob", "bank", "--write")
    made.run("team", "projects", "grant", "cid", "shop", "--toolsets", "documents,tasks")
    made.run("team", "projects", "grant", "--everybody", "handbook")
    with made.serving(FIELDGUIDE_LIMIT_PROJECT_FETCH_INTERVAL_SECONDS="3600"):
        yield made


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_each_project_has_its_own_answers_and_tasks(service, mode):
    async with service.client("ann", "shop", mode) as ann, service.client("bob", "bank", mode) as bob:
        await ann.call_tool("add_task", {"title": "Count the till"})
        await bob.call_tool("add_task", {"title": "Lock the vault"})

        hers, his = payload(await ann.call_tool("list_tasks", {})), payload(await bob.call_tool("list_tasks", {}))
        found = await ann.call_tool("guide_search", {"query": "open the vault"})
        own = await bob.call_tool("guide_search", {"query": "open the vault"})

    assert {each["title"] for each in hers} == {"Count the till"}
    assert {each["title"] for each in his} == {"Lock the vault"}
    assert "till" in found.content[0].text
    assert "# The vault" not in found.content[0].text
    assert "# The vault" in own.content[0].text


def test_every_line_of_the_journal_names_its_project(service):
    service.ask("ann", "shop", "tools/list")

    told = [json.loads(line) for line in service.journal.read_text().splitlines() if line.startswith("{")]

    opened_ones = {line["project"]: line for line in told if line["message"] == "Opened"}
    refused = {line["project"]: line["problems"] for line in told if line["message"] == "Not obeyed"}
    assert "shop" in opened_ones
    assert refused["shop"] == [
        "fieldguide.toml sets database, user: ignored, because these come only from a flag, the environment or your "
        "own settings."
    ]
    assert all("project" in line for line in told)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD", "TRACE", "PROPFIND"])
def test_what_is_not_there_and_what_is_not_yours_are_the_same_bytes(service, method):
    for below in ("", "/", "/x", "/../shop", "?a=b", "%00", "/%2e%2e/shop"):
        answers = [service.send("ann", method, f"/mcp/{name}{below}") for name in ("bank", "nowhere", "BANK")]

        assert {_without_date(each) for each in answers} == {_without_date(answers[0])}
        assert answers[0].status == 404


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (json.dumps(INITIALIZE).encode(), {}),
        (b"no json", {}),
        (b"x" * 100_000, {}),
        (b"{}", {"mcp-session-id": "00112233"}),
        (b"{}", {"mcp-protocol-version": "2026-07-28", "Content-Type": ""}),
        (b"{}", {"Accept": "text/html", "Last-Event-ID": "1"}),
        (b"{}", {"Expect": "100-continue", "Connection": "close"}),
    ],
)
def test_neither_bodies_nor_headers_tell_them_apart(service, body, headers):
    yours = service.send("bob", "POST", "/mcp/bank", json.dumps(INITIALIZE).encode())
    session = yours.headers["mcp-session-id"]

    for given in (headers, {**headers, "mcp-session-id": session}):
        answers = [service.send("ann", "POST", f"/mcp/{name}", body, **given) for name in ("bank", "nowhere")]
        assert _without_date(answers[0]) == _without_date(answers[1])
        assert answers[0].status == 404


@pytest.mark.parametrize("path", ["/mcp/shop/", "/mcp/shop/x", "/mcp/shop/mcp", "/mcp", "/mcp/", "/shop"])
def test_below_and_beside_a_project_there_is_nothing_either(service, path):
    assert _without_date(service.send("ann", "GET", path)) == _without_date(service.send("ann", "GET", "/mcp/nowhere"))


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_a_session_of_one_project_is_none_of_another(service, method):
    opened_at = service.ask("bob", "bank", "initialize", INITIALIZE["params"])
    session = {"mcp-session-id": opened_at.headers["mcp-session-id"]}
    unknown = {"mcp-session-id": "0" * len(session["mcp-session-id"])}
    body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).encode() if method == "POST" else b""

    elsewhere = service.send("bob", method, "/mcp/handbook", body, **session)
    nowhere = service.send("bob", method, "/mcp/handbook", body, **unknown)

    assert _without_date(elsewhere) == _without_date(nowhere)
    assert elsewhere.status == 404
    assert service.ask("bob", "bank", "tools/list", **session).status == 200


def test_a_name_is_found_whatever_its_case(service):
    assert service.ask("ann", "SHOP", "initialize", INITIALIZE["params"]).status == 200


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_grant_of_toolsets_shows_only_their_tools_and_changes_nothing(service, mode):
    async with service.client("cid", "shop", mode) as cid:
        names = {tool.name for tool in (await cid.list_tools()).tools}
        hidden, unknown = [await _refused(cid, name) for name in ("guide_search", "guide_nothing")]
        written = await cid.call_tool("add_task", {"title": "Not mine to add"})
        listed = payload(await cid.call_tool("list_tasks", {}))

    assert "documents_search" in names
    assert {name for name in names if name.startswith(("guide", "context", "search_"))} == set()
    assert hidden.replace("guide_search", "") == unknown.replace("guide_nothing", "")
    assert "Access denied" in written.content[0].text
    assert listed == []


def test_a_grant_and_its_end_are_in_force_on_a_running_service(service):
    def status():
        return service.ask("dan", "bank", "initialize", INITIALIZE["params"]).status

    assert status() == 404
    service.run("team", "projects", "grant", "dan", "bank")
    assert eventually(lambda: status() == 200)
    session = service.ask("dan", "bank", "initialize", INITIALIZE["params"]).headers["mcp-session-id"]

    service.run("team", "projects", "revoke", "dan", "bank")

    assert eventually(lambda: status() == 404)
    assert service.ask("dan", "bank", "tools/list", **{"mcp-session-id": session}).status == 404


def test_a_project_comes_and_goes_while_the_service_runs_and_comes_back_empty(service):
    (service.folder / "cafe").mkdir(exist_ok=True)

    def titles():
        answer = service.ask(
            "eve", "cafe", "tools/call", {"name": "list_tasks", "arguments": {}, **_modern()}, **MODERN
        )
        return None if answer.status != 200 else answer.message["result"]["content"][0]["text"]

    def come():
        service.run("team", "projects", "add", "cafe", service.folder / "cafe")
        service.run("team", "projects", "grant", "eve", "cafe", "--write")
        assert eventually(lambda: titles() == "[]")

    come()
    added = {"name": "add_task", "arguments": {"title": "Brew"}, **_modern()}
    service.ask("eve", "cafe", "tools/call", added, **{**MODERN, "Mcp-Name": "add_task"})
    assert "Brew" in titles()

    service.run("team", "projects", "remove", "cafe")

    assert eventually(lambda: titles() is None)
    come()


async def test_a_project_from_git_is_fetched_when_somebody_says_so(service):
    async with service.client("ann", "handbook") as ann:
        first = await ann.call_tool("guide_search", {"query": "corridor"})
        handbook = GitProject.__new__(GitProject)
        handbook.root = service.folder / "handbook"
        handbook.write("docs/swimming.md", "# Swimming\n\nThe pool opens at seven.\n")
        handbook.commit_all("Let them swim")

        service.run("team", "projects", "sync", "handbook")

        assert eventually(lambda: any((service.folder / "state").glob("**/checkout/docs/swimming.md")))
        read = await ann.call_tool("read_file", {"path": "docs/swimming.md"})

    assert "Nobody runs in the corridor" in first.content[0].text
    assert "The pool opens at seven" in read.content[0].text


MODERN = {"mcp-protocol-version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "list_tasks"}


def _modern():
    """What a request of the new era says of its client."""
    about = {"name": "t", "version": "0"}
    prefix = "io.modelcontextprotocol/"
    return {
        "_meta": {
            f"{prefix}protocolVersion": "2026-07-28",
            f"{prefix}clientInfo": about,
            f"{prefix}clientCapabilities": {},
        }
    }


async def _refused(client, tool):
    """What is said of a tool that is not there."""
    with pytest.raises(MCPError) as refused:
        await client.call_tool(tool, {"query": "till"})
    return str(refused.value.error)


def _without_date(answer):
    return (
        answer.status,
        frozenset((name, value) for name, value in answer.headers.items() if name != "date"),
        answer.text,
    )
