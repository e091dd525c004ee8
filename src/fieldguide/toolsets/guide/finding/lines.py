"""The lines of a hit: its citation as the file is now, and of its lines the few that matter most."""

from collections.abc import Sequence
from typing import NamedTuple

from fieldguide.document_formats.kinds import is_extracted
from fieldguide.document_formats.lines import split_lines
from fieldguide.search.fitness import Terms
from fieldguide.spine.answers.citations import hash_of_text
from fieldguide.toolsets.guide.finding.listing import Listed
from fieldguide.toolsets.guide.project_lines import ProjectLines

MOST_SHOWN = 12
MOST_COMPARED = 3  # lines: a secret, or a line that is cut, is seldom among the first
BYTES_OF_A_TOKEN = 3
NUMBER_TOKENS = 4
WIDEST = 160  # characters of a line: it is a look, `guide_open` shows all


class Cited(NamedTuple):
    """The lines of a hit that are cited, their hash, and the best of them with the number of the first."""

    start: int
    end: int
    hash: str
    first: int
    best: Sequence[str]


def cited_lines(hit: Listed, lines: ProjectLines) -> Cited | None:
    """The lines of a hit; None where the file is gone, or not as long any more."""
    path, passage = hit.best.placed.path, hit.best.placed.candidate.passage
    if _is_elsewhere(path):
        return _of_text(passage.text, passage.start_line)
    last = lines.count(path)
    end = min(hit.end, last)
    if hit.start > end:
        return None
    first, until = passage.start_line, min(max(passage.start_line, passage.end_line), last)
    return Cited(hit.start, end, lines.hash(path, hit.start, end), first, lines.shown(path, first, until))


def is_other(hit: Listed, cited: Cited) -> bool:
    """Whether the lines of code that are there now are other than those that an index which is behind knows."""
    known = split_lines(hit.best.placed.candidate.passage.text)[:MOST_COMPARED]
    now = cited.best[: len(known)]
    return hit.best.placed.is_code and [line.strip() for line in known] != [line.strip() for line in now]


def matter(cited: Cited, terms: Terms, most_tokens: int) -> list[tuple[int, str]]:
    """Those of the best lines that hold most of the question, as many as fit, with their numbers."""
    lines = [line if len(line) <= WIDEST else f"{line[:WIDEST]} …" for line in cited.best]
    worth = [terms.worth(line) for line in lines]
    sizes = [about_tokens(line) for line in lines]
    begin, end = _window(worth, sizes, most_tokens)
    return [(cited.first + place, lines[place]) for place in range(begin, end)]


def about_tokens(line: str) -> int:
    """About how many tokens a line is, with the number before it; to count them all takes as long as the search."""
    return len(line.encode(errors="surrogatepass")) // BYTES_OF_A_TOKEN + NUMBER_TOKENS


def _window(worth: Sequence[float], sizes: Sequence[int], most: int) -> tuple[int, int]:
    """The run of lines that is worth most, as long as may be; of equal ones the first."""
    best, chosen = -1.0, (0, 0)
    begin, size, value = 0, 0, 0.0
    for end in range(len(sizes)):
        size, value = size + sizes[end], value + worth[end]
        while begin <= end and (size > most or end - begin >= MOST_SHOWN):
            size, value, begin = size - sizes[begin], value - worth[begin], begin + 1
        if value > best + 1e-9 or (abs(value - best) <= 1e-9 and chosen[0] == begin):
            best, chosen = value, (begin, end + 1)
    return chosen


def _is_elsewhere(path: str) -> bool:
    """Whether what is cited lies in no file of the project that has these lines."""
    return ":" in path.partition("/")[0] or is_extracted(path)


def _of_text(text: str, start: int) -> Cited:
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    return Cited(start, start + max(len(lines), 1) - 1, hash_of_text(text), start, lines)
