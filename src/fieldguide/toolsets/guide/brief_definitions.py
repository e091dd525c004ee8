"""Ranks the definitions of likely files by the chance that a task changes them.

A definition is what the index keeps as a chunk: a function, a class or its head, a section of a document. Chunks of one
long definition are put together again up to `LONGEST` lines; what is longer is several parts of the same name.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from fieldguide.git.history import History
from fieldguide.search.types import locate_chunk
from fieldguide.toolsets.guide.brief_candidates import (
    CODE,
    NOWHERE,
    CandidateFile,
    ChunkPlace,
    NamedUses,
    TaskText,
    WeighedTask,
    score_name,
    split_stems,
)
from fieldguide.toolsets.guide.brief_ranking import (
    Features,
    FindsCandidates,
    RankedFile,
    classify_file,
    compute_chance,
    compute_log_odds,
    rank_files,
)

LONGEST = 120  # lines of one definition that are one place
LONGEST_SAID = 4_000  # characters of a definition whose words are compared
IMPORTS = (
    "import ",
    "from ",
    "use ",
    "pub use ",
    "#include",
    "# include",
    "using ",
    "package ",
    "mod ",
    "'use strict'",
)
COMMENTS = ("//", "#", "*", "/*", "--", ";")
QUOTES = ('"""', "'''")


class Definition(NamedTuple):
    """Lines of a file that belong together: a whole definition or section, or a part of a long one."""

    start: int
    end: int
    headings: tuple[str, ...]
    places: tuple[ChunkPlace, ...]
    text: str
    is_import: bool

    @property
    def best_text(self) -> float:
        """How well the best of its chunks fits the task."""
        return max(place.scores.text for place in self.places)


def split_definitions(file: CandidateFile) -> list[Definition]:
    """The definitions of a file in their order, as far as its chunks are known."""
    runs: list[list[Definition]] = []
    for place in file.places:
        for each in _make_definitions(place, is_code=file.kind == CODE):
            if runs and _belongs(runs[-1], each):
                runs[-1].append(each)
            else:
                runs.append([each])
    return [run[0] if len(run) == 1 else _join(run) for run in runs]


def _belongs(run: Sequence[Definition], each: Definition) -> bool:
    """Whether a chunk goes on with one definition that is not too long."""
    last = run[-1]
    if last.headings != each.headings or last.is_import or not each.headings:
        return False
    is_next = locate_chunk(last.places[-1].number)[1] + 1 == locate_chunk(each.places[0].number)[1]
    return is_next and each.end - run[0].start < LONGEST


def _join(run: Sequence[Definition]) -> Definition:
    places = tuple(each.places[0] for each in run)
    return run[0]._replace(end=run[-1].end, places=places, text="\n".join(each.text for each in run))


def _make_definitions(place: ChunkPlace, *, is_code: bool) -> Iterator[Definition]:
    """A chunk as it is, its imports apart."""
    start = place.passage.start_line
    lines = place.passage.text.split("\n")[: place.passage.end_line - start + 1]
    imports = count_import_lines(lines) if is_code else 0
    if imports:
        yield Definition(start, start + imports - 1, (), (place,), "\n".join(lines[:imports]), is_import=True)
    rest = "\n".join(lines[imports:])
    if rest.strip():
        first = imports + next(number for number, line in enumerate(lines[imports:]) if line.strip())
        headings = place.passage.headings
        yield Definition(start + first, place.passage.end_line, headings, (place,), rest.lstrip("\n"), is_import=False)


def count_import_lines(lines: Sequence[str]) -> int:
    """How many lines at the beginning are imports, with the comments and blank lines before and between them."""
    last = 0
    is_open = False
    quote = ""  # of the text at the head of a file
    for number, line in enumerate(lines, 1):
        bare = line.strip()
        if quote:
            quote = "" if quote in bare else quote
        elif is_open:
            is_open = not any(mark in bare for mark in ")}]'\";")
            last = number
        elif bare.startswith(IMPORTS) or " require(" in line:
            is_open = bare.endswith(("(", "{", ",", "\\"))
            last = number
        elif bare.startswith(QUOTES):
            quote = "" if bare.count(bare[:3]) > 1 else bare[:3]
        elif bare and not bare.startswith(COMMENTS):
            break
    return last


class RankedDefinition(NamedTuple):
    """A definition with its file and the chance that the task changes it."""

    file: RankedFile
    definition: Definition
    chance: float


DEFINITION_WEIGHTS: dict[str, float] = {
    "": -3.7477,
    "beside": 0.5249,
    "count": -0.1506,
    "file": 0.5112,
    "is_document": -0.5646,
    "is_end": -0.0580,
    "is_end_of_tests": 1.0424,
    "is_first_code": 0.2628,
    "is_import": 0.9845,
    "is_test": -0.2296,
    "is_unnamed": -0.1919,
    "likeness": 0.1172,
    "lines": 0.2201,
    "name_said": -0.8362,
    "name_weight": 1.4572,
    "named": 0.9914,
    "place": -0.1099,
    "rank": 0.2124,
    "said": -0.0918,
    "said_rank": 0.1633,
    "said_share": 0.0734,
    "share": 0.9274,
    "subject_likeness": 0.4080,
    "text": -0.3690,
    "uses": 0.5532,
    "words": 1.2778,
}
"""Weights of a definition, learnt by `training.brief_learn`."""


def compute_definition_features(
    file: RankedFile, definitions: Sequence[Definition], weighed: WeighedTask, uses: NamedUses
) -> list[Features]:
    """What tells of each definition of a file."""
    task = weighed.task
    kind = classify_file(file.file)
    is_code = file.file.kind == CODE
    texts = [each.best_text for each in definitions]
    said = [weighed.said(each.text[:LONGEST_SAID]) for each in definitions]
    text_ranks = _rank(texts)
    said_ranks = _rank(said)
    best_text = max(texts, default=0.0) or 1.0
    best_said = max(said, default=0.0) or 1.0
    count = len(definitions)
    found: list[Features] = []
    for number, each in enumerate(definitions):
        scores = [place.scores for place in each.places]
        names = frozenset[str]().union(*map(split_name, each.headings))
        last = split_name(each.headings[-1]) if each.headings else names
        is_end = float(number == count - 1)
        found.append(
            {
                "file": compute_log_odds(file.chance),
                "count": log(max(count, 1)),
                "is_document": float(kind == "document"),
                "is_test": float(kind == "test"),
                "text": texts[number],
                "words": max(each.words for each in scores),
                "likeness": max(each.likeness for each in scores),
                "subject_likeness": max(each.subject_likeness for each in scores),
                "share": texts[number] / best_text,
                "rank": -log(1 + text_ranks[number]),
                "said": min(said[number], 1.5),
                "said_share": said[number] / best_said,
                "said_rank": -log(1 + said_ranks[number]),
                "named": score_name(each.headings, task) * is_code,
                "name_said": len(last & task.subject_stems) / len(last) if last else 0.0,
                "name_weight": sum(weight for stem, weight in weighed.stems.items() if stem in names) / weighed.most,
                "is_unnamed": float(not each.headings),
                "lines": log(max(each.end - each.start + 1, 1)),
                "is_import": float(each.is_import),
                "is_first_code": float(each.start <= 3 and is_code),
                "place": number / max(count - 1, 1),
                "is_end": is_end,
                "is_end_of_tests": is_end * (kind == "test"),
                "beside": max([*texts[max(number - 1, 0) : number], *texts[number + 1 : number + 2]], default=0.0),
                "uses": float(uses.touches(file.file.path, each.start, each.end)),
            }
        )
    return found


@lru_cache(maxsize=20_000)
def split_name(name: str) -> frozenset[str]:
    """The stems of a name; the same ones come in every task."""
    return split_stems(name)


def _rank(values: Sequence[float]) -> list[int]:
    ranks = [0] * len(values)
    for rank, number in enumerate(sorted(range(len(values)), key=lambda number: -values[number])):
        ranks[number] = rank
    return ranks


MOST_FILES = 40  # whose definitions are looked at


class RankedTask(NamedTuple):
    """The likely files and the definitions of the likeliest, both likeliest first."""

    files: Sequence[RankedFile]
    definitions: Sequence[RankedDefinition]
    weighed: WeighedTask


def rank_task(looking: FindsCandidates, task: TaskText, history: History, uses: NamedUses = NOWHERE) -> RankedTask:
    """Everything that a task may change, with its chance; `uses` are those of what the task names."""
    found = looking.found()
    files = rank_files(looking, found.files, task, history, uses)[:MOST_FILES]
    looking.open([each.file for each in files])
    weighed = WeighedTask(task, found.stems)
    ranked: list[RankedDefinition] = []
    for file in files:
        definitions = split_definitions(file.file)
        features = compute_definition_features(file, definitions, weighed, uses)
        for each, known in zip(definitions, features, strict=True):
            ranked.append(RankedDefinition(file, each, compute_chance(known, DEFINITION_WEIGHTS)))
    ranked.sort(key=lambda each: (-each.chance, each.file.file.path, each.definition.start))
    return RankedTask(files, ranked, weighed)
