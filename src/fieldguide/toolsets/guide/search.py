"""Runs `guide_search`: renders the hits with their lines and reasons."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.files.kinds import is_extracted
from fieldguide.knowledge.links.stale import StaleStates
from fieldguide.search.backlog import IndexProgress
from fieldguide.search.code_ranking import NAMED_ALIKE, QuestionNames
from fieldguide.search.ranking import NOTHING_FITS, QueryTerms
from fieldguide.spine.tool import Answer, Call
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.citation import hash_text
from fieldguide.text.errors import HIDDEN, InvalidArguments, warn_of_hidden_text
from fieldguide.text.windows import cut_text, split_lines
from fieldguide.toolsets.guide.items import (
    FINDING,
    KINDS,
    TASK,
    GuideItem,
    ProjectLines,
    open_states,
    render_citation,
    to_one_line,
)
from fieldguide.toolsets.guide.search_candidates import (
    GuideQuery,
    GuideSearchResult,
    find_hits,
    list_shelves,
    parse_kinds,
)
from fieldguide.toolsets.guide.search_scoring import ListedHit, PlacedCandidate, to_probability
from fieldguide.toolsets.guide.tools import SEARCH_LIMIT

MOST_SHOWN = 12
MOST_COMPARED = 3  # lines: a secret, or a line that is cut, is seldom among the first
BYTES_OF_A_TOKEN = 3
NUMBER_TOKENS = 4
WIDEST = 160  # characters of a line: it is a look, `guide_open` shows all


class CitedHitLines(NamedTuple):
    """The lines of a hit that are cited, their hash, and the best of them with the number of the first."""

    start: int
    end: int
    hash: str
    first: int
    best: Sequence[str]


def cite_lines(hit: ListedHit, lines: ProjectLines) -> CitedHitLines | None:
    """The lines of a hit; None where the file is gone, or not as long any more."""
    path = hit.best.placed.path
    passage = hit.best.placed.candidate.passage
    first = passage.start_line
    if ":" in path.partition("/")[0] or is_extracted(path):  # no file of the project has these lines
        shown = [line.rstrip("\r\n") for line in split_lines(passage.text)]
        return CitedHitLines(first, first + max(len(shown), 1) - 1, hash_text(passage.text), first, shown)
    last = lines.count(path)
    end = min(hit.end, last)
    if hit.start > end:
        return None
    until = min(max(first, passage.end_line), last)
    return CitedHitLines(hit.start, end, lines.hash(path, hit.start, end), first, lines.shown(path, first, until))


def has_changed(hit: ListedHit, cited: CitedHitLines) -> bool:
    """Whether the lines of code that are there now are other than those that an index which is behind knows."""
    known = split_lines(hit.best.placed.candidate.passage.text)[:MOST_COMPARED]
    now = cited.best[: len(known)]
    return hit.best.placed.is_code and [line.strip() for line in known] != [line.strip() for line in now]


def select_matching_lines(
    cited: CitedHitLines, terms: QueryTerms, names: Sequence[str], most_tokens: int
) -> list[tuple[int, str]]:
    """Those of the best lines that hold most of the question, as many as fit, with their numbers."""
    lines: list[str] = []
    worth: list[float] = []
    lowered = [name.lower() for name in names]
    for whole in cited.best:
        line = _excerpt(whole, terms, names)
        lines.append(line)
        worth.append(terms.worth(line) + any(name in line.lower() for name in lowered))
    begin, end = _window(worth, [*map(estimate_tokens, lines)], most_tokens)
    return [*enumerate(lines[begin:end], cited.first + begin)]


def _excerpt(line: str, terms: QueryTerms, names: Sequence[str]) -> str:
    """A line; of a long one the part around a name of the question, or around the word that says most."""
    if len(line) <= WIDEST:
        return line
    lowered = line.lower()
    words = [*names, *sorted(terms.weights, key=lambda term: -terms.weights[term])]
    at = next((lowered.find(word.lower()) for word in words if word.lower() in lowered), 0)
    begin = 0
    if at > WIDEST // 2:
        begin = max(0, min(at - WIDEST // 4, len(line) - WIDEST))
    end = min(begin + WIDEST, len(line))
    before = "… " if begin else ""
    after = " …" if end < len(line) else ""
    return f"{before}{line[begin:end]}{after}"


def estimate_tokens(line: str) -> int:
    """About how many tokens a line is, with the number before it; to count them all takes as long as the search."""
    return len(line.encode(errors="surrogatepass")) // BYTES_OF_A_TOKEN + NUMBER_TOKENS


def _window(worth: Sequence[float], sizes: Sequence[int], most: int) -> tuple[int, int]:
    """The run of lines that is worth most, as long as may be; of equal ones the first."""
    best = -1.0
    chosen = (0, 0)
    begin = 0
    size = 0
    value = 0.0
    for end in range(len(sizes)):
        size = size + sizes[end]
        value = value + worth[end]
        while begin <= end and (size > most or end - begin >= MOST_SHOWN):
            size = size - sizes[begin]
            value = value - worth[begin]
            begin = begin + 1
        if value > best + 1e-9 or (abs(value - best) <= 1e-9 and chosen[0] == begin):
            best = value
            chosen = (begin, end + 1)
    return chosen


MOST_WORDS = 4
LONGEST_HEADING = 60
LONGEST_SYMBOL = 200
SHORTEST_STEM = 4
ADORNMENT = re.compile(r"^[^\w\s]{3,}\s+")  # the line above a title, where a reader took it for a part of it
ALIKE = 0.4  # from here on a hit is alike by itself, and not only more alike than others


def explain_hit(hit: ListedHit, asked: QuestionNames, terms: QueryTerms) -> str:
    """The heading or the state, what of the question it names or holds, and that it is near in meaning."""
    return "; ".join(_parts(hit.best.placed, asked, terms)) or "the nearest in meaning of its kind"


def find_symbol_name(placed: PlacedCandidate) -> str:
    """The name of the definition that code belongs to, with those around it."""
    name = ".".join(placed.candidate.passage.headings) if placed.is_code else ""
    return cut_text(name, LONGEST_SYMBOL)


def _parts(placed: PlacedCandidate, asked: QuestionNames, terms: QueryTerms) -> Iterator[str]:
    passage = placed.candidate.passage
    title = placed.candidate.document.title
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
    return cut_text(plain, LONGEST_HEADING)


TOKENS_EACH = 150  # of a hit, its citation included
FEWEST = 10  # so many hits' tokens there are in any case


class GuideHit(NamedTuple):
    """An item of the list, with its lines, how likely it is right, and further places."""

    item: GuideItem
    cited: CitedHitLines
    score: float
    also: tuple[str, ...]
    unsure: bool

    def told(self) -> dict[str, Any]:
        """The hit as programs read it."""
        value = {**self.item.told(), "score": self.score}
        if self.also:
            value["also"] = [*self.also]
        if self.unsure:
            value["unsure"] = True
        return value


class GuideSearchRemarks(NamedTuple):
    """How the index stands, and what of it was searched."""

    standing: IndexProgress | None
    lacks: str
    searched: Mapping[str, int]

    def told(self, hits: Sequence[GuideHit]) -> dict[str, Any]:
        """What an answer says beside its items."""
        value: dict[str, Any] = self.standing.told() if self.standing else {}
        if self.lacks:
            value["lacks"] = self.lacks
        if _are_unsure(hits):
            value["fit"] = NOTHING_FITS
        if not hits or _are_unsure(hits):
            value["hint"] = self._hint()
        return value

    def opening(self, hits: Sequence[GuideHit]) -> Iterator[str]:
        """What is said before the items: that none of them fits well, or that there are none."""
        if not hits:
            yield f"Nothing fits. {self._hint()}"
        elif _are_unsure(hits):
            yield f"Nothing fits well: these are the nearest, marked as unsure. {self._hint()}"

    def sentences(self) -> Iterator[str]:
        """How the index stands, in words."""
        if self.standing:
            yield self.standing.sentence()
        if self.lacks:
            yield f"The index is not whole: {self.lacks}"

    def _hint(self) -> str:
        there = ", ".join(f"{number} of {owner}" for owner, number in sorted(self.searched.items())) or "nothing"
        return f"Searched: {there}. Try other or fewer words, or leave `kinds` out; grep_codebase finds exact text."


def render_answer(
    found: GuideSearchResult, wanted: GuideQuery, lines: ProjectLines, beside: GuideSearchRemarks, states: StaleStates
) -> Answer:
    """The hits as a text and as a value."""
    hits = [*_hits(found, QuestionNames(wanted.query), lines, states, is_behind=beside.standing is not None)]
    value = {"items": [hit.told() for hit in hits], **beside.told(hits)}
    lines_told = [*_written(hits, wanted, found)]
    said = (*warn_of_hidden_text(lines_told), *beside.sentences())
    text = "\n".join([*beside.opening(hits), *lines_told, *said])
    return Answer(text, value)


def _are_unsure(hits: Sequence[GuideHit]) -> bool:
    return bool(hits) and all(hit.unsure for hit in hits)


def _hits(
    found: GuideSearchResult, asked: QuestionNames, lines: ProjectLines, states: StaleStates, *, is_behind: bool
) -> Iterator[GuideHit]:
    for hit in found.hits:
        cited = cite_lines(hit, lines)
        if cited is not None and not (is_behind and has_changed(hit, cited)):
            placed = hit.best.placed
            item = GuideItem(
                placed.path,
                cited.start,
                cited.end,
                placed.kind,
                explain_hit(hit, asked, found.terms),
                find_symbol_name(placed),
                cited.hash,
                stale=states.told(placed.path, cited.start, cited.end, placed.candidate.passage.text),
            )
            also = tuple(f"{placed.path}{each}" if each.startswith("#") else each for each in hit.also)
            yield GuideHit(item, cited, round(to_probability(hit.odds), 3), also, hit.unsure)


def _written(hits: Sequence[GuideHit], wanted: GuideQuery, found: GuideSearchResult) -> Iterator[str]:
    """Yield each hit with the lines that matter, sharing the tokens; unsure hits behind sure ones are only named."""
    heads = [
        f"{place}. {hit.item.kind} {render_citation(hit.item)}{' [unsure]' if hit.unsure else ''}: "
        f"{to_one_line(hit.item.why)}"
        for place, hit in enumerate(hits, 1)
    ]
    are_unsure = _are_unsure(hits)
    left = TOKENS_EACH * max(wanted.limit, FEWEST) - sum(map(estimate_tokens, heads))
    for place, (head, hit) in enumerate(zip(heads, hits, strict=True)):
        yield head
        if hit.unsure and not are_unsure:
            continue
        share = left // (len(hits) - place)
        for number, line in select_matching_lines(hit.cited, found.terms, found.names, share):
            shown = f"{number}| {line}"
            left -= estimate_tokens(line)
            yield shown


def search(services: Services, call: Call) -> Answer:
    """One list of everything that answers a question."""
    wanted = _wanted(call)
    standing, lacks = services.ready(call, wanted.query)
    shelves = list_shelves(services, call, wanted.query)
    found = find_hits(services, shelves, wanted, call)
    services.note("Guide searched", query=wanted.query[:100], results=len(found.hits))
    beside = GuideSearchRemarks(standing, lacks, shelves.counted())
    return render_answer(found, wanted, ProjectLines(services.project), beside, open_states(services))


def _wanted(call: Call) -> GuideQuery:
    query = call.arguments["query"]
    if not query.strip():
        raise InvalidArguments("The query is blank; say what to look for.")
    kinds = parse_kinds(call.arguments.get("kinds", []))
    unknown = sorted(kinds.difference(KINDS))
    if unknown:
        raise InvalidArguments(f"There is no kind {unknown[0]!r}; the kinds are {', '.join(KINDS)}.", kinds=unknown)
    return GuideQuery(query, kinds, call.arguments.get("limit", SEARCH_LIMIT))
