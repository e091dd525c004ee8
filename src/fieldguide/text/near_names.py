"""Suggests names that are similar to one that was not found."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from heapq import nlargest
from itertools import islice, pairwise

MOST_NAMED = 3
MOST_COMPARED = 50_000
SHORTLIST = 50  # names that are compared in full: that takes a quarter of a millisecond each
LONGEST_NAME = 300
ALIKE = 0.8
ALIKE_TYPED = 0.7  # of what a person typed on a command line


def find_near_names(wanted: str, names: Iterable[str], *, alike: float = ALIKE) -> list[str]:
    """Up to three names: the same name in another folder, then similar ones; case does not matter."""
    last = wanted.strip().casefold().rpartition("/")[2][-LONGEST_NAME:]
    if not last:
        return []
    by_name: dict[str, list[str]] = {}
    for name in islice(names, MOST_COMPARED):
        by_name.setdefault(name.casefold().rpartition("/")[2][-LONGEST_NAME:], []).append(name)
    pairs = set(pairwise(last))
    likely = nlargest(SHORTLIST, by_name, key=lambda name: len(pairs.intersection(pairwise(name))) / (len(name) + 1))
    close = get_close_matches(last, likely, n=MOST_NAMED, cutoff=alike)
    return [name for near in close for name in by_name[near] if name != wanted][:MOST_NAMED]


def suggest_names(given: str, names: Iterable[str]) -> str:
    """A sentence that names similar names, with a blank before it; empty if there are none."""
    near = find_near_names(given, names, alike=ALIKE_TYPED)
    if not near:
        return ""
    *first, last = map(repr, near)
    alternatives = f"{', '.join(first)} or {last}" if first else last
    return f" Did you mean {alternatives}?"


def format_suggestion(names: Collection[str]) -> str:
    """The question that follows a refusal; empty if there are no names."""
    return f"Did you mean {', '.join(map(repr, names))}?" if names else ""
