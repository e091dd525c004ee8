"""Ids as people write them, and the one key that all spellings of an id have: `ADR 0034` and `adr-34` are the same.

Nothing here knows which ids a project has: these are only shapes, and what is an id is learnt from where it is defined.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re

SHAPE = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9]{0,9}[-_]){1,3}[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}|[A-Z]{2,8} [0-9]{1,5}"
    r"|[A-Z]{2,8}[0-9]{3,6}|[Dd]ecision(?: record)? #?[0-9]{1,5}|#[0-9]{1,6}"
)
WHOLE = re.compile(r"(?i)[a-z][a-z0-9]*(?:[-_. ][a-z0-9]+){0,3}[-_. ]?#?[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}|#[0-9]{1,6}")
NUMBER = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,3}){0,3}$")
IN_NAME = re.compile(r"(?i)(?:^|_)([a-z]{1,8}[0-9]?)_([0-9]{1,6})(?:_|$)")
BEFORE, AFTER = frozenset("_-./\\#&@+$%=?"), frozenset("_-/\\@")
LONGEST_LOWER = 4  # of a prefix in small letters: what is longer is a word
ISSUE = "#"


class Key(NamedTuple):
    """An id: its one spelling, and what it shares with its kin."""

    name: str
    family: str


class Written(NamedTuple):
    """An id where it is written in a text."""

    key: Key
    start: int
    end: int


def key_of(text: str) -> Key | None:
    """The key of an id that somebody writes: `adr 0034`, `REQ_3`, `#12`; None where it has no number."""
    given = text.strip()
    return _key(given) if WHOLE.fullmatch(given) else None


def keys_in(text: str) -> Iterator[Written]:
    """Every id in a text, from left to right; what is a part of a path or of a longer name is none."""
    for found in SHAPE.finditer(text):
        start, end = found.span()
        key = _key(found.group())
        if key is not None and _stands_alone(text, start, end) and _is_likely(found.group(), key):
            yield Written(key, start, end)


def keys_in_name(name: str) -> list[Key]:
    """The ids in the name of a test: `test_req_12_is_kept`."""
    found = IN_NAME.finditer(name.removeprefix("Test"))
    return [Key(f"{each.group(1).upper()}-{int(each.group(2))}", each.group(1).upper()) for each in found]


def _key(text: str) -> Key | None:
    number = NUMBER.search(text)
    if number is None:
        return None
    prefix = text[: number.start()].strip(" -_.#").upper().replace("_", "-").replace(" ", "-").replace(".", "-")
    first, dot, rest = number.group().partition(".")
    told = f"{int(first)}{dot}{rest}"
    family = prefix.removesuffix("-RECORD") or ISSUE
    return Key(f"#{told}" if family == ISSUE else f"{family}-{told}", family)


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before == "@":  # a tag of a scenario, but no part of an address
        before = text[start - 2 : start - 1].strip() if start > 1 else ""
    if before.isalnum() or before in BEFORE or after.isalnum() or after in AFTER:
        return False
    return not (after == "." and text[end + 1 : end + 2].isalnum())


def _is_likely(text: str, key: Key) -> bool:
    """Capitals, or a prefix so short that it is no word."""
    letters = text[: len(text) - len(text.lstrip("#abcdefghijklmnopqrstuvwxyz"))]
    return key.family in (ISSUE, "DECISION") or not letters or len(key.family) <= LONGEST_LOWER
