"""Declares the three architecture tools with the names, descriptions and schemas of the specification."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from fieldguide.spine.schemas import text_schema
from fieldguide.spine.tool import Tool, import_late
from fieldguide.spine.toolset import Dialect, Services, Toolset
from fieldguide.toolsets.architecture.resources import ArchitectureResources, read_roots
from fieldguide.toolsets.upkeep import LateUpkeep

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep

CALLS = "fieldguide.toolsets.architecture.calls"
UPKEEP = "fieldguide.toolsets.architecture.upkeep:ArchitectureUpkeep"
MAX_CODE_LENGTH = 50_000
MAX_QUERY_LENGTH = 500
MAX_DESCRIPTION_LENGTH = 5_000
MAX_CONTEXT_LENGTH = 2_000
MAX_SEARCH_RESULTS = 20


def toolset(services: Services) -> Toolset:
    """The architecture toolset over the documents of a project."""
    read_roots(services.settings)  # settings that can't be meant stop the start
    upkeep = _upkeep(services)
    return Toolset(
        name="architecture",
        dialect=Dialect(import_late(f"{CALLS}:tell_error")),
        about="its guidelines, patterns, decisions and rules",
        upkeep=upkeep,
        resources=(ArchitectureResources(lambda: upkeep.made().library),),
        prompts=lambda: upkeep.made().book.prompts(),
        complete=partial(_complete, upkeep),
        shows={name: import_late(f"{CALLS}:{name}", upkeep) for name in ("decisions", "decision_history", "patterns")},
        tools=(
            _tool(
                upkeep,
                name="validate-against-pattern",
                title="Validate Against Pattern",
                description="Validates code against documented architectural patterns",
                required=("code", "pattern_name"),
                properties={
                    "code": text_schema(description="Code to validate", maxLength=MAX_CODE_LENGTH),
                    "pattern_name": text_schema(
                        description="Name of pattern to validate against (e.g., 'repository-pattern')"
                    ),
                    "language": text_schema(description="Programming language (optional)"),
                },
                remembers={"code": ("code",), "pattern_name": ("pattern_name",), "language": ("language",)},
            ),
            _tool(
                upkeep,
                name="search-architecture",
                title="Search Architecture",
                description="Searches architectural documentation by keywords",
                required=("query",),
                properties={
                    "query": text_schema(description="Search query", maxLength=MAX_QUERY_LENGTH),
                    "resource_type": {
                        "type": "string",
                        "enum": ["guidelines", "patterns", "adr", "all"],
                        "description": "Filter by resource type (default: all)",
                    },
                    "max_results": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_SEARCH_RESULTS,
                        "description": "Maximum results to return (default: 10)",
                    },
                },
                remembers={"query": ("query", "problem", "topic")},
                reads_index=True,
            ),
            _tool(
                upkeep,
                name="check-adr-alignment",
                title="Check ADR Alignment",
                description="Checks if a decision aligns with existing ADRs",
                required=("decision_description",),
                properties={
                    "decision_description": text_schema(
                        description="Description of the proposed decision", maxLength=MAX_DESCRIPTION_LENGTH
                    ),
                    "decision_context": text_schema(
                        description="Context or problem being addressed (optional)", maxLength=MAX_CONTEXT_LENGTH
                    ),
                },
                remembers={
                    "decision_description": ("decision_description", "topic"),
                    "decision_context": ("decision_context", "context"),
                },
            ),
        ),
    )


def _complete(
    upkeep: "LateUpkeep[ArchitectureUpkeep]", reference: Mapping[str, Any], argument: str, prefix: str
) -> Sequence[str] | None:
    """Names of patterns, guidelines and decisions that begin like this."""
    from fieldguide.toolsets.architecture.library import complete_name

    return complete_name(upkeep.made().library, reference, argument, prefix)


def _upkeep(services: Services) -> "LateUpkeep[ArchitectureUpkeep]":
    return LateUpkeep(services, import_late(UPKEEP))


def _tool(
    upkeep: "LateUpkeep[ArchitectureUpkeep]",
    *,
    name: str,
    required: tuple[str, ...],
    properties: Mapping[str, Any],
    **more: Any,
) -> Tool:
    return Tool(
        name=name,
        input_schema={"type": "object", "properties": properties, "required": list(required)},
        run=import_late(f"{CALLS}:{name.replace('-', '_')}", upkeep),
        **more,
    )
