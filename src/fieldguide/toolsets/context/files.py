"""The project's own files: what ripgrep would search, listed once and kept until something changes."""

import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import ToolFailed
from fieldguide.globbing import matcher
from fieldguide.sensitive_files import SensitiveFiles
from fieldguide.toolsets.context.ripgrep import (
    FAILED,
    NOTHING_FOUND,
    environment,
    find_ripgrep,
    listing_flags,
    reason_of_end,
)

LIST_SECONDS = 120.0  # of a tree of a million files on a busy machine
MOST_COUNTED = 1000


class Listing(NamedTuple):
    """The paths of the project's files, sorted; not all of them where a part of the folder could not be read."""

    paths: tuple[str, ...]
    is_whole: bool


class FileList:
    """The paths of the project's files; while somebody watches the folder, they are listed only after a change."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._listing: Listing | None = None
        self._counts: dict[str, int] = {}
        self.is_watched = False
        self.last = Listing((), is_whole=True)

    def paths(self) -> tuple[str, ...]:
        """Every path, sorted; ToolFailed when they could not be listed."""
        return self.listing().paths

    def listing(self) -> Listing:
        """Every path, and whether they are all."""
        with self._lock:
            listing = self._listing if self.is_watched else None
            if listing is None:
                listing = self.last = self._listing = list_files(self._project)
                self._counts = {}
            return listing

    def count(self, file_pattern: str | None, *, may_be_old: bool = False) -> int:
        """How many of them a caller's pattern means; where they are not listed, their names are only counted.

        What was listed last will do where it `may_be_old`: in a large tree another walk takes seconds.
        """
        listing = self._listing if self.is_watched else None
        if listing is None and may_be_old and self.last.paths:
            listing = self.last
        if listing is None:
            names = _run_listing(self._project).stdout
            return sum(map(wanted(file_pattern), _names(names))) if file_pattern else names.count(b"\0")
        if not file_pattern:
            return len(listing.paths)
        counts = self._counts  # another thread may begin new ones meanwhile
        if len(counts) >= MOST_COUNTED:
            counts.clear()
        counts[file_pattern] = found = counts.get(file_pattern) or sum(map(wanted(file_pattern), listing.paths))
        return found

    def forget(self) -> None:
        """Something changed: list them again when somebody asks."""
        with self._lock:
            self._listing = None


def list_files(project: ConfinedFolder) -> Listing:
    """What ripgrep would search below a folder: no ignored, excluded or secret files.

    Whatever ends ripgrep before it has listed everything is a failure: half a list looks as if files were gone. Where
    it goes to the end and could not read a folder, the list says that it is not whole.
    """
    done = _run_listing(project)
    paths = tuple(sorted(_served(_names(done.stdout), project.sensitive)))
    return Listing(paths, is_whole=done.returncode != FAILED)


def _run_listing(project: ConfinedFolder) -> "subprocess.CompletedProcess[bytes]":
    command = [find_ripgrep(project.root), "--files", "--null", *listing_flags(project.sensitive)]
    try:
        done = subprocess.run(
            command,
            cwd=project.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIST_SECONDS,
            env=environment(),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolFailed(f"The files could not be listed within {LIST_SECONDS:g} seconds.") from error
    except OSError as error:
        raise ToolFailed(f"The files could not be listed: {error}.") from error
    if done.returncode not in (0, NOTHING_FOUND, FAILED) or (done.returncode == FAILED and not done.stdout):
        raise ToolFailed(f"The files could not be listed: ripgrep {reason_of_end(done.returncode, done.stderr)}.")
    return done


def _names(listed: bytes) -> Iterator[str]:
    return (name.removeprefix("./") for name in listed.decode("utf-8", errors="replace").split("\0") if name)


def _served(names: Iterable[str], sensitive: SensitiveFiles) -> Iterator[str]:
    """The names that are not on the list of what is never served; every folder is judged once."""
    folders: dict[str, tuple[str, ...] | None] = {"": ()}
    for name in names:
        folder, _, last = name.rpartition("/")
        parents = folders[folder] if folder in folders else _judge(folder, folders, sensitive)
        if parents is not None and not sensitive.refuses_entry(parents, last, is_folder=False):
            yield name


def _judge(folder: str, known: dict[str, tuple[str, ...] | None], sensitive: SensitiveFiles) -> tuple[str, ...] | None:
    """The names on a folder's path; None when it is never served, or one that it lies in. What was found is kept."""
    parents: tuple[str, ...] | None = ()
    at = ""
    for name in folder.split("/"):
        at = f"{at}/{name}" if at else name
        if at not in known:
            is_refused = parents is None or sensitive.refuses_entry(parents, name, is_folder=True)
            known[at] = None if is_refused or parents is None else (*parents, name)
        parents = known[at]
    return parents


def wanted(file_pattern: str | None) -> Callable[[str], bool]:
    """Whether a path fits a caller's pattern; without a folder in it, it means a name in any folder."""
    if not file_pattern:
        return lambda path: True
    if file_pattern.startswith("!"):
        return matcher(("**", file_pattern if "/" in file_pattern else f"!**/{file_pattern[1:]}"))
    return matcher((file_pattern if "/" in file_pattern else f"**/{file_pattern}",))
