"""Notes: lines of a file that somebody cited, with a hash of what stood there and, mostly, the commit they saw."""

from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple, cast

LONGEST_LINES = 5000
MOST_TRIES = 5000
LEAST_DIGITS = 8
MOST_DIGITS = 64
HEX = frozenset("0123456789abcdef")
COMMIT_DIGITS = range(7, 65)


class Note(NamedTuple):
    """Lines from one to another, counted from 1, both included; `hash` and `commit` are empty where none was given."""

    id: str
    path: str
    start: int
    end: int
    hash: str = ""
    commit: str = ""

    @property
    def key(self) -> str:
        """What tells it from every other note, whatever it is called."""
        return f"{self.path}\0{self.start}\0{self.end}\0{self.hash}\0{self.commit}"


def read_note(given: Any, number: int = 0) -> Note:
    """A note as JSON gives it; ValueError with a sentence where it can't be one."""
    if not isinstance(given, dict):
        raise ValueError(f"Note {number} is no object.")  # noqa: TRY004  wrong JSON is a wrong value
    row = cast("dict[str, Any]", given)
    path: Any = row.get("path")
    start: Any = row.get("start")
    end: Any = row.get("end", start)
    hash_: Any = row.get("sha256") or row.get("hash") or ""
    commit: Any = row.get("commit") or ""
    demands = (
        (_is_path(path), "has no `path`"),
        (_are_lines(start, end), "has no lines: `start` and `end` are numbers from 1 on"),
        (hash_ == "" or is_hash(hash_), "has a `sha256` that is none"),
        (commit == "" or is_commit(commit), "has a `commit` that is no id"),
    )
    for is_met, wrong in demands:
        if not is_met:
            raise ValueError(f"Note {number} {wrong}.")
    return Note(str(row.get("id", number)), path, start, end, hash_, commit)


def is_commit(given: Any) -> bool:
    """Whether something is the id of a commit, or the beginning of one."""
    return isinstance(given, str) and len(given) in COMMIT_DIGITS and HEX.issuperset(given)


def is_hash(given: Any) -> bool:
    """Whether something is the beginning of a SHA-256, long enough to tell."""
    return isinstance(given, str) and LEAST_DIGITS <= len(given) <= MOST_DIGITS and HEX.issuperset(given)


def lines_of(content: bytes) -> list[str]:
    """The lines of a file as git counts them, without their ends: a line feed, or a carriage return before it."""
    lines = content.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if b"\r" in content else lines


def cited_lines(content: bytes, note: Note) -> list[str] | None:
    """The lines that a note cites of a file, where the file is the one that it cites; without a hash, any is."""
    raw = content.split(b"\n")[note.start - 1 : note.end]
    if raw and note.end > content.count(b"\n") and raw[-1] == b"":
        raw.pop()  # what follows the last line feed is no line
    if len(raw) != note.end - note.start + 1:
        return None
    if note.hash and not any(_hash(each).startswith(note.hash) for each in _spellings(raw)):
        return None
    return lines_of(b"\n".join(raw) + b"\n")


def telling_line(lines: Sequence[str]) -> int:
    """The place among some lines of the one that says most: the longest."""
    return max(range(len(lines)), key=lambda place: len(lines[place].strip()))


def says_something(line: str) -> bool:
    """Whether a line has two letters or digits beside each other; brackets and blanks say nothing."""
    return any(a.isalnum() and b.isalnum() for a, b in pairwise(line))


def places_of(wanted: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Where some lines stand among others, whole and in order, counted from 1."""
    if not wanted:
        return []
    offset = telling_line(wanted)
    key, count = wanted[offset], len(wanted)
    found: list[int] = []
    for at in islice(_all(lines, key), MOST_TRIES):
        first = at - offset
        if first >= 0 and lines[first] == wanted[0] and lines[first : first + count] == wanted:
            found.append(first + 1)
    return found


def _all(lines: Sequence[str], key: str) -> Iterable[int]:
    at = -1
    try:
        while True:
            at = lines.index(key, at + 1)
            yield at
    except ValueError:
        return


def _spellings(raw: Sequence[bytes]) -> Iterable[bytes]:
    """The bytes that a hash may be of: as they lie there, without the last end, or as they are read."""
    joined = b"\n".join(raw)
    yield joined
    if joined.endswith(b"\r"):
        yield joined[:-1]
    if b"\r" in joined:
        yield joined.replace(b"\r\n", b"\n").removesuffix(b"\r")
    yield joined.decode("utf-8", "replace").encode()


def _hash(lines: bytes) -> str:
    from hashlib import sha256  # 3 ms that whoever only follows does not pay

    return sha256(lines).hexdigest()


def _is_path(given: Any) -> bool:
    return isinstance(given, str) and bool(given) and "\0" not in given and "\n" not in given


def _are_lines(start: Any, end: Any) -> bool:
    return _is_count(start) and _is_count(end) and 1 <= start <= end < start + LONGEST_LINES


def _is_count(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)
