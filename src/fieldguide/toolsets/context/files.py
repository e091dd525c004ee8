"""The project's own files: what ripgrep would search, listed once and kept until something changes."""

import subprocess
import threading
from collections.abc import Callable

from fieldguide.confinement import ConfinedFolder
from fieldguide.globbing import matcher
from fieldguide.toolsets.context.ripgrep import environment, find_ripgrep, listing_flags

LIST_SECONDS = 20.0
MOST_COUNTED = 1000


class FileList:
    """The paths of the project's files; while somebody watches the folder, they are listed only after a change."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._paths: tuple[str, ...] | None = None
        self._counts: dict[str, int] = {}
        self.is_watched = False

    def paths(self) -> tuple[str, ...]:
        """Every path, sorted."""
        with self._lock:
            paths = self._paths if self.is_watched else None
            if paths is None:
                paths = self._paths = list_files(self._project)
                self._counts = {}
            return paths

    def count(self, file_pattern: str | None) -> int:
        """How many of them a caller's pattern means."""
        paths = self.paths()
        if not file_pattern:
            return len(paths)
        counts = self._counts  # another thread may begin new ones meanwhile
        if len(counts) >= MOST_COUNTED:
            counts.clear()
        counts[file_pattern] = found = counts.get(file_pattern) or sum(map(wanted(file_pattern), paths))
        return found

    def forget(self) -> None:
        """Something changed: list them again when somebody asks."""
        with self._lock:
            self._paths = None


def list_files(project: ConfinedFolder) -> tuple[str, ...]:
    """What ripgrep would search below a folder: no ignored, excluded or secret files."""
    command = [find_ripgrep(project.root), "--files", "--null", *listing_flags(project.sensitive)]
    done = subprocess.run(
        command,
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LIST_SECONDS,
        env=environment(),
        check=False,
    )
    names = (name.removeprefix("./") for name in done.stdout.decode("utf-8", errors="replace").split("\0") if name)
    return tuple(sorted(name for name in names if not project.sensitive.refuses(name.split("/"))))


def wanted(file_pattern: str | None) -> Callable[[str], bool]:
    """Whether a path fits a caller's pattern; without a folder in it, it means a name in any folder."""
    if not file_pattern:
        return lambda path: True
    if file_pattern.startswith("!"):
        return matcher(("**", file_pattern if "/" in file_pattern else f"!**/{file_pattern[1:]}"))
    return matcher((file_pattern if "/" in file_pattern else f"**/{file_pattern}",))
