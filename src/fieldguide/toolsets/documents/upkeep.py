"""Keeps the index of the collections up to date, and watches their files.

Files that are left out are stored with the collection by their reason, so that every report can name them. Several
processes may serve one project: the first one that sees a change updates the index, and the others find it done.
Remote collections are fetched only when a person asks for it.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.git_index import find_git_index
from fieldguide.files.kinds import PDF, find_format
from fieldguide.files.project_files import hash_shown_lines
from fieldguide.files.watch import WatchedChanges, WatchedPlace
from fieldguide.prose.discovery import find_format_by_name, get_known_text
from fieldguide.prose.readers import extract_text, read_document
from fieldguide.search.backlog import (
    GIVEN_UP,
    Backlog,
    SourceFile,
    SourcePart,
    Sync,
    SyncCounts,
    SyncProgress,
    WaitingFiles,
    find_waiting,
)
from fieldguide.search.chunking import chunk_document
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import Chunk, NewDocument, SearchSource
from fieldguide.spine.toolset import Progress, Services
from fieldguide.storage.state_folder import find_expected_folder, make_state_folder
from fieldguide.text.display import HIDDEN
from fieldguide.text.errors import Failure, FieldguideError, Refusal
from fieldguide.text.windows import ByteLines, decode_document, split_lines
from fieldguide.toolsets.documents.bundle import forget_snapshot, keep_snapshot, read_kept_snapshot
from fieldguide.toolsets.documents.collections import (
    BUNDLES,
    DEFAULT_FOLDER,
    PROJECT_FILE,
    DocumentCollection,
    find_global_file,
    is_remote,
    read_collections,
    resolve_local_path,
    take_local_snapshot,
)
from fieldguide.toolsets.documents.service import KIND, CurrentDocuments
from fieldguide.toolsets.documents.snapshot import LARGEST_DOCUMENT_BYTES, Snapshot
from fieldguide.toolsets.upkeep import PassResult

if TYPE_CHECKING:
    from fieldguide.toolsets.documents.fetching import FetchRules

Collections = Callable[[], Mapping[str, DocumentCollection]]
GIT = ".git/"


class DiscoveredFiles:
    """The files of the collections that were found, as they were at the last look."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._before: dict[str, frozenset[str]] | None = None
        self._paths: set[str] = set()

    def are_others(self, seen: WatchedChanges | None, collections: Collections) -> bool:
        """Whether they are others now, after what was seen to change; the first look is no change."""
        if seen is None:
            get_known_text(self._project.root).look_again()
        else:
            self._follow(self._inside(seen.files), self._inside(seen.folders))
        before = self._before
        found = [each for each in collections().values() if each.names is not None]
        self._before = {each.id: each.names for each in found if each.names is not None}
        if before != self._before:
            self._paths = {os.path.normpath(f"{each.source}/{name}") for each in found for name in each.names or ()}
        return before is not None and before != self._before

    def be_followed(self, *, is_followed: bool) -> None:
        """Whether every change is seen from now on."""
        get_known_text(self._project.root).is_followed = is_followed

    def _follow(self, files: Iterable[str], folders: list[str]) -> None:
        """Have what may be new, or is gone, judged again."""
        may_be = [path for path in files if find_format_by_name(path.rpartition("/")[2]) is not None]
        new = [path for path in may_be if path not in self._paths or self._project.status(path) is None]
        if new or folders:
            get_known_text(self._project.root).look_again()

    def _inside(self, paths: Iterable[str]) -> list[str]:
        """These paths as they are in the project; what lies elsewhere, or is git's, is left out."""
        above = f"{self._project.root}{os.sep}"
        inner = (path[len(above) :].replace(os.sep, "/") for path in sorted(paths) if path.startswith(above))
        return [path for path in inner if not path.startswith(GIT)]


TOO_LARGE = "tooLarge"
NEEDS_EXTRA = "needsExtra"
MOST_NAMED = 20
MEBIBYTE = 1 << 20


def sync_collection(engine: SearchEngine, collection: str, snapshot: Snapshot, progress: SyncProgress) -> SyncCounts:
    """Bring the index of a collection up to date, as far as the snapshot looked."""
    before = {} if snapshot.part is None else list_left_out(engine, collection)
    details: dict[str, Any] = {**snapshot.details}
    for why, found in ((TOO_LARGE, snapshot.too_large), (NEEDS_EXTRA, _needing_extra(snapshot))):
        names = sorted({*found, *_elsewhere(before.get(why, ()), snapshot.part)})
        if names:
            details[why] = names[:MOST_NAMED]
    sync = Sync(engine, SearchSource(KIND, collection), _document, snapshot.part, extract_text)
    return sync.run(snapshot.entries, details, progress)


def list_waiting_documents(engine: SearchEngine, collection: str, snapshot: Snapshot) -> WaitingFiles:
    """What of a collection is not in the index as it is now."""
    return find_waiting(engine, SearchSource(KIND, collection), _document, snapshot.entries, extract_text)


def list_left_out(engine: SearchEngine, collection: str) -> dict[str, list[str]]:
    """The documents that the last sync left out of a collection, by the reason."""
    left_out: dict[str, list[str]] = {}
    for source in engine.sources(KIND):
        for why in (TOO_LARGE, NEEDS_EXTRA, GIVEN_UP):
            if source.name == collection and source.details.get(why):
                left_out[why] = list(source.details[why])
    return left_out


def explain_too_large(names: list[str]) -> str:
    """Why documents were left out because of their size, in words for a person."""
    return f"not indexed, because larger than {LARGEST_DOCUMENT_BYTES // MEBIBYTE} MiB: {_listed(names)}"


def explain_needed_extra(names: list[str]) -> str:
    """Why documents were left out because the extra that reads them is not installed, in words for a person."""
    return f"not indexed, because PDF needs the extra `pdf`: {_listed(names)}"


def _listed(names: list[str]) -> str:
    return ", ".join(names) + (", …" if len(names) == MOST_NAMED else "")


def _needing_extra(snapshot: Snapshot) -> list[str]:
    from fieldguide.prose.pdf import can_read_pdf

    names = [entry.name for entry in snapshot.entries if find_format(entry.name) == PDF]
    return names if names and not can_read_pdf() else []


def _elsewhere(known: Sequence[str], part: SourcePart | None) -> list[str]:
    """The documents that were left out before, and are not in the part that was read now."""
    if part is None:
        return []
    inside = tuple(f"{folder}/" for folder in part.folders)
    return [name for name in known if name not in part.names and not name.startswith(inside)]


def _document(entry: SourceFile, content: bytes, digest: str) -> NewDocument:
    text = decode_document(content)
    read = read_document(entry.name, text)
    title = HIDDEN.sub("", read.title or "").strip() or entry.name
    chunks = chunk_document(read)
    if hashlib.sha256(content).hexdigest() == digest:  # the bytes of the file itself: nothing was extracted or masked
        chunks = hash_chunks(chunks, content, text)
    return NewDocument(
        name=entry.name,
        title=title,
        text=text,
        hash=digest,
        stamp=entry.stamp,
        outline=[(heading.level, heading.text, heading.line) for heading in read.headings],
        chunks=chunks,
    )


def hash_chunks(chunks: Iterable[Chunk], content: bytes, text: str) -> list[Chunk]:
    """Chunks with the hashes of their lines in a file, so that a citation of them needs no look at it."""
    lines = ByteLines(content)
    kept = split_lines(text)
    hashed: list[Chunk] = []
    for chunk in chunks:
        place = (chunk.start_line, max(chunk.start_line, chunk.end_line))
        hash_ = hash_shown_lines(lines, *place, chunk.text.encode(errors="replace"), lambda: kept)
        hashed.append(chunk._replace(hash=hash_))
    return hashed


MOST_FOLDERS = 500  # of the folders with texts among the code, so many are watched


def list_setting_places(project: str) -> Iterator[WatchedPlace]:
    """The files that say which collections there are, and the folder that is one when nothing is said."""
    yield WatchedPlace(os.path.join(project, PROJECT_FILE), "file", project)
    yield WatchedPlace(os.path.join(project, DEFAULT_FOLDER), "presence", project)
    path = find_global_file()
    for each in dict.fromkeys((path, os.path.realpath(path))):
        yield WatchedPlace(each, "file")


def list_discovery_places(project: str, collections: Iterable[DocumentCollection]) -> Iterator[WatchedPlace]:
    """Where other documents may come up than those that were found: the project's own folder, and git's index."""
    if not all(each.names is not None for each in collections if each.origin != "global"):
        return
    yield WatchedPlace(project, "folder", project)
    place = find_git_index(project)
    if place is not None:
        yield WatchedPlace(os.path.realpath(place.folder), "folder", _top(place.folder, project))


def list_collection_places(project: str, collections: Iterable[DocumentCollection]) -> Iterator[WatchedPlace]:
    """The folders and bundles of the collections on this machine; a link, and where it leads to."""
    for collection in collections:
        if is_remote(collection.source):
            continue
        named = resolve_local_path(collection.source, collection.base)
        real = os.path.realpath(named)
        if named != real:
            yield WatchedPlace(named, "presence", _top(named, project))
        if collection.names is not None and real == project:
            folders = sorted({name.rpartition("/")[0] for name in collection.names})
            for inner in filter(None, folders[:MOST_FOLDERS]):
                yield WatchedPlace(os.path.join(real, inner), "folder", project)
        elif named.endswith(BUNDLES):
            yield WatchedPlace(real, "file", _top(real, project))
        else:
            folder = find_watched_folder(collection)
            yield WatchedPlace(folder, "tree", _top(folder, project))


def find_watched_folder(collection: DocumentCollection) -> str:
    """The folder whose files are the documents of a collection that is no bundle."""
    path = resolve_local_path(collection.source, collection.base)
    return os.path.realpath(os.path.dirname(path) if path.endswith(".json") else path)


def find_changed_part(collection: DocumentCollection, seen: WatchedChanges) -> SourcePart | None:
    """What was seen to change of a collection; None when nothing was."""
    if is_remote(collection.source) or resolve_local_path(collection.source, collection.base).endswith(BUNDLES):
        return None
    above = f"{find_watched_folder(collection)}{os.sep}"
    part = SourcePart(_below(above, seen.files), _below(above, seen.folders))
    if collection.names is not None:
        part = SourcePart(_touched(collection.names, part), frozenset())
    return part if part.names or part.folders else None


def _below(above: str, paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path[len(above) :] for path in paths if path.startswith(above))


def _touched(names: frozenset[str], part: SourcePart) -> frozenset[str]:
    """Those of these names that are in a part, by themselves or in a folder of it."""
    held = names.intersection(part.names)
    inside = tuple(f"{folder}/" for folder in part.folders)
    return held.union(name for name in names if name.startswith(inside)) if inside else held


def _top(path: str, project: str) -> str:
    return project if path.startswith(f"{project}{os.sep}") else ""


class FetchResult(NamedTuple):
    """What a fetch did, and the files that were not there, or not as their manifest says."""

    counts: SyncCounts
    skipped: tuple[str, ...]


class DocumentsUpkeep:
    """Keeps the index equal to the collections' files."""

    title = "The documents"

    def __init__(self, services: Services) -> None:
        self._services = services
        self._has_failed = False
        self._errors: Mapping[str, Any] = {}
        self._too_large: dict[str, list[str]] = {}
        self._found = DiscoveredFiles(services.project)
        self.service = CurrentDocuments(services, self.original)

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring every collection up to date without fetching; others may belong to whoever else serves this project."""
        kept = self._within()

        def refreshed(collection: DocumentCollection) -> SyncCounts | None:
            self._check_room(collection, kept)
            return self._refreshed(collection, progress)

        with self._services.engine().turn():
            return self._each(self.collections().values(), refreshed)

    def _refresh_part(self, seen: WatchedChanges) -> dict[str, Any]:
        """Bring up to date what was seen to change."""
        parts: dict[DocumentCollection, SourcePart] = {}
        for collection in self._within().values():
            part = find_changed_part(collection, seen)
            if part is not None:
                parts[collection] = part
        if not parts:
            return {}
        engine = self._services.engine()

        def refreshed(collection: DocumentCollection) -> SyncCounts:
            snapshot = self._local(collection, parts[collection])
            return sync_collection(engine, collection.id, snapshot, _quietly)

        with engine.turn():
            return self._each(parts, refreshed)

    def _each(
        self, collections: Iterable[DocumentCollection], refreshed: Callable[[DocumentCollection], SyncCounts | None]
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
                done[collection.alias] = {**counts._asdict(), **list_left_out(self._services.engine(), collection.id)}
        return done

    def fetch(self, collection: DocumentCollection, progress: Progress, rules: "FetchRules") -> FetchResult:
        """Bring one collection up to date, fetching what must be fetched; a failed fetch changes nothing."""
        self._check_room(collection, self._within())
        from fieldguide.toolsets.documents.fetching import fetch_snapshot

        snapshot = fetch_snapshot(collection, progress, rules, project=self._services.project)
        skipped = [entry.name for entry in snapshot.entries if not entry.stamp and entry.read() is None]
        if is_remote(collection.source):
            keep_snapshot(make_state_folder(self._services.project.root), collection.id, snapshot)
        engine = self._services.engine()
        with engine.turn():
            return FetchResult(sync_collection(engine, collection.id, snapshot, progress), tuple(skipped))

    def places(self) -> list[WatchedPlace]:
        """The collections' folders, and the files that name them."""
        project = self._services.project.root
        found = [*list_setting_places(project)]
        with suppress(FieldguideError):  # what names them can't be read now
            collections = self._within().values()
            found += [*list_discovery_places(project, collections), *list_collection_places(project, collections)]
        return sorted(dict.fromkeys(found))

    def settle(self, progress: Progress) -> None:
        """Nothing is derived."""

    def follow(self, seen: WatchedChanges | None) -> PassResult:
        """A pass over every collection, or over what has changed of them; a failed one is told, and tried again."""
        self._has_failed = False
        if self._found.are_others(seen, self.collections):
            seen = None
        self.service.look += 1
        done = self.refresh(_quietly) if seen is None else self._refresh_part(seen)
        errors = {alias: counts for alias, counts in done.items() if "error" in counts}
        news = self._news(done, errors)
        self._errors = errors if seen is None else {**self._errors, **errors}
        return PassResult(
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
        self.service.is_watched = is_whole
        self.service.look += 1

    def leave(self) -> None:
        """Nothing is left to do: what is whole is in the index."""

    def collections(self) -> dict[str, DocumentCollection]:
        """The collections that are configured now."""
        return read_collections(self._services.project.root, self._services.settings, self._services.project)

    def _within(self) -> dict[str, DocumentCollection]:
        """The collections that there is room for, by alias."""
        return dict(islice(self.collections().items(), self._services.limits.collections))

    def _check_room(self, collection: DocumentCollection, kept: Mapping[str, DocumentCollection]) -> None:
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

    def forget(self, collection: DocumentCollection) -> None:
        """Take a collection out of the index, with what was fetched of it."""
        engine = self._services.engine()
        with engine.turn():
            engine.remove(SearchSource(KIND, collection.id))
        forget_snapshot(make_state_folder(self._services.project.root), collection.id)

    def forget_others(self) -> None:
        """Take everything out of the index that is not configured any more."""
        engine = self._services.engine()
        with engine.turn():
            wanted = {collection.id for collection in self.collections().values()}
            for source in engine.sources(KIND):
                if source.name not in wanted:
                    engine.remove(SearchSource(KIND, source.name))

    def _refreshed(self, collection: DocumentCollection, progress: Progress) -> SyncCounts | None:
        """What was done; None where only a fetch could do something."""
        engine = self._services.engine()
        if not is_remote(collection.source):
            return sync_collection(engine, collection.id, self._local(collection), progress)
        if self._is_current(collection):
            return None
        kept = self._kept(collection)
        return None if kept is None else sync_collection(engine, collection.id, kept, progress)

    def _kept(self, collection: DocumentCollection) -> Snapshot | None:
        return read_kept_snapshot(find_expected_folder(self._services.project.root), collection.id)

    def _local(self, collection: DocumentCollection, part: SourcePart | None = None) -> Snapshot:
        return take_local_snapshot(collection, project=self._services.project, part=part)

    def _is_current(self, collection: DocumentCollection) -> bool:
        """Whether a collection is whole in the index, and made by the model that is used now."""
        engine = self._services.engine()
        synced = {source.name for source in engine.sources(KIND) if source.is_synced}
        known = engine.known(SearchSource(KIND, collection.id)).values()
        return collection.id in synced and all(each.maker == engine.maker for each in known)

    def is_whole(self) -> bool:
        """Whether every local collection has once been indexed to its end."""
        synced = {source.name for source in self._services.engine().sources(KIND) if source.is_synced}
        wanted = (each for each in self._within().values() if not is_remote(each.source))
        return all(each.id in synced for each in wanted)

    def backlog(self) -> Backlog:
        """The documents of local collections that are not in the index as they are now."""
        engine = self._services.engine()
        waiting = list[WaitingFiles]()
        for collection in self._within().values():
            if not is_remote(collection.source):
                with suppress(FieldguideError):  # one that can't be read has nothing to wait for
                    waiting.append(list_waiting_documents(engine, collection.id, self._local(collection)))
        return Backlog(waiting)


def _changed(counts: Any) -> bool:
    return "error" in counts or any(counts[key] for key in ("added", "updated", "removed"))


def _quietly(done: int, total: int, name: str) -> None:
    """Nobody watches the progress."""
