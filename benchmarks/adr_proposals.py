"""Whether a proposal in an agent's words gets the label that a careful reader of the record gives it.

The proposals were written by hand for real records, without looking at the code (`adr_proposals/README.md`). `dev` was
looked at while rules were chosen, `kept` is run once for the figure that is reported.
"""

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.adr_pairs import Project, read_projects
from benchmarks.labelled_sets import SHARED_DATA
from fieldguide.knowledge.decisions.comparison import Alignment
from fieldguide.search.models.static import StaticModel

CASES = Path(__file__).with_name("adr_proposals")
LABELS = ("conflicts", "supports", "related", "unlisted")
ALSO = "also conflicts:"
WRONG, SWAPPED, GONE = 0.02, 0.95, 0.85


class Case(NamedTuple):
    """A proposal for one record: what a reader says of it, and which others it may oppose as well."""

    id: str
    project: str
    record: str
    kind: str
    expected: tuple[str, ...]
    proposal: str
    context: str
    also: tuple[str, ...]


class Judged(NamedTuple):
    """A case and what was said."""

    case: Case
    given: str
    others: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        return self.given in self.case.expected or (self.given == "related" and "unlisted" in self.case.expected)

    @property
    def is_turned(self) -> bool:
        """Whether the direction is wrong: the one was said where only the other is right."""
        turned = {"supports": ("conflicts",), "conflicts": ("supports",)}
        return turned.get(self.given) == self.case.expected


def main() -> int:
    """Print the labels of each kind; with `--check`, fail where a goal is missed."""
    options = _options()
    if not options.data.is_dir():
        raise SystemExit(f"There is no {options.data}: this measurement needs the shared data.")
    cases = read_cases(CASES / f"{options.half}.tsv")
    judged = judge(cases, read_projects(options.data))
    print(f"{len(judged)} proposals ({options.half}). {report.describe_machine()}\n")
    _print_kinds(judged)
    missed = _missed(judged)
    print("\n" + ("\n".join(f"MISSED: {each}" for each in missed) or "All goals are reached."))
    for each in judged if options.verbose else ():
        if not each.is_right or each.others:
            print(f"{each.case.id} {each.case.kind} {each.case.expected} -> {each.given} {each.others or ''}")
    return int(options.check and bool(missed))


def read_cases(path: Path) -> list[Case]:
    """The cases of one file."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, restval=""))
    return [_case(row) for row in rows]


def judge(cases: Sequence[Case], projects: Mapping[str, Project]) -> list[Judged]:
    """Ask the check about each case, over all records of its project."""
    embedder = StaticModel()
    checks = {
        name: Alignment([*projects[name].records.values()], embedder)
        for name in sorted({case.project for case in cases})
    }
    return [_judged(case, checks[case.project]) for case in cases]


def _judged(case: Case, check: Alignment) -> Judged:
    told = check.check(case.proposal, case.context)
    given = {each.record.path: each.alignment for each in told.related}
    others = [each.record.path for each in told.conflicts if each.record.path not in (case.record, *case.also)]
    return Judged(case, given.get(case.record, "unlisted"), tuple(others))


def _case(row: Mapping[str, str]) -> Case:
    note = row["note"]
    also = note.removeprefix(ALSO).split(";")[0].split(",") if note.startswith(ALSO) else []
    return Case(
        row["id"],
        row["project"],
        row["record"],
        row["kind"],
        tuple(row["expected"].split("/")),
        row["proposal"],
        row["context"],
        tuple(path.strip() for path in also),
    )


def _print_kinds(judged: Sequence[Judged]) -> None:
    kinds = defaultdict[str, Counter[str]](Counter)
    for each in judged:
        kinds[each.case.kind].update((each.given, "all", *(["right"] if each.is_right else [])))
        kinds[each.case.kind].update(["turned"] if each.is_turned else [])
        kinds[each.case.kind].update(["others"] if each.others else [])
    header = ["kind", "proposals", *LABELS, "right", "wrong direction", "another record opposed"]
    keys = ("all", *LABELS, "right", "turned", "others")
    rows = [[kind, *(str(counts[key]) for key in keys)] for kind, counts in sorted(kinds.items())]
    total = sum(kinds.values(), Counter[str]())
    print(report.format_table(header, [*rows, ["all", *(str(total[key]) for key in keys)]]))


def _missed(judged: Sequence[Judged]) -> list[str]:
    turned = sum(each.is_turned for each in judged) / max(len(judged), 1)
    restated = sum(each.given == "conflicts" for each in judged if each.case.kind == "restated")
    swapped, gone = _opposed(judged, "option-swapped"), _opposed(judged, "no-longer")
    checks = (
        (turned <= WRONG, f"wrong direction {turned:.1%}"),
        (swapped >= SWAPPED, f"rejected options taken called conflicts {swapped:.1%}"),
        (not restated, f"restatements called conflicts {restated}"),
        (gone >= GONE, f"no longer done called conflicts {gone:.1%}"),
    )
    return [what for reached, what in checks if not reached]


def _opposed(judged: Sequence[Judged], kind: str) -> float:
    """The share of a kind that is called a conflict, of those where only that is right."""
    asked = [each for each in judged if each.case.kind == kind and each.case.expected == ("conflicts",)]
    return sum(each.given == "conflicts" for each in asked) / max(len(asked), 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adr_proposals", description=__doc__)
    parser.add_argument("--half", choices=("dev", "kept"), default="dev")
    parser.add_argument("--data", type=Path, default=SHARED_DATA / "adr", help="a folder of projects with records")
    parser.add_argument("--verbose", action="store_true", help="name each case that is wrong")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a goal is missed")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
