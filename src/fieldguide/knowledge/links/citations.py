"""Citations of lines and paths in texts, and the project files that they refer to."""

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.git.diff import FileStep, carry_line
from fieldguide.text import regex as re
from fieldguide.text.citation import CHANGED, FRESH, GONE, LINES, MOVED, PATH
from fieldguide.text.errors import Refusal

LONGEST_LINES = 5000
MOST_TRIES = 5000
LEAST_DIGITS = 8
MOST_DIGITS = 64
HEX = frozenset("0123456789abcdef")
COMMIT_DIGITS = range(7, 65)


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
        """What tells it from every other note, whatever it is called."""
        return f"{self.path}\0{self.start}\0{self.end}\0{self.hash}\0{self.commit}"


def read_line_citation(given: Any, number: int = 0) -> LineCitation:
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
    return LineCitation(str(row.get("id", number)), path, start, end, hash_, commit)


def is_commit(given: Any) -> bool:
    """Whether something is the id of a commit, or the beginning of one."""
    return isinstance(given, str) and len(given) in COMMIT_DIGITS and HEX.issuperset(given)


def is_hash(given: Any) -> bool:
    """Whether something is the beginning of a SHA-256, long enough to tell."""
    return isinstance(given, str) and LEAST_DIGITS <= len(given) <= MOST_DIGITS and HEX.issuperset(given)


def split_content_lines(content: bytes) -> list[str]:
    """The lines of a file as git counts them, without their ends: a line feed, or a carriage return before it."""
    lines = content.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if b"\r" in content else lines


def read_cited_lines(content: bytes, note: LineCitation) -> list[str] | None:
    """The lines that a note cites of a file, where the file is the one that it cites; without a hash, any is."""
    raw = content.split(b"\n")[note.start - 1 : note.end]
    if raw and note.end > content.count(b"\n") and raw[-1] == b"":
        raw.pop()  # what follows the last line feed is no line
    if len(raw) != note.end - note.start + 1:
        return None
    if note.hash and not any(_hash(each).startswith(note.hash) for each in _spellings(raw)):
        return None
    return split_content_lines(b"\n".join(raw) + b"\n")


def find_telling_line(lines: Sequence[str]) -> int:
    """The place among some lines of the one that says most: the longest."""
    return max(range(len(lines)), key=lambda place: len(lines[place].strip()))


def has_word(line: str) -> bool:
    """Whether a line has two letters or digits beside each other; brackets and blanks say nothing."""
    return any(a.isalnum() and b.isalnum() for a, b in pairwise(line))


def find_lines(wanted: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Where some lines stand among others, whole and in order, counted from 1."""
    if not wanted:
        return []
    offset = find_telling_line(wanted)
    key = wanted[offset]
    count = len(wanted)
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


MOST_MENTIONS = 500
LONGEST_LINE = 2000
LONGEST_PATH = 300
FENCES = ("```", "~~~")
CITED = re.compile(
    r"([\w@./+-]*[\w@+-]\.\w{1,12}|[\w@./+-]*/[\w@.+-]*\w)"
    r"(?:#L(\d{1,7})(?:C\d{1,5})?(?:-L?(\d{1,7})(?:C\d{1,5})?)?|:(\d{1,7})(?:-(\d{1,7}))?)(?:@([0-9a-f]{8,64}))?"
)
PERMALINK = re.compile(r"/(?:blob|blame)/([0-9a-f]{40})/([^\s#?()<>`\"']{1,300})#L(\d{1,7})(?:-L?(\d{1,7}))?")
PINNED = ("blob/", "blame/")
QUOTED = re.compile(r"`([\w@.+-]+(?:/[\w@.+-]+)+)`")


class CodeCitation(NamedTuple):
    """A place in a text and what it cites there; a path alone has no lines, and few citations have hash or commit."""

    line: int
    says: str
    kind: str
    path: str
    start: int = 0
    end: int = 0
    hash: str = ""
    commit: str = ""

    @property
    def is_pinned(self) -> bool:
        """Whether it is a link to the lines of one commit, which shows those lines whatever became of them."""
        return self.says.startswith(PINNED)


def find_citations(text: str, *, paths: bool = False) -> list[CodeCitation]:
    """The citations of a text, in its order; also the paths that it quotes, where they are asked for.

    In a fenced block only what carries a hash is a citation: the rest is output or an example.
    """
    found: list[CodeCitation] = []
    for number, (line, is_fenced) in enumerate(_told_apart(text), 1):
        if len(line) <= LONGEST_LINE:
            of_line = [*_links(number, line), *_cited(number, line)] if _may_cite(line) else []
            of_line += _quoted(number, line) if paths else ()
            found += [each for each in of_line if not is_fenced or each.hash]
        if len(found) >= MOST_MENTIONS:
            break
    return found[:MOST_MENTIONS]


def _told_apart(text: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, and whether each is in a fenced block."""
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if mark in FENCES and (not fence or mark == fence):
            fence = "" if fence else mark
        yield line, bool(fence)


def _may_cite(line: str) -> bool:
    """Whether a line may hold a citation: hardly any does, and looking closer takes time."""
    return "#L" in line or (":" in line and any(part[:1].isdigit() for part in line.split(":")[1:]))


def _links(number: int, line: str) -> Iterator[CodeCitation]:
    for found in PERMALINK.finditer(line):
        commit, path, start, end = found.groups()
        if (lines := _lines(start, end)) is not None:
            yield CodeCitation(number, found.group().lstrip("/"), LINES, path, *lines, commit=commit)


def _cited(number: int, line: str) -> Iterator[CodeCitation]:
    for found in CITED.finditer(line):
        path, start, end, first, last, hash_ = found.groups()
        lines = _lines(start or first, end or last)
        if lines is None or _is_part_of_address(line, found.start(), path) or (hash_ and not is_hash(hash_)):
            continue
        yield CodeCitation(number, found.group(), LINES, path, *lines, hash=hash_ or "")


def _quoted(number: int, line: str) -> Iterator[CodeCitation]:
    for found in QUOTED.finditer(line):
        if len(found.group(1)) <= LONGEST_PATH:
            yield CodeCitation(number, found.group(1), PATH, found.group(1))


def _lines(start: str, end: str | None) -> tuple[int, int] | None:
    first = int(start)
    last = int(end or start)
    return (first, last) if 1 <= first <= last < first + LONGEST_LINES else None


def _is_part_of_address(line: str, at: int, path: str) -> bool:
    """Whether a path is the end of an address of the web, or no path of a project at all."""
    before = line[:at].rpartition(" ")[2]
    return "://" in before or "//" in path or path.startswith(("/", "@")) or len(path) > LONGEST_PATH


def resolve_citation(mention: CodeCitation, document: str, is_there: Callable[[str], bool]) -> CodeCitation | None:
    """A mention with its path as the project writes it: links are relative to their document, names mostly are not."""
    folder = posixpath.dirname(document)
    beside = posixpath.normpath(posixpath.join(folder, mention.path))
    plain = posixpath.normpath(mention.path)
    is_relative = mention.path.startswith(("./", "../"))
    path = beside if is_relative or (beside != plain and not is_there(plain) and is_there(beside)) else plain
    return None if path.startswith("..") else mention._replace(path=path)


LARGEST_BYTES = 4 << 20


class WorkTree:
    """Lines of files by their paths in the project; none of what is not there, or may not be served."""

    def __init__(self, project: ConfinedFolder) -> None:
        self.project = project
        self._root = project.real_path()
        self._read: dict[str, Sequence[str] | None] = {}
        self._stamps: dict[str, str] = {}

    def lines(self, path: str) -> Sequence[str] | None:
        """The lines of a file; None where there is none."""
        if path not in self._read:
            self._read[path] = self._lines(path)
        return self._read[path]

    def stamp(self, path: str) -> str:
        """What changes whenever a file is saved anew; empty where there is none. It tells nothing of what is in it."""
        if path not in self._stamps:
            self._stamps[path] = self._stamp(path)
        return self._stamps[path]

    def _lines(self, path: str) -> Sequence[str] | None:
        try:
            return split_content_lines(self.project.read(path, limit_bytes=LARGEST_BYTES))
        except Refusal:
            return None

    def _stamp(self, path: str) -> str:
        if not path or path.startswith("/") or ".." in path.split("/"):
            return ""
        try:
            found = os.lstat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return ""
        return f"{found.st_mtime_ns}.{found.st_size}.{found.st_ino}"


def map_moved_lines(before: Sequence[str], now: Sequence[str]) -> Mapping[int, int]:
    """Where each line of a file stands after it was saved anew, as far as it lives on; counted from 1.

    What is the same at both ends, and between lines that occur once in each, in order (a patience diff, without going
    deeper): it takes no longer than the files are.
    """
    first = 0
    least = min(len(before), len(now))
    while first < least and before[first] == now[first]:
        first += 1
    last = 0
    while last < least - first and before[-1 - last] == now[-1 - last]:
        last += 1
    found = {line: line for line in range(1, first + 1)}
    grown = len(now) - len(before)
    found.update((line, line + grown) for line in range(len(before) - last + 1, len(before) + 1))
    ends = (len(before) - last, len(now) - last)
    anchors = [(first - 1, first - 1), *_anchors(before, now, first, ends), ends]
    for (left, left_now), (right, right_now) in pairwise(anchors):
        _fill(found, before, now, (left, left_now), (right, right_now))
    return found


def _fill(
    found: dict[int, int], before: Sequence[str], now: Sequence[str], left: tuple[int, int], right: tuple[int, int]
) -> None:
    """Take in what is the same after one anchor and before the next, and the anchor itself."""
    old = left[0] + 1
    new = left[1] + 1
    while old < right[0] and new < right[1] and before[old] == now[new]:
        found[old + 1] = new + 1
        old = old + 1
        new = new + 1
    old_end = right[0] - 1
    new_end = right[1] - 1
    while old_end >= old and new_end >= new and before[old_end] == now[new_end]:
        found[old_end + 1] = new_end + 1
        old_end = old_end - 1
        new_end = new_end - 1
    if right[0] < len(before) and right[1] < len(now) and before[right[0]] == now[right[1]]:
        found[right[0] + 1] = right[1] + 1


def _anchors(before: Sequence[str], now: Sequence[str], first: int, ends: tuple[int, int]) -> list[tuple[int, int]]:
    """Lines that occur once in each, in the longest order that both have."""
    old = _once(before, first, ends[0])
    new = _once(now, first, ends[1])
    pairs = sorted((place, new[line]) for line, place in old.items() if line in new)
    return _rising(pairs)


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
    """The longest run of pairs, not necessarily side by side, in which the second numbers rise too."""
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


FIELDS = 10


class CitationVerdict(NamedTuple):
    """What became of a note: its state, where it stands now, what changed in one line, by which commit, how surely."""

    state: str = FRESH
    path: str = ""
    start: int = 0
    end: int = 0
    difference: str = ""
    commit: str = ""
    confidence: float = 1.0


class TrackedCitation:
    """A note, the text that it cited, and for each of its lines where it stands as of `commit`: 0 where it is gone.

    `origin` is the commit at which it stood as cited: what was followed along one branch says nothing of another. It is
    empty where the lines were saved but never committed so.
    `others` are files in which its most telling line was seen beside its own: the whole text may stand there too.
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
        """Go back to where it was cited."""
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
        """Whether where it comes from need not be looked for again: it is known, or was not found at this HEAD."""
        return bool(self.origin) if self.text else self.origin == head

    def take(self, step: FileStep, commit: str) -> None:
        """Go on with what a commit did to the file in which it stands."""
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
        """All of it as JSON has it."""
        judged = None if self.judged is None else [*self.judged]
        place = [self.path, self.at, self.commit, self.moved, self.edited]
        return [self.text, self.origin, *place, judged, self.stamps, self.others]


def read_tracked(note: LineCitation, kept: Any) -> TrackedCitation | None:
    """A note as it was kept; None where that is not legible."""
    row: list[Any] = cast("Any", kept) if isinstance(kept, list) else []
    if len(row) != FIELDS:
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
    followed.judged = None if judged is None else CitationVerdict(*judged)
    return followed


UNSURE = 0.5
MOST_TRIED_BYTES = 16 << 20


def judge_by_content(note: LineCitation, tree: WorkTree) -> CitationVerdict:
    """The state of a note by what its file holds now: the very lines, the lines elsewhere in it, or others."""
    try:
        content = tree.project.read(note.path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return CitationVerdict(GONE, confidence=UNSURE)
    if not note.hash:
        return _unproved(note, content)
    if read_cited_lines(content, note) is not None:
        return CitationVerdict(FRESH, note.path, note.start, note.end)
    if (start := _found_again(note, content)) is not None:
        return CitationVerdict(MOVED, note.path, start, start + note.end - note.start)
    lines = content.count(b"\n") + 1
    if note.start > lines:
        return CitationVerdict(GONE, confidence=UNSURE)
    return CitationVerdict(CHANGED, note.path, note.start, min(note.end, lines), confidence=UNSURE)


def _unproved(note: LineCitation, content: bytes) -> CitationVerdict:
    """Lines without a hash hold as long as there are so many."""
    lines = content.count(b"\n") + 1
    if note.end <= lines:
        return CitationVerdict(FRESH, note.path, note.start, note.end, confidence=UNSURE)
    return CitationVerdict(GONE, confidence=UNSURE)


def _found_again(note: LineCitation, content: bytes) -> int | None:
    """Where so many lines have the hash of the note, nearest to where they stood; up to a bound of work."""
    last = content.count(b"\n") + 1 - (note.end - note.start)
    each = max(1, len(content) // max(1, last))
    left = MOST_TRIED_BYTES // (each * (note.end - note.start + 1) * 4 + 200)
    lines = content.split(b"\n")
    for step in range(1, last + 1):
        for start in (note.start - step, note.start + step):
            if not 1 <= start <= last:
                continue
            if (left := left - 1) < 0:
                return None
            count = note.end - note.start
            part = b"\n".join(lines[start - 1 : start + count])
            if read_cited_lines(part, note._replace(start=1, end=count + 1)) is not None:
                return start
    return None


LONGEST_SAID = 80
BEGINS_KEY = "PRIVATE KEY"
ALIKE = 0.8  # how sure it is that lines are the same which only say the same
LEAST_SOUGHT = 20  # characters: less stands everywhere

Committed = Callable[[str], bytes | None]
"""The bytes of a file as HEAD has it."""


def judge_tracked(followed: TrackedCitation, tree: WorkTree, committed: Committed | None) -> CitationVerdict:
    """The state of a note as the work tree is now; without what HEAD has, lines are told by what they say alone."""
    note = followed.note
    text = followed.text
    if _is_at_home(followed, tree):
        return CitationVerdict(FRESH, note.path, note.start, note.end)
    at, lines = _now(followed, tree, committed)
    if lines is not None and followed.is_whole and _stands(text, lines, at[0]):
        return CitationVerdict(MOVED, followed.path, at[0], at[-1], commit=followed.moved)
    if (elsewhere := _elsewhere(followed, tree)) is not None:
        return elsewhere
    confidence = ALIKE if committed is None else 1.0
    strong = _living(at, text)
    if lines is None or not strong:
        return CitationVerdict(GONE, commit=followed.edited, confidence=confidence)
    start = min(strong)
    end = max(strong)
    return CitationVerdict(
        CHANGED, followed.path, start, end, describe_difference(text, at, lines), followed.edited, confidence
    )


def _living(at: Sequence[int], text: Sequence[str]) -> list[int]:
    """Where lines that say something live on."""
    return [line for line, said in zip(at, text, strict=True) if line and has_word(said)]


def _is_at_home(followed: TrackedCitation, tree: WorkTree) -> bool:
    """Whether the same lines stand at the same place of the same file."""
    home = tree.lines(followed.note.path)
    return bool(followed.text) and home is not None and _stands(followed.text, home, followed.note.start)


def _stands(text: Sequence[str], lines: Sequence[str], first: int) -> bool:
    return first > 0 and lines[first - 1 : first - 1 + len(text)] == text


def _now(
    followed: TrackedCitation, tree: WorkTree, committed: Committed | None
) -> tuple[list[int], Sequence[str] | None]:
    """Where the lines stand in the work tree: as in HEAD, or moved on by what was saved but not committed."""
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
    """The whole text found again: in its file, in the one that it was in at first, or in any other."""
    text = followed.text
    if sum(len(line.strip()) for line in text) < LEAST_SOUGHT:
        return None
    seen: set[str] = set()
    for path in (followed.path, followed.note.path, *sorted(followed.others)):
        if not path or path in seen:
            continue
        seen.add(path)
        lines = tree.lines(path)
        if lines is None or not (found := find_lines(text, lines)):
            continue
        near = followed.note.start
        start = min(found, key=lambda place: (abs(place - near), place)) if path == followed.note.path else found[0]
        return CitationVerdict(MOVED, path, start, start + len(text) - 1, commit=followed.moved or followed.edited)
    return None


def _alike(at: Sequence[int], text: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Where lines stand by what they say alone, each nearest to where it was: nothing else is known of the file."""
    wanted = {line for line in text if has_word(line)}
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines, 1):
        if line in wanted:
            places.setdefault(line, []).append(number)
    return [
        min(places[said], key=lambda place, near=line: abs(place - near)) if said in places else 0  # type: ignore[misc]
        for line, said in zip(at, text, strict=True)
    ]


def describe_difference(text: Sequence[str], at: Sequence[int], lines: Sequence[str]) -> str:
    """What changed, in one line: the first line that went and the first that came, and how many more there are."""
    kept = set(at) - {0}
    start, now = _around(at, lines)
    if any(BEGINS_KEY in line for line in (*text, *now)):  # its other lines do not look like what they are
        return ""
    went = [line for line, place in zip(text, at, strict=True) if not place and line.strip()]
    fresh = [(number, line) for number, line in enumerate(now, start) if number not in kept and line.strip()]
    return _told(went, _came(fresh, went, kept))


def _around(at: Sequence[int], lines: Sequence[str]) -> tuple[int, Sequence[str]]:
    """The lines from where the first of some stood to where the last did, by those that were kept; and the first."""
    before, after = (next(number for number, place in enumerate(each) if place) for each in (at, at[::-1]))
    start = max(min(filter(None, at)) - before, 1)
    return start, lines[start - 1 : max(at) + after]


def _came(fresh: Sequence[tuple[int, str]], went: Sequence[str], kept: set[int]) -> list[str]:
    """Lines that stand between those that were kept, or share a word with one that went."""
    first = min(kept)
    last = max(kept)
    words = {word for line in went for word in line.split() if has_word(word)}
    return [line for number, line in fresh if first < number < last or words.intersection(line.split())]


def _told(went: Sequence[str], came: Sequence[str]) -> str:
    """The first of each, without values that look like live secrets."""
    from fieldguide.text.secrets import mask_address_secrets, mask_secret_values

    firsts = [(sign, " ".join(each[0].split())) for sign, each in (("-", went), ("+", came)) if each]
    told = [f"{sign}{_short(mask_address_secrets(mask_secret_values(line)))}" for sign, line in firsts]
    more = max(len(went) - 1, 0) + max(len(came) - 1, 0)
    return " ".join([*told, *([f"({more} more)"] if more else [])])


def _short(line: str) -> str:
    return line if len(line) <= LONGEST_SAID else f"{line[: LONGEST_SAID - 1]}…"
