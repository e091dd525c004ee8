"""How each toolset's errors look on the wire, in both eras."""

import json

import pytest

from tests.proves import proves
from tests.raw_client import MODERN, RawClient


def ask(client, tool, arguments=None, meta=None):
    return client.request("tools/call", name=tool, arguments=arguments or {}, **({"_meta": meta} if meta else {}))


def text_of(answer):
    return answer["result"]["content"][0]["text"]


@pytest.fixture
def client(project):
    with RawClient(project.root, with_test_toolsets=True).ready() as client:
        yield client


@proves("S0-15", "S0-64", "S0-69", "U0-17")
def test_architecture_refuses_arguments_with_invalid_params_and_details(client):
    for arguments, message in (
        ({}, "missing required argument: text"),
        ({"text": 5}, "field text must be a string"),
        ({"text": "x" * 11}, "field text exceeds maximum length of 10"),
        ({"text": "x", "count": 0}, "field count must be at least 1"),
        ({"text": "x", "count": 6}, "field count must be at most 5"),
        ({"text": "x", "count": "5"}, "field count must be an integer"),
        ({"text": "x", "count": True}, "field count must be an integer"),
        ({"text": "x", "count": 1.0}, "field count must be an integer"),
        ({"text": "x", "kind": "c"}, "field kind has invalid value, must be one of allowed values"),
        ({"text": "x", "extra": 1}, "unexpected argument: extra"),
    ):
        error = ask(client, "architecture-limited", arguments)["error"]
        assert (error["code"], error["message"]) == (-32602, message)
        assert error["data"]["tool"] == "architecture-limited"
        assert [issue["message"] for issue in error["data"]["issues"]] == [message]


@proves("S0-63", "S0-66", "S0-67", "S0-68", "S0-76")
def test_architecture_errors_are_json_rpc_errors_with_the_specified_codes(client):
    for tool, arguments, code, message in (
        ("architecture-fail", {}, -32002, "The tool architecture-fail failed unexpectedly."),
        ("architecture-slow", {"seconds": 5}, -32003, "The tool architecture-slow took longer than 0.2 seconds."),
        ("architecture-declined", {}, -32602, "thing not known: 7"),
        ("architecture-missing", {}, -32002, "Thing not found"),
        ("architecture-limited", {}, -32602, "missing required argument: text"),
    ):
        error = ask(client, tool, arguments)["error"]
        new = ask(client, tool, arguments, MODERN)
        assert (error["code"], error["message"]) == (code, message)
        assert "secret" not in json.dumps(error)
        assert new["result"]["isError"]
        told = json.loads(text_of(new))
        assert (told["code"], told["tool"]) == (code, tool)
        assert tool == "architecture-declined" or set(told) == {"error", "code", "tool"}


@proves("S0-70", "U0-10", "D-7")
def test_five_failures_open_the_breaker_and_refusals_never_do(client):
    for _ in range(8):
        ask(client, "architecture-declined")
        ask(client, "architecture-limited")
    failures = [ask(client, "architecture-fail")["error"]["code"] for _ in range(5)]

    opened = ask(client, "architecture-fail")["error"]
    others = ask(client, "architecture-declined")["error"]

    assert failures == [-32002] * 5
    assert (opened["code"], opened["message"]) == (-32603, "Circuit breaker 'tool_architecture-fail' is open")
    assert others["code"] == -32602


@proves("S0-65", "D-6")
def test_a_name_of_no_toolset_is_a_json_rpc_error_with_the_names_that_exist(client):
    error = ask(client, "nothing")["error"]

    assert (error["code"], error["message"]) == (-32001, "Tool not found: nothing")
    assert error["data"]["tool"] == "nothing"
    assert "directive/file.get" in error["data"]["available"]


def test_an_unknown_tool_is_invalid_params_in_the_new_era(client):
    assert ask(client, "nothing", meta=MODERN)["error"]["code"] == -32602


def test_a_toolset_from_outside_tells_its_errors_in_a_dialect_of_its_own(client):
    adverse = ask(client, "verse-limited", {})["error"]
    missing, unknown = ask(client, "verse-missing")["result"], ask(client, "verse-unheard")["result"]

    assert (adverse["code"], adverse["message"]) == (4711, "verse-limited is adverse")
    assert [issue["message"] for issue in adverse["data"]["issues"]] == ["missing required argument: text"]
    assert missing == {"content": [{"type": "text", "text": "Alas: Thing not found"}], "isError": True}
    assert unknown == {"content": [{"type": "text", "text": "No verse-unheard was ever sung."}], "isError": True}


@proves("S3-6", "D-6")
def test_context_alone_answers_an_unknown_tool_in_its_own_words(project):
    with RawClient(project.root, "--toolsets", "speaking-context", with_test_toolsets=True).ready() as client:
        result = ask(client, "nothing")["result"]

    assert result == {
        "content": [{"type": "text", "text": '{"error":"Unknown tool: nothing","tool":"nothing"}'}],
        "isError": True,
    }


@proves("S3-5", "S3-7")
@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("context-fail", {"error": "The tool context-fail failed unexpectedly.", "tool": "context-fail"}),
        ("context-missing", {"error": "Thing not found", "thing": 7, "tool": "context-missing"}),
    ],
)
def test_context_errors_are_results_with_json(client, tool, told):
    answer = ask(client, tool)

    assert answer["result"]["isError"]
    assert json.loads(text_of(answer)) == told


@proves("S3-63", "S3-64")
def test_context_says_when_a_rate_limit_is_reached(client):
    allowed = [ask(client, "context-rare")["result"].get("isError") for _ in range(2)]

    refused = ask(client, "context-rare")
    another = ask(client, "documents-rare")

    assert allowed == [None, None]
    assert refused["result"]["isError"]
    told = json.loads(text_of(refused))
    assert (told["error"], told["tool"]) == ("Rate limit exceeded for context-rare", "context-rare")
    assert "isError" not in another["result"]


@proves("S0-78")
def test_a_tool_without_a_limit_is_never_limited(client):
    answers = [ask(client, "architecture-limited", {"text": "x"}) for _ in range(150)]

    assert [answer for answer in answers if "result" not in answer or answer["result"].get("isError")] == []


def test_documents_say_a_plain_sentence_for_what_is_missing_and_an_error_otherwise(client):
    missing = ask(client, "documents-missing")["result"]
    failed = ask(client, "documents-fail")["result"]

    assert missing == {"content": [{"type": "text", "text": "Thing not found"}]}
    assert failed["isError"]
    assert failed["content"][0]["text"] == "Error: The tool documents-fail failed unexpectedly."


def test_tasks_say_an_object_with_an_error(client):
    answer = ask(client, "tasks-missing")

    assert answer["result"]["isError"]
    assert json.loads(text_of(answer)) == {"error": "Thing not found", "thing": 7}


def test_no_path_stack_or_secret_leaks_from_a_tool_that_raises(client):
    for tool in ("documents-fail", "tasks-fail", "context-fail", "fail", "architecture-fail"):
        whole = json.dumps(ask(client, tool))
        assert "failed" in whole
        assert not any(leak in whole for leak in ("secret", "Traceback", ".py"))
