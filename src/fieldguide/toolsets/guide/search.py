"""Runs `guide_search`: renders the hits with their lines and reasons."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.code.symbols.lookup import Symbols
from fieldguide.files.kinds import is_extracted
from fieldguide.knowledge.links.stale import StaleStates
from fieldguide.search.backlog import IndexProgress
from fieldguide.search.code_ranking import NAMED_ALIKE, QuestionNames
from fieldguide.search.ranking import NOTHING_FITS, QueryTerms
from fieldguide.spine.tool import Answer, Call
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.citation import hash_text
from fieldguide.text.display import HIDDEN, warn_of_hidden_text
from fieldguide.text.errors import InvalidArguments
from fieldguide.text.windows import cut_text, split_lines
from fieldguide.toolsets.guide.items import (
    CODE,
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
    IndexShelves,
    find_hits,
    list_shelves,
    parse_kinds,
)
from fieldguide.toolsets.guide.search_scoring import PlacedCandidate, WholeHit, is_comment, make_whole, to_probability
from fieldguide.toolsets.guide.sweep import sweep
from fieldguide.toolsets.guide.tools import LONGEST_QUERY, SEARCH_LIMIT

MOST_SHOWN = 12  # lines of what is not shown whole
MOST_COMPARED = 3  # lines: a secret, or a line that is cut, is seldom among the first
BYTES_OF_A_TOKEN = 3
NUMBER_TOKENS = 4
WIDEST = 160  # characters of a line: it is a look, `guide_open` shows all


class CitedHitLines(NamedTuple):
    """The lines of a hit that are cited, their hash, and those of its best part with the number of the first."""

    start: int
    end: int
    hash: str
    first: int
    best: Sequence[str]


def cite_lines(hit: WholeHit, lines: ProjectLines) -> CitedHitLines | None:
    """The lines of a hit; None where the file is gone, or not as long any more."""
    path = hit.placed.path
    passage = hit.placed.candidate.passage
    if _is_in_no_file(path):
        first = passage.start_line
        shown = [line.rstrip("\r\n") for line in split_lines(passage.text)]
        return CitedHitLines(first, first + max(len(shown), 1) - 1, hash_text(passage.text), first, shown)
    start = hit.listed.start
    last = lines.count(path)
    end = min(hit.listed.end, last)
    if start > end:
        return None
    best = lines.shown(path, hit.own.start, min(hit.own.end, last))
    return CitedHitLines(start, end, lines.hash(path, start, end), hit.own.start, best)


def _is_in_no_file(path: str) -> bool:
    """Whether the lines of a hit are those of no file of the project."""
    return ":" in path.partition("/")[0] or is_extracted(path)


def has_changed(hit: WholeHit, lines: ProjectLines) -> bool:
    """Whether the lines of code that are there now are other than those that an index which is behind knows."""
    path = hit.placed.path
    if not hit.placed.is_code or _is_in_no_file(path):
        return False
    passage = hit.placed.candidate.passage
    known = split_lines(passage.text)[:MOST_COMPARED]
    now = lines.shown(path, passage.start_line, min(passage.start_line + len(known) - 1, lines.count(path)))
    return [line.strip() for line in known] != [line.strip() for line in now]


def select_matching_lines(
    cited: CitedHitLines, terms: QueryTerms, names: Sequence[str], most_tokens: int, symbol: str = ""
) -> list[tuple[int, str]]:
    """All lines of the best part if they fit; else those that hold most of the question, below its first of code."""
    lines: list[str] = []
    worth: list[float] = []
    lowered = [name.lower() for name in names]
    for whole in cited.best:
        line = _excerpt(whole, terms, names)
        lines.append(line)
        worth.append(terms.worth(line) + any(name in line.lower() for name in lowered))
    sizes = [*map(estimate_tokens, lines)]
    if sum(sizes) <= most_tokens:
        return [*enumerate(lines, cited.first)]
    head = next((number for number, line in enumerate(lines) if symbol in line and not is_comment(line)), 0)
    begin, end = _window(worth, sizes, most_tokens)
    chosen = [*enumerate(lines[begin:end], cited.first + begin)]
    if symbol and head < begin and len(chosen) > 1:
        begin, end = _window(worth, sizes, most_tokens - sizes[head])
        chosen = [(cited.first + head, lines[head]), *enumerate(lines[begin:end], cited.first + begin)]
    return sorted(dict.fromkeys(chosen))


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


MOST_PARTS = 3


def explain_hit(hit: WholeHit, asked: QuestionNames, terms: QueryTerms) -> str:
    """The heading or the state, what of the question it names or holds, and what else is in its lines."""
    reasons = [*_parts(hit.placed, asked, terms)] or ["the nearest in meaning of its kind"]
    if hit.own.whole is not None:
        reasons.insert(0, f"a part of L{hit.own.whole[0]}-L{hit.own.whole[1]}")
    around = hit.own.name.rpartition(".")[0]
    others = [part for part in hit.parts if part.name and part.name != hit.own.name]
    others.sort(key=lambda part: (part.name.rpartition(".")[0] != around, part.start))
    if hit.placed.kind == CODE and others:
        named = [f"{_short(part.name.rpartition('.')[2])} L{part.start}-L{part.end}" for part in others[:MOST_PARTS]]
        reasons.append(f"with {', '.join(named)}")
    return "; ".join(reasons)


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
    words = _telling(terms.held(texts, in_parts=False), terms.weights)
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
WHOLE_SHARE = 0.25  # of the tokens that are left may go to one definition that is shown whole
MOST_WHOLE = 3
DROPPED = 10  # hits more than are asked for: some are parts of others, or of a name that two have already


class GuideHit(NamedTuple):
    """An item of the list, with its lines, how likely it is right, and further places."""

    item: GuideItem
    cited: CitedHitLines
    score: float
    also: tuple[str, ...]
    unsure: bool

    def told(self, *, is_shown: bool) -> dict[str, Any]:
        """The hit as programs read it."""
        value = {**self.item._replace(is_named=not is_shown).told(), "score": self.score}
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


class FoundHits(NamedTuple):
    """The hits of a question, and the terms and names by which their lines are chosen."""

    hits: Sequence[GuideHit]
    terms: QueryTerms
    names: Sequence[str]


def render_answer(found: FoundHits, limit: int, remarks: GuideSearchRemarks) -> Answer:
    """The hits as a text and as a value, each with the lines that matter; unsure hits behind sure ones without."""
    lines: list[str] = []
    items: list[dict[str, Any]] = []
    heads = [
        f"{place}. {hit.item.kind} {render_citation(hit.item)}{' [unsure]' if hit.unsure else ''}: "
        f"{to_one_line(hit.item.why)}"
        for place, hit in enumerate(found.hits, 1)
    ]
    names_unsure = not _are_unsure(found.hits)
    left = TOKENS_EACH * max(limit, FEWEST) - sum(map(estimate_tokens, heads))
    for place, (head, hit) in enumerate(zip(heads, found.hits, strict=True)):
        lines.append(head)
        shown: list[tuple[int, str]] = []
        if not (hit.unsure and names_unsure):
            share = left // (len(found.hits) - place)
            most = max(share, int(WHOLE_SHARE * left)) if place < MOST_WHOLE else share
            symbol = hit.item.symbol.rpartition(".")[2]
            shown = select_matching_lines(hit.cited, found.terms, found.names, most, symbol)
        for number, line in shown:
            left -= estimate_tokens(line)
            lines.append(f"{number}| {line}")
        items.append(hit.told(is_shown=bool(shown)))
    text = "\n".join([*remarks.opening(found.hits), *lines, *warn_of_hidden_text(lines), *remarks.sentences()])
    return Answer(text, {"items": items, **remarks.told(found.hits)})


def _are_unsure(hits: Sequence[GuideHit]) -> bool:
    return bool(hits) and all(hit.unsure for hit in hits)


class HitFinder(NamedTuple):
    """Searches for one question."""

    services: Services
    call: Call
    shelves: IndexShelves
    lines: ProjectLines
    states: StaleStates
    is_behind: bool
    """Whether the index may know files as they were."""

    def find(self, wanted: GuideQuery) -> FoundHits:
        """The hits of a question."""
        asked = QuestionNames(wanted.query)
        found = find_hits(self.services, self.shelves, wanted._replace(limit=wanted.limit + DROPPED), self.call)
        whole = make_whole(self.services.engine(), found.hits, self.call.cancellation)
        cited = (self._cite(each, asked, found.terms) for each in whole[: wanted.limit])
        return FoundHits([hit for hit in cited if hit is not None], found.terms, found.names)

    def _cite(self, hit: WholeHit, asked: QuestionNames, terms: QueryTerms) -> GuideHit | None:
        cited = cite_lines(hit, self.lines)
        if cited is None or (self.is_behind and has_changed(hit, self.lines)):
            return None
        placed = hit.placed
        item = GuideItem(
            placed.path,
            cited.start,
            cited.end,
            placed.kind,
            explain_hit(hit, asked, terms),
            find_symbol_name(placed),
            cited.hash,
            stale=self.states.told(placed.path, cited.start, cited.end, placed.candidate.passage.text),
        )
        also = tuple(f"{placed.path}{each}" if each.startswith("#") else each for each in hit.listed.also)
        return GuideHit(item, cited, round(to_probability(hit.listed.odds), 3), also, hit.listed.unsure)


def search(services: Services, symbols: Callable[[], Symbols], call: Call) -> Answer:
    """One list of everything that answers a question, or every line that matches a pattern."""
    if call.arguments.get("pattern"):
        return _sweep(services, symbols, call)
    wanted = _wanted(call)
    standing, lacks = services.ready(call, wanted.query)
    shelves = list_shelves(services, call, wanted.query)
    finder = HitFinder(
        services, call, shelves, ProjectLines(services.project), open_states(services), standing is not None
    )
    found = finder.find(wanted)
    services.note("Guide searched", query=wanted.query[:100], results=len(found.hits))
    return render_answer(found, wanted.limit, GuideSearchRemarks(standing, lacks, shelves.counted()))


def _sweep(services: Services, symbols: Callable[[], Symbols], call: Call) -> Answer:
    pattern = call.arguments["pattern"]
    if call.arguments.get("query") or call.arguments.get("kinds"):
        raise InvalidArguments("Give a query, with kinds, or a pattern, with a path.")
    if len(pattern) > LONGEST_QUERY:
        raise InvalidArguments(f"A pattern has at most {LONGEST_QUERY:,} characters.")
    limit = call.arguments.get("limit", SEARCH_LIMIT)
    found = sweep(services, symbols(), call, pattern, TOKENS_EACH * max(limit, FEWEST))
    return found or Answer(f"No line matches {to_one_line(pattern)}.", {"items": [], "lines": 0, "files": 0})


def _wanted(call: Call) -> GuideQuery:
    query = call.arguments.get("query", "")
    if not query.strip():
        raise InvalidArguments("The query is blank; say what to look for, or give a pattern.")
    if "path" in call.arguments:
        raise InvalidArguments("A path goes with a pattern only.")
    kinds = parse_kinds(call.arguments.get("kinds", []))
    unknown = sorted(kinds.difference(KINDS))
    if unknown:
        raise InvalidArguments(f"There is no kind {unknown[0]!r}; the kinds are {', '.join(KINDS)}.", kinds=unknown)
    return GuideQuery(query, kinds, call.arguments.get("limit", SEARCH_LIMIT))
