"""Where a commit changed a file: lines of the state before it, and whether what is told holds some of them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.project_history.git_program import GitProgram

DIFF = ("diff-tree", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


class Place(NamedTuple):
    """Some lines of a file, the last one included."""

    path: str
    start: int
    end: int

    def holds_some_of(self, other: "Place") -> bool:
        """Whether another place has a line of this one."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


def changed_places(git: GitProgram, before: str, after: str, path: str, prefix: str) -> list[Place]:
    """The places of a file that were changed; what was only put in counts for the lines around it."""
    raw = git.ask(*DIFF, before, after, "--", f":(top,literal){prefix}{path}").decode("latin-1")
    found: list[Place] = []
    for match in HUNK.finditer(raw):
        start, lines = int(match[1]), int(match[2]) if match[2] else 1
        found.append(Place(path, start, start + (lines - 1 if lines else 1)))
    return found


def found_places(wanted: Iterable[Place], told: Sequence[Place]) -> int:
    """How many places are among those that are told, at least in part."""
    return sum(any(place.holds_some_of(other) for other in told) for place in wanted)
