"""Runs `guide_open`: opens citations and symbols, and fits their lines into the token budget."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fieldguide.code.names import OutlineItem, find_enclosing, read_outline
from fieldguide.code.symbols.lookup import Symbols
from fieldguide.files.kinds import language_of
from fieldguide.knowledge.links.stale import StaleStates
from fieldguide.prose.discovery import find_format_by_name
from fieldguide.prose.document import DEEPEST
from fieldguide.prose.readers import read_document
from fieldguide.spine.tool import Answer, Call, compact_json
from fieldguide.spine.toolset import Services
from fieldguide.text.citation import Citation, format_citation
from fieldguide.text.display import warn_of_masking, warn_of_text
from fieldguide.text.errors import InvalidArguments, NotFound, Refusal
from fieldguide.text.tokens import count_exact_tokens
from fieldguide.text.windows import strip_line_end
from fieldguide.toolsets.guide.cited_pages import CitationOutcome, CitedPage, CitedPages, follow_citation
from fieldguide.toolsets.guide.items import (
    GuideItem,
    count_answer_tokens,
    find_largest,
    open_states,
    render_citation,
    to_one_line,
)
from fieldguide.toolsets.guide.symbol import name_kind, read_ahead, refuse_missing
from fieldguide.toolsets.guide.tools import OPEN_BUDGET

LARGEST_CHARACTERS = 1 << 20
LONGEST_NAME = 120


class EnclosingLines(NamedTuple):
    """The lines around some, and the name of what they are."""

    start: int
    end: int
    name: str


def find_enclosing_lines(page: CitedPage, start: int, end: int) -> EnclosingLines | None:
    """The smallest section or symbol that holds these lines; None where nothing does, or the text is too long.

    A section is given without those below it, where that is enough.
    """
    text = "".join(page.lines)
    if len(text) > LARGEST_CHARACTERS:
        return None
    name = page.path.rpartition("/")[2]
    is_prose = find_format_by_name(name) is not None
    return _section(page, text, start, end) if is_prose else _symbol(page, text, start, end)


def _section(page: CitedPage, text: str, start: int, end: int) -> EnclosingLines | None:
    headings = read_document(page.path, text).headings
    above: dict[int, int] = {}  # the last heading of each level before the lines, by its number
    for number, heading in enumerate(headings):
        if heading.line > start:
            break
        above = {level: each for level, each in above.items() if level < heading.level} | {heading.level: number}
    for level, number in sorted(above.items(), reverse=True):
        line = headings[number].line
        said = headings[number].text[:LONGEST_NAME]
        for deepest in (DEEPEST, level):  # its own text, if that is enough; else with the sections below it
            following = (each.line for each in islice(headings, number + 1, None) if each.level <= deepest)
            last = max(next(following, page.last + 1) - 1, line)
            if last >= end:
                return EnclosingLines(line, last, said)
    return None


def _symbol(page: CitedPage, text: str, start: int, end: int) -> EnclosingLines | None:
    found = find_enclosing(text, language_of(page.path), (start, end))
    if found is None:
        return None
    return EnclosingLines(min(found.line, start), max(found.end_line, end), found.name[:LONGEST_NAME])


LEAST_PER_TOKEN = 2  # characters
SAMPLE = 2_000  # characters of a line that does not fit, which tell how much of it does
NOTE_TOKENS = 60  # for what is said below the lines, beside the citations to go on with
ABOUT_LINE = 16
NEXT_SHARE = 4


class OpenedPlace(NamedTuple):
    """Lines of a page that an answer gives, why, and what became of those that were cited; no page where none is."""

    page: CitedPage | None
    start: int
    end: int
    why: str
    symbol: str = ""
    status: str = ""
    given: str = ""
    focus: tuple[int, int] | None = None
    states: StaleStates | None = None

    def item(self, shown: int) -> GuideItem:
        """The first so many of its lines as an item."""
        assert self.page is not None  # noqa: S101  who has no page has no lines
        end = self.start + shown - 1
        hash_ = self.page.hash(self.start, end)
        text = self.page.text(self.start, end) if self.page.lines_of_bytes is None else ""
        stale = "" if self.states is None else self.states.told(self.page.path, self.start, end, text)
        return GuideItem(self.page.path, self.start, end, self.page.kind, self.why, self.symbol, hash_, stale=stale)

    def rest(self, shown: int) -> str:
        """The citation of its lines after the first so many; empty where there are none."""
        if self.page is None or self.start + shown > self.end:
            return ""
        start = self.start + shown
        return format_citation(self.page.path, start, self.end, self.page.hash(start, self.end))


def fit_places(places: Sequence[OpenedPlace], budget: int) -> Answer:
    """As much of these places as fits; what is left is cited, to go on with."""
    pack = PlacePack(places, budget)
    shown = pack.most()
    first = places[0]
    if first.focus is not None and first.start + shown - 1 < min(first.focus[1], first.end):
        around = f"{first.why}, which begins at L{first.start}"  # what was cited comes first
        places = [first._replace(start=first.focus[0], why=around), *places[1:]]
        pack = PlacePack(places, budget)
        shown = pack.most()
    return pack.answer(shown) if shown > 0 else _cut(places, budget)


class PlacePack:
    """The lines of some places, one after the other; a place without lines counts as one."""

    def __init__(self, places: Sequence[OpenedPlace], budget: int) -> None:
        self._places = places
        self._budget = budget

    def most(self) -> int:
        """How many lines fit: about so many by their own sizes, then exactly by the whole answer."""
        shown = self._about()
        while shown > 0:
            over = count_answer_tokens(self.answer(shown)) - self._budget
            if over <= 0:
                break
            shown -= min(shown, 1 + over // ABOUT_LINE)
        return shown

    def _about(self) -> int:
        """About how many lines fit: each counted by itself, as text and as JSON."""
        room = self._budget - NOTE_TOKENS
        shown = texts = values = 0
        for place in self._places:
            for number in range(place.start, place.start + _size(place)):
                line = place.why if place.page is None else place.page.text(number, number)
                if len(line) > LEAST_PER_TOKEN * room:  # it may fit, but not beside others
                    return max(shown, 1)
                texts += count_exact_tokens(f"{number}: {line}\n")
                values += count_exact_tokens(compact_json(line))
                if max(texts, values) > room:
                    return max(shown, 1)
                shown += 1
        return shown

    def answer(self, shown: int) -> Answer:
        """The answer with so many lines."""
        given = [*self._shares(shown)]
        parts = [_written(place, lines) for place, lines in given]
        texts = [place.page.text(place.start, place.start + lines - 1) for place, lines in given if place.page]
        value: dict[str, Any] = {
            "items": [_told(place, lines) for place, lines in given if place.page is not None],
        }
        lost = [place for place, _ in given if place.page is None]
        if lost:
            value["gone"] = [{"citation": each.given, "status": each.status, "said": each.why} for each in lost]
        warnings = [*warn_of_text(texts), *warn_of_masking(texts)]
        parts += warnings
        if rest := self._rest(given):
            parts.append(f"Go on with the citation:\n{rest}")
            value["next"] = rest
        if warnings:
            value["warnings"] = warnings
        return Answer("\n".join(parts), value)

    def _shares(self, shown: int) -> Iterator[tuple[OpenedPlace, int]]:
        """How many lines each place gives, as long as there are any left."""
        for place in self._places:
            if shown <= 0:
                return
            lines = min(_size(place), shown)
            shown -= lines
            yield place, lines

    def _rest(self, given: Sequence[tuple[OpenedPlace, int]]) -> str:
        """What is left, as one goes on with it: a citation on each line, as many as have room."""
        waiting = [place.rest(lines) for place, lines in given]
        waiting += [place.rest(0) for place in self._places[len(given) :]]
        kept = [each for each in waiting if each]
        while kept[1:] and count_exact_tokens("\n".join(kept)) > self._budget // NEXT_SHARE:
            kept.pop()
        return "\n".join(kept)


def _size(place: OpenedPlace) -> int:
    return 1 if place.page is None else place.end - place.start + 1


def _written(place: OpenedPlace, shown: int) -> str:
    """A place as a model reads it."""
    if place.page is None:
        return f"{to_one_line(place.given)}: {to_one_line(place.why)}\n"
    parts = [f"{render_citation(place.item(shown))}: {to_one_line(place.why)}"]
    parts += [f"{number}: {strip_line_end(line)}" for number, line in _numbered(place, shown)]
    if len(parts) == 1:
        parts.append("")
    return "\n".join(parts) + "\n"


def _numbered(place: OpenedPlace, shown: int) -> Iterator[tuple[int, str]]:
    """The first so many lines of a place with their numbers."""
    assert place.page is not None  # noqa: S101  who has no page has no lines
    yield from enumerate(place.page.lines[place.start - 1 : place.start - 1 + shown], place.start)


def _told(place: OpenedPlace, shown: int) -> dict[str, Any]:
    """A place as programs read it, with the lines as they stand."""
    assert place.page is not None  # noqa: S101  who has no page has no lines
    value = place.item(shown).told()
    if place.status:
        value |= {"status": place.status, "cited": place.given}
    value["text"] = strip_line_end("".join(line for _, line in _numbered(place, shown)))
    return value


def _cut(places: Sequence[OpenedPlace], budget: int) -> Answer:
    """The beginning of a line that does not fit by itself."""
    place = places[0]
    if place.page is None or not place.page.lines:
        raise Refusal("The citation alone takes more than the budget", budget=budget)
    line = strip_line_end(place.page.lines[place.start - 1])
    sample = compact_json(line[:SAMPLE])
    line = line[: (budget - NOTE_TOKENS) * len(sample) // count_exact_tokens(sample)]
    note = f"Only the beginning of line {place.start} fits."
    item = place.item(1)
    rest = place.rest(1)
    further = f" Go on with: {rest}" if rest else ""
    while line:
        text = f"{render_citation(item)}: {place.why}\n{place.start}: {line}…\n{note}{further}"
        value: dict[str, Any] = {"items": [{**item.told(), "text": line, "cut": note}]}
        if rest:
            value["next"] = rest
        answer = Answer(text, value)
        size = count_answer_tokens(answer)
        if size <= budget:
            return answer
        line = line[: len(line) * budget // (size + ABOUT_LINE) * 7 // 8]
    raise Refusal("The citation alone takes more than the budget", budget=budget)


SYMBOL = "symbol:"
MOST_CITATIONS = 20
LONGEST_GIVEN = 20_000


def open_citation(services: Services, symbols: "Callable[[], Symbols]", call: Call) -> Answer:
    """The lines that each citation names, with their numbers, as many as fit; or what became of them."""
    pages = CitedPages(services, call)
    opener = CitationOpener(services, pages, is_around="around" in call.arguments)
    states = open_states(services)
    places: list[OpenedPlace] = []
    for given in _several(call.arguments["citation"]):
        name = given.removeprefix(SYMBOL).strip()
        if name != given:
            places += open_symbol(services, call, pages, symbols(), name)
            continue
        try:
            places.append(opener.place(given))
        except NotFound:  # it may be a symbol without the mark
            if not symbols().definitions(name):
                raise
            places += open_symbol(services, call, pages, symbols(), name)
    places = [place._replace(states=states) for place in places]
    budget = call.arguments.get("budget", OPEN_BUDGET)
    if call.arguments.get("form") == "outline":
        return outline_places(places, budget)
    return fit_places(places, budget)


def outline_places(places: Sequence[OpenedPlace], budget: int) -> Answer:
    """What each place declares, with its lines and signature, as many as fit; of a document its headings."""
    items: list[dict[str, Any]] = []
    entries: list[tuple[int, OutlineItem]] = []
    for number, place in enumerate(places):
        if place.page is None:
            raise NotFound("Nothing to outline", citation=place.given[:300], details=place.why)
        items.append(place._replace(why="outline").item(place.end - place.start + 1).told() | {"shown": False})
        entries += [(number, each) for each in _outline(place.page) if place.start <= each.line <= place.end]
    shown = find_largest(0, len(entries), lambda most: count_answer_tokens(_outlined(items, entries, most)) <= budget)
    answer = _outlined(items, entries, shown)
    if count_answer_tokens(answer) > budget:
        raise Refusal("The citations alone take more than the budget", budget=budget)
    return answer


def _outlined(items: Sequence[dict[str, Any]], entries: Sequence[tuple[int, OutlineItem]], shown: int) -> Answer:
    """The answer with the first so many declarations."""
    parts: list[str] = []
    told: list[dict[str, Any]] = []
    for number, item in enumerate(items):
        declared = [each for at, each in entries[:shown] if at == number]
        parts.append(to_one_line(item["citation"]))
        parts += [f"{each.line}-{each.end_line}: {to_one_line(each.signature)}" for each in declared]
        told.append({**item, "outline": [[*each] for each in declared]})
    value: dict[str, Any] = {"items": told}
    if shown < len(entries):
        value["left_out"] = len(entries) - shown
        parts.append(f"{len(entries) - shown} more declarations fit a larger budget.")
    parts += warn_of_text([each.signature for _, each in entries[:shown]])
    return Answer("\n".join(parts), value)


def _outline(page: CitedPage) -> Sequence[OutlineItem]:
    text = "".join(page.lines)
    if find_format_by_name(page.path.rpartition("/")[2]) is None:
        return read_outline(text, language_of(page.path))
    headings = read_document(page.path, text).headings
    ends = [*(each.line - 1 for each in headings[1:]), page.last]
    return [
        OutlineItem(each.line, max(end, each.line), f"{'  ' * (each.level - 1)}{each.text[:LONGEST_NAME]}")
        for each, end in zip(headings, ends, strict=False)
    ]


class CitationOpener(NamedTuple):
    """Opens citations one by one; with what encloses them, where that was asked for."""

    services: Services
    pages: CitedPages
    is_around: bool

    def place(self, given: str) -> OpenedPlace:
        """The place that one citation names."""
        page, citation = self.pages.named(given)
        if citation is None and page is not None:
            return OpenedPlace(page, 1, page.last, "all of it")
        if citation is None:
            raise self.pages.missing(given, given)
        if page is not None and (not citation.hash or page.holds(citation)):
            return self._cited(page, citation)
        found = follow_citation(self.services, self.pages, page, citation)
        if found.page is None and not found.is_known:
            raise self.pages.missing(given, citation.path)
        return self._became(found, given)

    def _cited(self, page: CitedPage, citation: Citation) -> OpenedPlace:
        if citation.start_line > page.last:
            raise NotFound("Lines not found", citation=str(citation)[:300], details=f"It has {page.last} lines.")
        end = min(citation.end_line, page.last)
        why = "as cited" if citation.hash else "the lines asked for"
        return self._around(OpenedPlace(page, citation.start_line, end, why))

    def _became(self, found: CitationOutcome, given: str) -> OpenedPlace:
        if found.page is None:
            return OpenedPlace(None, 0, 0, found.said, status=found.status, given=given)
        place = OpenedPlace(found.page, found.start, found.end, found.said, status=found.status, given=given)
        return self._around(place)

    def _around(self, place: OpenedPlace) -> OpenedPlace:
        if not self.is_around or place.page is None:
            return place
        found = find_enclosing_lines(place.page, place.start, place.end)
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


MOST_DEFINITIONS = 5


def open_symbol(
    services: Services, call: Call, pages: CitedPages, symbols: Symbols, name: str
) -> Sequence[OpenedPlace]:
    """The places of what has a name; the first few where many have it."""
    standing, _ = services.ready(call, name)
    behind = read_ahead(services, name)
    standing = standing or behind
    found = symbols.definitions(name)
    if not found:
        raise refuse_missing(symbols, name, None, standing.sentence() if standing else "")
    of = f", the first {MOST_DEFINITIONS} of {len(found)}" if len(found) > MOST_DEFINITIONS else ""
    places: list[OpenedPlace] = []
    for each in found[:MOST_DEFINITIONS]:
        page = pages.file(each.path)
        if page is not None and each.line <= page.last:
            end = min(max(each.end_line, each.line), page.last)
            places.append(OpenedPlace(page, each.line, end, f"{name_kind(each)}{of}", symbol=each.qualified))
    if not places:
        raise refuse_missing(symbols, name, None, "")
    return places
