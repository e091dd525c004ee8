"""Places as an answer: a text with line numbers and the same as items, neither of them ever beyond the budget."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide.document_formats.lines import without_end
from fieldguide.errors import Refusal
from fieldguide.spine.answers.citations import cited
from fieldguide.spine.answers.tokenizer import count
from fieldguide.spine.contract import Answer, compact_json
from fieldguide.spine.foreign_text.text_warnings import text_warnings
from fieldguide.staleness.ties.asking import States
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.layout import in_one_line, named
from fieldguide.toolsets.guide.opening.page import Page

CHARACTERS_PER_TOKEN = 8  # more than texts have: what is beyond so many is not looked at
LEAST_PER_TOKEN = 2  # characters
SAMPLE = 2_000  # characters of a line that does not fit, which tell how much of it does
NOTE_TOKENS = 60  # for what is said below the lines, beside the citations to go on with
ABOUT_LINE = 16
DIFFERENCE_SHARE = 3  # a difference takes up to this part of a budget, as it is told beside what stands there now
NEXT_SHARE = 4


class Place(NamedTuple):
    """Lines of a page that an answer gives, why, and what became of those that were cited; no page where none is."""

    page: Page | None
    start: int
    end: int
    why: str
    symbol: str = ""
    status: str = ""
    given: str = ""
    difference: str = ""
    focus: tuple[int, int] | None = None
    states: States | None = None

    def item(self, shown: int) -> Item:
        """The first so many of its lines as an item."""
        assert self.page is not None  # noqa: S101  who has no page has no lines
        end = self.start + shown - 1
        hash_ = self.page.hash(self.start, end)
        text = self.page.text(self.start, end) if self.page.lines_of_bytes is None else ""
        stale = "" if self.states is None else self.states.told(self.page.path, self.start, end, text)
        return Item(self.page.path, self.start, end, self.page.kind, self.why, self.symbol, hash_, stale=stale)

    def rest(self, shown: int) -> str:
        """The citation of its lines after the first so many; empty where there are none."""
        if self.page is None or self.start + shown > self.end:
            return ""
        start = self.start + shown
        return cited(self.page.path, start, self.end, self.page.hash(start, self.end))


def fitted(places: Sequence[Place], budget: int) -> Answer:
    """As much of these places as fits; what is left is cited, to go on with."""
    pack = Pack([_affordable(place, budget) for place in places], budget)
    shown = pack.most()
    first = places[0]
    if first.focus is not None and first.start + shown - 1 < min(first.focus[1], first.end):
        around = f"{first.why}, which begins at L{first.start}"  # what was cited comes first
        pack = pack.beginning(first._replace(start=first.focus[0], why=around))
        shown = pack.most()
    return pack.answer(shown) if shown > 0 else _cut(places, budget)


class Pack:
    """The lines of some places, one after the other; a place without lines counts as one."""

    def __init__(self, places: Sequence[Place], budget: int) -> None:
        self._places = places
        self._budget = budget
        self._lines = [*self._affordable_lines()]

    def beginning(self, place: Place) -> "Pack":
        """The same with another first place."""
        return Pack([_affordable(place, self._budget), *self._places[1:]], self._budget)

    def most(self) -> int:
        """How many lines fit: about so many by their own sizes, then exactly by the whole answer."""
        shown = self._about()
        while shown > 0 and (over := self._over(shown)) > 0:
            shown -= min(shown, 1 + over // ABOUT_LINE)
        return shown

    def _about(self) -> int:
        """About how many lines fit: each counted by itself, as text and as JSON."""
        room = self._budget - NOTE_TOKENS
        texts = values = 0
        for shown, (number, line) in enumerate(self._lines):
            if len(line) > LEAST_PER_TOKEN * room:  # it may fit, but not beside others
                return max(shown, 1)
            texts += count(f"{number}: {line}\n")
            values += count(compact_json(line))
            if max(texts, values) > room:
                return max(shown, 1)
        return len(self._lines)

    def _over(self, shown: int) -> int:
        """By how many tokens an answer with so many lines is beyond the budget."""
        answer = self.answer(shown)
        return max(count(answer.text), count(compact_json(answer.value))) - self._budget

    def answer(self, shown: int) -> Answer:
        """The answer with so many lines."""
        given = [*self._shares(shown)]
        parts = [_written(place, lines) for place, lines in given]
        texts = [place.page.text(place.start, place.start + lines - 1) for place, lines in given if place.page]
        warnings = text_warnings(texts)
        rest = self._rest(given)
        notes = [*warnings, *([f"Go on with the citation:\n{rest}"] if rest else [])]
        value = {
            **_places_told(given),
            **({"next": rest} if rest else {}),
            **({"warnings": warnings} if warnings else {}),
        }
        return Answer("\n".join([*parts, *notes]), value)

    def _shares(self, shown: int) -> Iterator[tuple[Place, int]]:
        """How many lines each place gives, as long as there are any left."""
        for place in self._places:
            if shown <= 0:
                return
            lines = min(_size(place), shown)
            shown -= lines
            yield place, lines

    def _rest(self, given: Sequence[tuple[Place, int]]) -> str:
        """What is left, as one goes on with it: a citation on each line, as many as have room."""
        waiting = [place.rest(lines) for place, lines in given]
        waiting += [place.rest(0) for place in self._places[len(given) :]]
        kept = [each for each in waiting if each]
        while kept[1:] and count("\n".join(kept)) > self._budget // NEXT_SHARE:
            kept.pop()
        return "\n".join(kept)

    def _affordable_lines(self) -> Iterator[tuple[int, str]]:
        left = self._budget * CHARACTERS_PER_TOKEN
        for place in self._places:
            if place.page is None:
                yield 0, place.why
                continue
            for number in range(place.start, place.start + _size(place)):
                line = without_end(place.page.lines[number - 1]) if number <= len(place.page.lines) else ""
                left -= len(line) + 1
                if left < 0:
                    return
                yield number, line


def _size(place: Place) -> int:
    return 1 if place.page is None else place.end - place.start + 1


def _affordable(place: Place, budget: int) -> Place:
    """A place without its difference, where that would take too much of the budget."""
    is_long = place.difference and count(place.difference) > budget // DIFFERENCE_SHARE
    return place._replace(difference="") if is_long else place


def _written(place: Place, shown: int) -> str:
    """A place as a model reads it."""
    if place.page is None:
        return f"{in_one_line(place.given)}: {in_one_line(place.why)}\n"
    numbered = "\n".join(
        f"{number}: {without_end(line)}"
        for number, line in enumerate(place.page.lines[place.start - 1 : place.start - 1 + shown], place.start)
    )
    differs = f"\nWhat differs from the lines that were cited:\n{place.difference}" if place.difference else ""
    return f"{named(place.item(shown))}: {in_one_line(place.why)}\n{numbered}{differs}\n"


def _places_told(given: Sequence[tuple[Place, int]]) -> dict[str, Any]:
    """Places as programs read them: those that have lines, and what became of the others."""
    items = [_told(place, lines) for place, lines in given if place.page is not None]
    lost = [place for place, _ in given if place.page is None]
    gone = [{"citation": each.given, "status": each.status, "said": each.why} for each in lost]
    return {"items": items, **({"gone": gone} if gone else {})}


def _told(place: Place, shown: int) -> dict[str, Any]:
    """A place as programs read it, with the lines as they stand."""
    assert place.page is not None  # noqa: S101  who has no page has no lines
    text = place.page.text(place.start, place.start + shown - 1)
    status = {"status": place.status, "cited": place.given} if place.status else {}
    differs = {"difference": place.difference} if place.difference else {}
    return {**place.item(shown).told(), **status, "text": text, **differs}


def _cut(places: Sequence[Place], budget: int) -> Answer:
    """The beginning of a line that does not fit by itself."""
    place = places[0]
    if place.page is None or not place.page.lines:
        raise Refusal("The citation alone takes more than the budget", budget=budget)
    line = without_end(place.page.lines[place.start - 1])
    sample = compact_json(line[:SAMPLE])
    line = line[: (budget - NOTE_TOKENS) * len(sample) // count(sample)]
    note = f"Only the beginning of line {place.start} fits."
    item, rest = place.item(1), place.rest(1)
    while line:
        text = f"{named(item)}: {place.why}\n{place.start}: {line}…\n{note}{f' Go on with: {rest}' if rest else ''}"
        value = {"items": [{**item.told(), "text": line, "cut": note}], **({"next": rest} if rest else {})}
        size = max(count(text), count(compact_json(value)))
        if size <= budget:
            return Answer(text, value)
        line = line[: len(line) * budget // (size + ABOUT_LINE) * 7 // 8]
    raise Refusal("The citation alone takes more than the budget", budget=budget)
