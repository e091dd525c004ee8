"""Whose turn it is to index, and how long one waits for it, on a clock that the test moves."""

import fcntl
import os

import pytest

from fieldguide.search import engine
from fieldguide.search.engine import WAITS, hold_file_turn
from fieldguide.text.errors import StorageFailed
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


def test_one_that_shows_signs_of_life_is_waited_for_however_long_it_takes(held, clock, monkeypatch):
    path, descriptor = held
    told: list[str] = []
    beats = iter(range(1, 1000))

    def work(seconds):
        """What the other does meanwhile: five seconds of work, a sign of life, and its end after ten minutes."""
        clock.advance(5.0)
        os.utime(path, (0, next(beats)))
        if clock.now > 1600.0:
            fcntl.flock(descriptor, fcntl.LOCK_UN)

    monkeypatch.setattr(engine, "sleep", work)

    with hold_file_turn(str(path), told.append):
        waited = clock.now - 1000.0

    assert waited > 600
    assert told == [WAITS]


def test_one_that_was_stopped_in_the_middle_is_given_up(held, clock, monkeypatch):
    path, _ = held
    monkeypatch.setattr(engine, "sleep", lambda seconds: clock.advance(1.0))

    with (
        pytest.raises(StorageFailed, match="does not come to an end"),
        hold_file_turn(str(path), lambda sentence: None),
    ):
        pass

    assert 30.0 < clock.now - 1000.0 < 40.0


def test_who_has_the_turn_shows_it_again_and_again(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "BEAT_SECONDS", 0.001)
    path = tmp_path / "index.db.indexing"
    seen: set[int] = set()

    with hold_file_turn(str(path), lambda sentence: None):
        for _ in range(1_000_000):
            seen.add(path.stat().st_mtime_ns)
            if len(seen) > 3:
                break

    assert len(seen) > 3
