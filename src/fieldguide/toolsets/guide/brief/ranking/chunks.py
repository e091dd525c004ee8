"""The chance of each chunk that the task changes some of its lines."""

from collections.abc import Mapping, Sequence
from math import log

from fieldguide.search.port import place_of
from fieldguide.toolsets.guide.brief.ranking.candidates import CODE, File, Place
from fieldguide.toolsets.guide.brief.ranking.chances import chance, odds
from fieldguide.toolsets.guide.brief.ranking.files import Features, kind_of
from fieldguide.toolsets.guide.brief.ranking.names import named_of
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText, stems_of


def chunk_features(file: File, file_chance: float, task: TaskText) -> list[Features]:
    """What tells of each chunk of a file."""
    texts = [place.scores.text for place in file.places]
    best = max(texts, default=0.0) or 1.0
    ranks = _ranks(texts)
    kind = kind_of(file)
    shared = {
        "file": odds(file_chance),
        "chunks": log(max(file.document.chunks, 1)),
        "is_document": float(kind == "document"),
        "is_test": float(kind == "test"),
    }
    return [
        {**shared, **_features(place, task, is_code=file.kind == CODE)}
        | {
            **_where(place, file, is_test=kind == "test"),
            "share": texts[number] / best,
            "rank": -log(1 + ranks[number]),
            "beside": max([*texts[max(number - 1, 0) : number], *texts[number + 1 : number + 2]], default=0.0),
        }
        for number, place in enumerate(file.places)
    ]


def chunk_chances(features: Sequence[Features], weights: Mapping[str, float]) -> list[float]:
    """The chance of each chunk."""
    return [chance(each, weights) for each in features]


def lines_of(place: Place) -> int:
    """How many lines a chunk has."""
    return max(place.passage.end_line - place.passage.start_line + 1, 1)


def _features(place: Place, task: TaskText, *, is_code: bool) -> Features:
    headings = place.passage.headings
    said = stems_of(headings[-1]) if headings else frozenset[str]()
    return {
        "text": place.scores.text,
        "words": place.scores.words,
        "likeness": place.scores.likeness,
        "named": named_of(headings, task) * is_code,
        "said": len(said & task.subject_stems) / len(said) if said else 0.0,
        "is_first": float(place.passage.start_line <= 3),
        "is_first_code": float(place.passage.start_line <= 3 and is_code),
        "lines": log(lines_of(place)),
    }


def _where(place: Place, file: File, *, is_test: bool) -> Features:
    """Where a chunk stands in its file: new tests are put below the others."""
    position, last = place_of(place.number)[1], max(file.document.chunks - 1, 1)
    is_end = float(position == file.document.chunks - 1)
    return {"place": position / last, "is_end": is_end, "is_end_of_tests": is_end * is_test}


def _ranks(values: Sequence[float]) -> list[int]:
    ranks = [0] * len(values)
    for rank, number in enumerate(sorted(range(len(values)), key=lambda number: -values[number])):
        ranks[number] = rank
    return ranks
