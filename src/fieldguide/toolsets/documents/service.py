"""Lists, reads and searches the documents of a project's collections, and cites their lines.

`DocumentsService` has the operations with the names of the specification. Before it come the places of
documents and their citations.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.file_system import read_status_stamp
from fieldguide.files.project_files import CitedFiles, Kept, open_cited_files, slice_lines
from fieldguide.prose.document import cut_section, find_alike_names, find_section, list_heading_paths
from fieldguide.prose.translations import is_asked_in
from fieldguide.search.engine import SearchEngine, SearchQuestion, load_indexed_text
from fieldguide.search.indexes.document_store import StoredDocument, StoredSource
from fieldguide.search.ranking import DOCUMENT_FLOOR, FlooredSources, keep_fitting
from fieldguide.search.types import Scope, SearchHit, SearchSource
from fieldguide.spine.toolset import Services
from fieldguide.text.cancellation import Cancellation
from fieldguide.text.citation import Citation, format_citation, hash_text, read_citation
from fieldguide.text.display import HIDDEN, warn_of_text
from fieldguide.text.errors import NotFound
from fieldguide.text.near_names import find_near_names
from fieldguide.text.secrets import MARK, mask_secret_values
from fieldguide.text.tokens import fit
from fieldguide.text.windows import (
    Cite,
    cut_text,
    decode_document,
    describe_change,
    describe_rest,
    select_lines,
    split_lines,
)
from fieldguide.toolsets.documents.collections import (
    BUNDLES,
    PROJECT_FILE,
    DocumentCollection,
    find_global_file,
    is_below,
    is_remote,
    read_collections,
    resolve_local_path,
)

KIND = "documents"
ALIAS_MARK = ":"


class DocumentPlaces:
    """The places of the documents of a project's collections."""

    def __init__(self, project: ConfinedFolder, collections: Mapping[str, DocumentCollection]) -> None:
        self.project = project
        self._collections = {each.id: each for each in reversed([*collections.values()])}
        self._folders = {each.id: self._locate(each) for each in self._collections.values()}
        self.indexed_folders = {
            each.id: self._folders[each.id] for each in self._collections.values() if not each.source.endswith(".json")
        }
        """The folders whose documents are read from where they are; elsewhere only a look at a file can tell."""

    def folder(self, collection: str) -> str | None:
        """The folder of a collection in the project ("" is the project itself); None when it is outside."""
        return self._folders.get(collection)

    def outer_path(self, collection: str, document: str) -> str:
        """How citations name a document that is not in the project: by its ID, after its collection's name."""
        known = self._collections.get(collection)
        return f"{known.alias if known else collection}{ALIAS_MARK}{document}"

    def meant(self, collection: str, given: str) -> Iterator[tuple[str, Citation | None]]:
        """The IDs that a text may mean: first that of its own name, then that of a document whose lines it cites."""
        for name in self._inner(collection, given):
            yield name, None
        citation = read_citation(given)
        if citation is not None:
            for name in self._inner(collection, citation.path):
                yield name, citation

    def _inner(self, collection: str, path: str) -> Iterator[str]:
        yield path
        folder = self.folder(collection)
        plain = path.removeprefix("./")
        if folder is not None and plain.startswith(f"{folder}/"):
            yield plain[len(folder) + 1 :]
        known = self._collections.get(collection)
        for name in (known.alias, known.id) if known else ():
            if path.startswith(f"{name}{ALIAS_MARK}"):
                yield path[len(name) + len(ALIAS_MARK) :]

    def _locate(self, collection: DocumentCollection) -> str | None:
        if is_remote(collection.source):
            return None
        path = os.path.realpath(resolve_local_path(collection.source, collection.base))
        folder = os.path.dirname(path) if path.endswith(".json") else path
        root = self.project.real_path()
        if path.endswith(BUNDLES) or not is_below(folder, root):
            return None
        return os.path.relpath(folder, root).replace(os.sep, "/").removeprefix(".")


class RequestedDocument(NamedTuple):
    """A requested document with its collection and its text, and a citation if only some lines are meant."""

    source: StoredSource
    stored: StoredDocument
    text: str
    citation: Citation | None = None

    def chunk(self) -> str | None:
        """The lines that are meant, as one text."""
        if self.citation is None:
            return None
        return "".join(split_lines(self.text)[self.citation.start_line - 1 : self.citation.end_line]) or None

    def content(self, cite: Cite, most: int) -> dict[str, Any]:
        """The whole text; of a citation its lines with their numbers, as many as fit."""
        lines = split_lines(self.text)
        if self.citation is None:
            return {"content": self.text, "citation": cite(1, max(len(lines), 1))}
        place = self.citation
        shown = select_lines(lines, place.start_line, place.end_line, most, place.start_column)
        return {
            "content": shown.text,
            **shown.told(),
            **shown.numbered(most // 4),
            "citation": cite(shown.start_line, shown.end_line),
            **describe_change(place, cite),
            **describe_rest(cite, shown, until=min(place.end_line, len(lines)), most=most),
        }


Original = Callable[[str, str], bytes | None]


@dataclass
class CitedTexts:
    """The texts of the documents of one call, and citations of their lines; each document is read once."""

    _engine: SearchEngine
    _places: DocumentPlaces
    _original: Original
    _lines: dict[tuple[str, str], list[str]] = field(default_factory=dict[tuple[str, str], list[str]])

    @cached_property
    def _files(self) -> CitedFiles:
        return open_cited_files(self._places.project)

    def cited(self, hit: SearchHit) -> str:
        """The citation of a hit."""
        start_line = hit.passage.start_line
        end_line = max(start_line, hit.passage.end_line)
        folder = self._places.indexed_folders.get(hit.source)
        if hit.hash and folder is not None:
            path = f"{folder}/{hit.document}" if folder else hit.document
            return format_citation(path, start_line, end_line, hit.hash)
        place = (hit.source, hit.document, start_line, end_line)
        return self._look_up(*place, hit.passage.text, kept=lambda: self._kept(hit))

    def citing(self, found: RequestedDocument) -> Cite:
        """Gives the citations of a document's lines; the same lines are looked at once."""
        lines = split_lines(found.text)

        @cache
        def cite(start_line: int, end_line: int) -> str:
            place = (found.source.name, found.stored.name, start_line, max(start_line, end_line))
            return self._look_up(*place, kept=lambda: lines)

        return cite

    def cited_unseen(self, collection: str, document: str, end_line: int) -> str:
        """The citation of a document's first lines without their text: with a hash only if its file has them."""
        place = Citation(self._path(collection, document), 1, end_line)
        return self._files.cited_again(place) or str(place)

    def written(self, collection: str, document: str, text: str) -> str:
        """The text as it is in its file, where secrets were taken out of what the index holds of it."""
        content = self._original(collection, document) if MARK in text else None
        if content is None:
            return text
        written = decode_document(content)
        return written if mask_secret_values(written) == text else text

    def _look_up(
        self, collection: str, document: str, start_line: int, end_line: int, text: str | None = None, *, kept: Kept
    ) -> str:
        """The citation of some lines of a document, by a look at its file.

        `text` is the text of these lines, if it is known, and `kept` gives the lines of the whole document.
        """
        path = self._path(collection, document)
        if self._places.folder(collection) is not None:
            return self._files.cited(path, start_line, end_line, text, kept)
        seen = slice_lines(kept(), start_line, end_line)
        return format_citation(path, start_line, end_line, hash_text(text or "" if seen is None else seen))

    def _path(self, collection: str, document: str) -> str:
        """A document's path in the project, if there is such a file; else its ID, after its collection's name."""
        folder = self._places.folder(collection)
        if folder is not None:
            path = f"{folder}/{document}" if folder else document
            if self._files.status(path) is not None or self._places.project.status(path) is not None:
                return path
        return self._places.outer_path(collection, document)

    def _kept(self, hit: SearchHit) -> list[str]:
        place = (hit.source, hit.document)
        if place not in self._lines:
            text = load_indexed_text(self._engine, SearchSource(KIND, hit.source), hit.document) or ""
            self._lines[place] = split_lines(self.written(*place, text))
        return self._lines[place]


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


class DocumentsService:
    """The collections of a project as they are in the index; a missing thing is NotFound with the specified words."""

    def __init__(
        self,
        engine: SearchEngine,
        project: ConfinedFolder,
        collections: Mapping[str, DocumentCollection],
        original: Original = lambda collection, document: None,
    ) -> None:
        self._engine = engine
        self._places = DocumentPlaces(project, collections)
        self._open_texts = partial(CitedTexts, engine, self._places, original)
        self._names = {
            each.id: {"collection": each.alias, "collectionId": each.id} for each in reversed([*collections.values()])
        }
        self._ids = {alias: each.id for alias, each in collections.items()}
        self._languages = {each.id: each.language for each in collections.values() if each.language}

    def listCollections(self) -> list[Answer]:  # noqa: N802  the specification's name
        """Every collection that is in the index, by ID."""
        listed: list[Answer] = []
        for source in self._sources().values():
            answer = {**self.named(source.name), "documentCount": source.documents}
            for key in ("description", "version"):
                if source.details.get(key):
                    answer[key] = source.details[key]
            if source.name in self._languages:
                answer["language"] = self._languages[source.name]
            listed.append(answer)
        return listed

    def listDocuments(self, collection: str, *, limit: int = 100, offset: int = 0) -> Answer:  # noqa: N802
        """A page of a collection's documents, by ID."""
        source = self._source(collection, f'Collection "{collection}" not found.')
        with self._engine.database.reading() as transaction:
            store = self._engine.store(transaction)
            total = store.count(source.id)
            page = store.page(source.id, limit=limit, offset=offset)
        given = [{"id": each.name, "title": cut_text(each.title, LONGEST_TITLE), "size": each.size} for each in page]
        listed = fit(given, self._room, lambda items: json.dumps(items, ensure_ascii=False, indent=4))
        return {
            "collection": self.named(source.name)["collection"],
            "documents": listed,
            "total": total,
            "hasMore": offset + len(listed) < total,
        }

    def getDocument(self, collection: str, document: str) -> Answer:  # noqa: N802
        """The whole text of a document, as it is in its file."""
        texts = self._open_texts()
        found = self._document(texts, collection, document)
        name = found.stored.name
        given = found.content(texts.citing(found), self._room)
        return {**self.named(found.source.name), "document": name, **given, **_warned(given["content"])}

    def getDocumentOutline(self, collection: str, document: str, maxDepth: int = 3) -> Answer:  # noqa: N802, N803
        """The headings of a document, down to a depth."""
        texts = self._open_texts()
        source, stored, *_ = self._document(texts, collection, document, with_text=False)
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
            "citation": texts.cited_unseen(source.name, stored.name, last),
        }

    def getDocumentSection(  # noqa: N802
        self,
        collection: str,
        document: str,
        section: str,
        includeSubsections: bool = True,  # noqa: N803
    ) -> Answer:
        """The lines of a document from a heading to the next."""
        texts = self._open_texts()
        whole = self._document(texts, collection, document)
        source, stored, text, _ = whole
        outline = [(level, _shown(heading), line) for level, heading, line in stored.outline]
        found = find_section(text, outline, section, include_subsections=includeSubsections)
        if found is None:
            raise NotFound(
                f'Section "{section}" not found in document "{document}".',
                suggestions=find_alike_names(section, list_heading_paths(outline)),
            )
        given = cut_section(found, texts.citing(whole), self._room)
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

        Where nothing fits well, the nearest three are given, marked as unsure.
        """
        with self._engine.database.reading(cancellation) as transaction:
            numbers = self._engine.store(transaction).source_numbers(KIND)
        known = {name: number for name, number in numbers.items() if name in self._names}
        floored = (FlooredSources(frozenset(known.values()), DOCUMENT_FLOOR),)
        questions: list[SearchQuestion] = []
        for query in queries:
            if query.collections is not None:
                wanted = {self._ids.get(name, name) for name in query.collections}
            else:  # all but translations into other languages
                other = {each for each, language in self._languages.items() if not is_asked_in(query.text, language)}
                wanted = known.keys() - other or {*known}
            question = SearchQuestion(
                text=query.text,
                scope=Scope(tuple(number for identity, number in known.items() if identity in wanted)),
                floored=floored,
                is_steady=True,
                most_of_one=max(MOST_OF_ONE, query.limit // PLACES),
                limit=query.limit,
                max_distance=query.max_distance,
                by_words=query.hybrid,
            )
            questions.append(question)
        found = self._engine.search_all(questions, cancellation)
        texts = self._open_texts()
        return [[*self._items(keep_fitting(hits), texts)] for hits in found]

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
        texts = self._open_texts()
        found = self._document(texts, collection, document, with_text=read_citation(document) is not None)
        sources = [found.source.id]
        if allCollections:
            sources = [each.id for each in self._sources().values()]
        text = chunk or found.chunk()
        hits = self._engine.related(found.stored, sources=sources, limit=limit, text=text, same_document=sameDocument)
        return [{**item, "document": item["documentId"]} for item in self._items(hits, texts)]

    @property
    def _room(self) -> int:
        return max(self._engine.limits.answer_tokens - OTHER_TOKENS, OTHER_TOKENS)

    def missing(self, names: Sequence[str]) -> list[str]:
        """Those of these names that no collection in the index has."""
        known = self._sources()
        return [name for name in names if self._ids.get(name, name) not in known]

    def named(self, identity: str) -> Answer:
        """How answers name a collection: by its alias, with the ID beside it; without an alias by its ID."""
        return self._names.get(identity) or {"collection": identity}

    def shown_name(self, collection: str) -> str:
        """What answers call a collection that a caller named by its alias or its ID."""
        return str(self.named(self._ids.get(collection, collection))["collection"])

    def _items(self, hits: Iterable[SearchHit], texts: CitedTexts) -> Iterator[Answer]:
        """Hits as search tools show them."""
        for hit in hits:
            passage = hit.passage
            is_long = len(hit.title) > LONGEST_TITLE
            item: Answer = {
                **self._names[hit.source],
                "documentId": hit.document,
                "documentTitle": cut_text(hit.title, LONGEST_TITLE) if is_long else hit.title,
            }
            if passage.headings:
                item["sectionHeading"] = _shown(passage.headings[-1])
            item |= {
                "content": _shown(passage.text),
                "relevanceScore": round(hit.score, 4),
                "distance": round(hit.distance, 6),
                "chunkIndex": hit.position + 1,
                "totalChunks": hit.total,
                "startLine": passage.start_line,
                "endLine": passage.end_line,
                "citation": texts.cited(hit),
            }
            if hit.also:
                item["also"] = [{"startLine": start, "endLine": end} for start, end in hit.also]
            if hit.unsure:
                item["unsure"] = True
            yield item

    def _sources(self) -> dict[str, StoredSource]:
        """The collections that are configured and in the index, by ID."""
        stored = self._engine.sources(KIND)
        return {each.name: each for each in stored if each.name in self._names and (each.is_synced or each.documents)}

    def _source(self, collection: str, message: str) -> StoredSource:
        known = self._sources()
        found = known.get(self._ids.get(collection, collection))
        if found is None:
            names = [each for identity in known for each in self.named(identity).values()]
            raise NotFound(message, suggestions=find_near_names(collection, names))
        return found

    def _document(
        self, texts: CitedTexts, collection: str, document: str, *, with_text: bool = True
    ) -> RequestedDocument:
        """A document by its ID, or by a citation of it."""
        message = f'Document "{document}" not found in collection "{collection}".'
        source = self._source(collection, message)
        if "\0" in document:  # no database of ours has such a name, and PostgreSQL can't even be asked for it
            raise NotFound(message)
        with self._engine.database.reading() as transaction:
            store = self._engine.store(transaction)
            found: StoredDocument | None = None
            citation: Citation | None = None
            for name, cited in self._places.meant(source.name, document):
                citation = cited
                found = store.find(source.id, name)
                if found is not None:
                    break
            if found is None:
                wanted = document if citation is None else citation.path
                raise NotFound(message, suggestions=find_near_names(wanted, store.names(source.id)))
            text = store.text(found.id) if with_text else ""
        return RequestedDocument(source, found, texts.written(source.name, found.name, text), citation)


class CurrentDocuments:
    """Gives the service over the collections that are configured now.

    It is kept while all changes are seen (`is_watched`), none was (`look`), and the files that name collections stay.
    """

    def __init__(self, services: Services, original: Callable[[str, str], bytes | None]) -> None:
        self.is_watched = False
        self.look = 0
        self._services = services
        self._original = original
        self._kept: tuple[DocumentsService | None, int, Mapping[str, tuple[int, ...] | None]] = (None, 0, {})

    def __call__(self) -> DocumentsService:
        look = self.look
        service, of_look, stamps = self._kept
        is_current = self.is_watched and of_look == look
        if service is None or not is_current or any(read_status_stamp(path) != stamp for path, stamp in stamps.items()):
            project = self._services.project
            paths = (os.path.join(project.root, PROJECT_FILE), find_global_file())
            stamps = {path: read_status_stamp(path) for path in paths}  # before they are read
            collections = read_collections(project.root, self._services.settings, project)
            service = DocumentsService(self._services.engine(), project, collections, self._original)
            self._kept = (service, look, stamps)
        return service


def _shown(text: str) -> str:
    """A text without characters that a person would not see."""
    return text if text.isascii() else HIDDEN.sub("", text)


def _warned(text: str) -> Answer:
    warnings = [*warn_of_text([text])]
    if MARK in text:
        warnings.append(REMOVED)
    return {"warnings": warnings} if warnings else {}
