"""Judges whether cited lines are unchanged, moved, changed or gone.

fresh: the same lines at the same place of the same file. moved: the whole text elsewhere. changed: at least one of its
lines that says something lives on, but the text is no longer whole. gone: none lives on. Lines written anew count as
changed, even if they say the same in other words.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.git.diff import FileStep, carry_line
from fieldguide.knowledge.links.citations import (
    LARGEST_BYTES,
    LineCitation,
    WorkTree,
    find_lines,
    find_telling_line,
    has_word,
    map_moved_lines,
    read_cited_lines,
    split_content_lines,
)
from fieldguide.text.citation import CHANGED, FRESH, GONE, MOVED
from fieldguide.text.errors import Refusal

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
