"""What became of a note, once its lines have been followed: then content decides.

fresh: the same lines at the same place of the same file. moved: the whole text elsewhere. changed: at least one of its
lines that says something lives on, but the text is no longer whole. gone: none lives on. Lines written anew count as
changed, even if they say the same in other words.
"""

from collections.abc import Callable, Sequence

from fieldguide.spine.answers.stale_places import CHANGED, FRESH, GONE, MOVED
from fieldguide.staleness.followed import Followed, Judgement
from fieldguide.staleness.notes import lines_of, places_of, says_something
from fieldguide.staleness.work_tree import WorkTree, moved_lines

LONGEST_SAID = 80
BEGINS_KEY = "PRIVATE KEY"
ALIKE = 0.8  # how sure it is that lines are the same which only say the same
LEAST_SOUGHT = 20  # characters: less stands everywhere

Committed = Callable[[str], bytes | None]
"""The bytes of a file as HEAD has it."""


def judged(followed: Followed, tree: WorkTree, committed: Committed | None) -> Judgement:
    """The state of a note as the work tree is now; without what HEAD has, lines are told by what they say alone."""
    note, text = followed.note, followed.text
    if _is_at_home(followed, tree):
        return Judgement(FRESH, note.path, note.start, note.end)
    at, lines = _now(followed, tree, committed)
    if lines is not None and followed.is_whole and _stands(text, lines, at[0]):
        return Judgement(MOVED, followed.path, at[0], at[-1], commit=followed.moved)
    if (elsewhere := _elsewhere(followed, tree)) is not None:
        return elsewhere
    confidence = ALIKE if committed is None else 1.0
    strong = _living(at, text)
    if lines is None or not strong:
        return Judgement(GONE, commit=followed.edited, confidence=confidence)
    start, end = min(strong), max(strong)
    return Judgement(CHANGED, followed.path, start, end, difference(text, at, lines), followed.edited, confidence)


def _living(at: Sequence[int], text: Sequence[str]) -> list[int]:
    """Where lines that say something live on."""
    return [line for line, said in zip(at, text, strict=True) if line and says_something(said)]


def _is_at_home(followed: Followed, tree: WorkTree) -> bool:
    """Whether the same lines stand at the same place of the same file."""
    home = tree.lines(followed.note.path)
    return bool(followed.text) and home is not None and _stands(followed.text, home, followed.note.start)


def _stands(text: Sequence[str], lines: Sequence[str], first: int) -> bool:
    return first > 0 and lines[first - 1 : first - 1 + len(text)] == text


def _now(followed: Followed, tree: WorkTree, committed: Committed | None) -> tuple[list[int], Sequence[str] | None]:
    """Where the lines stand in the work tree: as in HEAD, or moved on by what was saved but not committed."""
    at, text = followed.at, followed.text
    lines = tree.lines(followed.path) if followed.path else None
    if lines is None:
        return [0] * len(at), None
    if all(not line or (line <= len(lines) and lines[line - 1] == said) for line, said in zip(at, text, strict=True)):
        return at, lines
    content = None if committed is None else committed(followed.path)
    if content is None:
        return _alike(at, text, lines), lines
    moved = moved_lines(lines_of(content), lines)
    return [moved.get(line, 0) for line in at], lines


def _elsewhere(followed: Followed, tree: WorkTree) -> Judgement | None:
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
        if lines is None or not (found := places_of(text, lines)):
            continue
        near = followed.note.start
        start = min(found, key=lambda place: (abs(place - near), place)) if path == followed.note.path else found[0]
        return Judgement(MOVED, path, start, start + len(text) - 1, commit=followed.moved or followed.edited)
    return None


def _alike(at: Sequence[int], text: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Where lines stand by what they say alone, each nearest to where it was: nothing else is known of the file."""
    wanted = {line for line in text if says_something(line)}
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines, 1):
        if line in wanted:
            places.setdefault(line, []).append(number)
    return [
        min(places[said], key=lambda place, near=line: abs(place - near)) if said in places else 0  # type: ignore[misc]
        for line, said in zip(at, text, strict=True)
    ]


def difference(text: Sequence[str], at: Sequence[int], lines: Sequence[str]) -> str:
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
    first, last = min(kept), max(kept)
    words = {word for line in went for word in line.split() if says_something(word)}
    return [line for number, line in fresh if first < number < last or words.intersection(line.split())]


def _told(went: Sequence[str], came: Sequence[str]) -> str:
    """The first of each, without values that look like live secrets."""
    from fieldguide.secret_values import without_secret_values

    firsts = [(sign, " ".join(each[0].split())) for sign, each in (("-", went), ("+", came)) if each]
    told = [f"{sign}{_short(without_secret_values(line))}" for sign, line in firsts]
    more = max(len(went) - 1, 0) + max(len(came) - 1, 0)
    return " ".join([*told, *([f"({more} more)"] if more else [])])


def _short(line: str) -> str:
    return line if len(line) <= LONGEST_SAID else f"{line[: LONGEST_SAID - 1]}…"
