"""JSON as people write it, with comments and trailing commas: read for what it says and where each part stands.

What JSON does not have is blanked, character for character, so that Python's own parser judges the rest and every place
is the same in both texts.
"""

import json
from bisect import bisect_left
from typing import Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.errors import Refusal

BLANKS = " \t\r\n"
MARK = "\ufeff"
COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/', re.DOTALL)
LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,[ \t\r\n]*[}\]]', re.DOTALL)
BEFORE_A_VALUE = "[{,:"
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """A key with its value, and where they stand."""

    key: str
    start: int
    value: int
    end: int


class Members(NamedTuple):
    """What an object has, and where it begins and ends: the places of its two braces."""

    listed: list[Member]
    opening: int
    closing: int

    def named(self, key: str) -> Member | None:
        """The member of this name; two of them are refused, for nobody knows which one a client takes."""
        found = [each for each in self.listed if each.key == key]
        if len(found) > 1:
            raise Refusal(f"has the key {key!r} twice in one object; remove one of them.")
        return found[0] if found else None


class JsonText:
    """A text and its plain form of the same length; a text that can't be understood is refused, with the line."""

    def __init__(self, text: str) -> None:
        self.text = text
        marked = " " + text[1:] if text.startswith(MARK) else text
        self.plain, self.trailing = (marked, []) if _is_strict(marked) else _plain(marked)
        self.value = _value(self.plain)

    @property
    def is_blank(self) -> bool:
        """Whether it says nothing yet: it is empty, or has only comments."""
        return self.value is None

    def root(self) -> Members:
        """The members of the outermost object."""
        return self.members(_after_blanks(self.plain, 0))

    def members(self, opening: int) -> Members:
        """The members of the object whose brace stands here."""
        listed: list[Member] = []
        at = _after_blanks(self.plain, opening + 1)
        while self.plain[at] != "}":
            start = at
            key, after = _DECODER.raw_decode(self.plain, start)
            value = _after_blanks(self.plain, self.plain.index(":", after) + 1)
            _, end = _DECODER.raw_decode(self.plain, value)
            listed.append(Member(key, start, value, end))
            at = _after_blanks(self.plain, end)
            if self.plain[at] == ",":
                at = _after_blanks(self.plain, at + 1)
        return Members(listed, opening, at)

    def trailing_comma(self, start: int, end: int) -> int | None:
        """Where a comma stands between these places that nothing follows; None where there is none."""
        at = bisect_left(self.trailing, start)
        return self.trailing[at] if at < len(self.trailing) and self.trailing[at] < end else None


def _is_strict(text: str) -> bool:
    """Whether there is nothing to blank: most settings are plain JSON, and some have many megabytes."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _plain(text: str) -> tuple[str, list[int]]:
    """The text without comments and trailing commas, and where those commas stood."""
    plain = COMMENT.sub(lambda found: found[0] if found[0][0] == '"' else _blank(found[0]), text)
    trailing = [
        found.start() for found in LAST_COMMA.finditer(plain) if found[0][0] == "," and _follows(plain, found.start())
    ]
    pieces, at = list[str](), 0
    for comma in trailing:
        pieces += [plain[at:comma], " "]
        at = comma + 1
    return "".join([*pieces, plain[at:]]), trailing


def _blank(comment: str) -> str:
    return "".join(each if each in "\r\n" else " " for each in comment)


def _follows(plain: str, comma: int) -> bool:
    """Whether a comma stands behind a value."""
    at = comma - 1
    while at >= 0 and plain[at] in BLANKS:
        at -= 1
    return at >= 0 and plain[at] not in BEFORE_A_VALUE


def _value(plain: str) -> dict[str, Any] | None:
    if not plain.strip(BLANKS):
        return None
    try:
        value: Any = json.loads(plain)
    except json.JSONDecodeError as error:
        raise Refusal(f"can't be understood as JSON: {error.msg.lower()}, in line {error.lineno}.") from error
    except RecursionError as error:
        raise Refusal("can't be understood as JSON: it is nested too deeply.") from error
    except ValueError as error:  # a number with more digits than Python reads
        raise Refusal("can't be understood as JSON: a number in it is too long.") from error
    if not isinstance(value, dict):
        raise Refusal("is no JSON object, so it has no place for a server.")
    return cast("dict[str, Any]", value)


def _after_blanks(plain: str, at: int) -> int:
    while plain[at] in BLANKS:
        at += 1
    return at
