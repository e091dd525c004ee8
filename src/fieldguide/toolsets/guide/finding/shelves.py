"""What is searched: the sources of the index whose toolsets are served, what each holds, and where its files lie."""

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from fieldguide.discoveries.indexing import DISCOVERIES
from fieldguide.errors import ToolNotFound
from fieldguide.project_text.tongues import is_asked_in
from fieldguide.search.indexes.store import DocumentStore, StoredSource
from fieldguide.search.mixed.pools import Candidate
from fieldguide.source_code.roles import TESTS, role_of
from fieldguide.spine.contract import Answer, Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.items import CODE, DECISION, DOCUMENT, FINDING, PATTERN, SPEC, TEST

SOURCE_CODE, DOCUMENTS, ARCHITECTURE = "code", "documents", "architecture"
SERVED_BY = {
    SOURCE_CODE: "context_search",
    DOCUMENTS: "documents_list_collections",
    ARCHITECTURE: "search-architecture",
}
DECISIONS = "adr"
SPECS = "directive/"
SPEC_TOOL = "directive/files.list"
FOLDER = "dir:"  # the ID of a collection that is a folder begins so
LANGUAGE = "#"
ELSEWHERE = ("/", "..", "~")


class Shelf(NamedTuple):
    """A source of the index: whose it is, what it holds, and what its collection is called."""

    owner: str
    source: StoredSource
    alias: str = ""

    def path(self, document: str) -> str:
        """Where a document lies; of one that lies in no file, or not in the project, what names it."""
        if self.owner == DISCOVERIES:
            return f"{FINDING}://{document}"
        if self.owner != DOCUMENTS:
            return document
        folder = self.source.name.removeprefix(FOLDER).partition(LANGUAGE)[0]
        if not self.source.name.startswith(FOLDER) or folder.startswith(ELSEWHERE):
            return f"{self.alias}:{document}"
        return posixpath.normpath(f"{folder}/{document}")


class Shelves(NamedTuple):
    """The shelves of a project by the numbers of their sources, and the documents that are more than that."""

    by_source: Mapping[int, Shelf]
    more_telling: Mapping[str, str]
    has_specs: bool

    def of(self, *owners: str) -> tuple[int, ...]:
        """The sources of these owners that hold something."""
        return tuple(
            number for number, shelf in self.by_source.items() if shelf.owner in owners and shelf.source.documents
        )

    def path_of(self, candidate: Candidate) -> str:
        """Where a candidate stands."""
        return self.by_source[candidate.document.source].path(candidate.document.name)

    def kind_of(self, candidate: Candidate, path: str) -> str:
        """What a candidate is: of a document that is a decision too, the more telling."""
        owner = self.by_source[candidate.document.source].owner
        if owner == DISCOVERIES:
            return FINDING
        if owner == SOURCE_CODE:
            return TEST if role_of(path) == TESTS else CODE
        if path in self.more_telling:
            return self.more_telling[path]
        return SPEC if self.has_specs and path.startswith(SPECS) else DOCUMENT

    def counted(self) -> dict[str, int]:
        """How many documents of each owner are searched."""
        held: dict[str, int] = {}
        for shelf in self.by_source.values():
            held[shelf.owner] = held.get(shelf.owner, 0) + shelf.source.documents
        return {owner: count for owner, count in held.items() if count}


def shelves_for(services: Services, call: Call, query: str) -> Shelves:
    """What of the index may be searched for a question now; sessions never: they are for whoever worked in them."""
    owners = [DISCOVERIES, *(owner for owner, tool in SERVED_BY.items() if is_served(services, tool))]
    aliases = _collections(services, call, query)
    engine = services.engine()
    with engine.database.reading(call.cancellation) as transaction:
        store = engine.store(transaction)
        found = [Shelf(owner, each, aliases.get(each.name, "")) for owner in owners for each in store.sources(owner)]
        kept = {each.source.id: each for each in found if each.owner != DOCUMENTS or each.source.name in aliases}
        more_telling = _more_telling(store, kept.values())
    return Shelves(kept, more_telling, is_served(services, SPEC_TOOL))


def _more_telling(store: DocumentStore, shelves: Iterable[Shelf]) -> dict[str, str]:
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
    aliases = {str(row.get("collectionId", row["collection"])): str(row["collection"]) for row in rows}
    spoken = {str(row.get("collectionId", row["collection"])): str(row.get("language", "")) for row in rows}
    other = {each for each, language in spoken.items() if language and not is_asked_in(query, language)}
    return {each: alias for each, alias in aliases.items() if each not in other or other >= aliases.keys()}


def _listed_collections(services: Services, call: Call) -> list[dict[str, Any]]:
    """What the toolset of documents lists; nothing where it is not served."""
    tool = SERVED_BY[DOCUMENTS]
    if not is_served(services, tool):
        return []
    told: Any = services.find_tool(tool).run(call._replace(tool=tool, arguments={}))
    listed: Any = told.value if isinstance(told, Answer) else told
    return cast("list[dict[str, Any]]", listed) if isinstance(listed, list) else []
