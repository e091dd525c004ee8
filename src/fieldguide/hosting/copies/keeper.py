"""Keeps the copies of all projects from git: fetched when they are new, now and then, and when somebody says so."""

import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from fieldguide.errors import FieldguideError, StorageFailed, Unreadable
from fieldguide.hosting.copies.copy import Copy
from fieldguide.limits import Limits
from fieldguide.storage.port import Database
from fieldguide.teams.projects.picture import Picture, RegistryView
from fieldguide.teams.projects.project import HostedProject
from fieldguide.teams.projects.repository import ProjectRepository

AT_ONCE = 2  # fetches that run side by side
FOLDER = "copies"
LOOK_SECONDS = 0.5
LEAVE_SECONDS = 2.0
BEING_FETCHED = "The project is being fetched for the first time."


class _Kept(NamedTuple):
    """What is known of a copy: when it was last looked at, and for which wish of somebody's."""

    copy: Copy
    due_at: float = 0.0
    times_told: int = -1
    problem: str = ""


class CopyKeeper:
    """Threads of one replica that keep its copies, and tell the registry what they have."""

    def __init__(
        self,
        view: RegistryView,
        database: Database,
        *,
        folder: str,
        replica: str,
        limits: Limits,
        tell: Callable[[HostedProject, str], None],
    ) -> None:
        self._view = view
        self._database = database
        self._folder = folder
        self._replica = replica
        self._limits = limits
        self._tell = tell
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}
        self._busy: set[str] = set()
        self._threads: list[threading.Thread] = []

    def begin(self) -> None:
        """Begin to fetch."""
        self._threads = [threading.Thread(target=self._keep, name="copies", daemon=True) for _ in range(AT_ONCE)]
        for each in self._threads:
            each.start()

    def end(self) -> None:
        """Let what is under way end: the next start goes on from what is there."""
        self._stopped.set()
        with self._lock:
            for project in self._busy:
                self._kept[project].copy.stop()
        for each in self._threads:
            each.join(LEAVE_SECONDS)

    def root_of(self, project: HostedProject) -> str:
        """Where the files of a project from git are; Unreadable while there are none."""
        kept = self._of(project)
        if not kept.copy.is_there:
            raise Unreadable(kept.problem or BEING_FETCHED, is_coming=not kept.problem)
        return kept.copy.root

    def _keep(self) -> None:
        while not self._stopped.is_set():
            try:
                project = self._next(self._view.current())
            except (FieldguideError, OSError):  # what is there is served on while the registry or the disk is away
                project = None
            if project is None:
                self._stopped.wait(LOOK_SECONDS)
            else:
                self._bring(project)

    def _next(self, picture: Picture) -> HostedProject | None:
        """A project whose copy is due, which is then this thread's to bring up to date."""
        projects = [each for each in picture.projects.values() if each.address is not None]
        self._forget_others({each.id for each in projects})
        with self._lock:
            for project in projects:
                kept = self._known(project)
                is_wanted = kept.times_told != project.times_told or monotonic() >= kept.due_at
                if project.id not in self._busy and is_wanted:
                    self._busy.add(project.id)
                    return project
        return None

    def _bring(self, project: HostedProject) -> None:
        """Bring one copy up to date, and tell what came of it."""
        kept = self._of(project)
        commit, problem = "", ""
        rest = float(self._limits.project_fetch_interval_seconds)
        try:
            commit = kept.copy.bring_up_to_date(self._limits)
        except FieldguideError as error:
            problem = error.message
            rest = LOOK_SECONDS if error.details.get("is_busy") else rest
        except OSError as error:
            problem = f"The copy can't be written: {error.strerror or error}."
        finally:
            with self._lock:
                self._busy.discard(project.id)
                self._kept[project.id] = _Kept(kept.copy, monotonic() + rest, project.times_told, problem)
        if rest > LOOK_SECONDS and not self._stopped.is_set():
            self._note(project, commit, problem)
            if problem and problem != kept.problem:
                self._tell(project, problem)

    def _note(self, project: HostedProject, commit: str, problem: str) -> None:
        try:
            with self._database.writing() as transaction:
                ProjectRepository(transaction).note_copy(project.id, self._replica, commit=commit, problem=problem)
        except StorageFailed as error:
            self._tell(project, error.message)

    def _of(self, project: HostedProject) -> _Kept:
        with self._lock:
            return self._known(project)

    def _known(self, project: HostedProject) -> _Kept:
        if project.id not in self._kept:
            self._kept[project.id] = _Kept(Copy(project, os.path.join(self._folder, project.id)))
        return self._kept[project.id]

    def _forget_others(self, kept: set[str]) -> None:
        """Remove the copies of projects that the registry no longer has, also those of an earlier run."""
        with self._lock:
            needed = kept | self._busy
            self._kept = {identity: each for identity, each in self._kept.items() if identity in needed}
        with suppress(FileNotFoundError):
            for name in os.listdir(self._folder):
                if name not in needed:
                    shutil.rmtree(os.path.join(self._folder, name), ignore_errors=True)
