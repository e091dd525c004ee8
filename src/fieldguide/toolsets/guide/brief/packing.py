"""Steps packed into a text that never has more tokens than its budget: it is counted when it is written."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from fieldguide.spine.answers.tokenizer import count
from fieldguide.spine.contract import compact_json
from fieldguide.toolsets.guide.brief.gathering import Gathering
from fieldguide.toolsets.guide.brief.steps import Step
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.layout import shown, written

NOTE_TOKENS = 60  # for what is said beside the items
SPARE_TOKENS = 24  # what is less is not worth another try
MOST_TRIES = 6
ABOUT_ITEM = 60


class Said(Protocol):
    """What is said beside the items of a brief that took so many steps."""

    def sentences(self, taken: int) -> list[str]:
        """For a model, below them."""
        ...

    def fields(self, taken: int) -> dict[str, Any]:
        """For programs."""
        ...


class Pack(NamedTuple):
    """The items of a brief, its text, its value for programs, and how many steps it took."""

    items: list[Item]
    text: str
    value: dict[str, Any]
    taken: int


class Packer:
    """Packs the steps of one task."""

    def __init__(self, gathering: Gathering, steps: Sequence[Step], budget: int, said: Said) -> None:
        self._gathering = gathering
        self._steps = steps
        self._budget = budget
        self._said = said
        self._sizes: dict[Item, tuple[int, int]] = {}

    def pack(self, begin: int) -> Pack:
        """The steps from one on, as many as fit: about so many by their own sizes, then exactly by the whole text."""
        room = self._budget - NOTE_TOKENS
        best, spare = self._fitting(begin, self._about(begin, room))
        for _ in range(MOST_TRIES):
            if best.taken >= len(self._steps) or spare < SPARE_TOKENS:
                break
            more, left = self._fitting(begin, max(self._about(begin, self._size(best.items) + spare), best.taken + 1))
            if more.taken <= best.taken:
                break
            best, spare = more, left
        return best

    def _about(self, begin: int, room: int) -> int:
        """The largest number of steps whose items add up to no more than this."""
        low, high = begin, len(self._steps)
        while low < high:
            middle = (low + high + 1) // 2
            if self._size(self._items(begin, middle)) <= room:
                low = middle
            else:
                high = middle - 1
        return low

    def _fitting(self, begin: int, end: int) -> tuple[Pack, int]:
        """The brief with so many steps, or with fewer, until it fits; and how many tokens it has to spare."""
        while True:
            items = self._items(begin, end)
            text, value = written(items, *self._said.sentences(end)), self._value(items, end)
            over = max(count(text), count(compact_json(value))) - self._budget
            if over <= 0 or end <= begin:
                return Pack(items, text, value, end), -over
            end -= min(end - begin, 1 + over // ABOUT_ITEM)

    def _value(self, items: Sequence[Item], end: int) -> dict[str, Any]:
        """What programs read; the symbols, which the text has too, go where there is no room for them."""
        value = {"items": [item.told() for item in items], **self._said.fields(end)}
        if count(compact_json(value)) <= self._budget:
            return value
        return {**value, "items": [item._replace(symbol="").told() for item in items]}

    def _items(self, begin: int, end: int) -> list[Item]:
        """The items of some steps, without those that would fill the brief by themselves."""
        most = self._budget - NOTE_TOKENS
        return [item for item in self._gathering.items(self._steps[begin:end]) if max(self._size_of(item)) <= most]

    def _size(self, items: Sequence[Item]) -> int:
        """How many tokens these items have, each by itself: as text or as values, whichever is more."""
        sizes = [self._size_of(item) for item in items]
        return max(sum(text for text, _ in sizes), sum(value for _, value in sizes))

    def _size_of(self, item: Item) -> tuple[int, int]:
        sizes = self._sizes.get(item)
        if sizes is None:
            sizes = self._sizes[item] = count(shown(item)), count(compact_json(item._replace(symbol="").told())) + 1
        return sizes
