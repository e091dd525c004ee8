"""Finds the git folder of a project, and lists which of its files are tracked.

An archive or a shared folder may bring a `.git` that leads into another repository of the same person. So a link
counts as none, and a file that names a folder counts where that folder names the project too.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import read_status_stamp
from fieldguide.files.git_process import GitReach, limit_memory, start_git
from fieldguide.files.secrets import SensitiveFiles
from fieldguide.text.errors import Refusal, Unreadable

GIT = ".git"
LARGEST_POINTER_BYTES = 4096
LARGEST_CONFIG_BYTES = 1 << 20
MOST_FOLDER_ENTRIES = 100_000
CONFIGS = ("config.worktree", "config")
STORES = ("objects", os.path.join("objects", "info"), os.path.join("objects", "pack"))
HISTORY = ("HEAD", "refs", "packed-refs", *STORES)


def find_own_git_folder(root: str) -> str | None:
    """The folder of git for the work tree whose top this is; None where there is none that is the project's own.

    In a linked work tree and in a submodule `.git` is a file that names it.
    """
    top = os.path.realpath(root)
    inner = os.path.join(top, GIT)
    if os.path.islink(inner):
        return None
    if os.path.isdir(inner):
        return inner if is_owned(inner, top) else None
    mark, _, path = read_pointer(ConfinedFolder(top, sensitive=SensitiveFiles(excepted=(GIT,))), GIT).partition(": ")
    if mark != "gitdir" or not path:
        return None
    git = os.path.realpath(os.path.join(top, path))
    return git if is_owned(git, top) and _names_back(git, top) else None


def keeps_own_history(root: str) -> bool:
    """Whether all commits that git would tell of lie in the project's own repository, and none are borrowed."""
    git = find_own_git_folder(root)
    common = _common_folder(git) if git else None
    if git is None or common is None or os.path.lexists(os.path.join(common, STORES[1], "alternates")):
        return False
    return not any(map(os.path.islink, (*_history(git), *_history(common))))


def is_owned(git: str, project: str) -> bool:
    """Whether a folder of git belongs to the owner of the project, or to whoever runs this."""
    try:
        return os.stat(git).st_uid in (os.stat(project).st_uid, os.getuid())
    except OSError:
        return False


def _names_back(git: str, top: str) -> bool:
    """Whether git's folder says whose it is: that of a linked work tree by a file, that of a submodule by a setting."""
    folder = ConfinedFolder(git)
    if said := read_pointer(folder, "gitdir"):
        return os.path.realpath(os.path.join(git, said)) == os.path.join(top, GIT)
    trees = (tree for name in CONFIGS for tree in _work_trees(read_pointer(folder, name, LARGEST_CONFIG_BYTES)))
    return any(os.path.realpath(os.path.join(git, tree)) == top for tree in trees)


def _work_trees(config: str) -> Iterator[str]:
    """What a file of settings gives for `core.worktree`."""
    section = ""
    for line in config.splitlines():
        name, _, value = (part.strip() for part in line.partition("="))
        if name.startswith("["):
            section = name.lower()
        elif section == "[core]" and name.lower() == "worktree" and value:
            yield value.strip('"')


def _common_folder(git: str) -> str | None:
    """The folder that holds the commits: this one, or that of the repository which a linked work tree belongs to."""
    if not os.path.lexists(os.path.join(git, "commondir")):
        return git
    above, kind = os.path.split(os.path.dirname(git))
    said = read_pointer(ConfinedFolder(git), "commondir")
    is_linked = kind == "worktrees" and os.path.basename(git) != GIT and bool(said)
    return above if is_linked and os.path.realpath(os.path.join(git, said)) == above else None


def _history(git: str) -> Iterator[str]:
    """The paths by which git reads commits: where one is a link, they may be another repository's."""
    yield from (os.path.join(git, name) for name in HISTORY)
    for name in STORES:
        try:
            with os.scandir(os.path.join(git, name)) as entries:
                yield from (entry.path for entry, _ in zip(entries, range(MOST_FOLDER_ENTRIES), strict=False))
        except OSError:  # a linked work tree has none
            continue


def read_pointer(folder: ConfinedFolder, name: str, limit_bytes: int = LARGEST_POINTER_BYTES) -> str:
    """The text of a small file; nothing where it can't be read, or could not be a path."""
    try:
        said = folder.read(name, limit_bytes=limit_bytes).decode("utf-8")
    except (Refusal, UnicodeDecodeError):
        return ""
    return "" if "\0" in said else said.strip()


MOST_FOLDERS_ABOVE = 40
LISTING = GitReach("Listing what git tracks", settings={"index.threads": "1"})  # each thread reserves memory
LISTING_SECONDS = 10.0
LISTING_MEMORY_BYTES = 1 << 30  # an index says a long name again with a few bytes
LARGEST_LISTING_BYTES = 128 << 20
REGULAR = b"100"  # how the modes of files begin, and those of links and submodules do not


class GitIndexLocation(NamedTuple):
    """Where the index of a project lies, and the path of the project below the top of its repository."""

    folder: str
    below: str

    @property
    def path(self) -> str:
        """The file itself."""
        return os.path.join(self.folder, "index")

    def stamp(self) -> tuple[int, ...] | None:
        """What changes with every change of the index; None where there is none that its owner may give us."""
        return read_status_stamp(self.path)


def find_git_index(project: str) -> GitIndexLocation | None:
    """The index of the repository that a project is, or lies in; only of one that belongs to the project's owner."""
    below: list[str] = []
    folder = os.path.realpath(project)
    for _ in range(MOST_FOLDERS_ABOVE):
        if os.path.lexists(os.path.join(folder, GIT)):
            git = find_own_git_folder(folder)
            return GitIndexLocation(git, "/".join(reversed(below))) if git and is_owned(git, project) else None
        above, name = os.path.split(folder)
        if above == folder:
            return None
        below.append(name)
        folder = above
    return None


def read_tracked_paths(project: str, place: GitIndexLocation) -> list[str] | None:
    """The files below the project that git tracks, as paths in the project; None where git can't tell."""
    if os.path.islink(place.path):  # it may be another repository's
        return None
    folder = os.path.realpath(project)
    top = folder.removesuffix(place.below).rstrip(os.sep) if place.below else folder
    command = (f"--git-dir={place.folder}", f"--work-tree={top}", "ls-files", "--stage", "-z")
    try:
        with start_git(command, folder, LISTING_SECONDS, reach=LISTING) as process:
            limit_memory(process.pid, LISTING_MEMORY_BYTES)
            listed = process.stdout.read(LARGEST_LISTING_BYTES) if process.stdout is not None else b""
            if len(listed) == LARGEST_LISTING_BYTES or process.wait():
                return None
    except (Unreadable, OSError):
        return None
    entries = (entry.partition(b"\t") for entry in listed.split(b"\0"))
    return [*dict.fromkeys(os.fsdecode(path) for mode, _, path in entries if mode.startswith(REGULAR))]
