"""How a service ends: it says so, what runs comes to its end, and nothing new begins."""

import json
import signal
from contextlib import ExitStack

from tests.operation.served import served, session_of
from tests.processes import eventually
from tests.raw_http import INITIALIZE, JSON_HEADERS, answered, ask, get, head, host_of, opened
from tests.servers import AUTHORIZATION

LIMITS = {"FIELDGUIDE_LIMIT_DRAIN_NOTICE_SECONDS": "1", "FIELDGUIDE_LIMIT_DRAIN_SECONDS": "20"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def sent(url, method, params, **more):
    """A request that is not answered yet, on a connection of its own."""
    body = json.dumps({"jsonrpc": "2.0", "id": 3, "method": method, "params": params}).encode()
    given = {"Host": host_of(url), **JSON_HEADERS, **AUTHORIZATION, **more}
    connection = opened(url)
    connection.sendall(head("POST", "/mcp", [*given.items(), ("Content-Length", str(len(body)))]) + body)
    return connection


def state_of(server):
    return json.loads(get(server.monitors, "/readyz").text)["status"]


def test_running_calls_finish_and_nothing_new_begins(tmp_path):
    state = {"FIELDGUIDE_STATE": str(tmp_path / "state")}
    with ExitStack() as stack:
        server = stack.enter_context(served(tmp_path, "--audit", extra_environment={**LIMITS, **state}))
        session = session_of(server.url)
        wait = {"name": "wait", "arguments": {"seconds": 60, "or_until": str(tmp_path / "enough")}}
        running = stack.enter_context(sent(server.url, "tools/call", wait, **{"Mcp-Session-Id": session}))
        assert state_of(server) == "ready"

        server.process.send_signal(signal.SIGTERM)

        assert eventually(lambda: state_of(server) == "draining")
        ready = get(server.url, "/readyz")
        assert (ready.status, json.loads(ready.text)) == (503, {"status": "draining"})
        assert get(server.url, "/healthz").status == 200
        refused = ask(server.url, INITIALIZE)
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        (tmp_path / "enough").touch()
        finished = answered(running, "POST")
        assert finished.message["result"]["structuredContent"] == {"waited": 60}
        server.process.communicate(timeout=60)
        assert server.process.returncode == 0


def test_a_second_signal_ends_it_at_once(tmp_path):
    limits = {"FIELDGUIDE_LIMIT_DRAIN_NOTICE_SECONDS": "300", "FIELDGUIDE_STATE": str(tmp_path / "state")}
    with served(tmp_path, "--audit", extra_environment=limits) as server:
        assert state_of(server) == "ready"
        server.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: state_of(server) == "draining")

        server.process.send_signal(signal.SIGTERM)

        server.process.communicate(timeout=60)
        assert server.process.returncode == 0
