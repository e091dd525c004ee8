"""Ranks files, and the definitions of likely files, by the chance that a task changes them."""

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from math import exp, log
from typing import NamedTuple

from fieldguide.files.kinds import TESTS, TEXT_KINDS, find_role, find_text_kind, is_test
from fieldguide.git.history import History
from fieldguide.search.ranking import read_mark
from fieldguide.text import regex as re
from fieldguide.toolsets.guide.brief_candidates import (
    CODE,
    TEXT,
    CandidateFile,
    CandidateSearch,
    Definition,
    TaskText,
    WeighedTask,
    score_name,
    split_definitions,
    split_stems,
)

FILE_WEIGHTS: dict[str, float] = {
    "": -3.6451,
    "is_document": -0.9051,
    "is_record": -4.5996,
    "is_text": -1.0,
    "likeness_rank": 0.2979,
    "path": 0.5765,
    "recent": 1.2901,
    "same_said": 2.2203,
    "text": 1.2865,
    "text_rank": 0.2909,
    "together": 0.2282,
    "words": 1.8645,
    "words_rank": 0.2055,
}
"""Weights of a file, learnt from commits; a first ranking without companions picks those looked up.

Those of text beside the code are no learnt ones: such files are never right in the tasks that it learns from.
"""

FARTHEST = 30.0  # beyond this a chance is 0 or 1


def compute_chance(features: Mapping[str, float], weights: Mapping[str, float], raised: float = 0.0) -> float:
    """The chance that these features tell, its log odds raised; "" is the weight of what is always there."""
    total = weights[""] + sum(weights[name] * value for name, value in features.items() if name in weights)
    total += raised
    return 1.0 / (1.0 + exp(-max(-FARTHEST, min(FARTHEST, total))))


SEEDS = 8
LEAST_SEED = 0.02
LONG_AGO = 3_000  # commits
# Of a file where there is no history. Changed files have a median of 16 commits ago (144 files of three
# repositories); more is assumed, for most files don't change.
UNKNOWN_COMMITS_AGO = 60
UNRELATED = 0.003  # what no common change is worth: the logarithm of nothing would count for everything
RECORD = re.compile(
    r"(?i)(?:.*/)?(?:(?:changelog|changes|history|news|release[-_]?notes|releases|upgrading|authors|contributors)[^/]*"
    r"|(?:\.?changelogs?|\.changesets?|changelog\.d|news|release[-_]?notes|releases)/[^/]+)"
)  # a list of what was done, or by whom: it holds the words of every task

Features = dict[str, float]


MOST_SUBJECTS = 2_000  # commits whose subjects are compared with a task
MOST_OF_PATH = 80  # commits of one file that are looked at


@lru_cache(maxsize=2)
def index_subjects(history: History) -> Mapping[str, Sequence[int]]:
    """The places of the newest commits by the stems of their subjects."""
    places: dict[str, list[int]] = {}
    for place, commit in enumerate(history.changes[:MOST_SUBJECTS]):
        for stem in split_stems(commit.subject):
            places.setdefault(stem, []).append(place)
    return places


class PastCommits:
    """The commits before a task: which of them speak of the same, and what these changed.

    Who fixed the same thing before says more about where to look than most words of the code do: measured on 822 tasks
    of 28 repositories, leaving repositories out, .03 more of the changed places are named in 500 tokens.
    """

    def __init__(self, history: History, weighed: WeighedTask) -> None:
        self.history = history
        self.task = weighed.task
        self._said: dict[int, float] = {}
        known = index_subjects(history)
        for stem, weight in weighed.stems.items():
            for place in known.get(stem, ()):
                self._said[place] = self._said.get(place, 0.0) + weight / weighed.most

    def score_file(self, path: str) -> float:
        """How much the commit of a file that says most of the task says."""
        return max((self._said.get(place, 0.0) for place in self.history.places_of(path)[:MOST_OF_PATH]), default=0.0)


class FileCompanion(NamedTuple):
    """How strongly a file changes with the likely ones, and with which of them most."""

    strength: float
    path: str


def compute_file_features(files: Sequence[CandidateFile], past: PastCommits) -> list[Features]:
    """What tells of each file by itself and beside the others."""
    found = [_compute_features(file, past) for file in files]
    for name in ("text", "words", "likeness"):
        order = sorted(range(len(files)), key=lambda number: (-found[number][name], files[number].path))
        for rank, number in enumerate(order):
            found[number][f"{name}_rank"] = -log(1 + rank / 3)
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


def _compute_features(file: CandidateFile, past: PastCommits) -> Features:
    commits_ago = UNKNOWN_COMMITS_AGO
    if not past.history.lack:
        places = past.history.places_of(file.path)
        commits_ago = min(places[0], LONG_AGO) if places else LONG_AGO
    is_asked = find_text_kind(file.path) in past.task.text_kinds
    return {
        "text": max((place.text for place in file.places), default=0.0),
        "words": max((place.words for place in file.places), default=0.0),
        "likeness": max((place.likeness for place in file.places), default=-1.0),
        "path": _path_share(file.path, past.task),
        "is_document": float(file.kind not in (CODE, TEXT)),
        "is_record": float(RECORD.fullmatch(file.path) is not None),
        "is_text": float(file.kind == TEXT and not is_asked),
        "recent": 1 - log(1 + commits_ago / 20) / 5,
        "same_said": past.score_file(file.path),
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


# What it adds that a file uses what the task names. Of 27 files in two repositories (scrapy, fastify) that call a
# definition which a message names 14 were changed, where words and history alone expected 4; of 48 tests 22, for 10
USING_FILE = 1.5
USING_TEST = 1.0
COMPANIONS = 20  # files that text does not bring, but the likely ones change with


class RankedFile(NamedTuple):
    """A file with its chance, its features, and the file that it changes with."""

    file: CandidateFile
    chance: float
    features: Features
    companion: FileCompanion | None


def rank_files(
    looking: CandidateSearch,
    files: dict[str, CandidateFile],
    past: PastCommits,
    uses: Mapping[str, str],
    named: Set[str] = frozenset(),
) -> list[RankedFile]:
    """The files by their chances; those that change with the likely ones, or use what is named, are among them."""
    first = [compute_chance(each, FILE_WEIGHTS) for each in compute_file_features([*files.values()], past)]
    found = find_companions(past.history, [*files], first)
    others = sorted(found.keys() - files.keys(), key=lambda path: (-found[path].strength, path))
    looking.add(files, others[:COMPANIONS])
    looking.add(files, sorted((uses.keys() | named | past.task.paths) - files.keys()))
    listed = [*files.values()]
    ranked: list[RankedFile] = []
    for file, each in zip(listed, compute_file_features(listed, past), strict=True):
        if file.path in found:
            each["together"] = log(found[file.path].strength + UNRELATED)
        by = NAMED_FILE if file.path in named else score_path(file.path, past.task)
        if file.path in uses:
            by += USING_TEST if is_test(file.path) else USING_FILE
        chance = compute_chance(each, FILE_WEIGHTS, by)
        ranked.append(RankedFile(file, chance, each, found.get(file.path)))
    return sorted(ranked, key=lambda each: (-each.chance, each.file.path))


class RankedDefinition(NamedTuple):
    """A definition with its file and the chance that the task changes it."""

    file: RankedFile
    definition: Definition
    chance: float


DEFINITION_WEIGHTS: dict[str, float] = {
    "": -4.61,
    "file": 0.4951,
    "is_end_of_tests": 0.8597,
    "is_import": 0.9291,
    "lines": 0.173,
    "name_weight": 0.7306,
    "named": 1.1705,
    "rank": 0.3161,
    "share": 0.7485,
    "words": 1.0,
}
"""Weights of a definition, learnt from commits with five features more, whose loss costs nothing.

Those of `words` and the first were then set by hand, on 45 tasks of three repositories.
"""


def _score_text(definition: Definition) -> float:
    return max(place.text for place in definition.places)


def compute_definition_features(
    file: RankedFile, definitions: Sequence[Definition], weighed: WeighedTask
) -> list[Features]:
    """What tells of each definition of a file."""
    file_chance = min(max(file.chance, 1e-6), 1.0 - 1e-6)
    texts = [_score_text(each) for each in definitions]
    order = sorted(range(len(texts)), key=lambda number: -texts[number])
    ranks = {number: rank for rank, number in enumerate(order)}
    best_text = max(texts, default=0.0) or 1.0
    is_tests = classify_file(file.file) == "test"
    found: list[Features] = []
    for number, each in enumerate(definitions):
        names = split_stems(" ".join(each.headings))
        found.append(
            {
                "file": log(file_chance / (1.0 - file_chance)),
                "words": max(place.words for place in each.places),
                "share": texts[number] / best_text,
                "rank": -log(1 + ranks[number]),
                "named": score_name(each.headings, weighed.task) * (file.file.kind == CODE),
                "name_weight": sum(weighed.stems.get(stem, 0.0) for stem in names) / weighed.most,
                "lines": log(max(each.end - each.start + 1, 1)),
                "is_import": float(each.is_import),
                "is_end_of_tests": float(is_tests and number == len(definitions) - 1),
            }
        )
    return found


def is_written(path: str, headings: Sequence[str], task: TaskText) -> bool:
    """Whether a task writes a name with its class, module or package: `Client.send`, `Client::send` or `driver.New`."""
    if not headings:
        return False
    folder, _, file = path.rpartition("/")
    owners = headings[-2:-1] or (folder.rpartition("/")[2], file.partition(".")[0])
    return any(f"{owner}{mark}{headings[-1]}" in task.whole for owner in owners for mark in (".", "::", "#", "->"))


MOST_FILES = 40  # whose definitions are looked at
MOST_OPENED = 24  # all chunks of these: the twelve of the map, and as many below it; of others those that text found
WRITTEN_CHANCE = 0.9


class RankedTask(NamedTuple):
    """The likely files and the definitions of the likeliest, both likeliest first."""

    files: Sequence[RankedFile]
    definitions: Sequence[RankedDefinition]


def rank_task(
    looking: CandidateSearch,
    task: TaskText,
    history: History,
    uses: Mapping[str, str],
    named: Set[str] = frozenset(),
) -> RankedTask:
    """Everything that a task may change, with its chance; `uses` are those of what it names, `named` define that."""
    found, stems = looking.found()
    weighed = WeighedTask(task, stems)
    past = PastCommits(history, weighed)
    files = rank_files(looking, found, past, uses, named)[:MOST_FILES]
    looking.open([each.file for each in files[:MOST_OPENED]])
    ranked: list[RankedDefinition] = []
    for file in files:
        definitions = split_definitions(file.file)
        features = compute_definition_features(file, definitions, weighed)
        for each, known in zip(definitions, features, strict=True):
            chance = compute_chance(known, DEFINITION_WEIGHTS)
            if is_written(file.file.path, each.headings, task):
                chance = max(chance, WRITTEN_CHANCE)
            ranked.append(RankedDefinition(file, each, chance))
    ranked.sort(key=lambda each: (-each.chance, each.file.file.path, each.definition.start))
    return RankedTask(files, ranked)
