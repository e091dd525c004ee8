"""What goes over the pipes: every request is answered once, with its own id, and nothing else ever comes out."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.processes import eventually, is_alive, is_running
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import environment, stdio_command

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """One server for lines that leave nothing behind."""
    with RawClient(tmp_path_factory.mktemp("lines")) as client:
        yield client


@proves("S0-16")
def test_two_hundred_calls_at_once_are_each_answered_with_their_own_id(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        for n in range(200):
            arguments = {"n": n}
            params = {"name": "echo", "arguments": arguments}
            client.send({"jsonrpc": "2.0", "id": f"call-{n}", "method": "tools/call", "params": params})

        answers = [client.receive() for _ in range(200)]

    assert {a["id"]: a["result"]["structuredContent"]["arguments"] for a in answers} == {
        f"call-{n}": {"n": n} for n in range(200)
    }


def test_an_id_of_any_legal_kind_comes_back_unchanged(client):
    for request_id in ("text", "", "日本", 7, -1, 0, 1.5, 10**15):
        client.send({"jsonrpc": "2.0", "id": request_id, "method": "ping"})

        assert client.receive() == {"jsonrpc": "2.0", "id": request_id, "result": {}}


@pytest.mark.parametrize(
    ("line", "code", "answered_id"),
    [
        (b"garbage", -32700, None),
        (b'{"jsonrpc":"2.0","id":5,"method":"pi', -32700, 5),
        (b'{"id":"x","jsonrpc":"2.0","method":"ping"', -32700, "x"),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":NaN}}', -32700, 1),
        (b"\xff\xfe\x00", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b"[]", -32600, None),
        (b'"text"', -32600, None),
        (b"17", -32600, None),
        (b"null", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"1.0","id":3,"method":"ping"}', -32600, 3),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":4,"method":5}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}', -32602, 6),
        (b'{"jsonrpc":"2.0","id":8,"method":"no/such/method"}', -32601, 8),
        (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600, None),
        (b'{"method":"x","params":{"id":7,"n":' + b"9" * 3000 + b',"x":' + b"9" * 5000 + b'},"id":3}', -32700, None),
        (b'{"params":{"id":7},"id":"own","method":', -32700, "own"),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{}}', -32602, 9),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":null}', -32602, 9),
        (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":[]}}', -32602, 9),
    ],
)
def test_a_bad_message_gets_the_right_error_and_the_server_lives_on(client, line, code, answered_id):
    client.send_bytes(line + b"\n")

    answer = client.receive()

    assert (answer["id"], answer["error"]["code"]) == (answered_id, code)
    assert answer["error"]["message"]
    assert client.request("ping")["result"] == {}


def test_a_message_of_over_ten_megabytes_is_refused_and_one_just_below_is_not(project):
    with RawClient(project.root, with_test_toolsets=True) as client:
        head = b'{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"limited","arguments":{"text":"'
        tail = b'"}}}\n'
        allowed = 10_000_000 - len(head) - len(tail) + 1

        client.send_bytes(head + b"x" * (allowed + 1) + tail)
        too_big = client.receive()
        client.send_bytes(head + b"x" * allowed + tail)
        just_fits = client.receive()

        assert (too_big["id"], too_big["error"]["code"]) == ("big", -32600)
        assert just_fits["id"] == "big"
        assert "exceeds maximum length" in just_fits["result"]["content"][0]["text"]
        assert client.request("ping")["result"] == {}


def test_messages_may_come_cut_and_glued_with_blank_lines_and_crlf(project):
    ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'
    with RawClient(project.root) as client:
        for byte in ping % 1:
            client.send_bytes(bytes([byte]))
        client.send_bytes(b"\r\n\n  \n" + ping % 2 + b"\n" + ping % 3 + b"\n")

        assert [client.receive()["id"] for _ in range(3)] == [1, 2, 3]


def test_notifications_and_answers_to_nothing_are_never_answered(project):
    with RawClient(project.root) as client:
        client.notify("notifications/initialized")
        client.notify("notifications/unknown", anything=1)
        client.notify("notifications/cancelled", requestId="never seen")
        client.send({"jsonrpc": "2.0", "id": 99, "result": {}})
        client.send({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "theirs"}})
        client.send({"jsonrpc": "2.0", "method": "notifications/odd", "params": [1]})
        client.send({"jsonrpc": "2.0", "method": "notifications/initialized", "params": None})

        client.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})

        assert client.receive()["id"] == 1


def test_nothing_but_protocol_reaches_stdout_also_when_a_tool_prints(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        assert client.call("noisy")["structuredContent"] == {"printed": True}

        code, rest, _ = client.leave()

    assert (code, rest) == (0, b"")


def test_text_that_utf8_cannot_hold_is_refused_by_name_and_breaks_nothing(project):
    with RawClient(project.root, with_test_toolsets=True) as client:
        client.send_bytes(b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}\n')
        assert client.receive()["id"] == "\ud800"
        refused = client.call("echo", a={"b": ["fine", "\udfff"]})

    assert refused["isError"]
    assert "field a.b.1 is not valid Unicode text" in refused["content"][0]["text"]


def test_a_client_that_does_not_read_for_a_while_loses_nothing(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        text = "x" * 20_000
        wanted = [client.submit("tools/call", name="echo", arguments={"text": text}) for _ in range(100)]

        answers = [client.receive() for _ in wanted]

    assert sorted(answer["id"] for answer in answers) == wanted
    assert all(answer["result"]["structuredContent"]["arguments"]["text"] == text for answer in answers)


def test_cancelled_work_stops_and_is_not_answered(project, tmp_path):
    note = tmp_path / "note"
    with RawClient(
        project.root, with_test_toolsets=True, extra_environment={"FIELDGUIDE_TEST_NOTE": str(note)}
    ) as client:
        client.initialize()
        cancelled = client.submit("tools/call", name="wait", arguments={"seconds": 60})
        assert client.request("ping")["result"] == {}
        assert eventually(note.exists)  # a call that is cancelled before its tool begins would prove nothing

        client.notify("notifications/cancelled", requestId=cancelled, reason="changed my mind")
        assert client.call("echo")["structuredContent"]["arguments"] == {}
        assert eventually(lambda: note.read_text() == "began\ncancelled\n")
        _, rest, journal = client.leave()

    assert rest == b""
    failures = [line for line in journal if line["message"] == "Tool execution failed"]
    assert [(line["tool"], line["kind"]) for line in failures] == [("wait", "Cancelled")]


def test_the_end_of_input_lets_running_calls_finish(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        client.submit("tools/call", name="wait", arguments={"seconds": 0.3})

        code, rest, _ = client.leave()

    assert code == 0
    assert json.loads(rest)["result"]["structuredContent"] == {"waited": 0.3}


def test_a_last_line_without_its_end_is_still_answered(project):
    with RawClient(project.root) as client:
        client.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')

        code, rest, _ = client.leave()

    assert (code, json.loads(rest)) == (0, {"jsonrpc": "2.0", "id": 1, "result": {}})


@pytest.mark.parametrize("tool", ["sleep-deaf", "run-child"])
@pytest.mark.parametrize("way", ["end of input", "SIGTERM", "SIGINT", "SIGHUP"])
def test_the_server_leaves_at_once_with_an_answer_and_without_a_child(project, tool, way):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        asked = client.submit("tools/call", name=tool, arguments={"seconds": 30} if tool == "sleep-deaf" else {})
        assert client.request("ping")["result"] == {}

        if way != "end of input":
            client.process.send_signal(getattr(signal, way))
        code, rest, _ = client.leave()

        assert code == 0
        assert json.loads(rest)["id"] == asked
        assert json.loads(rest)["error"]["message"] == "The server is shutting down."
        assert not is_running("sleep", "60.125")


def test_a_client_that_stops_reading_its_end_ends_the_server(project):
    with RawClient(project.root).ready() as client:
        assert client.process.stdout is not None
        client.process.stdout.close()

        client.submit("ping")

        assert client.process.wait(timeout=30) == 0


def test_a_dead_parent_ends_the_server_though_its_pipe_stays_open(project):
    starter = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen(sys.argv[1:], stdin=0)\n"
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(60)\n"
    )
    reading, writing = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", starter, *stdio_command(project.root)],
        stdin=reading,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert parent.stderr is not None
    assert parent.stdout is not None
    server = int(parent.stderr.readline())
    os.write(writing, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert parent.stdout.readline()

    parent.kill()
    parent.wait()

    has_ended = eventually(lambda: not is_alive(server))
    os.close(reading)
    os.close(writing)
    parent.stderr.close()
    parent.stdout.close()
    assert has_ended


def test_input_from_a_file_is_served_too(project, tmp_path):
    requests = tmp_path / "requests"
    requests.write_text('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')

    with requests.open() as file:
        done = subprocess.run(
            stdio_command(project.root), stdin=file, capture_output=True, timeout=60, check=True, env=environment()
        )

    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_each_version_of_the_handshake_is_spoken(project, version):
    project.add_directive()
    with RawClient(project.root) as client:
        assert client.initialize(version)["protocolVersion"] == version
        result = client.call("directive/files.list")

    assert ("structuredContent" in result) == (version >= "2025-06-18")


@pytest.mark.parametrize("asked", ["1999-01-01", "2026-07-28", 5, None])
def test_an_unknown_version_is_answered_with_our_newest(client, asked):
    answer = client.request("initialize", protocolVersion=asked, capabilities={}, clientInfo={})

    assert answer["result"]["protocolVersion"] == "2025-11-25"


def test_both_eras_live_on_one_connection(project):
    project.add_directive()
    with RawClient(project.root) as client:
        discovered = client.request("server/discover", _meta=MODERN)["result"]
        shaken = client.initialize()
        old = client.request("tools/list")["result"]
        new = client.request("tools/list", _meta=MODERN)["result"]
        called = client.request("tools/call", name="directive/files.list", _meta=MODERN)["result"]

    assert discovered["supportedVersions"] == ["2026-07-28"]
    assert shaken["protocolVersion"] == "2025-11-25"
    announced = {"listChanged": True}
    assert shaken["capabilities"] == {"tools": {}, "resources": announced, "prompts": announced, "completions": {}}
    assert discovered["capabilities"] == {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}
    assert set(old) == {"tools"}
    assert new["tools"] == old["tools"]
    assert new["resultType"] == "complete"
    assert (new["cacheScope"], type(new["ttlMs"])) == ("private", int)
    assert called["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "fieldguide"


@pytest.mark.parametrize(
    ("method", "meta", "code"),
    [
        ("ping", MODERN, -32601),
        ("logging/setLevel", MODERN, -32601),
        ("resources/subscribe", MODERN, -32601),
        ("tools/list", {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}, -32602),
        ("tools/list", {**MODERN, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}, -32022),
        ("tools/list", {**MODERN, "io.modelcontextprotocol/protocolVersion": 5}, -32602),
        ("server/discover", {}, -32601),
        ("subscriptions/listen", MODERN, -32601),
        ("logging/setLevel", {}, -32601),
        ("resources/subscribe", {}, -32601),
    ],
)
def test_a_method_is_found_only_in_its_era(client, method, meta, code):
    assert client.request(method, _meta=meta, uri="x://y", level="info")["error"]["code"] == code


def test_a_tool_that_ends_the_process_or_gives_no_json_fails_alone(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        for tool in ("leave", "give-up", "unwritable", "infinite"):
            assert "failed unexpectedly" in client.call(tool)["content"][0]["text"]
            assert client.request("ping")["result"] == {}
        _, _, journal = client.leave()

    assert [line["kind"] for line in journal if line["message"] == "Tool execution failed"] == ["ToolFailed"] * 4


@pytest.mark.parametrize("tool", ["dated", "uncounted"])
@pytest.mark.parametrize("is_alone", [True, False])
def test_an_answer_that_is_no_json_is_answered_all_the_same(project, tool, is_alone):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        beside = None if is_alone else client.submit("tools/call", name="wait", arguments={"seconds": 0.2})

        answer = client.request("tools/call", name=tool, arguments={})

        assert answer["error"] == {"code": -32603, "message": "Internal error"}
        if beside is not None:
            assert client.answer(beside)["result"]["structuredContent"] == {"waited": 0.2}
        _, _, journal = client.leave()
    assert "Internal error" in [line["message"] for line in journal]


def test_a_long_call_that_came_alone_can_be_cancelled_while_others_are_answered(project, tmp_path):
    note = tmp_path / "note"
    with RawClient(
        project.root, with_test_toolsets=True, extra_environment={"FIELDGUIDE_TEST_NOTE": str(note)}
    ) as client:
        client.initialize()
        for _ in range(5):
            note.write_text("")
            long = client.submit("tools/call", name="wait", arguments={"seconds": 60})

            assert client.call("echo", n=1)["structuredContent"]["arguments"] == {"n": 1}
            assert eventually(lambda: note.read_text() == "began\n")
            client.notify("notifications/cancelled", requestId=long)
            assert eventually(lambda: note.read_text() == "began\ncancelled\n")

        assert client.call("echo", n=2)["structuredContent"]["arguments"] == {"n": 2}


def test_what_was_read_with_a_long_call_does_not_wait_for_it(project):
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    lines = [
        {**call, "id": "quick", "params": {"name": "echo"}},
        {**call, "id": "long", "params": {"name": "wait", "arguments": {"seconds": 60}}},
        {"jsonrpc": "2.0", "id": "ping", "method": "ping"},
        {**call, "id": "last", "params": {"name": "echo"}},
    ]
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        client.call("echo")

        client.send_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in lines))

        answered = sorted(client.receive()["id"] for _ in range(3))
    assert answered == ["last", "ping", "quick"]


def test_a_request_and_its_cancellation_in_one_chunk_leave_nothing_behind(project):
    call = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"seconds":5}}}\n'
    cancel = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        client.send_bytes(call + cancel)

        assert client.request("ping")["result"] == {}
        code, rest, _ = client.leave()

    assert (code, rest) == (0, b"")


def test_every_line_of_the_journal_is_json_however_long_the_arguments(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        client.call("echo", nested={"text": "x" * 20_000}, number=10**3000)
        _, errors = client.process.communicate(timeout=60)

    lines = [json.loads(line) for line in errors.splitlines()]
    assert lines[-1]["message"] == "Tool completed"
    assert lines[-1]["params"]["nested"]["text"].endswith("... [20000 chars]")
