"""Names that are near one that was not found: by a slip of the pen, or by another folder. What is not near is none."""

from collections.abc import Collection, Iterable
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import pairwise

MOST_NAMES = 3
NEAR = 0.75
SHORTLIST = 50  # so few are compared whole: that takes a quarter of a millisecond each
MOST_LOOKED_AT = 50_000
LONGEST_NAME = 300
SHORTEST_PART = 3


def near_names(wanted: str, names: Iterable[str]) -> list[str]:
    """Up to three of the names: those that end or begin with the wanted one, then those that are spelled almost so."""
    folded = wanted.strip().casefold()[-LONGEST_NAME:]
    if not folded:
        return []
    lowered = {name.casefold()[-LONGEST_NAME:]: name for name, _ in zip(names, range(MOST_LOOKED_AT), strict=False)}
    pairs = set(pairwise(folded))
    likely = nlargest(SHORTLIST, lowered, key=lambda name: _shared(pairs, name))
    close = sorted(((_nearness(folded, name), name) for name in likely), key=lambda each: (-each[0], each[1]))
    return [lowered[name] for nearness, name in close if nearness >= NEAR][:MOST_NAMES]


def said(names: Collection[str]) -> str:
    """The question that follows a refusal; nothing where nothing is near."""
    return f"Did you mean {', '.join(map(repr, names))}?" if names else ""


def _shared(pairs: set[tuple[str, str]], name: str) -> float:
    return len(pairs.intersection(pairwise(name))) / (len(pairs) + len(name) + 1)


def _nearness(wanted: str, name: str) -> float:
    """1 for the same name elsewhere or a whole part of the other; else how much of both is the same."""
    wanted_last, last = wanted.rpartition("/")[2], name.rpartition("/")[2]
    if wanted_last == last or name.endswith(f"/{wanted}"):
        return 1.0
    if len(wanted) >= SHORTEST_PART and _stem(last) == _stem(wanted_last):
        return 0.95
    whole = SequenceMatcher(None, wanted, name, autojunk=False).ratio()
    part = SequenceMatcher(None, wanted_last, last, autojunk=False).ratio() if "/" in wanted + name else 0.0
    return max(whole, part)


def _stem(name: str) -> str:
    return name.partition(".")[0] or name
