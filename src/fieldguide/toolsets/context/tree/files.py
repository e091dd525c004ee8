"""The project's own files: what ripgrep would search, listed once and kept until something changes."""

import os
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import filterfalse

from fieldguide.confinement import ConfinedFolder
from fieldguide.globbing import matcher
from fieldguide.toolsets.context.tree.listing import Listing, count_names, list_files

MOST_FOLDERS = 100  # with new files in more of them, everything is listed
MOST_COUNTED = 1000


class FileList:
    """The paths of the project's files; while somebody watches the folder, they are listed only after a change."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._listing: Listing | None = None
        self._followed: Listing | None = None
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
            if self.is_watched:
                self._followed = listing
            return listing

    def count(self, file_pattern: str | None, *, may_be_old: bool = False) -> int:
        """How many of them a caller's pattern means; where they are not listed, their names are only counted.

        What was listed last will do where it `may_be_old`: in a large tree another walk takes seconds.
        """
        listing = self._listing if self.is_watched else None
        if listing is None and may_be_old and self.last.paths:
            listing = self.last
        if listing is None:
            return count_names(self._project, wanted(file_pattern) if file_pattern else None)
        if not file_pattern:
            return len(listing.paths)
        counts = self._counts  # another thread may begin new ones meanwhile
        if len(counts) >= MOST_COUNTED:
            counts.clear()
        counts[file_pattern] = found = counts.get(file_pattern) or sum(map(wanted(file_pattern), listing.paths))
        return found

    def folders(self) -> list[str]:
        """The folders that hold them, and those above; "" is the project's own."""
        holding = {path.rpartition("/")[0] for path in self.paths()}
        found = {""}
        for folder in holding:
            while folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return sorted(found)

    def listed(self, paths: Iterable[str]) -> set[str]:
        """Which of these paths are the project's files."""
        known = self.paths()
        return {path for path in paths if _holds(known, path)}

    def follow(self, paths: Sequence[str]) -> list[str]:
        """Take in that these paths have come, changed or gone; those that are, or were, the project's files.

        Whether a new file is one, or is ignored, only ripgrep can tell: it is asked about the folders of new files.
        """
        before = self._followed or self.listing()  # not as somebody may have listed them since
        known = {path for path in paths if _holds(before.paths, path)}
        new = [path for path in paths if path not in known and self._is_file(path)]
        folders = sorted({path.rpartition("/")[0] for path in new})
        if len(folders) > MOST_FOLDERS:
            self.forget()
            return sorted(known | self.listed(new))
        found = list_files(self._project, folders) if new else Listing((), is_whole=True)
        came = set(found.paths) & set(new)
        self._take_in(came, {*filterfalse(self._is_file, known)}, is_whole=found.is_whole)
        return sorted(known | came)

    def _take_in(self, came: set[str], gone: set[str], *, is_whole: bool) -> None:
        """Change what was listed by the files that have come and gone; what is not listed is listed later anyway."""
        with self._lock:
            if self._listing is None or (is_whole and not gone and not came):
                return
            paths, was_whole = self._listing
            changed = tuple(sorted({*paths} - gone | came)) if gone or came else paths
            self.last = self._followed = self._listing = Listing(changed, is_whole=was_whole and is_whole)
            self._counts = {}

    def _is_file(self, path: str) -> bool:
        whole = os.path.join(self._project.root, path)
        return os.path.isfile(whole) and not os.path.islink(whole)

    def forget(self) -> None:
        """Something changed: list them again when somebody asks."""
        with self._lock:
            self._listing = None


def wanted(file_pattern: str | None) -> Callable[[str], bool]:
    """Whether a path fits a caller's pattern; without a folder in it, it means a name in any folder."""
    if not file_pattern:
        return lambda path: True
    if file_pattern.startswith("!"):
        return matcher(("**", file_pattern if "/" in file_pattern else f"!**/{file_pattern[1:]}"))
    return matcher((file_pattern if "/" in file_pattern else f"**/{file_pattern}",))


def _holds(paths: Sequence[str], path: str) -> bool:
    at = bisect_left(paths, path)
    return at < len(paths) and paths[at] == path
