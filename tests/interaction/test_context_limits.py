"""What holds for every context call: how often it may come, and what the journal tells of it."""

import json

import pytest

from tests.context_wires import write_code
from tests.proves import proves
from tests.raw_client import RawClient

MOST = {"context_search": 30, "read_file": 100, "grep_codebase": 60}
ARGUMENTS = {
    "context_search": {"query": "who refreshes tokens"},
    "read_file": {"path": "src/index.ts"},
    "grep_codebase": {"pattern": "AuthService"},
}


@pytest.fixture(scope="module")
def client(code_project):
    """One server: each tool has its own minute."""
    with RawClient(code_project.root, "--toolsets", "context") as client:
        client.initialize()
        yield client


@proves("S3-62", "S3-63", "S3-64")
@pytest.mark.parametrize("tool", list(MOST))
def test_a_minute_takes_so_many_calls_of_a_tool_and_no_more(client, tool):
    answers = [client.call(tool, **ARGUMENTS[tool]) for _ in range(MOST[tool] + 1)]

    assert not any(answer.get("isError") for answer in answers[:-1])
    refused = json.loads(answers[-1]["content"][0]["text"])
    assert answers[-1]["isError"] is True
    assert 0 < refused.pop("retry_after_seconds") <= 60
    assert refused == {"error": f"Rate limit exceeded for {tool}", "tool": tool}


@proves("S3-68", "S3-69", "S3-70", "S3-71")
def test_the_journal_and_the_counters_tell_of_every_call(project):
    write_code(project)
    with RawClient(project.root, "--toolsets", "context") as client:
        client.initialize()
        size = len(client.call("read_file", path="src/index.ts")["content"][0]["text"])
        client.call("read_file", path="nowhere.ts")
        counted = client.request("server/performance")["result"]["tools"]["read_file"]
        _, _, journal = client.leave()

    told = [line for line in journal if line.get("tool") == "read_file" and line["message"] != "Tool slow"]
    called, completed, _, failed = told
    assert (called["message"], called["params"]) == ("Tool called", {"path": "src/index.ts"})
    assert (completed["message"], completed["success"], completed["resultSize"]) == ("Tool completed", True, size)
    assert completed["duration"] > 0
    assert (failed["message"], failed["name"], failed["error"]) == (
        "Tool execution failed",
        "read_file",
        "File not found",
    )
    assert (counted["calls"], counted["failures"], counted["failure_rate"]) == (2, 1, 0.5)
