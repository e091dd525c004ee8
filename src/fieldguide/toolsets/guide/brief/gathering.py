"""From steps to items: the lines as they are now, windows that touch made one, what was given before left out."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Protocol

from fieldguide.spine.answers.citations import hash_of_text
from fieldguide.staleness.ties.asking import States
from fieldguide.toolsets.guide.brief.steps import Step
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.project_lines import ProjectLines

TOUCHING = 3  # lines further a window begins: what lies between costs less than to say again where they are

Span = tuple[int, int]


class Known(Protocol):
    """What is told already."""

    def has_place(self, item: Item) -> bool:
        """Whether a place was told of, and its lines are the same still."""
        ...

    def new_lines(self, path: str, start: int, lines: Sequence[str]) -> list[int]:
        """The numbers of the lines that were not shown as they are now."""
        ...


class Gathering:
    """Makes the items of as many steps as somebody wants; the same steps give the same items."""

    def __init__(self, lines: ProjectLines, known: Known | None = None, states: States | None = None) -> None:
        self._lines = lines
        self._states = states
        self._known = known
        self._made: dict[tuple[Step, Span], list[Item]] = {}

    def items(self, steps: Sequence[Step]) -> list[Item]:
        """The items of some steps in their order; a file that is shown, or cited, is not cited beside that."""
        windows = _windows(steps)
        told = {step.path for step in steps if step.is_shown}
        found: list[Item] = []
        for place, step in enumerate(steps):
            if step.is_shown:
                found += [item for span in windows.get(place, ()) for item in self._items(step, span)]
            elif step.path not in told:
                told.add(step.path)
                found += self._items(step, (step.start, step.end))
        return found

    def _items(self, step: Step, span: Span) -> list[Item]:
        made = self._made.get((step, span))
        if made is None:
            made = self._made[step, span] = [*self._told(step, span)]
        return made

    def _told(self, step: Step, span: Span) -> Iterator[Item]:
        if step.text:
            yield from self._shown(step, 1, step.text.split("\n"))
            return
        start, end = max(span[0], 1), min(span[1], self._lines.count(step.path))
        if end < start:
            return  # the file is not as long any more, or gone
        if step.is_shown:
            yield from self._shown(step, start, self._lines.shown(step.path, start, end))
            return
        item = self._item(step, start, end)
        if self._known is None or not self._known.has_place(item):
            yield item

    def _shown(self, step: Step, start: int, lines: Sequence[str]) -> Iterator[Item]:
        """The lines that are new to the reader, each run of them as an item."""
        numbers = [*range(start, start + len(lines))]
        if self._known is not None:
            numbers = self._known.new_lines(step.path, start, lines)
        for _, group in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
            run = [number for _, number in group]
            text = "\n".join(lines[number - start] for number in run)
            if text.strip():
                yield self._item(step, run[0], run[-1])._replace(text=text)

    def _item(self, step: Step, start: int, end: int) -> Item:
        if step.text:
            hash_ = hash_of_text("\n".join(step.text.split("\n")[start - 1 : end]))
        else:
            hash_ = self._lines.hash(step.path, start, end)
        stale = "" if self._states is None else self._states.told(step.path, start, end, step.text)
        return Item(step.path, start, end, step.kind, step.why, step.symbol, hash_, stale=stale)


def _windows(steps: Sequence[Step]) -> dict[int, list[Span]]:
    """The lines that are shown for each step, by its place; windows that touch are the first step's."""
    by_path: dict[str, list[tuple[int, int, int]]] = {}
    for place, step in enumerate(steps):
        if step.is_shown:
            by_path.setdefault(step.path, []).append((step.start, step.end, place))
    found: dict[int, list[Span]] = {}
    for spans in by_path.values():
        for start, end, place in _joined(sorted(spans)):
            found.setdefault(place, []).append((start, end))
    return found


def _joined(spans: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    start, end, place = spans[0]
    for next_start, next_end, next_place in spans[1:]:
        if next_start <= end + TOUCHING:
            end, place = max(end, next_end), min(place, next_place)
        else:
            yield start, end, place
            start, end, place = next_start, next_end, next_place
    yield start, end, place
