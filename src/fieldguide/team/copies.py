"""Keeps a git copy of each project up to date.

The files of a commit are written into a folder of their own, which then takes the place of the one before in one step.
Whoever reads meanwhile sees one commit or the other, and the one before stays for a while for those in the middle.
"""

import ctypes
import os
import shutil
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import NamedTuple

from fieldguide.files.file_system import PRIVATE_FOLDER, try_file_lock
from fieldguide.git.fetch import GitCommands
from fieldguide.settings.limits import Limits
from fieldguide.team.registry import HostedProject, RegistrySnapshot, RegistryView
from fieldguide.text.errors import FieldguideError, Unreadable

REPOSITORY = "repository.git"
CHECKOUT = "checkout"
NEXT = "next"
BEFORE = "before"
REF = "refs/fieldguide/served"
MOST_PACKS = 40
AT_FDCWD = -100
RENAME_EXCHANGE = 2
AT_ONCE = 2  # fetches that run side by side
FOLDER = "copies"
LOOK_SECONDS = 0.5
LEAVE_SECONDS = 2.0
BEING_FETCHED = "The project is being fetched for the first time."


class GitCopy:
    """The copy of one project in a folder of its own."""

    def __init__(self, project: HostedProject, folder: str) -> None:
        self._project = project
        self._folder = folder
        self.root = os.path.join(folder, CHECKOUT)
        self._commands: GitCommands | None = None

    @property
    def is_there(self) -> bool:
        """Whether something was ever checked out here."""
        return os.path.isdir(self.root)

    def bring_up_to_date(self, limits: Limits) -> str:
        """Fetch what is new, and check it out; the commit that is served from now on. Unreadable says why not."""
        os.makedirs(self._folder, mode=PRIVATE_FOLDER, exist_ok=True)
        with _locked(self._folder):
            commands = self._commands = GitCommands(self._folder, limits)
            try:
                commit = self._fetched(commands)
                if commit != self.commit(commands):
                    self._check_out(commands, commit)
                return commit
            finally:
                self._commands = None

    def stop(self) -> None:
        """Let a fetch that is under way end."""
        commands = self._commands
        if commands is not None:
            commands.stop()

    def commit(self, commands: GitCommands) -> str:
        """The commit that is checked out; empty where there is none."""
        if not self.is_there:
            return ""
        try:
            return commands.run(self.root, "rev-parse", "--verify", "--quiet", "HEAD").strip()
        except Unreadable:  # it was spoilt: it is made again
            return ""

    def _fetched(self, commands: GitCommands) -> str:
        """The commit that the address has now, with its history in our repository."""
        repository = os.path.join(self._folder, REPOSITORY)
        if not os.path.exists(os.path.join(repository, "HEAD")):
            shutil.rmtree(repository, ignore_errors=True)
            os.makedirs(repository, mode=PRIVATE_FOLDER)
            commands.run(repository, "init", "--quiet", "--bare", "--template=")
        wanted = f"refs/heads/{self._project.branch}" if self._project.branch else "HEAD"
        commands.fetch(repository, self._project.address or "", f"+{wanted}:{REF}")
        if len(_packs(repository)) > MOST_PACKS:
            commands.run(repository, "repack", "-a", "-d", "-q")
        return commands.run(repository, "rev-parse", "--verify", "--quiet", f"{REF}^{{commit}}").strip()

    def _check_out(self, commands: GitCommands, commit: str) -> None:
        """Write the files of a commit beside those that are served, and put them in their place."""
        new = os.path.join(self._folder, NEXT)
        before = os.path.join(self._folder, BEFORE)
        for left_over in (new, before):
            shutil.rmtree(left_over, ignore_errors=True)
        os.mkdir(new, PRIVATE_FOLDER)
        commands.run(new, "init", "--quiet", "--template=")
        self._share_objects(os.path.join(new, ".git"))
        commands.run(new, "checkout", "--quiet", "--force", "--detach", commit, "--")
        _take_place(new, self.root, before)

    def _share_objects(self, git: str) -> None:
        """Give a checkout the history: the same files under a second name, so that they take no more room."""
        repository = os.path.join(self._folder, REPOSITORY)
        packs = os.path.join(git, "objects", "pack")
        os.makedirs(packs, exist_ok=True)
        for name in _packs(repository, whole=True):
            os.link(os.path.join(repository, "objects", "pack", name), os.path.join(packs, name))
        with suppress(FileNotFoundError):
            shutil.copyfile(os.path.join(repository, "shallow"), os.path.join(git, "shallow"))


@contextmanager
def _locked(folder: str) -> Generator[None]:
    """Alone in a folder: a second server on this machine may keep its copies in the same place."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not try_file_lock(handle):
            raise Unreadable("Another server on this machine is fetching it.", is_busy=True)
        yield
    finally:
        os.close(handle)


def _packs(repository: str, *, whole: bool = False) -> list[str]:
    """The packs of a repository, or all files beside them as well."""
    try:
        names = os.listdir(os.path.join(repository, "objects", "pack"))
    except FileNotFoundError:
        return []
    return [name for name in names if name.startswith("pack-") and (whole or name.endswith(".pack"))]


def _take_place(new: str, served: str, before: str) -> None:
    """Put a folder in the place of another in one step, where the system can; the other is kept as `before`."""
    if not os.path.lexists(served):
        os.rename(new, served)
        return
    if _exchanged(new, served):
        os.rename(new, before)
        return
    os.rename(served, before)
    os.rename(new, served)


def _exchanged(one: str, other: str) -> bool:
    """Whether two names were exchanged; not every system and not every file system can."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return bool(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)


class _Kept(NamedTuple):
    """What is known of a copy: when it was last looked at, and for which wish of somebody's."""

    copy: GitCopy
    due_at: float = 0.0
    times_told: int = -1
    problem: str = ""


class CopyKeeper:
    """Threads that keep the copies of a server."""

    def __init__(
        self,
        view: RegistryView,
        *,
        folder: str,
        limits: Limits,
        tell: Callable[[HostedProject, str], None],
    ) -> None:
        self._view = view
        self._folder = folder
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

    def _next(self, picture: RegistrySnapshot) -> HostedProject | None:
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
        problem = ""
        rest = float(self._limits.project_fetch_interval_seconds)
        try:
            kept.copy.bring_up_to_date(self._limits)
        except FieldguideError as error:
            problem = error.message
            rest = LOOK_SECONDS if error.details.get("is_busy") else rest
        except OSError as error:
            problem = f"The copy can't be written: {error.strerror or error}."
        finally:
            with self._lock:
                self._busy.discard(project.id)
                self._kept[project.id] = _Kept(kept.copy, monotonic() + rest, project.times_told, problem)
        if rest <= LOOK_SECONDS or self._stopped.is_set():
            return
        if problem and problem != kept.problem:
            self._tell(project, problem)

    def _of(self, project: HostedProject) -> _Kept:
        with self._lock:
            return self._known(project)

    def _known(self, project: HostedProject) -> _Kept:
        if project.id not in self._kept:
            self._kept[project.id] = _Kept(GitCopy(project, os.path.join(self._folder, project.id)))
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
