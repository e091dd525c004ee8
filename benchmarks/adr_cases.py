"""Whether a proposal in an agent's words gets the label that a reader of the decision would give it.

The cases were written and labelled by reading, by the people who then mended the check, so they measure it kindly.
`dev` was looked at all the time; two projects that were meant for `test` are in it. `test` was looked at once, near the
end: before that look 67.9 % of it was right, and 33.9 % before any mending. `fresh` was written when the rules were
settled: 56.7 % was right with the check as it was at first, 73.3 % before three of its cases were seen while the check
was mended after a newcomer's trial. No project is in two of them. Seven small projects were written for this
(`adr_cases/*.txt`); the others are this repository's own decisions, and real ones of the shared data.

In `cases.tsv`, `0003=conflicts` is what a reader says of record 0003; `related/touches` leaves open whether a record
that is merely touched is listed at all; `any` says nothing. A record that is not named must not be called anything but
related.
"""

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.adr_pairs import Project
from benchmarks.labelled_sets import SHARED_DATA
from fieldguide.search.embedders.static_model import StaticModel
from fieldguide.toolsets.architecture.adr import Alignment
from fieldguide.toolsets.architecture.decisions import Record, read_record

CASES = Path(__file__).with_name("adr_cases")
DECISIONS = Path(__file__).parents[1] / "docs" / "decisions"
REAL = SHARED_DATA / "adr"
UNLISTED = "unlisted"
SPLITS = ("dev", "test", "fresh")
LABELS = ("conflicts", "supports", "related", UNLISTED)
MARK = "%%% "


class Case(NamedTuple):
    """A proposal, and what a reader says of each record that it is about."""

    split: str
    project: str
    proposal: str
    expected: Mapping[str, tuple[str, ...]]


class Judged(NamedTuple):
    """One record in one case: what was said, and whether a reader agrees."""

    case: Case
    path: str
    expected: tuple[str, ...]
    given: str
    reason: str

    @property
    def is_right(self) -> bool:
        return self.given in self.expected


def main() -> int:
    """Print accuracy and confusion for each part; with `--show`, every case of a part that went wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adr_cases", description=__doc__)
    parser.add_argument("--show", choices=SPLITS, help="list what went wrong in this part")
    options = parser.parse_args()
    judged = judge(read_cases(), StaticModel())
    for split in SPLITS:
        _print_split(split, [each for each in judged if each.case.split == split])
    for each in judged:
        if each.case.split == options.show and not each.is_right:
            print(f"\n{each.case.project} {Path(each.path).stem}: {'/'.join(each.expected)}, given {each.given}")
            print(f"  {each.case.proposal}\n  {each.reason}")
    return 0


def read_cases() -> list[Case]:
    """All cases whose project is at hand; the real projects are missing where the shared data is."""
    with (CASES / "cases.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    cases = [Case(row["split"], row["project"], row["proposal"], _expected(row["expected"])) for row in rows]
    return [case for case in cases if read_project(case.project)]


@cache
def read_project(name: str) -> tuple[Record, ...]:
    """The records of a project written for this, of this repository, or of the shared data."""
    if name == DECISIONS.name:
        found = sorted(DECISIONS.glob("0*.md"))
        return tuple(read_record(path.name, path.read_text(encoding="utf-8")) for path in found)
    written = CASES / f"{name}.txt"
    if not written.exists():
        return tuple(Project(REAL / name).records.values()) if (REAL / name).is_dir() else ()
    parts = written.read_text(encoding="utf-8").split(MARK)[1:]
    return tuple(read_record(path, text.strip() + "\n") for path, _, text in (part.partition("\n") for part in parts))


def judge(cases: Sequence[Case], embedder: StaticModel | None) -> list[Judged]:
    """Ask about every case."""
    alignments = {name: Alignment(read_project(name), embedder) for name in {case.project for case in cases}}
    return [judged for case in cases for judged in _judge(case, alignments[case.project])]


def _judge(case: Case, alignment: Alignment) -> list[Judged]:
    given = {each.record.path: each for each in alignment.check(case.proposal).related}
    judged: list[Judged] = []
    for record in read_project(case.project):
        expected = next((said for key, said in case.expected.items() if Path(record.path).name.startswith(key)), None)
        answer = given.get(record.path)
        label, reason = (answer.alignment, answer.reason) if answer else (UNLISTED, "")
        judged.append(Judged(case, record.path, expected or ("related", UNLISTED), label, reason))
    return judged


def _expected(text: str) -> dict[str, tuple[str, ...]]:
    pairs = [pair.split("=") for pair in text.split() if pair != "-"]
    return {key: tuple(_meant(said)) for key, said in pairs}


def _meant(said: str) -> list[str]:
    return list(LABELS) if said == "any" else [UNLISTED if each == "touches" else each for each in said.split("/")]


def _print_split(split: str, judged: Sequence[Judged]) -> None:
    named = [each for each in judged if _is_named(each)]
    counts = defaultdict[str, Counter[str]](Counter)
    for each in judged:
        kind = "others" if not _is_named(each) else "touched" if len(each.expected) > 1 else each.expected[0]
        counts[kind][each.given] += 1
    right = sum(each.is_right for each in named)
    false = {each.case.proposal for each in judged if each.given == "conflicts" and "conflicts" not in each.expected}
    cases = len({(each.case.project, each.case.proposal) for each in judged})
    missed = sum(each.expected == ("conflicts",) and not each.is_right for each in named)
    asked = sum(each.expected == ("conflicts",) for each in named)
    print(f"{split}: {right / len(named):.1%} of {len(named)} labels right in {cases} cases;", end=" ")
    print(f"conflicts missed {missed} of {asked}; proposals with a false conflict {len(false)}\n")
    rows = [
        [kind, *(str(counts[kind][label]) for label in LABELS)]
        for kind in ("conflicts", "supports", "touched", "others")
    ]
    print(report.format_table(["a reader says", *LABELS], rows) + "\n")


def _is_named(judged: Judged) -> bool:
    name = Path(judged.path).name
    return len(judged.expected) < len(LABELS) and any(name.startswith(key) for key in judged.case.expected)


if __name__ == "__main__":
    raise SystemExit(main())
