"""What the document tools do, under the names that the specification gives to the service behind them."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise
from typing import Any, NamedTuple

from fieldguide.errors import NotFound
from fieldguide.search.engine import Question, SearchEngine
from fieldguide.search.fitness import Floor
from fieldguide.search.misfits import Floored
from fieldguide.search.port import Hit, Scope
from fieldguide.search.store import StoredDocument, StoredSource
from fieldguide.secret_values import MARK, without_secret_values
from fieldguide.spine.cancellation import Cancellation
from fieldguide.spine.hidden_text import HIDDEN
from fieldguide.spine.text_warnings import text_warnings
from fieldguide.toolsets.documents.collections import Collection
from fieldguide.toolsets.documents.sections import find_section, heading_paths

KIND = "documents"
MOST_SUGGESTED = 3
SHORTLIST = 50
MOST_OF_ONE = 2  # chunks of one document in a list of hits
PLACES = 10  # that a long list names at least, if there are as many
FLOOR = Floor(likeness_weight=2.0, least=0.97, least_of_few=1.12)
ALIKE = 0.5
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
        collections: Mapping[str, Collection],
        original: Callable[[str, str], bytes | None] = lambda collection, document: None,
    ) -> None:
        self._engine = engine
        self._original = original
        self._aliases = {each.id: each.alias for each in reversed([*collections.values()])}
        self._ids = {alias: each.id for alias, each in collections.items()}

    def listCollections(self) -> list[Answer]:  # noqa: N802  the specification's name
        """Every collection that is in the index, by ID."""
        return [
            {**self.named(source.name), "documentCount": source.documents, **_said(source.details)}
            for source in self._sources().values()
        ]

    def listDocuments(self, collection: str, *, limit: int = 100, offset: int = 0) -> Answer:  # noqa: N802
        """A page of a collection's documents, by ID."""
        source = self._source(collection, f'Collection "{collection}" not found.')
        with self._engine.database.reading() as transaction:
            store = self._engine.store(transaction)
            total = store.count(source.id)
            page = store.page(source.id, limit=limit, offset=offset)
        return {
            "collection": self.named(source.name)["collection"],
            "documents": [{"id": each.name, "title": each.title, "size": each.size} for each in page],
            "total": total,
            "hasMore": offset + len(page) < total,
        }

    def getDocument(self, collection: str, document: str) -> Answer:  # noqa: N802
        """The whole text of a document, as it is in its file."""
        source, _, text = self._document(collection, document)
        return {**self.named(source.name), "document": document, "content": text, **_warned(text)}

    def getDocumentOutline(self, collection: str, document: str, maxDepth: int = 3) -> Answer:  # noqa: N802, N803
        """The headings of a document, down to a depth."""
        source, stored, _ = self._document(collection, document, with_text=False)
        deepest = min(max(maxDepth, 1), 6)
        return {
            "collection": self.named(source.name)["collection"],
            "document": document,
            "title": stored.title,
            "outline": [
                {"level": level, "text": _shown(text), "line": line}
                for level, text, line in stored.outline
                if level <= deepest
            ],
        }

    def getDocumentSection(  # noqa: N802
        self,
        collection: str,
        document: str,
        section: str,
        includeSubsections: bool = True,  # noqa: N803
    ) -> Answer:
        """The lines of a document from a heading to the next."""
        source, stored, text = self._document(collection, document)
        outline = [(level, _shown(heading), line) for level, heading, line in stored.outline]
        found = find_section(text, outline, section, include_subsections=includeSubsections)
        if found is None:
            raise NotFound(
                f'Section "{section}" not found in document "{document}".',
                suggestions=_alike(section, heading_paths(outline)),
            )
        return {
            "collection": self.named(source.name)["collection"],
            "document": document,
            "section": found.heading,
            "level": found.level,
            "content": found.content,
            "startLine": found.start_line,
            "endLine": found.end_line,
            **_warned(found.content),
        }

    def search(self, queries: Sequence[Query], cancellation: Cancellation | None = None) -> list[list[Answer]]:
        """The items for each query, in the order of the queries; unknown collections hold nothing."""
        known = {source.name: source.id for source in self._sources().values()}
        floored = (Floored(frozenset(known.values()), FLOOR),)
        questions = [
            Question(
                text=query.text,
                scope=Scope(tuple(self._wanted(query.collections, known))),
                floored=floored,
                most_of_one=max(MOST_OF_ONE, query.limit // PLACES),
                limit=query.limit,
                max_distance=query.max_distance,
                by_words=query.hybrid,
                rerank=query.rerank,
            )
            for query in queries
        ]
        return [[self.item(hit) for hit in hits] for hits in self._engine.search_all(questions, cancellation)]

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
        source, stored, _ = self._document(collection, document, with_text=False)
        sources = [each.id for each in self._sources().values()] if allCollections else [source.id]
        hits = self._engine.related(stored, sources=sources, limit=limit, text=chunk, same_document=sameDocument)
        return [{**self.item(hit), "document": hit.document} for hit in hits]

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

    def item(self, hit: Hit) -> Answer:
        """A hit as search tools show it."""
        headings = hit.passage.headings
        lines = f"L{hit.passage.start_line}-L{hit.passage.end_line}"
        return {
            **self.named(hit.source),
            "documentId": hit.document,
            "documentTitle": hit.title,
            **({"sectionHeading": _shown(headings[-1])} if headings else {}),
            "content": _shown(hit.passage.text),
            "relevanceScore": round(hit.score, 4),
            "distance": round(hit.distance, 6),
            "chunkIndex": hit.position + 1,
            "totalChunks": hit.total,
            "startLine": hit.passage.start_line,
            "endLine": hit.passage.end_line,
            "citation": f"{hit.document}#{lines}",
            **({"also": [{"startLine": start, "endLine": end} for start, end in hit.also]} if hit.also else {}),
        }

    def _sources(self) -> dict[str, StoredSource]:
        """The collections that are configured and in the index, by ID."""
        stored = self._engine.sources(KIND)
        return {each.name: each for each in stored if each.name in self._aliases and (each.is_synced or each.documents)}

    def _wanted(self, names: Sequence[str] | None, known: Mapping[str, int]) -> list[int]:
        if names is None:
            return list(known.values())
        ids = {self._ids.get(name, name) for name in names}
        return [number for identity, number in known.items() if identity in ids]

    def _source(self, collection: str, message: str) -> StoredSource:
        known = self._sources()
        found = known.get(self._ids.get(collection, collection))
        if found is None:
            names = [each for identity in known for each in self.named(identity).values()]
            raise NotFound(message, suggestions=_alike(collection, names))
        return found

    def _document(
        self, collection: str, document: str, *, with_text: bool = True
    ) -> tuple[StoredSource, StoredDocument, str]:
        message = f'Document "{document}" not found in collection "{collection}".'
        source = self._source(collection, message)
        if "\0" in document:  # no database of ours has such a name, and PostgreSQL can't even be asked for it
            raise NotFound(message)
        with self._engine.database.reading() as transaction:
            store = self._engine.store(transaction)
            found = store.find(source.id, document)
            if found is None:
                raise NotFound(message, suggestions=_alike(document, store.names(source.id)))
            text = store.text(found.id) if with_text else ""
        return source, found, self._written(source.name, document, text)

    def _written(self, collection: str, document: str, text: str) -> str:
        """The text as it is in its file, where secrets were taken out of what the index holds of it."""
        content = self._original(collection, document) if MARK in text else None
        written = text if content is None else content.decode("utf-8", errors="replace")
        return written if without_secret_values(written) == text else text


def _said(details: Mapping[str, Any]) -> Answer:
    return {key: details[key] for key in ("description", "version") if details.get(key)}


def _shown(text: str) -> str:
    """A text without characters that a person would not see."""
    return text if text.isascii() else HIDDEN.sub("", text)


def _warned(text: str) -> Answer:
    warnings = [*text_warnings([text]), *([REMOVED] if MARK in text else ())]
    return {"warnings": warnings} if warnings else {}


def _alike(wanted: str, names: Sequence[str]) -> list[str]:
    """The names that look most like the wanted one; those that hold it first."""
    folded = wanted.casefold()
    holding = [name for name in names if folded and folded in name.casefold()]
    lowered = {name.casefold(): name for name in names}
    pairs = set(pairwise(folded))  # comparing whole took most of a second for 2,500 paths, so few are compared so
    likely = nlargest(SHORTLIST, lowered, key=lambda name: len(pairs.intersection(pairwise(name))))
    close = [lowered[each] for each in get_close_matches(folded, likely, n=MOST_SUGGESTED, cutoff=ALIKE)]
    return list(dict.fromkeys([*holding[:MOST_SUGGESTED], *close]))[:MOST_SUGGESTED]
