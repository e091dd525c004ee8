"""One note while it is followed: where each of its lines stands as of a commit, and what was judged last."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from fieldguide.spine.answers.stale_places import FRESH
from fieldguide.staleness.notes import Note
from fieldguide.staleness.walking import FileStep, carried

FIELDS = 8


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
    """A note, the text that it cited, and for each of its lines where it stands as of `commit`: 0 where it is gone."""

    __slots__ = ("at", "commit", "edited", "judged", "moved", "note", "path", "stamps", "text")

    def __init__(self, note: Note, text: Sequence[str], commit: str) -> None:
        self.note = note
        self.text = [*text]
        self.path = note.path
        self.at = [*range(note.start, note.end + 1)] if text else []
        self.commit = commit
        self.moved = self.edited = ""
        self.judged: Judgement | None = None
        self.stamps: list[Any] = []

    @property
    def is_whole(self) -> bool:
        """Whether every line lives on, one after the other."""
        at = self.at
        return bool(self.path and at and at[0]) and at == [*range(at[0], at[0] + len(at))]

    def take(self, step: FileStep, commit: str) -> None:
        """Go on with what a commit did to the file in which it stands."""
        before, was_whole = self.at, self.is_whole
        if not step.path:
            self.path, self.at, self.edited = "", [0] * len(self.at), commit
            return
        self.at = [carried(line, step.hunks) if line else 0 for line in before]
        if was_whole and not self.is_whole or before.count(0) != self.at.count(0):
            self.edited = commit
        if step.path != self.path or before != self.at:
            self.moved = commit
        self.path = step.path

    def kept(self) -> list[Any]:
        """All of it as JSON has it."""
        judged = None if self.judged is None else [*self.judged]
        return [self.text, self.path, self.at, self.commit, self.moved, self.edited, judged, self.stamps]


def read_followed(note: Note, kept: Any) -> Followed | None:
    """A note as it was kept; None where that is not legible."""
    if not isinstance(kept, list) or len(kept) != FIELDS:
        return None
    text, path, at, commit, moved, edited, judged, stamps = kept
    if len(text) != len(at):
        return None
    followed = Followed(note, (), commit)
    followed.text, followed.path, followed.at = text, path, at
    followed.moved, followed.edited, followed.stamps = moved, edited, stamps
    followed.judged = None if judged is None else Judgement(*judged)
    return followed
