"""The HTTP server: MCP at /mcp for the loopback alone, and a page for people."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.processes import eventually, is_running
from tests.servers import AUTHORIZATION, FIELDGUIDE, environment, http_server

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("served & <shown>")
    (root / "directive").mkdir()
    (root / "directive" / "agent_context.md").write_text("# Context\n")
    with http_server(root, with_test_toolsets=True) as url:
        yield url


def fetch(url, body=None, **headers):
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), AUTHORIZATION)
    request.add_header("accept", "application/json, text/event-stream")
    request.add_header("content-type", "application/json")
    for name, value in headers.items():
        request.add_header(name.replace("_", "-"), value)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, dict(response.headers), response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read().decode()


def session(server):
    _, headers, _ = fetch(server, INITIALIZE)
    return {"mcp_session_id": headers["mcp-session-id"]}


def message_of(text):
    return json.loads(text.partition("data: ")[2] or text)


def test_calls_are_answered_over_http_with_the_same_json(server):
    opened = session(server)
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call"}

    good = fetch(
        server, {**call, "params": {"name": "directive/file.get", "arguments": {"path": "agent_context.md"}}}, **opened
    )
    bad = fetch(server, {**call, "params": {"name": "architecture-limited", "arguments": {}}}, **opened)
    legacy = fetch(server, {"jsonrpc": "2.0", "id": 3, "method": "directive.files.list"}, **opened)

    told = {"path": "agent_context.md", "content": "# Context\n"}
    assert json.loads(message_of(good[2])["result"]["content"][0]["text"]) == told
    assert message_of(bad[2])["error"]["code"] == -32602
    assert message_of(legacy[2])["result"] == {"files": ["directive/agent_context.md"]}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 421),
    ],
)
def test_a_foreign_host_or_origin_is_refused(server, headers, status):
    assert fetch(server, INITIALIZE, **headers)[0] == status


def test_an_origin_of_this_machine_is_served(server):
    origin = server.removesuffix("/mcp")

    assert fetch(server, INITIALIZE, origin=origin)[0] == 200


def test_an_unknown_session_is_not_found(server):
    assert fetch(server, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, mcp_session_id="made-up")[0] == 404


@pytest.mark.parametrize("body", [b"garbage", b"[]", b"{}"])
def test_garbage_is_refused_and_the_server_lives_on(server, body):
    request = urllib.request.Request(server, data=body, headers=AUTHORIZATION)
    request.add_header("accept", "application/json, text/event-stream")
    request.add_header("content-type", "application/json")

    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=60)
    caught.value.close()

    assert caught.value.code == 400
    assert fetch(server, INITIALIZE)[0] == 200


def test_cancelled_work_stops_over_http_too(server):
    opened = session(server)
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "run-child"}}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    with ThreadPoolExecutor() as threads:
        calling = threads.submit(fetch, server, call, **opened)
        assert eventually(lambda: is_running("sleep", "60.125"))

        fetch(server, cancel, **opened)

        assert eventually(lambda: not is_running("sleep", "60.125"))
        calling.result(timeout=30)


def test_the_page_shows_the_tools_their_health_and_how_to_connect(server):
    opened = session(server)
    fetch(server, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo"}}, **opened)

    status, headers, page = fetch(server.removesuffix("mcp") + "connect")
    calls = fetch(server.removesuffix("mcp") + "calls")[2]

    assert status == 200
    assert "<code>directive/file.get</code>" in calls
    assert "well" in calls
    for client in ("Claude Code", "Cursor", "VS Code", "Codex"):
        assert f"<h3>{client}</h3>" in page
    assert f"claude mcp add --transport http fieldguide {server}" in page
    assert "served &amp; &lt;shown&gt;" in page
    assert "default-src 'none'" in headers["content-security-policy"]


def test_the_page_is_for_this_machine_alone(server):
    assert fetch(server.removesuffix("mcp"), host="evil.example")[0] == 421


def test_health_is_told_to_machines(server):
    status, _, text = fetch(server.removesuffix("mcp") + "healthz")

    assert (status, json.loads(text)["status"]) == (200, "ok")


def test_a_port_that_is_taken_is_told_in_a_sentence(server, tmp_path):
    address = server.removeprefix("http://").removesuffix("/mcp")

    done = subprocess.run(
        [FIELDGUIDE, "serve", "--project", str(tmp_path), "--http", address],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment(),
    )

    assert done.returncode == 2
    assert f"Can't serve on {address}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_and_it_greeted_with_how_to_connect(tmp_path, number):
    process = subprocess.Popen(
        [FIELDGUIDE, "serve", "--project", str(tmp_path), "--http", "127.0.0.1:0"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    assert process.stderr is not None
    greeting = [process.stderr.readline()]
    while "url =" not in greeting[-1]:
        greeting.append(process.stderr.readline())
    url = next(line for line in greeting if line.startswith("Connect a client to ")).split()[-1]
    assert f"{url.removesuffix('mcp')}?link=" in "".join(greeting)
    assert fetch(url, INITIALIZE)[0] == 200

    process.send_signal(number)
    _, rest = process.communicate(timeout=60)

    for client in ("Claude Code", "Cursor", "VS Code", "Codex"):
        assert any(line.startswith(f"{client}.") for line in greeting)
    assert "Traceback" not in rest
    assert process.returncode in (0, -signal.SIGTERM)


EARLY_SIGNAL = """
import signal

from fieldguide.settings.limits import Limits
from fieldguide.wire import http
from fieldguide.wire.http import QuietServer
from fieldguide.wire.http_endpoint import listen_on_port

run = QuietServer.run


def run_late(server, sockets):
    signal.raise_signal(signal.SIGTERM)
    run(server, sockets)


QuietServer.run = run_late
http.serve_http(None, listen_on_port("127.0.0.1", 0), Limits())
"""


def test_a_signal_that_comes_just_after_the_greeting_is_obeyed():
    done = subprocess.run(
        [sys.executable, "-c", EARLY_SIGNAL], capture_output=True, text=True, timeout=60, check=False, env=environment()
    )

    assert (done.returncode, done.stderr) == (0, "")
