"""Ranks files, chunks and lines by the chance that a task changes them."""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import exp, log
from typing import NamedTuple, Protocol

from fieldguide.files.kinds import IMPLEMENTATION, TESTS, TEXT_KINDS, find_role, find_text_kind
from fieldguide.git.history import History
from fieldguide.search.ranking import read_mark
from fieldguide.search.types import locate_chunk
from fieldguide.text import regex as re
from fieldguide.toolsets.guide.brief_candidates import (
    CODE,
    NAMED,
    NOWHERE,
    TEXT,
    BriefCandidates,
    CandidateFile,
    ChunkPlace,
    NamedUses,
    TaskText,
    WeighedTask,
    score_name,
    split_stems,
)

# The four tables of weights are learnt by `training.brief_learn`.
FIRST_WEIGHTS: dict[str, float] = {
    "": -5.0560,
    "text": 0.4376,
    "next_text": 1.0950,
    "words": 1.8419,
    "subject_likeness": 0.4562,
    "path": 1.0283,
    "named": 0.7126,
    "is_document": -1.0064,
    "is_record": -4.1516,
    "is_test": -0.0594,
    "is_beside": -0.2753,
    "is_text": -1.0,
    "is_asked_text": 0.0,
    "size": -0.1097,
    "recent": 1.1834,
    "often": 0.2932,
    "text_rank": 0.3332,
    "words_rank": 0.2277,
    "likeness_rank": 0.1966,
}
"""Weights of the first ranking of files, which picks those whose companions are looked up."""

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
"""Weights of a file."""

CHUNK_WEIGHTS: dict[str, float] = {
    "": -5.4255,
    "file": 0.4221,
    "chunks": -0.2390,
    "is_document": -1.3336,
    "is_test": -0.4977,
    "text": 2.5555,
    "words": 1.3562,
    "likeness": 0.1284,
    "named": 1.0122,
    "said": -0.2559,
    "is_first": 0.2049,
    "is_first_code": 0.6075,
    "lines": 0.4713,
    "share": -0.5245,
    "rank": 0.4108,
    "beside": 0.0545,
    "place": 0.4577,
    "is_end": 0.0306,
    "is_end_of_tests": 1.2323,
}
"""Weights of a chunk of a file."""

LINE_WEIGHTS: dict[str, float] = {
    "": -2.8597,
    "chunk": 0.7311,
    "lines": -0.4889,
    "is_document": -0.5707,
    "is_test": -0.2532,
    "is_import": 0.4839,
    "is_comment": -0.6946,
    "is_blank": 0.0616,
    "is_mark": -0.2207,
    "length": 0.5368,
    "said": 2.9324,
    "said_near": 2.7583,
    "said_around": -4.0056,
    "most_said": -0.2072,
    "name": 0.2845,
    "name_near": -0.6182,
    "is_first": 0.6481,
    "is_early": 0.0930,
    "is_last": 0.1189,
    "place": 0.2896,
    "depth": 0.2564,
    "is_end": -0.4116,
    "is_end_of_tests": 1.3608,
    "is_listed": 0.1413,
    "is_opening": -0.0994,
}
"""Weights of a line of a chunk."""

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


def compute_file_features(files: Sequence[CandidateFile], task: TaskText, history: History) -> list[Features]:
    """What tells of each file by itself."""
    found = [_compute_features(file, task, history) for file in files]
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


def add_companions(
    features: Sequence[Features], files: Sequence[CandidateFile], found: Mapping[str, FileCompanion]
) -> None:
    """Add to the features of each file how strongly it changes with the likely ones."""
    for each, file in zip(features, files, strict=True):
        strength = found[file.path].strength if file.path in found else 0.0
        each["together"] = log(strength + UNRELATED)


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
    }


def _path_share(path: str, task: TaskText) -> float:
    """How much of a file's name the task says; its first line counts most."""
    stems = split_stems(path.rpartition("/")[2].partition(".")[0].replace("_", " "))
    if not stems:
        return 0.0
    return sum((1.0 if each in task.subject_stems else 0.6) for each in stems if each in task.stems) / len(stems)


def compute_chunk_features(file: CandidateFile, file_chance: float, task: TaskText) -> list[Features]:
    """What tells of each chunk of a file."""
    texts = [place.scores.text for place in file.places]
    best = max(texts, default=0.0) or 1.0
    ranks = [0] * len(texts)
    for rank, number in enumerate(sorted(range(len(texts)), key=lambda number: -texts[number])):
        ranks[number] = rank
    kind = classify_file(file)
    shared = {
        "file": compute_log_odds(file_chance),
        "chunks": log(max(file.document.chunks, 1)),
        "is_document": float(kind == "document"),
        "is_test": float(kind == "test"),
    }
    chunks = file.document.chunks
    found: list[Features] = []
    for number, place in enumerate(file.places):
        position = locate_chunk(place.number)[1]
        is_end = float(position == chunks - 1)
        features = {**shared, **_features(place, task, is_code=file.kind == CODE)}
        features["place"] = position / max(chunks - 1, 1)
        features["is_end"] = is_end
        features["is_end_of_tests"] = is_end * (kind == "test")  # new tests are put below the others
        features["share"] = texts[number] / best
        features["rank"] = -log(1 + ranks[number])
        features["beside"] = max([*texts[max(number - 1, 0) : number], *texts[number + 1 : number + 2]], default=0.0)
        found.append(features)
    return found


def count_chunk_lines(place: ChunkPlace) -> int:
    """How many lines a chunk has."""
    return max(place.passage.end_line - place.passage.start_line + 1, 1)


def _features(place: ChunkPlace, task: TaskText, *, is_code: bool) -> Features:
    headings = place.passage.headings
    said = split_stems(headings[-1]) if headings else frozenset[str]()
    return {
        "text": place.scores.text,
        "words": place.scores.words,
        "likeness": place.scores.likeness,
        "named": score_name(headings, task) * is_code,
        "said": len(said & task.subject_stems) / len(said) if said else 0.0,
        "is_first": float(place.passage.start_line <= 3),
        "is_first_code": float(place.passage.start_line <= 3 and is_code),
        "lines": log(count_chunk_lines(place)),
    }


LONGEST = 400  # characters of a line that are looked at
# lines before and after
NEAR = 2
AROUND = 6
IMPORTS = ("import ", "from ", "use ", "pub use ", "#include", "# include", "require", "using ", "package ", "mod ")
COMMENTS = ("//", "#", "*", "/*", "--", '"""', "'''", ";")


def split_chunk_lines(place: ChunkPlace) -> list[str]:
    """The lines of a chunk, as they were indexed."""
    return place.passage.text.split("\n")[: place.passage.end_line - place.passage.start_line + 1]


def compute_line_features(
    file: CandidateFile, place: ChunkPlace, chunk_chance: float, weighed: WeighedTask
) -> list[Features]:
    """What tells of each line of a chunk."""
    lines = split_chunk_lines(place)
    said = [weighed.said(line[:LONGEST]) for line in lines]
    holds = [float(weighed.names_in(line[:LONGEST]) > 0) for line in lines]
    most = max(said, default=0.0) or 1.0
    count = len(lines)
    kind = classify_file(file)
    near = _smoothed(said, NEAR)
    around = _smoothed(said, AROUND)
    names = _smoothed(holds, NEAR)
    depths = [len(line) - len(line.lstrip()) for line in lines]
    is_end = locate_chunk(place.number)[1] == file.document.chunks - 1
    shared = {
        "chunk": compute_log_odds(chunk_chance),
        "lines": log(max(count, 1)),
        "is_document": float(kind == "document"),
        "is_test": float(kind == "test"),
    }
    return [
        {
            **shared,
            **_kind(line),
            "said": min(said[number], 1.0),
            "said_near": near[number],
            "said_around": around[number],
            "most_said": said[number] / most,
            "name": holds[number],
            "name_near": names[number],
            "is_first": float(number == 0),
            "is_early": float(number in (1, 2)),
            "is_last": float(number >= count - 2),
            "is_end": float(is_end and number >= count - 2),
            "is_end_of_tests": float(is_end and number >= count - 2 and kind == "test"),
            "place": number / max(count - 1, 1),
            "depth": max(min(depths[number] - depths[0], 12), -12) / 8 if line.strip() else 0.0,
        }
        for number, line in enumerate(lines)
    ]


def _kind(line: str) -> Features:
    bare = line.strip()
    return {
        "is_import": float(bare.startswith(IMPORTS) or " require(" in line),
        "is_comment": float(bare.startswith(COMMENTS) and not bare.startswith(("#include", "# include"))),
        "is_blank": float(not bare),
        "is_mark": float(bool(bare) and not any(map(str.isalnum, bare))),
        "is_listed": float(bare.endswith(",")),
        "is_opening": float(bare.endswith(("{", "(", "[", ":"))),
        "length": min(len(line), 200) / 100,
    }


def _smoothed(values: Sequence[float], reach: int) -> list[float]:
    """The mean of each value and those around it; what is beyond the ends counts as nothing."""
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    count = len(values)
    return [
        (sums[min(number + reach + 1, count)] - sums[max(number - reach, 0)]) / (2 * reach + 1)
        for number in range(count)
    ]


COMPANIONS = 20  # files that text does not bring, but the likely ones change with
OPENED = 40  # files whose chunks are all looked at
MOST_FILES = 120
MOST_CHUNKS = 360  # whose lines are looked at
HEADER_LINES = 3  # what is said above some lines costs as much as so many


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


class RankedChunk(NamedTuple):
    """A chunk with the chances of its lines."""

    file: RankedFile
    place: ChunkPlace
    chance: float
    lines: Sequence[float]


class RankedTask(NamedTuple):
    """The likely files, likeliest first, and the chunks that are likely for their length."""

    files: Sequence[RankedFile]
    chunks: Sequence[RankedChunk]


def rank_task(looking: FindsCandidates, task: TaskText, history: History, uses: NamedUses = NOWHERE) -> RankedTask:
    """Everything that a task may need, with its chance; `uses` are those of what the task names."""
    found = looking.found()
    ranked = rank_files(looking, found.files, task, history, uses)[:MOST_FILES]
    looking.open([each.file for each in ranked[:OPENED]])
    weighed = WeighedTask(task, found.stems)
    scored = score_chunks(ranked, task, uses)
    chunks = [
        RankedChunk(each, place, chance, _line_chances(each.file, place, chance, weighed, uses))
        for each, place, chance in scored[:MOST_CHUNKS]
    ]
    return RankedTask(ranked, chunks)


def rank_files(
    looking: FindsCandidates,
    files: dict[str, CandidateFile],
    task: TaskText,
    history: History,
    uses: NamedUses = NOWHERE,
) -> list[RankedFile]:
    """The files by their chances; those that change with the likely ones, or use what is named, are among them."""
    listed = list(files.values())
    first = [compute_chance(each, FIRST_WEIGHTS) for each in compute_file_features(listed, task, history)]
    found = find_companions(history, [file.path for file in listed], first)
    others = sorted(found.keys() - files.keys(), key=lambda path: (-found[path].strength, path))
    looking.add(files, others[:COMPANIONS])
    looking.add(files, sorted(uses.lines.keys() - files.keys()))
    listed = list(files.values())
    features = compute_file_features(listed, task, history)
    add_companions(features, listed, found)
    ranked: list[RankedFile] = []
    for file, each in zip(listed, features, strict=True):
        chance = raise_chance(compute_chance(each, FILE_WEIGHTS), uses.of_file(file.path))
        ranked.append(RankedFile(file, chance, each, found.get(file.path)))
    return sorted(ranked, key=lambda each: (-each.chance, each.file.path))


def score_chunks(
    ranked: Sequence[RankedFile], task: TaskText, uses: NamedUses = NOWHERE
) -> list[tuple[RankedFile, ChunkPlace, float]]:
    """The chunks of some files with their chances, those that have most chance for their length first."""
    scored: list[tuple[RankedFile, ChunkPlace, float]] = []
    for each in ranked:
        features = compute_chunk_features(each.file, each.chance, task)
        for place, known in zip(each.file.places, features, strict=True):
            by = uses.of_lines(each.file.path, place.passage.start_line, place.passage.end_line)
            scored.append((each, place, raise_chance(compute_chance(known, CHUNK_WEIGHTS), by)))
    return sorted(scored, key=lambda each: (-each[2] / (count_chunk_lines(each[1]) + HEADER_LINES), each[1].number))


def _line_chances(
    file: CandidateFile, place: ChunkPlace, chance: float, weighed: WeighedTask, uses: NamedUses
) -> list[float]:
    features = compute_line_features(file, place, chance, weighed)
    chances = [compute_chance(each, LINE_WEIGHTS) for each in features]
    if file.path not in uses.lines:
        return chances
    numbered = enumerate(chances, place.passage.start_line)
    return [raise_chance(each, uses.of_line(file.path, number)) for number, each in numbered]


STRONG = 0.05  # a habit of changing together
LITTLE_TEXT = 0.25
MOST_TOLD = 2


def explain_place(ranked: RankedFile, place: ChunkPlace | None, task: TaskText, *, is_shown: bool) -> str:
    """The reason for a file, or for a chunk of it; places that are only cited share theirs, so it is short."""
    if place is not None and score_name(place.passage.headings, task) >= NAMED:
        return "named in the task"
    companion = ranked.companion
    if companion is not None and companion.strength >= STRONG and ranked.features["text"] < LITTLE_TEXT:
        return f"changes with {companion.path.rpartition('/')[2]}"
    if ranked.features["path"] >= 1.0:
        return "named by its path"
    if place is None:
        return "has words of the task"
    if place.scores.words < LITTLE_TEXT < place.scores.likeness:
        return "near in meaning"
    text = place.passage.text.lower()
    stems = [stem for stem in task.subject_stems if stem in text]
    if not is_shown or not stems:
        return "has words of the task"
    longest = sorted(stems, key=lambda stem: (-len(stem), stem))  # the longer, the more they say
    return f"has {', '.join(longest[:MOST_TOLD])}"


FILE_SHARE = 0.2  # what all files are worth beside all lines
LEAST_LINES = 3
MOST_LINES = 60  # of a chunk that are looked at: each span of them is
CITED_TOKENS = 20  # of a citation, its name and its reason, beside its path
FURTHER_TOKENS = 18  # of what is said above further lines of a file
CHARACTERS_A_TOKEN = 3.6
LEAST_EXPECTED = 0.5


class PlannedPlace(NamedTuple):
    """A file to cite, or some lines of one to show (counted from 0 within their chunk)."""

    file: RankedFile
    chunk: RankedChunk | None
    worth: float
    start: int = 0
    end: int = 0


class LineWindow:
    """The lines of a chunk that are shown so far, and what could be shown next."""

    def __init__(self, chunk: RankedChunk, expected: float) -> None:
        self.chunk = chunk
        lines = split_chunk_lines(chunk.place)[:MOST_LINES]
        self.count = len(lines)
        self._values = _sums(value / expected for value in chunk.lines[: self.count])
        self._costs = _sums(map(estimate_tokens, lines))
        self.start = self.end = 0

    def opening(self) -> tuple[int, int]:
        """The lines that are worth most for their tokens, with what is said above them."""
        if self.count <= LEAST_LINES:
            return 0, self.count
        return max(self._spans(), key=lambda span: self._rate(span[0], span[1], FURTHER_TOKENS))

    def _spans(self) -> Iterator[tuple[int, int]]:
        for start in range(self.count - LEAST_LINES + 1):
            for end in range(start + LEAST_LINES, self.count + 1):
                yield start, end

    def further(self) -> list[tuple[float, int, int]]:
        """What could be added above and below, as worth for a token and lines."""
        below = [(self.end, end) for end in range(self.end + 1, self.count + 1)]
        above = [(start, self.start) for start in range(self.start - 1, -1, -1)]
        best = [max(spans, key=lambda span: self._rate(*span)) for spans in (below, above) if spans]
        return [(self._rate(start, end), start, end) for start, end in best]

    def worth(self, start: int, end: int) -> tuple[float, float]:
        """What some lines are worth, and what they cost."""
        return self._values[end] - self._values[start], self._costs[end] - self._costs[start]

    def _rate(self, start: int, end: int, beside: float = 0.0) -> float:
        return (self._values[end] - self._values[start]) / (self._costs[end] - self._costs[start] + beside)


class WorthOrder:
    """Takes what is worth most for its tokens, again and again."""

    def __init__(self, ranked: RankedTask) -> None:
        self._ranked = ranked
        self._files = max(sum(each.chance for each in ranked.files), LEAST_EXPECTED)
        expected = max(sum(sum(chunk.lines) for chunk in ranked.chunks), LEAST_EXPECTED)
        self._windows = [LineWindow(chunk, expected) for chunk in ranked.chunks if chunk.lines]
        self._heap: list[tuple[float, int, int, int, int]] = []
        self._told: set[str] = set()
        self._costs = {each.file.path: CITED_TOKENS + len(each.file.path) / 4 for each in ranked.files}

    def taken(self) -> list[PlannedPlace]:
        """Everything once, in the order of its worth."""
        for number, each in enumerate(self._ranked.files):
            self._push(self._value(each) / self._costs[each.file.path], -1, number)
        for number, window in enumerate(self._windows):
            self._offer(number, window)
        places: list[PlannedPlace] = []
        while self._heap:
            worth, number, start, end, with_file = heapq.heappop(self._heap)
            place = self._take_file(start) if number < 0 else self._take_lines(number, start, end, with_file)
            if place is not None:
                places.append(place._replace(worth=-worth))
        return places

    def worth_of(self, chance: float, text: str) -> float:
        """What something beside the files is worth for a token: as a file of this chance that is shown whole."""
        return FILE_SHARE * chance / self._files / (CITED_TOKENS + sum(map(estimate_tokens, text.split("\n"))))

    def _value(self, each: RankedFile) -> float:
        return FILE_SHARE * each.chance / self._files

    def _push(self, worth: float, number: int, start: int, end: int = 0, *, with_file: bool = False) -> None:
        heapq.heappush(self._heap, (-worth, number, start, end, int(with_file)))

    def _offer(self, number: int, window: LineWindow) -> None:
        """A window is worth more while its file is not told yet, and costs more too."""
        start, end = window.opening()
        value, cost = window.worth(start, end)
        file = window.chunk.file
        with_file = (value + self._value(file)) / (cost + self._costs[file.file.path])
        self._push(with_file, number, start, end, with_file=True)
        self._push(value / (cost + FURTHER_TOKENS), number, start, end)

    def _take_file(self, number: int) -> PlannedPlace | None:
        file = self._ranked.files[number]
        if file.file.path in self._told:
            return None
        self._told.add(file.file.path)
        return PlannedPlace(file, None, 0.0)

    def _take_lines(self, number: int, start: int, end: int, with_file: int) -> PlannedPlace | None:
        window = self._windows[number]
        file = window.chunk.file
        is_open = window.end > 0
        if is_open and start != window.end and end != window.start:
            return None  # the window has grown since
        if with_file and (is_open or file.file.path in self._told):
            return None
        window.start = min(window.start, start) if is_open else start
        window.end = max(window.end, end)
        self._told.add(file.file.path)
        for worth, first, last in window.further():
            self._push(worth, number, first, last)
        return PlannedPlace(file, window.chunk, 0.0, start, end)


def _sums(values: Iterable[float]) -> list[float]:
    """The sums of the first none, one, two … of these."""
    return [0.0, *accumulate(values)]


def estimate_tokens(line: str) -> float:
    """About how many tokens a line has."""
    bare = line.strip()
    return 1.0 + len(bare[:500]) / CHARACTERS_A_TOKEN + (0.5 if line[:1].isspace() else 0.0)
