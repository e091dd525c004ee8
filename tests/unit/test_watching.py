"""Watched folders: a change is told, what tools leave behind is not, and a stop ends it."""

import threading
from itertools import islice
from typing import Any

import pytest

from fieldguide.watching import watched

QUICK: Any = {"look_milliseconds": 200, "settle_milliseconds": 50}
TURNS = 50


@pytest.fixture
def stopped():
    event = threading.Event()
    yield event
    event.set()


def test_a_quiet_folder_is_told_as_quiet_and_a_change_as_a_change(tmp_path, stopped):
    turns = watched([str(tmp_path)], stopped, **QUICK)
    quiet = next(turns)

    (tmp_path / "a.md").write_text("new")

    assert quiet is False
    assert any(islice(turns, TURNS))


@pytest.mark.parametrize("folder", [".fieldguide", ".git", "node_modules", "src/__pycache__"])
def test_what_tools_write_is_no_change(tmp_path, stopped, folder):
    (tmp_path / folder).mkdir(parents=True)
    turns = watched([str(tmp_path)], stopped, **QUICK)
    next(turns)

    (tmp_path / folder / "index.db").write_text("new")

    assert not any(islice(turns, 3))
    (tmp_path / "a.md").write_text("new")
    assert any(islice(turns, TURNS))


def test_a_watched_folder_may_lie_in_one_that_would_be_ignored_itself(tmp_path, stopped):
    folder = tmp_path / "node_modules" / "docs"
    folder.mkdir(parents=True)
    turns = watched([str(tmp_path / "node_modules"), str(folder)], stopped, **QUICK)
    next(turns)

    (folder / "a.md").write_text("new")

    assert any(islice(turns, TURNS))


@pytest.mark.parametrize("recursive", [True, False])
def test_what_lies_deeper_is_told_where_it_is_wanted(tmp_path, stopped, recursive):
    (tmp_path / "deep").mkdir()
    turns = watched([str(tmp_path)], stopped, recursive=recursive, **QUICK)
    next(turns)

    (tmp_path / "deep" / "a.md").write_text("new")

    assert any(islice(turns, 5)) is recursive


def test_a_stop_ends_it(tmp_path, stopped):
    turns = watched([str(tmp_path)], stopped, **QUICK)
    next(turns)

    stopped.set()

    assert list(islice(turns, TURNS)) == []
