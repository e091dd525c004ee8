"""The index of the collections, kept up to date: once on demand, or for as long as the project is served.

Several processes may serve one project: whoever sees a change takes its turn, and finds the work done if another was
quicker. What must be fetched is fetched only when a person asks for it.
"""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.consents import TRUST, Ask, Consents
from fieldguide.errors import FieldguideError, Refusal
from fieldguide.search.port import Source
from fieldguide.spine.contract import Call
from fieldguide.storage.state_folder import expected_folder, state_folder
from fieldguide.toolset import Progress, Services
from fieldguide.toolsets.documents.collections import (
    PROJECT_FILE,
    Collection,
    configured_collections,
    global_path,
    local_path,
)
from fieldguide.toolsets.documents.file_marks import identity_of, modified_at
from fieldguide.toolsets.documents.kept import forget_kept, keep, kept_snapshot
from fieldguide.toolsets.documents.locations import (
    fetching_ask,
    is_remote,
    local_snapshot,
    project_asks,
)
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.snapshot import Snapshot
from fieldguide.toolsets.documents.sync import TOO_LARGE, Counts, left_out, sync_collection
from fieldguide.watching import watched

if TYPE_CHECKING:  # what reaches out is imported where a person asks for it
    from fieldguide.toolsets.documents.fetching import Fetching

FIRST_PASS_SECONDS = 3.0  # how long a call waits for the first pass over a project that was never indexed
LOOK_SECONDS = 1.0
LONGEST_REST_SECONDS = 60.0  # between two tries of what fails again and again


class Fetched(NamedTuple):
    """What a fetch did, and the files that were not there, or not as their manifest says."""

    counts: Counts
    skipped: tuple[str, ...]


class DocumentsUpkeep:
    """Keeps the index equal to the collections' files."""

    def __init__(self, services: Services, *, is_kept: bool) -> None:
        self._services = services
        self._first_pass = threading.Event()
        self._is_kept = is_kept
        self._patience_ends: float | None = None
        self._failures = 0
        self._try_again_at = 0.0
        self._told: Any = None
        self._told_asks: list[str] = []

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring every collection up to date without fetching; others may belong to whoever else serves this project."""
        done: dict[str, Any] = {}
        kept = self._within()
        with self._services.engine().turn():
            for collection in self.collections().values():
                try:
                    self._check_room(collection, kept)
                    counts = self._refreshed(collection, progress)
                except FieldguideError as error:
                    done[collection.alias] = {"error": error.message}
                    continue
                if counts is not None:
                    done[collection.alias] = {**counts._asdict(), **left_out(self._services.engine(), collection.id)}
        return done

    def fetch(self, collection: Collection, progress: Progress, fetching: "Fetching") -> Fetched:
        """Bring one collection up to date, fetching what must be fetched; a failed fetch changes nothing."""
        self._check_room(collection, self._within())
        from fieldguide.toolsets.documents.fetching import fetched_snapshot
        from fieldguide.toolsets.documents.spool import Spool

        ask = fetching_ask(collection)
        may_fetch = ask is None or bool(Consents(self._services.project.root).allowed([ask]))
        with Spool() as spool:
            snapshot = fetched_snapshot(
                collection, progress, fetching, spool=spool, may_fetch=may_fetch, project=self._services.project
            )
            skipped = [entry.name for entry in snapshot.entries if not entry.stamp and entry.read() is None]
            if is_remote(collection.source):
                keep(self._state(), collection.id, snapshot)
            engine = self._services.engine()
            with engine.turn():
                return Fetched(sync_collection(engine, collection.id, snapshot, progress), tuple(skipped))

    def keep(self, stopped: threading.Event) -> None:
        """A pass at the start, and one after each change, until stopped; a failed pass is told and tried again."""
        self._is_kept = True
        self._pass()
        self._first_pass.set()
        while not stopped.is_set():
            try:
                self._watch(stopped)
            except Exception as error:  # noqa: BLE001  the border of a thread: where nothing can be watched, we look
                self._services.note(
                    "Indexing", notice=f"The documents can't be watched, so they are looked at: {error}"
                )
                stopped.wait(LONGEST_REST_SECONDS / 12)
                self._pass()

    def wait_for_first_pass(self, call: Call) -> None:
        """Let a call on a project that was never indexed wait a little; the journal tells when it goes on without."""
        if not self._is_kept or self._first_pass.is_set() or self._is_whole():
            return
        if self._patience_ends is None:  # once for all calls: the next ones answer from what is there
            self._patience_ends = monotonic() + FIRST_PASS_SECONDS
        while monotonic() < self._patience_ends and not self._first_pass.wait(0.05):
            call.cancellation.check()
        if not self._first_pass.is_set():
            self._services.note("Indexing", tool=call.tool, notice="The index is not whole yet; this answer may lack.")

    def collections(self) -> dict[str, Collection]:
        """The collections that are configured now."""
        return configured_collections(self._services.project.root, self._services.settings)

    def asks(self) -> list[Ask]:
        """What the project's collections ask for and the person has not allowed."""
        root = self._services.project.root
        asked = project_asks(root, self._services.settings)
        allowed = Consents(root).allowed(asked)
        return [ask for ask in asked if ask not in allowed]

    def _within(self) -> dict[str, Collection]:
        """The collections that there is room for, by alias."""
        return dict(islice(self.collections().items(), self._services.limits.collections))

    def _check_room(self, collection: Collection, kept: Mapping[str, Collection]) -> None:
        """Refuse a collection too many: one beyond those that there is room for, or a new one when there is none."""
        limits = self._services.limits
        if len(kept) >= limits.collections and collection.alias not in kept:
            raise Refusal(f"Too many collections: {limits.told('collections')}.")

    def original(self, collection: str, document: str) -> bytes | None:
        """A document as it is in its file, by the ID of its collection: the index holds no values that are secrets."""
        for each in self.collections().values():
            if each.id == collection:
                with suppress(FieldguideError):  # gone meanwhile
                    snapshot = self._kept(each) if is_remote(each.source) else self._local(each)
                    entries = snapshot.entries if snapshot else ()
                    return next((entry.read() for entry in entries if entry.name == document), None)
        return None

    def forget(self, collection: Collection) -> None:
        """Take a collection out of the index, with what was fetched of it."""
        engine = self._services.engine()
        with engine.turn():
            engine.remove(Source(KIND, collection.id))
        forget_kept(self._state(), collection.id)

    def forget_others(self) -> None:
        """Take everything out of the index that is not configured any more."""
        with self._services.engine().turn():
            self._forget_others(self.collections())

    def _refreshed(self, collection: Collection, progress: Progress) -> Counts | None:
        """What was done; None where only a fetch could do something."""
        engine = self._services.engine()
        if not is_remote(collection.source):
            return sync_collection(engine, collection.id, self._local(collection), progress)
        if self._is_current(collection):
            return None
        kept = self._kept(collection)
        return None if kept is None else sync_collection(engine, collection.id, kept, progress)

    def _kept(self, collection: Collection) -> Snapshot | None:
        return kept_snapshot(expected_folder(self._services.project.root), collection.id)

    def _local(self, collection: Collection) -> Snapshot:
        return local_snapshot(collection, project=self._services.project)

    def _is_current(self, collection: Collection) -> bool:
        """Whether a collection is whole in the index, and made by the model that is used now."""
        engine = self._services.engine()
        synced = {source.name for source in engine.sources(KIND) if source.is_synced}
        known = engine.known(Source(KIND, collection.id)).values()
        return collection.id in synced and all(each.maker == engine.maker for each in known)

    def _tell_asks(self) -> None:
        """Say in the journal, once, what the project asks for and does not get."""
        asks = [ask.sentence() for ask in self.asks()]
        if asks and asks != self._told_asks:
            self._services.note("Not obeyed", asks=asks, mend=TRUST)
        self._told_asks = asks

    def _pass(self) -> None:
        began = monotonic()
        try:
            done = self.refresh(lambda done, total, name: None)
            self._tell_asks()
        except Exception as error:  # noqa: BLE001  the border of a thread: what goes wrong once is tried again
            self._services.note("Indexing", notice=f"The documents could not be indexed: {error}")
            self._rest()
            return
        changed = {alias: counts for alias, counts in done.items() if _changed(counts)}
        if changed and changed != self._told:
            self._services.note("Indexed", collections=changed, seconds=round(monotonic() - began, 3))
        self._told = changed
        if any("error" in counts for counts in done.values()):
            self._rest()
        else:
            self._failures = 0

    def _rest(self) -> None:
        """Let some time pass before what has failed is tried again, the longer the more often it has."""
        self._failures += 1
        self._try_again_at = monotonic() + min(2.0**self._failures, LONGEST_REST_SECONDS)

    def _is_due(self) -> bool:
        return self._failures > 0 and monotonic() >= self._try_again_at

    def _is_whole(self) -> bool:
        """Whether every local collection has once been indexed to its end."""
        synced = {source.name for source in self._services.engine().sources(KIND) if source.is_synced}
        wanted = (each for each in self._within().values() if not is_remote(each.source))
        return all(each.id in synced for each in wanted)

    def _forget_others(self, collections: Mapping[str, Collection]) -> None:
        wanted = {collection.id for collection in collections.values()}
        engine = self._services.engine()
        for source in engine.sources(KIND):
            if source.name not in wanted:
                engine.remove(Source(KIND, source.name))

    def _state(self) -> str:
        return state_folder(self._services.project.root)

    def _watch(self, stopped: threading.Event) -> None:
        """A pass after each change, until other folders are to be watched.

        The first pass is for what changed before the watch began; what changes during a pass waits in the watch.
        """
        before, is_first = self._configuration(), True
        roots = sorted(self._roots())
        if not roots:
            stopped.wait(LOOK_SECONDS)
            return
        for is_changed in watched(roots, stopped):
            is_other = self._configuration() != before
            if is_changed or is_first or is_other or self._is_due():
                self._pass()
            if is_other:
                return
            is_first = False

    def _roots(self) -> Iterator[str]:
        """The folders whose files are documents."""
        try:
            collections = self._within()
        except FieldguideError:
            return
        for collection in collections.values():
            if not is_remote(collection.source):
                path = local_path(collection.source, collection.base)
                folder = path if os.path.isdir(path) else os.path.dirname(path)
                if os.path.isdir(folder):
                    yield os.path.realpath(folder)

    def _configuration(self) -> tuple[Any, ...]:
        """What tells, without reading files, that other collections may be configured now, or that the index is new."""
        project = self._services.project.root
        files = (os.path.join(project, PROJECT_FILE), global_path(), Consents(project).path)
        has_docs = os.path.isdir(os.path.join(project, "docs"))
        roots = tuple((root, identity_of(root)) for root in sorted(self._roots()))
        return tuple(map(modified_at, files)), roots, has_docs, self._synced()

    def _synced(self) -> tuple[str, ...]:
        """Our collections that are whole in the index; none once somebody has deleted it."""
        try:
            ours = {collection.id for collection in self.collections().values()}
            sources = self._services.engine().sources(KIND)
        except FieldguideError:
            return ()
        return tuple(source.name for source in sources if source.is_synced and source.name in ours)


def _changed(counts: Any) -> bool:
    return "error" in counts or any(counts.get(key) for key in ("added", "updated", "removed", TOO_LARGE))
