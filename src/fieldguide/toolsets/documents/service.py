"""Lists, reads and searches the collections of a project, as the specification names it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from fieldguide.prose.translations import is_asked_in
from fieldguide.search.engine import SearchEngine, SearchQuestion
from fieldguide.search.indexes.document_store import StoredSource
from fieldguide.search.ranking import DOCUMENT_FLOOR, FlooredSources, keep_fitting
from fieldguide.search.types import Scope, SearchHit
from fieldguide.spine.truncation import count_fitting
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.citation import read_citation
from fieldguide.text.errors import NotFound
from fieldguide.text.near_names import find_near_names
from fieldguide.text.secrets import MARK
from fieldguide.text.warnings import HIDDEN, warn_of_text
from fieldguide.toolsets.documents.citations import (
    CitedTexts,
    DocumentPlaces,
    MeantDocument,
    NotebookCells,
    RequestedDocument,
    cut_section,
    find_alike_names,
    find_section,
    list_heading_paths,
)
from fieldguide.toolsets.documents.collections import DocumentCollection

KIND = "documents"
MOST_OF_ONE = 2  # chunks of one document in a list of hits
PLACES = 10  # that a long list names at least, if there are as many
LONGEST_TITLE = 1000
OTHER_TOKENS = 600  # for all that an answer holds beside its one long part
REMOVED = f"Where it says {MARK}, a value that looks like a live secret was taken out of the stored text."
Answer = dict[str, Any]


class Query(NamedTuple):
    """One query of a search: its text, the collections it is limited to (None: all), and how it is answered."""

    text: str
    collections: Sequence[str] | None
    limit: int
    max_distance: float | None = None
    hybrid: bool = True
    rerank: bool = False


class DocumentsService:
    """The collections of a project as they are in the index; a missing thing is NotFound with the specified words."""

    def __init__(
        self,
        engine: SearchEngine,
        collections: Mapping[str, DocumentCollection],
        original: Callable[[str, str], bytes | None] = lambda collection, document: None,
        places: DocumentPlaces | None = None,
    ) -> None:
        self._engine = engine
        self._places = places or DocumentPlaces(None, collections)
        self._texts = CitedTexts(engine, KIND, self._places, original)
        self._aliases = {each.id: each.alias for each in reversed([*collections.values()])}
        self._ids = {alias: each.id for alias, each in collections.items()}
        self._languages = {each.id: each.language for each in collections.values() if each.language}
        self._cells = NotebookCells(engine, KIND)

    def listCollections(self) -> list[Answer]:  # noqa: N802  the specification's name
        """Every collection that is in the index, by ID."""
        return [
            {
                **self.named(source.name),
                "documentCount": source.documents,
                **_said(source.details),
                **({"language": self._languages[source.name]} if source.name in self._languages else {}),
            }
            for source in self._sources().values()
        ]

    def listDocuments(self, collection: str, *, limit: int = 100, offset: int = 0) -> Answer:  # noqa: N802
        """A page of a collection's documents, by ID."""
        source = self._source(collection, f'Collection "{collection}" not found.')
        with self._engine.database.reading() as transaction:
            store = self._engine.store(transaction)
            total = store.count(source.id)
            page = store.page(source.id, limit=limit, offset=offset)
        listed = [{"id": each.name, "title": _cut(each.title), "size": each.size} for each in page]
        count = count_fitting(len(listed), lambda count: _written(listed[:count]), self._room)
        return {
            "collection": self.named(source.name)["collection"],
            "documents": listed[:count],
            "total": total,
            "hasMore": offset + count < total,
        }

    def getDocument(self, collection: str, document: str) -> Answer:  # noqa: N802
        """The whole text of a document, as it is in its file."""
        found = self._document(collection, document)
        name = found.stored.name
        given = found.content(self._texts.citing(found), self._room)
        return {**self.named(found.source.name), "document": name, **given, **_warned(given["content"])}

    def getDocumentOutline(self, collection: str, document: str, maxDepth: int = 3) -> Answer:  # noqa: N802, N803
        """The headings of a document, down to a depth."""
        source, stored, *_ = self._document(collection, document, with_text=False)
        last = max((line for _, _, line in stored.outline), default=1)
        deepest = min(max(maxDepth, 1), 6)
        return {
            "collection": self.named(source.name)["collection"],
            "document": stored.name,
            "title": stored.title,
            "outline": [
                {"level": level, "text": _shown(text), "line": line}
                for level, text, line in stored.outline
                if level <= deepest
            ],
            "citation": self._places.cited_unseen(source.name, stored.name, last),
        }

    def getDocumentSection(  # noqa: N802
        self,
        collection: str,
        document: str,
        section: str,
        includeSubsections: bool = True,  # noqa: N803
    ) -> Answer:
        """The lines of a document from a heading to the next."""
        whole = self._document(collection, document)
        source, stored, text, _ = whole
        outline = [(level, _shown(heading), line) for level, heading, line in stored.outline]
        found = find_section(text, outline, section, include_subsections=includeSubsections)
        if found is None:
            raise NotFound(
                f'Section "{section}" not found in document "{document}".',
                suggestions=find_alike_names(section, list_heading_paths(outline)),
            )
        given = cut_section(found, self._texts.citing(whole), self._room)
        return {
            "collection": self.named(source.name)["collection"],
            "document": stored.name,
            "section": found.heading,
            "level": found.level,
            **given,
            **_warned(given["content"]),
        }

    def search(self, queries: Sequence[Query], cancellation: Cancellation | None = None) -> list[list[Answer]]:
        """The items for each query, in the order of the queries; unknown collections hold nothing.

        Where nothing fits well, the nearest three are given, marked as unsure. Whoever sets `max_distance`, or asks for
        vectors alone, has a rule of their own, and nothing is judged.
        """
        known = {source.name: source.id for source in self._sources().values()}
        floored = (FlooredSources(frozenset(known.values()), DOCUMENT_FLOOR),)
        questions = [
            SearchQuestion(
                text=query.text,
                scope=Scope(tuple(self._wanted(query, known))),
                floored=floored if query.max_distance is None and query.hybrid else (),
                is_steady=True,
                most_of_one=max(MOST_OF_ONE, query.limit // PLACES),
                limit=query.limit,
                max_distance=query.max_distance,
                by_words=query.hybrid,
                rerank=query.rerank,
            )
            for query in queries
        ]
        found = self._engine.search_all(questions, cancellation)
        return [[self.item(hit) for hit in keep_fitting(hits)] for hits in found]

    def findRelated(  # noqa: N802
        self,
        collection: str,
        document: str,
        *,
        chunk: str | None = None,
        limit: int = 5,
        sameDocument: bool = False,  # noqa: N803
        allCollections: bool = False,  # noqa: N803
    ) -> list[Answer]:
        """What is most like a document or a piece of text; in the document's collection, unless all are asked for."""
        found = self._document(collection, document, with_text=read_citation(document) is not None)
        source = found.source
        stored = found.stored
        sources = [each.id for each in self._sources().values()] if allCollections else [source.id]
        text = chunk or found.chunk()
        hits = self._engine.related(stored, sources=sources, limit=limit, text=text, same_document=sameDocument)
        return [{**self.item(hit), "document": hit.document} for hit in hits]

    @property
    def _room(self) -> int:
        return max(self._engine.limits.answer_tokens - OTHER_TOKENS, OTHER_TOKENS)

    def missing(self, names: Sequence[str]) -> list[str]:
        """Those of these names that no collection in the index has."""
        known = self._sources()
        return [name for name in names if self._ids.get(name, name) not in known]

    def named(self, identity: str) -> Answer:
        """How answers name a collection: by its alias, with the ID beside it; without an alias by its ID."""
        alias = self._aliases.get(identity)
        return {"collection": identity} if alias is None else {"collection": alias, "collectionId": identity}

    def shown_name(self, collection: str) -> str:
        """What answers call a collection that a caller named by its alias or its ID."""
        return str(self.named(self._ids.get(collection, collection))["collection"])

    def item(self, hit: SearchHit) -> Answer:
        """A hit as search tools show it."""
        headings = hit.passage.headings
        return {
            **self.named(hit.source),
            "documentId": hit.document,
            "documentTitle": _cut(hit.title),
            **({"sectionHeading": _shown(headings[-1])} if headings else {}),
            "content": _shown(hit.passage.text),
            "relevanceScore": round(hit.score, 4),
            "distance": round(hit.distance, 6),
            "chunkIndex": hit.position + 1,
            "totalChunks": hit.total,
            "startLine": hit.passage.start_line,
            "endLine": hit.passage.end_line,
            "citation": self._texts.cited(hit),
            **({"also": [{"startLine": start, "endLine": end} for start, end in hit.also]} if hit.also else {}),
            **self._cells.of(hit),
            **({"unsure": True} if hit.unsure else {}),
        }

    def _sources(self) -> dict[str, StoredSource]:
        """The collections that are configured and in the index, by ID."""
        stored = self._engine.sources(KIND)
        return {each.name: each for each in stored if each.name in self._aliases and (each.is_synced or each.documents)}

    def _wanted(self, query: Query, known: Mapping[str, int]) -> list[int]:
        """The collections that are asked for; else all but translations that are not in the question's language."""
        if query.collections is None:
            other = {each for each, language in self._languages.items() if not is_asked_in(query.text, language)}
            return [number for identity, number in known.items() if identity not in other or other >= known.keys()]
        ids = {self._ids.get(name, name) for name in query.collections}
        return [number for identity, number in known.items() if identity in ids]

    def _source(self, collection: str, message: str) -> StoredSource:
        known = self._sources()
        found = known.get(self._ids.get(collection, collection))
        if found is None:
            names = [each for identity in known for each in self.named(identity).values()]
            raise NotFound(message, suggestions=find_near_names(collection, names))
        return found

    def _document(self, collection: str, document: str, *, with_text: bool = True) -> RequestedDocument:
        """A document by its ID, or by a citation of it."""
        message = f'Document "{document}" not found in collection "{collection}".'
        source = self._source(collection, message)
        if "\0" in document:  # no database of ours has such a name, and PostgreSQL can't even be asked for it
            raise NotFound(message)
        with self._engine.database.reading() as transaction:
            store = self._engine.store(transaction)
            meant = MeantDocument(document)
            found = store.find(source.id, document)
            for meant in self._places.meant(source.name, document) if found is None else ():
                if (found := store.find(source.id, meant.document)) is not None:
                    break
            if found is None:
                citation = read_citation(document)
                wanted = document if citation is None else citation.path
                raise NotFound(message, suggestions=find_near_names(wanted, store.names(source.id)))
            text = store.text(found.id) if with_text else ""
        return RequestedDocument(source, found, self._texts.written(source.name, found.name, text), meant.citation)


def _cut(title: str) -> str:
    """A title that is no longer than anybody reads."""
    return title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE]}…"


def _written(value: Any) -> str:
    """A value about as the tools write it."""
    return json.dumps(value, ensure_ascii=False, indent=4)


def _said(details: Mapping[str, Any]) -> Answer:
    return {key: details[key] for key in ("description", "version") if details.get(key)}


def _shown(text: str) -> str:
    """A text without characters that a person would not see."""
    return text if text.isascii() else HIDDEN.sub("", text)


def _warned(text: str) -> Answer:
    warnings = [*warn_of_text([text]), *([REMOVED] if MARK in text else ())]
    return {"warnings": warnings} if warnings else {}
