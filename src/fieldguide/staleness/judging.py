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
    home = tree.lines(note.path)
    if text and home is not None and home[note.start - 1 : note.end] == text:
        return Judgement(FRESH, note.path, note.start, note.end)
    at, lines = _now(followed, tree, committed)
    if lines is not None and followed.is_whole and lines[at[0] - 1 : at[0] - 1 + len(at)] == text and at[0]:
        return Judgement(MOVED, followed.path, at[0], at[-1], commit=followed.moved)
    if (elsewhere := _elsewhere(followed, tree)) is not None:
        return elsewhere
    strong = [line for line, said in zip(at, text, strict=True) if line and says_something(said)]
    if lines is None or not strong:
        return Judgement(GONE, commit=followed.edited, confidence=ALIKE if committed is None else 1.0)
    start, end = min(strong), max(strong)
    confidence = ALIKE if committed is None else 1.0
    return Judgement(CHANGED, followed.path, start, end, difference(text, at, lines), followed.edited, confidence)


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
    alive = [place for place in at if place]
    first, last = min(alive), max(alive)
    before, after = (next(n for n, place in enumerate(each) if place) for each in (at, at[::-1]))
    start = max(first - before, 1)
    now = lines[start - 1 : last + after]
    if any(BEGINS_KEY in line for line in (*text, *now)):  # its other lines do not look like what they are
        return ""
    went = [line for line, place in zip(text, at, strict=True) if not place and line.strip()]
    words = {word for line in went for word in line.split() if says_something(word)}
    kept = set(alive)
    came = [
        line
        for number, line in enumerate(now, start)
        if number not in kept and line.strip() and (first < number < last or words.intersection(line.split()))
    ]
    return _told(went, came)


def _told(went: Sequence[str], came: Sequence[str]) -> str:
    """The first of each, without values that look like live secrets."""
    from fieldguide.secret_values import without_secret_values

    firsts = [(sign, " ".join(each[0].split())) for sign, each in (("-", went), ("+", came)) if each]
    told = [f"{sign}{_short(without_secret_values(line))}" for sign, line in firsts]
    more = max(len(went) - 1, 0) + max(len(came) - 1, 0)
    return " ".join([*told, *([f"({more} more)"] if more else [])])


def _short(line: str) -> str:
    return line if len(line) <= LONGEST_SAID else f"{line[: LONGEST_SAID - 1]}…"
