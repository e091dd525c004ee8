"""How the cost of reading a text grows with the text, by CPU time: what doubles with it is linear, what grows more is
not.

A cost is measured at two lengths, the second twice the first. Time on a shared machine only ever comes on top, so the
least of several runs counts, and a bad ratio is measured again before it is believed.
"""

import gc
import time
from collections.abc import Callable
from typing import NamedTuple

MOST = 2.6
"""Twice the text may take this many times as long: linear work takes twice, and caches and hashing a little more."""
HOPELESS = 50.0
"""A ratio that no step explains: a longer text would not come to an end."""
TELLING_SECONDS = 0.012
"""What takes less is too short to measure, so the text is made longer first."""
TRIES = 8
"""How often a bad ratio is measured before it is believed; the machine may be busy with something else for a while."""
LENGTHS = 3
"""At how many lengths, each twice the one before: a step, as at a limit, is no growth, so it is looked behind."""
RUNS = 3


class Growth(NamedTuple):
    """What the cost of a reader did when the text was doubled."""

    name: str
    text: str
    characters: int
    seconds: float
    ratio: float

    def __str__(self) -> str:
        return f"{self.name}: {self.ratio:.2f} times at {self.characters} characters of {self.text!r}"


def growth_of(
    name: str, read: Callable[[str], object], text: "Text", *, least: int, most: int, most_tries: int = TRIES
) -> Growth:
    """The growth at the first length that takes long enough to be measured; 1.0 if even the longest does not."""
    length = least
    seconds = _seconds(read, text.of(length))
    while length < most and seconds < TELLING_SECONDS:
        length *= 2
        seconds = _seconds(read, text.of(length))
    found = Growth(name, text.shown, length, seconds, 1.0)
    if seconds < TELLING_SECONDS:
        return found
    for tries in range(most_tries):
        ratio, seconds = _ratio(read, text, length)
        found = found._replace(characters=length, seconds=seconds, ratio=min(ratio, found.ratio) if tries else ratio)
        if found.ratio <= MOST or found.ratio > HOPELESS:
            break
        length *= 2 if tries % 2 and tries < 2 * (LENGTHS - 1) else 1
    if MOST < found.ratio <= HOPELESS:  # a busy machine adds as much to four times the text, and growth far more
        fourfold, _ = _ratio(read, text, 2 * length, times=4)
        found = found._replace(ratio=min(found.ratio, fourfold**0.5))
    return found


def _ratio(read: Callable[[str], object], text: "Text", length: int, times: int = 2) -> tuple[float, float]:
    part, whole = text.of(length // times), text.of(length)
    once = twice = float("inf")
    for _ in range(RUNS):  # in turn, so that a busy moment of the machine meets both
        once, twice = min(once, _seconds(read, part)), min(twice, _seconds(read, whole))
    return (twice / max(once, 1e-6) if twice >= TELLING_SECONDS / 2 else 1.0), twice


class Text(NamedTuple):
    """A text that is one piece again and again, behind a beginning and before an end."""

    unit: str
    opening: str = ""
    closing: str = ""

    def of(self, characters: int) -> str:
        """The text at this length, or a little more."""
        return f"{self.opening}{self.unit * (characters // len(self.unit) + 1)}{self.closing}"

    @property
    def shown(self) -> str:
        """The piece, for a person."""
        return f"{self.opening}…{self.unit}…{self.closing}" if self.opening or self.closing else self.unit


def _seconds(read: Callable[[str], object], text: str) -> float:
    gc.disable()  # what earlier tests left behind is not this reader's cost
    try:
        start = time.thread_time()
        read(text)
        return time.thread_time() - start
    finally:
        gc.enable()
