"""Long runs over stdio, bounded in count and time: storms of calls, cancelled calls and garbage (`make soak`)."""

import json
import os
import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.raw_client import RawClient

CALLS = 20_000
ROUNDS = 40
GARBAGE_LINES = 20_000


def resident_kilobytes(process: int) -> int:
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def open_descriptors(process: int) -> int:
    return len(os.listdir(f"/proc/{process}/fd"))


def test_a_storm_of_calls_is_answered_whole_and_memory_stays(project):
    project.add_directive()
    numbers = random.Random(1)
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        sizes = []
        for _ in range(ROUNDS):
            waiting = set()
            for _ in range(CALLS // ROUNDS):
                tool = numbers.choice(["echo", "directive/file.get", "directive/spec.template", "fail", "limited"])
                arguments = {"path": "agent_context.md"} if tool.endswith("get") else {}
                waiting.add(client.submit("tools/call", name=tool, arguments=arguments))
            while waiting:
                waiting.remove(client.receive()["id"])
            sizes.append(resident_kilobytes(client.process.pid))
        descriptors = open_descriptors(client.process.pid)

    assert sizes[-1] < sizes[ROUNDS // 4] * 1.2
    assert descriptors < 30


def test_a_storm_of_cancelled_calls_leaves_nothing_behind(project):
    numbers = random.Random(2)
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        for _ in range(200):
            ids = [client.submit("tools/call", name="wait", arguments={"seconds": 0.02}) for _ in range(20)]
            cancelled = set(numbers.sample(ids, 10))
            for each in cancelled:
                client.notify("notifications/cancelled", requestId=each)
            for _ in range(10):
                cancelled.discard(client.receive()["id"])

        assert client.request("ping")["result"] == {}
        assert client.call("echo")["structuredContent"]["arguments"] == {}


@settings(max_examples=GARBAGE_LINES // 100, suppress_health_check=list(HealthCheck))
@given(st.lists(st.binary(max_size=200).map(lambda line: line.replace(b"\n", b"")), min_size=100, max_size=100))
def test_no_line_of_bytes_ever_ends_the_server(tmp_path_factory, lines):
    with RawClient(tmp_path_factory.mktemp("garbage")) as client:
        client.send_bytes(b"\n".join(lines) + b"\n")

        client.send({"jsonrpc": "2.0", "id": "the end", "method": "ping"})

        while (answer := client.receive()).get("id") != "the end":
            assert answer["error"]["code"] in (-32700, -32600)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
METHODS = st.sampled_from(
    ["initialize", "tools/call", "tools/list", "resources/read", "prompts/get", "completion/complete", "ping", "x"]
)
KEYS = st.sampled_from(["name", "arguments", "uri", "_meta", "ref", "argument", "cursor", "protocolVersion", "level"])


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(METHODS, st.dictionaries(KEYS, JSON)), min_size=20, max_size=20))
def test_no_params_ever_go_unanswered_or_show_a_bug(tmp_path_factory, requests):
    with RawClient(tmp_path_factory.mktemp("params"), with_test_toolsets=True) as client:
        for number, (method, params) in enumerate(requests):
            client.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

        answered: dict[int, Any] = {}
        while len(answered) < len(requests):
            message = client.receive()
            if "id" in message:
                answered[message["id"]] = message

    assert sorted(answered) == list(range(len(requests)))
    assert "Internal error" not in json.dumps(answered)
