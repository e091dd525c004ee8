"""What every call passes through, seen from a client: journal, counters, workflows, identity, names, news."""

import json

import pytest

from fieldguide.app import register_toolsets
from tests.proves import proves
from tests.raw_client import RawClient
from tests.warm_starts.commands import FRESH

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def client(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        yield client


@proves("S0-25", "S0-77", "S3-69", "S3-68", "D-28")
def test_the_journal_tells_of_each_call_with_long_texts_cut(client):
    result = client.call("echo", short="x" * 100, long="y" * 101, number=5, nested={"kept": True})
    _, _, journal = client.leave()

    called, completed = [line for line in journal if line.get("tool") == "echo"]
    assert called["message"] == "Tool called"
    assert called["params"] == {
        "short": "x" * 100,
        "long": "y" * 100 + "... [101 chars]",
        "number": 5,
        "nested": {"kept": True},
    }
    assert called["timestamp"].endswith("Z")
    assert called["sessionId"] == completed["sessionId"]
    assert completed["message"] == "Tool completed"
    assert completed["success"] is True
    assert completed["duration"] > 0
    assert completed["resultSize"] == len(result["content"][0]["text"])


@proves("S3-70")
def test_the_journal_tells_of_a_failure_with_its_cause(client):
    client.call("fail")
    _, _, journal = client.leave()

    failed = journal[-1]
    assert (failed["message"], failed["name"]) == ("Tool execution failed", "fail")
    assert failed["error"] == "The tool fail failed unexpectedly."
    assert failed["cause"].startswith("RuntimeError: secret in")


@proves("U0-12", "S0-17", "S0-18", "D-2", "S3-71")
def test_server_performance_counts_calls_failures_timeouts_and_times(client):
    client.call("echo")
    client.call("wait", seconds=0.05)
    client.call("fail")
    client.call("wait-short", seconds=5)
    for _ in range(4):
        client.call("rare")
    client.request("tools/call", name="never heard of")
    for _ in range(2):
        client.request("prompts/get", name="greet", arguments={"name": "Ada"})

    told = client.request("server/performance")["result"]

    assert {"server_info", "initialized", "cache_metrics", "prompt_metrics", "tool_metrics", "timestamp"} <= set(told)
    assert told["initialized"] is True
    assert told["prompt_metrics"] == {"total_prompts": 2, "prompts_by_name": {"greet": 2}}
    assert told["cache_metrics"] == {"workflows": 2}
    metrics = told["tool_metrics"]
    assert metrics["total_invocations"] == 9
    assert metrics["failed_invocations"] == 4
    assert metrics["timeout_count"] == 1
    assert metrics["invocations_by_name"] == {
        "(unknown)": 1,
        "echo": 1,
        "fail": 1,
        "rare": 4,
        "wait": 1,
        "wait-short": 1,
    }
    assert metrics["execution_time_by_name"]["wait"] >= 50
    assert metrics["total_execution_time_ms"] >= 250
    assert told["error_kinds"] == {"ToolFailed": 1, "ToolTimeout": 1, "RateLimited": 1, "ToolNotFound": 1}
    assert told["tools"]["rare"]["rate_limit_hits"] == 1
    waited = told["tools"]["wait"]
    assert waited["p50_ms"] == waited["p95_ms"] == waited["p99_ms"] >= 49


@proves("S0-60", "S0-61")
def test_a_tool_knows_the_prompt_and_the_results_of_earlier_tools(client):
    prompt = client.request("prompts/get", name="greet", arguments={"name": "Ada"})["result"]
    meta = {"fieldguide/workflow": prompt["_meta"]["fieldguide/workflow"]}

    client.request("tools/call", name="echo", arguments={"a": 1}, _meta=meta)
    known = client.request("tools/call", name="remember", _meta=meta)["result"]["structuredContent"]
    latest = client.call("remember")["structuredContent"]

    assert latest["prompt"] == "greet"  # the connection remembers its latest prompt
    assert known == {
        "prompt": "greet",
        "arguments": {"name": "Ada"},
        "earlier": {"echo": {"arguments": {"a": 1}, "user": None}},
    }


def test_resources_come_in_pages_and_can_be_read(client):
    first = client.request("resources/list")["result"]
    second = client.request("resources/list", cursor=first["nextCursor"])["result"]
    templates = client.request("resources/templates/list")["result"]["resourceTemplates"]
    read = client.request("resources/read", uri="note://007")["result"]
    missing = client.request("resources/read", uri="note://nope")["error"]
    foreign = client.request("resources/read", uri="other://x")["error"]
    wrong = client.request("resources/list", cursor="made up")["error"]

    uris = [resource["uri"] for resource in first["resources"] + second["resources"]]
    assert [uri for uri in uris if uri.startswith("note:")] == [f"note://{n:03d}" for n in range(150)]
    assert uris == sorted(uris)
    assert "nextCursor" not in second
    assert {"uriTemplate": "note://{name}", "name": "A note"} in templates
    assert read == {"contents": [{"uri": "note://007", "mimeType": "text/plain", "text": "This is note://007"}]}
    assert (missing["code"], foreign["code"], wrong["code"]) == (-32002, -32602, -32602)
    assert foreign["message"] == "Invalid resource URI"


def test_content_other_than_text_goes_through(client):
    assert client.call("picture")["content"][0]["type"] == "image"


@pytest.mark.parametrize(
    ("flags", "spellings"),
    [
        (
            (),
            {
                "directive/file.get": ("tests", "mcp-inspector"),
                "directive_file_get": ("claude-code", "Visual Studio Code", "codex-mcp-client", "cursor-vscode"),
            },
        ),
        (("--tool-names", "literal"), {"directive/file.get": ("claude-code",)}),
        (("--tool-names", "safe"), {"directive_file_get": ("tests",)}),
    ],
)
def test_names_are_spelled_as_the_client_takes_them(project, flags, spellings):
    project.add_directive()
    with RawClient(project.root, "--toolsets", "directive", *flags) as client:
        for spelling, name in [(spelling, name) for spelling, names in spellings.items() for name in names]:
            client.initialize(client=name)
            names = [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]
            both = [client.call(each, path="agent_context.md") for each in ("directive/file.get", "directive_file_get")]

            assert spelling in names
            assert len(names) == 5
            assert both[0] == both[1]
            assert "isError" not in both[0]


def test_a_bound_user_is_filled_in_and_cannot_be_another(project):
    with RawClient(project.root, "--user", "ann", with_test_toolsets=True).ready() as client:
        owned = next(tool for tool in client.request("tools/list")["result"]["tools"] if tool["name"] == "owned")

        left_out = client.call("owned", text="x")["structuredContent"]
        same = client.call("owned", user_id="ann")["structuredContent"]
        other = client.call("owned", user_id="bob")

    assert owned["inputSchema"] == {"type": "object", "properties": {"text": {"type": "string"}}, "required": []}
    assert left_out == {"arguments": {"user_id": "ann", "text": "x"}, "user": "ann"}
    assert same["user"] == "ann"
    assert other["isError"]
    assert json.loads(other["content"][0]["text"])["error"] == "Access denied"


def test_a_trusted_caller_says_who_it_is(client):
    assert client.call("owned", user_id="bob")["structuredContent"]["user"] == "bob"
    assert client.call("owned", text="x")["isError"]


def test_read_only_leaves_out_every_tool_that_writes(project):
    with RawClient(project.root, "--read-only", with_test_toolsets=True).ready() as client:
        names = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}
        refused = client.request("tools/call", name="write")["error"]

    assert "write" not in names
    assert "echo" in names
    assert refused["code"] == -32001


@proves("S0-3")
def test_arguments_may_be_left_out(client):
    assert client.request("tools/call", name="echo")["result"]["structuredContent"]["arguments"] == {}
    assert client.request("tools/call", name="echo", arguments=None)["result"]["structuredContent"]["arguments"] == {}


@proves("S0-21")
def test_the_database_is_loaded_by_the_first_call_that_needs_it_and_not_before(project):
    with RawClient(project.root, "--toolsets", "tasks", extra_environment=FRESH).ready() as client:
        client.request("tools/list")

        before = mapped_files(client)
        client.call("add_task", user_id="ada", title="Water the ferns")
        after = mapped_files(client)

    assert "_sqlite3" not in before
    assert "_sqlite3" in after


def mapped_files(client):
    with open(f"/proc/{client.process.pid}/maps", encoding="ascii") as file:
        return file.read()


def test_a_client_that_never_reads_our_journal_is_still_answered(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        answers = [client.call("echo", n=n, text="x" * 90) for n in range(1500)]

    assert len(answers) == 1500


@proves("S0-22")
def test_a_registered_toolset_is_served_with_the_others(project):
    with RawClient(project.root, "--profile", "full", with_test_toolsets=True).ready() as client:
        names = {tool["name"] for tool in client.request("tools/list")["result"]["tools"]}

    assert list(register_toolsets()) == ["architecture", "context", "directive", "documents", "guide", "tasks"]
    assert {"echo", "verse-limited", "guide_brief", "add_task", "directive_files_list"} <= {
        name.replace("/", "_").replace(".", "_") for name in names
    }
