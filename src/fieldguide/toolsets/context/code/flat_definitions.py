"""Definitions told by their lines alone, for languages whose trees are of no use: C, C++ and what has no grammar.

What stands at the margin and opens a brace is a definition, up to the brace at the margin that closes it. Macros break
a tree; they do not break this.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re

BRACED = frozenset(("c", "cpp", "cuda", "objective-c", "protobuf", "groovy", "graphql", "prisma", "r", "perl"))
MOST_HEAD_LINES = 12  # between the margin and its brace; more is no head of a definition
CALLED = re.compile(r"([A-Za-z_~][\w~]*(?:::[\w~]+)*)\s*\(")
TYPED = re.compile(
    r"\b(?:class|struct|union|enum|namespace|interface|message|service|type|input|model|package)\s+"
    r"(?:class\s+)?([A-Za-z_][\w:]*)"
)
MACRO = re.compile(r"#\s*define\s+(\w+)")
KEYWORD = re.compile(
    r"\s{0,8}(?:export\s+|public\s+|async\s+|pub\s+|local\s+)*"
    r"(?:def|fn|func|function|sub|proc|class|module|macro|procedure|defun|rule|create\s+(?:or\s+replace\s+)?"
    r"(?:table|view|function|procedure|index))\s+([A-Za-z_][\w.:!?-]*)",
    re.IGNORECASE,
)
CLOSED_NAME = re.compile(r"\}\s*(\w+)\s*;")
NO_NAMES = frozenset(("if", "for", "while", "switch", "return", "sizeof", "defined", "extern", "else", "do"))


class Named(NamedTuple):
    """Some lines, counted from 0, and the names of what they define."""

    start: int
    end: int
    names: tuple[str, ...]


def flat_definitions(lines: Sequence[str], language: str | None) -> list[Named]:
    """The definitions in these lines, in their order."""
    return list(_braced(lines)) if language in BRACED else list(_opened_by_words(lines))


def _braced(lines: Sequence[str]) -> Iterator[Named]:
    closing = [number for number, line in enumerate(lines) if line.startswith("}")]
    at = 0
    while at < len(lines):
        end = _macro_end(lines, at) if lines[at].startswith("#") else None
        if end is not None:
            found = MACRO.match(lines[at])
            if found and end - at > 2:
                yield Named(at, end, (found.group(1),))
            at = end
            continue
        brace = _brace_of(lines, at)
        if brace is None:
            at += 1
            continue
        end = _end_of(lines, brace, closing)
        names = _names(" ".join(lines[at : brace + 1]), lines[end - 1])
        if names:
            yield Named(at, end, names)
            at = end
        else:
            at = brace + 1  # `extern "C" {` and bare namespaces: what is in them stands at the margin again


def _macro_end(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and lines[at].rstrip().endswith("\\"):
        at += 1
    return min(at + 1, len(lines))


def _brace_of(lines: Sequence[str], at: int) -> int | None:
    """The line with the brace that a head at the margin opens; None where no definition begins here."""
    if not (lines[at][:1].isalpha() or lines[at][:1] in "_~"):
        return None
    for number in range(at, min(at + MOST_HEAD_LINES, len(lines))):
        line = lines[number].rstrip()
        if "{" in line:
            return None if line.endswith(("};", ";")) and number == at else number
        if not line or line.endswith((";", "*/")) or line.startswith(("#", "}")):
            return None
    return None


def _end_of(lines: Sequence[str], brace: int, closing: Sequence[int]) -> int:
    """The line after the brace at the margin that closes; a body on one line closes itself."""
    line = lines[brace].rstrip()
    if line.endswith("}") and not line.startswith("{"):
        return brace + 1
    place = bisect_right(closing, brace)
    return closing[place] + 1 if place < len(closing) else len(lines)


def _names(head: str, last: str) -> tuple[str, ...]:
    """What a head defines: a function by the name before its first bracket, a type by its word."""
    before = head.partition("{")[0].partition("=")[0]
    typed = TYPED.search(before)
    called = [each for each in CALLED.findall(before) if each not in NO_NAMES]
    if called and not (typed and "(" not in before):
        return tuple(filter(None, _unwrapped(called, before).split("::")))
    if typed:
        return () if before.lstrip().startswith("namespace") else tuple(filter(None, typed.group(1).split("::")))
    return _value_names(head, before, last)


def _value_names(head: str, before: str, last: str) -> tuple[str, ...]:
    """What a value in braces is called: after its last brace, or before its `=`."""
    closed = CLOSED_NAME.match(last)
    if closed:
        return (closed.group(1),)
    words = re.findall(r"[A-Za-z_]\w*", before)
    return (words[-1],) if "=" in head and words else ()


def _unwrapped(called: Sequence[str], head: str) -> str:
    """`UV_UNUSED(static int name(…))` names what is within: a name in capitals is a macro around the real one."""
    return called[1] if len(called) > 1 and called[0].isupper() and f"{called[0]}(" in head else called[0]


def _opened_by_words(lines: Sequence[str]) -> Iterator[Named]:
    """Where a word such as `def` or `create table` opens a definition, it goes on to the next one."""
    starts = [(number, found.group(1)) for number, line in enumerate(lines) if (found := KEYWORD.match(line))]
    for place, (number, name) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        yield Named(number, end, (name,))
