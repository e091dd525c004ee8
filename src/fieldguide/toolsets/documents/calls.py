"""Runs the document tools: checks their arguments, calls the service, and adds remarks about the index.

Texts that the specification prints stay as they are, in a block of their own; what is said beside follows them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.search.backlog import IndexProgress
from fieldguide.search.ranking import NOTHING_FITS
from fieldguide.spine.executor import find_issues
from fieldguide.spine.tool import Answer, Call
from fieldguide.spine.toolset import FailedCall, make_error_answer
from fieldguide.spine.truncation import NOTE_TOKENS
from fieldguide.text.errors import CircuitOpen, FieldguideError, InvalidArguments, NotFound
from fieldguide.text.near_names import format_suggestion
from fieldguide.text.tokens import fit
from fieldguide.toolsets.documents.service import DocumentsService, Query
from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep
from fieldguide.toolsets.upkeep import LateUpkeep

LARGEST_NUMBER = 2**53


def check(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raise InvalidArguments with a sentence for everything that does not fit."""
    properties: dict[str, Any] = {**schema["properties"]}
    if "sameDocument" in properties:
        properties["allCollections"] = {"type": "boolean"}  # beyond the specification
    issues = [str(issue["message"]) for issue in find_issues({**schema, "properties": properties}, arguments)]
    for name, value in arguments.items():
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        if not abs(value) <= LARGEST_NUMBER:  # also what is not a number
            issues.append(f"field {name} must be a number of ordinary size")
        elif value < 0 and name in ("limit", "offset"):
            issues.append(f"field {name} must not be negative")
    if issues:
        raise InvalidArguments("; ".join(issues))


def tell(error: FieldguideError, failing: FailedCall) -> Answer:
    """The sentence; what is not there counts as no error."""
    if not isinstance(error, NotFound):
        hint = f". {error.hint}" if isinstance(error, CircuitOpen) else ""
        return make_error_answer(f"Error: {error.message}{hint}")
    more = filter(None, [format_suggestion(error.details.get("suggestions", ()))])
    return Answer(text=error.message, blocks=tuple({"type": "text", "text": text} for text in (error.message, *more)))


def write_json(value: Any) -> str:
    """A value as this toolset's specification prints it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


NO_RESULTS = "No results found for the given query."
UNSURE = "Nothing fits well: these are the nearest, marked as unsure. Try other or fewer words."
MOST_NAMED = 8


class DocumentIndexRemarks(NamedTuple):
    """How an index stands when a call is answered."""

    service: DocumentsService
    standing: IndexProgress | None
    lack: str

    def told(self, value: Any, hint: str = "", fit: Mapping[str, str] | None = None) -> Any:
        """An answer with the remarks: in its own fields if it is an object, else in a second block."""
        beside: dict[str, Any] = {**self.standing.told()} if self.standing else {}
        if self.lack:
            beside["lacks"] = self.lack
        if hint:
            beside["hint"] = hint
        beside |= fit or {}
        if not beside:
            return value
        if isinstance(value, dict):
            return {**cast("dict[str, Any]", value), **beside}
        if isinstance(value, str):
            return _blocks(value, None, [*self._sentences(), *filter(None, [hint])])
        return _blocks(write_json(value), value, [write_json(beside)])

    def nothing(self, query: Query, missing: Sequence[str]) -> Answer:
        """No results: why not, what was searched, and what to try."""
        if query.limit < 1:
            return Answer(text=NO_RESULTS)
        unknown = " ".join(f'Collection "{name}" not found.' for name in missing)
        return _blocks(NO_RESULTS, None, [*filter(None, [unknown]), *self._sentences(), " ".join(self._why(query))])

    def nothing_related(self, given: Mapping[str, Any]) -> str:
        """Why a document has nothing that is related to it."""
        if given.get("allCollections"):
            return "No other document of all collections is like it."
        return (
            f"No other document of the collection {given['collection']!r} is like it. "
            "`allCollections: true` looks in the others too."
        )

    def _sentences(self) -> Iterator[str]:
        if self.standing is not None:
            yield self.standing.sentence()
        if self.lack:
            yield f"The index is not whole: {self.lack}"

    def _why(self, query: Query) -> Iterator[str]:
        held = {each["collection"]: each["documentCount"] for each in self.service.listCollections()}
        names = held if query.collections is None else [self.service.shown_name(name) for name in query.collections]
        counted = [f"{name} ({held[name]})" for name in names if held.get(name)]
        if not any(held.values()):
            yield "No document is in the index; documents_list_collections tells which collections there are."
            return
        if not counted:
            yield f"Nothing was searched; leave `collections` out to search them all: {', '.join(held)}."
            return
        more = f" and {len(counted) - MOST_NAMED} more" if len(counted) > MOST_NAMED else ""
        yield f"Searched, with the number of documents: {', '.join(counted[:MOST_NAMED])}{more}."
        if query.max_distance is not None:
            yield f"What is further away than maxDistance {query.max_distance:g} was left out; try without it."
        if len(counted) < sum(map(bool, held.values())):
            yield "Other collections were not searched; leave `collections` out to search them all."
        yield "Try other or fewer words, or search the code and its comments for exact text."


def describe_fit(items: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The remark about items of which none fits well."""
    is_unsure = bool(items) and all(item.get("unsure") for item in items)
    return {"fit": NOTHING_FITS, "hint": UNSURE} if is_unsure else {}


def _blocks(text: str, value: Any, said: Sequence[str]) -> Answer:
    return Answer(text=text, value=value, blocks=tuple({"type": "text", "text": each} for each in (text, *said)))


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
        given["collection"], limit=int(given.get("limit", 100)), offset=int(given.get("offset", 0))
    )
    return early.told(listed)


def get_document(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """A document's whole text."""
    return _service(upkeep, call)[0].getDocument(call.arguments["collection"], call.arguments["document"])


def get_outline(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """A document's headings."""
    given = call.arguments
    return _service(upkeep, call)[0].getDocumentOutline(
        given["collection"], given["document"], int(given.get("maxDepth", 3))
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
        limit=int(given.get("limit", 10)),
        max_distance=given.get("maxDistance"),
        hybrid=given.get("hybridSearch", True),
    )
    found = service.search([query], call.cancellation)[0]
    if not found:
        return early.nothing(query, service.missing(query.collections or ()))
    return early.told(found, fit=describe_fit(found))


def search_batch(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """The chunks that answer each of several queries best."""
    given = call.arguments
    queries = [
        Query(
            text=each["query"],
            collections=each.get("collections"),
            limit=int(given.get("limit", 5)),
            max_distance=given.get("maxDistance"),
            hybrid=given.get("hybridSearch", True),
        )
        for each in given["queries"]
    ]
    service, early = _service(upkeep, call, " ".join(query.text for query in queries))
    found = service.search(queries, call.cancellation)
    return early.told(_fitted_batch([query.text for query in queries], found, upkeep.services.limits.answer_tokens))


def find_related(upkeep: LateUpkeep[DocumentsUpkeep], call: Call) -> Any:
    """What is most like a document."""
    given = call.arguments
    service, early = _service(upkeep, call)
    related = service.findRelated(
        given["collection"],
        given["document"],
        chunk=given.get("chunk"),
        limit=int(given.get("limit", 5)),
        sameDocument=given.get("sameDocument", False),
        allCollections=given.get("allCollections", False),
    )
    source = {"collection": service.shown_name(given["collection"]), "document": given["document"]}
    return early.told({"source": source, "related": related}, early.nothing_related(given) if not related else "")


def _fitted_batch(queries: list[str], found: list[list[dict[str, Any]]], most: int) -> dict[str, Any]:
    """The items of each query; where they do not all fit, as many of each, and it is said so."""

    def batch(count: int) -> list[dict[str, Any]]:
        return [
            {"query": text, "results": items[:count], **describe_fit(items)}
            for text, items in zip(queries, found, strict=True)
        ]

    longest = max(map(len, found), default=0)
    count = len(fit(range(longest), most - NOTE_TOKENS, lambda some: write_json({"results": batch(len(some))})))
    if count == longest:
        return {"results": batch(count)}
    return {"results": batch(count), "cut": f"Only the first {count} of each query fit {most:,} tokens."}


def _service(
    upkeep: LateUpkeep[DocumentsUpkeep], call: Call, question: str = ""
) -> tuple[DocumentsService, DocumentIndexRemarks]:
    """The documents, with what the call asks for among them, and what is to be said of their index."""
    made = upkeep.made()
    standing = upkeep.ready(call, made, question=question, document=call.arguments.get("document", ""))
    service = made.service()
    return service, DocumentIndexRemarks(service, standing, upkeep.lack)
