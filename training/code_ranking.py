"""Learns the weights of the one ranking for code, and prints them with figures of the projects that were left out.

Each question picks one of its candidates: the weights are those under which the chunks that answer it, or (less) the
other chunks of their files, are picked most likely. The slope and the bias that turn the sum into the logarithm of odds
are a logistic regression on the same candidates. The projects are those of `benchmarks.code_places` that may be chosen
on; the others are not read here. `fieldguide.search.mixed.code_ranking` holds what it prints.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from benchmarks.code_answers import indexed
from benchmarks.code_places import CHOSEN, FIRST_FEW, Question, Span, read_questions
from fieldguide.files.kinds import find_role
from fieldguide.search.code_ranking import WEIGHTS, CodeChunk, CodeFeatures, QuestionNames, compute_code_features
from fieldguide.search.indexes.document_store import StoredDocument
from fieldguide.search.pools import CODE_LOOKED_AT, Pool, PoolCandidate, collect_candidates
from fieldguide.search.ranking import read_mark

NAMES = CodeFeatures._fields
BY_HAND = (
    "file",
    "asked_role",
    "exact",
    "named",
    "spoken",
    "inside",
)  # too few questions name something to learn these
RIDGE = 0.02
FILE_SHARE = 0.3  # how much another chunk of a right file counts
STEPS = 400
RATE = 0.05


class Example(NamedTuple):
    """A question with the features of its candidates, their lines, and how right each is (0 to 1)."""

    question: Question
    features: Any
    places: Sequence[Span]
    right: Any


def main() -> int:
    """Learn on all projects that are given, and on all but one for each."""
    parser = argparse.ArgumentParser(prog="python -m training.code_ranking", description=__doc__)
    parser.add_argument("--checkout", nargs="+", required=True, metavar="NAME=PATH", help="where projects are")
    checkouts = dict(each.split("=", 1) for each in parser.parse_args().checkout)
    examples = [each for name, path in checkouts.items() if name in CHOSEN for each in read_examples(name, path)]
    for name in checkouts:
        own = [each for each in examples if each.question.repository == name]
        others = learn([each for each in examples if each.question.repository != name])
        print(f"{name} left out: {describe(own, others)}; present weights: {describe(own, numpy.array(WEIGHTS))}")
    weights = learn(examples)
    slope, bias = calibrate(examples, weights)
    print(f"all: {describe(examples, weights)}; present weights: {describe(examples, numpy.array(WEIGHTS))}")
    print("\n".join(f"{name}={weight:.2f}" for name, weight in zip(NAMES, weights, strict=True)))
    print(f"slope {slope:.3f}, bias {bias:.2f}")
    return 0


def read_examples(name: str, checkout: str) -> list[Example]:
    """The candidates of the questions to a project, as the product finds them."""
    with tempfile.TemporaryDirectory(prefix="fieldguide-training-") as folder:
        engine, scope = indexed(checkout, Path(folder))
        found: list[Example] = []
        for question in read_questions(name):
            asked = QuestionNames(question.text)

            def is_beside(document: StoredDocument, asked: QuestionNames = asked) -> bool:
                return asked.is_beside(read_mark(document) or find_role(document.name))

            pool = Pool(scope.sources, (), is_beside, CODE_LOOKED_AT)
            candidates = collect_candidates(engine, question.text, (pool,), names=asked.names).pools[0]
            found.append(_example(question, asked, candidates))
        return found


def _example(question: Question, asked: QuestionNames, candidates: Sequence[PoolCandidate]) -> Example:
    chunks = [
        CodeChunk(
            each.document.name,
            each.passage,
            read_mark(each.document) or find_role(each.document.name),
            each.fused,
            each.likeness,
            each.is_exact,
        )
        for each in candidates
    ]
    places = [Span(each.document.name, each.passage.start_line, each.passage.end_line) for each in candidates]
    right = [_rightness(place, question.answers) for place in places]
    return Example(question, numpy.array(compute_code_features(chunks, asked)), places, numpy.array(right))


def _rightness(place: Span, answers: Sequence[Span]) -> float:
    if any(place.touches(each) for each in answers):
        return 1.0
    return FILE_SHARE if any(place.path == each.path for each in answers) else 0.0


def learn(examples: Sequence[Example]) -> Any:
    """The weights that make the right candidates most likely, by steps against the gradient (Adam)."""
    known = [each for each in examples if each.right.sum() > 0]
    rows = numpy.concatenate([each.features for each in known])
    spread = rows.std(axis=0) + 1e-9
    is_free = numpy.array([name not in BY_HAND for name in NAMES])
    found = numpy.array(WEIGHTS) * spread * ~is_free
    slow, fast = numpy.zeros(len(NAMES)), numpy.zeros(len(NAMES))
    for step in range(1, STEPS + 1):
        gradient = RIDGE * found
        for each in known:
            scaled = each.features / spread
            likely = _softmax(scaled @ found)
            wanted = likely * each.right
            gradient += scaled.T @ (likely - wanted / wanted.sum()) / len(known)
        gradient *= is_free
        slow = 0.9 * slow + 0.1 * gradient
        fast = 0.99 * fast + 0.01 * gradient**2
        found -= RATE * (slow / (1 - 0.9**step)) / (numpy.sqrt(fast / (1 - 0.99**step)) + 1e-8)
    return found / spread


def _softmax(values: Any) -> Any:
    powers = numpy.exp(values - values.max())
    return powers / powers.sum()


def calibrate(examples: Sequence[Example], weights: Any) -> tuple[float, float]:
    """The slope and the bias of the logarithm of odds; every question counts the same."""
    sums = numpy.concatenate([each.features @ weights for each in examples])
    right = numpy.concatenate([each.right == 1.0 for each in examples]).astype(float)
    counts = numpy.concatenate([numpy.full(len(each.right), 100.0 / len(each.right)) for each in examples])
    rows = numpy.stack([sums - sums.mean(), numpy.ones(len(sums))], axis=1)
    found = numpy.zeros(2)
    for _ in range(30):
        likely = 1 / (1 + numpy.exp(-rows @ found))
        curve = (rows * (counts * likely * (1 - likely))[:, None]).T @ rows + 1e-6 * numpy.eye(2)
        found -= numpy.linalg.solve(curve, rows.T @ (counts * (likely - right)))
    return float(found[0]), float(found[1] - found[0] * sums.mean())


def describe(examples: Sequence[Example], weights: Any) -> str:
    """How often the right file and the right lines are first, and among the first few chunks, two of a file at most."""
    claims: list[tuple[bool, bool, bool, bool]] = []
    for each in examples:
        best: list[int] = []
        for number in numpy.argsort(-(each.features @ weights), kind="stable"):
            path = each.places[number].path
            if len(best) < FIRST_FEW and sum(each.places[other].path == path for other in best) < 2:
                best.append(number)
        right = [float(each.right[number]) for number in best]
        claims.append((right[0] > 0, max(right) > 0, right[0] == 1.0, max(right) == 1.0))
    files, files_few, lines, lines_few = numpy.array(claims).mean(axis=0)
    return f"file {files:.2f} / {files_few:.2f}, lines {lines:.2f} / {lines_few:.2f}"


if __name__ == "__main__":
    raise SystemExit(main())
