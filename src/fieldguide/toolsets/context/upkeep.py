"""Keeps the index of code, findings and sessions up to date, with the facts derived from it.

What a question about the code needs comes with the pass that indexes it. The rest takes longer, so it comes after the
pass, when others may ask already.

Which files were looked at in which work session is recorded in a thread of its own. Looks are written together, a
moment after the first of them, or at once when somebody asks for what they leave. A session that ends, because its
connection is gone or was idle for half an hour, is given its topics there.
"""

import atexit
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from fieldguide.code.imports import graph as imports_graph
from fieldguide.code.imports.graph import update_import_graph as bring_up_imports
from fieldguide.code.symbols import index as symbols_index
from fieldguide.code.symbols.index import update_symbols as bring_up_symbols
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import find_text_kind, is_code, is_indexed_text
from fieldguide.files.listing import FileList
from fieldguide.files.watch import WatchedChanges, WatchedPlace
from fieldguide.git.history import READ_SECONDS, load_history
from fieldguide.knowledge.findings.indexing import APART, index_findings, index_sessions
from fieldguide.knowledge.findings.sessions import ContextItemRepository, SessionRepository, write_topics
from fieldguide.knowledge.links.stale import update_citations
from fieldguide.search.backlog import (
    GIVEN_UP,
    MOST_NAMED,
    Backlog,
    KeptAnswers,
    SourceFile,
    SourcePart,
    Sync,
    SyncCounts,
    WaitingFiles,
    explain_given_up,
    find_waiting,
    list_given_up,
    make_stamp,
)
from fieldguide.search.engine import SearchEngine
from fieldguide.search.types import NewDocument, SearchSource
from fieldguide.spine.toolset import Progress, Services
from fieldguide.storage.database import Transaction
from fieldguide.text.errors import FieldguideError, Refusal
from fieldguide.toolsets.context.file_documents import (
    LEFT_OUT,
    CodeReader,
    TextChoice,
    choose_text,
    make_code_document,
    read_text,
)
from fieldguide.toolsets.context.file_reader import Dependencies
from fieldguide.toolsets.context.overview import PATH as MODEL_PATH
from fieldguide.toolsets.context.overview import read_model_or_empty
from fieldguide.toolsets.upkeep import PassResult

IMPORTS = "imports"
SYMBOLS = "symbols"
TIES = "ties"
HISTORY = "history"


class DerivedFacts:
    """Brings up what is derived; what goes wrong with one part is noted, and stops no other."""

    def __init__(self, services: Services, files: FileList) -> None:
        self._services = services
        self._files = files
        self._has_citations = False

    def follow_code(
        self, reader: CodeReader, only: Sequence[str] | None = None, progress: Progress | None = None
    ) -> None:
        """Who imports whom, and what is defined and used where: of everything, or of some files that have changed.

        Most of it was kept already when the reader read the files.
        """
        report = progress or _quietly
        services = self._services
        engine = services.engine()
        report(0, 0, IMPORTS)
        with self._noting("Who imports whom"):
            paths = self._files.paths()
            resolved = reader.kept if paths == reader.paths else ()
            with engine.turn(IMPORTS):  # a turn of its own: others need not wait for it
                bring_up_imports(engine, services.namespace, services.project, paths, only, resolved)
        report(0, 0, SYMBOLS)
        with self._noting("What is defined and used where"), engine.turn(SYMBOLS):
            bring_up_symbols(engine, services.namespace, self._files.paths(), only)

    def begin_history(self) -> None:
        """Have the history read meanwhile."""
        services = self._services
        with suppress(FieldguideError):
            load_history(services.engine().database, services.namespace, services.project.root, wait_seconds=0)

    def follow_history(self, only: Sequence[str] | None = None) -> None:
        """What git tells of the files, and whether what is cited still holds: most answers show some of it."""
        services = self._services
        engine = services.engine()
        index = engine.database
        root = services.project.root
        paths = self._files.paths()
        with self._noting("The history"):
            load_history(index, services.namespace, root, wait_seconds=READ_SECONDS)
        with self._noting("Whether what is cited still holds"), engine.turn(TIES):
            known = only if self._has_citations else None
            update_citations(index, services.database, services.namespace, services.project, paths, known)
            self._has_citations = True

    @contextmanager
    def _noting(self, what: str) -> Generator[None]:
        try:
            yield
        except FieldguideError as error:
            self._services.note("Indexing", notice=f"{what} could not be kept up: {error}")


def add_known_entries(entries: Sequence[SourceFile], known: Iterable[str]) -> list[SourceFile]:
    """The entries, and those that the index knows besides, as files that can't be read just now: they stay in it."""
    named = {entry.name for entry in entries}
    return [*entries, *(SourceFile(name, "", _unread) for name in known if name not in named)]


def _unread() -> None:
    return None


CODE = "code"
TEXT = "text"  # configuration, templates and other text beside the code, one source for each kind and module
GIT = ".git/"
LARGEST_BYTES = 1 << 20
FEW_FILES = 20
IGNORE_FILES = frozenset((".gitignore", ".ignore", ".rgignore"))
NOTHING = SyncCounts(0, 0, 0, 0)

Sources = dict[SearchSource, list[SourceFile]]


class ContextUpkeep:
    """Keeps the index equal to the project's code and to what is stored."""

    title = "The code"

    def __init__(self, services: Services) -> None:
        self._services = services
        self.files = FileList(services.project)
        self.dependencies = Dependencies(services.project, self.files)
        self.recorder = AccessRecorder(services)
        self.derived = DerivedFacts(services, self.files)
        self._indexes_code: bool = services.settings.get("index_code", True)
        self._chosen: tuple[Sequence[str], TextChoice] = ((), TextChoice({}, frozenset()))

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date, while git tells the history that `settle` keeps."""
        self.derived.begin_history()
        return self._index(progress)

    def settle(self, progress: Progress) -> None:
        """What git tells of the files, and whether what is cited still holds."""
        progress(0, 0, HISTORY)
        self.derived.follow_history()

    def _index(self, progress: Progress) -> dict[str, Any]:
        """Bring the index up to date: discoveries first, because they are few and asked for most."""
        services = self._services
        engine = self._services.engine()
        with engine.turn():
            discoveries = index_findings(services.database, engine, services.namespace)
            self.recorder.finish_sessions()
            paths = self.files.paths() if self._indexes_code else ()
            is_listed_whole = self._is_list_whole()
            reader = self._reader(engine, paths)
            sources = self._sources(engine, CODE, paths)
            code = self._sync(engine, sources, reader, progress, is_whole=is_listed_whole)
        self.derived.follow_code(reader, progress=progress)
        with engine.turn():
            text = self._sync(engine, self._sources(engine, TEXT, paths), reader, progress, is_whole=is_listed_whole)
        return {
            "code": code._asdict() | self._note_given_up(CODE) | self._note_left_out(sources),
            "text": text._asdict() | self._note_given_up(TEXT),
            "findings": {"added": discoveries},
        }

    def _note_given_up(self, kind: str) -> dict[str, Any]:
        """The files of code, or of text beside it, that are indexed as plain text because a reader failed."""
        names = sorted(chain.from_iterable(list_given_up(self._services.engine(), kind).values()))
        if not names:
            return {}
        self._services.note("Indexing", notice=f"The code: {explain_given_up(names)}")
        return {GIVEN_UP: names}

    def _note_left_out(self, sources: Sources) -> dict[str, Any]:
        """That vendored code is not indexed, where a project has very much of it, and which files are too large."""
        sentences: list[str] = []
        if left_out := self._choice().left_out:
            sentences.append(
                f"{left_out:,} files of vendored code are not indexed; grep_codebase and read_file reach them."
            )
        root = self._services.project.root
        names = sorted(entry.name for entry in chain.from_iterable(sources.values()))
        large = [name for name in names if _measure(os.path.join(root, name)) > LARGEST_BYTES]
        if large:
            listed = ", ".join(large[:MOST_NAMED]) + (", …" if len(large) > MOST_NAMED else "")
            sentences.append(f"not indexed, because larger than 1 MiB ({len(large):,}): {listed}")
        for sentence in sentences:
            self._services.note("Indexing", notice=f"The code: {sentence}")
        return {LEFT_OUT: sentences} if sentences else {}

    def _reader(self, engine: SearchEngine, paths: Sequence[str], *, is_kept: bool = True) -> CodeReader:
        """Reads code; what it parses is kept by content, unless few files have changed."""
        services = self._services
        made_by = (engine.maker, imports_graph.VERSION, symbols_index.VERSION)
        answers = KeptAnswers(engine.database, services.namespace, made_by) if is_kept else None
        choice = self._choice()
        return CodeReader(
            services.project, services.namespace, paths, embedder=engine.embedder, choice=choice, answers=answers
        )

    def _sync(
        self, engine: SearchEngine, found: Sources, reader: CodeReader, progress: Progress, *, is_whole: bool
    ) -> SyncCounts:
        """One source for each module of the project's model, so that a filter is a choice of sources."""
        counts = [NOTHING]
        refused: list[Refusal] = []
        for source, each in found.items():
            listed = each if is_whole else add_known_entries(each, engine.known(source))
            try:
                counts.append(self._sync_of(engine, source, reader).run(listed, {}, progress))
            except Refusal as refusal:  # no room for all: the other modules are indexed first
                refused.append(refusal)
        if refused:
            raise refused[0]
        return SyncCounts(*map(sum, zip(*counts, strict=True)))

    def _sources(self, engine: SearchEngine, kind: str, paths: Iterable[str]) -> Sources:
        """The files of code, or of text beside it, by source; none for one that has no files any more."""
        model = read_model_or_empty(self._services.project)
        found: Sources = {SearchSource(kind, each.name): [] for each in engine.sources(kind)}
        if kind == CODE:
            found[_source_of(CODE, "", None)] = []
        for entry in self._entries(kind, paths):
            found.setdefault(_source_of(kind, entry.name, model.place_of(entry.name).module), []).append(entry)
        return found

    def _choice(self) -> TextChoice:
        """Which text is indexed, of the files as they were listed last."""
        paths = (self.files.last.paths or self.files.paths()) if self._indexes_code else ()
        if self._chosen[0] is not paths:
            self._chosen = paths, choose_text(paths)
        return self._chosen[1]

    def _sync_of(
        self, engine: SearchEngine, source: SearchSource, reader: CodeReader, part: SourcePart | None = None
    ) -> Sync:
        if source.kind == TEXT:
            return Sync(engine, source, self._maker(source), part)
        return Sync(engine, source, reader.make, part, keep_facts=reader.keep)

    def _maker(self, source: SearchSource) -> Callable[[SourceFile, bytes, str], NewDocument]:
        choice = self._choice()
        if source.kind == TEXT:
            return choice.document
        return partial(make_code_document, choice=choice)

    def _is_list_whole(self) -> bool:
        """Whether all files were listed; where they were not, that is told, and nothing is taken for gone."""
        is_whole = not self._indexes_code or self.files.last.is_whole
        if not is_whole:
            self._services.note(
                "Indexing", notice="A part of the project could not be listed; what is known of it stays."
            )
        return is_whole

    def places(self) -> list[WatchedPlace]:
        """The folders that hold files of the project, and the file that says which modules there are."""
        root = self._services.project.root
        places = [WatchedPlace(os.path.join(root, MODEL_PATH), "file", root)]
        for name in self.files.folders():
            folder = os.path.join(root, name) if name else root
            places.append(WatchedPlace(folder, "folder", folder))
        return places

    def follow(self, seen: WatchedChanges | None) -> PassResult:
        """A pass over everything, or over the files that have changed; folders and ignore files mean everything."""
        changed = None if seen is None else self._changed(seen)
        if changed is None:
            self.files.forget()
            done = self._index(_quietly)
        else:
            done = {"code": self._follow_files(changed)._asdict()}
        is_news = any(each.get(key) for each in done.values() for key in ("added", "updated", "removed"))
        return PassResult(
            done if is_news else {},
            is_whole=changed is None,
            afterwards=None if changed == [] else partial(self.derived.follow_history, changed),
        )

    def watching(self, *, is_whole: bool) -> None:
        """While every change is seen, the list of files is kept."""
        self.files.is_watched = is_whole

    def leave(self) -> None:
        """The sessions of this process end with it."""
        self.recorder.end_sessions()

    def is_whole(self) -> bool:
        """Whether the code was once indexed to its end."""
        return any(source.is_synced for source in self._services.engine().sources(CODE))

    def backlog(self) -> Backlog:
        """The code that is not in the index as it is now."""
        if not self._indexes_code:
            return Backlog(())
        engine = self._services.engine()
        paths = self.files.paths()
        code = Backlog(self._waiting(engine, self._sources(engine, CODE, paths)))
        if code.standing() is not None:  # code is indexed first
            return code
        return Backlog([*code.waiting, *self._waiting(engine, self._sources(engine, TEXT, paths))])

    def _waiting(self, engine: SearchEngine, found: Sources) -> list[WaitingFiles]:
        return [find_waiting(engine, source, self._maker(source), each) for source, each in found.items()]

    def _changed(self, seen: WatchedChanges) -> list[str] | None:
        """The files of the project that have changed; None where more may have come or gone than files."""
        above = f"{self._services.project.root}{os.sep}"
        inside = [path[len(above) :].replace(os.sep, "/") for path in seen.files if path.startswith(above)]
        paths = [path for path in inside if not path.startswith(GIT)]
        if seen.folders or any(path.rpartition("/")[2] in IGNORE_FILES for path in paths):
            return None
        return self.files.follow(paths)

    def _follow_files(self, paths: Sequence[str]) -> SyncCounts:
        """Index files that have changed or are gone, and look at no other."""
        code = [path for path in paths if is_code(path)]
        text = [path for path in paths if is_indexed_text(path)]
        if not (code or text) or not self._indexes_code:
            return NOTHING
        engine = self._services.engine()
        model = read_model_or_empty(self._services.project)
        listed = self.files.listed([*code, *text])
        by_source: dict[SearchSource, list[str]] = {}
        for kind, some in ((CODE, code), (TEXT, text)):
            for path in some:
                by_source.setdefault(_source_of(kind, path, model.place_of(path).module), []).append(path)
        counts = [NOTHING]
        reader = self._reader(engine, self.files.paths(), is_kept=len(code) > FEW_FILES)
        with engine.turn():
            for source, each in by_source.items():
                sync = self._sync_of(engine, source, reader, SourcePart(frozenset(each)))
                counts.append(sync.run(self._entries(source.kind, listed.intersection(each)), {}, _quietly))
        if code:
            self._note_given_up(CODE)
            self.derived.follow_code(reader, code)
        return SyncCounts(*map(sum, zip(*counts, strict=True)))

    def _entries(self, kind: str, paths: Iterable[str]) -> list[SourceFile]:
        """The files among these that are code, or text that was chosen."""
        now = time.time()
        project = self._services.project
        choice = self._choice()
        is_wanted = choice.takes_code if kind == CODE else choice.most.__contains__
        read = read_code if kind == CODE else read_text
        entries: list[SourceFile] = []
        for path in filter(is_wanted, paths):
            stamp = _stamp(os.path.join(project.root, path), now)
            entries.append(SourceFile(path, stamp, partial(read, project, path), is_only_away=False))
        return entries


def _source_of(kind: str, path: str, module: str | None) -> SearchSource:
    named = CODE if kind == CODE else find_text_kind(path)
    return SearchSource(kind, f"{named}{APART}{module or ''}")


def read_code(project: ConfinedFolder, path: str) -> bytes | None:
    """The content of a file; None for one that was removed meanwhile, is too large, or is not to be read."""
    try:
        return project.read(path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return None


def _measure(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _stamp(path: str, now: float) -> str:
    try:
        return make_stamp(os.stat(path), now)
    except OSError:
        return ""


def _quietly(done: int, total: int, name: str) -> None:
    """Nobody watches the progress."""


MOST_CONNECTIONS = 10_000
GATHER_SECONDS = 0.1
FLUSH_SECONDS = 2.0
CHARACTERS_PER_TOKEN = 4


class AccessedFile(NamedTuple):
    """One look at a file."""

    connection: str
    user: str | None
    path: str
    size: int
    at: datetime


class AccessRecorder:
    """Writes accesses in a thread of its own, in the order in which they came; what it can't write it tells."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._waiting: SimpleQueue[AccessedFile] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        self._is_awaited = threading.Event()
        self._thread: threading.Thread | None = None
        self._connections: dict[str, str] = {}
        self._is_compared = False

    def record(self, access: AccessedFile) -> None:
        """Take note of an access, at once."""
        with self._lock:
            self._idle.clear()
            self._waiting.put(access)
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_all, name="recorder", daemon=True)
                self._thread.start()
                atexit.register(self.flush)

    def flush(self) -> bool:
        """Have what is not written yet written now, and wait a moment for it; return whether it is."""
        self._is_awaited.set()
        return self._idle.wait(FLUSH_SECONDS)

    def end_sessions(self) -> None:
        """End the sessions of this process: their connections are gone. The next start makes them searchable."""
        self.flush()
        if not self._connections:
            return
        try:
            with self._services.database.writing() as transaction:
                sessions = SessionRepository(transaction, self._services.namespace)
                sessions.end(sorted(self._connections), now=datetime.now(UTC))
                self._write_topics(transaction)
        except FieldguideError as error:
            self._services.note("Storage", notice=f"The end of a session was not recorded: {error}")

    def finish_sessions(self) -> None:
        """Give the sessions that have ended their topics, and make them searchable."""
        self._tell_topics()
        services = self._services
        is_first = not self._is_compared
        index_sessions(services.database, services.engine(), services.namespace, is_first=is_first)
        self._is_compared = True

    def _write_all(self) -> None:
        while True:
            batch = [self._waiting.get()]
            self._is_awaited.wait(GATHER_SECONDS)
            batch += self._gathered()
            try:
                self._write(batch)
            except Exception as error:  # noqa: BLE001  the border of a thread: the next looks are recorded all the same
                said = f"{len(batch)} looks at files were not recorded: {_sentence(error)}"
                self._services.note("Storage", notice=said)
            with self._lock:
                if self._waiting.empty():
                    self._is_awaited.clear()
                    self._idle.set()

    def _gathered(self) -> list[AccessedFile]:
        """Every look that waits by now."""
        gathered: list[AccessedFile] = []
        with suppress(Empty):
            while True:
                gathered.append(self._waiting.get_nowait())
        return gathered

    def _write(self, batch: list[AccessedFile]) -> None:
        before = set(self._connections.values())
        has_begun = False
        with self._services.database.writing() as transaction:
            sessions = SessionRepository(transaction, self._services.namespace)
            items = ContextItemRepository(transaction, self._services.namespace)
            has_ended = sessions.close_idle(now=batch[0].at)
            for access in batch:
                session = sessions.touch(access.connection, user=access.user, now=access.at)
                sessions.access(session, access.path, now=access.at)
                items.access("file", access.path, tokens=access.size // CHARACTERS_PER_TOKEN, now=access.at)
                self._connections[access.connection] = session
                has_begun = has_begun or session not in before
            while len(self._connections) > MOST_CONNECTIONS:  # the sessions of the oldest end by being idle
                del self._connections[next(iter(self._connections))]
            items.archive_lowest(batch[-1].at)
            if has_ended:
                self._write_topics(transaction)
        if has_begun:  # a session can be read from its first call on
            self._services.changes.announce("resources")
        if has_ended:
            self.finish_sessions()

    def _tell_topics(self) -> None:
        services = self._services
        with services.database.reading() as transaction:
            is_untold = bool(SessionRepository(transaction, services.namespace).untold())
        if is_untold:
            with services.database.writing() as transaction:
                self._write_topics(transaction)

    def _write_topics(self, transaction: Transaction) -> None:
        """In the transaction that ends a session: another process may index it at once, with the topics it has then."""
        model = read_model_or_empty(self._services.project)
        write_topics(transaction, self._services.namespace, lambda path: model.place_of(path).module)


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, FieldguideError) else f"{type(error).__name__}: {error}"
