"""Names that commits took away: one walk over the diffs of history, newest first, by the guarded git.

Only words that no file holds now are looked at, so a walk costs little more than git itself.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from fieldguide.drift.sources import is_own
from fieldguide.drift.taken.bindings import bound_in
from fieldguide.drift.taken.diff_reading import FORMAT, CommitDiff, Hunk, read_diffs
from fieldguide.drift.taken.handing import begin_to_use, foreign_words
from fieldguide.drift.taken.removal import DEFINED, USED, Removal
from fieldguide.drift.taken.successors import successor_of
from fieldguide.drift.words import PresentWords, words_in
from fieldguide.errors import Unreadable
from fieldguide.project_history.git_program import GitProgram

MOST_COMMITS = 40_000
WALK_SECONDS = 90.0
BATCH = 2_000
LOG = (
    "log", "-p", "-U0", "--no-walk=unsorted", "--stdin", "--no-merges", "--no-renames", "--no-color", "--no-ext-diff",
    "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--encoding=UTF-8", "--relative", FORMAT, "--",
)  # fmt: skip
LEFT_OUT = (".md", ".mdx", ".rst", ".adoc", ".po", ".pot", ".svg", ".lock", ".snap", ".ipynb", ".min.js", ".map")
PLACES = (".", *(f":(exclude,glob)**/*{suffix}" for suffix in LEFT_OUT))
MOST_REMOVED = 200_000


class Wanted(NamedTuple):
    """Which files a walk looks at: by their paths, and by the pathspecs that keep git from reading the others."""

    holds: Callable[[str], bool]
    places: tuple[str, ...]


OWN = Wanted(is_own, PLACES)


class RemovedNames:
    """The latest removal of each name that is not there now; what is defined counts before what is only used."""

    def __init__(self, own_roots: Container[str] = ()) -> None:
        self.by_name: dict[str, Removal] = {}
        self._own_roots = own_roots
        self._foreign: set[bytes] = set()

    def take(self, diff: CommitDiff, present: PresentWords) -> None:
        """Look at a commit that is older than those before it."""
        added: set[bytes] = set()
        removed: set[bytes] = set()
        for hunk in diff.hunks:
            added |= words_in(b"".join(hunk.added))
            removed |= words_in(b"".join(hunk.removed))
        gone = present.absent(removed - added)
        wanted = {word for word in gone if self._is_wanted(word)}
        if not wanted or len(self.by_name) > MOST_REMOVED:
            return
        handed = begin_to_use(diff.hunks, self._own_roots)
        self._foreign |= foreign_words(diff.hunks, self._own_roots) & wanted
        for hunk in diff.hunks:
            self._take_hunk(diff, hunk, wanted, is_handed=hunk.path in handed)

    def found(self) -> dict[str, Removal]:
        """The removals by name; what was once imported from a library is marked as handed to it."""
        marked = {word.decode(errors="replace") for word in self._foreign}
        for name in marked & self.by_name.keys():
            self.by_name[name] = self.by_name[name]._replace(is_handed=True)
        return self.by_name

    def _is_wanted(self, word: bytes) -> bool:
        known = self.by_name.get(word.decode(errors="replace"))
        return known is None or known.strength < DEFINED

    def _take_hunk(self, diff: CommitDiff, hunk: Hunk, wanted: set[bytes], *, is_handed: bool) -> None:
        for line in hunk.removed:
            held = words_in(line) & wanted
            if not held:
                continue
            text = line.decode(errors="replace")
            bound = bound_in(text)
            for word in held:
                name = word.decode(errors="replace")
                strength, known = bound.get(name, USED), self.by_name.get(name)
                if strength > (known.strength if known else USED):
                    successor = successor_of(name, text, hunk.added)
                    self.by_name[name] = Removal(diff.commit, strength, hunk.path, successor, is_handed)


def commits_between(git: GitProgram, newest: str, oldest: str = "", most: int = MOST_COMMITS) -> list[str]:
    """The commits that one reaches and another does not, newest first, without merges."""
    without = (f"^{oldest}",) if oldest else ()
    said = git.ask("rev-list", "--no-merges", f"--max-count={most}", newest, *without, "--", ".")
    return said.decode("ascii").split()


def walk(
    git: GitProgram, commits: Sequence[str], seconds: float = WALK_SECONDS, wanted: Wanted = OWN
) -> Iterator[CommitDiff]:
    """The diffs of these commits; one that git can't read, as in a partial clone, is left out."""
    end = monotonic() + seconds
    for start in range(0, len(commits), BATCH):
        left = list(commits[start : start + BATCH])
        while left and monotonic() < end:
            done = 0
            with suppress(Unreadable):
                for diff in _read(git, left, wanted):
                    done = _place(left, diff.commit.id, done)
                    yield diff
                    if monotonic() > end:
                        return
                break
            left = left[done + 1 :]


def _place(commits: list[str], commit: str, after: int) -> int:
    with suppress(ValueError):
        return commits.index(commit, after)
    return after


def _read(git: GitProgram, commits: Iterable[str], wanted: Wanted) -> Iterator[CommitDiff]:
    with git.started(*LOG, *wanted.places) as running:
        asked, stream = running.process.stdin, running.process.stdout
        if asked is None or stream is None:
            return
        with suppress(BrokenPipeError):
            asked.write("".join(f"{each}\n" for each in commits).encode("ascii"))
            asked.close()
        yield from read_diffs(stream, wanted.holds)
        git.check(running)
