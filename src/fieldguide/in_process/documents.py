"""The document tools as plain functions, under the names that the specification gives to a client's methods."""

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self, cast

from fieldguide.app import App, build_app
from fieldguide.config import read_settings
from fieldguide.errors import NotFound
from fieldguide.in_process.running import BlockingExecutor, tell

TOOLSET = "documents"

Answered = dict[str, Any]


def open_documents(*, project: str | os.PathLike[str], database: str | None) -> "DocumentFunctions":
    """The documents of a project, with its index brought up to date first."""
    given = {"project": os.fspath(project), "database": database, "toolsets": (TOOLSET,)}
    documents = DocumentFunctions(build_app(read_settings(given, os.environ), write_journal=tell))
    documents.refresh()
    return documents


class DocumentFunctions:
    """The eight document tools; every function gives the value that the tool's text holds on the wire.

    What is not there is None where one thing was asked for, and NotFound where a collection to list or to look in is
    missing. They may be called from any thread.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._blocking = BlockingExecutor(app.executor)

    def refresh(self) -> Answered:
        """Bring the index up to date with the files on this machine; what was done, by collection."""
        done: Answered = {}
        for toolset in self._app.toolsets:
            if toolset.upkeep is not None:
                done.update(toolset.upkeep.refresh(lambda done, total, name: None))
        return done

    def listCollections(self) -> list[Answered]:  # noqa: N802  the specification's names, from here on
        """Every collection that is in the index."""
        return _items(self._run("documents_list_collections"))

    def listDocuments(self, collection: str, *, limit: int = 100, offset: int = 0) -> Answered:  # noqa: N802
        """A page of a collection's documents."""
        asked = {"collection": collection, "limit": limit, "offset": offset}
        return cast("Answered", self._run("documents_list_documents", **asked))

    def getDocument(self, collection: str, document: str) -> Answered | None:  # noqa: N802
        """The whole text of a document."""
        return self._found("documents_get_document", collection=collection, document=document)

    def getOutline(self, collection: str, document: str, maxDepth: int = 3) -> Answered | None:  # noqa: N802, N803
        """The headings of a document."""
        return self._found("documents_get_outline", collection=collection, document=document, maxDepth=maxDepth)

    def getSection(  # noqa: N802
        self,
        collection: str,
        document: str,
        section: str,
        includeSubsections: bool = True,  # noqa: N803
    ) -> Answered | None:
        """A section of a document by its heading, by `Above > Heading`, or by `#anchor`."""
        asked = {"collection": collection, "document": document, "section": section}
        return self._found("documents_get_section", **asked, includeSubsections=includeSubsections)

    def search(
        self,
        query: str,
        *,
        collections: Sequence[str] | None = None,
        limit: int = 10,
        maxDistance: float | None = None,  # noqa: N803
        hybridSearch: bool = True,  # noqa: N803
        rerank: bool = False,
    ) -> list[Answered]:
        """The chunks that answer a query best."""
        wanted = {"collections": None if collections is None else list(collections), "maxDistance": maxDistance}
        asked = {"query": query, "limit": limit, "hybridSearch": hybridSearch, "rerank": rerank}
        return _items(self._run("documents_search", **asked, **wanted))

    def searchBatch(  # noqa: N802
        self,
        queries: Sequence[str | Mapping[str, Any]],
        *,
        limit: int = 5,
        maxDistance: float | None = None,  # noqa: N803
        hybridSearch: bool = True,  # noqa: N803
        deduplicate: bool = False,
    ) -> Answered:
        """The chunks that answer each query best; a query is a text, or `{"query", "collections"}`."""
        asked = [{"query": each} if isinstance(each, str) else dict(each) for each in queries]
        given = {"limit": limit, "maxDistance": maxDistance, "hybridSearch": hybridSearch, "deduplicate": deduplicate}
        return cast("Answered", self._run("documents_search_batch", queries=asked, **given))

    def findRelated(  # noqa: N802
        self,
        collection: str,
        document: str,
        *,
        chunk: str | None = None,
        limit: int = 5,
        sameDocument: bool = False,  # noqa: N803
        allCollections: bool = False,  # noqa: N803
    ) -> Answered:
        """What is most like a document, or like a piece of text in it."""
        asked = {"collection": collection, "document": document, "chunk": chunk, "limit": limit}
        where = {"sameDocument": sameDocument, "allCollections": allCollections}
        return cast("Answered", self._run("documents_find_related", **asked, **where))

    def close(self) -> None:
        """Give back the database's connections; a later call would open new ones."""
        self._blocking.close()
        self._app.engine().database.close()
        self._app.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _found(self, tool: str, **arguments: Any) -> Answered | None:
        try:
            return cast("Answered", self._run(tool, **arguments))
        except NotFound:
            return None

    def _run(self, name: str, **arguments: Any) -> Any:
        given = {key: value for key, value in arguments.items() if value is not None}
        return self._blocking.execute(name, given).value


def _items(answered: Any) -> list[Answered]:
    """A list of items; the sentence that a tool says instead of an empty one is for models."""
    return cast("list[Answered]", answered) if isinstance(answered, list) else []
