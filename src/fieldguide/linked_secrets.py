"""Hard links: a second name for a file that is on the list of what is never served, which no path can tell.

Only a file with several names is asked about, and those are rare. Then the secrets of the project that have several
names themselves are looked for once, and kept for as long as a new link would show: making one changes the file.
"""

import os
import stat
import threading
from collections.abc import Iterator
from time import monotonic, time

from fieldguide.sensitive_files import SensitiveFiles

KEPT_SECONDS = 60.0  # a folder that was renamed meanwhile shows only then
CLOCK_SECONDS = 1.0
MOST_ENTRIES = 1_000_000
PASSED_OVER = (".git/objects", "node_modules")
AT_HOME = (
    ".ssh/id_rsa", ".ssh/id_dsa", ".ssh/id_ecdsa", ".ssh/id_ed25519", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
    ".pgpass", ".my.cnf", ".vault-token", ".env", ".aws/credentials", ".aws/config", ".kube/config",
    ".docker/config.json", ".config/gh/hosts.yml", ".cargo/credentials.toml", ".gem/credentials",
)  # fmt: skip


class LinkedSecrets:
    """The files of a project, and of the person's home, that are secrets under another name."""

    def __init__(self, root: str, sensitive: SensitiveFiles) -> None:
        self._root = root
        self._sensitive = sensitive
        self._lock = threading.Lock()
        self._found: frozenset[tuple[int, int]] = frozenset()
        self._looked_at: tuple[float, float] | None = None
        self._is_whole = True

    def holds(self, status: os.stat_result) -> bool:
        """Whether a file with this status is one of them; where there are too many files to know, it counts as one."""
        if status.st_nlink < 2:
            return False
        with self._lock:
            if self._is_stale(status):
                self._look()
            return not self._is_whole or (status.st_dev, status.st_ino) in self._found

    def _is_stale(self, status: os.stat_result) -> bool:
        if self._looked_at is None:
            return True
        at, ticks = self._looked_at
        return monotonic() - ticks > KEPT_SECONDS or status.st_ctime >= at - CLOCK_SECONDS

    def _look(self) -> None:
        self._looked_at = time(), monotonic()
        self._is_whole = True
        self._found = frozenset((*_at_home(), *self._in_project()))

    def _in_project(self) -> Iterator[tuple[int, int]]:
        """The secrets below the root that have several names; links are not followed."""
        top = _repository(self._root)
        pending: list[tuple[str, ...]] = [()]
        seen = 0
        while pending:
            parent = pending.pop()
            for entry in _entries(os.path.join(top, *parent)):
                seen += 1
                names = (*parent, entry.name)
                if entry.is_dir(follow_symlinks=False):
                    if not "/".join(names).endswith(PASSED_OVER):
                        pending.append(names)
                elif self._sensitive.refuses(names):
                    yield from _several(entry.stat(follow_symlinks=False))
            if seen > MOST_ENTRIES:
                self._is_whole = False
                return


def _repository(folder: str) -> str:
    """The repository that a folder lies in: its secrets are a neighbour's link away. The folder where there is none."""
    above, home = folder, os.path.expanduser("~")
    while above not in (home, os.path.dirname(above)):
        if os.path.lexists(os.path.join(above, ".git")):
            return above
        above = os.path.dirname(above)
    return folder


def _entries(folder: str) -> "list[os.DirEntry[str]]":
    try:
        with os.scandir(folder) as listing:
            return list(listing)
    except OSError:  # removed meanwhile, or not ours to see
        return []


def _at_home() -> Iterator[tuple[int, int]]:
    home = os.path.expanduser("~")
    for path in AT_HOME:
        try:
            yield from _several(os.stat(os.path.join(home, path)))
        except OSError:
            continue


def _several(status: os.stat_result) -> Iterator[tuple[int, int]]:
    if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
        yield status.st_dev, status.st_ino
