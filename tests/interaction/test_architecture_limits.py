"""What every architecture call is held to: lengths, kinds, paths, and the codes of its errors in both eras."""

import json
import time
from typing import Any

import pytest

from tests.architecture_projects import (
    call,
    error_of,
    served,
    write_architecture,
)
from tests.projects import Project
from tests.proves import proves
from tests.raw_client import MODERN

VALIDATE, SEARCH, ALIGN = "validate-against-pattern", "search-architecture", "check-adr-alignment"
WITHIN = "Path must be within mcp/resources/ directory"
TRAVERSAL = "Path traversal not allowed"
LENGTHS = [
    (VALIDATE, "code", 50_000, {"pattern_name": "repository-pattern"}),
    (SEARCH, "query", 500, {}),
    (ALIGN, "decision_description", 5_000, {}),
    (ALIGN, "decision_context", 2_000, {"decision_description": "Use PostgreSQL"}),
]
WRONG: list[tuple[str, dict[str, Any], str]] = [
    (SEARCH, {}, "missing required argument: query"),
    (VALIDATE, {"code": "x"}, "missing required argument: pattern_name"),
    (VALIDATE, {"pattern_name": "x"}, "missing required argument: code"),
    (ALIGN, {}, "missing required argument: decision_description"),
    (SEARCH, {"query": 5}, "field query must be a string"),
    (SEARCH, {"query": None}, "field query must be a string"),
    (VALIDATE, {"code": ["x"], "pattern_name": "x"}, "field code must be a string"),
    (VALIDATE, {"code": "x", "pattern_name": {}}, "field pattern_name must be a string"),
    (VALIDATE, {"code": "x", "pattern_name": "y", "language": 1}, "field language must be a string"),
    (ALIGN, {"decision_description": True}, "field decision_description must be a string"),
    (ALIGN, {"decision_description": "x", "decision_context": 1}, "field decision_context must be a string"),
    (SEARCH, {"query": "x" * 501}, "field query exceeds maximum length of 500"),
    (
        SEARCH,
        {"query": "x", "resource_type": "guideline"},
        "field resource_type has invalid value, must be one of allowed values",
    ),
    (SEARCH, {"query": "x", "max_results": 0}, "field max_results must be at least 1"),
    (SEARCH, {"query": "x", "max_results": -(2**70)}, "field max_results must be at least 1"),
    (SEARCH, {"query": "x", "max_results": 21}, "field max_results must be at most 20"),
    (SEARCH, {"query": "x", "max_results": 1.5}, "field max_results must be an integer"),
    (SEARCH, {"query": "x", "max_results": "5"}, "field max_results must be an integer"),
    (SEARCH, {"query": "x", "max_results": True}, "field max_results must be an integer"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("limits"))
    write_architecture(project)
    project.write("mcp/secret.md", "# Secret\n\nNobody may use `eval`.\n")
    project.write("mcp/resources/secret.md", "# Secret\n")
    return project


@pytest.fixture(scope="module")
def client(project):
    with served(project) as client:
        yield client


@proves("S0-75", "S0-26", "S0-37", "S0-47", "S0-48", "U0-17")
@pytest.mark.parametrize(("tool", "field", "most", "others"), LENGTHS)
@pytest.mark.parametrize("character", ["x", "é", "🦊"])
def test_a_text_of_the_greatest_length_is_taken_and_one_more_character_is_not(
    client, tool, field, most, others, character
):
    taken = client.request("tools/call", name=tool, arguments={field: character * most, **others})
    refused = error_of(client, tool, **{field: character * (most + 1)}, **others)

    assert "result" in taken
    assert (refused["code"], refused["message"]) == (-32602, f"field {field} exceeds maximum length of {most}")
    assert refused["data"]["tool"] == tool


@proves("U0-13", "S0-64", "U0-17", "S0-80")
@pytest.mark.parametrize(("tool", "arguments", "message"), WRONG)
def test_arguments_that_do_not_fit_are_refused_in_the_specified_words(client, tool, arguments, message):
    error = error_of(client, tool, **arguments)

    assert (error["code"], error["message"]) == (-32602, message)
    assert (error["data"]["tool"], error["data"]["code"]) == (tool, "INVALID_PARAMS")
    assert [issue["message"] for issue in error["data"]["issues"]] == [message]


@proves("S0-71", "S0-72", "S0-73")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../../../etc/passwd", WITHIN),
        ("../../secret", WITHIN),
        ("../../../mcp/secret", WITHIN),
        ("../secret", TRAVERSAL),
        ("mcp/resources/patterns/../secret", TRAVERSAL),
        ("mcp/resources/../secret", WITHIN),
        ("mcp/resources/../../../etc/passwd", WITHIN),
        ("x/../repository-pattern", TRAVERSAL),
        ("..", WITHIN),
        ("../../..", WITHIN),
        ("a..b", TRAVERSAL),
        ("architecture://patterns/../secret", "Path traversal attempt detected"),
        ("architecture://patterns/..%2fsecret", "Path traversal attempt detected"),
    ],
)
def test_a_pattern_name_cannot_leave_the_resources(client, name, message):
    error = error_of(client, VALIDATE, code="eval('x')", pattern_name=name)

    assert (error["code"], error["message"]) == (-32602, message)
    assert error["data"]["tool"] == VALIDATE


@proves("S0-73", "D-3")
@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd", "mcp/secret", "mcp/resources/secret", "mcp/resources/guidelines/naming",
        "architecture://guidelines/naming", "%2e%2e/secret", ".\\secret", "~/.ssh/id_rsa", "repository-pattern\u0000",
        "", ".", "/",
    ],
)  # fmt: skip
def test_a_name_that_is_no_pattern_is_not_found_whatever_lies_there(client, name):
    error = error_of(client, VALIDATE, code="eval('x')", pattern_name=name)

    assert (error["code"], error["message"]) == (-32602, f"pattern not found: {name}")
    assert error["data"]["available"] == ["layered-imports", "repository-pattern"]


@proves("S0-66", "S0-69", "S0-81")
def test_a_failure_is_told_without_its_cause_and_the_tools_that_need_no_index_go_on(tmp_path):
    project = Project(tmp_path / "hunter2")
    write_architecture(project)
    (project.state / "index.db").mkdir(parents=True)
    with served(project) as client:
        failed = error_of(client, SEARCH, query="repository")
        new = client.request("tools/call", name=SEARCH, arguments={"query": "repository"}, _meta=MODERN)["result"]
        validated = call(client, VALIDATE, code="import sqlite3", pattern_name="repository-pattern", language="python")
        aligned = call(client, ALIGN, decision_description="Use PostgreSQL for orders")
        read = client.request("resources/read", uri="architecture://adr/001")

    assert failed["code"] == -32002
    assert (failed["data"]["tool"], failed["data"]["code"]) == (SEARCH, "TOOL_EXECUTION_FAILED")
    assert json.loads(new["content"][0]["text"]) == {"error": failed["message"], "code": -32002, "tool": SEARCH}
    assert not any(secret in json.dumps([failed, new]) for secret in ("hunter2", "index.db", ".py", "Traceback"))
    assert validated["compliant"] is False
    assert aligned["related_adrs"]
    assert "result" in read


@proves("U0-14")
@pytest.mark.parametrize(
    ("tool", "arguments", "promised_seconds"),
    [
        (VALIDATE, {"code": "x = print(1)\n" * 3_846, "pattern_name": "repository-pattern"}, 5.0),
        (SEARCH, {"query": "which database keeps the orders " * 15}, 2.0),
        (ALIGN, {"decision_description": "We will keep the orders in MongoDB. " * 138}, 3.0),
    ],
)
def test_the_longest_arguments_are_answered_in_the_time_that_was_promised(client, tool, arguments, promised_seconds):
    """The specification promises seconds; the least of three counts, because the machine may be busy."""

    def seconds() -> float:
        began = time.monotonic()
        call(client, tool, **arguments)
        return time.monotonic() - began

    assert min(seconds() for _ in range(3)) < promised_seconds


def test_a_blank_description_is_refused_with_a_sentence(client):
    error = error_of(client, ALIGN, decision_description=" \n\t")

    assert error["code"] == -32602
    assert error["message"] == "field decision_description is blank; say what is to be decided"
