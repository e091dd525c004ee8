"""The front matter of a record: its keys and their values with their lines, read line by line.

No YAML parser sees it, because front matter is often not quite YAML and sometimes made to hurt one; keys at the margin
with a value or a list are all that records use.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.document_formats.markdown import BYTE_ORDER_MARK, front_matter_lines

KEY = re.compile(r"([A-Za-z][\w -]{0,40}?)\s*[:=]\s*(.*)")
ITEM = re.compile(r"\s*-\s+(.*)")
MOST_LINES = 200
CONTINUED = re.compile(r"[ \t]+\S")
BLOCK_MARKS = frozenset((">", "|", ">-", "|-", ">+", "|+"))


class Value(NamedTuple):
    """What stands behind a key, list items joined by commas, and the line of the key, counted from 1."""

    text: str
    line: int


class FrontMatter(NamedTuple):
    """The keys, in lower case with hyphens, and how many lines the front matter takes, fences included."""

    values: Mapping[str, Value]
    lines: int


def read_front_matter(lines: list[str]) -> FrontMatter:
    """The front matter at the beginning of these lines; none where it is not closed."""
    taken = front_matter_lines(lines[:MOST_LINES])
    return FrontMatter(dict(_values(lines[1 : taken - 1], first=2)), taken) if taken else _unfenced(lines[:MOST_LINES])


def _unfenced(lines: list[str]) -> FrontMatter:
    """The lines `Title: …`, `Status: …` that a file opens with, up to the first that is not such a line."""
    opening = [line.removeprefix(BYTE_ORDER_MARK) for line in lines]
    taken = next(
        (n for n, line in enumerate(opening) if not (KEY.fullmatch(line.rstrip()) or CONTINUED.match(line))), len(lines)
    )
    values = dict(_values(opening[:taken], first=1))
    return FrontMatter(values, taken) if "title" in values else FrontMatter({}, 0)


def _values(lines: list[str], *, first: int) -> Iterable[tuple[str, Value]]:
    key, parts, at = "", list[str](), 0
    for number, line in enumerate([*lines, "end:"], start=first):
        match = None if line.startswith((" ", "\t", "#", "-")) else KEY.fullmatch(line.rstrip())
        if match is None:
            item = ITEM.fullmatch(line.rstrip())
            parts.append(_value(item.group(1) if item else line))
            continue
        if key:
            yield key, Value(", ".join(part for part in parts if part), at)
        key, at = re.sub(r"[\s_]+", "-", match.group(1).strip().lower()), number
        parts = [] if match.group(2).strip() in BLOCK_MARKS else [_value(match.group(2))]


def _value(text: str) -> str:
    kept = re.sub(r"\s#\s.*", "", text.strip())
    return kept.strip("\"'{} ")
