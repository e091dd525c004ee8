"""The one upkeep of all toolsets: when it passes, what over, when it rests, and what it tells."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest

import fieldguide.files.watch
from fieldguide.files.watch import WatchedChanges, WatchedPlace
from fieldguide.search import backlog
from fieldguide.search.backlog import Backlog, SourceFile, WaitingFiles
from fieldguide.search.indexes.document_store import StoredSource
from fieldguide.search.types import SearchSource
from fieldguide.text.cancellation import Cancellation, Stop
from fieldguide.text.errors import Misconfiguration, StorageFailed
from fieldguide.toolsets import upkeep
from fieldguide.toolsets.upkeep import LateUpkeep, PassResult
from tests.processes import PATIENCE_SECONDS

ONE = WatchedChanges(frozenset({"/p/a.md"}))


class World:
    """A toolset whose passes are scripted, and watches that tell what the script says; it ends with the script."""

    shortage = ""

    def __init__(self, *steps: Any) -> None:
        self.steps: list[Any] = list(steps)
        self.told: list[Any] = []
        self.passes: list[Any] = []
        self.waits: list[Any] = []
        self.opened: list[Any] = []
        self.left = 0
        self.outcomes: dict[int, Any] = {}
        self.on_pass = lambda: None
        self.kept_places = (WatchedPlace("/p", "tree"),)
        self.title = "The things"
        self.stopped = Stop()

    def places(self):
        return self.kept_places

    def follow(self, seen):
        self.passes.append(seen)
        self.on_pass()
        outcome = self.outcomes.get(len(self.passes), PassResult(is_whole=seen is None))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def watching(self, *, is_whole):
        pass

    def leave(self):
        self.left += 1

    def open(self, places, stopped):
        self.opened.append(tuple(places))
        return self

    def wait(self, seconds):
        self.waits.append(seconds)
        if not self.steps:
            self.stopped.set()
            return None
        step = self.steps.pop(0)
        return step() if callable(step) else step

    def close(self):
        pass

    def note(self, message, **fields):
        self.told.append((message, fields.get("notice")))


@pytest.fixture
def kept(monkeypatch):
    """Keeps a scripted toolset until its script ends."""
    monkeypatch.setattr(upkeep, "START_SECONDS", 0.0)
    monkeypatch.setattr(upkeep, "BETWEEN_WATCHES_SECONDS", 0.0)
    monkeypatch.setattr(upkeep, "monotonic", lambda: 1000.0)  # a busy machine does not shorten what is waited for
    monkeypatch.setattr(LateUpkeep, "_index", lambda self: [])

    def keep(world):
        monkeypatch.setattr(fieldguide.files.watch, "open_watch", world.open)
        whole = SimpleNamespace(file=None)
        services: Any = SimpleNamespace(note=world.note, engine=lambda: whole, project=SimpleNamespace(root="/p"))
        late = LateUpkeep(services, lambda services: world)
        thread = threading.Thread(target=late.keep, args=(world.stopped,), daemon=True)
        thread.start()
        thread.join(PATIENCE_SECONDS)
        assert not thread.is_alive()
        world.stopped.close()
        return world

    return keep


def test_after_the_first_pass_it_looks_at_what_changed_and_waits_without_end(kept):
    world = kept(World(ONE))

    assert world.passes == [None, ONE]
    assert world.waits == [None, None]
    assert world.left == 1


def test_what_fails_is_told_once_and_tried_again_after_a_growing_rest(kept):
    world = World(None, None, ONE)
    world.outcomes = dict.fromkeys((1, 2, 3), StorageFailed("The disk is full."))
    kept(world)

    assert world.told == [("Indexing", "The things could not be indexed: The disk is full.")]
    assert world.passes == [None, None, None, None]  # also after a change: something else may have been missed
    assert world.waits == [2.0, 4.0, 8.0, None]


def test_what_only_another_file_can_mend_is_not_tried_again_until_something_changes(kept):
    world = World(WatchedChanges(is_elsewhere=True))
    world.outcomes = {1: Misconfiguration("context.json can't be read.")}
    kept(world)

    assert world.waits == [None, None]
    assert len(world.opened) == 2


def test_a_part_that_failed_is_tried_again_over_everything(kept):
    world = World(ONE, None)
    world.outcomes = {2: PassResult(has_failed=True)}
    kept(world)

    assert world.passes == [None, ONE, None]


def test_what_is_half_written_is_looked_at_again_soon_and_nothing_else(kept):
    world = World(None)
    world.outcomes = {1: PassResult(is_whole=True, look_again_seconds=0.2)}
    kept(world)

    assert world.passes == [None, WatchedChanges()]
    assert world.waits[0] == pytest.approx(0.2)


def test_what_is_derived_is_made_after_a_pass_and_its_failure_harms_nothing(kept):
    world = World(ONE)
    made: list[int] = []

    def fail() -> None:
        raise RuntimeError("no room")

    world.outcomes = {
        1: PassResult(is_whole=True, afterwards=fail),
        2: PassResult(afterwards=lambda: made.append(len(world.waits))),
    }
    kept(world)

    assert world.told == [("Indexing", "The things: what is derived from it could not be made: no room")]
    assert made == [1], "before the next wait"
    assert world.waits == [None, None]


def test_more_than_a_watch_can_tell_is_a_pass_over_everything(kept):
    assert kept(World(WatchedChanges(is_everything=True))).passes == [None, None]


def test_places_that_are_others_now_are_watched_instead(kept):
    world = World()

    def move():
        world.kept_places = (WatchedPlace("/q", "tree"),)
        return WatchedChanges(is_elsewhere=True)

    world.steps = [move, ONE]
    kept(world)

    assert world.opened == [(WatchedPlace("/p", "tree"),), (WatchedPlace("/q", "tree"),)]
    assert world.passes == [None, None, ONE]


def test_a_whole_pass_that_finds_other_places_begins_again(kept):
    world = World()
    world.on_pass = lambda: setattr(world, "kept_places", (WatchedPlace("/q", "tree"),))
    kept(world)

    assert world.opened == [(WatchedPlace("/p", "tree"),), (WatchedPlace("/q", "tree"),)]


def test_what_can_not_be_watched_is_told_and_looked_at_now_and_then(kept):
    world = World(None)
    world.shortage = "Only 3 folders can be watched."
    kept(world)

    assert world.told == [("Indexing", "Only 3 folders can be watched.")]
    assert world.passes == [None, None]
    assert world.waits == [60.0, 60.0]


def test_a_change_long_after_the_last_whole_look_is_an_occasion_for_one(kept, monkeypatch):
    monkeypatch.setattr(upkeep, "WHOLE_LOOK_SECONDS", -1.0)

    assert kept(World(ONE)).passes == [None, None]


class Counted:
    """Something to search of which each look at every file waits until it may go on."""

    def __init__(self, entries=()):
        self.may_go_on = threading.Event()
        self.looks = 0
        self._entries = entries

    def is_whole(self):
        return False

    def backlog(self):
        self.looks += 1
        self.may_go_on.wait(PATIENCE_SECONDS)
        make: Any = None  # no document is made in these tests
        return Backlog([WaitingFiles(SearchSource("documents", "docs"), make, self._entries, 3)])


def early_upkeep(monkeypatch, searched):
    """An upkeep whose project was never indexed, and what was looked for first in its calls."""
    services: Any = SimpleNamespace(
        note=lambda *given, **more: None, engine=lambda: SimpleNamespace(file=None), project=SimpleNamespace(root="/p")
    )
    asked: list[tuple[str, set[str]]] = []

    def put_asked(engine, backlog, question, document, until, seen):
        asked.append((question, set(seen)))
        seen.add(f"page-{len(asked)}.md")
        return 0

    monkeypatch.setattr(backlog, "index_requested", put_asked)
    return LateUpkeep(services, lambda services: searched), asked


CALL: Any = SimpleNamespace(tool="documents_search", cancellation=Cancellation())


def test_a_call_does_not_wait_for_a_look_at_every_file_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(upkeep, "COUNT_SECONDS", 0.0)
    searched = Counted([SourceFile("page.md", "", lambda: b"")])
    late_upkeep, asked = early_upkeep(monkeypatch, searched)

    early = late_upkeep.ready(CALL, searched, question="water a fern")
    searched.may_go_on.set()
    monkeypatch.setattr(upkeep, "COUNT_SECONDS", PATIENCE_SECONDS)
    later = late_upkeep.ready(CALL, searched, question="water a fern")

    assert early is not None
    assert early.sentence().startswith("indexing: the files are still being counted.")
    assert later == (2, 3)
    assert searched.looks == 1
    assert [question for question, _ in asked] == ["water a fern"]


def test_a_question_is_looked_for_until_every_file_was_looked_at(monkeypatch):
    entries = [SourceFile(f"page-{number}.md", "", lambda: b"") for number in (1, 2)]
    searched = Counted(entries)
    searched.may_go_on.set()
    upkeep, asked = early_upkeep(monkeypatch, searched)

    for _ in range(4):
        upkeep.ready(CALL, searched, question="water a fern")

    assert asked == [("water a fern", set()), ("water a fern", {"page-1.md"})]


def test_nobody_waits_for_the_first_pass_over_a_large_project_that_was_indexed_before(monkeypatch):
    monkeypatch.setattr(upkeep, "LARGE_PROJECT_FILES", 2)
    searched = Counted([])
    late_upkeep, _ = early_upkeep(monkeypatch, searched)
    sources = [StoredSource(1, "code", {}, documents=3, is_synced=True)]
    late_upkeep.services = SimpleNamespace(engine=lambda: SimpleNamespace(file=None, sources=lambda kind: sources))
    late_upkeep._is_kept = True

    late_upkeep.expect()
    call: Any = SimpleNamespace(tool="search", cancellation=Cancellation())
    standing = late_upkeep.ready(call, searched, question="water a fern")

    assert standing is not None
    assert standing.sentence().startswith("indexing: the files are still being counted.")
    assert (searched.looks, late_upkeep._asked.is_set()) == (0, False)

    monkeypatch.setattr(upkeep, "START_SECONDS", 0.0)
    looks = [lambda: None, lambda: None, call.cancellation.finish]
    late_upkeep._wait_for_start(SimpleNamespace(wait=lambda seconds: looks.pop(0)() and False))
    assert looks == []

    sources[0] = sources[0]._replace(is_synced=False)
    late_upkeep.expect()

    assert late_upkeep._asked.is_set()
