"""Hits of code in the order of an answer: the implementation first, what the question names before all.

The engine ranks chunks by their words and vectors. Here counts what is special about code: what a file is for, what a
chunk defines, and that a file which holds several good chunks is about the question. The weights are few and round;
they were chosen leaving one repository out at a time (docs/decisions/0031).
"""

from collections.abc import Callable, Iterable, Sequence

from fieldguide import linear_regex as re
from fieldguide.search.hits import spread
from fieldguide.search.port import Hit
from fieldguide.search.words import PART, STOP_WORDS, has_hump
from fieldguide.source_code.roles import IMPLEMENTATION, allowed_by, asked_for, role_of

KEYWORD_SHARE = 0.2  # a question about code seldom has the words of the code
MOST_OF_ONE = 2
FILE_SHARE = 0.4  # of the mean of a file's next best chunks
NEXT_BEST = 3
NAMED = 1.0  # the question names what the chunk defines
NAMED_ALIKE = 0.5  # but for capitals
NAMED_IN_WORDS = 0.1  # it does so in plain words that follow each other
NAMED_AROUND = 0.2  # it names what is around the chunk
OPENING = 0.1  # it opens what is named, and is no later part of it
MOST_NAMES = 5
NAMELESS = 0.1  # outside every definition: imports, licences
ASKED_ROLE = 0.3  # a role that the question asks for
BESIDE = 0.5  # the most that what lies beside the implementation scores, beside its last hit
WORD = re.compile(r"[\w$]+(?:(?:\.|::|#)[\w$]+)*")
APART = re.compile(r"[.:#]+")


class Asked:
    """What a question names: identifiers as they are written, words that may be the parts of one, and roles."""

    def __init__(self, query: str) -> None:
        found = WORD.findall(query)
        self.words = [part.lower() for word in found for part in _parts(word)]
        telling = [word for word in found if word.lower() not in STOP_WORDS]
        self._written = {name for word in telling if _is_name(word, len(telling)) for name in APART.split(word)}
        self._written |= {word for word in telling[1:] if word[:1].isupper() and word.isalnum()}
        self.names = tuple(sorted(self._written))[:MOST_NAMES]
        self._lowered = {name.lower() for name in self._written}
        self._spoken = f" {' '.join(self.words)} "
        self._run_together = "".join(self.words)
        self.allowed = allowed_by(self.words)
        self.roles = asked_for(self.words)

    def is_beside(self, role: str) -> bool:
        """Whether a file of this role lies beside what is asked for."""
        return role != IMPLEMENTATION and role not in self.allowed

    def weight_of(self, names: Sequence[str]) -> float:
        """How much it counts that the question names a definition, or what is around it."""
        if not names:
            return -NAMELESS
        last = names[-1]
        is_around = any(name in self._written for name in names[:-1])
        if last in self._written:
            return NAMED + (NAMED_AROUND if is_around else 0.0)
        if is_around and last.lower() in self.words:
            return NAMED + NAMED_AROUND
        if last.lower() in self._lowered:
            return NAMED_ALIKE
        if self._is_spoken(last):
            return NAMED_IN_WORDS
        return NAMED_AROUND if is_around else 0.0

    def _is_spoken(self, name: str) -> bool:
        """Whether the parts of a name follow each other in the question; most names are told by the first look."""
        if name.replace("_", "").lower() not in self._run_together:
            return False
        parts = _parts(name)
        return len(parts) > 1 and f" {' '.join(parts).lower()} " in self._spoken


def ranked(hits: Sequence[Hit], asked: Asked, is_code: Callable[[str], bool]) -> list[Hit]:
    """The hits in the order of an answer, at most two of one file; what is no code is ranked among them as it is.

    `is_code` says it of a source.
    """
    files = _file_scores(hits)
    openings = _openings(hits)
    of_code = {source: is_code(source) for source in {hit.source for hit in hits}}
    first: list[tuple[float, Hit]] = []
    beside: list[tuple[float, Hit]] = []
    for hit in hits:
        if not of_code[hit.source]:
            first.append((hit.score, hit))
            continue
        role = hit.mark or role_of(hit.document)
        weight = asked.weight_of(hit.passage.headings) + (ASKED_ROLE if role in asked.roles else 0.0)
        if weight >= NAMED and openings[hit.document, hit.passage.headings] == hit.position:
            weight += OPENING
        total = (hit.score + FILE_SHARE * files[hit.source, hit.document]) / (1 + FILE_SHARE) + weight
        (beside if asked.is_beside(role) else first).append((max(total, 0.0), hit))
    ordered = _one_scale(first, beside)
    chosen = spread(ordered, lambda each: (each[1].source, each[1].document), most=MOST_OF_ONE, limit=len(ordered))
    return [hit._replace(score=score, also=_lines(hit for _, hit in also)) for (score, hit), also in chosen]


def _lines(hits: Iterable[Hit]) -> tuple[tuple[int, int], ...]:
    return tuple(sorted((hit.passage.start_line, hit.passage.end_line) for hit in hits))


def _file_scores(hits: Sequence[Hit]) -> dict[tuple[str, str], float]:
    """For each file, the mean of its next best chunks; those that it has not count as nothing."""
    by_file: dict[tuple[str, str], list[float]] = {}
    for hit in hits:
        by_file.setdefault((hit.source, hit.document), []).append(hit.score)
    return {file: sum(sorted(each, reverse=True)[1 : NEXT_BEST + 1]) / NEXT_BEST for file, each in by_file.items()}


def _openings(hits: Sequence[Hit]) -> dict[tuple[str, tuple[str, ...]], int]:
    """Where each definition opens: the first of its chunks."""
    first: dict[tuple[str, tuple[str, ...]], int] = {}
    for hit in hits:
        key = (hit.document, hit.passage.headings)
        first[key] = min(hit.position, first.get(key, hit.position))
    return first


def _one_scale(first: list[tuple[float, Hit]], beside: list[tuple[float, Hit]]) -> list[tuple[float, Hit]]:
    """Both tiers one after the other, each best first, with scores between 0 and 1 that never rise."""
    first.sort(key=lambda each: -each[0])
    beside.sort(key=lambda each: -each[0])
    most = max(1.0, first[0][0]) if first else 1.0
    bound = BESIDE * first[-1][0] / most if first else BESIDE
    best = beside[0][0] if beside else 1.0
    return [
        *((score / most, hit) for score, hit in first),
        *((bound * score / (best or 1.0), hit) for score, hit in beside),
    ]


def _is_name(word: str, words: int) -> bool:
    """Whether a word is written as code writes names; a question of a single word is one."""
    return words == 1 or "_" in word.strip("_") or word.startswith("_") or has_hump(word) or not word.isalnum()


def _parts(word: str) -> list[str]:
    """The parts of an identifier: `get_HTTPServer` as get, HTTP and Server."""
    return PART.findall(word) if word.isascii() else [word]
