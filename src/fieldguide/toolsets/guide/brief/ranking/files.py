"""The chance of each file: how its text fits, what it is called and for, when it changed, and with which others."""

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.project_history.history import History
from fieldguide.search.hits import mark_of
from fieldguide.source_code.roles import IMPLEMENTATION, TESTS, role_of
from fieldguide.toolsets.guide.brief.ranking.candidates import CODE, File
from fieldguide.toolsets.guide.brief.ranking.chances import chance
from fieldguide.toolsets.guide.brief.ranking.names import named_of
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText, stems_of

NEXT_BEST = 3
SEEDS = 8
LEAST_SEED = 0.02
USUAL_CHARACTERS = 4_000
LONG_AGO = 3_000  # commits
UNRELATED = 0.003  # what no common change is worth: the logarithm of nothing would count for everything
RECORD = re.compile(
    r"(?i)(?:.*/)?(?:(?:changelog|changes|history|news|release[-_]?notes|releases|upgrading|authors|contributors)[^/]*"
    r"|(?:\.?changelogs?|\.changesets?|changelog\.d|news|release[-_]?notes|releases)/[^/]+)"
)  # a list of what was done, or by whom: it holds the words of every task

Features = dict[str, float]


class Companion(NamedTuple):
    """How strongly a file changes with the likely ones, and with which of them most."""

    strength: float
    path: str


def features_of(files: Sequence[File], task: TaskText, history: History) -> list[Features]:
    """What tells of each file by itself."""
    found = [_features(file, task, history) for file in files]
    for name, ranked in (("text", "text_rank"), ("words", "words_rank"), ("likeness", "likeness_rank")):
        order = sorted(range(len(files)), key=lambda number: (-found[number][name], files[number].path))
        for rank, number in enumerate(order):
            found[number][ranked] = -log(1 + rank / 3)
    return found


def companions(history: History, paths: Sequence[str], chances: Sequence[float]) -> dict[str, Companion]:
    """The files that changed together with the likeliest ones, in the past, and how strongly."""
    likely = sorted(zip(chances, paths, strict=True), key=lambda each: (-each[0], each[1]))[:SEEDS]
    found: dict[str, Companion] = {}
    best: dict[str, float] = {}
    for seed_chance, seed in likely:
        if seed_chance < LEAST_SEED:
            break
        for path, strength in history.together([seed]).items():
            shared = seed_chance * min(strength, 1.0)
            known = found.get(path, Companion(0.0, seed))
            most = seed if shared > best.get(path, 0.0) else known.path
            best[path] = max(shared, best.get(path, 0.0))
            found[path] = Companion(1 - (1 - known.strength) * (1 - shared), most)
    return found


def with_companions(
    features: Sequence[Features], files: Sequence[File], found: Mapping[str, Companion]
) -> list[Features]:
    """The same features, with what changes together."""
    return [
        {**each, "together": log(found[file.path].strength + UNRELATED) if file.path in found else log(UNRELATED)}
        for each, file in zip(features, files, strict=True)
    ]


def file_chances(features: Iterable[Features], weights: Mapping[str, float]) -> list[float]:
    """The chance of each file."""
    return [chance(each, weights) for each in features]


def kind_of(file: File) -> str:
    """What a file is here: code, a test, or a document."""
    if file.kind != CODE:
        return "document"
    return "test" if (mark_of(file.document) or role_of(file.path)) == TESTS else "code"


def _features(file: File, task: TaskText, history: History) -> Features:
    texts = sorted((place.scores.text for place in file.places), reverse=True) or [0.0]
    role = mark_of(file.document) or role_of(file.path)
    changed = history.changed(file.path)
    is_code = file.kind == CODE
    return {
        "text": texts[0],
        "next_text": sum(texts[1 : NEXT_BEST + 1]) / NEXT_BEST,
        "words": max((place.scores.words for place in file.places), default=0.0),
        "likeness": max((place.scores.likeness for place in file.places), default=-1.0),
        "subject_likeness": max((place.scores.subject_likeness for place in file.places), default=-1.0),
        "path": _path_share(file.path, task),
        "named": max((named_of(place.passage.headings, task) for place in file.places), default=0.0) * is_code,
        "is_document": float(not is_code),
        "is_record": float(RECORD.fullmatch(file.path) is not None),
        "is_test": float(is_code and role == TESTS),
        "is_beside": float(is_code and role not in (IMPLEMENTATION, TESTS)),
        "size": log(max(file.document.size, 50) / USUAL_CHARACTERS),
        "recent": 1 - log(1 + _ago(changed.commits_ago) / 20) / 5,
        "often": log(1 + changed.times),
    }


def _ago(commits: int | None) -> int:
    """How many commits ago a file was changed; never is as long ago as anything."""
    return LONG_AGO if commits is None else min(commits, LONG_AGO)


def _path_share(path: str, task: TaskText) -> float:
    """How much of a file's name the task says; its first line counts most."""
    stems = stems_of(path.rpartition("/")[2].partition(".")[0].replace("_", " "))
    if not stems:
        return 0.0
    return sum((1.0 if each in task.subject_stems else 0.6) for each in stems if each in task.stems) / len(stems)
