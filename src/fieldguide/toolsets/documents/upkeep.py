"""The index of the collections, kept up to date: once on demand, or for as long as the project is served.

Several processes may serve one project: whoever sees a change takes its turn, and finds the work done if another was
quicker. What must be fetched is fetched only when a person asks for it.
"""

import os
import threading
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

from fieldguide.errors import FieldguideError
from fieldguide.search.port import Source
from fieldguide.spine.contract import Call
from fieldguide.storage.state_folder import state_folder
from fieldguide.toolset import Progress, Services
from fieldguide.toolsets.documents.collections import PROJECT_FILE, Collection, configured_collections, global_path
from fieldguide.toolsets.documents.locations import fetched_snapshot, is_remote, local_path, local_snapshot
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.sync import Counts, sync_collection

FIRST_PASS_SECONDS = 3.0  # how long a call waits for the first pass over a project that was never indexed
LOOK_MILLISECONDS = 1000
SETTLE_MILLISECONDS = 300
FETCHED = "sources"


class DocumentsUpkeep:
    """Keeps the index equal to the collections' files."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._first_pass = threading.Event()
        self._is_kept = False

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring every local collection up to date, and forget those that are not configured any more."""
        done: dict[str, Any] = {}
        collections = self.collections()
        engine = self._services.engine()
        with engine.turn():
            for collection in collections.values():
                if is_remote(collection.source):
                    continue
                try:
                    counts = sync_collection(engine, collection.id, local_snapshot(collection), progress)
                except FieldguideError as error:
                    done[collection.alias] = {"error": error.message}
                    continue
                done[collection.alias] = counts._asdict()
            self._forget_others(collections)
        return done

    def fetch(self, collection: Collection, progress: Progress) -> Counts:
        """Bring one collection up to date, fetching it where it must be fetched; a failed fetch changes nothing."""
        engine = self._services.engine()
        with engine.turn():
            remote = is_remote(collection.source)
            snapshot = fetched_snapshot(collection, self._cache) if remote else local_snapshot(collection)
            return sync_collection(engine, collection.id, snapshot, progress)

    def keep(self, stopped: threading.Event) -> None:
        """A pass at the start, and one after each change, until stopped; a failed pass is told and tried again."""
        self._is_kept = True
        self._pass()
        self._first_pass.set()
        while not stopped.is_set():
            if self._wait_for_change(stopped) and not stopped.is_set():
                self._pass()

    def wait_for_first_pass(self, call: Call) -> None:
        """Let a call on a project that was never indexed wait a little; the journal tells when it goes on without."""
        if not self._is_kept or self._first_pass.is_set() or self._is_whole():
            return
        until = monotonic() + FIRST_PASS_SECONDS
        while monotonic() < until and not self._first_pass.wait(0.05):
            call.cancellation.check()
        if not self._first_pass.is_set():
            self._services.note("Indexing", tool=call.tool, notice="The index is not whole yet; this answer may lack.")

    def collections(self) -> dict[str, Collection]:
        """The collections that are configured now."""
        return configured_collections(self._services.project.root, self._services.settings)

    def forget(self, collection: Collection) -> None:
        """Take a collection out of the index."""
        engine = self._services.engine()
        with engine.turn():
            engine.remove(Source(KIND, collection.id))

    def _pass(self) -> None:
        began = monotonic()
        try:
            done = self.refresh(lambda done, total, name: None)
        except (FieldguideError, OSError) as error:
            self._services.note("Indexing", notice=f"The documents could not be indexed: {error}")
            return
        changed = {alias: counts for alias, counts in done.items() if _changed(counts)}
        if changed:
            self._services.note("Indexed", collections=changed, seconds=round(monotonic() - began, 3))

    def _is_whole(self) -> bool:
        """Whether every local collection has once been indexed to its end."""
        synced = {source.name for source in self._services.engine().sources(KIND) if source.is_synced}
        wanted = (each for each in self.collections().values() if not is_remote(each.source))
        return all(each.id in synced for each in wanted)

    def _forget_others(self, collections: Mapping[str, Collection]) -> None:
        wanted = {collection.id for collection in collections.values()}
        engine = self._services.engine()
        for source in engine.sources(KIND):
            if source.name not in wanted:
                engine.remove(Source(KIND, source.name))

    def _cache(self) -> str:
        notice = self._services.note
        folder = state_folder(self._services.project.root, lambda sentence: notice("Storage", notice=sentence))
        return os.path.join(folder, FETCHED)

    def _wait_for_change(self, stopped: threading.Event) -> bool:
        """Whether something changed: files below the watched folders, or which folders those are."""
        from watchfiles import watch

        roots = sorted(self._roots())
        before = self._configuration()
        if not roots:
            stopped.wait(LOOK_MILLISECONDS / 1000)
            return self._configuration() != before
        for changes in watch(
            *roots,
            debounce=SETTLE_MILLISECONDS,
            step=50,
            rust_timeout=LOOK_MILLISECONDS,
            yield_on_timeout=True,
            stop_event=stopped,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            if changes or self._configuration() != before:
                return True
        return False

    def _roots(self) -> Iterator[str]:
        """The folders whose files are documents."""
        try:
            collections = self.collections()
        except FieldguideError:
            return
        for collection in collections.values():
            if not is_remote(collection.source):
                path = local_path(collection.source, collection.base)
                folder = path if os.path.isdir(path) else os.path.dirname(path)
                if os.path.isdir(folder):
                    yield os.path.realpath(folder)

    def _configuration(self) -> tuple[Any, ...]:
        """What tells, without reading it, that other collections may be configured now."""
        project = self._services.project.root
        files = (os.path.join(project, PROJECT_FILE), global_path())
        return tuple(map(_modified, files)), tuple(sorted(self._roots())), os.path.isdir(os.path.join(project, "docs"))


def _modified(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _changed(counts: Any) -> bool:
    return "error" in counts or any(counts[key] for key in ("added", "updated", "removed"))
