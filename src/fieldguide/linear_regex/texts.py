"""Texts as RE2 reads them, in UTF-8, and the way back from its bytes to our characters."""

from functools import cache, lru_cache
from typing import AnyStr, NamedTuple

from fieldguide.linear_regex.matches import Span

REMEMBERED_CHARACTERS = 4_096
LONGEST_REMEMBERED_TEXT = 2_000  # a sentence or a line meets many patterns one after another
CONTINUES = range(0x80, 0xC0)


class Text(NamedTuple):
    """A text in bytes: one for each character, or UTF-8."""

    data: bytes
    is_one_to_one: bool
    characters: str = ""

    def after(self, at: int) -> int:
        """The next place."""
        at += 1
        while not self.is_one_to_one and at < len(self.data) and self.data[at] in CONTINUES:
            at += 1
        return at

    def before(self, at: int) -> int:
        """The place of the character before; the first has none."""
        at = max(0, at - 1)
        while not self.is_one_to_one and at > 0 and self.data[at] in CONTINUES:
            at -= 1
        return at


class Places:
    """From places in bytes to places in characters; matches come from left to right, so that each byte is read once."""

    __slots__ = ("_at", "_characters", "_text")

    def __init__(self, text: Text) -> None:
        self._text = text
        self._at = self._characters = 0

    def in_bytes(self, place: int) -> int:
        """A place in characters, behind those that were asked for before."""
        if self._text.is_one_to_one:
            return place
        self._at += len(self._text.characters[self._characters : place].encode())
        self._characters = place
        return self._at

    def in_characters(self, spans: list[Span]) -> list[Span]:
        """The spans of one match, the whole match first."""
        if self._text.is_one_to_one:
            return spans
        data, start = self._text.data, spans[0][0]
        self._characters += len(data[self._at : start].decode())
        self._at = start
        if len(spans) == 1:
            return [(self._characters, self._characters + len(data[start : spans[0][1]].decode()))]
        found = {start: self._characters, -1: -1}
        for each in {place for span in spans for place in span if place > start}:
            found[each] = self._characters + len(data[start:each].decode())
        return [(found[first], found[last]) for first, last in spans]


def read_text(text: AnyStr, stand_in: str) -> Text:
    """A text as RE2 reads it; its letters beyond ASCII become the stand-in, if there is one."""
    if not isinstance(text, str):
        return Text(text, is_one_to_one=True)
    if text.isascii():
        return Text(text.encode(), is_one_to_one=True)
    if len(text) <= LONGEST_REMEMBERED_TEXT:
        return _remembered(text, stand_in)
    return _encoded(text, stand_in)


@lru_cache(maxsize=256)
def _remembered(text: str, stand_in: str) -> Text:
    return _encoded(text, stand_in)


def _encoded(text: str, stand_in: str) -> Text:
    if stand_in:
        text = text.translate(_letters(stand_in))
    try:
        data = text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON may bring
        data = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return Text(data, text.isascii(), text)


class _Letters(dict[int, int]):
    """The characters that were met: a letter or digit beyond ASCII leads to the stand-in, any other to itself."""

    def __init__(self, stand_in: str) -> None:
        self._stand_in = ord(stand_in)

    def __missing__(self, code: int) -> int:
        meant = self._stand_in if code > 127 and chr(code).isalnum() else code
        if len(self) < REMEMBERED_CHARACTERS:
            self[code] = meant
        return meant


@cache
def _letters(stand_in: str) -> _Letters:
    return _Letters(stand_in)
