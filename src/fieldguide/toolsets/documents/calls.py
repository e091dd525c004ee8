"""What the document tools do when they are called."""

from typing import Any

from fieldguide.spine.answers.fitting import NOTE_TOKENS, most_that_fit
from fieldguide.spine.contract import Call
from fieldguide.toolsets.documents.arguments import whole
from fieldguide.toolsets.documents.citing import DocumentPlaces
from fieldguide.toolsets.documents.early import Early
from fieldguide.toolsets.documents.service import DocumentsService, Query
from fieldguide.toolsets.documents.tools import write_json
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.upkeep import LateUpkeep

NO_COLLECTIONS = "No document collections found."


def list_collections(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """Every collection with its size and what its manifest says."""
    service, early = _service(upkeep, call)
    return early.told(service.listCollections() or NO_COLLECTIONS)


def list_documents(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """A page of a collection's documents."""
    given = call.arguments
    service, early = _service(upkeep, call)
    listed = service.listDocuments(
        given["collection"], limit=whole(given, "limit", 100), offset=whole(given, "offset", 0)
    )
    return early.told(listed)


def get_document(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """A document's whole text."""
    return _service(upkeep, call)[0].getDocument(call.arguments["collection"], call.arguments["document"])


def get_outline(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """A document's headings."""
    given = call.arguments
    return _service(upkeep, call)[0].getDocumentOutline(
        given["collection"], given["document"], whole(given, "maxDepth", 3)
    )


def get_section(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """A section of a document."""
    given = call.arguments
    return _service(upkeep, call)[0].getDocumentSection(
        given["collection"], given["document"], given["section"], given.get("includeSubsections", True)
    )


def search(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """The chunks that answer a query best."""
    given = call.arguments
    service, early = _service(upkeep, call, given["query"])
    query = Query(
        text=given["query"],
        collections=given.get("collections"),
        limit=whole(given, "limit", 10),
        max_distance=given.get("maxDistance"),
        hybrid=given.get("hybridSearch", True),
        rerank=given.get("rerank", False),
    )
    found = service.search([query], call.cancellation)[0]
    return early.told(found) if found else early.nothing(query, service.missing(query.collections or ()))


def search_batch(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """The chunks that answer each of several queries best; `deduplicate` shows a chunk for the first of them only."""
    given = call.arguments
    queries = [
        Query(
            text=each["query"],
            collections=each.get("collections"),
            limit=whole(given, "limit", 5),
            max_distance=given.get("maxDistance"),
            hybrid=given.get("hybridSearch", True),
        )
        for each in given["queries"]
    ]
    service, early = _service(upkeep, call, " ".join(query.text for query in queries))
    found = service.search(queries, call.cancellation)
    if given.get("deduplicate", False):
        found = _deduplicated(found)
    return early.told(_fitted_batch([query.text for query in queries], found, upkeep.services.limits.answer_tokens))


def find_related(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """What is most like a document."""
    given = call.arguments
    service, early = _service(upkeep, call)
    related = service.findRelated(
        given["collection"],
        given["document"],
        chunk=given.get("chunk"),
        limit=whole(given, "limit", 5),
        sameDocument=given.get("sameDocument", False),
        allCollections=given.get("allCollections", False),
    )
    source = {"collection": service.shown_name(given["collection"]), "document": given["document"]}
    return early.told({"source": source, "related": related}, early.nothing_related(given) if not related else "")


def _fitted_batch(queries: list[str], found: list[list[dict[str, Any]]], most: int) -> dict[str, Any]:
    """The items of each query; where they do not all fit, as many of each, and it is said so."""

    def batch(count: int) -> list[dict[str, Any]]:
        return [{"query": text, "results": items[:count]} for text, items in zip(queries, found, strict=True)]

    longest = max(map(len, found), default=0)
    count = most_that_fit(longest, lambda count: write_json({"results": batch(count)}), most - NOTE_TOKENS)
    if count == longest:
        return {"results": batch(count)}
    return {"results": batch(count), "cut": f"Only the first {count} of each query fit {most:,} tokens."}


def _service(upkeep: LateUpkeep[DocumentsUpkeep], call: Call, question: str = "") -> tuple[DocumentsService, Early]:
    """The documents, with what the call asks for among them, and what is to be said of their index."""
    made = upkeep.made()
    standing = upkeep.ready(call, made, question=question, document=call.arguments.get("document", ""))
    collections = made.collections()
    places = DocumentPlaces(upkeep.services.project, collections)
    service = DocumentsService(upkeep.services.engine(), collections, made.original, places)
    return service, Early(service, standing, upkeep.lack)


def _deduplicated(found: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    seen: set[tuple[str, str, int]] = set()
    kept: list[list[dict[str, Any]]] = []
    for items in found:
        fresh = [item for item in items if _place(item) not in seen]
        seen.update(map(_place, fresh))
        kept.append(fresh)
    return kept


def _place(item: dict[str, Any]) -> tuple[str, str, int]:
    return item["collection"], item["documentId"], item["chunkIndex"]
