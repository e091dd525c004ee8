"""`context_search`: discoveries, sessions and code, ranked by one engine; filters come before the ranking."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from fieldguide.discoveries.discovery import TYPES, DiscoveryRepository
from fieldguide.discoveries.indexing import DISCOVERIES, ENDED, SESSIONS, parse_source
from fieldguide.discoveries.sessions import utc_timestamp
from fieldguide.document_formats.lines import split_lines
from fieldguide.errors import Failure, Refusal, StorageFailed
from fieldguide.search.engine import Question, SearchEngine
from fieldguide.search.fitness import CODE_FLOOR, RECORD_FLOOR
from fieldguide.search.hits import mark_of
from fieldguide.search.indexes.store import StoredDocument, StoredSource
from fieldguide.search.kept_text import kept_text
from fieldguide.search.misfits import Floored
from fieldguide.search.mixed.asked import Asked
from fieldguide.search.port import Hit, Scope, Source
from fieldguide.source_code.roles import role_of
from fieldguide.spine.answers.cited_files import CitedFiles, cited_files
from fieldguide.spine.cancellation import Cancellation
from fieldguide.staleness.ties.asking import FINDING, States
from fieldguide.toolset import Services
from fieldguide.toolsets.context.beside import Beside
from fieldguide.toolsets.context.code.ranking import KEYWORD_SHARE, ranked
from fieldguide.toolsets.context.discovery_places import cited_places

ALL = "all"
CODE = "code"
MOST_COUNTED = 50
CANDIDATES = 250  # in many projects half of them are tests


class Wanted(NamedTuple):
    """What a caller looks for."""

    query: str
    type: str
    module: str | None
    limit: int


def context_search(services: Services, wanted: Wanted, cancellation: Cancellation, beside: Beside) -> dict[str, Any]:
    """What is known about a question, best first; where nothing is known at all, the specified words say so."""
    started = perf_counter()
    sources = _sources(services, wanted)
    if not sources:
        _refuse_empty(services, beside)
    engine = services.engine()
    hits = find(engine, wanted.query, Scope(tuple(sources)), cancellation, _floors(engine, wanted)) if sources else []
    files = cited_files(services.project)
    if beside.standing is not None:
        hits = [hit for hit in hits if _still_stands(hit, files)]
    states = States(engine.database, services.namespace)
    items = [_with_state(_item(services, hit, files), states) for hit in hits[: wanted.limit]]
    services.note("Context searched", query=wanted.query[:100], results=len(items))
    return {
        "results": items,
        "query": wanted.query,
        "totalFound": len(hits),
        "searchTime": round((perf_counter() - started) * 1000),
        **beside.told(),
        **({} if items else beside.nothing(wanted.type, wanted.module, _all_sources(services))),
    }


@contextmanager
def specified_failures() -> Generator[None]:
    """Failures of ours in the words of the specification."""
    try:
        yield
    except StorageFailed as error:
        failed = StorageFailed("Search failed")
        failed.details = {"message": error.message, "fallback": "Try using grep_codebase for text search"}
        raise failed from error
    except Failure as error:
        raise Failure("Failed to generate query embedding", details=error.message) from error


def _sources(services: Services, wanted: Wanted) -> list[int]:
    """The numbers of the sources that hold what is wanted: the filters, before anything is ranked."""
    found: list[int] = []
    for source in _all_sources(services):
        type_, module = parse_source(source.name)
        named = None if type_ == ENDED else module
        if source.documents and wanted.type in (ALL, type_) and wanted.module in (None, named):
            found.append(source.id)
    return found


def find(
    engine: SearchEngine, query: str, scope: Scope, cancellation: Cancellation | None, floored: tuple[Floored, ...] = ()
) -> list[Hit]:
    """The hits of a query, best first: of code the implementation, and of one file two at most."""
    asked = Asked(query)

    def is_beside(document: StoredDocument) -> bool:
        return asked.is_beside(mark_of(document) or role_of(document.name))

    question = Question(
        query,
        scope,
        MOST_COUNTED,
        keyword_share=KEYWORD_SHARE,
        candidates=CANDIDATES,
        is_beside=is_beside,
        needs_model=True,
        names=asked.names,
        floored=floored,
    )
    return ranked(engine.search(question, cancellation), asked, lambda source: parse_source(source)[0] == CODE)


def _floors(engine: SearchEngine, wanted: Wanted) -> tuple[Floored, ...]:
    """How well hits must fit; what is filtered by its type or module was asked for as such, and is told as it is."""
    if wanted.type != ALL or wanted.module is not None:
        return ()
    records = [source.id for kind in (DISCOVERIES, SESSIONS) for source in engine.sources(kind)]
    return code_floor(source.id for source in engine.sources(CODE)), Floored(frozenset(records), RECORD_FLOOR)


def code_floor(sources: Iterable[int]) -> Floored:
    """How well hits in these sources of code must fit."""
    return Floored(frozenset(sources), CODE_FLOOR)


def symbol_of(headings: Sequence[str]) -> str:
    """The name of the definition that a chunk of code belongs to, with those around it."""
    return ".".join(headings)


def _all_sources(services: Services) -> list[StoredSource]:
    """Everything that may be searched: of the sessions, a bound user's own alone."""
    engine = services.engine()
    sessions = [
        source for source in engine.sources(SESSIONS) if services.reader() in (None, parse_source(source.name)[1])
    ]
    return [*engine.sources(DISCOVERIES), *sessions, *engine.sources(CODE)]


def _refuse_empty(services: Services, beside: Beside) -> None:
    """Say why there is nothing to search in; where something is indexed, nothing in it is of this type or module."""
    indexed = {parse_source(source.name)[0] for source in _all_sources(services) if source.documents}
    with services.database.reading() as transaction:
        is_stored = DiscoveryRepository(transaction, services.namespace).count() > 0
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


def _still_stands(hit: Hit, files: CitedFiles) -> bool:
    """Whether what an index that is behind knows of the code is still in its file."""
    return parse_source(hit.source)[0] != CODE or files.stands(hit.document, hit.passage.text)


def _with_state(item: dict[str, Any], states: States) -> dict[str, Any]:
    """A hit, and in one line what a finding says of the code and no longer holds."""
    told = states.told(f"{FINDING}{item['id']}") if item["source"] == "discovery" else ""
    return {**item, "stale": told} if told else item


def _item(services: Services, hit: Hit, files: CitedFiles) -> dict[str, Any]:
    score = round(min(max(hit.score, 0.0), 1.0), 4)
    kind, module = parse_source(hit.source)
    if kind in TYPES:
        return _discovery(services, hit, score, files)
    if kind == ENDED:
        return {
            "id": hit.document, "type": "session", "content": hit.passage.text, "module": None,
            "session": hit.document, "date": hit.title, "score": score, "source": "session",
        }  # fmt: skip
    place = f"{hit.document}#L{hit.passage.start_line}-L{hit.passage.end_line}"
    citation = files.cited(hit.document, *hit.passage[2:], hit.passage.text, partial(_kept, services, hit))
    symbol = symbol_of(hit.passage.headings)
    return {
        "id": place, "type": "code", "content": hit.passage.text, "module": module, "session": None,
        "date": _changed(services, files, hit.document), "score": score, "source": "code", "path": hit.document,
        "startLine": hit.passage.start_line, "endLine": hit.passage.end_line, "citation": citation,
        **({"symbol": symbol} if symbol else {}),
        **({"also": [{"startLine": start, "endLine": end} for start, end in hit.also]} if hit.also else {}),
    }  # fmt: skip


def _discovery(services: Services, hit: Hit, score: float, files: CitedFiles) -> dict[str, Any]:
    with services.database.reading() as transaction:
        found = DiscoveryRepository(transaction, services.namespace).find(hit.document)
    type_, module = parse_source(hit.source)
    return {
        "id": hit.document,
        "type": type_,
        "content": found.content if found else hit.passage.text,
        "module": module,
        "session": found.session if found else None,
        "date": found.date if found else None,
        "score": score,
        "source": "discovery",
        **({"evidence": dict(found.evidence)} if found and found.evidence else {}),
        **(cited_places(services.project, files, found.content, found.evidence) if found else {}),
    }


def _kept(services: Services, hit: Hit) -> list[str]:
    return split_lines(kept_text(services.engine(), Source(CODE, hit.source), hit.document) or "")


def _changed(services: Services, files: CitedFiles, path: str) -> str | None:
    status = files.status(path) or services.project.status(path)
    return None if status is None else utc_timestamp(datetime.fromtimestamp(status.st_mtime, UTC))
