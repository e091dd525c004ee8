"""What an answer is worth beside the truth: counted by lines, once for each symbol and once over all references."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Protocol

Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Case:
    """A symbol of the truth: where it is defined, and the lines that refer to it.

    `also` are lines that the truth's maker counts as further declarations: an answer may have them or not.
    """

    repository: str
    path: str
    line: int
    column: int
    name: str
    kind: str
    references: frozenset[Line]
    also: frozenset[Line]


@dataclass(frozen=True, slots=True)
class Given:
    """An answer: lines that are told as facts, and lines that are told as candidates."""

    certain: frozenset[Line]
    candidates: frozenset[Line] = frozenset()


class Answering(Protocol):
    """Whoever is judged."""

    def references(self, case: Case) -> Given | None:
        """The references of the definition at a place; None where no definition is found there."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer beside its case, and the milliseconds that it took."""

    case: Case
    given: Given | None
    milliseconds: float

    @property
    def certain(self) -> frozenset[Line]:
        return self.given.certain - self._neutral if self.given else frozenset()

    @property
    def everything(self) -> frozenset[Line]:
        return self.certain | (self.given.candidates - self._neutral if self.given else frozenset())

    @property
    def wrong(self) -> frozenset[Line]:
        return self.certain - self.case.references

    @property
    def missed(self) -> frozenset[Line]:
        return self.case.references - self.certain

    @property
    def _neutral(self) -> frozenset[Line]:
        return self.case.also - self.case.references


@dataclass(frozen=True, slots=True)
class Figures:
    """Over some outcomes: `micro` counts every reference alike, `macro` every symbol."""

    symbols: int
    found: int
    references: int
    precision: float | None
    recall: float | None
    recall_with_candidates: float | None
    precision_of_everything: float | None
    macro_precision: float | None
    macro_recall: float | None


def figures(outcomes: Sequence[Outcome]) -> Figures:
    right = sum(len(each.certain & each.case.references) for each in outcomes)
    right_in_all = sum(len(each.everything & each.case.references) for each in outcomes)
    references = sum(len(each.case.references) for each in outcomes)
    return Figures(
        symbols=len(outcomes),
        found=sum(each.given is not None for each in outcomes),
        references=references,
        precision=_share(right, sum(len(each.certain) for each in outcomes)),
        recall=_share(right, references),
        recall_with_candidates=_share(right_in_all, references),
        precision_of_everything=_share(right_in_all, sum(len(each.everything) for each in outcomes)),
        macro_precision=_mean(1 - len(each.wrong) / len(each.certain) for each in outcomes if each.certain),
        macro_recall=_mean(
            1 - len(each.missed) / len(each.case.references) for each in outcomes if each.case.references
        ),
    )


def read_cases(path: Path) -> list[Case]:
    return [_case(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _case(said: dict[str, object]) -> Case:
    def lines(key: str) -> frozenset[Line]:
        places = said.get(key, ())
        assert isinstance(places, list | tuple)
        return frozenset((str(place[0]), int(place[1])) for place in places)

    return Case(
        str(said["repo"]),
        str(said["path"]),
        int(str(said["line"])),
        int(str(said.get("column", 0))),
        str(said["name"]),
        str(said["kind"]),
        lines("references"),
        lines("also"),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Iterable[float]) -> float | None:
    each = list(values)
    return mean(each) if each else None
