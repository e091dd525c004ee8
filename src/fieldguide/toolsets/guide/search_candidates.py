"""Collects the candidates for a question from code, documents, decisions, findings and tasks."""

import math
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, NamedTuple, cast

from fieldguide.files.kinds import BUILD, CI, SHELL, SQL, TEMPLATE, TESTS, TEXT_KINDS, find_role, find_text_kind
from fieldguide.knowledge.findings.indexing import FINDING_SOURCES, parse_source_name
from fieldguide.prose.translations import is_asked_in
from fieldguide.search.code_ranking import (
    BESIDE,
    SPOKEN_OF,
    CodeChunk,
    QuestionNames,
    compute_code_odds,
    interleave,
)
from fieldguide.search.indexes.document_store import DocumentStore, StoredDocument, StoredSource
from fieldguide.search.pools import CODE_LOOKED_AT, LOOKED_AT, Pool, PoolCandidate, PooledCandidates, collect_candidates
from fieldguide.search.ranking import (
    CODE_FLOOR,
    DOCUMENT_FLOOR,
    MOST_UNSURE,
    FlooredSources,
    QueryTerms,
    QueryWords,
    RecordJudge,
    read_mark,
)
from fieldguide.search.types import ChunkPassage
from fieldguide.spine.tool import Answer, Call
from fieldguide.spine.toolset import Services
from fieldguide.text.errors import ToolNotFound
from fieldguide.toolsets.guide.items import (
    CODE,
    DECISION,
    DOCUMENT,
    FINDING,
    KINDS,
    PATTERN,
    SPEC,
    TASK,
    TASKS,
    TEST,
    join_task_text,
    list_own_tasks,
)
from fieldguide.toolsets.guide.search_scoring import (
    CandidateFeatures,
    ListedHit,
    PlacedCandidate,
    ScoredCandidate,
    compute_features,
    compute_log_odds,
    is_likely,
    list_hits,
    put_code_and_prose_first,
    score_candidate,
)

SOURCE_CODE = "code"
TEXT = "text"
DOCUMENTS = "documents"
ARCHITECTURE = "architecture"
SERVED_BY = {
    SOURCE_CODE: "context_search",
    TEXT: "context_search",
    DOCUMENTS: "documents_list_collections",
    ARCHITECTURE: "search-architecture",
}
DECISIONS = "adr"
SPECS = "directive/"
SPEC_TOOL = "directive/files.list"
FOLDER = "dir:"  # the ID of a collection that is a folder begins so
LANGUAGE = "#"
ELSEWHERE = ("/", "..", "~")


class IndexShelf(NamedTuple):
    """A source of the index: whose it is, what it holds, and what its collection is called."""

    owner: str
    source: StoredSource
    alias: str = ""

    def path(self, document: str) -> str:
        """Where a document lies; of one that lies in no file, or not in the project, what names it."""
        if self.owner == FINDING_SOURCES:
            return f"{FINDING}://{document}"
        if self.owner != DOCUMENTS:
            return document
        folder = self.source.name.removeprefix(FOLDER).partition(LANGUAGE)[0]
        if not self.source.name.startswith(FOLDER) or folder.startswith(ELSEWHERE):
            return f"{self.alias}:{document}"
        return posixpath.normpath(f"{folder}/{document}")


class IndexShelves(NamedTuple):
    """The shelves of a project by the numbers of their sources, and the documents that are more than that."""

    by_source: Mapping[int, IndexShelf]
    more_telling: Mapping[str, str]
    has_specs: bool

    def of(self, *owners: str) -> tuple[int, ...]:
        """The sources of these owners that hold something."""
        return tuple(
            number for number, shelf in self.by_source.items() if shelf.owner in owners and shelf.source.documents
        )

    def of_text(self, kinds: Collection[str]) -> tuple[int, ...]:
        """The sources of text beside the code, of these kinds; of all, where none is named."""
        return tuple(
            number
            for number in self.of(TEXT)
            if not kinds or parse_source_name(self.by_source[number].source.name)[0] in kinds
        )

    def path_of(self, candidate: PoolCandidate) -> str:
        """Where a candidate stands."""
        return self.by_source[candidate.document.source].path(candidate.document.name)

    def kind_of(self, candidate: PoolCandidate, path: str) -> str:
        """What a candidate is: of a document that is a decision too, the more telling."""
        shelf = self.by_source[candidate.document.source]
        if shelf.owner == FINDING_SOURCES:
            return FINDING
        if shelf.owner == TEXT:
            return parse_source_name(shelf.source.name)[0]
        if shelf.owner == SOURCE_CODE:
            if find_role(path) == TESTS:
                return TEST
            mark = read_mark(candidate.document)
            return mark if mark in TEXT_KINDS else CODE
        if path in self.more_telling:
            return self.more_telling[path]
        return SPEC if self.has_specs and path.startswith(SPECS) else DOCUMENT

    def counted(self) -> dict[str, int]:
        """How many documents of each owner are searched."""
        held: dict[str, int] = {}
        for shelf in self.by_source.values():
            held[shelf.owner] = held.get(shelf.owner, 0) + shelf.source.documents
        return {owner: count for owner, count in held.items() if count}


def list_shelves(services: Services, call: Call, query: str) -> IndexShelves:
    """What of the index may be searched for a question now; sessions never: they are for whoever worked in them."""
    owners = [FINDING_SOURCES, *(owner for owner, tool in SERVED_BY.items() if is_served(services, tool))]
    aliases = _collections(services, call, query)
    engine = services.engine()
    with engine.database.reading(call.cancellation) as transaction:
        store = engine.store(transaction)
        found = [
            IndexShelf(owner, each, aliases.get(each.name, "")) for owner in owners for each in store.sources(owner)
        ]
        kept = {each.source.id: each for each in found if each.owner != DOCUMENTS or each.source.name in aliases}
        more_telling = _more_telling(store, kept.values())
    return IndexShelves(kept, more_telling, is_served(services, SPEC_TOOL))


def _more_telling(store: DocumentStore, shelves: Iterable[IndexShelf]) -> dict[str, str]:
    """What the documents are that the architecture toolset keeps: a decision, or a pattern."""
    found: dict[str, str] = {}
    for shelf in shelves:
        if shelf.owner == ARCHITECTURE:
            kind = DECISION if shelf.source.name == DECISIONS else PATTERN
            found |= dict.fromkeys(store.names(shelf.source.id), kind)
    return found


def is_served(services: Services, tool: str) -> bool:
    """Whether a tool is there: what its toolset has put into the index is kept up to date then."""
    try:
        services.find_tool(tool)
    except ToolNotFound:
        return False
    return True


def _collections(services: Services, call: Call, query: str) -> dict[str, str]:
    """The collections that are configured now, by ID, without translations into other languages than the question's."""
    rows = _listed_collections(services, call)
    aliases: dict[str, str] = {}
    asked_in: dict[str, str] = {}
    for row in rows:
        identity = str(row.get("collectionId", row["collection"]))
        language = str(row.get("language", ""))
        aliases[identity] = str(row["collection"])
        if not language or is_asked_in(query, language):
            asked_in[identity] = aliases[identity]
    return asked_in or aliases


def _listed_collections(services: Services, call: Call) -> list[dict[str, Any]]:
    """What the toolset of documents lists; nothing where it is not served."""
    tool = SERVED_BY[DOCUMENTS]
    if not is_served(services, tool):
        return []
    told: Any = services.find_tool(tool).run(call._replace(tool=tool, arguments={}))
    listed: Any = told.value if isinstance(told, Answer) else told
    return cast("list[dict[str, Any]]", listed) if isinstance(listed, list) else []


MOST_LOOKED_AT = 1_000
LEAST_HELD = 0.5  # of the terms of a question: how rare they are in code says nothing of tasks


def find_tasks(services: Services, call: Call, terms: QueryTerms) -> list[PlacedCandidate]:
    """The caller's own tasks that hold most of what is asked for; nobody's where it is not known who asks."""
    if call.user is None:
        return []
    found: list[PlacedCandidate] = []
    for row in list_own_tasks(services, call)[:MOST_LOOKED_AT]:
        text = join_task_text(row)
        held = len(terms.held((text,))) / max(len(terms.weights), 1)
        if held >= LEAST_HELD:
            found.append(PlacedCandidate(_candidate(row, text, held), f"{TASKS}{row['id']}", TASK, is_code=False))
    return found


def _candidate(row: Mapping[str, Any], text: str, held: float) -> PoolCandidate:
    document = StoredDocument(-1, -1, str(row["id"]), str(row["title"]), len(text), 1, ())
    state = "done" if row["completed"] else "open"
    return PoolCandidate(-1, document, ChunkPassage(text, (state,), 1, text.count("\n") + 1), held, held)


OWNERS = {
    SOURCE_CODE: frozenset((CODE, TEST, BUILD, SHELL, SQL, TEMPLATE, CI)),
    TEXT: frozenset(TEXT_KINDS),
    DOCUMENTS: frozenset((DOCUMENT, SPEC)),
    ARCHITECTURE: frozenset((DECISION, PATTERN)),
    FINDING_SOURCES: frozenset((FINDING,)),
}
FEWEST = 5  # hits; where fewer fit, the nearest of the others follow, marked as unsure
DEPTH = 40  # hits that are put in order, however few are asked for: a shorter list is the beginning of a longer one
PROGRAMS = frozenset((BUILD, SHELL, SQL))
MORE_LOOKED_AT = 400  # where only some kinds are asked for: the others of a pool are left out
MEANT = 1.0  # log odds that a text has more whose kind the question asks for by name
NAMED_FILE = 3.0  # and one that the question names


class GuideQuery(NamedTuple):
    """What a caller asks for; no kinds mean all of them."""

    query: str
    kinds: frozenset[str]
    limit: int

    def holds(self, kinds: Set[str]) -> bool:
        """Whether something of these kinds is asked for; who asks for code may mean scripts and SQL as well."""
        return not self.kinds or not self.kinds.isdisjoint(kinds) or (CODE in self.kinds and bool(kinds & PROGRAMS))

    def owners(self) -> list[str]:
        """Those whose sources hold what is asked for; a decision may be a document, and has a source of its own."""
        return [owner for owner, kinds in OWNERS.items() if not self.kinds or self.kinds & kinds]


class GuideSearchResult(NamedTuple):
    """The hits of a question, likeliest first, its terms, and the names that it has."""

    hits: list[ListedHit]
    terms: QueryTerms
    names: Sequence[str] = ()


class SearchCandidates(NamedTuple):
    """What may answer a question, with what is known of each, and the question's terms and words."""

    placed: list[PlacedCandidate]
    features: list[CandidateFeatures]
    terms: QueryTerms
    words: QueryWords


def find_hits(services: Services, shelves: IndexShelves, wanted: GuideQuery, call: Call) -> GuideSearchResult:
    """The hits of a question: those that fit, then the nearest few of kinds in which nothing fits well."""
    found = gather_candidates(services, shelves, wanted, call)
    asked = QuestionNames(wanted.query)
    parts = _parted(found, wanted, asked)
    likely = [each for each in parts.likely if not each.placed.candidate.unsure]
    beside = [each for each in parts.beside if not each.placed.candidate.unsure]
    spoken_of = [each for each in parts.spoken_of if not each.placed.candidate.unsure]

    depth = max(DEPTH, wanted.limit)
    first, weak = _split(list_hits(likely, depth))
    others, weak_others = _split(list_hits(spoken_of, depth))
    behind, weak_beside = _split(list_hits(beside, wanted.limit))
    merged = interleave([(hit.odds, hit) for hit in first], [(hit.odds, hit) for hit in others])
    hits = [hit._replace(odds=odds) for odds, hit in merged]
    if not asked.roles or asked.is_bare:
        hits = put_code_and_prose_first(hits, prefers_prose=asked.is_about_prose)
    if not hits or is_unknown_name(found, asked):
        hits = []
        nearest = _nearest(parts, has_hits=False)
    else:
        hits = append_unasked_text(hits, behind)
        lacking = max(0, FEWEST - len(hits))
        nearest = [*weak, *weak_others, *weak_beside][:lacking] + _nearest(parts, has_hits=True)
    told = append_unasked_text(hits, [hit._replace(unsure=True) for hit in nearest])
    return GuideSearchResult(told[: wanted.limit], found.terms, found.words.identifiers)


def _split(hits: Sequence[ListedHit]) -> tuple[list[ListedHit], list[ListedHit]]:
    """Split hits into those that may be given without a remark, and the others."""
    return [hit for hit in hits if is_likely(hit)], [hit for hit in hits if not is_likely(hit)]


def is_unknown_name(found: SearchCandidates, asked: QuestionNames) -> bool:
    """Whether the question is only a hash, a ticket or an error code that no text holds."""
    names = found.words.identifiers
    is_code = asked.is_bare and bool(names) and all(any(map(str.isdigit, name)) for name in names)
    return is_code and not any(_holds_name(found.words, each) for each in found.placed)


class CandidateParts(NamedTuple):
    """Candidates that may come first, text of a kind that the question speaks of, and text that nobody asked for."""

    likely: list[ScoredCandidate]
    spoken_of: list[ScoredCandidate]
    beside: list[ScoredCandidate]


def _parted(found: SearchCandidates, wanted: GuideQuery, asked: QuestionNames) -> CandidateParts:
    parts = CandidateParts([], [], [])
    for each, odds in zip(found.placed, compute_odds(found, asked), strict=True):
        kinds = {each.kind, find_text_kind(each.path)}
        if not wanted.holds(kinds):
            continue
        place = ""
        if each.kind in TEXT_KINDS and wanted.kinds.isdisjoint(kinds):
            place = asked.place_of_text(read_mark(each.candidate.document) or find_role(each.path), each.path)
        part = {BESIDE: parts.beside, SPOKEN_OF: parts.spoken_of}.get(place, parts.likely)
        part.append(score_candidate(each, odds + _asked_for(each, asked), holds_name=_holds_name(found.words, each)))
    return parts if parts.likely or parts.spoken_of else CandidateParts(parts.beside, [], [])


def _nearest(parts: CandidateParts, *, has_hits: bool) -> list[ListedHit]:
    """The nearest few of what does not fit well; where something fits, findings and text beside say nothing."""
    near = [*parts.likely, *parts.spoken_of]
    if has_hits:
        unsure = [each for each in near if each.placed.candidate.unsure and each.placed.kind != FINDING]
        return list_hits(unsure, MOST_UNSURE)
    found = list_hits(near, MOST_UNSURE)
    return [*found, *list_hits(parts.beside, MOST_UNSURE - len(found))]


def _holds_name(words: QueryWords, placed: PlacedCandidate) -> bool:
    passage = placed.candidate.passage
    return placed.candidate.is_exact and words.holds_name((*passage.headings, passage.text))


def compute_odds(found: SearchCandidates, asked: QuestionNames) -> list[float]:
    """The logarithm of the odds of each candidate.

    Code comes in the order of the ranking that every search of code uses. How its odds compare with those of other
    kinds was learnt on mixed lists, so the best of them goes to the first in that order, and so on.
    """
    odds = compute_log_odds(found.features)
    code = [number for number, each in enumerate(found.placed) if each.kind == CODE]
    chunks = [_code_chunk(found.placed[number], found.terms) for number in code]
    ranked = sorted(zip(compute_code_odds(chunks, asked), code, strict=True), key=lambda pair: (-pair[0], pair[1]))
    given = sorted((odds[number] for number in code), reverse=True)
    for (_, number), own in zip(ranked, given, strict=True):
        odds[number] = own
    return odds


def _code_chunk(placed: PlacedCandidate, terms: QueryTerms) -> CodeChunk:
    candidate = placed.candidate
    return CodeChunk(
        path=placed.path,
        passage=candidate.passage,
        role=read_mark(candidate.document) or find_role(candidate.document.name),
        fused=candidate.fused,
        likeness=candidate.likeness,
        is_exact=candidate.is_exact,
        held=terms.share((*candidate.passage.headings, candidate.passage.text)),
    )


def _asked_for(placed: PlacedCandidate, asked: QuestionNames) -> float:
    """How much likelier a text is that the question asks for."""
    if placed.kind not in TEXT_KINDS:
        return 0.0
    is_named = asked.names_file(placed.path) and asked.is_meant(placed.kind, placed.path)
    return MEANT * (placed.kind in asked.roles) + NAMED_FILE * is_named


def append_unasked_text(hits: Sequence[ListedHit], others: Sequence[ListedHit]) -> list[ListedHit]:
    """Return the hits and the others behind them, none of which is likelier than what stands before it."""
    told = list(hits)
    least = min((hit.odds for hit in hits), default=math.inf)
    for hit in others:
        least = min(least, hit.odds)
        told.append(hit._replace(odds=least))
    return told


def gather_candidates(services: Services, shelves: IndexShelves, wanted: GuideQuery, call: Call) -> SearchCandidates:
    """What may answer a question, of all kinds that were looked through."""
    asked = QuestionNames(wanted.query)
    found = _pooled(services, shelves, wanted, asked, call)
    terms = QueryTerms(found.weights)
    placed = [*_placed(found, shelves, RecordJudge(wanted.query))]
    if not wanted.kinds or TASK in wanted.kinds:
        placed += find_tasks(services, call, terms)
    return SearchCandidates(placed, compute_features(placed, asked, terms), terms, found.words)


def parse_kinds(given: list[str]) -> frozenset[str]:
    """The kinds that are meant, singular or plural; the first that is none is given back as it was written."""
    plurals = {f"{kind}s": kind for kind in KINDS}
    lowered = [each.strip().lower() for each in given]
    return frozenset(plurals.get(each, each) for each in lowered)


def _pooled(
    services: Services, shelves: IndexShelves, wanted: GuideQuery, asked: QuestionNames, call: Call
) -> PooledCandidates:
    owners = wanted.owners()
    code = shelves.of(*(owner for owner in owners if owner == SOURCE_CODE))
    records = shelves.of(*(owner for owner in owners if owner == FINDING_SOURCES))
    documents = shelves.of(*(owner for owner in owners if owner in (DOCUMENTS, ARCHITECTURE)))
    floored = (FlooredSources(frozenset(code), CODE_FLOOR),)
    if wanted.kinds and CODE not in wanted.kinds:
        code_pool = Pool(code, floored, looked_at=MORE_LOOKED_AT)
    else:
        code_pool = Pool(code, floored, partial(_is_beside, asked), CODE_LOOKED_AT)
    looked_at = MORE_LOOKED_AT if wanted.kinds else LOOKED_AT
    prose_pool = Pool(
        (*documents, *records), (FlooredSources(frozenset(documents), DOCUMENT_FLOOR),), looked_at=looked_at
    )
    text = shelves.of_text(wanted.kinds) if TEXT in owners else ()
    text_pool = Pool(text, (FlooredSources(frozenset(text), CODE_FLOOR),), is_apart=True)
    return collect_candidates(
        services.engine(),
        wanted.query,
        (code_pool, prose_pool, text_pool),
        names=asked.names,
        cancellation=call.cancellation,
    )


def _is_beside(asked: QuestionNames, document: StoredDocument) -> bool:
    return asked.is_beside(read_mark(document) or find_role(document.name), document.name)


def _placed(found: PooledCandidates, shelves: IndexShelves, judge: RecordJudge) -> Iterator[PlacedCandidate]:
    for candidate in (each for pool in found.pools for each in pool):
        path = shelves.path_of(candidate)
        kind = shelves.kind_of(candidate, path)
        if kind == FINDING and not candidate.is_exact:
            does_fit = judge.answers(candidate.likeness, candidate.document.title, candidate.passage.text)
            yield PlacedCandidate(candidate._replace(unsure=not does_fit), path, kind, is_code=False)
        else:
            yield PlacedCandidate(candidate, path, kind, is_code=kind in (CODE, TEST, *TEXT_KINDS))
