"""Compiles globs (`**`, `*`, `?`, `[…]`, `{a,b}`, `!` to exclude) to a predicate over paths.

A glob may come from a caller, so it never becomes a regular expression: matching takes the length of the glob times the
length of the path at the worst.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from fieldguide.text import regex as re

ENDING = re.compile(r"\*\*/\*([^*?\[\]{}/]+)")
BRACES = re.compile(r"\{([^{}]*)\}")
MOST_ALTERNATIVES = 256

Element = Callable[[str], bool] | None
Glob = tuple[tuple[Element, ...] | None, ...]


def compile_globs(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a relative path is wanted: by some pattern, and by none that excludes it."""
    endings: tuple[str, ...] = ()
    wanted: list[Glob] = []
    unwanted: list[Glob] = []
    for pattern in patterns:
        ending = ENDING.fullmatch(pattern)
        if ending:
            endings += (ending.group(1),)
        if pattern.startswith("!"):
            unwanted += map(_compile, _alternatives(pattern[1:]))
        else:
            wanted += map(_compile, _alternatives(pattern))

    def matches(path: str) -> bool:
        if not unwanted and path.endswith(endings):  # nearly all globs there are
            return True
        names = path.split("/")
        return any(_fits(each, names) for each in wanted) and not any(_fits(each, names) for each in unwanted)

    return matches


def _compile(pattern: str) -> Glob:
    names = pattern.removeprefix("./").split("/")
    return tuple(None if name == "**" else _elements(name) for name in names)


def _alternatives(pattern: str) -> list[str]:
    """The globs that braces stand for; beyond a bound the braces are meant literally."""
    found = [pattern]
    if pattern.count("{") > MOST_ALTERNATIVES:
        return found
    while any(BRACES.search(each) for each in found):
        found = [spread for each in found for spread in _spread(each)]
        if len(found) > MOST_ALTERNATIVES:
            return [pattern]
    return found


def _spread(pattern: str) -> Iterator[str]:
    match = BRACES.search(pattern)
    if match is None:
        yield pattern
        return
    for choice in match.group(1).split(","):
        yield f"{pattern[: match.start()]}{choice}{pattern[match.end() :]}"


@lru_cache(maxsize=1000)
def _elements(name: str) -> tuple[Element, ...]:
    """What each place of a name asks for; None is a run of any length."""
    return tuple(_element(piece) for piece in _pieces(name))


def _pieces(name: str) -> Iterator[str]:
    """Each character, but a class in brackets as one; a bracket that nothing closes stands for itself."""
    at = 0
    last = name.rfind("]")
    while at < len(name):
        end = at + 1
        if name[at] == "[":
            first = at + (2 if name.startswith("!", at + 1) else 1)
            first += name.startswith("]", first) and first < last
            end = name.find("]", first) + 1 if first <= last else end
        yield name[at:end]
        at = end


def _element(piece: str) -> Element:
    if piece[0] == "*":
        return None
    if piece == "?":
        return lambda character: True
    if piece[0] == "[" and len(piece) > 2:
        return _one_of(piece[1:-1])
    return piece.__eq__


def _one_of(inside: str) -> Element:
    is_negated = inside.startswith(("!", "^"))
    members = inside[1:] if is_negated else inside
    ranges = [(each[0], each[2]) for each in re.findall(r".-.", members, re.DOTALL)]
    single = frozenset(re.sub(r".-.", "", members, flags=re.DOTALL))
    return lambda character: (
        (character in single or any(low <= character <= high for low, high in ranges)) != is_negated
    )


def _fits(glob: Glob, names: Sequence[str]) -> bool:
    """Whether a path fits: the places in the glob that can be reached are followed from name to name."""
    places = _closed({0}, glob)
    for name in names:
        following: set[int] = set()
        for place in places:
            if place == len(glob):
                continue
            elements = glob[place]
            if elements is None:
                following.add(place)
                if place == len(glob) - 1:  # at the end it stands for at least one name
                    following.add(len(glob))
            elif _name_fits(elements, name):
                following.add(place + 1)
        places = _closed(following, glob)
        if not places:
            return False
    return len(glob) in places


def _closed(places: set[int], glob: Glob) -> set[int]:
    """These places and those behind every `**` that they stand before, which may stand for nothing."""
    found = set(places)
    for place in sorted(places):
        while place < len(glob) - 1 and glob[place] is None:
            place += 1
            if place in found:  # and so is all that it leads to, or will be
                break
            found.add(place)
    return found


def _name_fits(elements: tuple[Element, ...], name: str) -> bool:
    """Whether a name fits: after a run that turns out too short, the last `*` takes one character more."""
    place = at = resumed = 0
    star = -1
    while at < len(name):
        element = elements[place] if place < len(elements) else NOTHING
        if element is None:
            star = place
            resumed = at
            place += 1
        elif element(name[at]):
            place = place + 1
            at = at + 1
        elif star >= 0:
            resumed += 1
            place = star + 1
            at = resumed
        else:
            return False
    return all(element is None for element in elements[place:])


NOTHING: Callable[[str], bool] = "".__eq__
