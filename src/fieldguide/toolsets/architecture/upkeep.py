"""What the architecture toolset keeps up to date: the document cache, the prompts, and the index of the documents."""

import hashlib
import os
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from fieldguide.errors import Refusal
from fieldguide.search.chunking import chunk_markdown
from fieldguide.search.markdown import read_markdown
from fieldguide.search.port import NewDocument, Source
from fieldguide.search.syncing import Entry, Sync, stamp_of
from fieldguide.secret_values import without_secret_values
from fieldguide.toolset import Progress, Services, cached
from fieldguide.toolsets.architecture.library import Document, Library, Shelf
from fieldguide.toolsets.architecture.prompts.book import PromptBook
from fieldguide.toolsets.architecture.roots import CATEGORIES, PROMPTS
from fieldguide.toolsets.architecture.searching import KIND
from fieldguide.watching import watched

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.decisions import Decisions
    from fieldguide.toolsets.architecture.validation import Patterns

PATIENCE_SECONDS = 5.0
LOOK_MILLISECONDS = 400
SETTLE_MILLISECONDS = 200
REST_SECONDS = 1.0


class ArchitectureUpkeep:
    """The library and the prompts of a project, and an index that is equal to the library."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._lock = threading.Lock()
        self._syncing: threading.Thread | None = None
        self._told: Mapping[str, str] = {}
        announce = services.changes.announce
        self.library = Library(services.project, services.settings, announce)
        self.decisions = cached(self._made_decisions)
        self.patterns = cached(self._made_patterns)
        self.book = PromptBook(
            services.project, self.library, services.find_tool, announce=announce, note=services.note
        )

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date, now."""
        self.book.look()
        self._tell_of_refused()
        return self._sync(progress)

    def indexed_shelf(self) -> Shelf:
        """The documents as they are, in the index too: a call finds what was written a moment ago.

        Where that takes too long, the index answers as it is, as is noted, and is brought up to date meanwhile.
        """
        shelf = self.library.shelf()
        if not self._is_indexed(shelf):
            self._begin_sync().join(PATIENCE_SECONDS)
            if not self._is_indexed(shelf):
                self._services.note("Indexing", notice="The index may lack some documents; this answer too.")
        return self.library.shelf()

    def _begin_sync(self) -> threading.Thread:
        """The thread that brings the index up to date: one at a time, whoever waits for it."""
        with self._lock:
            if self._syncing is None or not self._syncing.is_alive():
                self._syncing = threading.Thread(target=self._pass, name="architecture", daemon=True)
                self._syncing.start()
            return self._syncing

    def _is_indexed(self, shelf: Shelf) -> bool:
        """Whether the index holds just these documents; it may be lost, or be another process's work, at any time."""
        held = {each.name: each.details for each in self._services.engine().sources(KIND) if each.is_synced}
        return all(held.get(category) == _details(shelf, category) for category in CATEGORIES)

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

    def _tell_of_refused(self) -> None:
        """Write each file that can't be taken to the journal, once."""
        refused = dict(self.library.refused)
        for path, reason in refused.items():
            if path not in self._told:
                self._services.note("Documents", notice=f"{path} is left out: {reason}")
        self._told = refused

    def _made_patterns(self) -> "Patterns":
        from fieldguide.toolsets.architecture.validation import Patterns

        return Patterns(self.library)

    def _made_decisions(self) -> "Decisions":
        from fieldguide.toolsets.architecture.decisions import Decisions

        return Decisions(self.library, lambda: self._services.engine().embedder)

    def _sync(self, progress: Progress) -> dict[str, Any]:
        """Make the index equal to the documents as they are once it is our turn, one source for each category."""
        engine = self._services.engine()
        done: dict[str, Any] = {}
        with engine.turn(KIND):
            shelf = self.library.look()
            for category in CATEGORIES:
                documents = {document.path: document for document in shelf.of(category)}
                sync = Sync(engine, Source(KIND, category), partial(_indexed, documents))
                try:
                    counts = sync.run([*_entries(documents)], _details(shelf, category), progress)
                except Refusal as error:  # no room for all
                    done[category] = {"error": error.message}
                    continue
                done[category] = counts._asdict()
        return done

    def _pass(self) -> None:
        began = monotonic()
        try:
            done = self.refresh(lambda done, total, name: None)
        except Exception as error:  # noqa: BLE001  the border of a thread: what goes wrong once is tried again
            self._services.note("Indexing", notice=f"The architecture documents could not be indexed: {error}")
            return
        changed = {name: counts for name, counts in done.items() if "error" in counts or any((*counts.values(),)[:-1])}
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
            is_other = self._folders() != folders
            if is_changed or is_first or is_other:
                self._pass()
            elif self.library.is_unsettled or self.book.is_unsettled:
                self.book.look()
                if not self._is_indexed(self.library.look()):
                    self._pass()
            if is_other:
                return
            is_first = False

    def _folders(self) -> dict[str, tuple[int, int]]:
        """The folders that are there, and which ones they are: one that was replaced must be watched anew.

        A folder that leads out of the project is not read, and must not be watched either.
        """
        root = self._services.project.root
        found: dict[str, tuple[int, int]] = {}
        for folder in (*self.library.folders(), PROMPTS):
            path = os.path.realpath(os.path.join(root, folder))
            if path != root and not path.startswith(f"{root}{os.sep}"):
                continue
            try:
                status = os.stat(path)
            except OSError:
                continue
            found[path] = (status.st_dev, status.st_ino)
        return found


def _details(shelf: Shelf, category: str) -> dict[str, str]:
    """What tells that the index of a category holds just these documents."""
    told = "\n".join(f"{document.path} {document.checksum}" for document in shelf.of(category))
    return {"holds": hashlib.sha256(told.encode(errors="replace")).hexdigest()}


def _entries(documents: Mapping[str, Document]) -> Iterator[Entry]:
    now = time.time()
    for path, document in documents.items():
        stamp = stamp_of(document.file.status, now)
        yield Entry(path, stamp, partial(_content, document), is_only_away=False)


def _content(document: Document) -> bytes:
    return document.file.content


def _indexed(documents: Mapping[str, Document], entry: Entry, content: bytes, digest: str) -> NewDocument:
    document = documents[entry.name]
    text = content.decode("utf-8", errors="replace")
    read = read_markdown(text)
    outline = [(heading.level, heading.text, heading.line) for heading in read.headings]
    title = without_secret_values(document.title)
    return NewDocument(entry.name, title, text, digest, entry.stamp, outline, chunk_markdown(read))
