"""One note while it is followed: where each of its lines stands as of a commit, and what was judged last."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from fieldguide.spine.answers.stale_places import FRESH
from fieldguide.staleness.notes import Note, telling_line
from fieldguide.staleness.walking import FileStep, carried

FIELDS = 10


class Judgement(NamedTuple):
    """What became of a note: its state, where it stands now, what changed in one line, by which commit, how surely."""

    state: str = FRESH
    path: str = ""
    start: int = 0
    end: int = 0
    difference: str = ""
    commit: str = ""
    confidence: float = 1.0


class Followed:
    """A note, the text that it cited, and for each of its lines where it stands as of `commit`: 0 where it is gone.

    `origin` is the commit at which it stood as cited: what was followed along one branch says nothing of another. It is
    empty where the lines were saved but never committed so.
    `others` are files in which its most telling line was seen beside its own: the whole text may stand there too.
    """

    __slots__ = ("at", "commit", "edited", "judged", "moved", "note", "origin", "others", "path", "stamps", "text")

    def __init__(self, note: Note, text: Sequence[str], commit: str) -> None:
        self.note = note
        self.text = [*text]
        self.origin = commit
        self.others: list[str] = []
        self.stamps: list[Any] = []
        self.begin()

    def begin(self) -> None:
        """Go back to where it was cited."""
        self.path, self.commit = self.note.path, self.origin
        self.at = [*range(self.note.start, self.note.end + 1)] if self.text else []
        self.moved = self.edited = ""
        self.judged: Judgement | None = None

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
        before, was_whole = self.at, self.is_whole
        if not step.path:
            self.path, self.at, self.edited = "", [0] * len(self.at), commit
            return
        self.at = [carried(line, step.hunks) if line else 0 for line in before]
        if (was_whole and not self.is_whole) or before.count(0) != self.at.count(0):
            self.edited = commit
        if step.path != self.path or before != self.at:
            self.moved = commit
        self.path = step.path

    @property
    def key(self) -> str:
        """The line that says most."""
        return self.text[telling_line(self.text)]

    def kept(self) -> list[Any]:
        """All of it as JSON has it."""
        judged = None if self.judged is None else [*self.judged]
        place = [self.path, self.at, self.commit, self.moved, self.edited]
        return [self.text, self.origin, *place, judged, self.stamps, self.others]


def read_followed(note: Note, kept: Any) -> Followed | None:
    """A note as it was kept; None where that is not legible."""
    row: list[Any] = cast("Any", kept) if isinstance(kept, list) else []
    if len(row) != FIELDS:
        return None
    text, origin, path, at, commit, moved, edited, judged, stamps, others = row
    if len(text) != len(at):
        return None
    followed = Followed(note, text, origin)
    followed.path, followed.at, followed.commit = path, at, commit
    followed.moved, followed.edited, followed.stamps, followed.others = moved, edited, stamps, others
    followed.judged = None if judged is None else Judgement(*judged)
    return followed
