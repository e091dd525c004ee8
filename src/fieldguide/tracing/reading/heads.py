"""Which function or test a line of code belongs to, by the lines alone: heads, and how far they are indented.

A decorator, an attribute or a comment above a head belongs to it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re

NAMED = re.compile(
    r"^(?:[a-z]+ +){0,5}?(?:def|func|fn|fun|function|class|void|sub|struct|interface|impl|Task|object)\s+"
    r"(?:\([^)]{0,80}\)\s*)?[\x60\"']?([A-Za-z_$][\w$]*(?: [\w ,.-]{1,80})?)"
)
TITLED = re.compile(
    r"^(?:it|test|describe|scenario|specify|context|suite|Scenario|Scenario Outline|Feature|Example|Rule)"
    r"(?:\.\w+)?\s*[(:]\s*[\"'\x60]?([^\"'\x60\n]{1,100})"
)
WORD = re.compile(r"^[\w$]+")
ABOVE = ("@", "#[", "[", "#", "//", "/*", "*", "--", ")", '"', "'", "%", ";")
MOST_LINES = 50_000
MOST_ABOVE = 300  # lines between what is said of a test and its head


class Head(NamedTuple):
    """The beginning of a definition or a test."""

    line: int
    indent: int
    name: str
    is_titled: bool


class Heads:
    """The heads of a text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n", MOST_LINES)[:MOST_LINES]
        self._heads = [head for number, line in enumerate(self._lines, 1) if (head := _head(number, line))]
        self._at = [head.line for head in self._heads]
        self._above = _enclosing(self._heads)

    def all(self) -> list[Head]:
        """Every head, from the top."""
        return self._heads

    def on(self, line: int) -> Head | None:
        """The head that a line is."""
        place = bisect_right(self._at, line) - 1
        return self._heads[place] if place >= 0 and self._at[place] == line else None

    def of(self, line: int) -> tuple[Head | None, bool]:
        """The head that a line belongs to, and whether it stands above it as decorators do."""
        following = self._below(line)
        if following is not None:
            return following, True
        place, indent = bisect_right(self._at, line) - 1, self._indent(line)
        while place >= 0:
            head = self._heads[place]
            if head.line == line or head.indent < indent:
                return head, False
            place = self._above[place]
        return None, False

    def _below(self, line: int) -> Head | None:
        """The head right below, where all that lies between is said of it."""
        place = bisect_right(self._at, line)
        if line > len(self._lines) or place == len(self._heads) or self._at[place] - line > MOST_ABOVE:
            return None
        head = self._heads[place]
        opener = self._opener(line, head.indent)
        between = self._lines[opener - 1 : head.line - 1] if opener else ()
        is_above = bool(between) and all(each.strip() for each in between)
        return head if is_above else None

    def _opener(self, line: int, indent: int) -> int:
        """Where what is said above a head begins: a line of its own indentation that opens as such lines do."""
        for number in range(line, max(0, line - MOST_ABOVE), -1):
            each = self._lines[number - 1]
            if not each.strip():
                return 0
            if _indent(each) == indent:
                said = each.strip().startswith(ABOVE)
                if not said or each.strip()[:1] not in (")", "]"):
                    return number if said and number not in self._at else 0
            elif _indent(each) < indent:
                return 0
        return 0

    def _indent(self, line: int) -> int:
        return _indent(self._lines[line - 1]) if line <= len(self._lines) else 0


def _enclosing(heads: Sequence[Head]) -> list[int]:
    """For each head the place of the one around it, which is indented less; -1 for none."""
    found: list[int] = []
    around: list[int] = []
    for place, head in enumerate(heads):
        while around and heads[around[-1]].indent >= head.indent:
            around.pop()
        found.append(around[-1] if around else -1)
        around.append(place)
    return found


def _head(number: int, line: str) -> Head | None:
    stripped = line.strip()
    if not stripped or stripped[0] in "#/*@":
        return None
    if found := TITLED.match(stripped):
        return Head(number, _indent(line), found.group(1).strip(), is_titled=True)
    found = NAMED.match(stripped)
    if found is None:
        return None
    name = found.group(1)
    word = WORD.match(name)
    return Head(number, _indent(line), word.group() if word else name, is_titled=False)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
