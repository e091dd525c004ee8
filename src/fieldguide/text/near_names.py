"""Suggests names that are similar to one that was not found.

`suggest_names` and `suggest_paths` serve commands, `find_near_names` the tools, which compare paths more strictly.
"""

from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from heapq import nlargest
from itertools import pairwise

MOST_NAMED = 3
MOST_COMPARED = 20_000
ALIKE = 0.7


def suggest_names(given: str, names: Iterable[str]) -> str:
    """A sentence that names similar names, with a blank before it; empty if there are none."""
    return _sentence(find_nearest(given, names))


def suggest_paths(given: str, paths: Iterable[str]) -> str:
    """The same for paths, compared by the file's name alone."""
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    name = given.rpartition("/")[2]
    near: list[str] = by_name.get(name, [])
    for other in find_nearest(name, by_name):
        near = near + by_name[other]
    return _sentence(near[:MOST_NAMED])


def _sentence(names: Sequence[str]) -> str:
    if not names:
        return ""
    *first, last = map(repr, names)
    alternatives = f"{', '.join(first)} or {last}" if first else last
    return f" Did you mean {alternatives}?"


def find_nearest(given: str, names: Iterable[str]) -> list[str]:
    """The names most similar to this one, the most similar first; case does not matter."""
    folded: dict[str, str] = {}
    for name in names:
        if len(folded) >= MOST_COMPARED:
            break
        folded.setdefault(name.casefold(), name)
    close = get_close_matches(given.casefold(), folded, n=MOST_NAMED, cutoff=ALIKE)
    return [folded[name] for name in close if folded[name] != given]


MOST_NAMES = 3
NEAR = 0.87
SAME_STEM = 0.95
CHARACTERS_PER_SLIP = 5
SHORTEST_STEM = 3
SHORTLIST = 50  # so few are compared whole: that takes a quarter of a millisecond each
MOST_LOOKED_AT = 50_000
LONGEST_NAME = 300


def find_near_names(wanted: str, names: Iterable[str]) -> list[str]:
    """Up to three names: the same name in another folder, then similar spellings."""
    folded = wanted.strip().casefold()[-LONGEST_NAME:]
    if not folded:
        return []
    last = folded.rpartition("/")[2]
    threes = [last[at : at + 3] for at in range(0, max(len(last) - 2, 1), 2)]  # one slip of the pen leaves some of them
    lowered: dict[str, str] = {}
    for name, _ in zip(names, range(MOST_LOOKED_AT), strict=False):
        plain = name.casefold()[-LONGEST_NAME:]
        if any(three in plain for three in threes):
            lowered[plain] = name
    pairs = set(pairwise(last))
    likely = nlargest(SHORTLIST, lowered, key=lambda name: _shared(pairs, name.rpartition("/")[2]))
    close = sorted(((_nearness(folded, name), name) for name in likely), key=lambda each: (-each[0], each[1]))
    return [lowered[name] for nearness, name in close if nearness >= NEAR][:MOST_NAMES]


def format_suggestion(names: Collection[str]) -> str:
    """The question that follows a refusal; empty if there are no names."""
    return f"Did you mean {', '.join(map(repr, names))}?" if names else ""


def _shared(pairs: set[tuple[str, str]], name: str) -> float:
    return len(pairs.intersection(pairwise(name))) / (len(pairs) + len(name) + 1)


def _nearness(wanted: str, name: str) -> float:
    """How similar the last part of a name is to the wanted one's; 1 is the same name in another folder."""
    wanted_last = wanted.rpartition("/")[2]
    last = name.rpartition("/")[2]
    if wanted_last == last or name.endswith(f"/{wanted}"):
        return 1.0
    stem, ending = _parted(wanted_last)
    other, other_ending = _parted(last)
    if len(stem) < SHORTEST_STEM:
        return 0.0
    if ending != other_ending:
        return SAME_STEM if stem == other else 0.0
    if _difference(stem, other) <= max(1, len(stem) // CHARACTERS_PER_SLIP):
        return SAME_STEM - len(stem) / (1 + len(stem) * 100)
    alike = SequenceMatcher(None, stem, other, autojunk=False).ratio()
    return alike if alike >= NEAR else 0.0


def _parted(name: str) -> tuple[str, str]:
    """A name and its ending."""
    stem, _, ending = name.rpartition(".")
    return (stem, ending) if stem else (name, "")


def _difference(one: str, other: str) -> int:
    """How long the part is in which two names differ, between what they begin and end with alike."""
    begin = _alike_for(one, other)
    one = one[begin:]
    other = other[begin:]
    return max(len(one), len(other)) - _alike_for(one[::-1], other[::-1])


def _alike_for(one: str, other: str) -> int:
    """How many characters two names begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(one), len(other)))
