"""What the context toolset keeps up to date: the index of code, discoveries and sessions, and the list of files."""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from fieldguide.discoveries.indexing import APART, index_discoveries
from fieldguide.errors import Refusal
from fieldguide.search.engine import SearchEngine
from fieldguide.search.port import NewDocument, Source
from fieldguide.search.syncing import Counts, Entry, Sync, stamp_of
from fieldguide.source_code.languages import language_of
from fieldguide.spine.contract import Call
from fieldguide.toolset import Progress, Services
from fieldguide.toolsets.context.code_chunks import chunk_code
from fieldguide.toolsets.context.dependencies import Dependencies
from fieldguide.toolsets.context.files import FileList
from fieldguide.toolsets.context.partial_list import with_known
from fieldguide.toolsets.context.project_model import known_model
from fieldguide.toolsets.context.recorder import Recorder
from fieldguide.watching import watched

CODE = "code"
LARGEST_BYTES = 1 << 20
FIRST_PASS_SECONDS = 3.0
REST_SECONDS = 5.0
# fmt: off
NOT_CODE = frozenset((
    "asciidoc", "css", "csv", "diff", "go-mod", "html", "ignore", "ini", "json", "latex", "markdown", "mdx",
    "properties", "restructuredtext", "text", "toml", "tsv", "xml", "yaml",
))
# fmt: on


class ContextUpkeep:
    """Keeps the index equal to the project's code and to what is stored; `kept` is set where it does so by itself."""

    def __init__(self, services: Services, kept: threading.Event) -> None:
        self._services = services
        self._kept = kept
        self._first_pass = threading.Event()
        self._patience_ends: float | None = None
        self.files = FileList(services.project)
        self.dependencies = Dependencies(services.project, self.files)
        self.recorder = Recorder(services)

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring everything up to date: discoveries first, because they are few and asked for most."""
        services, engine = self._services, self._services.engine()
        with engine.turn():
            discoveries = index_discoveries(services.database, engine, services.namespace)
            self.recorder.finish_sessions()
            entries = self._entries() if services.settings.get("index_code", True) else ()
            code = self._sync_code(engine, entries, progress)
        return {"code": code._asdict(), "discoveries": {"added": discoveries}}

    def _sync_code(self, engine: SearchEngine, entries: Sequence[Entry], progress: Progress) -> Counts:
        """One source for each module of the project's model, so that a filter is a choice of sources."""
        model = known_model(self._services.project)
        by_module: dict[str | None, list[Entry]] = {None: []}
        for entry in entries:
            by_module.setdefault(model.place_of(entry.name).module, []).append(entry)
        found: dict[Source, list[Entry]] = {Source(CODE, each.name): [] for each in engine.sources(CODE)}
        found |= {Source(CODE, f"{CODE}{APART}{module or ''}"): each for module, each in by_module.items()}
        counts: list[Counts] = []
        refused: list[Refusal] = []
        is_whole = self._is_list_whole()
        for source, each in found.items():
            listed = each if is_whole else with_known(each, engine.known(source))
            try:
                counts.append(Sync(engine, source, _code_document).run(listed, {}, progress))
            except Refusal as refusal:  # no room for all: the other modules are indexed first
                refused.append(refusal)
        if refused:
            raise refused[0]
        return Counts(*map(sum, zip(*counts, strict=True)))

    def _is_list_whole(self) -> bool:
        """Whether all files were listed; where they were not, that is told, and nothing is taken for gone."""
        is_whole = not self._services.settings.get("index_code", True) or self.files.last.is_whole
        if not is_whole:
            self._services.note(
                "Indexing", notice="A part of the project could not be listed; what is known of it stays."
            )
        return is_whole

    def keep(self, stopped: threading.Event) -> None:
        """A pass at the start, and one after each change, until stopped."""
        self._pass()
        self._first_pass.set()
        while not stopped.is_set():
            try:
                self._watch(stopped)
            except Exception as error:  # noqa: BLE001  the border of a thread: where nothing can be watched, we look
                self._services.note("Indexing", notice=f"The code can't be watched, so it is looked at: {error}")
                self.files.is_watched = False
                stopped.wait(REST_SECONDS)
                self._pass()

    def wait_for_first_pass(self, call: Call) -> bool:
        """Let a call on a project that was never indexed wait a little; whether it goes on without, as is noted."""
        if not self._kept.is_set() or self._first_pass.is_set() or self._is_whole():
            return False
        if self._patience_ends is None:  # once for all calls: the next ones answer from what is there
            self._patience_ends = monotonic() + FIRST_PASS_SECONDS
        while monotonic() < self._patience_ends and not self._first_pass.wait(0.05):
            call.cancellation.check()
        if self._first_pass.is_set():
            return False
        self._services.note("Indexing", tool=call.tool, notice="The index is not whole yet; this answer may lack.")
        return True

    def _is_whole(self) -> bool:
        return any(source.is_synced for source in self._services.engine().sources(CODE))

    def _pass(self) -> None:
        began = monotonic()
        try:
            done = self.refresh(lambda done, total, name: None)
        except Exception as error:  # noqa: BLE001  the border of a thread: what goes wrong once is tried again
            self._services.note("Indexing", notice=f"The code could not be indexed: {error}")
            return
        if any(done["code"][key] for key in ("added", "updated", "removed")) or done["discoveries"]["added"]:
            self._services.note("Indexed", **done, seconds=round(monotonic() - began, 3))

    def _entries(self) -> Sequence[Entry]:
        now = time.time()
        root = self._services.project.root
        return [
            Entry(path, _stamp(os.path.join(root, path), now), _reader(self._services, path), is_only_away=False)
            for path in self.files.paths()
            if _is_code(path)
        ]

    def _watch(self, stopped: threading.Event) -> None:
        """A pass after each change in a folder that holds files of the project, until other folders do.

        The first pass is for what changed before the watch began; what changes during a pass waits in the watch.
        """
        folders, is_first = self._folders(), True
        for is_changed in watched(folders, stopped, recursive=False):
            if is_changed or is_first:
                self.files.forget()
                self._pass()
                if self._folders() != folders:
                    return
            is_first = False
            self.files.is_watched = True

    def _folders(self) -> list[str]:
        """The folders that hold files of the project; others are not even watched."""
        found = {""}
        for path in self.files.paths():
            names = path.split("/")[:-1]
            found.update("/".join(names[: depth + 1]) for depth in range(len(names)))
        return sorted(os.path.join(self._services.project.root, folder) for folder in found)


def _code_document(entry: Entry, content: bytes, digest: str) -> NewDocument:
    text = content.decode("utf-8", errors="replace")
    chunks = chunk_code(text, language_of(entry.name))
    return NewDocument(entry.name, entry.name, text, digest, entry.stamp, (), chunks)


def _is_code(path: str) -> bool:
    language = language_of(path)
    return language is not None and language not in NOT_CODE


def _reader(services: Services, path: str) -> Callable[[], bytes | None]:
    def read() -> bytes | None:
        try:
            return services.project.read(path, limit_bytes=LARGEST_BYTES)
        except Refusal:  # removed meanwhile, too large, or not to be read
            return None

    return read


def _stamp(path: str, now: float) -> str:
    try:
        return stamp_of(os.stat(path), now)
    except OSError:
        return ""
