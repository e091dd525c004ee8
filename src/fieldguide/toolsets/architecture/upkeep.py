"""What the architecture toolset keeps up to date: the document cache, the prompts, and the index of the documents."""

import os
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from fieldguide.errors import StorageFailed
from fieldguide.search.chunking import chunk_markdown
from fieldguide.search.engine import SearchEngine
from fieldguide.search.markdown import read_markdown
from fieldguide.search.port import NewDocument, Source
from fieldguide.search.syncing import Entry, Sync, stamp_of
from fieldguide.toolset import Progress, Services, cached
from fieldguide.toolsets.architecture.library import Document, Library, Shelf
from fieldguide.toolsets.architecture.prompts.book import PromptBook
from fieldguide.toolsets.architecture.roots import CATEGORIES, PROMPTS
from fieldguide.toolsets.architecture.searching import KIND
from fieldguide.watching import watched

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.decisions import Decisions

LOOK_MILLISECONDS = 400
SETTLE_MILLISECONDS = 200
REST_SECONDS = 1.0


class ArchitectureUpkeep:
    """The library and the prompts of a project, and an index that is equal to the library."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._indexed: tuple[SearchEngine, int] | None = None
        announce = services.changes.announce
        self.library = Library(services.project, services.settings, announce)
        self.decisions = cached(self._made_decisions)
        self.book = PromptBook(
            services.project, self.library, services.find_tool, announce=announce, note=services.note
        )

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date, now."""
        self.book.look()
        return self._sync(self.library.look(), progress)

    def indexed_shelf(self) -> Shelf:
        """The documents as they are, in the index too: a call finds what was written a moment ago.

        Where somebody else's turn to index takes too long, the index answers as it is, as is noted.
        """
        shelf = self.library.shelf()
        if self._indexed != (self._services.engine(), shelf.generation):
            try:
                self._sync(shelf, lambda done, total, name: None)
            except StorageFailed as error:
                self._services.note("Indexing", notice=f"The index may lack some documents: {error.message}")
        return shelf

    def keep(self, stopped: threading.Event) -> None:
        """A pass at the start, and one after each change, until stopped."""
        self._pass()
        while not stopped.is_set():
            try:
                self._watch(stopped)
            except Exception as error:  # noqa: BLE001  the border of a thread: where nothing can be watched, we look
                notice = f"The architecture documents can't be watched, so they are looked at: {error}"
                self._services.note("Indexing", notice=notice)
                stopped.wait(REST_SECONDS)
                self._pass()

    def _made_decisions(self) -> "Decisions":
        from fieldguide.toolsets.architecture.decisions import Decisions

        return Decisions(self.library, lambda: self._services.engine().embedder)

    def _sync(self, shelf: Shelf, progress: Progress) -> dict[str, Any]:
        """Make the index equal to the shelf, one source for each category."""
        engine = self._services.engine()
        done: dict[str, Any] = {}
        with self._lock, engine.turn(KIND):
            for category in CATEGORIES:
                documents = {document.path: document for document in shelf.of(category)}
                source = Source(KIND, category)
                sync = Sync(engine, source, partial(_indexed, documents))
                done[category] = sync.run([*_entries(documents)], {}, progress)._asdict()
            self._indexed = (engine, shelf.generation)
        return done

    def _pass(self) -> None:
        began = monotonic()
        try:
            done = self.refresh(lambda done, total, name: None)
        except Exception as error:  # noqa: BLE001  the border of a thread: what goes wrong once is tried again
            self._services.note("Indexing", notice=f"The architecture documents could not be indexed: {error}")
            return
        changed = {name: counts for name, counts in done.items() if any((*counts.values(),)[:-1])}
        if changed:
            self._services.note("Indexed", architecture=changed, seconds=round(monotonic() - began, 3))

    def _watch(self, stopped: threading.Event) -> None:
        """A pass after each change, until other folders are to be watched.

        The first pass is for what changed before the watch began; what is half written is looked at again.
        """
        folders, is_first = self._folders(), True
        if not folders:
            stopped.wait(LOOK_MILLISECONDS / 1000)
            if self._folders():
                self._pass()
            return
        for is_changed in watched(
            folders, stopped, look_milliseconds=LOOK_MILLISECONDS, settle_milliseconds=SETTLE_MILLISECONDS
        ):
            if is_changed or is_first or self.library.is_unsettled or self.book.is_unsettled:
                self._pass()
            if self._folders() != folders:
                self._pass()
                return
            is_first = False

    def _folders(self) -> dict[str, tuple[int, int]]:
        """The folders that are there, and which ones they are: one that was replaced must be watched anew."""
        root = self._services.project.root
        found: dict[str, tuple[int, int]] = {}
        for folder in (*self.library.folders(), PROMPTS):
            try:
                status = os.stat(os.path.join(root, folder))
            except OSError:
                continue
            found[os.path.join(root, folder)] = (status.st_dev, status.st_ino)
        return found


def _entries(documents: Mapping[str, Document]) -> Iterator[Entry]:
    now = time.time()
    for path, document in documents.items():
        stamp = stamp_of(document.file.status, now)
        yield Entry(path, stamp, partial(_content, document), is_only_away=False)


def _content(document: Document) -> bytes:
    return document.file.content


def _indexed(documents: Mapping[str, Document], entry: Entry, content: bytes, digest: str) -> NewDocument:
    document = documents[entry.name]
    read = read_markdown(document.text)
    outline = [(heading.level, heading.text, heading.line) for heading in read.headings]
    return NewDocument(entry.name, document.title, document.text, digest, entry.stamp, outline, chunk_markdown(read))
