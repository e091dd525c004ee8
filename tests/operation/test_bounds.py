"""How much runs at once: places, the queue before them, the word "busy", slow clients."""

import asyncio
import json
import socket
from urllib.parse import urlsplit

import pytest

from fieldguide.settings.limits import Limits
from fieldguide.wire.http_guard import CallBounds
from tests.operation.served import call, served, session_of
from tests.processes import eventually
from tests.raw_http import JSON_HEADERS, answered, get, head, host_of, opened
from tests.servers import AUTHORIZATION

ANN, BOB, OTHER = ("shop", "ann"), ("shop", "bob"), ("farm", "ann")
LIMITS = {
    "FIELDGUIDE_LIMIT_CALLS_AT_ONCE": "1",
    "FIELDGUIDE_LIMIT_CALLS_WAITING": "1",
    "FIELDGUIDE_LIMIT_HTTP_UNREAD_SECONDS": "1",
    "FIELDGUIDE_LIMIT_HTTP_CONNECTIONS": "20",
}


class Running:
    """Calls that hold their places until they are told to end."""

    def __init__(self, bounds):
        self._bounds = bounds
        self.ended = asyncio.Event()

    async def begin(self, place):
        task = asyncio.create_task(self._hold(place))
        for _ in range(3):
            await asyncio.sleep(0)
        return task

    async def _hold(self, place):
        async with self._bounds.place(place):
            await self.ended.wait()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("limits", "first", "waits", "runs"),
    [
        (Limits(calls_at_once=1), ANN, ("farm", "bob"), None),
        (Limits(calls_at_once_per_project=1), ANN, BOB, OTHER),
        (Limits(calls_at_once_per_user=1), ANN, OTHER, BOB),
        (
            Limits(calls_at_once_per_user=1, calls_at_once_per_project=2),
            ("shop", None),
            None,
            ("shop", None),
        ),
    ],
)
async def test_a_place_is_free_in_all_of_a_project_and_of_a_user(limits, first, waits, runs):
    bounds = CallBounds(limits)
    running = Running(bounds)
    tasks = [await running.begin(first)]
    tasks += [await running.begin(waits)] if waits else []
    assert bounds.waiting == bool(waits)
    tasks += [await running.begin(runs)] if runs else []
    assert bounds.running == 1 + bool(runs)

    running.ended.set()
    await asyncio.gather(*tasks)

    assert (bounds.running, bounds.waiting) == (0, 0)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served"), extra_environment=LIMITS) as found:
        yield found


def begun(url, session, **arguments):
    """A call that has been sent and is not answered yet."""
    params = {"name": "wait", "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params}).encode()
    given = {"Host": host_of(url), **JSON_HEADERS, **AUTHORIZATION, "Mcp-Session-Id": session}
    connection = opened(url)
    connection.sendall(head("POST", "/mcp", [*given.items(), ("Content-Length", str(len(body)))]) + body)
    return connection


def running(server):
    text = get(server.monitors, "/metrics").text
    told = dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("fieldguide_calls_"))
    return int(told["fieldguide_calls_running"]), int(told["fieldguide_calls_waiting"])


def test_a_full_server_refuses_a_request_before_its_body_is_there(server, tmp_path):
    session = session_of(server.url)
    until = str(tmp_path / "enough")
    with (
        begun(server.url, session, seconds=60, or_until=until) as first,
        begun(server.url, session_of(server.url), seconds=0) as second,
    ):
        assert eventually(lambda: running(server) == (1, 1))
        with opened(server.url) as third:
            given = {"Host": host_of(server.url), **JSON_HEADERS, **AUTHORIZATION, "Content-Length": "1000000"}
            third.sendall(head("POST", "/mcp", [*given.items()]))
            refused = answered(third, "POST")

        assert refused.status == 503
        assert refused.headers["retry-after"] == "1"
        assert "busy" in refused.sentence
        (tmp_path / "enough").touch()
        assert answered(first, "POST").message["result"]["structuredContent"] == {"waited": 60}
        assert answered(second, "POST").message["result"]["structuredContent"] == {"waited": 0}
    assert "result" in call(server.url, session, "wait", seconds=0).message


def test_a_client_that_does_not_read_its_answers_loses_its_connection(server):
    session = session_of(server.url)
    body = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}).encode()
    given = {"Host": host_of(server.url), **JSON_HEADERS, **AUTHORIZATION, "Mcp-Session-Id": session}
    request = head("POST", "/mcp", [*given.items(), ("Content-Length", str(len(body)))]) + body
    with socket.socket() as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        at = urlsplit(server.url)
        lazy.connect((at.hostname, at.port))
        lazy.settimeout(0.01)

        def is_ended():
            try:
                lazy.send(request)
            except TimeoutError:
                return False
            except OSError:
                return True
            return False

        assert eventually(is_ended)
    assert "result" in call(server.url, session, "wait", seconds=0).message


def test_connections_beyond_their_number_end_and_lock_nobody_out(server):
    crowd = [opened(server.url) for _ in range(40)]

    assert get(server.url, "/healthz").status == 200
    crowd[0].settimeout(20)
    assert crowd[0].recv(1) == b""
    for each in crowd:
        each.close()
