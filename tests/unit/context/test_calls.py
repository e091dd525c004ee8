"""The context tools in process: failures that no client can arrange, limits over time, slow calls."""

import json
from typing import Any

import pytest

from fieldguide.app import build_app
from fieldguide.search.indexes.document_store import StoredSource
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Tool
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.storage.sqlite import SqliteDatabase
from fieldguide.text.errors import Failure, StorageFailed
from fieldguide.toolsets.context.tools import toolset
from fieldguide.wire.protocol import Connection
from tests.fakes import FakeClock, FakeEmbedder, make_services
from tests.proves import proves


class FailingEngine:
    """An engine that holds something and can't search it."""

    embedder = FakeEmbedder("lock")

    def sources(self, kind: str) -> list[StoredSource]:
        return [StoredSource(id=1, name="rule\n", details={}, documents=1, is_synced=True)]

    def query_vector(self, *question: Any) -> None:
        raise StorageFailed("The index is away.")


@pytest.fixture
def served(project, tmp_path):
    """The context toolset over a fresh database, with whatever engine a test gives it."""
    database = SqliteDatabase(lambda: str(tmp_path / "fieldguide.db"), [FINDINGS_SCHEMA], lambda notice: None)

    def serve(engine: Any) -> Any:
        return toolset(make_services(project.root, database=database, engine=engine))

    yield serve
    database.close()


def asked(given, tool, **arguments):
    lines: list[str] = []
    app = build_app(Settings(), (given,), write_journal=lines.extend)
    result = app.answer("tools/call", {"name": tool, "arguments": arguments}, Connection(id="test"))
    app.executor.journal.flush()
    return result, [json.loads(line) for line in lines]


@proves("S3-20")
def test_a_search_that_fails_is_told_with_the_way_out(served):
    result, journal = asked(served(FailingEngine), "context_search", query="which lock")

    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"]) == {
        "error": "Search failed",
        "message": "The index is away.",
        "fallback": "Try using grep_codebase for text search",
        "tool": "context_search",
    }
    assert journal[-1]["cause"] == "StorageFailed: The index is away."


@proves("S3-19")
def test_a_model_that_cannot_even_be_opened_is_an_embedding_that_failed(served):
    def engine():
        raise Failure("The embedding endpoint models.example can't be reached.")

    result, _ = asked(served(engine), "context_search", query="which lock")

    assert json.loads(result["content"][0]["text"]) == {
        "error": "Failed to generate query embedding",
        "details": "The embedding endpoint models.example can't be reached.",
        "tool": "context_search",
    }


def tools(served):
    return {tool.name: tool for tool in served(FailingEngine).tools}


@proves("S3-65", "S3-66", "S3-67", "S3-68")
@pytest.mark.parametrize(
    ("name", "arguments", "milliseconds"),
    [
        ("context_search", {"query": "which lock"}, 5000.0),
        ("read_file", {"path": "a.py"}, 500.0),
        ("read_file", {"path": "a.py", "includeDeps": True}, 2000.0),
        ("grep_codebase", {"pattern": "x"}, 3000.0),
    ],
)
def test_the_journal_alerts_when_a_call_takes_longer_than_its_tool_may(
    served, monkeypatch, name, arguments, milliseconds
):
    tool: Tool = tools(served)[name]
    given = served(FailingEngine)._replace(tools=(tool._replace(run=lambda call: clock.advance(seconds)),))
    clock = FakeClock()
    monkeypatch.setattr("fieldguide.spine.journal.perf_counter", clock)

    seconds = milliseconds / 1000
    _, in_time = asked(given, name, **arguments)
    seconds += 0.001
    _, slow = asked(given, name, **arguments)

    assert [line["message"] for line in in_time] == ["Tool called", "Tool completed"]
    [alert] = [line for line in slow if line["message"] == "Tool slow"]
    assert (alert["tool"], alert["limit"]) == (name, milliseconds)
