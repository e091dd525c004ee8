"""Declares the eight document tools with the names, descriptions and schemas of the specification."""

from typing import TYPE_CHECKING, Any

from fieldguide.spine.schemas import drafted_object, text_schema
from fieldguide.spine.tool import Tool, Wording, import_late
from fieldguide.spine.toolset import Dialect, Services, Toolset
from fieldguide.toolsets.upkeep import LateUpkeep

if TYPE_CHECKING:
    from fieldguide.toolsets.documents.upkeep import DocumentsUpkeep

CALLS = "fieldguide.toolsets.documents.calls"
UPKEEP = "fieldguide.toolsets.documents.upkeep:DocumentsUpkeep"


def toolset(services: Services) -> Toolset:
    """The documents toolset over the search engine of a project."""
    upkeep: LateUpkeep[DocumentsUpkeep] = LateUpkeep(services, import_late(UPKEEP))
    return Toolset(
        name="documents",
        dialect=Dialect(import_late(f"{CALLS}:tell")),
        about="its documentation",
        upkeep=upkeep,
        tools=tuple(_tool(upkeep, **definition) for definition in TOOLS),
    )


def _tool(upkeep: "LateUpkeep[DocumentsUpkeep]", **definition: Any) -> Tool:
    name: str = definition["name"]
    action = name.removeprefix("documents_")
    return Tool(
        **definition,
        title=action.replace("_", " ").title(),
        run=import_late(f"{CALLS}:{action}", upkeep),
        wording=Wording(
            check=import_late(f"{CALLS}:check", definition["input_schema"]),
            write=import_late(f"{CALLS}:write_json"),
            is_whole=name == WHOLE,
        ),
        reads_index=True,
    )


WHOLE = "documents_get_document"
COLLECTION = text_schema(description="Collection name or alias")
DOCUMENT = text_schema(description="Document ID")
TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "documents_list_collections",
        "description": "List all available document collections. Returns collection names/aliases, document counts, "
        "descriptions, and versions. Use this to discover what documentation is available before searching.",
        "input_schema": {"type": "object", "properties": {}},
    },
    {
        "name": "documents_search",
        "description": "Search documents using semantic similarity and keyword matching (hybrid search). Returns the "
        "most relevant document chunks for the given query. Use this to find information in documentation, guides, or "
        "other indexed materials.",
        "input_schema": {
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "collections": TEXTS,
                "limit": {"type": "number", "description": "default 10"},
                "maxDistance": {
                    "type": "number",
                    "description": "0-2 cosine; results with a greater distance are filtered out",
                },
                "hybridSearch": {"type": "boolean", "description": "default true"},
                "rerank": {"type": "boolean", "description": "default false"},
            },
            "required": ["query"],
        },
    },
    {
        "name": WHOLE,
        "description": "Get the full content of a specific document. Use this after searching to retrieve the complete "
        "document when you need more context than the search chunks provide.",
        "input_schema": {
            "type": "object",
            "properties": {"collection": {"type": "string"}, "document": {"type": "string"}},
            "required": ["collection", "document"],
        },
    },
    {
        "name": "documents_list_documents",
        "description": "List all documents in a collection. Returns document IDs, titles, and sizes. Use this to "
        "browse what documentation is available before searching. Supports pagination for large collections.",
        "input_schema": drafted_object(
            "collection",
            collection=COLLECTION,
            limit={"type": "number", "default": 100, "description": "Maximum documents to return"},
            offset={"type": "number", "default": 0, "description": "Offset for pagination"},
        ),
    },
    {
        "name": "documents_get_outline",
        "description": "Get the heading structure of a document. Returns section headings with their levels and line "
        "numbers. Use this to understand document organization before reading specific sections.",
        "input_schema": drafted_object(
            "collection",
            "document",
            collection=COLLECTION,
            document=DOCUMENT,
            maxDepth={"type": "number", "default": 3, "description": "Maximum heading depth (1-6)"},
        ),
    },
    {
        "name": "documents_get_section",
        "description": "Get a specific section of a document by heading. Returns the section content without fetching "
        "the entire document. Use this when you know which section you need.",
        "input_schema": drafted_object(
            "collection",
            "document",
            "section",
            collection=COLLECTION,
            document=DOCUMENT,
            section=text_schema(description="Section heading text to match"),
            includeSubsections={"type": "boolean", "default": True, "description": "Include nested subsections"},
        ),
    },
    {
        "name": "documents_search_batch",
        "description": "Execute multiple search queries in a single call. More efficient than making separate search "
        "calls when researching multiple topics. Limited to 10 queries.",
        "input_schema": drafted_object(
            "queries",
            queries={
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "query": text_schema(description="Search query"),
                        "collections": {**TEXTS, "description": "Limit to specific collections"},
                    },
                    "required": ["query"],
                    "additionalProperties": False,
                },
                "minItems": 1,
                "maxItems": 10,
                "description": "Array of search queries (max 10)",
            },
            limit={"type": "number", "default": 5, "description": "Results per query"},
            maxDistance={"type": "number", "description": "Maximum distance threshold per query"},
            hybridSearch={"type": "boolean", "default": True, "description": "Use hybrid search"},
        ),
    },
    {
        "name": "documents_find_related",
        "description": "Find content semantically related to a document or chunk. Use this to expand context or "
        "discover related documentation on a topic.",
        "input_schema": drafted_object(
            "collection",
            "document",
            collection=text_schema(description="Collection containing the source"),
            document=text_schema(description="Document ID to find related content for"),
            chunk=text_schema(description="Specific chunk content (if not provided, uses document centroid)"),
            limit={"type": "number", "default": 5, "description": "Maximum related items"},
            sameDocument={
                "type": "boolean",
                "default": False,
                "description": "Include chunks from the same document",
            },
        ),
    },
)
