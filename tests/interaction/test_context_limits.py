"""What holds for every context call: how often it may come, and what the journal tells of it."""

import json

import pytest

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
