"""YAML that somebody else wrote, with the line of everything in it: words, whole numbers, lists and mappings.

It is read event by event, so that every limit holds before a value is made. Anchors and aliases are refused: 400 bytes
of them can mean a billion values. So are tags. A date, a fraction or a number of many digits is the text that stands
there, and a merge key (`<<`) is a key like any other.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.formats import Malformed

MOST_CHARACTERS = 1 << 18
MOST_VALUES = 20_000
DEEPEST = 60
WHOLE_NUMBER = re.compile(r"[-+]?\d{1,9}")
WORDS = {"true": True, "false": False, "yes": True, "no": False, "null": None, "~": None, "": None}

Scalar = str | int | bool | None


class Value(NamedTuple):
    """A value and the line on which it begins, counted from 1: a scalar, a list or a mapping."""

    line: int
    scalar: Scalar = None
    items: "tuple[Value, ...] | None" = None
    entries: "dict[str, Value] | None" = None

    @property
    def is_scalar(self) -> bool:
        """Whether it is neither a list nor a mapping."""
        return self.items is None and self.entries is None

    @property
    def is_given(self) -> bool:
        """Whether there is anything but an empty entry."""
        return not self.is_scalar or self.scalar is not None

    def plain(self) -> Any:
        """The value without its lines."""
        if self.entries is not None:
            return {key: value.plain() for key, value in self.entries.items()}
        if self.items is not None:
            return [value.plain() for value in self.items]
        return self.scalar


class Document(NamedTuple):
    """A text's value, and each key that is written twice in one mapping with the line of the second."""

    root: Value
    repeated: tuple[tuple[str, int], ...]


def read_yaml(text: str, *, first_line: int = 1, most_characters: int = MOST_CHARACTERS) -> Document:
    """The value of a text that begins on some line; Malformed for what is no YAML, or more of it than anybody writes.

    Of a key that is written twice the last counts.
    """
    if len(text) > most_characters:
        raise Malformed(f"it has more than {most_characters:,} characters")
    builder = _Builder(text, first_line)
    return Document(builder.build(), tuple(builder.repeated))


class _Builder:
    """Makes values of YAML's events."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._first_line = first_line
        self._count = 0
        self.repeated: list[tuple[str, int]] = []

    def build(self) -> Value:
        """The value of the whole text."""
        import yaml  # 10 ms; only who has such a text needs it

        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            events: Iterator[Any] = iter(cast(Any, yaml).parse(self._text, Loader=loader))
            for event in events:
                if type(event).__name__ in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent", "AliasEvent"):
                    root = self._value(event, events, 0)
                    for _ in events:  # what is wrong further down is wrong as well
                        pass
                    return root
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is not YAML"
            raise Malformed(str(reason), mark.line + self._first_line if mark else 1) from None
        return Value(self._first_line)

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Value:
        line = event.start_mark.line + self._first_line
        self._count += 1
        if depth > DEEPEST or self._count > MOST_VALUES:
            raise Malformed("it is too large or nested too deeply", line)
        if event.anchor:
            raise Malformed(f"anchors and aliases (`{str(event.anchor)[:40]}`) are not taken; write it out", line)
        if event.tag:
            raise Malformed(f"tags (`{str(event.tag)[:40]}`) are not taken", line)
        kind = type(event).__name__
        if kind == "ScalarEvent":
            return Value(line, scalar=_scalar(event))
        if kind == "SequenceStartEvent":
            return Value(line, items=tuple(self._items(events, depth)))
        return Value(line, entries=self._entries(events, depth))

    def _items(self, events: Iterator[Any], depth: int) -> Iterator[Value]:
        for event in events:
            if type(event).__name__ == "SequenceEndEvent":
                return
            yield self._value(event, events, depth + 1)

    def _entries(self, events: Iterator[Any], depth: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for event in events:
            if type(event).__name__ == "MappingEndEvent":
                break
            key = self._value(event, events, depth + 1)
            name = str(key.scalar)
            if name in found:
                self.repeated.append((name, key.line))
            found[name] = self._value(next(events), events, depth + 1)
        return found


def _scalar(event: Any) -> Scalar:
    text = cast(str, event.value)
    if event.style or not event.implicit[0]:
        return text
    if WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return WORDS.get(text.lower(), text)
