"""What search costs: beside the bare queries it is made of, from a cold start, in a batch, and in bytes to read."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import report
from benchmarks.engines import Engine, find_embedder
from benchmarks.labelled_sets import read_set
from benchmarks.query_cost import QueryCost, measure_queries
from benchmarks.real_text import KUBERNETES, QUESTIONS, TRAINING, need, real_documents, real_queries, unpack_kubernetes
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
from fieldguide.search.models.choice import BUILT_IN
from fieldguide.search.types import SearchSource

SIZES = (10_000, 100_000)
DEFAULT_ROUNDS = 15
FIRST_ANSWER_SECONDS = 0.150
MILLISECONDS, MEBIBYTE = 1e3, 2**20


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that one run has measured."""

    queries: list[QueryCost]
    served: ServedCost
    answers: AnswerCost


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    add = parser.add_argument
    add("--model", default=BUILT_IN, help="built-in or openai:MODEL, for the queries in process")
    add("--rounds", type=int, default=DEFAULT_ROUNDS, help="cold starts of each kind")
    add("--json", type=Path, metavar="FILE", help="also write every figure to FILE")
    add("--check", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    need(KUBERNETES, TRAINING, QUESTIONS)
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        try:
            return run(options, Path(folder))
        except ServerError as failure:
            raise SystemExit(str(failure)) from failure


def run(options: argparse.Namespace, folder: Path) -> int:
    figures = measure(options, folder)
    goals = judge(figures)
    print(f"Search.\n{report.describe_machine()}\n")
    print_queries(figures.queries)
    print_served(figures.served)
    print_answers(figures.answers)
    print(report.format_goals(goals))
    if options.json:
        report.write_json(options.json, benchmark="search", figures=asdict(figures), goals=goals)
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(options: argparse.Namespace, folder: Path) -> Figures:
    costs = [measure_size(folder, options.model, chunks) for chunks in SIZES]
    print("indexing the kubernetes documentation", file=sys.stderr)
    project = folder / "kubernetes"
    unpack_kubernetes(project / "docs")
    index_project(project)
    asked = read_set(QUESTIONS)
    served = measure_served(project, real_queries([]), rounds=options.rounds)
    print("asking the questions", file=sys.stderr)
    ray = folder / "ray"
    write_project(ray, asked)
    index_project(ray)
    return Figures(costs, served, measure_answers(ray, asked))


def measure_size(folder: Path, model: str, chunks: int) -> QueryCost:
    print(f"filling an index with {chunks:,} chunks", file=sys.stderr)
    path = folder / f"{chunks}.db"
    engine = Engine(path, find_embedder(model))
    documents = list(real_documents(chunks))
    source = engine.fill(SearchSource("benchmark", "real"), documents)
    return measure_queries(engine, source, str(path), real_queries(documents))


def judge(figures: Figures) -> list[Goal]:
    served = figures.served
    later = report.divide(served.first_answer_seconds - served.list_seconds, FIRST_ANSWER_SECONDS)
    return [
        *(
            Goal(
                f"search of {each.chunks:,} chunks, p50",
                "bare FTS5 query + bare vector scan",
                "at most",
                1.3,
                report.divide(each.engine_p50, each.bare_p50),
            )
            for each in figures.queries
        ),
        Goal("first answer after tools/list, cold start", "150 ms", "at most", 1.0, later),
        Goal(
            "a batch of 10 queries",
            "10 calls",
            "at most",
            1.0,
            report.divide(served.batch_seconds, served.ten_calls_seconds),
        ),
    ]


def print_queries(costs: Sequence[QueryCost]) -> None:
    rows = []
    for each in costs:
        pairs = [
            (each.engine_p50, each.engine_p95),
            (each.words_p50, each.words_p95),
            (each.scan_p50, each.scan_p95),
            (each.bare_p50, each.bare_p95),
        ]
        cells = [f"{p50 * MILLISECONDS:.1f} / {p95 * MILLISECONDS:.1f}" for p50, p95 in pairs]
        busy = f"{each.engine_cpu_p50 * MILLISECONDS:.1f} / {each.bare_cpu_p50 * MILLISECONDS:.1f}"
        ratio = f"{each.engine_p50 / each.bare_p50:.2f}"
        rows.append([f"{each.chunks:,}", str(each.queries), *cells, ratio, busy])
    header = [
        "chunks",
        "queries",
        "engine, ms p50 / p95",
        "bare FTS5",
        "bare scan",
        "bare sum",
        "engine / bare sum, p50",
        "CPU p50, engine / bare sum",
    ]
    print(report.format_table(header, rows), end="\n\n")


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
