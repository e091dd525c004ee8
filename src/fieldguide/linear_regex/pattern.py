"""Patterns: read when the first text comes, and once for each kind of text."""

from collections.abc import Callable, Generator
from functools import lru_cache
from importlib import import_module
from typing import Any, AnyStr, Generic, NamedTuple, cast

from fieldguide.linear_regex.matches import Match, Span
from fieldguide.linear_regex.texts import Places, Text, read_text
from fieldguide.linear_regex.translation import Reading

NOWHERE = (-1, -1)
Run = Callable[[Any, bytes, int, int], list[Span]]
"""What RE2 made of an expression: how to match, a text, from where, up to where; other threads run meanwhile."""


class Engine(NamedTuple):
    """RE2, loaded when it is first needed: it takes about 10 ms."""

    make: Callable[[str, bool], Run]
    at_start: Any
    whole: Any
    anywhere: Any


class Variant(NamedTuple):
    """A pattern made ready for one kind of text, as `Translated` tells it."""

    at_start: Run
    behind: Run | None
    cores: tuple[int, ...]
    groups: tuple[int, ...]
    names: dict[str, int]

    def first_from(self, read: Text, at: int) -> list[Span] | None:
        """The first match from here on, with its groups."""
        engine, data = _engine(), read.data
        if self.behind is None:
            spans = self.at_start(engine.anywhere, data, at, len(data))
        else:
            spans = self.at_start(engine.at_start, data, 0, len(data)) if at == 0 else [NOWHERE]
            if spans[0] == NOWHERE:
                spans = self.behind(engine.anywhere, data, read.before(at), len(data))
        return None if spans[0] == NOWHERE else self._without_looks(spans)

    def whole(self, read: Text) -> list[Span] | None:
        """The match that is the whole text."""
        spans = self.at_start(_engine().whole, read.data, 0, len(read.data))
        return None if spans[0] == NOWHERE else self._without_looks(spans)

    def opening(self, read: Text) -> list[Span] | None:
        """The match at the beginning."""
        spans = self.at_start(_engine().at_start, read.data, 0, len(read.data))
        return None if spans[0] == NOWHERE else self._without_looks(spans)

    def _without_looks(self, spans: list[Span]) -> list[Span]:
        if not self.cores:
            return spans
        core = next(spans[each] for each in self.cores if spans[each] != NOWHERE)
        return [core, *[spans[group] for group in self.groups]]


class Pattern(Generic[AnyStr]):
    """A regular expression. Threads may share it: what two of them make ready at once is the same."""

    __slots__ = ("_reading", "_usual", "_variants", "flags", "pattern")
    pattern: AnyStr

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags
        self._reading: Reading | None = None
        self._usual: Variant | None = None
        self._variants: dict[tuple[bool, bool, bool], Variant] = {}

    def __repr__(self) -> str:
        return f"linear_regex.compile({self.pattern!r}, {self.flags})"

    def search(self, text: AnyStr) -> Match[AnyStr] | None:
        """The first match."""
        read, variant = self._ready(text)
        spans = variant.first_from(read, 0)
        return None if spans is None else Match(self, text, Places(read).in_characters(spans), variant.names)

    def match(self, text: AnyStr) -> Match[AnyStr] | None:
        """The match at the beginning."""
        read, variant = self._ready(text)
        spans = variant.opening(read)
        return None if spans is None else Match(self, text, Places(read).in_characters(spans), variant.names)

    def fullmatch(self, text: AnyStr) -> Match[AnyStr] | None:
        """The match that is the whole text."""
        read, variant = self._ready(text, is_whole=True)
        spans = variant.whole(read)
        return None if spans is None else Match(self, text, Places(read).in_characters(spans), variant.names)

    def finditer(self, text: AnyStr) -> Generator[Match[AnyStr], int | None, None]:
        """All matches from left to right, none inside another; who sends a place goes on behind it."""
        read, variant = self._ready(text)
        places, at = Places(read), 0
        while at <= len(read.data) and (spans := variant.first_from(read, at)) is not None:
            start, end = spans[0]
            goes_on = yield Match(self, text, places.in_characters(spans), variant.names)
            at = places.in_bytes(goes_on) if goes_on is not None else end if end > start else read.after(end)

    def findall(self, text: AnyStr) -> list[Any]:
        """The texts of all matches; of the group, or of all groups, where there are any."""
        matches = list(self.finditer(text))
        if not matches or not matches[0].groups():
            return [each.group() for each in matches]
        groups = [each.groups(text[:0]) for each in matches]
        return [each[0] for each in groups] if len(groups[0]) == 1 else list(groups)

    def split(self, text: AnyStr, maxsplit: int = 0) -> list[AnyStr | Any]:
        """What lies between the matches, and the groups of each."""
        pieces: list[AnyStr | Any] = []
        end = 0
        found: Match[AnyStr]
        for count, found in enumerate(self.finditer(text), start=1):
            pieces += [text[end : found.start()], *found.groups()]
            end = found.end()
            if count == maxsplit:
                break
        return [*pieces, text[end:]]

    def sub(self, replacement: AnyStr | Callable[[Match[AnyStr]], AnyStr], text: AnyStr, count: int = 0) -> AnyStr:
        """The text with its matches replaced, by a text (with `\\1` to `\\9` for groups) or by what a function says."""
        pieces: list[Any] = []
        end, nothing = 0, cast("Any", text[:0])
        for number, found in enumerate(self.finditer(text), start=1):
            pieces += [
                text[end : found.start()],
                replacement(found) if callable(replacement) else found.expand(replacement),
            ]
            end = found.end()
            if number == count:
                break
        return cast("AnyStr", nothing.join([*pieces, text[end:]])) if pieces else text

    def _ready(self, text: AnyStr, *, is_whole: bool = False) -> tuple[Text, Variant]:
        """A text and the pattern, each as the other needs it."""
        if self._usual is not None and isinstance(text, str) and text.isascii():
            return Text(text.encode(), is_one_to_one=True), self._usual
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
            if not is_unicode and not reading.looks:
                self._usual = variant
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

    def make(expression: str, is_bytes: bool) -> Run:
        options = re2.Options()
        options.log_errors = False
        if is_bytes:
            options.encoding = re2.Options.Encoding.LATIN1
        # The class of the module itself finds every place of a `str` again in Python, which takes twice the time.
        run: Run = re2.compile(expression.encode(), options)._regexp.Match  # noqa: SLF001
        return run

    anchor = re2._Anchor  # noqa: SLF001
    return Engine(make, anchor.ANCHOR_START, anchor.ANCHOR_BOTH, anchor.UNANCHORED)
