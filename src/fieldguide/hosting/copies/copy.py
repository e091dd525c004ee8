"""A replica's own copy of a project from git: all of its history, and one commit of it checked out.

The files of a commit are written into a folder of their own, which then takes the place of the one before in one step.
Whoever reads meanwhile sees one commit or the other, and the one before stays for a while for those in the middle.
"""

import ctypes
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress

from fieldguide.errors import Unreadable
from fieldguide.hosting.copies.git_commands import GitCommands
from fieldguide.limits import Limits
from fieldguide.places import PRIVATE_FOLDER
from fieldguide.platform_files import is_locked_now
from fieldguide.teams.projects.project import HostedProject

REPOSITORY, CHECKOUT, NEXT, BEFORE = "repository.git", "checkout", "next", "before"
REF = "refs/fieldguide/served"
MOST_PACKS = 40
AT_FDCWD, RENAME_EXCHANGE = -100, 2


class Copy:
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
        new, before = os.path.join(self._folder, NEXT), os.path.join(self._folder, BEFORE)
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
    """Alone in a folder: a second replica on this machine may keep its copies in the same place."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not is_locked_now(handle):
            raise Unreadable("Another replica on this machine is fetching it.", is_busy=True)
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
