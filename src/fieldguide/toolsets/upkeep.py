"""Keeps the index of a toolset equal to its files while the project is served.

A checkout holds git's index locked while it writes files, and ends with another index and another HEAD. A call that
looks at those few files knows that the index is behind, however long the watcher waits for the last of the changes.

A thread opens a watch, makes a pass over everything, and then sleeps until something changes: the next pass looks at
what changed. A toolset says what to watch, and how a pass is made (`IndexedToolset`).
"""

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from math import inf
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from fieldguide.spine.tool import Call
from fieldguide.spine.toolset import Progress, Services, Toolset, Upkeep, make_cached
from fieldguide.text.cancellation import Cancellation, Stop
from fieldguide.text.errors import FieldguideError, Misconfiguration, Refusal

if TYPE_CHECKING:
    from fieldguide.files.watch import Watch, WatchedChanges, WatchedPlace
    from fieldguide.search.backlog import Backlog, IndexProgress, OtherProgress, SearchableSource

SIGNS = ("HEAD", os.path.join("logs", "HEAD"), "index")
LOCK = "index.lock"
LONGEST_WRITING_SECONDS = 10.0  # an older lock was left behind, or belongs to a commit whose message is being written

FileStamp = tuple[int, ...]
Stamp = tuple[FileStamp | None, ...]


class ServedTree:
    """The tree of a project, as git tells of it, and as it was when the index was last brought up to date.

    What is kept up (`made`) is told whether every change is seen: while the index is behind, some may not have been.
    """

    def __init__(self, project: str, made: "Callable[[], IndexedToolset | None]") -> None:
        self._project = project
        self._made = made
        self._changing = threading.Lock()
        self._signs: Sequence[str] = ()
        self._lock = ""
        self._followed: Stamp | None = None
        self._noticed: tuple[Stamp, float] = ((), 0.0)

    def places(self) -> "list[WatchedPlace]":
        """Look where git keeps its files now; what is to be watched of them."""
        from fieldguide.files.git_index import find_git_index
        from fieldguide.files.watch import WatchedPlace

        place = find_git_index(self._project)
        folder = os.path.realpath(place.folder) if place else None
        self._signs = tuple(os.path.join(folder, name) for name in SIGNS) if folder else ()
        self._lock = os.path.join(folder, LOCK) if folder else ""
        return [WatchedPlace(path, "sign") for path in self._signs]

    def stamp(self) -> Stamp:
        """What is other after each checkout, commit and reset."""
        from fieldguide.files.file_system import read_status_stamp  # not at the start of a server

        return tuple(map(read_status_stamp, self._signs))

    def is_at(self, stamp: Stamp) -> bool:
        """Whether the index is of the tree that has this stamp."""
        return self._followed == stamp

    def follow(self, stamp: Stamp, *, is_watched: bool) -> None:
        """The index is of the tree that had this stamp."""
        with self._changing:
            self._followed = stamp
            if is_watched and not self._differs(self.stamp()):
                self._be_watched(True)

    def forget(self) -> None:
        """Nobody here keeps the index any more: what it is of is another's to know."""
        with self._changing:
            self._followed = None

    def is_behind(self) -> bool:
        """Whether another tree may be checked out than the index is of, or one is being checked out."""
        now = self.stamp()
        if not self._differs(now):
            return False
        with self._changing:
            if self._noticed[0] != now:
                self._noticed = (now, monotonic())
            if self._differs(now):
                self._be_watched(False)
        return True

    def behind_since(self) -> float:
        """When somebody first noticed that."""
        return self._noticed[1]

    def _be_watched(self, is_whole: bool) -> None:
        made = self._made()
        if made is not None:
            made.watching(is_whole=is_whole)

    def _differs(self, now: Stamp) -> bool:
        if self._followed is None or now != self._followed:
            return self._followed is not None
        try:  # git holds its lock while it writes files
            return time.time() - os.stat(self._lock).st_mtime < LONGEST_WRITING_SECONDS
        except OSError:
            return False


class PassResult(NamedTuple):
    """What a pass did: what the journal tells of it, whether it must be tried again, or when to look again.

    `is_whole` where it looked at everything, so that other places may be to be watched now. `lack` says what could not
    be taken into the index, such as what it has no room for. `afterwards` makes what is derived from the index, which
    is up to date already and may be asked.
    """

    news: Mapping[str, Any] = {}
    is_whole: bool = False
    has_failed: bool = False
    look_again_seconds: float | None = None
    lack: str = ""
    afterwards: Callable[[], None] | None = None


class IndexedToolset(Protocol):
    """What a toolset brings: the places that its index is made from, and the passes over them."""

    title: str

    def places(self) -> "Sequence[WatchedPlace]":
        """What is to be watched now, in an order that stays."""
        ...

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date, because a person asks for it; what was done."""
        ...

    def settle(self, progress: Progress) -> None:
        """Make what most answers show of what is derived, when a person has asked and every toolset is up to date."""
        ...

    def follow(self, seen: "WatchedChanges | None") -> PassResult:
        """Make a pass over what was seen to change; None: over everything, since more may have changed."""
        ...

    def watching(self, *, is_whole: bool) -> None:
        """From now on every change is seen, or some are not."""
        ...

    def is_whole(self) -> bool:
        """Whether everything was once indexed to its end."""
        ...

    def backlog(self) -> "Backlog":
        """What is not in the index as it is now."""
        ...

    def leave(self) -> None:
        """The project is not served any more."""
        ...


START_SECONDS = 1.0  # the first answers of a fresh server come before its upkeep
LONGEST_START_SECONDS = 4.0  # the same, while one is on its way
FIRST_PASS_SECONDS = 3.0  # how long a call waits for the first pass over a project that was never indexed
UNCHANGED_SECONDS = 1.5  # the same, where it was indexed before
CODE = "code"
LARGE_PROJECT_FILES = 10_000  # the look at each of so many takes longer than a call should wait
FEW_FILES = 150  # so many are soon indexed: a call waits for all of them
ASKED_FIRST_SECONDS = 2.0  # how long a call may take to index what it asks for
READIED_SECONDS = 6.0  # what a call may wait for before it looks for what it asks for
MOST_REMEMBERED = 1000  # questions whose files are in the index already
MOST_UNFINISHED = 20  # questions that not all files were looked at for
LONG_COUNT_SECONDS = 0.3
COUNTED_FOR = 5.0  # times what the look at every file took
COUNT_SECONDS = 4.0  # how long a call waits for that look
UNCOUNTED = (0.0, None, None)
LONG_PASS_SECONDS = 0.5  # a pass that takes longer than this is told in the answers that come meanwhile
LONGEST_REST_SECONDS = 60.0  # between two tries of what fails again and again
BETWEEN_WATCHES_SECONDS = 0.1  # folders that come and go all the time must not keep us busy
SHORT_OF_WATCHES_SECONDS = 60.0  # between two looks at what can't be watched
WHOLE_LOOK_SECONDS = 1800.0  # a change that comes so long after the last whole look is an occasion for the next

T = TypeVar("T", bound=IndexedToolset)


class WaitingCount:
    """A look at every file for what is not in the index, on a thread of its own: whoever waits for it may give up."""

    def __init__(self, searched: "SearchableSource") -> None:
        self._searched = searched
        self._found: Backlog | None = None
        self._error: Exception | None = None
        self._began = monotonic()
        self._seconds = 0.0
        run = partial(copy_context().run, self._count)
        self._thread = threading.Thread(target=run, name="counting", daemon=True)
        self._thread.start()

    def is_old(self) -> bool:
        """Whether it ended so long ago that the files may be others now."""
        is_over = not self._thread.is_alive()
        return is_over and monotonic() > self._began + self._seconds + COUNTED_FOR * self._seconds

    def is_done(self, seconds: float | None) -> bool:
        """Whether it is over within so many seconds; without a number it is waited for."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def result(self) -> "tuple[Backlog, float]":
        """What it found, and how long it took; it raises what went wrong."""
        if self._found is None:
            raise self._error or RuntimeError("It is still counting.")
        return self._found, self._seconds

    def _count(self) -> None:
        try:
            self._found = self._searched.backlog()
        except Exception as error:  # noqa: BLE001  raised again where it is asked for
            self._error = error
        self._seconds = monotonic() - self._began


class LateUpkeep(Generic[T]):
    """The upkeep of one toolset, which imports and makes nothing before somebody asks for it."""

    def __init__(self, services: Services, make: Callable[[Services], T]) -> None:
        self.services = services
        self._make = make
        self._lock = threading.Lock()
        self._made: T | None = None
        self._is_kept = False
        self._tree = ServedTree(services.project.root, self.made_already)
        self._passed: PassResult | None = None
        self._is_deriving = False
        self._first_pass = threading.Event()
        self._patience_began: float | None = None
        self._failures = 0
        self._due: float | None = None
        self._owes_everything = True
        self._looked_at = 0.0
        self._told = ""
        self._passing_since: float | None = None
        self._asked = threading.Event()
        self._first_call: Cancellation | None = None
        self._put_before: set[tuple[str, str]] = set()
        self._unfinished: dict[tuple[str, str], set[str]] = {}
        self._counting: WaitingCount | None = None
        self._backlog: tuple[float, SearchableSource | None, Backlog | None] = UNCOUNTED
        self.lack = ""
        self.is_kept_elsewhere = False
        """Whether another process of the person's is indexing this project, as after a command on the terminal."""
        self._beside: Sequence[LateUpkeep[Any]] = ()
        self._others = make_cached(self._made_others)

    def made(self) -> T:
        """What is kept up to date, the same for every call and for the background."""
        with self._lock:
            if self._made is None:
                self._made = self._make(self.services)
            return self._made

    def _made_others(self) -> "OtherProgress":
        from fieldguide.search.backlog import OtherProgress

        return OtherProgress([each.first_standing for each in self._beside])

    def meet(self, all_: "Sequence[LateUpkeep[Any]]") -> None:
        """Learn who else shares the index: the app says so, once."""
        self._beside = [each for each in all_ if each is not self]

    def made_already(self) -> T | None:
        """What is kept up to date, where somebody has asked for it before."""
        return self._made

    def is_at_work(self) -> bool:
        """Whether a pass is under way, or due: what is made from the index may be behind it."""
        return self._passing_since is not None or self.is_kept_elsewhere or self._tree.is_behind()

    def is_deriving(self) -> bool:
        """Whether this server derives facts from the index, or will when the pass is over."""
        return self._is_deriving

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date once, now."""
        self._passing_since = monotonic()
        try:
            return self.made().refresh(progress)
        finally:
            self._passing_since = None

    def settle(self, progress: Progress) -> None:
        """Make what is derived, once every toolset is up to date."""
        self.made().settle(progress)

    def keep(self, stopped: Stop) -> None:
        """Keep everything up to date until stopped: what goes wrong is told and tried again."""
        self._is_kept = True  # from now on: a call that comes before the first pass has begun waits for it too
        self._is_deriving = True
        self._wait_for_start(stopped)
        while not stopped.is_set():
            from fieldguide.files.parser_process import index_in_background  # not before the first answers

            try:
                with index_in_background():
                    self._keep_watching(stopped)
            except Exception as error:  # noqa: BLE001  the border of a thread
                self._fail(error)
            stopped.wait(max(BETWEEN_WATCHES_SECONDS, self._seconds_left() or 0.0))
        self._is_kept = self._is_deriving = False
        self._tree.forget()
        self.leave()

    def leave(self) -> None:
        """Finish what must not wait for the end of a pass; that it was done before is no harm."""
        if self._made is not None:
            self._made.leave()

    def ready(
        self, call: Call, searched: "SearchableSource", *, question: str = "", document: str = ""
    ) -> "IndexProgress | None":
        """Have what a call asks for in the index first; how far the index is, where it is not whole by then.

        Few files are waited for. Of many, those that the question is likely about are indexed at once.
        """
        own = self._readied(call, searched, question, document) if self._is_behind(searched) else None
        return own or (self._others().standing() if self._beside else None)

    def expect(self) -> None:
        """Begin with the first pass now: somebody waits for it, and for no longer than from here."""
        if self._answers_at_once():
            return
        self._asked.set()
        if self._patience_began is None:  # once for all calls: the next ones answer from what is there
            self._patience_began = monotonic()

    def ready_for(self, call: Call, question: str, until: float) -> "IndexProgress | None":
        """The same for a call over everything, from whichever toolset, which must not take longer than that."""
        return self._readied(call, self.made(), question, "", until) if self._is_behind(self.made()) else None

    def first_standing(self) -> "IndexProgress | None":
        """How far the first pass over what was never indexed is; None where there is none under way."""
        if not self._is_kept or self._first_pass.is_set():
            return None
        tended = self.made()
        if tended.is_whole():
            return None
        backlog = self._counted(tended, COUNT_SECONDS)
        return _not_counted() if backlog is None else backlog.standing()

    def _readied(
        self, call: Call, searched: "SearchableSource", question: str, document: str, until: float = inf
    ) -> "IndexProgress | None":
        latest = monotonic() + READIED_SECONDS
        if self._answers_at_once():
            for each in (self, *self._beside):
                each._first_call = call.cancellation
            return _not_counted()
        self.expect()
        if self._is_kept and searched.is_whole() and self._wait_for_pass(call, UNCHANGED_SECONDS):
            return None  # little has changed since: the pass is over before the same files could be counted
        backlog = self._counted(searched, None if document else COUNT_SECONDS)
        if backlog is None:
            return _not_counted()
        if backlog.standing() is None and searched.is_whole():
            return None
        if backlog.missing <= FEW_FILES and self._is_kept and self._wait_for_pass(call, FIRST_PASS_SECONDS):
            return None
        is_late = not document and monotonic() > latest  # a busy machine: an answer in time is better than none
        until = min(until, monotonic() + ASKED_FIRST_SECONDS)
        put = 0 if is_late else self._put_first(backlog, question, document, until)
        standing = backlog.standing(put)
        if standing is not None:
            self.services.note("Indexing", tool=call.tool, notice="The index is not whole yet; this answer may lack.")
        return standing

    def _answers_at_once(self) -> bool:
        """Whether nobody waits for the first pass: it takes long, over a large project that was indexed to its end."""
        if self._first_pass.is_set() or not self._is_kept:
            return False
        sources = self.services.engine().sources(CODE)
        is_large = sum(each.documents for each in sources) > LARGE_PROJECT_FILES
        return is_large and any(each.is_synced for each in sources)

    def _is_behind(self, searched: "SearchableSource") -> bool:
        """Whether the index may lack something that is being put into it, or that nobody puts into it."""
        if not self._is_kept:
            return self._passing_since is not None or self.is_kept_elsewhere or not searched.is_whole()
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
        seen = self._unfinished.pop(asked, set[str]())
        from fieldguide.search.backlog import index_requested

        try:
            put = index_requested(self.services.engine(), backlog, *asked, until=until, seen=seen)
            self._remember(asked, seen, is_finished=bool(document) or len(seen) >= backlog.missing)
            return put
        except FieldguideError as error:
            self.services.note("Indexing", notice=f"What was asked for could not be indexed first: {error.message}")
            return 0

    def _remember(self, asked: tuple[str, str], seen: set[str], *, is_finished: bool) -> None:
        """Look no more for what was looked for in all files; else go on with the rest when it is asked for again."""
        if is_finished and len(self._put_before) < MOST_REMEMBERED:
            self._put_before.add(asked)
        elif not is_finished:
            while len(self._unfinished) >= MOST_UNFINISHED:
                self._unfinished.pop(next(iter(self._unfinished)))
            self._unfinished[asked] = seen

    def _counted(self, searched: "SearchableSource", seconds: float | None) -> "Backlog | None":
        """What is not in the index; None where the look at every file takes too long: the next call has it then.

        Where it takes long, calls share one for a while.
        """
        until, of, backlog = self._backlog
        if backlog is not None and of is searched and monotonic() < until:
            return backlog
        with self._lock:
            if self._counting is None or self._counting.is_old():
                self._counting = WaitingCount(searched)
            counting = self._counting
        if not counting.is_done(seconds):
            return None
        with self._lock:
            self._counting = None if self._counting is counting else self._counting
        found, took = counting.result()
        kept = (monotonic() + COUNTED_FOR * took, searched, found)
        self._backlog = kept if took > LONG_COUNT_SECONDS else UNCOUNTED
        return found

    def _wait_for_start(self, stopped: Stop) -> None:
        """Let the first answers of a fresh server come first, unless one of them waits for us."""
        began = monotonic()
        while not self._asked.is_set() and not stopped.wait(0.02):
            is_answering = self._first_call is not None and not self._first_call.is_finished
            if monotonic() - began >= (LONGEST_START_SECONDS if is_answering else START_SECONDS):
                return

    def _keep_watching(self, stopped: Stop) -> None:
        """Watch until other places are to be watched. The first pass is for what changed before the watch began."""
        from fieldguide.files.watch import open_watch

        tended = self.made()
        places = tended.places()
        watch = open_watch([*places, *self._index(), *self._tree.places()], stopped)
        tended.watching(is_whole=not watch.shortage)
        try:
            look = None
            stamp = self._tree.stamp()
            while not stopped.is_set():
                is_whole = self._pass(look, watch)
                self._tree.follow(stamp, is_watched=not watch.shortage)
                self._make_derived()
                if is_whole and tended.places() != places:
                    return
                seen, stamp = self._seen(watch)
                if seen is not None and seen.is_elsewhere:
                    return
                look = self._to_look_at(seen)
        finally:
            tended.watching(is_whole=False)
            watch.close()

    def _seen(self, watch: "Watch") -> "tuple[WatchedChanges | None, Stamp]":
        """What has changed, when something has, and the stamp of a tree whose every change is in it or was before."""
        seen = watch.wait(self._seconds_left())
        stamp = self._tree.stamp()
        more = None if self._tree.is_at(stamp) else watch.wait(0.0)
        return (seen.joined(more) if seen is not None and more is not None else seen or more), stamp

    def _index(self) -> "list[WatchedPlace]":
        """The file that the index lies in: should somebody delete it, it is made again."""
        from fieldguide.files.watch import WatchedPlace

        engine = self.services.engine()
        with engine.database.reading():  # from here on it is there
            return [] if engine.file is None else [WatchedPlace(engine.file(), "presence")]

    def _pass(self, seen: "WatchedChanges | None", watch: "Watch") -> bool:
        """Make a pass, and say when the next is due; whether it looked at everything."""
        began = self._passing_since = monotonic()
        self._is_deriving = True
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

    def _make_derived(self) -> None:
        """Make what is derived from the index; where that fails, the index is none the worse, and it is told."""
        try:
            if self._passed is not None and self._passed.afterwards is not None:
                self._passed.afterwards()
        except Exception as error:  # noqa: BLE001  the border of a thread
            self._tell(f"{self.made().title}: what is derived from it could not be made: {error}")
        self._is_deriving = False

    def _look_again(self, seconds: float | None, *, is_short: bool) -> None:
        """Say when the next look is due: soon at what is half written, some time at what can't be watched, or never."""
        self._owes_everything = seconds is None
        if seconds is None and is_short:
            seconds = SHORT_OF_WATCHES_SECONDS
        self._due = None if seconds is None else monotonic() + seconds

    def _to_look_at(self, seen: "WatchedChanges | None") -> "WatchedChanges | None":
        """What the next pass looks at: what was seen, or everything where there may be more."""
        if self._failures or (seen is None and self._owes_everything):
            return None
        if seen is None:
            from fieldguide.files.watch import WatchedChanges

            return WatchedChanges()
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


def _not_counted() -> "IndexProgress":
    from fieldguide.search.backlog import IndexProgress  # a start lists tools

    return IndexProgress(0, 0)


READY_SECONDS = 4.0  # for all of them together
READY_BESIDE_SECONDS = 1.5  # the same for a person at a terminal, while another process indexes


class ToolsetReadiness:
    """The upkeeps of an app, once its toolsets are made."""

    def __init__(self) -> None:
        self._kept: list[LateUpkeep[Any]] = []

    def introduce(self, toolsets: Iterable[Toolset]) -> None:
        """Let the upkeeps of these toolsets know of each other."""
        upkeeps: list[Any] = [each.upkeep for each in toolsets]
        self._kept = [each for each in upkeeps if isinstance(each, LateUpkeep)]
        for each in self._kept:
            each.meet(self._kept)

    def is_at_work(self) -> bool:
        """Whether any of them makes a pass or derives facts from the index, or will do so."""
        return any(each.is_at_work() or each.is_deriving() for each in self._kept)

    def ready(self, call: Call, question: str) -> "tuple[IndexProgress | None, str]":
        """Have what a question is likely about in the index first; how far all of it is, and what it can't take in."""
        is_terminal = any(each.is_kept_elsewhere for each in self._kept)
        until = monotonic() + (READY_BESIDE_SECONDS if is_terminal else READY_SECONDS)
        for each in self._kept:
            each.expect()
        standings = [each.ready_for(call, question, until) for each in self._kept]
        found = [standing for standing in standings if standing is not None]
        lacks = "; ".join(sorted({each.lack for each in self._kept if each.lack}))
        if not found:
            return None, lacks
        whole = found[0]._replace(done=sum(each.done for each in found), total=sum(each.total for each in found))
        return whole, lacks


LEAVE_SECONDS = 0.5


@contextmanager
def run_upkeeps(upkeeps: Sequence[Upkeep]) -> Generator[None]:
    """Keep up to date what toolsets index, each on a thread of its own, while the block runs."""
    stopped = Stop()
    threads = [threading.Thread(target=each.keep, args=(stopped,), name="upkeep", daemon=True) for each in upkeeps]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for upkeep in upkeeps:
            if isinstance(upkeep, LateUpkeep):
                upkeep.leave()
        for thread in threads:  # what it is in the middle of is safe to leave: the next start goes on with it
            thread.join(LEAVE_SECONDS)
        if not any(thread.is_alive() for thread in threads):
            stopped.close()
