"""The chance of each line of a chunk: which words and names it holds, what kind of line it is, where it stands."""

from collections.abc import Mapping, Sequence
from math import log
from typing import NamedTuple

from fieldguide.search.words import plain_words
from fieldguide.toolsets.guide.brief.ranking.candidates import File, Place
from fieldguide.toolsets.guide.brief.ranking.chances import chance, odds
from fieldguide.toolsets.guide.brief.ranking.files import Features, kind_of
from fieldguide.toolsets.guide.brief.ranking.task_text import TaskText, word_stems

TELLING = 4  # stems: a line that says as much as the four rarest says all
LONGEST = 400  # characters of a line that are looked at
NEAR, AROUND = 2, 6  # lines before and after
IMPORTS = ("import ", "from ", "use ", "pub use ", "#include", "# include", "require", "using ", "package ", "mod ")
COMMENTS = ("//", "#", "*", "/*", "--", '"""', "'''", ";")


class Weighed(NamedTuple):
    """What the lines are weighed by: the task, and how much each of its stems says."""

    task: TaskText
    stems: Mapping[str, float]

    @property
    def most(self) -> float:
        """How much a line can say."""
        return sum(sorted(self.stems.values(), reverse=True)[:TELLING]) or 1.0


def lines_in(place: Place) -> list[str]:
    """The lines of a chunk, as they were indexed."""
    return place.passage.text.split("\n")[: place.passage.end_line - place.passage.start_line + 1]


def line_features(file: File, place: Place, chunk_chance: float, weighed: Weighed) -> list[Features]:
    """What tells of each line of a chunk."""
    lines = lines_in(place)
    said = [_said(line, weighed) for line in lines]
    holds = [_holds_name(line, weighed.task) for line in lines]
    most, count, kind = max(said, default=0.0) or 1.0, len(lines), kind_of(file)
    near, around, names = _smoothed(said, NEAR), _smoothed(said, AROUND), _smoothed(holds, NEAR)
    depths = [len(line) - len(line.lstrip()) for line in lines]
    shared = {
        "chunk": odds(chunk_chance),
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
            "place": number / max(count - 1, 1),
            "depth": max(min(depths[number] - depths[0], 12), -12) / 8 if line.strip() else 0.0,
        }
        for number, line in enumerate(lines)
    ]


def line_chances(features: Sequence[Features], weights: Mapping[str, float]) -> list[float]:
    """The chance of each line."""
    return [chance(each, weights) for each in features]


def _said(line: str, weighed: Weighed) -> float:
    """How much of what the task says stands in a line."""
    stems = {stem for word in plain_words(line[:LONGEST]) for stem in word_stems(word)}
    return sum(weighed.stems.get(stem, 0.0) for stem in stems) / weighed.most


def _holds_name(line: str, task: TaskText) -> float:
    lowered = line[:LONGEST].lower()
    return float(any(name in lowered for name in task.lowered_names))


def _kind(line: str) -> Features:
    bare = line.strip()
    return {
        "is_import": float(bare.startswith(IMPORTS) or " require(" in line),
        "is_comment": float(bare.startswith(COMMENTS) and not bare.startswith(("#include", "# include"))),
        "is_blank": float(not bare),
        "is_mark": float(bool(bare) and not any(map(str.isalnum, bare))),
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
