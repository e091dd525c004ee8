"""Regular expressions with the interface of `re`, matched by RE2 in time linear to the text.

Our expressions are matched against untrusted text, and one line of spaces can keep `re` busy for hours. RE2 never
backtracks ([decision 0019](../docs/decisions/0019-linear-time-matching.md)). Modules write
`from fieldguide.text import regex as re`. The differences to `re`:

- Making a pattern costs nothing. RE2 is loaded, and the pattern parsed, when the first text is matched.
- No back-references, no possessive repeats; a look-behind (of one character) only at the beginning of a pattern or of
  one of its outer alternatives, a look-ahead only at the end of one. `regex_syntax.py` explains how they are matched.
- `\\w`, `\\W`, `\\s` and `\\b` know all scripts, as in `re`; `\\d` is 0 to 9.
"""

from collections.abc import Callable, Generator
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, AnyStr, Generic, NamedTuple, cast

if TYPE_CHECKING:
    from fieldguide.text.regex_syntax import RegexTranslation

IGNORECASE = 2
MULTILINE = 8
DOTALL = 16
VERBOSE = 64

Span = tuple[int, int]


class Match(Generic[AnyStr]):
    """A match in a text."""

    __slots__ = ("_names", "_spans", "re", "string")
    re: "Pattern[AnyStr]"
    string: AnyStr

    def __init__(self, pattern: "Pattern[AnyStr]", string: AnyStr, spans: list[Span], names: dict[str, int]) -> None:
        self.re = pattern
        self.string = string
        self._spans = spans
        self._names = names

    def group(self, group: int | str = 0) -> AnyStr | Any:
        """The text of a group, of the whole match where none is named; None where the group took no part."""
        start, end = self.span(group)
        return self.string[start:end] if start >= 0 else None

    __getitem__ = group

    def groups(self, default: AnyStr | None = None) -> tuple[AnyStr | Any, ...]:
        """The texts of all groups."""
        return tuple(self.string[start:end] if start >= 0 else default for start, end in self._spans[1:])

    def groupdict(self, default: AnyStr | None = None) -> dict[str, AnyStr | Any]:
        """The texts of the groups that have names."""
        groups = self.groups(default)
        return {name: groups[number - 1] for name, number in self._names.items()}

    def start(self, group: int | str = 0) -> int:
        """Where a group begins; -1 if it took no part."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Where a group ends; -1 if it took no part."""
        return self.span(group)[1]

    def span(self, group: int | str = 0) -> Span:
        """Where a group begins and ends."""
        return self._spans[self._names[group] if isinstance(group, str) else group]

    def expand(self, template: AnyStr) -> AnyStr:
        """A template with `\\1` to `\\9` replaced by the groups."""
        given = cast("Any", template)
        mark = "\\" if isinstance(template, str) else b"\\"
        if mark not in given:
            return template
        first, *others = given.split(mark)
        pieces = [first]
        for other in others:
            pieces += [self.group(int(other[:1])) or given[:0], other[1:]]
        return cast("AnyStr", given[:0].join(pieces))


ASCII = bytes(range(128))
FEW_LETTERS = 20  # beyond ASCII: so many are replaced one by one, which is far quicker than a table
LONGEST_REMEMBERED_TEXT = 2_000  # a sentence or a line meets many patterns one after another
CONTINUES = range(0x80, 0xC0)


class EncodedText(NamedTuple):
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


class CharacterOffsets:
    """From places in bytes to places in characters; matches come from left to right, so that each byte is read once."""

    __slots__ = ("_at", "_characters", "_text")

    def __init__(self, text: EncodedText) -> None:
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
        data = self._text.data
        start = spans[0][0]
        self._characters += len(data[self._at : start].decode())
        self._at = start
        if len(spans) == 1:
            return [(self._characters, self._characters + len(data[start : spans[0][1]].decode()))]
        found = {start: self._characters, -1: -1}
        for each in {place for span in spans for place in span if place > start}:
            found[each] = self._characters + len(data[start:each].decode())
        return [(found[first], found[last]) for first, last in spans]


def encode_text(text: AnyStr, stand_in: str) -> EncodedText:
    """A text as RE2 reads it; its letters beyond ASCII become the stand-in, if there is one."""
    if not isinstance(text, str):
        return EncodedText(text, is_one_to_one=True)
    if text.isascii():
        return EncodedText(text.encode(), is_one_to_one=True)
    if len(text) <= LONGEST_REMEMBERED_TEXT:
        return _encoded_short(text, stand_in)
    return _encoded_long(text, stand_in)


def _encoded(text: str, stand_in: str) -> EncodedText:
    data = _to_utf8(text)
    if stand_in:
        beyond = set(data.translate(None, ASCII).decode())
        letters = {each for each in beyond if each.isalnum()}
        if len(letters) > FEW_LETTERS:
            text = text.translate(dict.fromkeys(map(ord, letters), stand_in))
        else:
            for each in letters:
                text = text.replace(each, stand_in)
        data = _to_utf8(text) if letters else data
    return EncodedText(data, text.isascii(), text)


def _to_utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON may bring
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


_encoded_short = lru_cache(maxsize=256)(_encoded)
_encoded_long = lru_cache(maxsize=2)(_encoded)  # a file meets a dozen patterns one after another
NOWHERE: Span = (-1, -1)
Run = Callable[[bytes, int, int], list[Span]]
"""Matches bytes between two places: the spans of the match and of its groups. It releases the interpreter's lock."""


class Variant(NamedTuple):
    """A pattern compiled for one kind of text; the fields are those of `TranslatedRegex`."""

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
        if spans[0] == NOWHERE:
            return None
        return self.without_looks(spans) if self.cores else spans

    def without_looks(self, spans: list[Span]) -> list[Span]:
        """The match without what it looked at around it."""
        core = next(spans[each] for each in self.cores if spans[each] != NOWHERE)
        return [core, *[spans[group] for group in self.groups]]

    def spans_in(self, data: bytes) -> list[Span]:
        """All matches of a pattern that has no groups and looks back at nothing, in a text of one byte a character."""
        found: list[Span] = []
        at = 0
        size = len(data)
        first = self.cores[0] if len(self.cores) == 1 else 0
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
        self._reading: RegexTranslation | None = None
        self._usual: Variant | None = None
        self._is_choosy = False
        self._variants: dict[tuple[bool, bool, bool], Variant] = {}

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
        """All matches from left to right, without overlaps; a caller may `send` the place to continue from."""
        data, read, variant = self._ready(text)
        places = CharacterOffsets(read) if read else None
        at = 0
        while at <= len(data) and (spans := variant.first_from(data, at, _before(at, read))) is not None:
            start, end = spans[0]
            found = places.in_characters(spans) if places else spans
            goes_on = yield Match(self, text, found, variant.names)
            if goes_on is not None:
                at = places.in_bytes(goes_on) if places else goes_on
            elif end > start:
                at = end
            else:
                at = read.after(end) if read else end + 1

    def findall(self, text: AnyStr) -> list[Any]:
        """The texts of all matches; of the group, or of all groups, where there are any."""
        data, read, variant = self._ready(text)
        if variant.groups:
            groups = [each.groups(text[:0]) for each in self.finditer(text)]
            return [each[0] for each in groups] if len(variant.groups) == 1 else list(groups)
        if read or variant.behind:
            return [each.group() for each in self.finditer(text)]
        return [text[start:end] for start, end in variant.spans_in(data)]

    def spans(self, text: AnyStr) -> list[Span]:
        """Where all matches begin and end, in half the time that `finditer` takes to tell it."""
        data, read, variant = self._ready(text)
        if variant.groups or read or variant.behind:
            return [each.span() for each in self.finditer(text)]
        return variant.spans_in(data)

    def split(self, text: AnyStr, maxsplit: int = 0) -> list[AnyStr | Any]:
        """The texts between the matches, and the groups of each match."""
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
        """The text with its matches replaced, by a text (with `\\1` to `\\9` for groups) or by a function's result."""
        pieces: list[Any] = []
        end = 0
        nothing = cast("Any", text[:0])
        for number, found in enumerate(self.finditer(text), start=1):
            new = replacement(found) if callable(replacement) else found.expand(replacement)
            pieces += [text[end : found.start()], new]
            end = found.end()
            if number == count:
                break
        return cast("AnyStr", nothing.join([*pieces, text[end:]])) if pieces else text

    def _match(self, text: AnyStr, spans: list[Span], read: EncodedText | None, variant: Variant) -> Match[AnyStr]:
        return Match(self, text, CharacterOffsets(read).in_characters(spans) if read else spans, variant.names)

    def _ready(self, text: AnyStr, *, is_whole: bool = False) -> tuple[bytes, EncodedText | None, Variant]:
        """A text in bytes, its encoding where a character may take several bytes, and the pattern for it."""
        usual = self._usual
        if (
            usual is not None
            and isinstance(text, str)
            and text.isascii()
            and not (self._is_choosy and (is_whole or text.endswith("\n")))
        ):
            return text.encode(), None, usual
        reading = self._reading
        if reading is None:
            is_bytes = isinstance(self.pattern, bytes)
            expression = self.pattern.decode("latin-1") if isinstance(self.pattern, bytes) else self.pattern
            from fieldguide.text.regex_syntax import RegexTranslation  # a start matches nothing

            reading = self._reading = RegexTranslation(expression, self.flags, is_bytes=is_bytes)
        read = encode_text(text, reading.stand_in or "")
        variant = self._variant_for(reading, read, is_whole=is_whole)
        return read.data, None if read.is_one_to_one else read, variant

    def _variant_for(self, reading: "RegexTranslation", read: EncodedText, *, is_whole: bool) -> Variant:
        """The pattern for a kind of text, compiled once; most texts are of the usual kind."""
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


def _before(at: int, read: EncodedText | None) -> int:
    return read.before(at) if read else max(at - 1, 0)


def compile(pattern: AnyStr, flags: int = 0) -> Pattern[AnyStr]:  # noqa: A001 -- as in `re`
    """A pattern; it costs nothing until it meets a text."""
    return Pattern(pattern, flags)


def _variant(reading: "RegexTranslation", is_unicode: bool, before_newline: bool, is_whole: bool) -> Variant:
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


def compile_foreign(expression: str) -> Callable[[str], bool]:
    """Whether a text has a match of somebody's expression, in RE2's syntax; ValueError for what RE2 refuses."""
    re2: Any = import_module("re2")
    try:
        run = _made(re2, expression, is_bytes=False)
    except (re2.error, UnicodeEncodeError) as error:
        raise ValueError(str(error)) from error

    def has_match(text: str) -> bool:
        data = text.encode(errors="replace")
        return bool(run(re2._Anchor.UNANCHORED, data, 0, len(data))[0] != NOWHERE)

    return has_match


SPECIAL = {ord(each): f"\\{each}" for each in "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"}


@lru_cache(maxsize=512)
def _kept(expression: AnyStr, flags: int) -> Pattern[AnyStr]:
    return Pattern(expression, flags)


def search(expression: AnyStr, text: AnyStr, flags: int = 0) -> Match[AnyStr] | None:
    """The first match in a text."""
    return _kept(expression, flags).search(text)


def match(expression: AnyStr, text: AnyStr, flags: int = 0) -> Match[AnyStr] | None:
    """The match at the beginning of a text."""
    return _kept(expression, flags).match(text)


def fullmatch(expression: AnyStr, text: AnyStr, flags: int = 0) -> Match[AnyStr] | None:
    """The match that is the whole text."""
    return _kept(expression, flags).fullmatch(text)


def findall(expression: str, text: str, flags: int = 0) -> list[Any]:
    """The texts of all matches, or of their groups."""
    return _kept(expression, flags).findall(text)


def split(expression: AnyStr, text: AnyStr, maxsplit: int = 0, flags: int = 0) -> list[AnyStr | Any]:
    """The texts between the matches, and the groups of each match."""
    return _kept(expression, flags).split(text, maxsplit)


def sub(
    expression: AnyStr,
    replacement: AnyStr | Callable[[Match[AnyStr]], AnyStr],
    text: AnyStr,
    count: int = 0,
    flags: int = 0,
) -> AnyStr:
    """A text with its matches replaced."""
    pattern: Pattern[AnyStr] = _kept(expression, flags)
    return pattern.sub(replacement, text, count)


def escape(text: str) -> str:
    """An expression that matches this text and no other."""
    return text.translate(SPECIAL)
