"""`context_search`: discoveries, sessions and code, best first, and what it says when there is nothing to search."""

import json
import re
import sqlite3
from contextlib import closing

import pytest

from tests.context_wires import DISCOVERIES, ask_by_command, refusal, write_code
from tests.embedding_server import Reply, embedding_server
from tests.processes import eventually
from tests.proves import proves
from tests.raw_client import RawClient
from tests.servers import run

FIELDS = ["id", "type", "content", "module", "session", "date", "score", "source"]
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
NOTHING_KNOWN = {
    "error": "No embeddings found. Run initial session to generate context.",
    "fallback": "Use grep_codebase for text search",
    "tool": "context_search",
}
NOT_READY = {
    "error": "No embeddings available",
    "suggestion": "Use grep_codebase for text search",
    "action": "Embeddings will be generated in background",
    "tool": "context_search",
}


@pytest.fixture(scope="module")
def ask(code_wires):
    """By the command line, which no rate limit holds up."""
    return code_wires["call"]


def found(ask, query, **options):
    return ask("context_search", query=query, **options).value["results"]


def asked(client, **arguments):
    result = client.call("context_search", **arguments)
    return json.loads(result["content"][0]["text"])


def kept(project):
    with closing(sqlite3.connect(project.state / "fieldguide.db")) as connection:
        return list(connection.iterdump())


@proves("S3-4", "S3-12", "S3-13", "S3-14", "D-19", "S3-72")
def test_what_is_known_is_told_best_first(ask):
    told = ask("context_search", query="JWT authentication", limit=5)
    value = told.value

    assert list(value) == ["results", "query", "totalFound", "searchTime"]
    assert value["query"] == "JWT authentication"
    assert value["totalFound"] >= len(value["results"]) == 5
    best = value["results"][0]
    assert (best["type"], best["module"], best["source"]) == ("pattern", "auth", "discovery")
    assert best["content"] == "Use JWT tokens in httpOnly cookies for authentication"
    assert UUID.fullmatch(best["id"])
    assert UUID.fullmatch(best["session"])
    scores = [item["score"] for item in value["results"]]
    assert scores == sorted(scores, reverse=True)
    for item in value["results"]:
        assert list(item)[: len(FIELDS)] == FIELDS
        assert 0 <= item["score"] <= 1
        assert MOMENT.fullmatch(item["date"])
    assert told.texts == [json.dumps(value, indent=2, ensure_ascii=False)]


@proves("S3-14", "S3-11")
def test_five_at_most_unless_said_otherwise(ask):
    assert len(found(ask, "tokens and people")) == 5
    assert len(found(ask, "tokens and people", limit=1)) == 1
    assert len(found(ask, "tokens and people", limit=20)) > 5


@proves("S3-15", "S3-9", "D-20")
@pytest.mark.parametrize("kind", ["pattern", "rule", "decision", "issue"])
def test_a_type_gives_only_discoveries_of_that_type(ask, kind):
    items = found(ask, "token refresh race in the repository", type=kind, limit=20)

    assert sorted(item["content"] for item in items) == sorted(each[2] for each in DISCOVERIES if each[0] == kind)
    assert {item["source"] for item in items} == {"discovery"}


@proves("S3-15", "S3-10", "S3-16")
def test_a_module_gives_its_discoveries_and_the_code_of_its_files(ask):
    items = found(ask, "token refresh", module="users", limit=20)

    assert {item["module"] for item in items} == {"users"}
    assert {item["source"] for item in items} == {"discovery", "code"}
    assert {item["path"] for item in items if item["source"] == "code"} == {"src/server/users/UserRepository.ts"}


@proves("S3-15", "S3-23")
def test_filters_combine_and_come_before_the_ranking(ask):
    items = found(ask, "JWT cookies authentication", type="pattern", module="users", limit=1)

    assert [item["content"] for item in items] == ["Repositories return plain records, never rows"]
    assert found(ask, "JWT cookies", type="rule", module="auth") == []


@proves("S3-16", "D-20")
def test_all_covers_discoveries_sessions_and_code(ask):
    items = found(ask, "session that looked at UserRepository.ts", limit=20)

    by_source = {item["source"]: item for item in reversed(items)}
    assert set(by_source) == {"discovery", "session", "code"}
    session, code = by_source["session"], by_source["code"]
    assert session["type"] == "session"
    assert session["session"] == session["id"]
    assert "src/server/users/UserRepository.ts" in session["content"]
    assert code["id"] == f"{code['path']}#L{code['startLine']}-L{code['endLine']}"


@proves("S3-17", "D-21", "S3-72")
@pytest.mark.parametrize("query", ["", "a", "ab"])
def test_a_query_that_is_too_short_is_told_in_the_specified_words(code_wires, query):
    for ask in code_wires.values():
        told = refusal(ask("context_search", query=query))

        assert (told["error"], told["tool"]) == ("Query must be at least 3 characters", "context_search")
        [issue] = told["details"]
        assert (issue["code"], issue["minimum"], issue["path"]) == ("too_small", 3, ["query"])


@proves("S3-61", "D-21", "S3-8", "S3-9", "S3-11")
@pytest.mark.parametrize(
    ("arguments", "issue"),
    [
        ({}, {"code": "invalid_type", "path": ["query"]}),
        ({"query": "x" * 501}, {"code": "too_big", "path": ["query"], "maximum": 500}),
        ({"query": "abc", "limit": 21}, {"code": "too_big", "path": ["limit"], "maximum": 20}),
        ({"query": "abc", "limit": 0}, {"code": "too_small", "path": ["limit"], "minimum": 1}),
        ({"query": "abc", "limit": 2.5}, {"code": "invalid_type", "path": ["limit"]}),
        ({"query": "abc", "type": "idea"}, {"code": "invalid_enum_value", "path": ["type"]}),
    ],
)
def test_arguments_that_do_not_fit_are_told_as_issues(code_wires, arguments, issue):
    told = refusal(code_wires["stdio"]("context_search", **arguments))

    assert (told["error"], told["tool"]) == ("Invalid parameters", "context_search")
    assert issue.items() <= told["details"][0].items()


@proves("S3-18", "D-22")
def test_a_project_of_which_nothing_is_known_says_so(project):
    project.write("README.md", "# Only words\n")
    with RawClient(project.root, "--toolsets", "context").ready() as client:
        over_stdio = asked(client, query="anything at all")

    assert over_stdio == NOTHING_KNOWN
    assert refusal(ask_by_command(project)("context_search", query="anything")) == NOTHING_KNOWN


@proves("S3-16")
def test_the_first_search_of_a_project_that_was_never_indexed_waits_for_its_code(project):
    write_code(project)
    with RawClient(project.root, "--toolsets", "context").ready() as client:
        best = asked(client, query="who refreshes tokens before they expire")["results"][0]

    assert (best["path"], best["module"]) == ("src/server/auth/TokenManager.ts", "auth")


@pytest.fixture
def remote(project, tmp_path):
    """A server whose model is behind an endpoint, and that endpoint."""
    with embedding_server() as endpoint:
        extra = {
            "FIELDGUIDE_SEARCH_MODEL": "openai:small",
            "FIELDGUIDE_SEARCH_ENDPOINT": endpoint.address,
            "FIELDGUIDE_SEARCH_DIMENSIONS": "4",
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }
        with RawClient(project.root, "--toolsets", "context,guide", extra_environment=extra).ready() as client:
            yield client, endpoint


@proves("S3-22", "S3-23", "S3-74")
def test_a_search_embeds_its_query_once_and_changes_nothing(remote, project):
    client, endpoint = remote
    client.call("guide_record", type="rule", content="Callers must hold the lock")
    assert eventually(lambda: "indexing" not in asked(client, query="is the first pass over"), every=1.5)
    before, rows = len(endpoint.requests), kept(project)

    [item] = asked(client, query="which lock")["results"]
    _, _, journal = client.leave()

    assert item["content"] == "Callers must hold the lock"
    assert [len(batch) for batch in endpoint.batches[before:]] == [1]
    assert "which lock" in endpoint.batches[-1][0]
    lines = [line for line in journal if line["message"] == "Context searched"]
    assert (lines[-1]["query"], lines[-1]["results"]) == ("which lock", 1)
    assert kept(project) == rows


@proves("S3-19")
def test_a_query_that_cannot_be_embedded_is_told_with_the_reason(remote):
    client, endpoint = remote
    client.call("guide_record", type="rule", content="Callers must hold the lock")
    endpoint.replies.append(Reply(status=401))

    told = asked(client, query="which lock")

    assert told == {
        "error": "Failed to generate query embedding",
        "details": f"The embedding endpoint {endpoint.host} answered 401. It does not take the key.",
        "tool": "context_search",
    }


@proves("S3-21", "D-22")
def test_discoveries_that_are_not_embedded_yet_are_told_as_such(remote, project):
    client, endpoint = remote
    endpoint.replies += [Reply(status=400)] * 50
    run("findings", "add", "Callers must hold the lock", "--type", "rule", "--project", project.root)
    (project.state / "index.db").unlink()

    assert asked(client, query="which lock") == NOT_READY


MOST = {"context_search": 30, "read_file": 100, "grep_codebase": 60}
ARGUMENTS = {
    "context_search": {"query": "who refreshes tokens"},
    "read_file": {"path": "src/index.ts"},
    "grep_codebase": {"pattern": "AuthService"},
}


@pytest.fixture(scope="module")
def client(code_project):
    """One server: each tool has its own minute."""
    with RawClient(code_project.root, "--toolsets", "context").ready() as client:
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
