"""The index of the collections, kept up to date: once on demand, or for as long as the project is served.

Several processes may serve one project: whoever sees a change takes its turn, and finds the work done if another was
quicker. What must be fetched is fetched only when a person asks for it.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.consents import TRUST, Ask, Consents
from fieldguide.errors import Failure, FieldguideError, Refusal
from fieldguide.search.early.backlog import Backlog, Waiting
from fieldguide.search.port import Source
from fieldguide.search.syncing import Part
from fieldguide.storage.state_folder import expected_folder, state_folder
from fieldguide.toolset import Progress, Services
from fieldguide.toolsets.documents.collections import (
    Collection,
    configured_collections,
)
from fieldguide.toolsets.documents.discovery.found_files import FoundFiles
from fieldguide.toolsets.documents.kept import forget_kept, keep, kept_snapshot
from fieldguide.toolsets.documents.locations import (
    fetching_ask,
    is_remote,
    local_snapshot,
    project_asks,
)
from fieldguide.toolsets.documents.service import KIND
from fieldguide.toolsets.documents.snapshot import Snapshot
from fieldguide.toolsets.documents.sync import TOO_LARGE, Counts, left_out, sync_collection, waiting_documents
from fieldguide.toolsets.documents.watched_places import collection_places, found_places, part_of, setting_places
from fieldguide.upkeep import Passed
from fieldguide.watching import Place, Seen

if TYPE_CHECKING:  # what reaches out is imported where a person asks for it
    from fieldguide.toolsets.documents.fetching import Fetching


class Fetched(NamedTuple):
    """What a fetch did, and the files that were not there, or not as their manifest says."""

    counts: Counts
    skipped: tuple[str, ...]


class DocumentsUpkeep:
    """Keeps the index equal to the collections' files."""

    title = "The documents"

    def __init__(self, services: Services) -> None:
        self._services = services
        self._has_failed = False
        self._errors: Mapping[str, Any] = {}
        self._too_large: dict[str, list[str]] = {}
        self._told_asks: list[str] = []
        self._found = FoundFiles(services.project)

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring every collection up to date without fetching; others may belong to whoever else serves this project."""
        kept = self._within()

        def refreshed(collection: Collection) -> Counts | None:
            self._check_room(collection, kept)
            return self._refreshed(collection, progress)

        with self._services.engine().turn():
            return self._each(self.collections().values(), refreshed)

    def _refresh_part(self, seen: Seen) -> dict[str, Any]:
        """Bring up to date what was seen to change."""
        parts = {each: part for each in self._within().values() if (part := part_of(each, seen)) is not None}
        if not parts:
            return {}
        engine = self._services.engine()

        def refreshed(collection: Collection) -> Counts:
            snapshot = self._local(collection, parts[collection])
            return sync_collection(engine, collection.id, snapshot, _quietly)

        with engine.turn():
            return self._each(parts, refreshed)

    def _each(
        self, collections: Iterable[Collection], refreshed: Callable[[Collection], Counts | None]
    ) -> dict[str, Any]:
        """What was done to each collection, or why nothing could be."""
        done: dict[str, Any] = {}
        for collection in collections:
            try:
                counts = refreshed(collection)
            except FieldguideError as error:
                done[collection.alias] = {"error": error.message}
                self._has_failed = self._has_failed or isinstance(error, Failure)
                continue
            if counts is not None:
                done[collection.alias] = {**counts._asdict(), **left_out(self._services.engine(), collection.id)}
        return done

    def fetch(self, collection: Collection, progress: Progress, fetching: "Fetching") -> Fetched:
        """Bring one collection up to date, fetching what must be fetched; a failed fetch changes nothing."""
        self._check_room(collection, self._within())
        from fieldguide.toolsets.documents.fetching import fetched_snapshot
        from fieldguide.toolsets.documents.sources.spool import Spool

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

    def places(self) -> list[Place]:
        """The collections' folders, and the files that name them."""
        project = self._services.project.root
        found = [*setting_places(project)]
        with suppress(FieldguideError):  # what names them can't be read now
            collections = self._within().values()
            found += [*found_places(project, collections), *collection_places(project, collections)]
        return sorted(dict.fromkeys(found))

    def follow(self, seen: Seen | None) -> Passed:
        """A pass over every collection, or over what has changed of them; a failed one is told, and tried again."""
        self._has_failed = False
        if self._found.are_others(seen, self.collections):
            seen = None
        done = self.refresh(_quietly) if seen is None else self._refresh_part(seen)
        if seen is None:
            self._tell_asks()
        errors = {alias: counts for alias, counts in done.items() if "error" in counts}
        news = self._news(done, errors)
        self._errors = errors if seen is None else {**self._errors, **errors}
        return Passed(
            {"collections": news} if news else {},
            is_whole=seen is None,
            has_failed=self._has_failed,
            lack="; ".join(f"{alias}: {counts['error']}" for alias, counts in self._errors.items()),
        )

    def _news(self, done: Mapping[str, Any], errors: Mapping[str, Any]) -> dict[str, Any]:
        """What there is to tell of collections; an error is told once."""
        news = {alias: counts for alias, counts in done.items() if self._is_news(alias, counts)}
        return news | {alias: counts for alias, counts in errors.items() if counts != self._errors.get(alias)}

    def _is_news(self, alias: str, counts: Mapping[str, Any]) -> bool:
        """Whether something was done to a collection, or other documents than before are too large for it."""
        too_large = counts.get(TOO_LARGE, [])
        is_other = "error" not in counts and bool(too_large) and too_large != self._too_large.get(alias)
        if "error" not in counts:
            self._too_large[alias] = too_large
        return is_other or (_changed(counts) and alias not in self._errors)

    def watching(self, *, is_whole: bool) -> None:
        """While every change is seen, what was found is kept."""
        self._found.be_followed(is_followed=is_whole)

    def leave(self) -> None:
        """Nothing is left to do: what is whole is in the index."""

    def collections(self) -> dict[str, Collection]:
        """The collections that are configured now."""
        return configured_collections(self._services.project.root, self._services.settings, self._services.project)

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

    def _local(self, collection: Collection, part: Part | None = None) -> Snapshot:
        return local_snapshot(collection, project=self._services.project, part=part)

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

    def is_whole(self) -> bool:
        """Whether every local collection has once been indexed to its end."""
        synced = {source.name for source in self._services.engine().sources(KIND) if source.is_synced}
        wanted = (each for each in self._within().values() if not is_remote(each.source))
        return all(each.id in synced for each in wanted)

    def backlog(self) -> Backlog:
        """The documents of local collections that are not in the index as they are now."""
        engine, waiting = self._services.engine(), list[Waiting]()
        for collection in self._within().values():
            if not is_remote(collection.source):
                with suppress(FieldguideError):  # one that can't be read has nothing to wait for
                    waiting.append(waiting_documents(engine, collection.id, self._local(collection)))
        return Backlog(waiting)

    def _forget_others(self, collections: Mapping[str, Collection]) -> None:
        wanted = {collection.id for collection in collections.values()}
        engine = self._services.engine()
        for source in engine.sources(KIND):
            if source.name not in wanted:
                engine.remove(Source(KIND, source.name))

    def _state(self) -> str:
        return state_folder(self._services.project.root)


def _changed(counts: Any) -> bool:
    return "error" in counts or any(counts[key] for key in ("added", "updated", "removed"))


def _quietly(done: int, total: int, name: str) -> None:
    """Nobody watches the progress."""
