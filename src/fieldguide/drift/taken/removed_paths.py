"""Files that commits took away or renamed, by the guarded git, and where they are now."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from fieldguide.drift.taken.diff_reading import LONGEST_SUBJECT
from fieldguide.drift.taken.removal import CommitLine
from fieldguide.errors import Unreadable
from fieldguide.project_history.git_program import GitProgram

MOST_PATHS = 200_000
MOST_RENAMES = 20  # of one file, one after the other
FORMAT = "--format=%x01%H%x00%ct%x00%s"
LOG = ("log", "-z", "--name-status", "--diff-filter=DR", "--no-merges", "--no-color", "--encoding=UTF-8", "--relative")
RENAMES = (("-M", "-l200"), ("--no-renames",))  # the second where a clone lacks the contents that tell
START = "\x01"
FIELDS = 3


class RemovedPath(NamedTuple):
    """The commit that took a file away, and the name that it gave it instead; empty where it gave none."""

    commit: CommitLine
    renamed: str = ""


def removed_paths(git: GitProgram, newest: str, oldest: str = "", most: int = 40_000) -> dict[str, RemovedPath]:
    """Each file that a commit of this range took away, by the latest that did."""
    without = (f"^{oldest}",) if oldest else ()
    for renames in RENAMES:
        with suppress(Unreadable):
            said = git.ask(*LOG, *renames, FORMAT, f"--max-count={most}", newest, *without, "--", ".")
            return dict(_read(said))
    return {}


def successor_path(path: str, removed: Mapping[str, RemovedPath], present: "frozenset[str] | set[str]") -> str:
    """Where a file is now that was renamed, perhaps more than once; empty where it is gone."""
    for _ in range(MOST_RENAMES):
        found = removed.get(path)
        if found is None or not found.renamed:
            return ""
        path = found.renamed
        if path in present:
            return path
    return ""


def _read(said: bytes) -> Iterator[tuple[str, RemovedPath]]:
    """The first, which is the latest, of each path."""
    fields = iter(said.decode(errors="replace").split("\0"))
    commit = CommitLine("", 0, "")
    seen: set[str] = set()
    for field in fields:
        text = field.lstrip("\n")
        if text.startswith(START):
            seconds, subject = next(fields, ""), next(fields, "")
            commit = CommitLine(text[1:], int(seconds) if seconds.isdigit() else 0, subject[:LONGEST_SUBJECT])
        elif text[:1] in ("D", "R") and len(text) <= 4:
            path = next(fields, "")
            new = next(fields, "") if text[:1] == "R" else ""
            if path not in seen and len(seen) < MOST_PATHS:
                seen.add(path)
                yield path, RemovedPath(commit, new)
