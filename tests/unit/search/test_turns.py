"""Whose turn it is to index, and how long one waits for it, on a clock that the test moves."""

import fcntl
import os

import pytest

from fieldguide.search import engine
from fieldguide.search.engine import WAITS, hold_file_turn
from tests.fakes import FakeClock


@pytest.fixture
def clock(monkeypatch):
    clock = FakeClock()
    monkeypatch.setattr(engine, "monotonic", clock)
    return clock


@pytest.fixture
def held(tmp_path):
    """A turn that somebody else has."""
    path = tmp_path / "index.db.indexing"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield path, descriptor
    os.close(descriptor)


def test_another_process_is_waited_for_however_long_it_takes(held, clock, monkeypatch):
    path, descriptor = held
    told: list[str] = []

    def work(seconds):
        """What the other does meanwhile: work, and its end after ten minutes."""
        clock.advance(5.0)
        if clock.now > 1600.0:
            fcntl.flock(descriptor, fcntl.LOCK_UN)

    monkeypatch.setattr(engine, "sleep", work)

    with hold_file_turn(str(path), told.append):
        waited = clock.now - 1000.0

    assert waited > 600
    assert told == [WAITS]
