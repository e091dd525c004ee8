"""Why a hit was found, in a few words that are true of it."""

from collections.abc import Iterator, Mapping, Sequence

from fieldguide import linear_regex as re
from fieldguide.search.fitness import Terms
from fieldguide.search.mixed.asked import NAMED_ALIKE, Asked
from fieldguide.spine.foreign_text.hidden_text import HIDDEN
from fieldguide.toolsets.guide.finding.features import Placed
from fieldguide.toolsets.guide.finding.listing import Listed
from fieldguide.toolsets.guide.items import FINDING, TASK

MOST_WORDS = 4
LONGEST_HEADING = 60
LONGEST_SYMBOL = 200
SHORTEST_STEM = 4
ADORNMENT = re.compile(r"^[^\w\s]{3,}\s+")  # the line above a title, where a reader took it for a part of it
ALIKE = 0.4  # from here on a hit is alike by itself, and not only more alike than others


def reason(hit: Listed, asked: Asked, terms: Terms) -> str:
    """The heading or the state, what of the question it names or holds, and that it is near in meaning."""
    return "; ".join(_parts(hit.best.placed, asked, terms)) or "the nearest in meaning of its kind"


def symbol_of(placed: Placed) -> str:
    """The name of the definition that code belongs to, with those around it."""
    name = ".".join(placed.candidate.passage.headings) if placed.is_code else ""
    return name if len(name) <= LONGEST_SYMBOL else f"{name[:LONGEST_SYMBOL]}…"


def _parts(placed: Placed, asked: Asked, terms: Terms) -> Iterator[str]:
    passage, title = placed.candidate.passage, placed.candidate.document.title
    if placed.kind == TASK:
        yield passage.headings[0]
    elif placed.kind == FINDING:
        yield title
    elif not placed.is_code and passage.headings:
        yield f"section {' > '.join(map(_short, passage.headings[-2:]))}"
    if placed.is_code and asked.weight_of(passage.headings) >= NAMED_ALIKE:
        yield "you name it"
    texts = (placed.path, title, *passage.headings, passage.text)
    words = _telling(terms.plainly_held(texts), terms.weights)
    if words:
        yield f"has {', '.join(words)}"
    if placed.kind != TASK and placed.candidate.likeness >= ALIKE:
        yield "near in meaning"


def _telling(words: Sequence[str], weights: Mapping[str, float]) -> list[str]:
    """The words that say most, each in one of its forms."""
    chosen: list[str] = []
    for word in sorted(words, key=lambda each: -weights[each]):
        if len(chosen) < MOST_WORDS and not any(_are_forms(word, each) for each in chosen):
            chosen.append(word)
    return chosen


def _are_forms(one: str, other: str) -> bool:
    stem = max(SHORTEST_STEM, min(len(one), len(other)) - 1)
    return one[:stem] == other[:stem]


def _short(heading: str) -> str:
    plain = " ".join(ADORNMENT.sub("", HIDDEN.sub("", heading)).split())
    return plain if len(plain) <= LONGEST_HEADING else f"{plain[:LONGEST_HEADING]}…"
