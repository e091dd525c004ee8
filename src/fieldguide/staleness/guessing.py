"""What became of a note of which nothing but its hash is known: content alone decides, and says how sure it is."""

from fieldguide.errors import Refusal
from fieldguide.spine.answers.stale_places import CHANGED, FRESH, GONE, MOVED
from fieldguide.staleness.followed import Judgement
from fieldguide.staleness.notes import Note, cited_lines
from fieldguide.staleness.work_tree import LARGEST_BYTES, WorkTree

UNSURE = 0.5
MOST_TRIED_BYTES = 16 << 20


def guessed(note: Note, tree: WorkTree) -> Judgement:
    """The state of a note by what its file holds now: the very lines, the lines elsewhere in it, or others."""
    try:
        content = tree.project.read(note.path, limit_bytes=LARGEST_BYTES)
    except Refusal:
        return Judgement(GONE, confidence=UNSURE)
    if not note.hash:
        return _unproved(note, content)
    if cited_lines(content, note) is not None:
        return Judgement(FRESH, note.path, note.start, note.end)
    if (start := _found_again(note, content)) is not None:
        return Judgement(MOVED, note.path, start, start + note.end - note.start)
    lines = content.count(b"\n") + 1
    if note.start > lines:
        return Judgement(GONE, confidence=UNSURE)
    return Judgement(CHANGED, note.path, note.start, min(note.end, lines), confidence=UNSURE)


def _unproved(note: Note, content: bytes) -> Judgement:
    """Lines without a hash hold as long as there are so many."""
    lines = content.count(b"\n") + 1
    if note.end <= lines:
        return Judgement(FRESH, note.path, note.start, note.end, confidence=UNSURE)
    return Judgement(GONE, confidence=UNSURE)


def _found_again(note: Note, content: bytes) -> int | None:
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
            if cited_lines(part, note._replace(start=1, end=count + 1)) is not None:
                return start
    return None
