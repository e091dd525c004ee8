"""Whether code search answers with the code: hand-written questions to public repositories, by file and by symbol.

The questions are in `code_questions/`, one file a repository, half of them kept for judging: which half a question is
in is a hash of it. Each repository is a checkout on this machine, named by `--checkout scrapy=PATH`; nothing is
fetched. Words alone and vectors alone are asked beside the product.
"""

import argparse
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import report
from benchmarks.engines import Engine, find_embedder
from benchmarks.report import REPOSITORY, Goal
from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import is_code
from fieldguide.files.listing import list_files
from fieldguide.search.backlog import SourceFile
from fieldguide.search.engine import SearchQuestion
from fieldguide.search.models.choice import BUILT_IN
from fieldguide.search.ranking import CANDIDATES, CODE_FLOOR, FlooredSources, RankedChunks
from fieldguide.search.types import NewDocument, Scope, SearchHit, SearchSource
from fieldguide.text.words import extract_query_terms
from fieldguide.toolsets.context import file_documents, search, upkeep

QUESTIONS = REPOSITORY / "benchmarks" / "code_questions"
SOURCE = SearchSource("code", "code\n")
LIMIT = 10
KEYWORD, VECTORS, PRODUCT = "words alone", "vectors alone", "the product"
PLAIN, TEST = "plain", "test"


class Asked(NamedTuple):
    """A question, whether it names an identifier or asks for tests, and what answers it."""

    repository: str
    kind: str
    text: str
    files: frozenset[str]
    symbols: frozenset[str]

    @property
    def is_kept(self) -> bool:
        """Whether it is of the half that nobody looks at while choosing."""
        return hashlib.sha256(f"{self.repository}\0{self.text}".encode()).digest()[0] % 2 == 1


class Answered(NamedTuple):
    """The first hits of a question, and the CPU seconds that they took."""

    asked: Asked
    hits: Sequence[SearchHit]
    seconds: float

    @property
    def files(self) -> list[str]:
        return list(dict.fromkeys(hit.document for hit in self.hits))

    @property
    def has_symbol(self) -> bool:
        return any(".".join(hit.passage.headings) in self.asked.symbols for hit in self.hits)


def main() -> int:
    """Ask every question of every repository that is at hand."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.code_answers", description=__doc__)
    add = parser.add_argument
    add("--checkout", action="append", default=[], metavar="NAME=PATH", help="where a repository is checked out")
    add("--half", choices=("seen", "kept", "all"), default="kept")
    add("--show", action="store_true", help="print the answers of the seen half that are not right")
    add("--check", action="store_true", help="fail when a goal is missed")
    options = parser.parse_args()
    checkouts = dict(each.split("=", 1) for each in options.checkout)
    asked = [each for each in read_questions(checkouts) if options.half in ("all", _half(each))]
    if not asked:
        raise SystemExit("No question can be asked: name checkouts by --checkout NAME=PATH.")
    answers = answer_all(asked, checkouts)
    print(f"Code answers, {options.half} half. {report.describe_machine()}\n")
    print_report(answers)
    if options.show:
        show_wrong(answers[PRODUCT])
    goals = judge(answers[PRODUCT])
    print(report.format_goals(goals))
    return int(options.check and any(goal.verdict != "reached" for goal in goals))


def read_questions(names: Mapping[str, str]) -> list[Asked]:
    """The questions to the repositories with these names."""
    found: list[Asked] = []
    for name in names:
        for line in (QUESTIONS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            kind, text, files, symbols, *_ = line.split("\t")
            found.append(
                Asked(
                    name, kind, text, frozenset(files.split()), frozenset(symbols.replace(".prototype.", ".").split())
                )
            )
    return found


def answer_all(asked: Sequence[Asked], checkouts: Mapping[str, str]) -> Mapping[str, list[Answered]]:
    """What each ranking answers to each question."""
    answers: dict[str, list[Answered]] = {KEYWORD: [], VECTORS: [], PRODUCT: []}
    for name, path in checkouts.items():
        with tempfile.TemporaryDirectory(prefix="fieldguide-benchmark-") as folder:
            engine, scope = indexed(path, Path(folder))
            for ranking, rank in rankings(engine, scope).items():
                answers[ranking] += [_timed(each, rank) for each in asked if each.repository == name]
    return answers


def indexed(path: str, folder: Path) -> tuple[Engine, Scope]:
    """A repository's code in an engine of its own, read and cut as the product does it."""
    engine = Engine(folder / "code.db", find_embedder(BUILT_IN))
    project = ConfinedFolder(os.path.realpath(path))
    names = [each for each in list_files(project).paths if is_code(each)]
    documents = (_document(project, each) for each in names)
    return engine, Scope((engine.fill(SOURCE, (each for each in documents if each is not None)),))


def _document(project: ConfinedFolder, name: str) -> NewDocument | None:
    content = upkeep.read_code(project, name)
    if content is None:
        return None
    return file_documents.make_code_document(SourceFile(name, "", lambda: content, is_only_away=False), content, "")


def rankings(engine: Engine, scope: Scope) -> Mapping[str, Callable[[str], Sequence[SearchHit]]]:
    """Words alone, vectors alone, and what the product answers."""
    floor = FlooredSources(frozenset(scope.sources), CODE_FLOOR)
    return {
        KEYWORD: lambda text: _by_words(engine, text, scope),
        VECTORS: lambda text: engine.search(SearchQuestion(text, scope, LIMIT, by_words=False)),
        PRODUCT: lambda text: search.find_hits(engine, text, scope, None, (floor,))[:LIMIT],
    }


def _by_words(engine: Engine, text: str, scope: Scope) -> Sequence[SearchHit]:
    with engine.database.reading() as transaction:
        found = engine.index.by_words(transaction, extract_query_terms(text), scope, CANDIDATES)
        return engine._hits(
            transaction, RankedChunks(found, dict.fromkeys(found, 1.0)), SearchQuestion(text, scope, LIMIT)
        )


def _timed(asked: Asked, rank: Callable[[str], Sequence[SearchHit]]) -> Answered:
    before = time.process_time()
    hits = rank(asked.text)
    return Answered(asked, hits, time.process_time() - before)


def print_report(answers: Mapping[str, list[Answered]]) -> None:
    """One row for each ranking and each repository."""
    rows: list[list[str]] = []
    for ranking, each in answers.items():
        rows.append([ranking, "all", *_figures(each)])
        rows += [[ranking, name, *_figures(part)] for name, part in _by_repository(each).items()]
    heads = ["ranking", "repository", "n", "first", "in five", "plain first", "symbol in five", "named", "tests", "ms"]
    print(report.format_table(heads, rows), "\n")


def _figures(answered: Sequence[Answered]) -> list[str]:
    asked = [each for each in answered if each.asked.kind != TEST]
    plain = [each for each in asked if each.asked.kind == PLAIN]
    milliseconds = sorted(1000 * each.seconds for each in answered)[len(answered) // 2]
    return [
        str(len(answered)), f"{first(asked):.2f}", f"{in_five(asked):.2f}", f"{first(plain):.2f}",
        f"{_share([each._replace(hits=each.hits[:5]).has_symbol for each in asked if each.asked.symbols]):.2f}",
        f"{named(asked):.2f}", f"{tests(asked):.3f}", f"{milliseconds:.1f}",
    ]  # fmt: skip


def first(answered: Sequence[Answered]) -> float:
    """How often the first file is right."""
    return _share([bool(each.files) and each.files[0] in each.asked.files for each in answered])


def in_five(answered: Sequence[Answered]) -> float:
    """How often a right file is among the first five hits."""
    return _share([any(hit.document in each.asked.files for hit in each.hits[:5]) for each in answered])


def named(answered: Sequence[Answered]) -> float:
    """How many of the first five hits name their symbol."""
    return _share([bool(".".join(hit.passage.headings)) for each in answered for hit in each.hits[:5]])


def tests(answered: Sequence[Answered]) -> float:
    """How many of the first five hits are of tests."""
    return _share([_is_test(hit.document) for each in answered for hit in each.hits[:5]])


def _is_test(path: str) -> bool:
    """Judged here by plain words, not by the product's own rule."""
    parts = path.lower().split("/")
    return any(part in ("test", "tests", "spec", "testdata") for part in parts[:-1]) or "test" in parts[-1]


def judge(answered: Sequence[Answered]) -> list[Goal]:
    """The goals of code search."""
    asked = [each for each in answered if each.asked.kind != TEST]
    plain = [each for each in asked if each.asked.kind == PLAIN]
    return [
        Goal("right file first", "questions", "at least", 0.68, first(asked)),
        Goal("right file in five", "questions", "at least", 0.85, in_five(asked)),
        Goal("right file first", "plain questions", "at least", 0.62, first(plain)),
        Goal("symbol named", "hits", "at least", 0.90, named(asked)),
        Goal("tests", "hits", "at most", 0.02, tests(asked)),
    ]


def show_wrong(answered: Sequence[Answered]) -> None:
    """The questions of the seen half whose first file is wrong, and what came."""
    for each in answered:
        if each.asked.is_kept or (each.files and each.files[0] in each.asked.files):
            continue
        print(f"{each.asked.repository} {each.asked.kind}: {each.asked.text}  -> {' '.join(sorted(each.asked.files))}")
        for hit in each.hits[:6]:
            mark = "*" if hit.document in each.asked.files else " "
            symbol = ".".join(hit.passage.headings)
            print(f"   {mark} {hit.score:.3f} {hit.distance:.3f} {hit.document} {symbol}")


def _by_repository(answered: Sequence[Answered]) -> dict[str, list[Answered]]:
    names = dict.fromkeys(each.asked.repository for each in answered)
    return {name: [each for each in answered if each.asked.repository == name] for name in names}


def _half(asked: Asked) -> str:
    return "kept" if asked.is_kept else "seen"


def _share(claims: Sequence[bool]) -> float:
    return sum(claims) / len(claims) if claims else 0.0


if __name__ == "__main__":
    raise SystemExit(main())
