"""What the context toolset keeps up to date: the index of code, discoveries and sessions, and the list of files."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from fieldguide.confinement import ConfinedFolder
from fieldguide.discoveries.indexing import APART, index_discoveries
from fieldguide.discoveries.keeping import learn_by_itself
from fieldguide.errors import Refusal
from fieldguide.search.early.backlog import Backlog, waiting_of
from fieldguide.search.engine import SearchEngine
from fieldguide.search.hits import MARK_LEVEL
from fieldguide.search.port import NewDocument, Source
from fieldguide.search.syncing import Counts, Entry, Part, Sync, stamp_of
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.roles import GENERATED, is_generated
from fieldguide.toolset import Progress, Services
from fieldguide.toolsets.context.code.chunks import chunk_code
from fieldguide.toolsets.context.dependencies import Dependencies
from fieldguide.toolsets.context.derived import Derived
from fieldguide.toolsets.context.importance import imported_first
from fieldguide.toolsets.context.project_model import PATH as MODEL_PATH
from fieldguide.toolsets.context.project_model import known_model
from fieldguide.toolsets.context.recorder import Recorder
from fieldguide.toolsets.context.tree.files import FileList
from fieldguide.toolsets.context.tree.partial_list import with_known
from fieldguide.upkeep import Passed
from fieldguide.watching import Place, Seen

CODE = "code"
GIT = ".git/"
LARGEST_BYTES = 1 << 20
IGNORE_FILES = frozenset((".gitignore", ".ignore", ".rgignore"))
# fmt: off
NOT_CODE = frozenset((
    "asciidoc", "css", "csv", "diff", "go-mod", "html", "ignore", "ini", "json", "latex", "markdown", "mdx",
    "properties", "restructuredtext", "text", "toml", "tsv", "xml", "yaml",
))
# fmt: on


class ContextUpkeep:
    """Keeps the index equal to the project's code and to what is stored."""

    title = "The code"

    def __init__(self, services: Services) -> None:
        self._services = services
        self.files = FileList(services.project)
        self.dependencies = Dependencies(services.project, self.files)
        self.recorder = Recorder(services)
        self.derived = Derived(services, self.files)

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date, and what is derived from it."""
        done = self._index(progress)
        self.derived.settle()
        return done

    def _index(self, progress: Progress) -> dict[str, Any]:
        """Bring the index up to date: discoveries first, because they are few and asked for most."""
        services, engine = self._services, self._services.engine()
        with engine.turn():
            discoveries = index_discoveries(services.database, engine, services.namespace)
            self.recorder.finish_sessions()
            entries = self._entries(self.files.paths()) if services.settings.get("index_code", True) else ()
            code = self._sync_code(engine, entries, progress)
        self.derived.follow_code()
        return {"code": code._asdict(), "discoveries": {"added": discoveries}}

    def _sync_code(self, engine: SearchEngine, entries: Sequence[Entry], progress: Progress) -> Counts:
        """One source for each module of the project's model, so that a filter is a choice of sources."""
        found = self._by_source(engine, entries)
        counts: list[Counts] = []
        refused: list[Refusal] = []
        is_whole, order = self._is_list_whole(), None if self.is_whole() else self._imported_first
        for source, each in found.items():
            listed = each if is_whole else with_known(each, engine.known(source))
            try:
                counts.append(Sync(engine, source, code_document, order=order).run(listed, {}, progress))
            except Refusal as refusal:  # no room for all: the other modules are indexed first
                refused.append(refusal)
        if refused:
            raise refused[0]
        return Counts(*map(sum, zip(*counts, strict=True)))

    def _imported_first(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        return imported_first(self._services.project, entries)

    def _by_source(self, engine: SearchEngine, entries: Sequence[Entry]) -> dict[Source, list[Entry]]:
        """The files of each source; none for one that has no files any more."""
        model = known_model(self._services.project)
        by_module: dict[str | None, list[Entry]] = {None: []}
        for entry in entries:
            by_module.setdefault(model.place_of(entry.name).module, []).append(entry)
        found: dict[Source, list[Entry]] = {Source(CODE, each.name): [] for each in engine.sources(CODE)}
        return found | {_source(module): each for module, each in by_module.items()}

    def _is_list_whole(self) -> bool:
        """Whether all files were listed; where they were not, that is told, and nothing is taken for gone."""
        is_whole = not self._services.settings.get("index_code", True) or self.files.last.is_whole
        if not is_whole:
            self._services.note(
                "Indexing", notice="A part of the project could not be listed; what is known of it stays."
            )
        return is_whole

    def places(self) -> list[Place]:
        """The folders that hold files of the project, and the file that says which modules there are."""
        root = self._services.project.root
        folders = (os.path.join(root, folder) if folder else root for folder in self.files.folders())
        model = Place(os.path.join(root, MODEL_PATH), "file", root)
        return [model, *(Place(folder, "folder", folder) for folder in folders)]

    def follow(self, seen: Seen | None) -> Passed:
        """A pass over everything, or over the files that have changed; folders and ignore files mean everything."""
        changed = None if seen is None else self._changed(seen)
        if changed is None:
            self.files.forget()
            done = self._index(_quietly)
            self._learn()
        else:
            done = {"code": self._follow_files(changed)._asdict()}
        is_news = any(done["code"][key] for key in ("added", "updated", "removed"))
        return Passed(
            done if is_news or done.get("discoveries", {}).get("added") else {},
            is_whole=changed is None,
            afterwards=None if changed == [] else partial(self.derived.settle, changed),
        )

    def _learn(self) -> None:
        """Learn from the git history, once for each HEAD; where git can't read it, that is noted."""
        services = self._services
        if not services.settings.get("learn", True):
            return
        try:
            found = learn_by_itself(
                services.project.root,
                services.database,
                services.engine,
                namespace=services.namespace,
                limits=services.limits,
            )
        except Refusal as refusal:
            services.note("Learned", notice=refusal.message)
            return
        if found:
            services.note("Learned", findings=found)

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
        if not self._services.settings.get("index_code", True):
            return Backlog(())
        engine = self._services.engine()
        found = self._by_source(engine, self._entries(self.files.paths()))
        return Backlog([waiting_of(engine, source, code_document, each) for source, each in found.items()])

    def _changed(self, seen: Seen) -> list[str] | None:
        """The files of the project that have changed; None where more may have come or gone than files."""
        above = f"{self._services.project.root}{os.sep}"
        inside = [path[len(above) :].replace(os.sep, "/") for path in seen.files if path.startswith(above)]
        paths = [path for path in inside if not path.startswith(GIT)]
        if seen.folders or any(path.rpartition("/")[2] in IGNORE_FILES for path in paths):
            return None
        return self.files.follow(paths)

    def _follow_files(self, paths: Sequence[str]) -> Counts:
        """Index files that have changed or are gone, and look at no other."""
        code = [path for path in paths if is_code(path)]
        if not code or not self._services.settings.get("index_code", True):
            return Counts(0, 0, 0, 0)
        engine, model = self._services.engine(), known_model(self._services.project)
        listed = self.files.listed(code)
        by_module: dict[str | None, list[str]] = {}
        for path in code:
            by_module.setdefault(model.place_of(path).module, []).append(path)
        with engine.turn():
            counts = [
                Sync(engine, _source(module), code_document, Part(frozenset(each))).run(
                    self._entries([path for path in each if path in listed]), {}, _quietly
                )
                for module, each in by_module.items()
            ]
        self.derived.follow_code(code)
        return Counts(*map(sum, zip(*counts, strict=True)))

    def _entries(self, paths: Iterable[str]) -> Sequence[Entry]:
        now = time.time()
        root = self._services.project.root
        return [
            Entry(
                path,
                _stamp(os.path.join(root, path), now),
                partial(read_code, self._services.project, path),
                is_only_away=False,
            )
            for path in paths
            if is_code(path)
        ]


def _source(module: str | None) -> Source:
    return Source(CODE, f"{CODE}{APART}{module or ''}")


def code_document(entry: Entry, content: bytes, digest: str) -> NewDocument:
    """A source file as the index takes it."""
    text = content.decode("utf-8", errors="replace")
    chunks = chunk_code(text, language_of(entry.name))
    marks = ((MARK_LEVEL, GENERATED, 1),) if is_generated(text) else ()
    return NewDocument(entry.name, entry.name, text, digest, entry.stamp, marks, chunks)


def is_code(path: str) -> bool:
    """Whether a file's name says that it holds code."""
    language = language_of(path)
    return language is not None and language not in NOT_CODE


def read_code(project: ConfinedFolder, path: str) -> bytes | None:
    """The content of a file; None for one that was removed meanwhile, is too large, or is not to be read."""
    try:
        return project.read(path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return None


def _stamp(path: str, now: float) -> str:
    try:
        return stamp_of(os.stat(path), now)
    except OSError:
        return ""


def _quietly(done: int, total: int, name: str) -> None:
    """Nobody watches the progress."""
