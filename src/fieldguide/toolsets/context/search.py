"""Runs `context_search`: ranks findings, sessions and code by one engine.

`fieldguide.search.code_ranking` says how likely each candidate is right.
"""

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import TEXT_KINDS, find_role
from fieldguide.files.project_files import CitedFiles, open_cited_files
from fieldguide.knowledge.findings.finding import TYPES, FindingRepository
from fieldguide.knowledge.findings.indexing import ENDED, FINDING_SOURCES, SESSIONS, parse_source_name
from fieldguide.knowledge.findings.sessions import format_utc_timestamp
from fieldguide.knowledge.links.stale import FINDING, StaleStates
from fieldguide.search.backlog import IndexProgress
from fieldguide.search.code_ranking import (
    BESIDE,
    COMPARED,
    SPOKEN_OF,
    CodeChunk,
    QuestionNames,
    compute_code_odds,
    interleave,
    odds_to_probability,
    stands_out,
)
from fieldguide.search.engine import SearchEngine, load_indexed_text
from fieldguide.search.indexes.document_store import StoredDocument, StoredSource
from fieldguide.search.pools import CODE_LOOKED_AT, Pool, PoolCandidate, collect_candidates
from fieldguide.search.ranking import (
    CODE_FLOOR,
    DOCUMENT_FLOOR,
    MOST_ALSO,
    NOTHING_FITS,
    FlooredSources,
    QueryTerms,
    RecordJudge,
    keep_fitting,
    read_mark,
)
from fieldguide.search.types import ChunkPassage, Scope, SearchHit, SearchSource, locate_chunk
from fieldguide.spine.toolset import Services
from fieldguide.text import regex as re
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.citation import read_citation
from fieldguide.text.errors import Failure, Refusal, StorageFailed
from fieldguide.text.windows import count_lines, decode_readable, split_lines

UNSURE = "Nothing fits well: these are the nearest, marked as unsure. Try other words; grep_codebase finds exact text."
GREP = "grep_codebase finds exact text at any time."


class SearchRemarks(NamedTuple):
    """How the index stands when a question is answered."""

    standing: IndexProgress | None = None
    lack: str = ""

    def indexing(self) -> dict[str, Any]:
        """How far the index is, while it is made."""
        return self.standing.told() if self.standing else {}

    def told(self) -> dict[str, Any]:
        """The fields that an answer carries while its index is not whole."""
        fields = self.indexing()
        if self.lack:
            fields["lacks"] = self.lack
        return fields

    def nothing(self, type_: str, module: str | None, sources: Sequence[StoredSource]) -> str:
        """Why nothing was found, what was searched, and what to try."""
        held = Counter[str]()
        for source in sources:
            held[parse_source_name(source.name)[0]] += source.documents
        there = ", ".join(f"{count} of {kind}" for kind, count in sorted(held.items()) if count) or "nothing"
        filters = [f"type {type_!r}"] if type_ != ALL else []
        if module is not None:
            filters.append(f"module {module!r}")
        if not filters:
            return f"Searched: {there}; none fits. Try other or fewer words. {GREP}"
        only = " and ".join(filters)
        return f"Only {only} was searched; in the index are {there}. Try without the filter. {GREP}"


MOST_OF_ONE = 2
MOST_LINES = 100  # of a definition that is put together again: what a reader opens at once
BETWEEN = 2  # blank lines between two parts of one definition


def rank_hits(
    candidates: Sequence[PoolCandidate],
    asked: QuestionNames,
    sources: Mapping[int, str],
    files: frozenset[int],
    terms: QueryTerms,
) -> list[SearchHit]:
    """The hits in the order of an answer, at most two of one file; what is in no file is ranked among them.

    `sources` are the names of the sources by their numbers, `files` those that hold code and text of the project.
    """
    scored = _ordered(candidates, asked, files, terms)
    hits: dict[int, SearchHit] = {}  # by the chunk that each began with
    of_file: dict[int, list[int]] = {}
    for odds, each in scored:
        there = of_file.setdefault(each.document.id, [])
        part_of = next((first for first in there if _is_part(hits[first], each.passage)), None)
        if part_of is not None:
            hits[part_of] = hits[part_of]._replace(passage=_joined(hits[part_of].passage, each.passage))
        elif len(there) < MOST_OF_ONE:
            there.append(each.chunk)
            hits[each.chunk] = _hit(each, odds, sources)
        elif len(hits[there[0]].also) < MOST_ALSO:
            lines = (each.passage.start_line, each.passage.end_line)
            hits[there[0]] = hits[there[0]]._replace(also=tuple(sorted((*hits[there[0]].also, lines))))
    return list(hits.values())


def _ordered(
    candidates: Sequence[PoolCandidate], asked: QuestionNames, files: frozenset[int], terms: QueryTerms
) -> list[tuple[float, PoolCandidate]]:
    """The candidates with their odds: text that the question speaks of in turns with code, other text behind it."""
    chunks = [_code_chunk(each, terms, is_code=each.document.source in files) for each in candidates]
    first: list[tuple[float, PoolCandidate]] = []
    spoken_of: list[tuple[float, PoolCandidate]] = []
    beside: list[tuple[float, PoolCandidate]] = []
    for chunk, odds, each in zip(chunks, compute_code_odds(chunks, asked), candidates, strict=True):
        place = asked.place_of_text(chunk.role, chunk.path) if chunk.role in TEXT_KINDS else ""
        {BESIDE: beside, SPOKEN_OF: spoken_of}.get(place, first).append((odds, each))
    if not first and not spoken_of:
        return sorted(beside, key=_order)
    first.sort(key=_order)
    beside.sort(key=_order)
    compared = [_texts(each) for _, each in first[:COMPARED]]
    fitting = [pair for pair in beside[:COMPARED] if not pair[1].unsure]
    outstanding = [pair for pair in fitting if stands_out(terms, _texts(pair[1]), compared)]
    ordered = interleave(first, sorted([*spoken_of, *outstanding], key=_order))
    does_fit = any(not each.unsure for _, each in ordered)
    least = min(odds for odds, _ in ordered)
    for odds, each in beside:
        if all(each is not pair[1] for pair in outstanding):
            ordered.append((min(odds, least), each if does_fit else each._replace(unsure=True)))
    return ordered


def _texts(candidate: PoolCandidate) -> tuple[str, ...]:
    return candidate.document.name, *candidate.passage.headings, candidate.passage.text


def _code_chunk(candidate: PoolCandidate, terms: QueryTerms, *, is_code: bool) -> CodeChunk:
    role = read_mark(candidate.document) or find_role(candidate.document.name) if is_code else ""
    return CodeChunk(
        path=candidate.document.name,
        passage=candidate.passage,
        role=role,
        fused=candidate.fused,
        likeness=candidate.likeness,
        is_exact=candidate.is_exact,
        is_code=is_code,
        held=terms.share((*candidate.passage.headings, candidate.passage.text)),
    )


def _order(scored: tuple[float, PoolCandidate]) -> tuple[float, int]:
    return -scored[0], scored[1].chunk


def _is_part(hit: SearchHit, passage: ChunkPassage) -> bool:
    """Whether some lines belong to the same definition as a hit and are next to it, and both are not too long."""
    own = hit.passage
    if not own.headings or own.headings != passage.headings:
        return False
    first, last = sorted((passage, own), key=lambda each: each.start_line)
    is_beside = 0 < last.start_line - first.end_line <= 1 + BETWEEN
    return is_beside and last.end_line - first.start_line < MOST_LINES


def _joined(one: ChunkPassage, other: ChunkPassage) -> ChunkPassage:
    """Two parts of a definition as one."""
    first, last = sorted((other, one), key=lambda each: each.start_line)
    text = first.text + "\n" * (last.start_line - first.end_line) + last.text
    return ChunkPassage(text, first.headings, first.start_line, last.end_line)


def _hit(candidate: PoolCandidate, odds: float, sources: Mapping[int, str]) -> SearchHit:
    document = candidate.document
    return SearchHit(
        source=sources[document.source],
        document=document.name,
        title=document.title,
        passage=candidate.passage,
        position=locate_chunk(candidate.chunk)[1],
        total=document.chunks,
        score=odds_to_probability(odds),
        distance=1.0 - candidate.likeness,
        mark=read_mark(document),
        unsure=candidate.unsure,
    )


MOST_PLACES = 3
MOST_LOOKED_AT = 20
LARGEST_BYTES = 1 << 20
MOST_WORDS = 8


def cite_places(
    project: ConfinedFolder, cited: CitedFiles, content: str, evidence: Mapping[str, Any]
) -> dict[str, Any]:
    """The citations of a finding's evidence: `citation` is the first, `citations` are all where there are more."""
    files = [name for name in evidence.get("files", ())[:MOST_LOOKED_AT] if isinstance(name, str)]
    places = [*islice(_places(project, cited, content, files), MOST_PLACES)]
    if len(places) > 1:
        return {"citation": places[0], "citations": places}
    return {"citation": places[0]} if places else {}


def _places(project: ConfinedFolder, cited: CitedFiles, content: str, files: list[str]) -> Iterator[str]:
    for name in files:
        citation = read_citation(name)
        if project.status(name) is None:
            if citation is not None and (again := cited.cited_again(citation)) is not None:
                yield again
            continue
        try:
            text = decode_readable(project.read(name, limit_bytes=LARGEST_BYTES))
        except Refusal:
            continue
        yield cited.cited(name, *_lines(text, content))


def _lines(text: str, content: str) -> tuple[int, int]:
    """The lines of a file where a discovery's first words stand; where they do not, all of them."""
    words = content.split()[:MOST_WORDS]
    found = re.compile(r"\s+".join(map(re.escape, words))).search(text) if words else None
    if found is None:
        return 1, max(count_lines(text), 1)
    start = count_lines(f"{text[: found.start()]}.")
    return start, max(start, count_lines(text[: found.end()]))


ALL = "all"
CODE = "code"
TEXT = "text"


class ContextQuery(NamedTuple):
    """What a caller looks for."""

    query: str
    type: str
    module: str | None
    limit: int


def search_context(
    services: Services, wanted: ContextQuery, cancellation: Cancellation, beside: SearchRemarks
) -> dict[str, Any]:
    """What is known about a question, best first; where nothing is known at all, the specified words say so."""
    started = perf_counter()
    sources = _sources(services, wanted)
    engine = services.engine()
    hits: list[SearchHit] = []
    if sources:
        hits = find_hits(engine, wanted.query, Scope(tuple(sources)), cancellation, _floors(engine, wanted))
    else:
        _refuse_empty(services, beside)
    files = open_cited_files(services.project)
    if beside.standing is not None:  # the index is behind: its code may have gone from its file
        hits = [hit for hit in hits if not _is_file(hit) or files.stands(hit.document, hit.passage.text)]
    if wanted.type == ALL and wanted.module is None:
        judge = RecordJudge(wanted.query)
        hits = keep_fitting(hit if _answers(hit, judge) else hit._replace(unsure=True) for hit in hits)
    states = StaleStates(engine.database, services.namespace)
    items = [_item(services, hit, files, states) for hit in hits[: wanted.limit]]
    services.note("Context searched", query=wanted.query[:100], results=len(items))
    answer = {
        "results": items,
        "query": wanted.query,
        "totalFound": len(hits),
        "searchTime": round((perf_counter() - started) * 1000),
        **beside.told(),
    }
    if not items:
        answer["hint"] = beside.nothing(wanted.type, wanted.module, _all_sources(services))
    elif all(item.get("unsure") for item in items):
        answer |= {"fit": NOTHING_FITS, "hint": UNSURE}
    return answer


@contextmanager
def translate_failures() -> Generator[None]:
    """Failures of ours in the words of the specification."""
    try:
        yield
    except StorageFailed as error:
        failed = StorageFailed("Search failed")
        failed.details = {"message": error.message, "fallback": "Try using grep_codebase for text search"}
        raise failed from error
    except Failure as error:
        raise Failure("Failed to generate query embedding", details=error.message) from error


def _sources(services: Services, wanted: ContextQuery) -> list[int]:
    """The numbers of the sources that hold what is wanted: the filters, before anything is ranked."""
    found: list[int] = []
    for source in _all_sources(services):
        type_, module = parse_source_name(source.name)
        named = None if type_ == ENDED else module
        if source.documents and wanted.type in (ALL, type_) and wanted.module in (None, named):
            found.append(source.id)
    return found


def find_hits(
    engine: SearchEngine,
    query: str,
    scope: Scope,
    cancellation: Cancellation | None,
    floored: tuple[FlooredSources, ...] = (),
) -> list[SearchHit]:
    """The hits of a query, best first: of code the implementation, and of one file two at most."""
    asked = QuestionNames(query)
    of_text = {source.id for source in engine.sources(TEXT)}

    def is_beside(document: StoredDocument) -> bool:
        return asked.is_beside(read_mark(document) or find_role(document.name), document.name)

    code_pool = Pool(tuple(each for each in scope.sources if each not in of_text), floored, is_beside, CODE_LOOKED_AT)
    text_pool = Pool(tuple(each for each in scope.sources if each in of_text), floored, is_apart=True)
    found = collect_candidates(
        engine, query, (code_pool, text_pool), names=asked.names, needs_model=True, cancellation=cancellation
    )
    candidates = [each for pool in found.pools for each in pool]
    sources = {each.document.source: each.document.source_name for each in candidates}
    files = frozenset(number for number, name in sources.items() if parse_source_name(name)[0] in (CODE, *TEXT_KINDS))
    return keep_fitting(rank_hits(candidates, asked, sources, files, QueryTerms(found.weights)))


def _floors(engine: SearchEngine, wanted: ContextQuery) -> tuple[FlooredSources, ...]:
    """How well hits must fit; what is filtered by its type or module was asked for as such, and is told as it is."""
    if wanted.type != ALL or wanted.module is not None:
        return ()
    records = [source.id for kind in (FINDING_SOURCES, SESSIONS) for source in engine.sources(kind)]
    return (
        FlooredSources(frozenset(source.id for source in engine.sources(CODE)), CODE_FLOOR),
        FlooredSources(frozenset(source.id for source in engine.sources(TEXT)), CODE_FLOOR),
        FlooredSources(frozenset(records), DOCUMENT_FLOOR),
    )


def _all_sources(services: Services) -> list[StoredSource]:
    """Everything that may be searched: of the sessions, a bound user's own alone."""
    engine = services.engine()
    sessions = [
        source for source in engine.sources(SESSIONS) if services.reader() in (None, parse_source_name(source.name)[1])
    ]
    return [*engine.sources(FINDING_SOURCES), *sessions, *engine.sources(CODE), *engine.sources(TEXT)]


def _refuse_empty(services: Services, beside: SearchRemarks) -> None:
    """Say why there is nothing to search in; where something is indexed, nothing in it is of this type or module."""
    indexed = {parse_source_name(source.name)[0] for source in _all_sources(services) if source.documents}
    with services.database.reading() as transaction:
        is_stored = FindingRepository(transaction, services.namespace).count() > 0
    if (is_stored and not indexed.intersection(TYPES)) or (beside.standing is not None and not indexed):
        raise Refusal(
            "No embeddings available",
            suggestion="Use grep_codebase for text search",
            action="Embeddings will be generated in background",
            **beside.indexing(),
        )
    if not indexed:
        raise Refusal(
            "No embeddings found. Run initial session to generate context.",
            fallback="Use grep_codebase for text search",
            **beside.indexing(),
        )


def _answers(hit: SearchHit, judge: RecordJudge) -> bool:
    """Whether a hit may be among the first: findings and sessions are short, so each is judged alone."""
    return _is_file(hit) or judge.answers(1.0 - hit.distance, hit.title, hit.passage.text)


def _is_file(hit: SearchHit) -> bool:
    return parse_source_name(hit.source)[0] in (CODE, *TEXT_KINDS)


def _item(services: Services, hit: SearchHit, files: CitedFiles, states: StaleStates) -> dict[str, Any]:
    """A hit as the answer tells it; of a finding also what no longer holds."""
    score = round(min(max(hit.score, 0.0), 1.0), 4)
    kind = parse_source_name(hit.source)[0]
    if kind in TYPES:
        item = _discovery(services, hit, score, files)
        stale = states.told(f"{FINDING}{hit.document}")
        if stale:
            item["stale"] = stale
    elif kind == ENDED:
        item = {
            "id": hit.document, "type": "session", "content": hit.passage.text, "module": None,
            "session": hit.document, "date": hit.title, "score": score, "source": "session",
        }  # fmt: skip
    else:
        item = _code_item(services, hit, score, files)
    if hit.unsure:
        item["unsure"] = True
    return item


def _code_item(services: Services, hit: SearchHit, score: float, files: CitedFiles) -> dict[str, Any]:
    kind, module = parse_source_name(hit.source)
    place = f"{hit.document}#L{hit.passage.start_line}-L{hit.passage.end_line}"
    lines = (hit.passage.start_line, hit.passage.end_line)
    citation = files.cited(hit.document, *lines, hit.passage.text, partial(_kept, services, hit))
    item: dict[str, Any] = {
        "id": place, "type": "code", "content": hit.passage.text, "module": module, "session": None,
        "date": _changed(services, files, hit.document), "score": score, "source": "code", "path": hit.document,
        "startLine": hit.passage.start_line, "endLine": hit.passage.end_line, "citation": citation,
    }  # fmt: skip
    text_kind = next((each for each in (kind, hit.mark) if each in TEXT_KINDS), "")
    if text_kind:
        item["kind"] = text_kind
    if hit.passage.headings:
        item["symbol"] = ".".join(hit.passage.headings)
    if hit.also:
        item["also"] = [{"startLine": start, "endLine": end} for start, end in hit.also]
    return item


def _discovery(services: Services, hit: SearchHit, score: float, files: CitedFiles) -> dict[str, Any]:
    with services.database.reading() as transaction:
        found = FindingRepository(transaction, services.namespace).find(hit.document)
    type_, module = parse_source_name(hit.source)
    item: dict[str, Any] = {
        "id": hit.document, "type": type_, "content": hit.passage.text, "module": module,
        "session": None, "date": None, "score": score, "source": "discovery",
    }  # fmt: skip
    if found is None:
        return item
    item |= {"content": found.content, "session": found.session, "date": found.date}
    if found.evidence:
        item["evidence"] = dict(found.evidence)
    return item | cite_places(services.project, files, found.content, found.evidence)


def _kept(services: Services, hit: SearchHit) -> list[str]:
    kind = CODE if parse_source_name(hit.source)[0] == CODE else TEXT
    return split_lines(load_indexed_text(services.engine(), SearchSource(kind, hit.source), hit.document) or "")


def _changed(services: Services, files: CitedFiles, path: str) -> str | None:
    status = files.status(path) or services.project.status(path)
    return None if status is None else format_utc_timestamp(datetime.fromtimestamp(status.st_mtime, UTC))
