"""The front matter of a document, with the line of everything in it.

It is read event by event, so that neither nesting nor aliases can grow: an alias is the very value it names.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from fieldguide import linear_regex as re
from fieldguide.search.lines import split_lines
from fieldguide.search.markdown import BYTE_ORDER_MARK, front_matter_lines
from fieldguide.toolsets.architecture.rules.pattern import Problem

MOST_CHARACTERS = 200_000
MOST_VALUES = 20_000
DEEPEST = 60
WHOLE_NUMBER = re.compile(r"[-+]?\d{1,9}")
WORDS = {"true": True, "false": False, "yes": True, "no": False, "null": None, "~": None, "": None}


Scalar = str | int | bool | None


class Value(NamedTuple):
    """A value and the line of the document on which it begins: a scalar, a list or a mapping."""

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


class FrontMatter(NamedTuple):
    """The entries at the top of a document, what is wrong with them, and how many lines they take."""

    entries: Mapping[str, Value]
    problems: tuple[Problem, ...] = ()
    lines: int = 0


class _Unreadable(Exception):
    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.problem = Problem(message, line)


def read_front_matter(text: str) -> FrontMatter:
    """The front matter between two lines of dashes; a document without one has no entries."""
    lines = split_lines(text)
    end = front_matter_lines(lines)
    if not end or not lines[0].removeprefix(BYTE_ORDER_MARK).startswith("-"):  # rules are written in YAML only
        return FrontMatter({})
    written = "".join(lines[1 : end - 1])
    if len(written) > MOST_CHARACTERS:
        problem = Problem(f"The front matter has more than {MOST_CHARACTERS:,} characters, so it was not read.", 1)
        return FrontMatter({}, (problem,), end)
    try:
        builder = _Builder(written)
        root = builder.build()
    except _Unreadable as error:
        return FrontMatter({}, (error.problem,), end)
    if root.entries is None:
        found = Problem("The front matter is not a mapping, so it was not read.", 2)
        return FrontMatter({}, (found,) if root.is_given else (), end)
    return FrontMatter(root.entries, tuple(builder.problems), end)


class _Builder:
    """Makes values of YAML's events."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._named: dict[str, Value] = {}
        self._count = 0
        self.problems: list[Problem] = []

    def build(self) -> Value:
        """The value of the whole text; raises when it is no YAML, or too much of it."""
        import yaml

        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            events: Iterator[Any] = iter(cast(Any, yaml).parse(self._text, Loader=loader))
            for event in events:
                if type(event).__name__ in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
                    return self._value(event, events, 0)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is not YAML"
            line = mark.line + 2 if mark else 1
            raise _Unreadable(f"The front matter can't be read: {reason}.", line) from None
        return Value(2)

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Value:
        line = event.start_mark.line + 2
        self._count += 1
        if depth > DEEPEST or self._count > MOST_VALUES:
            raise _Unreadable("The front matter is too large or nested too deeply, so it was not read.", line)
        kind = type(event).__name__
        if kind == "AliasEvent":
            if event.anchor not in self._named:
                raise _Unreadable(f"The front matter can't be read: no anchor `{event.anchor}`.", line)
            return self._named[event.anchor]._replace(line=line)
        if kind == "ScalarEvent":
            value = Value(line, scalar=_scalar(event))
        elif kind == "SequenceStartEvent":
            value = Value(line, items=tuple(self._items(events, depth)))
        else:
            value = Value(line, entries=self._entries(events, depth))
        if event.anchor:
            self._named[event.anchor] = value
        return value

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
                self.problems.append(Problem(f"`{name}` is written twice; only the last one counts.", key.line))
            found[name] = self._value(next(events), events, depth + 1)
        return found


def _scalar(event: Any) -> Scalar:
    text = cast(str, event.value)
    if event.style or not event.implicit[0]:
        return text
    if WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return WORDS.get(text.lower(), text)
