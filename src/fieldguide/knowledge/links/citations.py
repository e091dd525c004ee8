"""Finds citations of lines and paths in texts, and judges whether the cited lines are still there.

`find_citations` reads them from a text. `judge_by_content` compares a citation with its file alone; `judge_tracked`
judges a citation whose lines were followed through the git history.
"""

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.git.diff import FileStep, carry_line
from fieldguide.text import regex as re
from fieldguide.text.citation import CHANGED, FRESH, GONE, LINES, MOVED, PATH
from fieldguide.text.errors import Refusal
from fieldguide.text.windows import cut_text

CITED = re.compile(
    r"([\w@./+-]*[\w@+-]\.\w{1,12}|[\w@./+-]*/[\w@.+-]*\w)"
    r"(?:#L(\d{1,7})(?:C\d{1,5})?(?:-L?(\d{1,7})(?:C\d{1,5})?)?|:(\d{1,7})(?:-(\d{1,7}))?)(?:@([0-9a-f]{8,64}))?"
)
QUOTED = re.compile(r"`([\w@.+-]+(?:/[\w@.+-]+)+)`")
FENCES = ("```", "~~~")
BEGINS_KEY = "PRIVATE KEY"
MOST_MENTIONS = 500
LONGEST_LINE = 2000
LONGEST_PATH = 300
LONGEST_LINES = 5000
LONGEST_SAID = 79
MOST_TRIES = 5000
MOST_TRIED_BYTES = 16 << 20
LARGEST_BYTES = 4 << 20
LEAST_SOUGHT = 20  # characters: a shorter text occurs everywhere
UNSURE = 0.5
ALIKE = 0.8  # confidence that lines with the same text are the same lines
STORED_FIELDS = 10
LEAST_DIGITS = 8
MOST_DIGITS = 64
HEX = frozenset("0123456789abcdef")
COMMIT_DIGITS = range(7, 65)

Committed = Callable[[str], bytes | None]
"""Returns the bytes of a file at HEAD."""


class LineCitation(NamedTuple):
    """Lines from one to another, counted from 1, both included; `hash` and `commit` are empty where none was given."""

    id: str
    path: str
    start: int
    end: int
    hash: str = ""
    commit: str = ""

    @property
    def key(self) -> str:
        """Identifies the citation by its content, whatever its id."""
        return f"{self.path}\0{self.start}\0{self.end}\0{self.hash}\0{self.commit}"


def read_line_citation(given: Any, number: int = 0) -> LineCitation:
    """Parse a citation from JSON; raise ValueError with a message if it is malformed."""
    if not isinstance(given, dict):
        raise ValueError(f"Note {number} is no object.")  # noqa: TRY004  wrong JSON is a wrong value
    row = cast("dict[str, Any]", given)
    path: Any = row.get("path")
    start: Any = row.get("start")
    end: Any = row.get("end", start)
    hash_: Any = row.get("sha256") or row.get("hash") or ""
    commit: Any = row.get("commit") or ""
    demands = (
        (isinstance(path, str) and path and "\0" not in path and "\n" not in path, "has no `path`"),
        (
            _is_count(start) and _is_count(end) and _is_range(start, end),
            "has no lines: `start` and `end` are numbers from 1 on",
        ),
        (hash_ == "" or is_hash(hash_), "has a `sha256` that is none"),
        (commit == "" or is_commit(commit), "has a `commit` that is no id"),
    )
    for is_met, wrong in demands:
        if not is_met:
            raise ValueError(f"Note {number} {wrong}.")
    return LineCitation(str(row.get("id", number)), path, start, end, hash_, commit)


def _is_count(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)


def _is_range(start: int, end: int) -> bool:
    return 1 <= start <= end < start + LONGEST_LINES


def is_commit(given: Any) -> bool:
    """Whether a value is a commit id or the beginning of one."""
    return isinstance(given, str) and len(given) in COMMIT_DIGITS and HEX.issuperset(given)


def is_hash(given: Any) -> bool:
    """Whether a value is the beginning of a SHA-256, long enough to be distinct."""
    return isinstance(given, str) and LEAST_DIGITS <= len(given) <= MOST_DIGITS and HEX.issuperset(given)


def split_content_lines(content: bytes) -> list[str]:
    """Split a file into lines as git counts them, without line feeds or the carriage returns before them."""
    lines = content.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    if b"\r" not in content:
        return lines
    return [line.removesuffix("\r") for line in lines]


def read_cited_lines(content: bytes, note: LineCitation) -> list[str] | None:
    """Return the cited lines of a file; None if there are fewer or the citation's hash does not match."""
    raw = content.split(b"\n")[note.start - 1 : note.end]
    if raw and note.end > content.count(b"\n") and raw[-1] == b"":
        raw.pop()  # what follows the last line feed is no line
    if len(raw) != note.end - note.start + 1:
        return None
    if note.hash and not _has_hash(raw, note.hash):
        return None
    return split_content_lines(b"\n".join(raw) + b"\n")


def _has_hash(raw: Sequence[bytes], prefix: str) -> bool:
    from hashlib import sha256  # takes 3 ms to import

    return any(sha256(spelling).hexdigest().startswith(prefix) for spelling in _spellings(raw))


def _spellings(raw: Sequence[bytes]) -> Iterable[bytes]:
    """The byte strings that a hash may be of: as stored, without the last line end, or decoded."""
    joined = b"\n".join(raw)
    yield joined
    if joined.endswith(b"\r"):
        yield joined[:-1]
    if b"\r" in joined:
        yield joined.replace(b"\r\n", b"\n").removesuffix(b"\r")
    yield joined.decode("utf-8", "replace").encode()


def find_telling_line(lines: Sequence[str]) -> int:
    """Return the index of the longest line, which identifies a text best."""
    return max(range(len(lines)), key=lambda place: len(lines[place].strip()))


def has_word(line: str) -> bool:
    """Whether a line has two adjacent letters or digits, rather than only brackets and blanks."""
    return any(a.isalnum() and b.isalnum() for a, b in pairwise(line))


def find_lines(wanted: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Find every place, counted from 1, where some lines occur whole and in order among others."""
    if not wanted:
        return []
    offset = find_telling_line(wanted)
    key = wanted[offset]
    count = len(wanted)
    starts: list[int] = []
    at = -1
    for _ in range(MOST_TRIES):
        try:
            at = lines.index(key, at + 1)
        except ValueError:
            break
        first = at - offset
        if first >= 0 and lines[first] == wanted[0] and lines[first : first + count] == wanted:
            starts.append(first + 1)
    return starts


class CodeCitation(NamedTuple):
    """A line of a text and what it cites; a path alone has no lines, and few citations have a hash or a commit."""

    line: int
    says: str
    kind: str
    path: str
    start: int = 0
    end: int = 0
    hash: str = ""
    commit: str = ""


def find_citations(text: str, *, paths: bool = False) -> list[CodeCitation]:
    """Find the citations of a text, in its order; with `paths`, also the paths that it quotes.

    In a fenced block only a citation with a hash counts: the rest is output or an example.
    """
    citations: list[CodeCitation] = []
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = line.lstrip()[:3]
        if mark in FENCES and (not fence or mark == fence):
            fence = "" if fence else mark
        if len(line) > LONGEST_LINE:
            continue
        of_line: list[CodeCitation] = []
        if _may_cite(line):
            of_line += _cited(number, line)
        if paths:
            of_line += _quoted(number, line)
        citations += [each for each in of_line if not fence or each.hash]
        if len(citations) >= MOST_MENTIONS:
            break
    return citations[:MOST_MENTIONS]


def _may_cite(line: str) -> bool:
    """Whether a line may hold a citation: a cheap test, since hardly any line does."""
    return "#L" in line or (":" in line and any(part[:1].isdigit() for part in line.split(":")[1:]))


def _cited(number: int, line: str) -> Iterator[CodeCitation]:
    for match in CITED.finditer(line):
        path, start, end, plain_start, plain_end, hash_ = match.groups()
        first = int(start or plain_start)
        last = int(end or plain_end or first)
        if not _is_range(first, last) or _is_part_of_address(line, match.start(), path):
            continue
        if not hash_ or is_hash(hash_):
            yield CodeCitation(number, match.group(), LINES, path, first, last, hash=hash_ or "")


def _quoted(number: int, line: str) -> Iterator[CodeCitation]:
    for match in QUOTED.finditer(line):
        path = match.group(1)
        if len(path) <= LONGEST_PATH:
            yield CodeCitation(number, path, PATH, path)


def _is_part_of_address(line: str, at: int, path: str) -> bool:
    """Whether a path is the end of a URL, or can't be a path of a project."""
    before = line[:at].rpartition(" ")[2]
    return "://" in before or "//" in path or path.startswith(("/", "@")) or len(path) > LONGEST_PATH


def resolve_citation(citation: CodeCitation, document: str, is_there: Callable[[str], bool]) -> CodeCitation | None:
    """Resolve the path of a citation: relative to its document, as links are, or to the project, as names mostly are.

    Returns None if the path leads out of the project.
    """
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(document), citation.path))
    path = posixpath.normpath(citation.path)
    if citation.path.startswith(("./", "../")) or (beside != path and not is_there(path) and is_there(beside)):
        path = beside
    if path.startswith(".."):
        return None
    return citation._replace(path=path)


class WorkTree:
    """Reads the lines of project files, each once; files that are missing or may not be served have none."""

    def __init__(self, project: ConfinedFolder) -> None:
        self.project = project
        self._root = project.real_path()
        self._read: dict[str, Sequence[str] | None] = {}
        self._stamps: dict[str, str] = {}

    def lines(self, path: str) -> Sequence[str] | None:
        """Return the lines of a file; None if there is none."""
        if path not in self._read:
            try:
                self._read[path] = split_content_lines(self.project.read(path, limit_bytes=LARGEST_BYTES))
            except Refusal:
                self._read[path] = None
        return self._read[path]

    def stamp(self, path: str) -> str:
        """Return a value that changes whenever a file is saved; empty if there is no file."""
        if path not in self._stamps:
            self._stamps[path] = self._stamp(path)
        return self._stamps[path]

    def _stamp(self, path: str) -> str:
        if not path or path.startswith("/") or ".." in path.split("/"):
            return ""
        try:
            found = os.lstat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return ""
        return f"{found.st_mtime_ns}.{found.st_size}.{found.st_ino}"


def map_moved_lines(before: Sequence[str], now: Sequence[str]) -> Mapping[int, int]:
    """Map the lines of a file to their places in its next version, as far as they live on; counted from 1.

    Matches the equal lines at both ends, then those around lines that occur once in each version (a patience diff
    without recursion), in linear time.
    """
    first = 0
    least = min(len(before), len(now))
    while first < least and before[first] == now[first]:
        first += 1
    last = 0
    while last < least - first and before[-1 - last] == now[-1 - last]:
        last += 1
    mapped = {line: line for line in range(1, first + 1)}
    grown = len(now) - len(before)
    for line in range(len(before) - last + 1, len(before) + 1):
        mapped[line] = line + grown
    ends = (len(before) - last, len(now) - last)
    anchors = [(first - 1, first - 1), *_anchors(before, now, first, ends), ends]
    for left, right in pairwise(anchors):
        _fill(mapped, before, now, left, right)
    return mapped


def _fill(
    found: dict[int, int], before: Sequence[str], now: Sequence[str], left: tuple[int, int], right: tuple[int, int]
) -> None:
    """Map the lines that are equal after one anchor and before the next, and the next anchor itself."""
    old = left[0] + 1
    new = left[1] + 1
    while old < right[0] and new < right[1] and before[old] == now[new]:
        found[old + 1] = new + 1
        old += 1
        new += 1
    old_end = right[0] - 1
    new_end = right[1] - 1
    while old_end >= old and new_end >= new and before[old_end] == now[new_end]:
        found[old_end + 1] = new_end + 1
        old_end -= 1
        new_end -= 1
    if right[0] < len(before) and right[1] < len(now) and before[right[0]] == now[right[1]]:
        found[right[0] + 1] = right[1] + 1


def _anchors(before: Sequence[str], now: Sequence[str], first: int, ends: tuple[int, int]) -> list[tuple[int, int]]:
    """Lines that occur once in each version, in the longest order that both have."""
    old = _once(before, first, ends[0])
    new = _once(now, first, ends[1])
    return _rising(sorted((place, new[line]) for line, place in old.items() if line in new))


def _once(lines: Sequence[str], first: int, end: int) -> dict[str, int]:
    places: dict[str, int] = {}
    twice: set[str] = set()
    for place in range(first, end):
        line = lines[place]
        if line in places:
            twice.add(line)
        places[line] = place
    return {line: place for line, place in places.items() if line not in twice and line.strip()}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest increasing subsequence of pairs by their second numbers."""
    from bisect import bisect_left

    tops: list[int] = []
    held: list[int] = []
    before: list[int] = []
    for place, (_, value) in enumerate(pairs):
        at = bisect_left(tops, value)
        before.append(held[at - 1] if at else -1)
        tops[at : at + 1] = [value]
        held[at : at + 1] = [place]
    run: list[tuple[int, int]] = []
    place = held[-1] if held else -1
    while place >= 0:
        run.append(pairs[place])
        place = before[place]
    return run[::-1]


class CitationVerdict(NamedTuple):
    """What became of a citation: its state, its place now, the change in one line, the commit, the confidence."""

    state: str = FRESH
    path: str = ""
    start: int = 0
    end: int = 0
    difference: str = ""
    commit: str = ""
    confidence: float = 1.0


class TrackedCitation:
    """A citation, the text that it cited, and the number of each of its lines as of `commit`: 0 if the line is gone.

    `origin` is the commit at which the text stood as cited, so that another branch can be followed from there. It is
    empty if the lines were saved but never committed so.
    `others` are other files in which its most telling line was seen: the whole text may be there too.
    """

    __slots__ = ("at", "commit", "edited", "judged", "moved", "note", "origin", "others", "path", "stamps", "text")

    def __init__(self, note: LineCitation, text: Sequence[str], commit: str) -> None:
        self.note = note
        self.text = [*text]
        self.origin = commit
        self.others: list[str] = []
        self.stamps: list[Any] = []
        self.begin()

    def begin(self) -> None:
        """Go back to the cited place."""
        self.path = self.note.path
        self.commit = self.origin
        self.at = [*range(self.note.start, self.note.end + 1)] if self.text else []
        self.moved = self.edited = ""
        self.judged: CitationVerdict | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every line lives on, one after the other."""
        at = self.at
        return bool(self.path and at and at[0]) and at == [*range(at[0], at[0] + len(at))]

    def is_settled(self, head: str) -> bool:
        """Whether its origin need not be looked for again: it is known, or was not found at this HEAD."""
        if self.text:
            return bool(self.origin)
        return self.origin == head

    def take(self, step: FileStep, commit: str) -> None:
        """Apply what a commit did to the file that holds the text."""
        before = self.at
        was_whole = self.is_whole
        if not step.path:
            self.path = ""
            self.at = [0] * len(self.at)
            self.edited = commit
            return
        self.at = [carry_line(line, step.hunks) if line else 0 for line in before]
        if (was_whole and not self.is_whole) or before.count(0) != self.at.count(0):
            self.edited = commit
        if step.path != self.path or before != self.at:
            self.moved = commit
        self.path = step.path

    @property
    def key(self) -> str:
        """The line that says most."""
        return self.text[find_telling_line(self.text)]

    def kept(self) -> list[Any]:
        """Return all of it as a JSON array; `read_tracked` reads it."""
        place = [self.path, self.at, self.commit, self.moved, self.edited]
        return [self.text, self.origin, *place, self.judged and [*self.judged], self.stamps, self.others]


def read_tracked(note: LineCitation, kept: Any) -> TrackedCitation | None:
    """Read a citation as it was stored; None if that is malformed."""
    if not isinstance(kept, list):
        return None
    row: list[Any] = cast("Any", kept)
    if len(row) != STORED_FIELDS:
        return None
    text, origin, path, at, commit, moved, edited, judged, stamps, others = row
    if len(text) != len(at):
        return None
    followed = TrackedCitation(note, text, origin)
    followed.path = path
    followed.at = at
    followed.commit = commit
    followed.moved = moved
    followed.edited = edited
    followed.stamps = stamps
    followed.others = others
    if judged is not None:
        followed.judged = CitationVerdict(*judged)
    return followed


def judge_by_content(note: LineCitation, tree: WorkTree) -> CitationVerdict:
    """Judge a citation by its file alone: the cited lines are there, elsewhere in it, changed or gone."""
    try:
        content = tree.project.read(note.path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return CitationVerdict(GONE, confidence=UNSURE)
    lines = content.count(b"\n") + 1
    if not note.hash:  # nothing proves the lines but their number
        if note.end <= lines:
            return CitationVerdict(FRESH, note.path, note.start, note.end, confidence=UNSURE)
        return CitationVerdict(GONE, confidence=UNSURE)
    if read_cited_lines(content, note) is not None:
        return CitationVerdict(FRESH, note.path, note.start, note.end)
    start = _find_hashed(note, content)
    if start is not None:
        return CitationVerdict(MOVED, note.path, start, start + note.end - note.start)
    if note.start > lines:
        return CitationVerdict(GONE, confidence=UNSURE)
    return CitationVerdict(CHANGED, note.path, note.start, min(note.end, lines), confidence=UNSURE)


def _find_hashed(note: LineCitation, content: bytes) -> int | None:
    """Find the lines with the hash of a citation, nearest to the cited place first; within a bound of work."""
    count = note.end - note.start
    last = content.count(b"\n") + 1 - count
    average_bytes = max(1, len(content) // max(1, last))
    tries = MOST_TRIED_BYTES // (average_bytes * (count + 1) * 4 + 200)
    lines = content.split(b"\n")
    for step in range(1, last + 1):
        for start in (note.start - step, note.start + step):
            if not 1 <= start <= last:
                continue
            tries -= 1
            if tries < 0:
                return None
            part = b"\n".join(lines[start - 1 : start + count])
            if read_cited_lines(part, note._replace(start=1, end=count + 1)) is not None:
                return start
    return None


def judge_tracked(followed: TrackedCitation, tree: WorkTree, committed: Committed | None) -> CitationVerdict:
    """Judge a followed citation by the work tree; without the files of HEAD, lines are matched by their text alone."""
    note = followed.note
    text = followed.text
    home = tree.lines(note.path)
    if text and home is not None and _stands(text, home, note.start):
        return CitationVerdict(FRESH, note.path, note.start, note.end)
    at, lines = _now(followed, tree, committed)
    if lines is not None and followed.is_whole and _stands(text, lines, at[0]):
        return CitationVerdict(MOVED, followed.path, at[0], at[-1], commit=followed.moved)
    elsewhere = _elsewhere(followed, tree)
    if elsewhere is not None:
        return elsewhere
    confidence = ALIKE if committed is None else 1.0
    living = [line for line, said in zip(at, text, strict=True) if line and has_word(said)]
    if lines is None or not living:
        return CitationVerdict(GONE, commit=followed.edited, confidence=confidence)
    difference = describe_difference(text, at, lines)
    return CitationVerdict(CHANGED, followed.path, min(living), max(living), difference, followed.edited, confidence)


def _stands(text: Sequence[str], lines: Sequence[str], first: int) -> bool:
    return first > 0 and lines[first - 1 : first - 1 + len(text)] == text


def _now(
    followed: TrackedCitation, tree: WorkTree, committed: Committed | None
) -> tuple[list[int], Sequence[str] | None]:
    """Locate the lines in the work tree: as in HEAD, or moved by changes that are not committed."""
    at = followed.at
    text = followed.text
    lines = tree.lines(followed.path) if followed.path else None
    if lines is None:
        return [0] * len(at), None
    if all(not line or (line <= len(lines) and lines[line - 1] == said) for line, said in zip(at, text, strict=True)):
        return at, lines
    content = None if committed is None else committed(followed.path)
    if content is None:
        return _alike(at, text, lines), lines
    moved = map_moved_lines(split_content_lines(content), lines)
    return [moved.get(line, 0) for line in at], lines


def _elsewhere(followed: TrackedCitation, tree: WorkTree) -> CitationVerdict | None:
    """Look for the whole text in its file, in the cited file, and in the others."""
    text = followed.text
    if sum(len(line.strip()) for line in text) < LEAST_SOUGHT:
        return None
    seen: set[str] = set()
    for path in (followed.path, followed.note.path, *sorted(followed.others)):
        if not path or path in seen:
            continue
        seen.add(path)
        starts = find_lines(text, tree.lines(path) or ())
        if not starts:
            continue
        start = starts[0]
        if path == followed.note.path:
            start = min(starts, key=lambda place: (abs(place - followed.note.start), place))
        return CitationVerdict(MOVED, path, start, start + len(text) - 1, commit=followed.moved or followed.edited)
    return None


def _alike(at: Sequence[int], text: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Locate lines by their text alone, each nearest to where it was."""
    words = {line for line in text if has_word(line)}
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines, 1):
        if line in words:
            places.setdefault(line, []).append(number)
    located: list[int] = []
    for near, line in zip(at, text, strict=True):
        distances = [(abs(place - near), place) for place in places.get(line, ())]
        located.append(min(distances, default=(0, 0))[1])
    return located


def describe_difference(text: Sequence[str], at: Sequence[int], lines: Sequence[str]) -> str:
    """Describe a change in one line: the first line removed, the first one added, and how many more there are."""
    living = set(at) - {0}
    start, now = _around(at, lines)
    if any(BEGINS_KEY in line for line in (*text, *now)):  # the other lines of a key do not look like one
        return ""
    removed = [line for line, place in zip(text, at, strict=True) if not place and line.strip()]
    removed_words = set(" ".join(removed).split())
    shared_words = set(filter(has_word, removed_words))
    added: list[str] = []
    for number, line in enumerate(now, start):
        if number in living or not line.strip():
            continue
        if min(living) < number < max(living) or shared_words.intersection(line.split()):
            added.append(line)
    parts = [f"{sign}{_masked(each[0])}" for sign, each in (("-", removed), ("+", added)) if each]
    more = max(len(removed) - 1, 0) + max(len(added) - 1, 0)
    if more:
        parts.append(f"({more} more)")
    return " ".join(parts)


def _around(at: Sequence[int], lines: Sequence[str]) -> tuple[int, Sequence[str]]:
    """The lines between where the first and the last of the text were, judged by those that live on; and the first."""
    living = [number for number, place in enumerate(at) if place]
    start = max(min(filter(None, at)) - living[0], 1)
    return start, lines[start - 1 : max(at) + len(at) - 1 - living[-1]]


def _masked(line: str) -> str:
    """A line on one short line, without values that look like live secrets."""
    from fieldguide.text.secrets import mask_address_secrets, mask_secret_values

    return cut_text(mask_address_secrets(mask_secret_values(" ".join(line.split()))), LONGEST_SAID)
