"""Learns how likely a candidate of `guide_search` is right, and writes the weights and their card.

A logistic regression over the features of `fieldguide.toolsets.guide.search_scoring`, on the questions of
`benchmarks/mixed_questions` that may be chosen on. Each question counts the same. Of the candidates that touch a span,
the best counts in full and the others little: a span is found once. What it does where it was not learnt is measured by
leaving one repository out at a time; the half that is kept is not read here.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy

from benchmarks.mixed_questions.judging import Place, ndcg, new_spans
from benchmarks.mixed_questions.questions import CHOOSE, Asked, read_questions
from benchmarks.mixed_questions.serving import served
from fieldguide.spine.tool import Call
from fieldguide.spine.toolset import Services
from fieldguide.text.cancellation import Cancellation
from fieldguide.toolsets.guide import search_candidates, search_scoring
from fieldguide.toolsets.guide.search_scoring import CandidateFeatures, PlacedCandidate, list_hits, score_candidate

NAMES = (search_scoring.BIAS, *CandidateFeatures._fields)
RIDGE = 3.0  # the same from 1 to 30 in what is left out
FOUND_ALREADY = 0.15  # how much a further candidate of a span counts
QUESTION_WEIGHT = 100.0
STEPS = 60
BINS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 1.0)
LIMIT = 10


class Example(NamedTuple):
    """A question with its candidates."""

    asked: Asked
    placed: Sequence[PlacedCandidate]
    features: Sequence[CandidateFeatures]


def main() -> int:
    """Learn on all repositories, and on all but one for each."""
    parser = argparse.ArgumentParser(prog="python -m training.calibrate", description=__doc__)
    parser.add_argument("--checkout", nargs="+", required=True, metavar="NAME=PATH", help="where repositories are")
    parser.add_argument("--write", action="store_true", help="write the weights and the card into the package")
    options = parser.parse_args()
    checkouts = dict(each.split("=", 1) for each in options.checkout)
    examples = [example for name, path in checkouts.items() for example in gathered(name, path)]
    weights = learnt(examples)
    card = written_card(examples, weights)
    print(card)
    if options.write:
        file = Path(search_scoring.WEIGHTS_FILE)
        file.write_text(f"{json.dumps(weights, indent=2)}\n", encoding="utf-8")
        file.with_suffix(".md").write_text(card, encoding="utf-8")
    return 0


def gathered(name: str, checkout: str) -> list[Example]:
    """The candidates of the questions to a repository, as the product finds them."""
    with served(checkout) as project:
        services = _services(project.app)
        return [_example(services, asked) for asked in read_questions(name, CHOOSE)]


def learnt(examples: Sequence[Example]) -> dict[str, float]:
    """The weights that fit some questions best, by Newton's steps; features are put on one scale meanwhile."""
    rows = numpy.array([(1.0, *each) for example in examples for each in example.features])
    right, counts = (numpy.concatenate(column) for column in zip(*map(_labels, examples), strict=True))
    middle, spread = rows.mean(axis=0), rows.std(axis=0)
    middle[0], spread[spread == 0], spread[0] = 0.0, 1.0, 1.0
    scaled = (rows - middle) / spread
    ridge = numpy.array([0.0, *[RIDGE] * len(CandidateFeatures._fields)])
    found = numpy.zeros(len(NAMES))
    for _ in range(STEPS):
        likely = 1 / (1 + numpy.exp(-scaled @ found))
        curve = (scaled * (counts * likely * (1 - likely))[:, None]).T @ scaled + numpy.diag(ridge)
        found -= numpy.linalg.solve(curve, scaled.T @ (counts * (likely - right)) + ridge * found)
    plain = found / spread
    plain[0] = found[0] - (plain[1:] * middle[1:]).sum()
    return {name: round(float(weight), 3) for name, weight in zip(NAMES, plain, strict=True)}


def hits_of(example: Example, weights: Mapping[str, float]) -> list[tuple[Place, float]]:
    """The list that some weights make of the candidates, with the probability of each hit."""
    odds = search_scoring.compute_log_odds(example.features, weights)
    hits = list_hits((score_candidate(*pair) for pair in zip(example.placed, odds, strict=True)), LIMIT)
    return [(Place(hit.best.placed.path, hit.start, hit.end), search_scoring.to_probability(hit.odds)) for hit in hits]


def written_card(examples: Sequence[Example], weights: Mapping[str, float]) -> str:
    """What the weights are, what they were learnt on, and how they do on a repository that was left out."""
    names = list(dict.fromkeys(example.asked.repository for example in examples))
    told: list[tuple[float, bool]] = []
    rows: list[str] = []
    for name in names:
        others = learnt([each for each in examples if each.asked.repository != name])
        own = [(each, hits_of(each, others)) for each in examples if each.asked.repository == name]
        figure = mean(ndcg([place for place, _ in hits], each.asked.gold) for each, hits in own)
        rows.append(f"| {name} | {len(own)} | {figure:.3f} |")
        for each, hits in own:
            touched = new_spans([place for place, _ in hits], each.asked.gold)
            told += [(likely, bool(spans)) for (_, likely), spans in zip(hits, touched, strict=True)]
    lines = [f"| {name} | {weight:.3f} |" for name, weight in weights.items()]
    return CARD.format(
        questions=len(examples),
        repositories=", ".join(names),
        weights="\n".join(lines),
        left_out="\n".join(rows),
        reliability="\n".join(_reliability(told)),
    )


CARD = """# The weights of `guide_search`

A logistic regression: the sum of a candidate's features by these weights is the logarithm of the odds that it is right.
Learnt by `python -m training.calibrate` on {questions} questions to {repositories}
(`benchmarks/mixed_questions`, the half `choose`; the half `kept` was not read).

| feature | weight |
| --- | ---: |
{weights}

## Where it was not learnt

Each repository judged with the weights of the others.

| repository left out | questions | nDCG@10 |
| --- | ---: | ---: |
{left_out}

## Whether the probabilities are true

Hits of the repositories that were left out, by the probability that was told: how often such a hit touched a span that
no hit before it did.

| told | hits | mean told | right |
| --- | ---: | ---: | ---: |
{reliability}
"""


def _reliability(told: Sequence[tuple[float, bool]]) -> list[str]:
    rows: list[str] = []
    for low, high in pairwise(BINS):
        inside = [(likely, is_right) for likely, is_right in told if low <= likely < high]
        if inside:
            likely, right = mean(each for each, _ in inside), mean(is_right for _, is_right in inside)
            rows.append(f"| {low:g} to {high:g} | {len(inside)} | {likely:.2f} | {right:.2f} |")
    return rows


def _labels(example: Example) -> tuple[Any, Any]:
    """Which candidates touch a span, and how much each counts."""
    right, counts = numpy.zeros(len(example.placed)), numpy.ones(len(example.placed))
    order = sorted(range(len(example.placed)), key=lambda number: -example.features[number].fused)
    places = [_place(example.placed[number]) for number in order]
    for number, place, new in zip(order, places, new_spans(places, example.asked.gold), strict=True):
        right[number] = float(any(new_spans([place], example.asked.gold)))
        counts[number] = FOUND_ALREADY if right[number] and not new else 1.0
    return right, counts * QUESTION_WEIGHT / max(counts.sum(), 1.0)


def _place(placed: PlacedCandidate) -> Place:
    passage = placed.candidate.passage
    return Place(placed.path, passage.start_line, passage.end_line)


def _services(app: Any) -> Services:
    from fieldguide.settings.config import open_project_folder

    return Services(
        project=open_project_folder(app.settings),
        settings={},
        changes=app.changes,
        database=app.database,
        engine=app.engine,
        note=app.executor.journal.note,
        find_tool=app.executor.registry.find,
    )


def _example(services: Services, asked: Asked) -> Example:
    call = Call("guide_search", {}, Cancellation())
    wanted = search_candidates.GuideQuery(asked.text, frozenset(), LIMIT)
    found = search_candidates.gather_candidates(
        services, search_candidates.list_shelves(services, call, asked.text), wanted, call
    )
    return Example(asked, found.placed, found.features)


if __name__ == "__main__":
    raise SystemExit(main())
