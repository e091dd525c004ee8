"""The lines of a text by places in it."""

from bisect import bisect_right
from functools import cached_property

from fieldguide import linear_regex as re

END = re.compile(r"\n")
LONGEST_LINE = 2_000  # characters; what is longer is data


class Lines:
    """Where the lines of a text begin; counted from 1."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in END.finditer(self.text))]

    def number(self, place: int) -> int:
        """The line that a place is in."""
        return bisect_right(self._starts, place)

    def before(self, place: int) -> str:
        """What stands on the line before a place; of a very long line only the end."""
        start = self._starts[self.number(place) - 1]
        return self.text[max(start, place - LONGEST_LINE) : place]

    def after(self, place: int) -> str:
        """What stands on the line from a place on."""
        end = self.text.find("\n", place, place + LONGEST_LINE)
        return self.text[place : end if end >= 0 else place + LONGEST_LINE]
