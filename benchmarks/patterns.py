"""How often a broken rule is found, and how often a rule is said to be broken that is not: on labelled snippets.

Precision and recall of the rules in front matter, beside a search for the words of each rule, by language; and what
checking 50,000 characters costs beside parsing them. `pattern_snippets/` holds the labels.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from ast_grep_py import SgRoot

from benchmarks import report
from benchmarks.pattern_snippets import LANGUAGES, Mark, Snippet, document_text, read_snippets
from benchmarks.pattern_words import by_words
from benchmarks.report import Goal
from fieldguide.toolsets.architecture.rules import new_pattern
from fieldguide.toolsets.architecture.rules.pattern import PatternDocument, check_code, detect_language, read_pattern

GOALS = {"precision": 0.97, "recall": 0.97}
LONG_LINES = 30
CHARACTERS = 50_000
MOST_MILLISECONDS = 150.0
ROUNDS = 5

Judge = Callable[[Snippet], set[Mark]]


@dataclass(slots=True)
class Score:
    """What was found rightly, what was found and is not there, what is there and was not found."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, expected: Iterable[Any], found: Iterable[Any]) -> None:
        wanted, got = set(expected), set(found)
        self.right += len(wanted & got)
        self.wrong += len(got - wanted)
        self.missed += len(wanted - got)

    @property
    def precision(self) -> float | None:
        return report.divide(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float | None:
        return report.divide(self.right, self.right + self.missed)


class Row(NamedTuple):
    """The scores of one judge on one language: rule and line, and the rule alone."""

    judge: str
    language: str
    snippets: int
    exact: Score
    by_rule: Score


class Timing(NamedTuple):
    """Median milliseconds for one language: the bare parse, a check by each starter, and the slowest of them."""

    language: str
    parse: float
    check: float
    slowest: float
    slowest_name: str


def main() -> int:
    """Measure, print, and with `--check` fail when a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.patterns", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each check is timed")
    parser.add_argument("--disagreements", action="store_true", help="show each finding that is wrong or missed")
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="every figure, for machines")
    options = parser.parse_args()
    snippets = read_snippets()
    rows = [row for name, judge in JUDGES.items() for row in measure(snippets, name, judge)]
    timings = [time_language(snippets, language, options.rounds) for language in LANGUAGES]
    goals = [*_quality_goals(rows), _time_goal(timings)]
    print(f"Patterns. {report.describe_machine()}\n")
    print(_described(snippets), "\n")
    print(_score_table(rows), "\n")
    print(_time_table(timings), "\n")
    if options.disagreements:
        print("\n".join(line for snippet in snippets for line in disagreements(snippet)), "\n")
    print(report.format_goals(goals))
    if options.json:
        figures = {"scores": [_as_json(row) for row in rows], "timings": [each._asdict() for each in timings]}
        report.write_json(options.json, benchmark="patterns", figures=figures, goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(snippets: Sequence[Snippet], name: str, judge: Judge) -> Iterator[Row]:
    """One row for each language, and one for all."""
    scores = {language: (Score(), Score()) for language in (*LANGUAGES, "all")}
    for snippet in snippets:
        found = _comparable(snippet, judge(snippet))
        for language in (snippet.language, "all"):
            exact, by_rule = scores[language]
            exact.add(snippet.expected, found)
            by_rule.add({rule for rule, _ in snippet.expected}, {rule for rule, _ in found})
    for language, (exact, by_rule) in scores.items():
        number = sum(snippet.language == language for snippet in snippets) if language != "all" else len(snippets)
        yield Row(name, language, number, exact, by_rule)


def disagreements(snippet: Snippet) -> Iterator[str]:
    """Where our findings and the labels differ, for people."""
    found = _comparable(snippet, by_rules(snippet))
    for word, marks in (("wrong", found - snippet.expected), ("missed", snippet.expected - found)):
        for rule, line in sorted(marks, key=str):
            shown = snippet.code.splitlines()[line - 1].strip() if line else ""
            yield f"{word:6} {snippet.title}:{line or ''}  {rule}  {shown}"


def by_rules(snippet: Snippet) -> set[Mark]:
    """What the product finds."""
    pattern = _pattern(snippet.document)
    findings = check_code(pattern, snippet.code, snippet.language, snippet.path).findings
    known = {rule.id for rule in pattern.rules if rule.origin == "front-matter"}
    return {(finding.rule, finding.line) for finding in findings if finding.rule in known}


JUDGES: Mapping[str, Judge] = {"rules": by_rules, "words": by_words}


@cache
def _pattern(name: str) -> PatternDocument:
    pattern = read_pattern(name, document_text(name))
    for problem in pattern.problems:  # its labels then count as missed
        print(f"{name}:{problem.document_line}: {problem.message}")
    return pattern


def _comparable(snippet: Snippet, found: set[Mark]) -> set[Mark]:
    """Findings without those that may be there or not; of something missing without the line, where any will do."""
    free = {rule for rule, line in snippet.expected if line is None}
    return {(rule, None if rule in free else line) for rule, line in found - snippet.allowed}


def time_language(snippets: Sequence[Snippet], language: str, rounds: int) -> Timing:
    """Checks of a long text by each starter, in turns with the bare parse."""
    text = _long_text(snippets, language)
    patterns = [_pattern(name) for name in new_pattern.list_starters()]
    parses: list[float] = []
    checks: dict[str, list[float]] = {pattern.name: [] for pattern in patterns}
    for _ in range(rounds):
        for pattern in patterns:
            parses.append(_timed(lambda: SgRoot(text, language).root()))
            checks[pattern.name].append(_timed(partial(check_code, pattern, text, language)))
    medians = {name: statistics.median(each) for name, each in checks.items()}
    slowest = max(medians, key=lambda name: medians[name])
    return Timing(language, statistics.median(parses), statistics.median(medians.values()), medians[slowest], slowest)


def _long_text(snippets: Sequence[Snippet], language: str) -> str:
    """As much of our own code in a language as a call may have."""
    codes = [each.code for each in snippets if each.language == language and "half" not in each.name]
    text = "\n".join(codes)
    return (text * (CHARACTERS // len(text) + 1))[:CHARACTERS]


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def _quality_goals(rows: Sequence[Row]) -> Iterator[Goal]:
    for row in rows:
        if row.judge != "rules" or row.language != "all":
            continue
        for measure_name, limit in GOALS.items():
            value = getattr(row.exact, measure_name)
            yield Goal(f"{measure_name}, front matter, rule and line", "the labels", "at least", limit, value)


def _time_goal(timings: Sequence[Timing]) -> Goal:
    worst = max(timing.slowest for timing in timings)
    return Goal("50,000 characters, slowest pattern, p50, ms", "the clock", "at most", MOST_MILLISECONDS, worst)


def _described(snippets: Sequence[Snippet]) -> str:
    long = sum(snippet.code.count("\n") >= LONG_LINES for snippet in snippets)
    told = sum(detect_language(snippet.code) == snippet.language for snippet in snippets)
    clean = sum(not snippet.expected for snippet in snippets)
    documents = len({snippet.document for snippet in snippets})
    return (
        f"{len(snippets)} snippets for {documents} documents, {long} of {LONG_LINES} lines or more, {clean} that break "
        f"nothing; the language of {told} is told right from the text alone"
    )


def _score_table(rows: Sequence[Row]) -> str:
    header = ["judge", "language", "snippets", "labels", "precision", "recall", "precision (rule)",
              "recall (rule)"]  # fmt: skip
    return report.format_table(
        header,
        [
            [
                row.judge, row.language, str(row.snippets), str(row.exact.right + row.exact.missed),
                _shown(row.exact.precision), _shown(row.exact.recall),
                _shown(row.by_rule.precision), _shown(row.by_rule.recall),
            ]
            for row in rows
        ],
    )  # fmt: skip


def _shown(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.3f}"


def _time_table(timings: Sequence[Timing]) -> str:
    header = ["50,000 characters", "bare parse, p50 ms", "check, p50 ms", "slowest pattern, p50 ms", ""]
    return report.format_table(
        header,
        [
            [
                each.language,
                f"{each.parse:.1f}",
                report.beside_ours(each.check, each.parse, digits=1),
                report.beside_ours(each.slowest, each.parse, digits=1),
                each.slowest_name,
            ]
            for each in timings
        ],
    )


def _as_json(row: Row) -> dict[str, Any]:
    scores = {
        name: {"precision": each.precision, "recall": each.recall, "right": each.right, "wrong": each.wrong,
               "missed": each.missed}
        for name, each in (("exact", row.exact), ("by_rule", row.by_rule))
    }  # fmt: skip
    return {"judge": row.judge, "language": row.language, "snippets": row.snippets, **scores}


if __name__ == "__main__":
    raise SystemExit(main())
