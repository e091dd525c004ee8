"""How often a search says that nothing fits well: of questions that a project answers, and of those that it does not.

The questions are in plain words (`plain_questions/`): they share few words with the text or the code that answers them.
Thresholds were chosen on the projects of the first part; those of the last part were looked at once, afterwards.
Each project is indexed as it would be served, and asked through the tools.
"""

import argparse
import csv
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import report
from benchmarks.report import Goal
from fieldguide.app import build_app
from fieldguide.settings.config import read_settings

QUESTIONS = Path(__file__).parent / "plain_questions"
LAST = frozenset(("werkzeug", "bats-core", "kombu", "axios", "v2"))
TOOLS = {"documents": ("documents", "documents_search"), "code": ("context", "context_search")}
LEAST_SAID = {"documents": 0.8, "code": 0.6}
MOST_WRONG = 0.02
FIRST = 5
AT_ONCE = 25


class Asked(NamedTuple):
    """A question to a project, and the files that answer it."""

    text: str
    files: frozenset[str]


class Outcome(NamedTuple):
    """What came of the questions to one project."""

    project: str
    kind: str
    is_last: bool
    answerable: int
    wrong: int
    found: int
    unanswerable: int
    said: int


def main() -> int:
    """Ask each project everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floor", description=__doc__)
    add = parser.add_argument
    add("--checkout", action="append", default=[], metavar="NAME=PATH", help="a repository of plain_questions/")
    add("--kind", choices=TOOLS, action="append", help="documents or code (default: both)")
    add("--last", action="store_true", help="the projects of the last part too")
    add("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    outcomes: list[Outcome] = []
    for kind in options.kind or TOOLS:
        questions = read_questions(kind)
        for name, path in (each.split("=", 1) for each in options.checkout):
            if name in questions and (options.last or name not in LAST):
                outcomes.append(measure(name, path, kind, questions[name]))
    print(f"Floor. {report.describe_machine()}\n")
    print(report.format_table(["project", "kind", "part", "wrongly", "right in five", "said"], [*map(_row, outcomes)]))
    goals = [goal for kind in TOOLS for part in (False, True) for goal in judge(outcomes, kind, is_last=part)]
    print(f"\n{report.format_goals(goals)}")
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def read_questions(kind: str) -> dict[str, list[Asked]]:
    """The questions of a kind by project."""
    found: dict[str, list[Asked]] = {}
    with (QUESTIONS / f"{kind}.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found.setdefault(row["project"], []).append(Asked(row["question"], frozenset(row["files"].split())))
    return found


def measure(name: str, path: str, kind: str, questions: Sequence[Asked]) -> Outcome:
    """Index a project in a state of its own, and ask it."""
    unanswerable = (QUESTIONS / ("unanswerable_last.txt" if name in LAST else "unanswerable.txt")).read_text()
    foreign_texts = [line for line in unanswerable.splitlines() if line]
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as state:
        os.environ["FIELDGUIDE_STATE"] = state
        found = [*_answers(path, kind, [*(asked.text for asked in questions), *foreign_texts])]
    answers = [*zip(questions, found, strict=False)]
    foreign = found[len(questions) :]
    return Outcome(
        name,
        kind,
        name in LAST,
        answerable=len(answers),
        wrong=sum(_is_unsure(hits) for _, hits in answers),
        found=sum(any(_is_right(hit, asked.files) for hit in hits[:FIRST]) for asked, hits in answers),
        unanswerable=len(foreign),
        said=sum(map(_is_unsure, foreign)),
    )


def judge(outcomes: Sequence[Outcome], kind: str, *, is_last: bool) -> Iterator[Goal]:
    """The goals over the projects of a part."""
    judged = [each for each in outcomes if each.kind == kind and each.is_last == is_last]
    if judged:
        part = f"{kind}, {'last' if is_last else 'first'} part"
        wrong = sum(each.wrong for each in judged) / sum(each.answerable for each in judged)
        said = sum(each.said for each in judged) / sum(each.unanswerable for each in judged)
        yield Goal("said of answerable questions", part, "at most", MOST_WRONG, wrong)
        yield Goal("said of unanswerable questions", part, "at least", LEAST_SAID[kind], said)


def _answers(path: str, kind: str, queries: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    """The hits of each query; an app of its own for every few, as each app limits the rate of calls."""
    toolset, tool = TOOLS[kind]
    for start in range(0, len(queries), AT_ONCE):
        settings = read_settings({"project": path, "toolsets": (toolset,)}, os.environ)
        app = build_app(settings, write_journal=lambda lines: None)
        for each in app.toolsets:
            if each.upkeep is not None:
                each.upkeep.refresh(lambda done, total, document: None)
        for query in queries[start : start + AT_ONCE]:
            value: Any = app.executor.call(tool, {"query": query}).value
            yield list(value["results"] if isinstance(value, dict) else value or ())


def _is_unsure(hits: Sequence[dict[str, Any]]) -> bool:
    return all(hit.get("unsure") for hit in hits)


def _is_right(hit: dict[str, Any], files: frozenset[str]) -> bool:
    place = str(hit["citation"]).partition("#")[0]
    return any(place == file or place.startswith(f"{file}/") for file in files)


def _row(outcome: Outcome) -> list[str]:
    return [
        outcome.project,
        outcome.kind,
        "last" if outcome.is_last else "first",
        f"{outcome.wrong} of {outcome.answerable}",
        f"{outcome.found} of {outcome.answerable}",
        f"{outcome.said} of {outcome.unanswerable}",
    ]


if __name__ == "__main__":
    raise SystemExit(main())
