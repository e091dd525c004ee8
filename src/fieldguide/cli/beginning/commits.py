"""How much history a project has: its commits, since when, and by how many people; counted for a bounded time."""

from collections.abc import Iterator
from datetime import UTC, datetime
from time import monotonic
from typing import IO, NamedTuple

from fieldguide.errors import Unreadable
from fieldguide.project_history.git_program import CHUNK_BYTES, GitProgram
from fieldguide.project_history.keeping import head_stamp

COUNTING_SECONDS = 3.0
GRACE_SECONDS = 5.0  # for the first of them
LOG = ("log", "-z", "--no-color", "--encoding=UTF-8", "--format=%at %aN", "HEAD", "--")
LATEST_YEAR = 9999


class Commits(NamedTuple):
    """The commits of a project; not whole where there were more than could be counted."""

    number: int = 0
    authors: int = 0
    since: str = ""
    is_whole: bool = True


def commits(project: str, seconds: float = COUNTING_SECONDS) -> Commits:
    """The commits that touch a project; none where it has no history of its own."""
    if head_stamp(project) is None:
        return Commits()
    git, until = GitProgram(project, seconds + GRACE_SECONDS), monotonic() + seconds
    number, first, authors = 0, 0, set[bytes]()
    try:
        below = (".",) if git.ask("rev-parse", "--show-prefix").strip() else ()
        with git.started(*LOG, *below) as running:
            for written in _entries(running.process.stdout):
                at, _, author = written.partition(b" ")
                authors.add(author)
                number, first = number + 1, _earlier(first, at)
                if monotonic() > until:
                    return Commits(number, len(authors), _day(first), is_whole=False)
    except Unreadable:
        return Commits()
    return Commits(number, len(authors), _day(first))


def _entries(stream: IO[bytes] | None) -> Iterator[bytes]:
    rest = b""
    while stream is not None and (chunk := stream.read(CHUNK_BYTES)):
        *complete, rest = (rest + chunk).split(b"\0")
        yield from complete
    if rest:
        yield rest


def _earlier(first: int, at: bytes) -> int:
    """The earlier of two moments; what a broken clock wrote is none."""
    moment = int(at) if at.isdigit() and len(at) <= len(str(LATEST_YEAR)) + 7 else 0
    return min(first, moment) if first and moment else first or moment


def _day(moment: int) -> str:
    return datetime.fromtimestamp(moment, UTC).date().isoformat() if moment else ""
