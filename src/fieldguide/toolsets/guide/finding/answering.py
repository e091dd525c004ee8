"""The answer of `guide_search`: a list for a model, the same for programs, and what is to be said beside it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.search.early.standing import Standing
from fieldguide.search.fitness import Terms
from fieldguide.search.mixed.asked import Asked
from fieldguide.spine.contract import Answer
from fieldguide.spine.foreign_text.hidden_text import hidden_text_warnings
from fieldguide.staleness.ties.asking import States
from fieldguide.toolsets.guide.finding.calibration import probability
from fieldguide.toolsets.guide.finding.lines import Cited, about_tokens, cited_lines, is_other, matter
from fieldguide.toolsets.guide.finding.reasons import reason, symbol_of
from fieldguide.toolsets.guide.finding.searching import Found, Wanted
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.layout import in_one_line, named
from fieldguide.toolsets.guide.project_lines import ProjectLines

TOKENS_EACH = 150  # of a hit, its citation included
FEWEST = 10  # so many hits' tokens there are in any case


class Hit(NamedTuple):
    """An item of the list, with its lines, how likely it is right, and further places."""

    item: Item
    cited: Cited
    score: float
    also: tuple[str, ...]

    def told(self) -> dict[str, Any]:
        """The hit as programs read it."""
        return {**self.item.told(), "score": self.score, **({"also": [*self.also]} if self.also else {})}


class Beside(NamedTuple):
    """How the index stands, and what of it was searched."""

    standing: Standing | None
    lacks: str
    searched: Mapping[str, int]

    def told(self, *, is_empty: bool) -> dict[str, Any]:
        """What an answer says beside its items."""
        return {
            **(self.standing.told() if self.standing else {}),
            **({"lacks": self.lacks} if self.lacks else {}),
            **({"hint": self._hint()} if is_empty else {}),
        }

    def sentences(self, *, is_empty: bool) -> Iterator[str]:
        """That, in words."""
        if is_empty:
            yield f"Nothing fits. {self._hint()}"
        if self.standing:
            yield self.standing.sentence()
        if self.lacks:
            yield f"The index is not whole: {self.lacks}"

    def _hint(self) -> str:
        there = ", ".join(f"{number} of {owner}" for owner, number in sorted(self.searched.items())) or "nothing"
        return f"Searched: {there}. Try other or fewer words, or leave `kinds` out; grep_codebase finds exact text."


def answer(found: Found, wanted: Wanted, lines: ProjectLines, beside: Beside, states: States) -> Answer:
    """The hits as a text and as a value."""
    hits = [*_hits(found, Asked(wanted.query), lines, states, is_behind=beside.standing is not None)]
    value = {"items": [hit.told() for hit in hits], **beside.told(is_empty=not hits)}
    lines_told = [*_written(hits, wanted, found.terms)]
    said = (*hidden_text_warnings(lines_told), *beside.sentences(is_empty=not hits))
    text = "\n".join([*lines_told, *said])
    return Answer(text, value)


def _hits(found: Found, asked: Asked, lines: ProjectLines, states: States, *, is_behind: bool) -> Iterator[Hit]:
    for hit in found.hits:
        cited = cited_lines(hit, lines)
        if cited is not None and not (is_behind and is_other(hit, cited)):
            placed = hit.best.placed
            item = Item(
                placed.path,
                cited.start,
                cited.end,
                placed.kind,
                reason(hit, asked, found.terms),
                symbol_of(placed),
                cited.hash,
                stale=states.told(placed.path, cited.start, cited.end, placed.candidate.passage.text),
            )
            also = tuple(f"{placed.path}{each}" if each.startswith("#") else each for each in hit.also)
            yield Hit(item, cited, round(probability(hit.odds), 3), also)


def _written(hits: Sequence[Hit], wanted: Wanted, terms: Terms) -> Iterator[str]:
    """Each hit with those of its lines that matter; the tokens are shared out evenly."""
    heads = [
        f"{place}. {hit.item.kind} {named(hit.item)}: {in_one_line(hit.item.why)}" for place, hit in enumerate(hits, 1)
    ]
    left = TOKENS_EACH * max(wanted.limit, FEWEST) - sum(map(about_tokens, heads))
    for place, (head, hit) in enumerate(zip(heads, hits, strict=True)):
        yield head
        share = left // (len(hits) - place)
        for number, line in matter(hit.cited, terms, share):
            shown = f"{number}| {line}"
            left -= about_tokens(line)
            yield shown
