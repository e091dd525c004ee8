"""Scores answers against where the symbols of the questions are defined now.

python -m benchmarks.where_is_it                    # check the questions: is every symbol defined?
python -m benchmarks.where_is_it --refresh          # write the files where the symbols are now
python -m benchmarks.where_is_it answers-1a2b.tsv   # score; --keep NAME adds the result to results.tsv
"""

import argparse
import ast
import csv
import sys
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from benchmarks.source_tree import read_modules

FOLDER = Path(__file__).parent
QUESTIONS = FOLDER / "questions.tsv"
RESULTS = FOLDER / "results.tsv"
DEFINED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Question(NamedTuple):
    """A question, the names of what it asks for, and the files that define one of these names."""

    text: str
    symbols: tuple[str, ...]
    files: tuple[str, ...]


class Score(NamedTuple):
    """How many questions were answered by the first guess, and by the first or the second."""

    first: int
    either: int
    missed: list[str]


def main(argv: Sequence[str] | None = None) -> int:
    """Check the questions, and score answers where a file is given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.where_is_it", description=__doc__.splitlines()[0])
    parser.add_argument("answers", nargs="?", type=Path, help="a file with question, first and second guess")
    parser.add_argument("--refresh", action="store_true", help="write the present files into questions.tsv")
    parser.add_argument("--keep", metavar="NAME", help="add the score to results.tsv, as answered by NAME")
    given = parser.parse_args(argv)
    questions = read_questions()
    lost = [question for question in questions if not question.files]
    for question in lost:
        print(f"No definition of {', '.join(question.symbols)}: give the new name in questions.tsv. {question.text}")
    if lost:
        return 1
    if given.refresh:
        _write_questions(questions)
    if given.answers:
        score = score_answers(questions, _read_rows(given.answers))
        for line in score.missed:
            print(line)
        first, either = (round(100 * hits / len(questions)) for hits in (score.first, score.either))
        print(f"first guess {first} %, first or second {either} %, of {len(questions)} questions")
        if given.keep:
            _keep_result(given.answers.stem.removeprefix("answers-"), given.keep, first, either)
    return 0


def read_questions() -> list[Question]:
    """The questions, with the files where their symbols are defined now."""
    places = find_definitions()
    questions = []
    for row in _read_rows(QUESTIONS):
        symbols = tuple(row["symbols"].split(";"))
        files: set[str] = set()
        for symbol in symbols:
            files |= places[symbol]
        questions.append(Question(row["question"], symbols, tuple(sorted(files))))
    return questions


def find_definitions() -> dict[str, set[str]]:
    """For every class and function at the top of a module the files that define one of its name."""
    places: dict[str, set[str]] = defaultdict(set)
    for module in read_modules():
        for node in module.tree.body:
            if isinstance(node, DEFINED):
                places[node.name].add(module.path)
    return places


def score_answers(questions: Sequence[Question], answers: Sequence[dict[str, str]]) -> Score:
    """Compare the guesses with the files; a question that was not answered is missed."""
    guesses = {row["question"]: (row["first_guess"], row["second_guess"]) for row in answers}
    first = either = 0
    missed = []
    for question in questions:
        one, two = guesses.get(question.text, ("", ""))
        first += one in question.files
        if one in question.files or two in question.files:
            either += 1
        else:
            missed.append(f"missed: {question.text} {' or '.join(question.files)}; guessed {one}, {two}")
    return Score(first, either, missed)


def _read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def _write_questions(questions: Sequence[Question]) -> None:
    with QUESTIONS.open("w", encoding="utf-8") as file:
        file.write("question\tsymbols\tfiles\n")
        for question in questions:
            file.write(f"{question.text}\t{';'.join(question.symbols)}\t{';'.join(question.files)}\n")


def _keep_result(commit: str, answered_by: str, first: int, either: int) -> None:
    day = datetime.now(UTC).date().isoformat()
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(f"{commit}\t{day}\t{answered_by}\t{first}\t{either}\n")


if __name__ == "__main__":
    sys.exit(main())
