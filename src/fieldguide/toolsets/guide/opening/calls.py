"""What `guide_open` does when it is called."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.document_formats.lines import split_lines
from fieldguide.errors import InvalidArguments, NotFound
from fieldguide.spine.answers.citations import Citation
from fieldguide.spine.contract import Answer, Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.given import Given
from fieldguide.toolsets.guide.items import Item
from fieldguide.toolsets.guide.opening.becoming import Became, became
from fieldguide.toolsets.guide.opening.enclosing import enclosing
from fieldguide.toolsets.guide.opening.fitting import Place, fitted
from fieldguide.toolsets.guide.opening.page import Page
from fieldguide.toolsets.guide.opening.pages import Pages
from fieldguide.toolsets.guide.opening.tool import USUAL_BUDGET
from fieldguide.toolsets.guide.states import states_of

if TYPE_CHECKING:
    from fieldguide.symbols.asking import Symbols

SYMBOL = "symbol:"
MOST_CITATIONS = 20
LONGEST_GIVEN = 20_000


def open_citation(
    services: Services, memory: Callable[[], Given], symbols: "Callable[[], Symbols]", call: Call
) -> Answer:
    """The lines that each citation names, with their numbers, as many as fit; or what became of them."""
    given = call.arguments["citation"]
    pages = Pages(services, call)
    opening = Opening(services, pages, is_around="around" in call.arguments)
    states = states_of(services)
    named = (place for each in _several(given) for place in _places(opening, symbols, each, call))
    places = [place._replace(states=states) for place in named]
    answer = fitted(places, call.arguments.get("budget", USUAL_BUDGET))
    memory().note(call, map(_shown, answer.value["items"]))
    return answer


def _places(opening: "Opening", symbols: "Callable[[], Symbols]", given: str, call: Call) -> "Sequence[Place]":
    """What one line of a call names: a citation's place, or the definitions of a symbol."""
    if not given.startswith(SYMBOL):
        return [opening.place(given)]
    from fieldguide.toolsets.guide.opening.defining import defined

    return defined(opening.services, call, opening.pages, symbols(), given)


def _shown(told: Mapping[str, Any]) -> Item:
    """What an answer shows, as it is remembered: a brief need not send it again."""
    place = (told["path"], told["start"], told["end"], told["kind"], told["why"])
    hash_ = told["citation"].rpartition("@")[2]
    return Item(*place, hash=hash_, text="\n".join(line.rstrip("\r\n") for line in split_lines(told["text"])))


class Opening(NamedTuple):
    """Opens citations one by one; with what encloses them, where that was asked for."""

    services: Services
    pages: Pages
    is_around: bool

    def place(self, given: str) -> Place:
        """The place that one citation names."""
        page, citation = self.pages.named(given)
        if citation is None and page is not None:
            return Place(page, 1, page.last, "all of it")
        if citation is None:
            raise self.pages.missing(given, given)
        if page is not None and (not citation.hash or page.holds(citation)):
            return self._cited(page, citation)
        found = became(self.services, self.pages, page, citation)
        if found.page is None and not found.is_known:
            raise self.pages.missing(given, citation.path)
        return self._became(found, given)

    def _cited(self, page: Page, citation: Citation) -> Place:
        if citation.start_line > page.last:
            raise NotFound("Lines not found", citation=str(citation)[:300], details=f"It has {page.last} lines.")
        end = min(citation.end_line, page.last)
        why = "as cited" if citation.hash else "the lines asked for"
        return self._around(Place(page, citation.start_line, end, why))

    def _became(self, found: Became, given: str) -> Place:
        if found.page is None:
            return Place(None, 0, 0, found.said, status=found.status, given=given)
        place = Place(found.page, found.start, found.end, found.said, status=found.status, given=given)
        return self._around(place)._replace(difference=found.difference)

    def _around(self, place: Place) -> Place:
        if not self.is_around or place.page is None:
            return place
        found = enclosing(place.page, place.start, place.end)
        if found is None:
            return place._replace(why=f"{place.why}; nothing encloses it")
        why = f"{place.why}, L{place.start}-L{place.end}, with what encloses it"
        return place._replace(
            start=found.start, end=found.end, symbol=found.name, why=why, focus=(place.start, place.end)
        )


def _several(given: str) -> list[str]:
    """The citations of a call: one, or one on each line."""
    if len(given) > LONGEST_GIVEN:
        raise InvalidArguments(f"Citations of more than {LONGEST_GIVEN:,} characters are not opened.")
    lines = [line.strip() for line in given.split("\n") if line.strip()]
    if not lines:
        raise InvalidArguments("A citation is needed, such as src/main.py#L3-L9.")
    if len(lines) > MOST_CITATIONS:
        raise InvalidArguments(f"At most {MOST_CITATIONS} citations are opened at once, not {len(lines)}.")
    return lines
