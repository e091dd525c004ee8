"""Patterns: read when the first text comes, and once for each kind of text."""

from collections.abc import Callable, Generator
from functools import partial
from importlib import import_module
from typing import Any, AnyStr, Generic, NamedTuple, cast

from fieldguide.linear_regex.matches import Match, Span
from fieldguide.linear_regex.texts import Places, Text, read_text
from fieldguide.linear_regex.translation import Reading

NOWHERE: Span = (-1, -1)
Run = Callable[[bytes, int, int], list[Span]]
"""A text, from where, up to where: where the match and its groups stand. Other threads run meanwhile."""


class Variant(NamedTuple):
    """A pattern made ready for one kind of text, as `Translated` tells it."""

    anywhere: Run
    opening: Run
    whole: Run
    behind: Run | None
    cores: tuple[int, ...]
    groups: tuple[int, ...]
    names: dict[str, int]

    def first_from(self, data: bytes, at: int, before: int) -> list[Span] | None:
        """The first match from here on, with its groups; `before` is where the character before this place begins."""
        if self.behind is None:
            spans = self.anywhere(data, at, len(data))
        else:
            spans = self.opening(data, 0, len(data)) if at == 0 else [NOWHERE]
            if spans[0] == NOWHERE:
                spans = self.behind(data, before, len(data))
        return None if spans[0] == NOWHERE else self.without_looks(spans) if self.cores else spans

    def without_looks(self, spans: list[Span]) -> list[Span]:
        """The match without what it looked at around it."""
        core = next(spans[each] for each in self.cores if spans[each] != NOWHERE)
        return [core, *[spans[group] for group in self.groups]]

    def spans_in(self, data: bytes) -> list[Span]:
        """All matches of a pattern that has no groups and looks back at nothing, in a text of one byte a character."""
        found: list[Span] = []
        at, size, first = 0, len(data), self.cores[0] if len(self.cores) == 1 else 0
        while at <= size and (spans := self.anywhere(data, at, size))[0] != NOWHERE:
            start, end = spans[first] if len(self.cores) < 2 else self.without_looks(spans)[0]
            found.append((start, end))
            at = end if end > start else end + 1
        return found


class Pattern(Generic[AnyStr]):
    """A regular expression. Threads may share it: what two of them make ready at once is the same."""

    __slots__ = ("_is_choosy", "_reading", "_usual", "_variants", "flags", "pattern")
    pattern: AnyStr

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags
        self._reading: Reading | None = None
        self._usual: Variant | None = None
        self._is_choosy = False
        self._variants: dict[tuple[bool, bool, bool], Variant] = {}

    def __repr__(self) -> str:
        return f"linear_regex.compile({self.pattern!r}, {self.flags})"

    def search(self, text: AnyStr) -> Match[AnyStr] | None:
        """The first match."""
        data, read, variant = self._ready(text)
        spans = variant.first_from(data, 0, 0)
        return None if spans is None else self._match(text, spans, read, variant)

    def match(self, text: AnyStr) -> Match[AnyStr] | None:
        """The match at the beginning."""
        data, read, variant = self._ready(text)
        spans = variant.opening(data, 0, len(data))
        if spans[0] == NOWHERE:
            return None
        return self._match(text, variant.without_looks(spans) if variant.cores else spans, read, variant)

    def fullmatch(self, text: AnyStr) -> Match[AnyStr] | None:
        """The match that is the whole text."""
        data, read, variant = self._ready(text, is_whole=True)
        spans = variant.whole(data, 0, len(data))
        if spans[0] == NOWHERE:
            return None
        return self._match(text, variant.without_looks(spans) if variant.cores else spans, read, variant)

    def finditer(self, text: AnyStr) -> Generator[Match[AnyStr], int | None, None]:
        """All matches from left to right, none inside another; who sends a place goes on behind it."""
        data, read, variant = self._ready(text)
        places = Places(read) if read else None
        at = 0
        while at <= len(data) and (spans := variant.first_from(data, at, _before(at, read))) is not None:
            start, end = spans[0]
            found = places.in_characters(spans) if places else spans
            goes_on = yield Match(self, text, found, variant.names)
            if goes_on is not None:
                at = places.in_bytes(goes_on) if places else goes_on
            else:
                at = end if end > start else read.after(end) if read else end + 1

    def findall(self, text: AnyStr) -> list[Any]:
        """The texts of all matches; of the group, or of all groups, where there are any."""
        data, read, variant = self._ready(text)
        if variant.groups:
            groups = [each.groups(text[:0]) for each in self.finditer(text)]
            return [each[0] for each in groups] if len(variant.groups) == 1 else list(groups)
        if read or variant.behind:
            return [each.group() for each in self.finditer(text)]
        return [text[start:end] for start, end in variant.spans_in(data)]

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
            told = replacement(found) if callable(replacement) else found.expand(replacement)
            pieces += [text[end : found.start()], told]
            end = found.end()
            if number == count:
                break
        return cast("AnyStr", nothing.join([*pieces, text[end:]])) if pieces else text

    def _match(self, text: AnyStr, spans: list[Span], read: Text | None, variant: Variant) -> Match[AnyStr]:
        return Match(self, text, Places(read).in_characters(spans) if read else spans, variant.names)

    def _ready(self, text: AnyStr, *, is_whole: bool = False) -> tuple[bytes, Text | None, Variant]:
        """A text in bytes, how to find its characters in them if they are not one to one, and the pattern for it."""
        usual = self._usual
        if (
            usual is not None
            and isinstance(text, str)
            and text.isascii()
            and not (self._is_choosy and (is_whole or text.endswith("\n")))
        ):
            return text.encode(), None, usual
        reading = self._read_pattern()
        read = read_text(text, reading.stand_in or "")
        variant = self._variant_for(reading, read, is_whole=is_whole)
        return read.data, None if read.is_one_to_one else read, variant

    def _variant_for(self, reading: Reading, read: Text, *, is_whole: bool) -> Variant:
        """The pattern for a kind of text, made once; most texts are of the usual kind."""
        is_unicode = reading.stand_in is None and not read.is_one_to_one
        before_newline = reading.ends_at_last_line and read.data.endswith(b"\n")
        key = (is_unicode, before_newline, is_whole and reading.looks)
        variant = self._variants.get(key)
        if variant is None:
            variant = self._variants[key] = _variant(reading, *key)
            if not any(key):
                self._is_choosy = reading.looks
                self._usual = variant
        return variant

    def _read_pattern(self) -> Reading:
        if self._reading is None:
            is_bytes = isinstance(self.pattern, bytes)
            expression = self.pattern.decode("latin-1") if isinstance(self.pattern, bytes) else self.pattern
            self._reading = Reading(expression, self.flags, is_bytes=is_bytes)
        return self._reading


def _before(at: int, read: Text | None) -> int:
    return read.before(at) if read else at - 1 if at else 0


def compile(pattern: AnyStr, flags: int = 0) -> Pattern[AnyStr]:  # noqa: A001 -- as in `re`
    """A pattern; it costs nothing until it meets a text."""
    return Pattern(pattern, flags)


def _variant(reading: Reading, is_unicode: bool, before_newline: bool, is_whole: bool) -> Variant:
    made = reading.translate(is_unicode=is_unicode, before_newline=before_newline, is_whole=is_whole)
    re2: Any = import_module("re2")  # when it is first needed: it takes about 10 ms
    anchor = re2._Anchor
    run = _made(re2, made.at_start, is_bytes=reading.is_bytes)
    behind = _made(re2, made.behind, is_bytes=reading.is_bytes) if made.behind else None
    return Variant(
        anywhere=partial(run, anchor.UNANCHORED),
        opening=partial(run, anchor.ANCHOR_START),
        whole=partial(run, anchor.ANCHOR_BOTH),
        behind=partial(behind, anchor.UNANCHORED) if behind else None,
        cores=made.cores,
        groups=made.groups,
        names=made.names,
    )


def _made(re2: Any, expression: str, *, is_bytes: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    if is_bytes:
        options.encoding = re2.Options.Encoding.LATIN1
    # The class of the module itself finds every place of a `str` again in Python, which takes twice the time.
    return re2.compile(expression.encode("latin-1" if is_bytes else "utf-8"), options)._regexp.Match
