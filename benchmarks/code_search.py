"""How well a question in words finds the function that answers it: words alone, vectors alone, and fused.

Without `--data` the code is that of packages installed here, cut by the product's chunker; the question is a function's
own description, which is taken out of the code first. With `--data` each document of a labelled set is a function.
"""

import argparse
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.docstring_questions import sampled, stripped_files
from benchmarks.engines import Engine, find_embedder, new_document
from benchmarks.labelled_sets import read_sets
from benchmarks.ranking_figures import MEASURES, Figure, judge_ranking, summarize
from benchmarks.report import Goal
from fieldguide.search.engine import SearchQuestion
from fieldguide.search.models.choice import BUILT_IN
from fieldguide.search.ranking import CANDIDATES, RankedChunks
from fieldguide.search.types import NewDocument, Scope, SearchHit, SearchSource
from fieldguide.text.words import extract_query_terms
from fieldguide.toolsets.context.code_chunking import chunk_code

PACKAGES = ("_pytest", "hypothesis", "anyio", "pydantic", "starlette", "uvicorn", "mcp", "psycopg", "ruff", "mypy")
QUESTIONS = 400
SOURCE = SearchSource("benchmark", "code")
KEYWORD, VECTORS, FUSED = "keyword", "vectors", "fused"
ANSWER = "answer"


class Asked(NamedTuple):
    """A question, its answers and how good each is, and which of them (or what else) a hit stands for."""

    text: str
    labels: Mapping[str, float]
    name_of: Callable[[SearchHit], str]


class Task(NamedTuple):
    """Code to search in, and questions to it."""

    name: str
    documents: Sequence[NewDocument]
    questions: Sequence[Asked]


def main() -> int:
    """Measure each task, and say whether fused is the best."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code_search", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", help="a labelled set of functions, repeatable")
    parser.add_argument("--model", default=BUILT_IN)
    parser.add_argument("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    tasks = _labelled(options.data) if options.data else [_installed()]
    print(f"Code search. {report.describe_machine()}\n")
    goals: list[Goal] = []
    for task in tasks:
        figures = measure(task, options.model)
        print(f"{task.name}: {len(task.questions)} questions, {len(task.documents):,} documents")
        rows = [[name, *(str(each[measure]) for measure in MEASURES)] for name, each in figures.items()]
        print(report.format_table(["ranking", *MEASURES], rows), "\n")
        best = figures[FUSED][MEASURES[0]].mean
        for side in (KEYWORD, VECTORS):
            beside = report.divide(best, figures[side][MEASURES[0]].mean)
            goals.append(Goal(f"fused nDCG@10, {task.name}", side, "at least", 1.0, beside))
    print(report.format_goals(goals))
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def measure(task: Task, model: str) -> Mapping[str, Mapping[str, Figure]]:
    """The three measures of each ranking; the first hit of an answer counts."""
    with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
        engine = Engine(Path(folder) / "code.db", find_embedder(model))
        scope = Scope((engine.fill(SOURCE, task.documents),))
        rankings: Mapping[str, Callable[[str], Sequence[SearchHit]]] = {
            KEYWORD: lambda text: _by_words(engine, text, scope),
            VECTORS: lambda text: engine.search(SearchQuestion(text, scope, CANDIDATES, by_words=False)),
            FUSED: lambda text: engine.search(SearchQuestion(text, scope, CANDIDATES)),
        }
        judged = {name: [_judged(rank(each.text), each) for each in task.questions] for name, rank in rankings.items()}
    return {name: summarize(each) for name, each in judged.items()}


def _judged(hits: Sequence[SearchHit], asked: Asked) -> tuple[float, float, float]:
    return judge_ranking(list(dict.fromkeys(map(asked.name_of, hits))), asked.labels)


def _by_words(engine: Engine, text: str, scope: Scope) -> Sequence[SearchHit]:
    with engine.database.reading() as transaction:
        found = engine.index.by_words(transaction, extract_query_terms(text), scope, CANDIDATES)
        ranked = RankedChunks(found, dict.fromkeys(found, 1.0))
        return engine._hits(transaction, ranked, SearchQuestion(text, scope, CANDIDATES))


def _installed() -> Task:
    root = Path(sysconfig.get_paths()["purelib"])
    paths = sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))
    files = list(stripped_files(root, paths))
    documents = [
        new_document(file.path, file.path, file.text, outline=[], chunks=chunk_code(file.text, "python"))
        for file in files
    ]
    questions = [
        Asked(each.question, {ANSWER: 1.0}, partial(_placed, each.path, each.start_line, each.end_line))
        for each in sampled(files, QUESTIONS)
    ]
    return Task("descriptions of installed packages", documents, questions)


def _labelled(folders: Sequence[Path]) -> Iterator[Task]:
    for labelled in read_sets(folders):
        documents = [
            new_document(each.id, each.title, each.text, outline=[], chunks=chunk_code(each.text, "python"))
            for each in labelled.documents
        ]
        questions = [Asked(query.text, labelled.labels[query.id], _document_of) for query in labelled.queries]
        yield Task(labelled.name, documents, questions)


def _document_of(hit: SearchHit) -> str:
    return hit.document


def _placed(path: str, start: int, end: int, hit: SearchHit) -> str:
    """The answer is any chunk that shares a line with the function; every other chunk is a wrong one of its own."""
    if hit.document == path and hit.passage.start_line <= end and hit.passage.end_line >= start:
        return ANSWER
    return f"{hit.document} {hit.position}"


if __name__ == "__main__":
    raise SystemExit(main())
