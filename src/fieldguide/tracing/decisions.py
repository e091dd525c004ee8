"""The decisions of a project, and how others may call each of them."""

import posixpath
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from fieldguide.tracing.keys import Key, key_of
from fieldguide.tracing.reading.records import FOLDERS, number_of
from fieldguide.tracing.store import DecisionRow

LEAST_SERIES = 3  # numbered documents that lie together; fewer are no series
WORDS = ("ADR", "DECISION")  # what a record among decisions is called, whatever its file is called
OPEN = frozenset(("proposed", "draft", "rejected", "superseded", "deprecated", "withdrawn", "abandoned", "obsolete"))
YEARS = range(1980, 2100)


class Decisions:
    """Decisions by path, number and name."""

    def __init__(self, rows: Sequence[DecisionRow]) -> None:
        together = Counter(_series(each.path) for each in rows)
        self.rows = [each for each in rows if _is_among(each.path) or together[_series(each.path)] >= LEAST_SERIES]
        self.by_path = {each.path: each for each in self.rows}

    @cached_property
    def _by_key(self) -> dict[str, list[DecisionRow]]:
        found: dict[str, list[DecisionRow]] = {}
        for row in self.rows:
            for key in self.keys(row):
                found.setdefault(key.name, []).append(row)
        return found

    def keys(self, row: DecisionRow) -> list[Key]:
        """The ids that a decision goes by."""
        numbered = number_of(row.path)
        if numbered is None:
            return []
        word, number = numbered
        folder = posixpath.basename(posixpath.dirname(row.path)).upper().removesuffix("S")
        words = dict.fromkeys((word, *(WORDS if _is_among(row.path) or not word else ()), folder))
        return [Key(f"{each}-{number}", each) for each in words if each and each.isalpha()]

    def called(self, key: str, near: str = "") -> DecisionRow | None:
        """The decision with an id; of several the one nearest to a file, None where two are as near."""
        rows = self._by_key.get(key, [])
        ranked = sorted(rows, key=lambda row: -_nearness(row.path, near))
        if len(ranked) > 1 and _nearness(ranked[0].path, near) == _nearness(ranked[1].path, near):
            return None
        return ranked[0] if ranked else None

    def found(self, given: str) -> list[DecisionRow]:
        """The decisions that somebody's words mean: an id, a number, a path, the name of the file, the title."""
        plain = given.strip()
        if plain in self.by_path:
            return [self.by_path[plain]]
        if key := key_of(plain):
            return self._by_key.get(key.name, [])
        if plain.isdecimal() and len(plain) < 7:
            return [row for row in self.rows if (number_of(row.path) or ("", -1))[1] == int(plain)]
        lowered = plain.casefold()
        return [row for row in self.rows if lowered in (_stem(row.path).casefold(), row.title.casefold())]


def is_open(row: DecisionRow) -> bool:
    """Whether nothing need follow a decision: it is not made yet, not made any more, or about how people work."""
    return row.status in OPEN or row.status == "process"


def _is_among(path: str) -> bool:
    return not FOLDERS.isdisjoint(folder.lower() for folder in path.split("/")[:-1])


def _series(path: str) -> tuple[str, str]:
    word, number = number_of(path) or ("", 0)
    return posixpath.dirname(path), "year" if not word and number in YEARS else word


def _stem(path: str) -> str:
    return posixpath.basename(path).rpartition(".")[0]


def _nearness(path: str, near: str) -> int:
    return len(posixpath.commonprefix([path.split("/")[:-1], near.split("/")[:-1]])) if near else 0
