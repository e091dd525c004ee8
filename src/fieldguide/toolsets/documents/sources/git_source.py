"""Collections from git: the `git` program fetches one commit, without history, and its files are read from there.

Nothing is checked out. So no hook, filter or link of the repository can do anything, and nothing of it stays on disk.
"""

import subprocess
from collections.abc import Callable, Collection, Iterator
from tempfile import TemporaryDirectory
from typing import IO

from fieldguide.errors import Unreadable
from fieldguide.toolsets.documents.locations import GitLocation
from fieldguide.toolsets.documents.snapshot import LARGEST_DOCUMENT_BYTES, Snapshot
from fieldguide.toolsets.documents.sources.budget import Budget
from fieldguide.toolsets.documents.sources.contents import contents_snapshot
from fieldguide.toolsets.documents.sources.git_program import Git
from fieldguide.toolsets.documents.sources.reach import Reach
from fieldguide.toolsets.documents.sources.web_source import WebSource

REGULAR_FILES = (b"100644", b"100755")
DIGITS = frozenset("0123456789abcdef")
MOST_LISTED = 1_000_000  # a few small trees can hold each other so often that they list more files than there are atoms
MOST_LISTED_BYTES = 256 << 20
PIECE_BYTES = 1 << 16


def git_snapshot(
    location: GitLocation, hold: Callable[[Snapshot], Snapshot], *, reach: Reach, budget: Budget
) -> Snapshot:
    """What the repository holds at the ref, all of it read before the fetched commit is thrown away."""
    fetch = WebSource(location.repository, reach=reach, budget=budget).fetch
    with TemporaryDirectory(prefix="fieldguide-git-") as folder:
        git = Git(folder, location.repository, reach=reach, budget=budget)
        _fetch(git, location.ref)
        with git.started("ls-tree", "-r", "-l", "-z", "--full-tree", "FETCH_HEAD") as lister:
            objects = dict(_listed(_piped(lister.stdout)))
            budget.seconds_left()
        with git.started("cat-file", "--batch") as reader:
            files = CommitFiles(objects, reader, budget)
            return hold(contents_snapshot(files, manifest=location.manifest, fetch=fetch))


class CommitFiles:
    """The regular files of the commit that was fetched; links, submodules and what is too large are passed over."""

    def __init__(self, objects: dict[str, bytes], reader: "subprocess.Popen[bytes]", budget: Budget) -> None:
        self._objects = objects
        self._asked, self._answers = _piped(reader.stdin), _piped(reader.stdout)
        self._budget = budget

    @property
    def names(self) -> Collection[str]:
        """Every path."""
        return self._objects.keys()

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, as they were committed."""
        if name not in self._objects:
            return None
        try:
            self._asked.write(self._objects[name] + b"\n")
            self._asked.flush()
            size = int(self._answers.readline().split()[2])
            content = self._answers.read(size + 1)
        except (OSError, IndexError, ValueError):
            content, size = b"", 0
        if len(content) != size + 1:
            self._budget.seconds_left()
            raise Unreadable(f"git could not read {name!r}.")
        return content[:size]


def _fetch(git: Git, ref: str | None) -> None:
    try:
        git.fetch(ref or "HEAD")
    except Unreadable as error:
        if "limit" in error.details:
            raise
        is_short = ref is not None and len(ref) < 40 and DIGITS.issuperset(ref)
        hint = " A commit needs its whole id of 40 digits." if is_short else ""
        has_moved = "returned error: 30" in error.message
        hint += " It has moved: name the address that it has now." if has_moved else ""
        raise Unreadable(f"{error.message}{hint}") from error


def _listed(listing: IO[bytes]) -> Iterator[tuple[str, bytes]]:
    for number, line in enumerate(_lines(listing)):
        if number >= MOST_LISTED:
            raise Unreadable(f"The repository has more than {MOST_LISTED} files.")
        about, _, path = line.partition(b"\t")
        words = about.split()
        if len(words) == 4 and words[0] in REGULAR_FILES and int(words[3]) <= LARGEST_DOCUMENT_BYTES:
            yield path.decode(errors="replace"), words[2]


def _lines(listing: IO[bytes]) -> Iterator[bytes]:
    """What stands between zero bytes, as it comes."""
    rest, size = b"", 0
    while piece := listing.read(PIECE_BYTES):
        size += len(piece)
        if size > MOST_LISTED_BYTES:
            raise Unreadable("The repository has more names than can be listed.")
        *lines, rest = (rest + piece).split(b"\0")
        yield from lines


def _piped(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise Unreadable("git can't be talked to.")
    return pipe
