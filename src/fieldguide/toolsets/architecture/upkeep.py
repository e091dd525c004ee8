"""Keeps the document library, the prompts and the index of architecture documents up to date."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from fieldguide.files.git_index import find_git_index
from fieldguide.files.watch import WatchedChanges, WatchedPlace
from fieldguide.prose.markdown import read_markdown
from fieldguide.search.backlog import GIVEN_UP, Backlog, SourceFile, Sync, WaitingFiles, find_waiting, make_stamp
from fieldguide.search.chunking import chunk_document
from fieldguide.search.types import NewDocument, SearchSource
from fieldguide.spine.toolset import Progress, Services, make_cached
from fieldguide.text.errors import Refusal
from fieldguide.text.secrets import mask_secret_values
from fieldguide.toolsets.architecture.library import ArchitectureDocument, DocumentLibrary, DocumentShelf
from fieldguide.toolsets.architecture.prompts import PromptBook
from fieldguide.toolsets.architecture.resources import CATEGORIES, PROMPTS
from fieldguide.toolsets.architecture.search import KIND
from fieldguide.toolsets.upkeep import PassResult

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.calls import PatternCache
    from fieldguide.toolsets.architecture.decisions import DecisionAlignment

LOOK_SECONDS = 0.2  # between two looks at what is half written


class ArchitectureUpkeep:
    """The library and the prompts of a project, and an index that is equal to the library."""

    title = "The architecture documents"

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._is_watched = False
        self._told: Mapping[str, str] = {}
        self.library = DocumentLibrary(services.project, services.settings)
        self.decisions = make_cached(self._made_decisions)
        self.patterns = make_cached(self._made_patterns)
        self.book = PromptBook(services.project, self.library, services.find_tool, services.note)

    def places(self) -> list[WatchedPlace]:
        """The folders that may hold documents or prompts; one that leads out of the project is not read."""
        root = self._services.project.root
        found: set[WatchedPlace] = set()
        for folder in (*self.library.folders(), PROMPTS):
            named = os.path.normpath(os.path.join(root, folder))
            real = os.path.realpath(named)
            if named != real:
                found.add(WatchedPlace(named, "presence", root))
            if real == root or real.startswith(f"{root}{os.sep}"):
                found.add(WatchedPlace(real, "tree", root))
        place = find_git_index(root)
        if place is not None:  # the files that git tracks show where decisions may be
            found.add(WatchedPlace(os.path.realpath(place.folder), "folder"))
        return sorted(found)

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date, now."""
        self.book.look()
        self._tell_of_refused()
        return self._sync(progress, self.library.look)

    def settle(self, progress: Progress) -> None:
        """Nothing is derived."""

    def follow(self, seen: WatchedChanges | None) -> PassResult:
        """Take in what has changed, tell whoever follows it, and index it; what is half written is looked at again."""
        self.book.look()
        self.library.look()
        for change in (*self.library.news(), *self.book.news()):
            self._services.changes.announce(change)
        self._tell_of_refused()
        done: dict[str, Any] = {}
        if seen is None or not self._is_indexed(self.library.now()):
            done = self._index_followed()
        changed = {name: counts for name, counts in done.items() if "error" in counts or any((*counts.values(),)[:-1])}
        is_unsettled = self.library.is_unsettled or self.book.is_unsettled
        return PassResult(
            {"architecture": changed} if changed else {},
            is_whole=seen is None,
            look_again_seconds=LOOK_SECONDS if is_unsettled else None,
        )

    def _index_followed(self) -> dict[str, Any]:
        """Index what has changed. That may take long: who reads meanwhile looks for themselves."""
        self._be_followed(False)
        try:
            return self._sync(_quietly, self.library.now)
        finally:
            self._be_followed(self._is_watched)

    def watching(self, *, is_whole: bool) -> None:
        """While every change is seen, whoever reads need not look."""
        self._is_watched = is_whole
        self._be_followed(is_whole)

    def _be_followed(self, is_followed: bool) -> None:
        self.library.be_followed(is_followed)
        self.book.be_followed(is_followed)

    def leave(self) -> None:
        """Nothing is left to do."""

    def is_whole(self) -> bool:
        """Whether the documents of every category were once indexed to their end."""
        return self._held().keys() >= set(CATEGORIES)

    def backlog(self) -> Backlog:
        """The documents that are not in the index as they are now."""
        waiting: list[WaitingFiles] = []
        for category in CATEGORIES:
            documents = {each.path: each for each in self.library.now().of(category)}
            source = SearchSource(KIND, category)
            make = partial(_indexed, documents)
            waiting.append(find_waiting(self._services.engine(), source, make, [*_entries(documents)]))
        return Backlog(waiting)

    def _is_indexed(self, shelf: DocumentShelf) -> bool:
        """Whether the index holds just these documents; it may be lost, or be another process's work, at any time."""
        held = self._held()
        return all(held.get(category) == _details(shelf, category)["holds"] for category in CATEGORIES)

    def _tell_of_refused(self) -> None:
        """Write each file that can't be taken to the journal, once."""
        with self._lock:
            refused = dict(self.library.refused)
            new = {path: reason for path, reason in refused.items() if path not in self._told}
            self._told = refused
        for path, reason in new.items():
            self._services.note("Documents", notice=f"{path} is left out: {reason}")

    def _made_patterns(self) -> "PatternCache":
        from fieldguide.toolsets.architecture.calls import PatternCache

        return PatternCache(self.library)

    def _made_decisions(self) -> "DecisionAlignment":
        from fieldguide.toolsets.architecture.decisions import DecisionAlignment

        return DecisionAlignment(self.library, lambda: self._services.engine().embedder)

    def _sync(self, progress: Progress, shelf_now: Callable[[], DocumentShelf]) -> dict[str, Any]:
        """Make the index equal to the documents as they are once it is our turn, one source for each category."""
        with self._services.engine().turn(KIND):
            shelf = shelf_now()
            return {category: self._synced(shelf, category, progress) for category in CATEGORIES}

    def _synced(self, shelf: DocumentShelf, category: str, progress: Progress) -> dict[str, Any]:
        documents = {each.path: each for each in shelf.of(category)}
        sync = Sync(self._services.engine(), SearchSource(KIND, category), partial(_indexed, documents))
        try:
            done = sync.run([*_entries(documents)], _details(shelf, category), progress)._asdict()
            return {**done, GIVEN_UP: sync.given_up} if sync.given_up else done
        except Refusal as error:  # no room for all
            return {"error": error.message}

    def _held(self) -> dict[str, str]:
        sources = self._services.engine().sources(KIND)
        return {each.name: each.details.get("holds", "") for each in sources if each.is_synced}


def _details(shelf: DocumentShelf, category: str) -> dict[str, str]:
    """What tells that the index of a category holds just these documents."""
    told = "\n".join(f"{document.path} {document.checksum}" for document in shelf.of(category))
    return {"holds": hashlib.sha256(told.encode(errors="replace")).hexdigest()}


def _entries(documents: Mapping[str, ArchitectureDocument]) -> Iterator[SourceFile]:
    now = time.time()
    for path, document in documents.items():
        stamp = make_stamp(document.file.status, now)
        yield SourceFile(path, stamp, partial(_content, document), is_only_away=False)


def _content(document: ArchitectureDocument) -> bytes:
    return document.file.content


def _indexed(
    documents: Mapping[str, ArchitectureDocument], entry: SourceFile, content: bytes, digest: str
) -> NewDocument:
    document = documents[entry.name]
    text = content.decode("utf-8", errors="replace")
    read = read_markdown(text)
    outline = [(heading.level, heading.text, heading.line) for heading in read.headings]
    title = mask_secret_values(document.title)
    return NewDocument(entry.name, title, text, digest, entry.stamp, outline, chunk_document(read))


def _quietly(done: int, total: int, name: str) -> None:
    """Nobody watches the progress."""
