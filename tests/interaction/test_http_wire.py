"""The HTTP server: MCP at /mcp for the loopback alone, and a page for people."""

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from tests.servers import AUTHORIZATION, FIELDGUIDE, environment, http_server, run

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


def test_an_unknown_session_is_not_found(server):
    assert fetch(server, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, mcp_session_id="made-up")[0] == 404


def test_a_port_that_is_taken_is_told_in_a_sentence(server, tmp_path):
    address = server.removeprefix("http://").removesuffix("/mcp")

    done = run("serve", "--project", tmp_path, "--http", address, code=2)

    assert f"Can't serve on {address}" in done.stderr


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
from fieldguide.wire.endpoint import listen_on_port
from fieldguide.wire.http_server import QuietServer, serve_http

run = QuietServer.run


def run_late(server, sockets):
    signal.raise_signal(signal.SIGTERM)
    run(server, sockets)


QuietServer.run = run_late
serve_http(None, listen_on_port("127.0.0.1", 0), Limits())
"""


def test_a_signal_that_comes_just_after_the_greeting_is_obeyed():
    done = subprocess.run(
        [sys.executable, "-c", EARLY_SIGNAL], capture_output=True, text=True, timeout=60, check=False, env=environment()
    )

    assert (done.returncode, done.stderr) == (0, "")
