"""Calls from one's own process go the way of every call: time limit, journal and answer."""

import threading

import pytest

from fieldguide.app import build_app
from fieldguide.settings.config import Settings
from fieldguide.spine.tool import Pace, Tool
from fieldguide.spine.toolset import Toolset
from fieldguide.text.errors import ToolTimeout


@pytest.fixture
def lines():
    return []


@pytest.fixture
def executor(lines):
    """An executor over a tool that answers and one that never does."""
    stuck = threading.Event()
    schema = {"type": "object", "properties": {}}
    tools = (
        Tool(name="answer", description="For this test.", input_schema=schema,
         run=lambda call: {"thread": threading.get_ident()}),
        Tool(name="hang", description="For this test.", input_schema=schema, run=lambda call: stuck.wait(30),
         pace=Pace(timeout_seconds=0.05)),
    )  # fmt: skip
    app = build_app(Settings(), (Toolset(name="testing", tools=tools),), write_journal=lines.extend)
    yield app.executor
    stuck.set()


def test_a_call_that_takes_too_long_ends_by_the_time_limit(executor):
    with pytest.raises(ToolTimeout, match="took longer than"):
        executor.call("hang", {})


def test_every_call_is_in_the_journal_and_counted(executor, lines):
    executor.call("answer", {})

    executor.journal.flush()

    assert executor.journal.metrics.per_tool()["answer"]["calls"] == 1
    assert any('"Tool completed"' in line and '"in-process"' in line for line in lines)
