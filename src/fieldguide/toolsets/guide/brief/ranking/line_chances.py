"""The chance of each line of a chunk: which words and names it holds, what kind of line it is, where it stands."""

from collections.abc import Mapping, Sequence
from math import log

from fieldguide.search.port import place_of
from fieldguide.toolsets.guide.brief.ranking.candidates import File, Place
from fieldguide.toolsets.guide.brief.ranking.chances import chance, odds
from fieldguide.toolsets.guide.brief.ranking.files import Features, kind_of
from fieldguide.toolsets.guide.brief.ranking.weighing import Weighed

LONGEST = 400  # characters of a line that are looked at
NEAR, AROUND = 2, 6  # lines before and after
IMPORTS = ("import ", "from ", "use ", "pub use ", "#include", "# include", "require", "using ", "package ", "mod ")
COMMENTS = ("//", "#", "*", "/*", "--", '"""', "'''", ";")


def lines_in(place: Place) -> list[str]:
    """The lines of a chunk, as they were indexed."""
    return place.passage.text.split("\n")[: place.passage.end_line - place.passage.start_line + 1]


def line_features(file: File, place: Place, chunk_chance: float, weighed: Weighed) -> list[Features]:
    """What tells of each line of a chunk."""
    lines = lines_in(place)
    said = [weighed.said(line[:LONGEST]) for line in lines]
    holds = [float(weighed.names_in(line[:LONGEST]) > 0) for line in lines]
    most, count, kind = max(said, default=0.0) or 1.0, len(lines), kind_of(file)
    near, around, names = _smoothed(said, NEAR), _smoothed(said, AROUND), _smoothed(holds, NEAR)
    depths = [len(line) - len(line.lstrip()) for line in lines]
    is_end = place_of(place.number)[1] == file.document.chunks - 1
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
            "is_end": float(is_end and number >= count - 2),
            "is_end_of_tests": float(is_end and number >= count - 2 and kind == "test"),
            "place": number / max(count - 1, 1),
            "depth": max(min(depths[number] - depths[0], 12), -12) / 8 if line.strip() else 0.0,
        }
        for number, line in enumerate(lines)
    ]


def line_chances(features: Sequence[Features], weights: Mapping[str, float]) -> list[float]:
    """The chance of each line."""
    return [chance(each, weights) for each in features]


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
