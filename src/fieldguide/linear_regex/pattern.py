"""Patterns: read when the first text comes, and once for each kind of text."""

from collections.abc import Callable, Generator
from functools import lru_cache
from importlib import import_module
from typing import Any, AnyStr, Generic, NamedTuple, Protocol

from fieldguide.linear_regex.matches import Match, Span
from fieldguide.linear_regex.texts import Places, Text, read_text
from fieldguide.linear_regex.translation import Reading

NOWHERE = (-1, -1)


class Program(Protocol):
    """What RE2 made of an expression; other threads run while it works."""

    def Match(self, anchor: Any, text: bytes, start: int, end: int) -> list[Span]:  # noqa: N802 -- the name is RE2's
        """Where the match and each group stand."""
        ...


class Engine(NamedTuple):
    """RE2, loaded when it is first needed: it takes about 10 ms."""

    make: Callable[[str, bool], Program]
    at_start: Any
    whole: Any
    anywhere: Any


class Variant(NamedTuple):
    """A pattern made ready for one kind of text, as `Translated` tells it."""

    at_start: Program
    behind: Program | None
    cores: tuple[int, ...]
    groups: tuple[int, ...]
    names: dict[str, int]


class Pattern(Generic[AnyStr]):
    """A regular expression. Threads may share it: what two of them make ready at once is the same."""

    __slots__ = ("_reading", "_variants", "flags", "pattern")
    pattern: AnyStr

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags
        self._reading: Reading | None = None
        self._variants: dict[tuple[bool, bool, bool], Variant] = {}

    def __repr__(self) -> str:
        return f"linear_regex.compile({self.pattern!r}, {self.flags})"

    def search(self, text: AnyStr) -> Match[AnyStr] | None:
        """The first match."""
        return next(self.finditer(text), None)

    def match(self, text: AnyStr) -> Match[AnyStr] | None:
        """The match at the beginning."""
        read, variant = self._ready(text)
        spans = variant.at_start.Match(_engine().at_start, read.data, 0, len(read.data))
        return None if spans[0] == NOWHERE else self._found(text, spans, variant, Places(read))

    def fullmatch(self, text: AnyStr) -> Match[AnyStr] | None:
        """The match that is the whole text."""
        read, variant = self._ready(text, is_whole=True)
        spans = variant.at_start.Match(_engine().whole, read.data, 0, len(read.data))
        return None if spans[0] == NOWHERE else self._found(text, spans, variant, Places(read))

    def finditer(self, text: AnyStr) -> Generator[Match[AnyStr], int | None, None]:
        """All matches from left to right, none inside another; who sends a place goes on behind it."""
        read, variant = self._ready(text)
        engine, size, places = _engine(), len(read.data), Places(read)
        at, is_first = 0, True
        while at <= size:
            if variant.behind is None:
                spans = variant.at_start.Match(engine.anywhere, read.data, at, size)
            elif is_first and (spans := variant.at_start.Match(engine.at_start, read.data, 0, size))[0] != NOWHERE:
                pass
            else:
                spans = variant.behind.Match(engine.anywhere, read.data, read.before(at), size)
            is_first = False
            if spans[0] == NOWHERE:
                return
            start, end = (
                next(spans[core] for core in variant.cores if spans[core] != NOWHERE) if variant.cores else spans[0]
            )
            goes_on = yield self._found(text, spans, variant, places)
            at = places.in_bytes(goes_on) if goes_on is not None else end if end > start else read.after(end)

    def findall(self, text: AnyStr) -> list[Any]:
        """The texts of all matches; of the group, or of all groups, where there are any."""
        matches = list(self.finditer(text))
        if not matches or not matches[0].groups():
            return [match.group() for match in matches]
        groups = (match.groups(text[:0]) for match in matches)
        return [each[0] if len(each) == 1 else each for each in groups]

    def split(self, text: AnyStr, maxsplit: int = 0) -> list[Any]:
        """What lies between the matches, and the groups of each."""
        pieces: list[Any] = []
        end = 0
        for count, match in enumerate(self.finditer(text), start=1):
            pieces += [text[end : match.start()], *match.groups()]
            end = match.end()
            if count == maxsplit:
                break
        return [*pieces, text[end:]]

    def sub(self, replacement: AnyStr | Callable[[Match[AnyStr]], AnyStr], text: AnyStr, count: int = 0) -> AnyStr:
        """The text with its matches replaced, by a text (with `\\1` to `\\9` for groups) or by what a function says."""
        pieces: list[AnyStr] = []
        end = 0
        for number, found in enumerate(self.finditer(text), start=1):
            pieces += [
                text[end : found.start()],
                replacement(found) if callable(replacement) else found.expand(replacement),
            ]
            end = found.end()
            if number == count:
                break
        pieces.append(text[end:])
        return text[:0].join(pieces) if end or len(pieces) > 1 else text

    def _found(self, text: AnyStr, spans: list[Span], variant: Variant, places: Places) -> Match[AnyStr]:
        if variant.cores:
            whole = next(spans[core] for core in variant.cores if spans[core] != NOWHERE)
            spans = [whole, *(spans[group] for group in variant.groups)]
        return Match(self, text, places.in_characters(spans), variant.names)

    def _ready(self, text: AnyStr, *, is_whole: bool = False) -> tuple[Text, Variant]:
        """A text and the pattern, each as the other needs it."""
        reading = self._reading
        if reading is None:
            is_bytes = isinstance(self.pattern, bytes)
            expression = self.pattern.decode("ascii") if isinstance(self.pattern, bytes) else self.pattern
            reading = self._reading = Reading(expression, self.flags, is_bytes=is_bytes)
        read = read_text(text, reading.stand_in or "")
        is_unicode = reading.stand_in is None and not read.is_one_to_one
        before_newline = reading.ends_at_last_line and read.data.endswith(b"\n")
        key = (is_unicode, before_newline, is_whole and reading.looks)
        variant = self._variants.get(key)
        if variant is None:
            variant = self._variants[key] = _variant(reading, *key)
        return read, variant


def compile(pattern: AnyStr, flags: int = 0) -> Pattern[AnyStr]:  # noqa: A001 -- as in `re`
    """A pattern; it costs nothing until it meets a text."""
    return Pattern(pattern, flags)


def _variant(reading: Reading, is_unicode: bool, before_newline: bool, is_whole: bool) -> Variant:
    made = reading.translate(is_unicode=is_unicode, before_newline=before_newline, is_whole=is_whole)
    make = _engine().make
    behind = make(made.behind, reading.is_bytes) if made.behind else None
    return Variant(make(made.at_start, reading.is_bytes), behind, made.cores, made.groups, made.names)


@lru_cache(maxsize=1)
def _engine() -> Engine:
    re2: Any = import_module("re2")

    def make(expression: str, is_bytes: bool) -> Program:
        options = re2.Options()
        options.log_errors = False
        if is_bytes:
            options.encoding = re2.Options.Encoding.LATIN1
        # The class of the module itself finds every place of a `str` again in Python, which takes twice the time.
        program: Program = re2.compile(expression.encode(), options)._regexp
        return program

    anchor = re2._Anchor
    return Engine(make, anchor.ANCHOR_START, anchor.ANCHOR_BOTH, anchor.UNANCHORED)
