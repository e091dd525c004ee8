"""What each connection was given already, so that the guide need not say it twice."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from zlib import crc32

from fieldguide.spine.contract import Call
from fieldguide.toolsets.guide.items import Item

MOST_CONNECTIONS = 256
MOST_LINES = 200_000  # of one connection: far more than a model can hold


class Given:
    """The lines that were shown and the places that were cited, by connection; the oldest connection is forgotten."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: OrderedDict[str, dict[tuple[str, int], int]] = OrderedDict()

    def note(self, call: Call, items: Iterable[Item]) -> None:
        """Remember what an answer held."""
        if call.is_passing:
            return
        with self._lock:
            held = self._lines.setdefault(call.connection, {})
            self._lines.move_to_end(call.connection)
            for item in items:
                if len(held) < MOST_LINES:
                    held.update(_marks(item))
            while len(self._lines) > MOST_CONNECTIONS:
                self._lines.popitem(last=False)

    def has_place(self, call: Call, item: Item) -> bool:
        """Whether a connection was told of this place, whose lines are still the same."""
        mark = _place(item)
        return self._held(call).get(mark[0]) == mark[1]

    def new_lines(self, call: Call, path: str, start: int, lines: Sequence[str]) -> list[int]:
        """The numbers of those lines that a connection was not shown, or not as they are now."""
        held = self._held(call)
        return [number for number, line in enumerate(lines, start) if held.get((path, number)) != _mark(line)]

    def _held(self, call: Call) -> dict[tuple[str, int], int]:
        return {} if call.is_passing else self._lines.get(call.connection, {})


def _marks(item: Item) -> list[tuple[tuple[str, int], int]]:
    lines = item.text.split("\n") if item.text else []
    return [_place(item), *(((item.path, number), _mark(line)) for number, line in enumerate(lines, item.start))]


def _place(item: Item) -> tuple[tuple[str, int], int]:
    """A place that is cited, kept apart from the lines of its file."""
    return (f"{item.path}#L{item.start}-L{item.end}", 0), int(item.hash or "0", 16)


def _mark(line: str) -> int:
    return crc32(line.encode(errors="surrogatepass"))
