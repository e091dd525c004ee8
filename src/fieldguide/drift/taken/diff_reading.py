"""Commits and the lines that they removed and added, as `git log -p` prints them: read as a stream, bounded."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO

from fieldguide.drift.taken.removal import CommitLine

LONGEST_LINE = 4_096
MOST_COMMIT_BYTES = 16 << 20
START = b"\x01"
FORMAT = "--format=%x01%H%x00%ct%x00%s"
FIELDS = 3
LONGEST_SUBJECT = 120


@dataclass(slots=True)
class Hunk:
    """Lines of one file that were removed, and those that stand there instead."""

    path: str
    removed: list[bytes] = field(default_factory=list[bytes])
    added: list[bytes] = field(default_factory=list[bytes])


@dataclass(slots=True)
class CommitDiff:
    """A commit with its hunks; one that is very large has none, since it tells of nothing in particular."""

    commit: CommitLine
    hunks: list[Hunk] = field(default_factory=list[Hunk])
    size: int = 0

    @property
    def is_large(self) -> bool:
        """Whether more was changed than is looked at."""
        return self.size > MOST_COMMIT_BYTES


def read_diffs(stream: IO[bytes], wants: Callable[[str], bool]) -> Iterator[CommitDiff]:
    """Each commit as git prints it, with the hunks of the files that are wanted."""
    reader = _Reader(wants)
    while line := stream.readline(LONGEST_LINE):
        whole = line
        while whole and not whole.endswith(b"\n"):
            whole = stream.readline(LONGEST_LINE)
        finished = reader.take(line)
        if finished is not None:
            yield finished
    if reader.current is not None:
        yield reader.current


class _Reader:
    """Where the stream is: in which commit, file and hunk."""

    def __init__(self, wants: Callable[[str], bool]) -> None:
        self.current: CommitDiff | None = None
        self._wants = wants
        self._path = ""
        self._hunk: Hunk | None = None
        self._in_head = True

    def take(self, line: bytes) -> CommitDiff | None:
        """Read one line; the commit before, where another begins with it."""
        first = line[:1]
        if first == START:
            finished, self.current = self.current, CommitDiff(_commit(line))
            self._hunk = None
            return finished
        if line.startswith(b"diff --git "):
            self._path, self._hunk, self._in_head = "", None, True
        elif self._in_head:
            self._head(line)
        elif first == b"@":
            self._begin()
        elif self._hunk is not None and self.current is not None and not self.current.is_large:
            self._add(first, line)
        return None

    def _head(self, line: bytes) -> None:
        if line.startswith((b"--- a/", b'--- "a/')):
            self._path = _path(line)
        elif line.startswith((b"+++ b/", b'+++ "b/')):
            self._path = _path(line) or self._path
        elif line.startswith(b"@@"):
            self._in_head = False
            self._begin()

    def _begin(self) -> None:
        self._hunk = None
        if self.current is not None and self._path and self._wants(self._path):
            self._hunk = Hunk(self._path)
            self.current.hunks.append(self._hunk)

    def _add(self, first: bytes, line: bytes) -> None:
        assert self._hunk is not None and self.current is not None  # noqa: S101, PT018  `take` looked
        if first == b"-":
            self._hunk.removed.append(line[1:])
        elif first == b"+":
            self._hunk.added.append(line[1:])
        self.current.size += len(line)
        if self.current.is_large:
            self.current.hunks.clear()


def _commit(line: bytes) -> CommitLine:
    fields = line[1:].rstrip(b"\n").split(b"\0")
    if len(fields) < FIELDS:
        return CommitLine("", 0, "")
    seconds = int(fields[1]) if fields[1].isdigit() and len(fields[1]) < 16 else 0
    return CommitLine(
        fields[0].decode("ascii", "replace"), seconds, fields[2].decode(errors="replace")[:LONGEST_SUBJECT]
    )


def _path(line: bytes) -> str:
    return line[6:].strip().strip(b'"').decode(errors="replace")
