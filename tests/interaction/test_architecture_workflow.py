"""The memory of a prompt: what it was given, a later tool call may leave out."""

import pytest

from tests.architecture_projects import (
    HttpClient,
    call,
    error_of,
    served,
    served_over_http,
    value_of,
    write_architecture,
    write_prompt,
)
from tests.proves import proves
from tests.raw_client import MODERN

CODE = "from sqlite3 import connect\n"
HANDLE = "fieldguide/workflow"
DECISION = {"name": "decision_description", "description": "What is decided", "required": True}
CONTEXT = {"name": "context", "description": "Why", "required": False}


def start(client, prompt, _meta=None, **arguments):
    """Get a prompt: the metadata that names its workflow."""
    more = {"_meta": _meta} if _meta else {}
    return client.request("prompts/get", name=prompt, arguments=arguments, **more)["result"]["_meta"]


def call_in(client, meta, tool, **arguments):
    return value_of(client.request("tools/call", name=tool, arguments=arguments, _meta=meta))


def missing(answer):
    return answer["error"]["code"], answer["error"]["message"]


@pytest.fixture
def client(project):
    write_architecture(project)
    with served(project) as client:
        yield client


@proves("S0-61", "S0-81")
def test_what_the_latest_prompt_was_given_may_be_left_out(client):
    start(client, "guided-pattern-validation", code=CODE, pattern_name="repository-pattern")

    bare = client.request("tools/call", name="validate-against-pattern")
    named = call(client, "validate-against-pattern", pattern_name="layered-imports")
    code = call(client, "validate-against-pattern", code="def total():\n    return 1\n")

    assert value_of(bare)["pattern"] == "repository-pattern"
    assert [each["rule"] for each in value_of(bare)["violations"]] == ["no-driver-in-services"]
    assert named["pattern"] == "layered-imports"
    assert (code["pattern"], code["compliant"]) == ("repository-pattern", True)


def test_each_tool_finds_its_argument_under_the_names_that_prompts_use(project):
    write_architecture(project)
    write_prompt(project, "decide", "{{decision_description}}", arguments=[DECISION, CONTEXT])
    with served(project) as client:
        for prompt, arguments, tool, kept in (
            ("suggest-patterns", {"problem": "repository"}, "search-architecture", "results"),
            ("suggest-patterns", {"problem": "repository " * 150}, "search-architecture", "results"),
            ("create-adr", {"topic": "PostgreSQL for orders"}, "search-architecture", "results"),
            ("create-adr", {"topic": "PostgreSQL for orders"}, "check-adr-alignment", "related_adrs"),
            ("decide", {"decision_description": "Orders", "context": "Why"}, "check-adr-alignment", "related_adrs"),
        ):
            start(client, prompt, **arguments)
            assert call(client, tool)[kept], prompt


def test_a_call_that_has_all_it_needs_takes_nothing_from_a_prompt_that_it_does_not_name(client):
    meta = start(client, "guided-pattern-validation", code=CODE, pattern_name="layered-imports", language="cobol")
    whole = {"code": "import sqlite3\n", "pattern_name": "repository-pattern"}

    alone = call(client, "validate-against-pattern", **whole)
    named = call_in(client, meta, "validate-against-pattern", **whole)
    recalled = call_in(client, meta, "validate-against-pattern", pattern_name="repository-pattern")

    assert "cobol" not in str(alone["suggestions"]) + str(named["suggestions"])  # that was the language of other code
    assert "cobol" in str(recalled["suggestions"])


@proves("S0-61")
def test_a_named_workflow_wins_over_the_latest_one(client):
    first = start(client, "guided-pattern-validation", code=CODE, pattern_name="repository-pattern")
    start(client, "guided-pattern-validation", code="x = 1\n", pattern_name="layered-imports")

    named = call_in(client, first, "validate-against-pattern")
    latest = call(client, "validate-against-pattern")

    assert (named["pattern"], named["compliant"]) == ("repository-pattern", False)
    assert latest["pattern"] == "layered-imports"


@proves("S0-61")
def test_the_new_era_remembers_only_what_is_named(client):
    meta = start(client, "suggest-patterns", problem="repository", _meta=MODERN)

    named = client.request("tools/call", name="search-architecture", _meta={**MODERN, **meta})
    unnamed = client.request("tools/call", name="search-architecture", _meta=MODERN)
    of_the_connection = error_of(client, "search-architecture")

    assert named["result"]["structuredContent"]["results"]
    assert unnamed["result"]["isError"]
    assert of_the_connection["message"] == "missing required argument: query"


@proves("S0-62")
def test_two_connections_have_two_memories(project):
    write_architecture(project)
    with served_over_http(project) as url:
        ann, bob = HttpClient(url), HttpClient(url)
        start(ann, "suggest-patterns", problem="repository")
        nothing = error_of(bob, "search-architecture")["message"]
        meta = start(bob, "suggest-patterns", problem="kafka")

        of_ann = call(ann, "search-architecture")
        of_bob = call(bob, "search-architecture")
        lent = call_in(ann, meta, "search-architecture")

    assert nothing == "missing required argument: query"
    assert of_ann["results"][0]["uri"] == "architecture://patterns/repository-pattern"
    assert of_bob["results"][0]["uri"] == "architecture://adr/002-publish-domain-events"
    assert lent == of_bob


@proves("S0-62")
def test_nothing_is_remembered_after_a_restart(project):
    write_architecture(project)
    with served(project) as client:
        meta = start(client, "suggest-patterns", problem="repository")
        assert call(client, "search-architecture")["results"]
    with served(project) as client:
        latest = client.request("tools/call", name="search-architecture")
        named = client.request("tools/call", name="search-architecture", _meta=meta)

    assert missing(latest) == (-32602, "missing required argument: query")
    assert named["error"]["code"] == -32602
    assert HANDLE in named["error"]["message"]
    assert HANDLE not in {path.name for path in project.state.iterdir()}


def test_a_handle_that_was_never_given_is_refused_or_none(client):
    asked = {"name": "search-architecture", "arguments": {"query": "x"}}

    assert "result" in client.request("tools/call", **asked, _meta={HANDLE: None})
    for handle in ("made-up", "", 5, ["x"]):
        assert client.request("tools/call", **asked, _meta={HANDLE: handle})["error"]["code"] == -32602


def test_an_argument_is_checked_wherever_it_came_from(client):
    start(client, "guided-pattern-validation", code=CODE, pattern_name="nothing")

    assert error_of(client, "validate-against-pattern")["message"] == "pattern not found: nothing"


def test_a_prompt_that_was_refused_is_not_remembered(client):
    client.request("prompts/get", name="suggest-patterns", arguments={"problem": "x" * 2001})

    assert error_of(client, "search-architecture")["message"] == "missing required argument: query"
