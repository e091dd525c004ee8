"""Places in the order of their worth for a token: a file is worth its chance once, lines what they may change."""

import heapq
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from fieldguide.toolsets.guide.brief.ranking.line_chances import lines_in
from fieldguide.toolsets.guide.brief.ranking.ranking import Ranked, RankedChunk, RankedFile

FILE_SHARE = 0.2  # what all files are worth beside all lines
LEAST_LINES = 3
MOST_LINES = 60  # of a chunk that are looked at: each span of them is
CITED_TOKENS = 20  # of a citation, its name and its reason, beside its path
FURTHER_TOKENS = 18  # of what is said above further lines of a file
CHARACTERS_A_TOKEN = 3.6
LEAST_EXPECTED = 0.5


class Told(NamedTuple):
    """A file to cite, or some lines of one to show (counted from 0 within their chunk)."""

    file: RankedFile
    chunk: RankedChunk | None
    worth: float
    start: int = 0
    end: int = 0


class Window:
    """The lines of a chunk that are shown so far, and what could be shown next."""

    def __init__(self, chunk: RankedChunk, expected: float) -> None:
        self.chunk = chunk
        lines = lines_in(chunk.place)[:MOST_LINES]
        self.count = len(lines)
        self._values = _sums(value / expected for value in chunk.lines[: self.count])
        self._costs = _sums(map(line_tokens, lines))
        self.start = self.end = 0

    def opening(self) -> tuple[int, int]:
        """The lines that are worth most for their tokens, with what is said above them."""
        if self.count <= LEAST_LINES:
            return 0, self.count
        spans = (
            (start, end)
            for start in range(self.count - LEAST_LINES + 1)
            for end in range(start + LEAST_LINES, self.count + 1)
        )
        return max(spans, key=lambda span: self._rate(span[0], span[1], FURTHER_TOKENS))

    def further(self) -> list[tuple[float, int, int]]:
        """What could be added above and below, as worth for a token and lines."""
        below = [(self.end, end) for end in range(self.end + 1, self.count + 1)]
        above = [(start, self.start) for start in range(self.start - 1, -1, -1)]
        best = [max(spans, key=lambda span: self._rate(*span)) for spans in (below, above) if spans]
        return [(self._rate(start, end), start, end) for start, end in best]

    def worth(self, start: int, end: int) -> tuple[float, float]:
        """What some lines are worth, and what they cost."""
        return self._values[end] - self._values[start], self._costs[end] - self._costs[start]

    def _rate(self, start: int, end: int, beside: float = 0.0) -> float:
        return (self._values[end] - self._values[start]) / (self._costs[end] - self._costs[start] + beside)


class Order:
    """Takes what is worth most for its tokens, again and again."""

    def __init__(self, ranked: Ranked) -> None:
        self._ranked = ranked
        self._files = max(sum(each.chance for each in ranked.files), LEAST_EXPECTED)
        expected = max(sum(sum(chunk.lines) for chunk in ranked.chunks), LEAST_EXPECTED)
        self._windows = [Window(chunk, expected) for chunk in ranked.chunks if chunk.lines]
        self._heap: list[tuple[float, int, int, int, int]] = []
        self._told: set[str] = set()
        self._costs = {each.file.path: CITED_TOKENS + len(each.file.path) / 4 for each in ranked.files}

    def taken(self) -> list[Told]:
        """Everything, in the order of its worth; told once."""
        for number, each in enumerate(self._ranked.files):
            self._push(self._value(each) / self._costs[each.file.path], -1, number)
        for number, window in enumerate(self._windows):
            self._offer(number, window)
        told: list[Told] = []
        while self._heap:
            worth, number, start, end, with_file = heapq.heappop(self._heap)
            taken = self._take_file(start) if number < 0 else self._take_lines(number, start, end, with_file)
            told += [taken._replace(worth=-worth)] if taken else []
        return told

    def worth_of(self, chance: float, text: str) -> float:
        """What something beside the files is worth for a token: as a file of this chance that is shown whole."""
        return FILE_SHARE * chance / self._files / (CITED_TOKENS + sum(map(line_tokens, text.split("\n"))))

    def _value(self, each: RankedFile) -> float:
        return FILE_SHARE * each.chance / self._files

    def _push(self, worth: float, number: int, start: int, end: int = 0, *, with_file: bool = False) -> None:
        heapq.heappush(self._heap, (-worth, number, start, end, int(with_file)))

    def _offer(self, number: int, window: Window) -> None:
        """A window is worth more while its file is not told yet, and costs more too."""
        start, end = window.opening()
        value, cost = window.worth(start, end)
        file = window.chunk.file
        with_file = (value + self._value(file)) / (cost + self._costs[file.file.path])
        self._push(with_file, number, start, end, with_file=True)
        self._push(value / (cost + FURTHER_TOKENS), number, start, end)

    def _take_file(self, number: int) -> Told | None:
        file = self._ranked.files[number]
        if file.file.path in self._told:
            return None
        self._told.add(file.file.path)
        return Told(file, None, 0.0)

    def _take_lines(self, number: int, start: int, end: int, with_file: int) -> Told | None:
        window = self._windows[number]
        file = window.chunk.file
        is_open = window.end > 0
        is_stale = is_open and not self._extends(window, start, end)
        if is_stale or (with_file and (file.file.path in self._told or is_open)):
            return None
        window.start, window.end = (min(window.start, start), max(window.end, end)) if is_open else (start, end)
        self._told.add(file.file.path)
        for worth, first, last in window.further():
            self._push(worth, number, first, last)
        return Told(file, window.chunk, 0.0, start, end)

    @staticmethod
    def _extends(window: Window, start: int, end: int) -> bool:
        return start == window.end or end == window.start


def _sums(values: Iterable[float]) -> list[float]:
    """The sums of the first none, one, two … of these."""
    return [0.0, *accumulate(values)]


def line_tokens(line: str) -> float:
    """About how many tokens a line has."""
    bare = line.strip()
    return 1.0 + len(bare[:500]) / CHARACTERS_A_TOKEN + (0.5 if line[:1].isspace() else 0.0)
