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
from fieldguide.toolsets.context.code.roles import IMPLEMENTATION, asked_for, role_of

KEYWORD_SHARE = 0.25  # a question about code seldom has the words of the code
MOST_OF_ONE = 2
FILE_SHARE = 0.4  # of the mean of a file's next best chunks
NEXT_BEST = 3
NAMED = 1.0  # the question names what the chunk defines
NAMED_IN_WORDS = 0.2  # it does so in plain words that follow each other
NAMED_AROUND = 0.2  # it names what is around the chunk
NAMELESS = 0.1  # outside every definition: imports, licences
ASKED = 0.3  # a role that the question asks for
BESIDE = 0.5  # the most that what lies beside the implementation scores, beside its last hit
WORD = re.compile(r"[\w$]+(?:(?:\.|::|#)[\w$]+)*")
APART = re.compile(r"[.:#]+")


class Named:
    """What a question names: identifiers as they are written, and words that may be the parts of one."""

    def __init__(self, query: str) -> None:
        found = WORD.findall(query)
        self.words = [part.lower() for word in found for part in _parts(word)]
        telling = [word for word in found if word.lower() not in STOP_WORDS]
        self._written = {name.lower() for word in telling if _is_name(word, len(telling)) for name in APART.split(word)}
        self._capitalised = {word for word in telling[1:] if word[:1].isupper() and word.isalnum()}
        self._spoken = f" {' '.join(self.words)} "

    def weight_of(self, names: Sequence[str]) -> float:
        """How much it counts that the question names a definition, or what is around it."""
        if not names:
            return -NAMELESS
        last = names[-1]
        if last.lower() in self._written or last in self._capitalised:
            return NAMED
        parts = _parts(last)
        if len(parts) > 1 and f" {' '.join(part.lower() for part in parts)} " in self._spoken:
            return NAMED_IN_WORDS
        around = any(name.lower() in self._written or name in self._capitalised for name in names)
        return NAMED_AROUND if around else 0.0


def ranked(hits: Sequence[Hit], query: str, is_code: Callable[[Hit], bool]) -> list[Hit]:
    """The hits in the order of an answer, at most two of one file; what is no code is ranked among them as it is."""
    named = Named(query)
    asked = asked_for(named.words)
    scores = [hit.score for hit in hits]
    files = _file_scores(hits, scores)
    placed: list[tuple[bool, Hit]] = []
    for hit, score in zip(hits, scores, strict=True):
        if not is_code(hit):
            placed.append((False, hit))
            continue
        role = hit.mark or role_of(hit.document)
        weight = named.weight_of(hit.passage.headings) + (ASKED if role in asked else 0.0)
        total = (score + FILE_SHARE * files[hit.source, hit.document]) / (1 + FILE_SHARE) + weight
        placed.append((role != IMPLEMENTATION and role not in asked, hit._replace(score=max(total, 0.0))))
    ordered = _one_scale([*_tier(placed, is_beside=False)], [*_tier(placed, is_beside=True)])
    chosen = spread(ordered, lambda hit: (hit.source, hit.document), most=MOST_OF_ONE, limit=len(ordered))
    return [
        hit._replace(also=tuple((each.passage.start_line, each.passage.end_line) for each in also))
        for hit, also in chosen
    ]


def _file_scores(hits: Sequence[Hit], scores: Sequence[float]) -> dict[tuple[str, str], float]:
    """For each file, what its next best chunks add to it; a file with a single one gets nothing."""
    by_file: dict[tuple[str, str], list[float]] = {}
    for hit, score in zip(hits, scores, strict=True):
        by_file.setdefault((hit.source, hit.document), []).append(score)
    return {
        file: sum(sorted(each, reverse=True)[1 : NEXT_BEST + 1]) / NEXT_BEST for file, each in by_file.items()
    }


def _tier(placed: Iterable[tuple[bool, Hit]], *, is_beside: bool) -> list[Hit]:
    found = [hit for beside, hit in placed if beside == is_beside]
    return sorted(found, key=lambda hit: -hit.score)


def _one_scale(first: list[Hit], beside: list[Hit]) -> list[Hit]:
    """Both tiers one after the other, with scores between 0 and 1 that never rise."""
    most = max([1.0, *(hit.score for hit in first[:1])])
    told = [hit._replace(score=hit.score / most) for hit in first]
    bound = BESIDE * (told[-1].score if told else 1.0)
    best = max((hit.score for hit in beside), default=0.0) or 1.0
    return [*told, *(hit._replace(score=bound * hit.score / best) for hit in beside)]


def _is_name(word: str, words: int) -> bool:
    """Whether a word is written as code writes names; a question of a single word is one."""
    return words == 1 or "_" in word.strip("_") or word.startswith("_") or has_hump(word) or not word.isalnum()


def _parts(word: str) -> list[str]:
    """The parts of an identifier: `get_HTTPServer` as get, HTTP and Server."""
    return PART.findall(word) if word.isascii() else [word]
