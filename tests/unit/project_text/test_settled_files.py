"""Files that are only seen whole, on a clock that a test moves."""

import os

import pytest

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.toolsets.architecture import library
from fieldguide.toolsets.architecture.library import SETTLED_SECONDS, SettledFiles
from tests.fakes import FakeClock

NAME = "notes.md"


class DatedClock(FakeClock):
    """A clock that also dates files: what has changed was written when somebody first saw it so."""

    def __init__(self) -> None:
        super().__init__(1_000_000_000.0)
        self._written: dict[tuple[int, ...], float] = {}

    def date(self, status):
        state = (status.st_ino, status.st_mtime_ns, status.st_ctime_ns, status.st_size)
        written = self._written.setdefault(state, self.now)
        exact = {"st_mtime": written, "st_ctime": written}
        return os.stat_result(status, {**exact, "st_mtime_ns": status.st_mtime_ns, "st_ctime_ns": status.st_ctime_ns})


@pytest.fixture
def clock(monkeypatch):
    """The clocks that files are judged by, and the dates of the files themselves."""
    clock = DatedClock()
    read = ConfinedFolder.read_with_status

    def read_dated(self, path, *, limit_bytes):
        content, status = read(self, path, limit_bytes=limit_bytes)
        return content, clock.date(status)

    monkeypatch.setattr(library, "time", clock)
    monkeypatch.setattr(library, "monotonic", clock)
    monkeypatch.setattr(library, "sleep", clock.advance)
    monkeypatch.setattr(ConfinedFolder, "read_with_status", read_dated)
    return clock


@pytest.fixture
def files(project, clock):
    """All files of a project."""
    folder = ConfinedFolder(str(project.root))
    return SettledFiles(folder, lambda: [(path, clock.date(status)) for path, status in folder.entries()])


def texts(files):
    return {path: file.content.decode() for path, file in files.look().items()}


def test_a_change_is_seen_half_a_second_after_the_last_write(project, files, clock):
    project.write(NAME, "one")
    texts(files)

    project.write(NAME, "two")
    at_once = texts(files)
    clock.advance(SETTLED_SECONDS * 0.9)
    soon = texts(files)
    was_unsettled = files.is_unsettled
    clock.advance(SETTLED_SECONDS * 0.2)
    later = texts(files)

    assert at_once == soon == {NAME: "one"}
    assert was_unsettled
    assert later == {NAME: "two"}
    assert files.generation == 2
    assert not files.is_unsettled


def test_a_file_that_somebody_has_open_is_never_seen_however_long_it_takes(project, files, clock):
    project.write(NAME, "one")
    texts(files)

    with open(project.root / NAME, "w", encoding="utf-8") as file:
        file.write("half")
        file.flush()
        seen = []
        for _ in range(5):
            clock.advance(10 * SETTLED_SECONDS)
            seen.append(texts(files)[NAME])
        file.write(" and whole")
    texts(files)
    clock.advance(2 * SETTLED_SECONDS)

    assert seen == ["one"] * 5
    assert texts(files) == {NAME: "half and whole"}


def test_a_file_that_changes_while_it_is_read_is_seen_as_it_was(project, files, clock, monkeypatch):
    project.write(NAME, "one")
    texts(files)
    project.write(NAME, "two")
    texts(files)
    clock.advance(2 * SETTLED_SECONDS)
    read = ConfinedFolder.read_with_status

    def changed_meanwhile(self, path, *, limit_bytes):
        project.write(NAME, "three, longer")
        return read(self, path, limit_bytes=limit_bytes)

    monkeypatch.setattr(ConfinedFolder, "read_with_status", changed_meanwhile)
    during = texts(files)
    monkeypatch.setattr(ConfinedFolder, "read_with_status", read)
    clock.advance(2 * SETTLED_SECONDS)
    texts(files)
    clock.advance(2 * SETTLED_SECONDS)

    assert during == {NAME: "one"}
    assert texts(files) == {NAME: "three, longer"}


def test_where_the_system_does_not_tell_of_writers_the_first_look_waits_once(project, files, monkeypatch, clock):
    monkeypatch.setattr(ConfinedFolder, "is_being_written", lambda self, path: None)
    project.write(NAME, "one")
    before = clock.now

    assert texts(files) == {NAME: "one"}
    assert clock.now - before == SETTLED_SECONDS
