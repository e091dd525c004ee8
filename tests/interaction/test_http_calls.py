"""Requests of an HTTP session, answered as plain JSON."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.processes import eventually, is_running
from tests.raw_http import INITIALIZE, answered, ask, head, host_of, opened
from tests.servers import AUTHORIZATION, http_server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with http_server(tmp_path_factory.mktemp("served"), with_test_toolsets=True) as url:
        yield url


@pytest.fixture
def session(server):
    name = ask(server, INITIALIZE).headers["mcp-session-id"]
    ask(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}, Mcp_Session_Id=name)
    return name


def call(tool, meta=None, **arguments):
    params = {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": "asked", "method": "tools/call", "params": params}


def test_a_plain_call_is_answered_as_json(server, session):
    answer = ask(server, call("echo", n=1), Mcp_Session_Id=session)

    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["mcp-session-id"] == session
    assert json.loads(answer.text)["result"]["structuredContent"]["arguments"] == {"n": 1}


@pytest.mark.parametrize("tool", ["dated", "uncounted"])
def test_an_answer_that_is_no_json_is_answered_all_the_same(server, session, tool):
    assert ask(server, call(tool), Mcp_Session_Id=session).message["error"]["message"] == "Internal error"


def test_a_cancelled_call_is_answered_and_its_work_stops(server, session):
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "asked"}}
    with ThreadPoolExecutor() as threads, ExitStack() as stack:
        asked = threads.submit(ask, server, call("run-child"), Mcp_Session_Id=session)
        stack.callback(ask, server, cancel, Mcp_Session_Id=session)
        assert eventually(lambda: is_running("sleep", "60.125"))

        assert ask(server, cancel, Mcp_Session_Id=session).status == 202

        assert asked.result(20).message["error"] == {"code": -32800, "message": "Request cancelled"}
    assert eventually(lambda: not is_running("sleep", "60.125"))


def test_another_session_cannot_cancel_a_call(server, session):
    other = ask(server, INITIALIZE).headers["mcp-session-id"]
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "asked"}}
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(ask, server, call("wait", seconds=0.5), Mcp_Session_Id=session)

        assert ask(server, cancel, Mcp_Session_Id=other).status == 202

        assert asked.result(20).message["result"]["structuredContent"] == {"waited": 0.5}


def test_a_session_that_was_ended_is_not_found_and_its_calls_stop(server, session):
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(ask, server, call("run-child"), Mcp_Session_Id=session)
        assert eventually(lambda: is_running("sleep", "60.125"))
        headers = {"Host": host_of(server), **AUTHORIZATION, "Mcp-Session-Id": session}
        with opened(server) as connection:
            connection.sendall(head("DELETE", "/mcp", [*headers.items()]))
            ended = answered(connection, "DELETE")

        assert ended.status == 200
        assert ask(server, call("echo"), Mcp_Session_Id=session).status == 404
        assert asked.result(20).message["error"]["message"] == "Request cancelled"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Accept": "application/json"}, 406),
        ({"Content-Type": "text/plain"}, 400),
        ({"Mcp-Protocol-Version": "1999-01-01"}, 400),
        ({"Authorization": ""}, 401),
    ],
)
def test_what_the_headers_say_wrong_is_judged_as_ever(server, session, headers, status):
    assert ask(server, call("echo"), Mcp_Session_Id=session, **headers).status == status
