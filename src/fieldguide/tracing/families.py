"""Which ids are requirements: learnt from where a project defines them, not from what they are called.

Ids of one family that are defined one after the other, each in one place, are a list that somebody keeps. What is only
mentioned (`RFC 2119`), or is defined again in every file (`node-1`), is none.
"""

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fieldguide.tracing.store import Placed

LEAST_IDS = 3
LEAST_IN_FILE = 2.5  # ids for each file that defines any
LEAST_SHARE = 0.6  # of the ids, in the folder that has most
MOST_PLACES = 1.5  # for each id


class Family(NamedTuple):
    """A list of ids: where each is defined."""

    name: str
    ids: Mapping[str, Placed]


def learnt(defined: Iterable[Placed]) -> dict[str, Family]:
    """The families that are lists of requirements, by name."""
    by_family: dict[str, list[Placed]] = {}
    for each in defined:
        by_family.setdefault(each.mark.family, []).append(each)
    found = (_family(name, placed) for name, placed in sorted(by_family.items()))
    return {each.name: each for each in found if each is not None}


def _family(name: str, placed: list[Placed]) -> Family | None:
    places = {(each.path, each.mark.name) for each in placed}
    count = len({each.mark.name for each in placed})
    if count < LEAST_IDS or len(places) / count > MOST_PLACES:
        return None
    home, at_home = _home(places)
    files = Counter(path for path, _ in places if posixpath.dirname(path) == home)
    if at_home < LEAST_SHARE * count or files.total() < LEAST_IN_FILE * len(files):
        return None
    best: dict[str, Placed] = {}
    for each in sorted(placed, key=lambda each: (posixpath.dirname(each.path) != home, -files[each.path], each.path)):
        best.setdefault(each.mark.name, each)
    return Family(name, best)


def _home(places: Iterable[tuple[str, str]]) -> tuple[str, int]:
    """The folder that defines most ids, and how many it does."""
    by_folder: dict[str, set[str]] = {}
    for path, name in places:
        by_folder.setdefault(posixpath.dirname(path), set()).add(name)
    home = min(by_folder, key=lambda folder: (-len(by_folder[folder]), folder))
    return home, len(by_folder[home])
