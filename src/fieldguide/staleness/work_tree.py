"""The files of a project as they lie there now, saved or committed: read once for each judgement, and stamped."""

import os
from collections.abc import Mapping, Sequence
from itertools import pairwise

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.staleness.notes import lines_of

LARGEST_BYTES = 4 << 20


class WorkTree:
    """Lines of files by their paths in the project; none of what is not there, or may not be served."""

    def __init__(self, project: ConfinedFolder) -> None:
        self.project = project
        self._root = project.real_path()
        self._read: dict[str, Sequence[str] | None] = {}
        self._stamps: dict[str, str] = {}

    def lines(self, path: str) -> Sequence[str] | None:
        """The lines of a file; None where there is none."""
        if path not in self._read:
            self._read[path] = self._lines(path)
        return self._read[path]

    def stamp(self, path: str) -> str:
        """What changes whenever a file is saved anew; empty where there is none. It tells nothing of what is in it."""
        if path not in self._stamps:
            self._stamps[path] = self._stamp(path)
        return self._stamps[path]

    def _lines(self, path: str) -> Sequence[str] | None:
        try:
            return lines_of(self.project.read(path, limit_bytes=LARGEST_BYTES))
        except Refusal:
            return None

    def _stamp(self, path: str) -> str:
        if not path or path.startswith("/") or ".." in path.split("/"):
            return ""
        try:
            found = os.lstat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return ""
        return f"{found.st_mtime_ns}.{found.st_size}.{found.st_ino}"


def moved_lines(before: Sequence[str], now: Sequence[str]) -> Mapping[int, int]:
    """Where each line of a file stands after it was saved anew, as far as it lives on; counted from 1.

    What is the same at both ends, and between lines that occur once in each, in order (a patience diff, without going
    deeper): it takes no longer than the files are.
    """
    first = 0
    least = min(len(before), len(now))
    while first < least and before[first] == now[first]:
        first += 1
    last = 0
    while last < least - first and before[-1 - last] == now[-1 - last]:
        last += 1
    found = {line: line for line in range(1, first + 1)}
    grown = len(now) - len(before)
    found.update((line, line + grown) for line in range(len(before) - last + 1, len(before) + 1))
    ends = (len(before) - last, len(now) - last)
    anchors = [(first - 1, first - 1), *_anchors(before, now, first, ends), ends]
    for (left, left_now), (right, right_now) in pairwise(anchors):
        _fill(found, before, now, (left, left_now), (right, right_now))
    return found


def _fill(
    found: dict[int, int], before: Sequence[str], now: Sequence[str], left: tuple[int, int], right: tuple[int, int]
) -> None:
    """Take in what is the same after one anchor and before the next, and the anchor itself."""
    old, new = left[0] + 1, left[1] + 1
    while old < right[0] and new < right[1] and before[old] == now[new]:
        found[old + 1] = new + 1
        old, new = old + 1, new + 1
    old_end, new_end = right[0] - 1, right[1] - 1
    while old_end >= old and new_end >= new and before[old_end] == now[new_end]:
        found[old_end + 1] = new_end + 1
        old_end, new_end = old_end - 1, new_end - 1
    if right[0] < len(before) and right[1] < len(now) and before[right[0]] == now[right[1]]:
        found[right[0] + 1] = right[1] + 1


def _anchors(before: Sequence[str], now: Sequence[str], first: int, ends: tuple[int, int]) -> list[tuple[int, int]]:
    """Lines that occur once in each, in the longest order that both have."""
    old, new = _once(before, first, ends[0]), _once(now, first, ends[1])
    pairs = sorted((place, new[line]) for line, place in old.items() if line in new)
    return _rising(pairs)


def _once(lines: Sequence[str], first: int, end: int) -> dict[str, int]:
    places: dict[str, int] = {}
    twice: set[str] = set()
    for place in range(first, end):
        line = lines[place]
        if line in places:
            twice.add(line)
        places[line] = place
    return {line: place for line, place in places.items() if line not in twice and line.strip()}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, not necessarily side by side, in which the second numbers rise too."""
    from bisect import bisect_left

    tops: list[int] = []
    held: list[int] = []
    before: list[int] = []
    for place, (_, value) in enumerate(pairs):
        at = bisect_left(tops, value)
        before.append(held[at - 1] if at else -1)
        tops[at : at + 1] = [value]
        held[at : at + 1] = [place]
    run: list[tuple[int, int]] = []
    place = held[-1] if held else -1
    while place >= 0:
        run.append(pairs[place])
        place = before[place]
    return run[::-1]
