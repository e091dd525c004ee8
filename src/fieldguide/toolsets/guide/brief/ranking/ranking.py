"""From a task to chances: of files, of their chunks, and of the lines of the best chunks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from fieldguide.project_history.history import History
from fieldguide.toolsets.guide.brief.ranking import weights
from fieldguide.toolsets.guide.brief.ranking.candidates import File, Found, Place
from fieldguide.toolsets.guide.brief.ranking.chances import raised
from fieldguide.toolsets.guide.brief.ranking.chunks import chunk_chances, chunk_features, lines_of
from fieldguide.toolsets.guide.brief.ranking.files import (
    Companion,
    Features,
    companions,
    features_of,
    file_chances,
    with_companions,
)
from fieldguide.toolsets.guide.brief.ranking.line_chances import line_chances, line_features
from fieldguide.toolsets.guide.brief.ranking.named_uses import NOWHERE, NamedUses
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText
from fieldguide.toolsets.guide.brief.ranking.weighing import Weighed

COMPANIONS = 20  # files that text does not bring, but the likely ones change with
OPENED = 40  # files whose chunks are all looked at
MOST_FILES = 120
MOST_CHUNKS = 360  # whose lines are looked at
HEADER_LINES = 3  # what is said above some lines costs as much as so many


class Looks(Protocol):
    """What finds files and their chunks."""

    def found(self) -> Found:
        """The files that text brings, with the chunks that do."""
        ...

    def add(self, files: dict[str, File], paths: Iterable[str]) -> None:
        """Take up files by their paths; those that are not indexed are left out."""
        ...

    def open(self, files: Sequence[File]) -> None:
        """Look at all chunks of these files."""
        ...


class RankedFile(NamedTuple):
    """A file with its chance, what told of it, and what it changes with."""

    file: File
    chance: float
    features: Features
    companion: Companion | None


class RankedChunk(NamedTuple):
    """A chunk with the chances of its lines."""

    file: RankedFile
    place: Place
    chance: float
    lines: Sequence[float]


class Ranked(NamedTuple):
    """The likely files, likeliest first, and the chunks that are likely for their length."""

    files: Sequence[RankedFile]
    chunks: Sequence[RankedChunk]


def rank(looking: Looks, task: TaskText, history: History, uses: NamedUses = NOWHERE) -> Ranked:
    """Everything that a task may need, with its chance; `uses` are those of what the task names."""
    found = looking.found()
    ranked = ranked_files(looking, found.files, task, history, uses)[:MOST_FILES]
    looking.open([each.file for each in ranked[:OPENED]])
    weighed = Weighed(task, found.stems)
    scored = scored_chunks(ranked, task, uses)
    chunks = [
        RankedChunk(each, place, chance, _line_chances(each.file, place, chance, weighed, uses))
        for each, place, chance in scored[:MOST_CHUNKS]
    ]
    return Ranked(ranked, chunks)


def ranked_files(
    looking: Looks, files: dict[str, File], task: TaskText, history: History, uses: NamedUses = NOWHERE
) -> list[RankedFile]:
    """The files by their chances; those that change with the likely ones, or use what is named, are among them."""
    listed = list(files.values())
    first = file_chances(features_of(listed, task, history), weights.FIRST)
    found = companions(history, [file.path for file in listed], first)
    looking.add(files, _strongest(found, files))
    looking.add(files, sorted(uses.lines.keys() - files.keys()))
    listed = list(files.values())
    features = with_companions(features_of(listed, task, history), listed, found)
    chances = file_chances(features, weights.FILE)
    ranked = [
        RankedFile(file, raised(chance, uses.of_file(file.path)), each, found.get(file.path))
        for file, chance, each in zip(listed, chances, features, strict=True)
    ]
    return sorted(ranked, key=lambda each: (-each.chance, each.file.path))


def scored_chunks(
    ranked: Sequence[RankedFile], task: TaskText, uses: NamedUses = NOWHERE
) -> list[tuple[RankedFile, Place, float]]:
    """The chunks of some files with their chances, those that have most chance for their length first."""
    scored = [
        (each, place, raised(chance, uses.of_lines(each.file.path, *_span(place))))
        for each in ranked
        for place, chance in zip(
            each.file.places,
            chunk_chances(chunk_features(each.file, each.chance, task), weights.CHUNK),
            strict=True,
        )
    ]
    return sorted(scored, key=lambda each: (-each[2] / (lines_of(each[1]) + HEADER_LINES), each[1].number))


def _strongest(found: Mapping[str, Companion], files: Mapping[str, File]) -> list[str]:
    others = [path for path in found if path not in files]
    return sorted(others, key=lambda path: (-found[path].strength, path))[:COMPANIONS]


def _line_chances(file: File, place: Place, chance: float, weighed: Weighed, uses: NamedUses) -> list[float]:
    chances = line_chances(line_features(file, place, chance, weighed), weights.LINE)
    if file.path not in uses.lines:
        return chances
    numbered = enumerate(chances, place.passage.start_line)
    return [raised(each, uses.of_line(file.path, number)) for number, each in numbered]


def _span(place: Place) -> tuple[int, int]:
    return place.passage.start_line, place.passage.end_line
