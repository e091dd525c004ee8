"""The one upkeep of all toolsets: what a toolset indexes is kept equal to its files while the project is served.

A thread opens a watch, makes a pass over everything, and then sleeps until something changes: the next pass looks at
what changed. A toolset says what to watch, and how a pass is made (`Tended`).
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fieldguide.errors import FieldguideError, Misconfiguration, Refusal
from fieldguide.spine.contract import Call
from fieldguide.toolset import Progress, Services, cached
from fieldguide.upkeep.served_tree import ServedTree, Stamp
from fieldguide.upkeep.settling import settle
from fieldguide.upkeep.tended import Passed, Tended

if TYPE_CHECKING:  # a start lists tools: nothing is watched on the way there
    from fieldguide.search.early.backlog import Backlog, Searched
    from fieldguide.search.early.others import Others
    from fieldguide.search.early.standing import Standing
    from fieldguide.watching import Place, Seen, Stop, Watch

START_SECONDS = 0.3  # the first answers of a fresh server come before its upkeep
FIRST_PASS_SECONDS = 3.0  # how long a call waits for the first pass over a project that was never indexed
UNCHANGED_SECONDS = 1.5  # the same, where it was indexed before
FEW_FILES = 150  # so many are soon indexed: a call waits for all of them
ASKED_FIRST_SECONDS = 2.0  # how long a call may take to index what it asks for
MOST_REMEMBERED = 1000  # questions whose files are in the index already
LONG_PASS_SECONDS = 0.5  # a pass that takes longer than this is told in the answers that come meanwhile
LONGEST_REST_SECONDS = 60.0  # between two tries of what fails again and again
BETWEEN_WATCHES_SECONDS = 0.1  # folders that come and go all the time must not keep us busy
SHORT_OF_WATCHES_SECONDS = 60.0  # between two looks at what can't be watched
WHOLE_LOOK_SECONDS = 1800.0  # a change that comes so long after the last whole look is an occasion for the next

T = TypeVar("T", bound=Tended)


class LateUpkeep(Generic[T]):
    """The upkeep of one toolset, which imports and makes nothing before somebody asks for it."""

    def __init__(self, services: Services, make: Callable[[Services], T]) -> None:
        self.services = services
        self._make = make
        self._lock = threading.Lock()
        self._made: T | None = None
        self._is_kept = False
        self._tree = ServedTree(services.project.root, self.made_already)
        self._passed: Passed | None = None
        self._first_pass = threading.Event()
        self._patience_began: float | None = None
        self._failures = 0
        self._due: float | None = None
        self._owes_everything = True
        self._looked_at = 0.0
        self._told = ""
        self._passing_since: float | None = None
        self._asked = threading.Event()
        self._put_before: set[tuple[str, str]] = set()
        self.lack = ""
        self.last_standing: Standing | None = None
        self._beside: Sequence[LateUpkeep[Any]] = ()
        self._others = cached(self._made_others)

    def made(self) -> T:
        """What is kept up to date, the same for every call and for the background."""
        with self._lock:
            if self._made is None:
                self._made = self._make(self.services)
            return self._made

    def _made_others(self) -> "Others":
        from fieldguide.search.early.others import Others

        return Others([each.first_standing for each in self._beside])

    def meet(self, all_: "Sequence[LateUpkeep[Any]]") -> None:
        """Learn who else shares the index: the app says so, once."""
        self._beside = [each for each in all_ if each is not self]

    def made_already(self) -> T | None:
        """What is kept up to date, where somebody has asked for it before."""
        return self._made

    def is_at_work(self) -> bool:
        """Whether a pass is under way, or due: what is made from the index may be behind it."""
        return self._passing_since is not None or self._tree.is_behind()

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date once, now."""
        self._passing_since = monotonic()
        try:
            return self.made().refresh(progress)
        finally:
            self._passing_since = None

    def keep(self, stopped: "Stop") -> None:
        """Keep everything up to date until stopped: what goes wrong is told and tried again."""
        self._is_kept = True  # from now on: a call that comes before the first pass has begun waits for it too
        self._wait_for_start(stopped)
        while not stopped.is_set():
            try:
                self._keep_watching(stopped)
            except Exception as error:  # noqa: BLE001  the border of a thread
                self._fail(error)
            stopped.wait(max(BETWEEN_WATCHES_SECONDS, self._seconds_left() or 0.0))
        self._is_kept = False
        self._tree.forget()
        if self._made is not None:
            self._made.leave()

    def ready(self, call: Call, searched: "Searched", *, question: str = "", document: str = "") -> "Standing | None":
        """Have what a call asks for in the index first; how far the index is, where it is not whole by then.

        Few files are waited for. Of many, those that the question is likely about are indexed at once.
        """
        own = self._readied(call, searched, question, document) if self._is_behind(searched) else None
        self.last_standing = own or self._others().standing()
        return self.last_standing

    def expect(self) -> None:
        """Begin with the first pass now: somebody waits for it, and for no longer than from here."""
        self._asked.set()
        if self._patience_began is None:  # once for all calls: the next ones answer from what is there
            self._patience_began = monotonic()

    def ready_for(self, call: Call, question: str, until: float) -> "Standing | None":
        """The same for a call over everything, from whichever toolset, which must not take longer than that."""
        return self._readied(call, self.made(), question, "", until) if self._is_behind(self.made()) else None

    def first_standing(self) -> "Standing | None":
        """How far the first pass over what was never indexed is; None where there is none under way."""
        if not self._is_kept or self._first_pass.is_set():
            return None
        tended = self.made()
        return None if tended.is_whole() else tended.backlog().standing()

    def _readied(
        self, call: Call, searched: "Searched", question: str, document: str, until: float = inf
    ) -> "Standing | None":
        self.expect()
        if self._is_kept and searched.is_whole() and self._wait_for_pass(call, UNCHANGED_SECONDS):
            return None  # little has changed since: the pass is over before the same files could be counted
        backlog = searched.backlog()
        if backlog.standing() is None and searched.is_whole():
            return None
        if backlog.missing <= FEW_FILES and self._is_kept and self._wait_for_pass(call, FIRST_PASS_SECONDS):
            return None
        put = self._put_first(backlog, question, document, min(until, monotonic() + ASKED_FIRST_SECONDS))
        standing = backlog.standing(put)
        if standing is not None:
            self.services.note("Indexing", tool=call.tool, notice="The index is not whole yet; this answer may lack.")
        return standing

    def _is_behind(self, searched: "Searched") -> bool:
        """Whether the index may lack something that is being put into it, or that nobody puts into it."""
        if not self._is_kept:
            return self._passing_since is not None or not searched.is_whole()
        since = self._passing_since
        is_long = not self._first_pass.is_set() or (since is not None and monotonic() - since > LONG_PASS_SECONDS)
        return self._tree.is_behind() or is_long

    def _wait_for_pass(self, call: Call, seconds: float) -> bool:
        """Let a call wait a little; whether the first pass, or the one after a checkout, has come to its end."""
        began = max(self._patience_began or monotonic(), self._tree.behind_since())
        while monotonic() < began + seconds and not self._is_up_to_date():
            call.cancellation.check()
            sleep(0.02)
        return self._is_up_to_date()

    def _is_up_to_date(self) -> bool:
        return self._first_pass.is_set() and self._passing_since is None and not self._tree.is_behind()

    def _put_first(self, backlog: "Backlog", question: str, document: str, until: float) -> int:
        """Index what is asked for, if anything is; an answer without it is better than none."""
        asked = (question.strip(), document)
        if not (question or document) or asked in self._put_before:
            return 0
        if len(self._put_before) < MOST_REMEMBERED:
            self._put_before.add(asked)
        from fieldguide.search.early.putting import put_asked

        try:
            return put_asked(self.services.engine(), backlog, *asked, until=until)
        except FieldguideError as error:
            self.services.note("Indexing", notice=f"What was asked for could not be indexed first: {error.message}")
            return 0

    def _wait_for_start(self, stopped: "Stop") -> None:
        """Let the first answers of a fresh server come first, unless one of them waits for us."""
        until = monotonic() + START_SECONDS
        while monotonic() < until and not self._asked.is_set() and not stopped.wait(0.02):
            pass

    def _keep_watching(self, stopped: "Stop") -> None:
        """Watch until other places are to be watched. The first pass is for what changed before the watch began."""
        from fieldguide.watching import open_watch

        tended = self.made()
        places = tended.places()
        watch = open_watch([*places, *self._index(), *self._tree.places()], stopped)
        tended.watching(is_whole=not watch.shortage)
        try:
            look, stamp = None, self._tree.stamp()
            while not stopped.is_set():
                is_whole = self._pass(look, watch)
                self._tree.follow(stamp, is_watched=not watch.shortage)
                settle(self._passed, tended.title, self._tell)
                if is_whole and tended.places() != places:
                    return
                seen, stamp = self._seen(watch)
                if seen is not None and seen.is_elsewhere:
                    return
                look = self._to_look_at(seen)
        finally:
            tended.watching(is_whole=False)
            watch.close()

    def _seen(self, watch: "Watch") -> "tuple[Seen | None, Stamp]":
        """What has changed, when something has, and the stamp of a tree whose every change is in it or was before."""
        seen, stamp = watch.wait(self._seconds_left()), self._tree.stamp()
        more = None if self._tree.is_at(stamp) else watch.wait(0.0)
        return (seen.joined(more) if seen is not None and more is not None else seen or more), stamp

    def _index(self) -> "list[Place]":
        """The file that the index lies in: should somebody delete it, it is made again."""
        from fieldguide.watching import Place

        engine = self.services.engine()
        with engine.database.reading():  # from here on it is there
            return [] if engine.file is None else [Place(engine.file(), "presence")]

    def _pass(self, seen: "Seen | None", watch: "Watch") -> bool:
        """Make a pass, and say when the next is due; whether it looked at everything."""
        began = self._passing_since = monotonic()
        self._passed = None
        try:
            passed = self.made().follow(seen)
            if passed.is_whole or passed.lack:
                self.lack = passed.lack
        except Exception as error:  # noqa: BLE001  the border of a thread: what goes wrong once is tried again
            self._fail(error)
            return False
        finally:
            self._passing_since = None
            self._first_pass.set()
        if passed.news:
            self.services.note("Indexed", **passed.news, seconds=round(monotonic() - began, 3))
        if passed.is_whole:
            self._looked_at = began
        if passed.has_failed:
            self._rest()
        else:
            self._failures = 0
            self._tell(watch.shortage)
            self._look_again(passed.look_again_seconds, is_short=bool(watch.shortage))
        self._passed = passed
        return passed.is_whole

    def _look_again(self, seconds: float | None, *, is_short: bool) -> None:
        """Say when the next look is due: soon at what is half written, some time at what can't be watched, or never."""
        self._owes_everything = seconds is None
        if seconds is None and is_short:
            seconds = SHORT_OF_WATCHES_SECONDS
        self._due = None if seconds is None else monotonic() + seconds

    def _to_look_at(self, seen: "Seen | None") -> "Seen | None":
        """What the next pass looks at: what was seen, or everything where there may be more."""
        if self._failures or (seen is None and self._owes_everything):
            return None
        if seen is None:
            from fieldguide.watching import Seen

            return Seen()
        is_long_ago = monotonic() - self._looked_at > WHOLE_LOOK_SECONDS
        return None if seen.is_everything or is_long_ago else seen

    def _seconds_left(self) -> float | None:
        return None if self._due is None else max(0.0, self._due - monotonic())

    def _fail(self, error: Exception) -> None:
        self.lack = f"{self.made().title} could not be indexed: {error}"
        self._first_pass.set()
        self._tell(self.lack)
        self._rest()
        if isinstance(error, Refusal | Misconfiguration):  # only another file can change that
            self._due = None

    def _rest(self) -> None:
        """Let some time pass before what has failed is tried again, the longer the more often it has."""
        self._failures += 1
        self._due = monotonic() + min(2.0 ** min(self._failures, 10), LONGEST_REST_SECONDS)

    def _tell(self, notice: str) -> None:
        """Write a notice to the journal, but not the same one again and again."""
        if notice and notice != self._told:
            self.services.note("Indexing", notice=notice)
        self._told = notice
