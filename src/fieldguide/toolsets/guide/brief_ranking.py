"""Ranks files, and the definitions of likely files, by the chance that a task changes them."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, log
from typing import NamedTuple, Protocol

from fieldguide.files.kinds import IMPLEMENTATION, TESTS, TEXT_KINDS, find_role, find_text_kind
from fieldguide.git.history import ChangeCount, History
from fieldguide.search.ranking import read_mark
from fieldguide.text import regex as re
from fieldguide.toolsets.guide.brief_candidates import (
    CODE,
    NOWHERE,
    TEXT,
    BriefCandidates,
    CandidateFile,
    Definition,
    NamedUses,
    TaskText,
    WeighedTask,
    score_name,
    split_definitions,
    split_stems,
)

FILE_WEIGHTS: dict[str, float] = {
    "": -3.4593,
    "text": 0.5095,
    "next_text": 0.8461,
    "words": 1.6740,
    "subject_likeness": 0.3729,
    "path": 0.8979,
    "named": 0.6653,
    "is_document": -0.8912,
    "is_record": -3.9145,
    "is_test": -0.1166,
    "is_beside": -0.1998,
    "is_text": -1.0,
    "is_asked_text": 0.0,
    "size": -0.0723,
    "recent": 1.0412,
    "often": 0.1509,
    "text_rank": 0.3565,
    "words_rank": 0.2104,
    "likeness_rank": 0.1776,
    "together": 0.2499,
}
"""Weights of a file, learnt by `training.brief_learn`; a first ranking without companions picks those looked up."""

FARTHEST = 30.0  # beyond this a chance is 0 or 1


def compute_chance(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The chance that these features tell; "" is the weight of what is always there."""
    total = weights[""] + sum(weights[name] * value for name, value in features.items() if name in weights)
    return 1.0 / (1.0 + exp(-max(-FARTHEST, min(FARTHEST, total))))


def compute_log_odds(chance: float) -> float:
    """The logarithm of a chance's odds."""
    bounded = min(max(chance, 1e-6), 1.0 - 1e-6)
    return log(bounded / (1.0 - bounded))


def raise_chance(chance: float, by: float) -> float:
    """A chance whose odds' logarithm grows by something."""
    if not by:
        return chance
    return 1.0 / (1.0 + exp(-max(-FARTHEST, min(FARTHEST, compute_log_odds(chance) + by))))


NEXT_BEST = 3
SEEDS = 8
LEAST_SEED = 0.02
USUAL_CHARACTERS = 4_000
LONG_AGO = 3_000  # commits
# Of a file where there is no history. Changed files have a median of 55 changes, the last 16 commits ago (144 files of
# three repositories); less is assumed, for most files don't change.
UNKNOWN_CHANGES = ChangeCount(10, 60)
UNRELATED = 0.003  # what no common change is worth: the logarithm of nothing would count for everything
RECORD = re.compile(
    r"(?i)(?:.*/)?(?:(?:changelog|changes|history|news|release[-_]?notes|releases|upgrading|authors|contributors)[^/]*"
    r"|(?:\.?changelogs?|\.changesets?|changelog\.d|news|release[-_]?notes|releases)/[^/]+)"
)  # a list of what was done, or by whom: it holds the words of every task

Features = dict[str, float]


class FileCompanion(NamedTuple):
    """How strongly a file changes with the likely ones, and with which of them most."""

    strength: float
    path: str


def compute_file_features(
    files: Sequence[CandidateFile], task: TaskText, history: History, known: Mapping[str, Features] | None = None
) -> list[Features]:
    """What tells of each file by itself; `known` are the features of files that were looked at before."""
    before = known or {}
    found = [{**(before.get(file.path) or _compute_features(file, task, history))} for file in files]
    for name, ranked in (("text", "text_rank"), ("words", "words_rank"), ("likeness", "likeness_rank")):
        order = sorted(range(len(files)), key=lambda number: (-found[number][name], files[number].path))
        for rank, number in enumerate(order):
            found[number][ranked] = -log(1 + rank / 3)
    return found


def find_companions(history: History, paths: Sequence[str], chances: Sequence[float]) -> dict[str, FileCompanion]:
    """The files that changed together with the likeliest ones, in the past, and how strongly."""
    likely = sorted(zip(chances, paths, strict=True), key=lambda each: (-each[0], each[1]))[:SEEDS]
    found: dict[str, FileCompanion] = {}
    best: dict[str, float] = {}
    for seed_chance, seed in likely:
        if seed_chance < LEAST_SEED:
            break
        for path, strength in history.together([seed]).items():
            shared = seed_chance * min(strength, 1.0)
            known = found.get(path, FileCompanion(0.0, seed))
            most = seed if shared > best.get(path, 0.0) else known.path
            best[path] = max(shared, best.get(path, 0.0))
            found[path] = FileCompanion(1 - (1 - known.strength) * (1 - shared), most)
    return found


def classify_file(file: CandidateFile) -> str:
    """What a file is here: code, a test, a document, or a kind of text beside the code."""
    if file.kind == TEXT:
        return find_text_kind(file.path)
    if file.kind != CODE:
        return "document"
    role = read_mark(file.document) or find_role(file.path)
    if role == TESTS:
        return "test"
    return role if role in TEXT_KINDS else "code"


def _compute_features(file: CandidateFile, task: TaskText, history: History) -> Features:
    scores = [place.scores for place in file.places]
    texts = sorted((each.text for each in scores), reverse=True) or [0.0]
    role = read_mark(file.document) or find_role(file.path)
    changed = history.changed(file.path)
    if history.lack:
        changed = UNKNOWN_CHANGES
    commits_ago = LONG_AGO if changed.commits_ago is None else min(changed.commits_ago, LONG_AGO)
    is_code = file.kind in (CODE, TEXT)
    is_asked = find_text_kind(file.path) in task.text_kinds
    return {
        "text": texts[0],
        "next_text": sum(texts[1 : NEXT_BEST + 1]) / NEXT_BEST,
        "words": max((each.words for each in scores), default=0.0),
        "likeness": max((each.likeness for each in scores), default=-1.0),
        "subject_likeness": max((each.subject_likeness for each in scores), default=-1.0),
        "path": _path_share(file.path, task),
        "named": max((score_name(place.passage.headings, task) for place in file.places), default=0.0) * is_code,
        "is_document": float(not is_code),
        "is_record": float(RECORD.fullmatch(file.path) is not None),
        "is_test": float(is_code and role == TESTS),
        "is_beside": float(is_code and role not in (IMPLEMENTATION, TESTS, *TEXT_KINDS)),
        "is_text": float(file.kind == TEXT and not is_asked),
        "is_asked_text": float(file.kind == TEXT and is_asked),
        "size": log(max(file.document.size, 50) / USUAL_CHARACTERS),
        "recent": 1 - log(1 + commits_ago / 20) / 5,
        "often": log(1 + changed.times),
        "together": log(UNRELATED),
    }


def _path_share(path: str, task: TaskText) -> float:
    """How much of a file's name the task says; its first line counts most."""
    stems = split_stems(path.rpartition("/")[2].partition(".")[0].replace("_", " "))
    if not stems:
        return 0.0
    return sum((1.0 if each in task.subject_stems else 0.6) for each in stems if each in task.stems) / len(stems)


# what a path that the task writes adds to the logarithm of a file's odds: nobody has measured it
NAMED_FILE = 2.5
NAMED_FOLDER = 1.0


def score_path(path: str, task: TaskText) -> float:
    """What it adds to a file's odds that the task writes its path, the end of it, or a folder above it."""
    for written in task.paths:
        if path == written or path.endswith(f"/{written}"):
            return NAMED_FILE
    return NAMED_FOLDER if any(path.startswith(f"{written}/") for written in task.paths) else 0.0


COMPANIONS = 20  # files that text does not bring, but the likely ones change with


class FindsCandidates(Protocol):
    """Finds files and their chunks."""

    def found(self) -> BriefCandidates:
        """The files whose text fits, with the chunks that fit."""
        ...

    def add(self, files: dict[str, CandidateFile], paths: Iterable[str]) -> None:
        """Add files by their paths; those that are not indexed are left out."""
        ...

    def open(self, files: Sequence[CandidateFile]) -> None:
        """Look at all chunks of these files."""
        ...


class RankedFile(NamedTuple):
    """A file with its chance, its features, and the file that it changes with."""

    file: CandidateFile
    chance: float
    features: Features
    companion: FileCompanion | None


def rank_files(
    looking: FindsCandidates,
    files: dict[str, CandidateFile],
    task: TaskText,
    history: History,
    uses: NamedUses = NOWHERE,
) -> list[RankedFile]:
    """The files by their chances; those that change with the likely ones, or use what is named, are among them."""
    listed = list(files.values())
    known = dict(zip(files, compute_file_features(listed, task, history), strict=True))
    first = [compute_chance(each, FILE_WEIGHTS) for each in known.values()]
    found = find_companions(history, [file.path for file in listed], first)
    others = sorted(found.keys() - files.keys(), key=lambda path: (-found[path].strength, path))
    looking.add(files, others[:COMPANIONS])
    looking.add(files, sorted((uses.lines.keys() | task.paths) - files.keys()))
    listed = list(files.values())
    features = compute_file_features(listed, task, history, known)
    ranked: list[RankedFile] = []
    for file, each in zip(listed, features, strict=True):
        if file.path in found:
            each["together"] = log(found[file.path].strength + UNRELATED)
        by = uses.of_file(file.path) + score_path(file.path, task)
        chance = raise_chance(compute_chance(each, FILE_WEIGHTS), by)
        ranked.append(RankedFile(file, chance, each, found.get(file.path)))
    return sorted(ranked, key=lambda each: (-each.chance, each.file.path))


class RankedDefinition(NamedTuple):
    """A definition with its file and the chance that the task changes it."""

    file: RankedFile
    definition: Definition
    chance: float


DEFINITION_WEIGHTS: dict[str, float] = {
    "": -4.75,
    "beside": 0.5249,
    "file": 0.5112,
    "is_document": -0.5646,
    "is_end_of_tests": 1.0424,
    "is_import": 0.9845,
    "likeness": 0.1172,
    "lines": 0.2201,
    "name_said": -0.8362,
    "name_weight": 1.4572,
    "named": 0.9914,
    "rank": 0.2124,
    "share": 0.9274,
    "subject_likeness": 0.4080,
    "uses": 0.5532,
    "words": 1.2778,
}
"""Weights of a definition, learnt by `training.brief_learn` with ten features more.

Those (the words that a definition says and their rank, its place in the file, how many there are) were taken out one by
one on 34 tasks of ripgrep and fastify: most moved the changed places that were shown by less than .01. The constant was
lowered by an estimate of what they took away, so the chances of definitions are not calibrated.
"""


def compute_definition_features(
    file: RankedFile, definitions: Sequence[Definition], weighed: WeighedTask, uses: NamedUses
) -> list[Features]:
    """What tells of each definition of a file."""
    task = weighed.task
    kind = classify_file(file.file)
    log_odds = compute_log_odds(file.chance)
    texts = [each.best_text for each in definitions]
    order = sorted(range(len(texts)), key=lambda number: -texts[number])
    ranks = {number: rank for rank, number in enumerate(order)}
    best_text = max(texts, default=0.0) or 1.0
    found: list[Features] = []
    for number, each in enumerate(definitions):
        scores = [place.scores for place in each.places]
        names = frozenset[str]().union(*map(split_name, each.headings))
        last = split_name(each.headings[-1]) if each.headings else names
        is_end = number == len(definitions) - 1
        found.append(
            {
                "file": log_odds,
                "is_document": float(kind == "document"),
                "words": max(each.words for each in scores),
                "likeness": max(each.likeness for each in scores),
                "subject_likeness": max(each.subject_likeness for each in scores),
                "share": texts[number] / best_text,
                "rank": -log(1 + ranks[number]),
                "named": score_name(each.headings, task) * (file.file.kind == CODE),
                "name_said": len(last & task.subject_stems) / len(last) if last else 0.0,
                "name_weight": sum(weighed.stems.get(stem, 0.0) for stem in names) / weighed.most,
                "lines": log(max(each.end - each.start + 1, 1)),
                "is_import": float(each.is_import),
                "is_end_of_tests": float(is_end and kind == "test"),
                "beside": max([*texts[max(number - 1, 0) : number], *texts[number + 1 : number + 2]], default=0.0),
                "uses": float(uses.touches(file.file.path, each.start, each.end)),
            }
        )
    return found


def is_written(headings: Sequence[str], task: TaskText) -> bool:
    """Whether a task writes a name with what it stands in: `Client.send`, `Client::send` or `Client#send`."""
    if len(headings) < 2:
        return False
    owner, name = headings[-2:]
    return any(f"{owner}{mark}{name}" in task.whole for mark in (".", "::", "#", "->"))


@lru_cache(maxsize=20_000)
def split_name(name: str) -> frozenset[str]:
    """The stems of a name; the same ones come in every task."""
    return split_stems(name)


MOST_FILES = 40  # whose definitions are looked at
MOST_OPENED = 24  # all chunks of these: the twelve of the map, and as many below it; of others those that text found
WRITTEN_CHANCE = 0.9


class RankedTask(NamedTuple):
    """The likely files and the definitions of the likeliest, both likeliest first."""

    files: Sequence[RankedFile]
    definitions: Sequence[RankedDefinition]
    weighed: WeighedTask


def rank_task(looking: FindsCandidates, task: TaskText, history: History, uses: NamedUses = NOWHERE) -> RankedTask:
    """Everything that a task may change, with its chance; `uses` are those of what the task names."""
    found = looking.found()
    files = rank_files(looking, found.files, task, history, uses)[:MOST_FILES]
    looking.open([each.file for each in files[:MOST_OPENED]])
    weighed = WeighedTask(task, found.stems)
    ranked: list[RankedDefinition] = []
    for file in files:
        definitions = split_definitions(file.file)
        features = compute_definition_features(file, definitions, weighed, uses)
        for each, known in zip(definitions, features, strict=True):
            chance = compute_chance(known, DEFINITION_WEIGHTS)
            if is_written(each.headings, task):
                chance = max(chance, WRITTEN_CHANCE)
            ranked.append(RankedDefinition(file, each, chance))
    ranked.sort(key=lambda each: (-each.chance, each.file.file.path, each.definition.start))
    return RankedTask(files, ranked, weighed)
