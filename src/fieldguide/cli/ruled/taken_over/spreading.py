"""Arguments that may be absent: `f(..., x, ...)` of semgrep is a pattern of ast-grep with and without each of them."""

from collections.abc import Iterator
from itertools import product

from fieldguide.cli.ruled.taken_over.carried import NotTheSame

DOTS = "..."
MOST_DOTS = 3
OPENING, CLOSING = "([{", ")]}"


def spread(pattern: str) -> list[str]:
    """A pattern, once for each way in which the dots among its last brackets can stand for nothing."""
    if not pattern.endswith(")"):
        if DOTS in pattern.replace(f"({DOTS})", ""):
            raise NotTheSame(f"`{pattern}` has dots that stand for more than arguments")
        return [pattern]
    start = _opening(pattern)
    items = [item.strip() for item in _items(pattern[start + 1 : -1])]
    places = [place for place, item in enumerate(items) if _are_dots(item)]
    _refuse_dots_beside_commas(pattern[:start], *(item for item in items if not _are_dots(item)))
    if len(items) == 1:
        return [pattern]
    if len(places) > MOST_DOTS:
        raise NotTheSame(f"`{pattern}` has dots in more than {MOST_DOTS} places")
    return [f"{pattern[:start]}({', '.join(_left(items, places, kept))})" for kept in _choices(len(places))]


def _choices(count: int) -> Iterator[tuple[bool, ...]]:
    return product((True, False), repeat=count)


def _left(items: list[str], places: list[int], kept: tuple[bool, ...]) -> list[str]:
    """The items without the dots that stand for nothing."""
    gone = {place for place, stays in zip(places, kept, strict=True) if not stays}
    return [item for place, item in enumerate(items) if place not in gone]


def _are_dots(item: str) -> bool:
    return item == DOTS or item.startswith("$...")


def _refuse_dots_beside_commas(*parts: str) -> None:
    """Only the last brackets are spread: dots among others would have to be as well."""
    for part in parts:
        if DOTS in part and "," in part:
            raise NotTheSame(f"`{part}` has dots inside of other brackets")


def _opening(pattern: str) -> int:
    """Where the bracket opens that closes at the end."""
    depth = 0
    for place in range(len(pattern) - 1, -1, -1):
        depth += (pattern[place] in CLOSING) - (pattern[place] in OPENING)
        if depth == 0:
            return place
    raise NotTheSame(f"the brackets of `{pattern}` are not closed")


def _items(inside: str) -> Iterator[str]:
    """What stands between the commas that are in no other brackets."""
    depth = start = 0
    for place, character in enumerate(inside):
        depth += (character in OPENING) - (character in CLOSING)
        if character == "," and depth == 0:
            yield inside[start:place]
            start = place + 1
    if inside[start:].strip():
        yield inside[start:]
