"""Sessions that every replica answers."""

import json

import psycopg
import pytest

from tests.proves import proves
from tests.raw_http import INITIALIZE, ask
from tests.replicas.replicas import (
    alternating_client,
    call,
    ended,
    news_of,
    request,
    session_on,
)
from tests.servers import http_server

UNKNOWN = "0" * 32
MOST = 50
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
@proves("Z-200")
async def test_the_official_client_does_not_notice_that_each_request_reaches_another_replica(replicas, mode):
    async with alternating_client(replicas.first, replicas.second, mode=mode) as client:
        listed = await client.list_tools()
        said = [await client.call_tool("echo", {"n": number}) for number in range(6)]
        prompt = await client.get_prompt("greet", {"name": "Ada"})
        read = await client.read_resource("note://007")

    assert "echo" in {tool.name for tool in listed.tools}
    assert [json.loads(each.content[0].text)["arguments"]["n"] for each in said] == list(range(6))
    assert prompt.messages[0].content.text == "Hello Ada"
    assert read.contents[0].text == "This is note://007"


@proves("Z-201")
def test_what_a_session_was_told_on_one_replica_holds_on_the_other(replicas):
    session = session_on(replicas.first)

    told = request(replicas.second, session, "server/performance")
    request(replicas.second, session, "prompts/get", name="greet", arguments={"name": "Ada"})
    first = call(replicas.first, session, "remember")
    second = call(replicas.second, session, "remember")

    assert told["result"]["initialized"] is True
    assert first == {"prompt": "greet", "arguments": {"name": "Ada"}, "earlier": {}}
    assert second == {"prompt": "greet", "arguments": {"name": "Ada"}, "earlier": {"remember": first}}


@proves("Z-202")
def test_a_session_that_one_replica_ends_is_unknown_to_all(replicas):
    session = session_on(replicas.first)
    call(replicas.second, session, "echo")

    with news_of(replicas.second, session) as news:
        done = ended(replicas.first, session)
        news.rest()

    again = [ask(url, LIST, Mcp_Session_Id=session) for url in replicas[:2]]
    never = ask(replicas.first, LIST, Mcp_Session_Id=UNKNOWN)
    assert done.status == 200
    assert {(each.status, each.text) for each in again} == {(404, never.text)}
    assert ended(replicas.second, session).status == 404


@proves("Z-203")
def test_sessions_are_counted_across_replicas_and_the_one_unused_longest_gives_way(replicas):
    names = [_opened(replicas[number % 2], "crowd") for number in range(MOST)]
    other = _opened(replicas.first, "another")
    _run(replicas, "UPDATE replica_session SET used_at = now() - interval '9 minutes' WHERE name = %s", names[7])
    _run(replicas, "UPDATE replica_session SET used_at = now() - interval '8 minutes' WHERE name = %s", names[8])
    _run(replicas, "UPDATE replica_session SET busy_until = now() + interval '1 minute' WHERE name = %s", names[7])

    newest = _opened(replicas.second, "crowd")

    asked = (names[6], names[7], names[8], newest, other)
    assert [ask(replicas.first, LIST, Mcp_Session_Id=name).status for name in asked] == [200, 200, 404, 200, 200]


@proves("Z-203")
def test_where_every_session_has_a_call_under_way_none_gives_way(replicas):
    for number in range(MOST):
        _opened(replicas[number % 2], "busy crowd")
    _run(replicas, "UPDATE replica_session SET busy_until = now() + interval '1 minute'")

    refused = ask(replicas.first, INITIALIZE, User_Agent="busy crowd")

    _run(replicas, "UPDATE replica_session SET busy_until = now()")
    assert (refused.status, refused.sentence.partition(" sessions")[0]) == (503, f"There are {MOST}")


@proves("Z-203")
def test_a_session_that_was_idle_for_half_an_hour_is_gone(replicas):
    session = session_on(replicas.first)

    _run(replicas, "UPDATE replica_session SET used_at = now() - interval '31 minutes' WHERE name = %s", session)

    assert ask(replicas.second, LIST, Mcp_Session_Id=session).status == 404


@proves("Z-213")
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ("no object", {}),
        ([LIST], {}),
        (LIST, {"Accept": "application/json"}),
        (LIST, {"Content_Type": "text/plain"}),
        (LIST, {"Mcp_Session_Id": UNKNOWN}),
        (LIST, {"Mcp_Session_Id": ""}),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, {}),
    ],
)
def test_malformed_requests_are_refused_as_those_of_sessions_in_memory(replicas, in_memory, body, headers):
    def told(url):
        session = {"Mcp_Session_Id": ask(url, INITIALIZE).headers["mcp-session-id"]}
        answer = ask(url, body, **(session | headers))
        return answer.status, answer.text, answer.headers.get("content-type")

    assert told(replicas.second) == told(in_memory)


@proves("Z-215")
def test_without_postgresql_a_session_is_known_to_its_own_server_only(in_memory, replicas):
    session = ask(in_memory, INITIALIZE).headers["mcp-session-id"]

    assert ask(replicas.first, LIST, Mcp_Session_Id=session).status == 404
    assert ask(in_memory, LIST, Mcp_Session_Id=session).status == 200


@pytest.fixture(scope="module")
def in_memory(tmp_path_factory):
    with http_server(tmp_path_factory.mktemp("alone"), with_test_toolsets=True) as url:
        yield url


def _calling(tool, **arguments):
    return {"jsonrpc": "2.0", "id": "asked", "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def _state(replicas, session):
    with psycopg.connect(replicas.database) as connection:
        row = connection.execute("SELECT state FROM replica_session WHERE name = %s", (session,)).fetchone()
    assert row is not None
    return json.loads(row[0])


def _opened(url, peer):
    return ask(url, INITIALIZE, User_Agent=peer).headers["mcp-session-id"]


def _run(replicas, statement, *values):
    with psycopg.connect(replicas.database, autocommit=True) as connection:
        connection.execute(statement.encode(), values)
