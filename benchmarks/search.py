"""What search costs: from a cold start, in a batch, and in bytes to read."""

import argparse
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import report
from benchmarks.labelled_sets import read_set
from benchmarks.real_text import KUBERNETES, QUESTIONS, need, real_queries, unpack_kubernetes
from benchmarks.report import Goal
from benchmarks.served_search import (
    TOKEN_LIMIT,
    AnswerCost,
    ServedCost,
    index_project,
    measure_answers,
    measure_served,
    write_project,
)
from benchmarks.stdio_client import ServerError

DEFAULT_ROUNDS = 15
FIRST_ANSWER_SECONDS = 0.150
MILLISECONDS, MEBIBYTE = 1e3, 2**20


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that one run has measured."""

    served: ServedCost
    answers: AnswerCost


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    add = parser.add_argument
    add("--rounds", type=int, default=DEFAULT_ROUNDS, help="cold starts of each kind")
    add("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    add("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    need(KUBERNETES, QUESTIONS)
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        try:
            return run(options, Path(folder))
        except ServerError as failure:
            raise SystemExit(str(failure)) from failure


def run(options: argparse.Namespace, folder: Path) -> int:
    figures = measure(folder, rounds=options.rounds)
    goals = judge(figures)
    print(f"Search.\n{report.describe_machine()}\n")
    print_served(figures.served)
    print_answers(figures.answers)
    print(report.format_goals(goals))
    if options.json:
        report.write_json(options.json, benchmark="search", figures=asdict(figures), goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(folder: Path, *, rounds: int) -> Figures:
    print("indexing the kubernetes documentation", file=sys.stderr)
    project = folder / "kubernetes"
    unpack_kubernetes(project / "docs")
    index_project(project)
    asked = read_set(QUESTIONS)
    served = measure_served(project, real_queries(), rounds=rounds)
    print("asking the questions", file=sys.stderr)
    ray = folder / "ray"
    write_project(ray, asked)
    index_project(ray)
    return Figures(served, measure_answers(ray, asked))


def judge(figures: Figures) -> list[Goal]:
    served = figures.served
    later = report.divide(served.first_answer_seconds - served.list_seconds, FIRST_ANSWER_SECONDS)
    return [
        Goal("first answer after tools/list, cold start", "150 ms", "at most", 1.0, later),
        Goal(
            "a batch of 10 queries",
            "10 calls",
            "at most",
            1.0,
            report.divide(served.batch_seconds, served.ten_calls_seconds),
        ),
    ]


def print_served(served: ServedCost) -> None:
    rows = [
        ["cold start to tools/list, ms", f"{served.list_seconds * MILLISECONDS:.0f}"],
        ["cold start to first search answer, ms", f"{served.first_answer_seconds * MILLISECONDS:.0f}"],
        [
            "first answer after tools/list, ms",
            f"{(served.first_answer_seconds - served.list_seconds) * MILLISECONDS:.0f}",
        ],
        ["the same, CPU", f"{(served.first_answer_cpu_seconds - served.list_cpu_seconds) * MILLISECONDS:.0f}"],
        ["batch of 10 queries, ms", f"{served.batch_seconds * MILLISECONDS:.0f}"],
        ["the same as 10 calls, ms", f"{served.ten_calls_seconds * MILLISECONDS:.0f}"],
        ["memory after tools/list, MiB", f"{served.list_resident_bytes / MEBIBYTE:.0f}"],
        ["memory while searching, MiB", f"{served.searching_resident_bytes / MEBIBYTE:.0f}"],
    ]
    print(report.format_table([f"served over stdio, {served.chunks:,} chunks, medians", ""], rows), end="\n\n")


def print_answers(answers: AnswerCost) -> None:
    rows = [
        [f"search, {TOKEN_LIMIT} hits", f"{answers.search_bytes:,.0f}"],
        ["section of the best hit", f"{answers.section_bytes:,.0f}"],
        ["search + section", f"{answers.search_and_section_bytes:,.0f}"],
        ["search + section, for each question whose page was found", f"{answers.bytes_per_answered_question:,.0f}"],
        ["search + whole page of the best hit", f"{answers.search_and_best_page_bytes:,.0f}"],
        ["whole labelled page, known beforehand", f"{answers.labelled_page_bytes:,.0f}"],
    ]
    found = f"{answers.labelled_among_hits:.0%}"
    print(f"{answers.questions} questions about Ray; the labelled page is among the hits of {found}.")
    print(report.format_table(["bytes of answers a question", "mean"], rows), end="\n\n")


if __name__ == "__main__":
    sys.exit(main())
