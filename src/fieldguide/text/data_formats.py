"""Reads JSON, TOML and YAML that others wrote, within limits of size, depth and time.

`read_json`, `read_toml` and `read_yaml` raise MalformedText and nothing else.

TOML: the time of `tomllib` grows with the square of the number of parts of a dotted key (measured: 49 ms for 2,000
parts and 663 ms for 8,000, which are 16 KB). A key ends with its line, so the dots of a
line are limited.

YAML is read event by event, so that limits apply before a value is made. Anchors and aliases are refused, since 400
bytes of them can mean a billion values, and so are tags. Dates, fractions and long numbers stay text, and a merge key
(`<<`) is an ordinary key.
"""

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple, cast

from fieldguide.text import regex as re


class MalformedText(ValueError):
    """A text that can't be parsed or exceeds a limit; `reason` is the end of a sentence."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


MOST_JSON_BYTES = 1 << 20
MOST_DIGITS = 400


def read_json(content: bytes | str, *, most_bytes: int = MOST_JSON_BYTES) -> Any:
    """Parse JSON; MalformedText if it is invalid, too long, nested too deep, or has a number beyond our limits."""
    if len(content) > most_bytes:
        raise MalformedText(f"it has more than {most_bytes:,} bytes")
    try:
        if isinstance(content, bytes):
            content = content.decode("utf-8-sig")
        return json.loads(
            content, parse_int=_read_json_integer, parse_float=_read_json_float, parse_constant=_refuse_json_constant
        )
    except MalformedText:
        raise
    except UnicodeDecodeError as error:
        raise MalformedText("it is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise MalformedText(str(error), error.lineno) from error
    except RecursionError:
        raise MalformedText("it is nested too deep") from None


def _read_json_integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise MalformedText(f"a number has more than {MOST_DIGITS} digits")
    return int(digits)


def _read_json_float(written: str) -> float:
    number = float(written)
    if not isfinite(number):
        raise MalformedText("a number is larger than any computer's")
    return number


def _refuse_json_constant(written: str) -> None:
    raise MalformedText(f"{written} is no value of JSON")


MOST_TOML_BYTES = 1 << 18
MOST_TOML_DOTS = 200


def read_toml(content: bytes) -> dict[str, Any]:
    """Parse TOML; MalformedText if it is invalid or exceeds a limit."""
    import tomllib  # 15 ms

    if len(content) > MOST_TOML_BYTES:
        raise MalformedText(f"it has more than {MOST_TOML_BYTES:,} bytes")
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.count(b".") > MOST_TOML_DOTS:
            raise MalformedText(f"line {number} has more than {MOST_TOML_DOTS} dots", number)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise MalformedText("it is not UTF-8") from error
    except RecursionError:
        raise MalformedText("it is nested too deep") from None
    except ValueError as error:  # besides its own, that a number has too many digits
        raise MalformedText(str(error)) from error


MOST_YAML_CHARACTERS = 1 << 18
MOST_YAML_VALUES = 20_000
DEEPEST_YAML = 60
WHOLE_NUMBER = re.compile(r"[-+]?\d{1,9}")
YAML_WORDS = {"true": True, "false": False, "yes": True, "no": False, "null": None, "~": None, "": None}

Scalar = str | int | bool | None


class YamlValue(NamedTuple):
    """A value and the line on which it begins, counted from 1: a scalar, a list or a mapping."""

    line: int
    scalar: Scalar = None
    items: "tuple[YamlValue, ...] | None" = None
    entries: "dict[str, YamlValue] | None" = None

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


class YamlDocument(NamedTuple):
    """A text's value, and each key that is written twice in one mapping with the line of the second."""

    root: YamlValue
    repeated: tuple[tuple[str, int], ...]


def read_yaml(text: str, *, first_line: int = 1, most_characters: int = MOST_YAML_CHARACTERS) -> YamlDocument:
    """Parse YAML that begins on `first_line` of its file; MalformedText if it is invalid or exceeds a limit.

    The last of repeated keys counts.
    """
    if len(text) > most_characters:
        raise MalformedText(f"it has more than {most_characters:,} characters")
    builder = _YamlBuilder(text, first_line)
    return YamlDocument(builder.build(), tuple(builder.repeated))


class _YamlBuilder:
    """Makes values of YAML's events."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._first_line = first_line
        self._count = 0
        self.repeated: list[tuple[str, int]] = []

    def build(self) -> YamlValue:
        """The value of the whole text."""
        import yaml  # 10 ms

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
            raise MalformedText(str(reason), mark.line + self._first_line if mark else 1) from None
        return YamlValue(self._first_line)

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> YamlValue:
        line = event.start_mark.line + self._first_line
        self._count += 1
        if depth > DEEPEST_YAML or self._count > MOST_YAML_VALUES:
            raise MalformedText("it is too large or nested too deeply", line)
        if event.anchor:
            raise MalformedText(f"anchors and aliases (`{str(event.anchor)[:40]}`) are not taken; write it out", line)
        if event.tag:
            raise MalformedText(f"tags (`{str(event.tag)[:40]}`) are not taken", line)
        kind = type(event).__name__
        if kind == "ScalarEvent":
            return YamlValue(line, scalar=_read_yaml_scalar(event))
        if kind == "SequenceStartEvent":
            return YamlValue(line, items=tuple(self._items(events, depth)))
        return YamlValue(line, entries=self._entries(events, depth))

    def _items(self, events: Iterator[Any], depth: int) -> Iterator[YamlValue]:
        for event in events:
            if type(event).__name__ == "SequenceEndEvent":
                return
            yield self._value(event, events, depth + 1)

    def _entries(self, events: Iterator[Any], depth: int) -> dict[str, YamlValue]:
        entries: dict[str, YamlValue] = {}
        for event in events:
            if type(event).__name__ == "MappingEndEvent":
                break
            key = self._value(event, events, depth + 1)
            name = str(key.scalar)
            if name in entries:
                self.repeated.append((name, key.line))
            entries[name] = self._value(next(events), events, depth + 1)
        return entries


def _read_yaml_scalar(event: Any) -> Scalar:
    text = cast(str, event.value)
    if event.style or not event.implicit[0]:
        return text
    if WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return YAML_WORDS.get(text.lower(), text)
