"""The three context tools: names, descriptions and schemas as specified; the first call imports what they do."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fieldguide.discoveries import SCHEMA
from fieldguide.errors import InvalidArguments
from fieldguide.spine.contract import Tool
from fieldguide.toolset import Services, Toolset, late
from fieldguide.toolsets.context.resources import ContextResources
from fieldguide.upkeep import LateUpkeep

if TYPE_CHECKING:
    from fieldguide.toolsets.context.upkeep import ContextUpkeep

CALLS = "fieldguide.toolsets.context.calls"
UPKEEP = "fieldguide.toolsets.context.upkeep:ContextUpkeep"
SHORTEST_QUERY = 3
DRAFT = "http://json-schema.org/draft-07/schema#"


def toolset(services: Services) -> Toolset:
    """The context toolset over a project's files, its database and its index."""
    upkeep = _upkeep(services)
    return Toolset(
        name="context",
        dialect="context",
        schema=SCHEMA,
        about="its code, and what earlier work found out",
        upkeep=upkeep,
        resources=(ContextResources(services),),
        tools=(
            Tool(
                name="context_search",
                title="Search Context",
                description="Search project context semantically using RAG. Returns relevant discoveries, patterns, "
                "rules, and past decisions.",
                input_schema=_object(
                    "query",
                    query=_text("Search query describing what to find", minLength=SHORTEST_QUERY, maxLength=500),
                    type=_text(
                        "Filter by discovery type", enum=["all", "pattern", "rule", "decision", "issue"], default="all"
                    ),
                    module=_text("Filter by module name"),
                    limit=_integer("Maximum number of results to return", minimum=1, maximum=20, default=5),
                ),
                run=late(f"{CALLS}:context_search", upkeep),
                check_first=check_query,
                reads_index=True,
                calls_per_minute=30,
                ignores_unknown=True,
                write_text=write_json,
            ),
            Tool(
                name="read_file",
                title="Read File",
                description="Read file content with optional dependency tree. Tracks access for context scoring.",
                input_schema=_object(
                    "path",
                    path=_text("File path relative to project root", minLength=1),
                    includeDeps={
                        "type": "boolean",
                        "default": False,
                        "description": "Include level 1 dependencies (imports)",
                    },
                    maxDepth=_integer("Dependency tree depth (MVP: max 1)", minimum=0, maximum=1, default=1),
                ),
                run=late(f"{CALLS}:read_file", upkeep),
                calls_per_minute=100,
                slow_milliseconds=slow_read,
                ignores_unknown=True,
                write_text=write_json,
            ),
            Tool(
                name="grep_codebase",
                title="Grep Codebase",
                description="Fast text search across codebase using regex. Good for exact matches and when semantic "
                "search unavailable.",
                input_schema=_object(
                    "pattern",
                    pattern=_text("Regex pattern to search for", minLength=1, maxLength=200),
                    filePattern=_text('Glob pattern to filter files (e.g., "**/*.ts")'),
                    caseSensitive={"type": "boolean", "default": False, "description": "Case-sensitive search"},
                    limit=_integer("Maximum number of matches to return", minimum=1, maximum=100, default=50),
                ),
                run=late(f"{CALLS}:grep_codebase", upkeep),
                calls_per_minute=60,
                slow_milliseconds=slow_grep,
                ignores_unknown=True,
                write_text=write_json,
            ),
        ),
    )


def check_query(arguments: Mapping[str, Any]) -> None:
    """The one refusal of arguments that the specification prints."""
    query = arguments.get("query")
    if isinstance(query, str) and len(query) < SHORTEST_QUERY:
        message = f"Query must be at least {SHORTEST_QUERY} characters"
        issue = {"code": "too_small", "minimum": SHORTEST_QUERY, "path": ["query"], "message": message}
        raise InvalidArguments(message, details=[issue])


def slow_read(arguments: Mapping[str, Any]) -> float:
    """The most milliseconds that the specification gives a look at a file: more with its imports."""
    return 2000.0 if arguments.get("includeDeps") else 500.0


def slow_grep(arguments: Mapping[str, Any]) -> float:
    """The most milliseconds that the specification gives a search of the code."""
    return 3000.0


def _upkeep(services: Services) -> "LateUpkeep[ContextUpkeep]":
    return LateUpkeep(services, late(UPKEEP))


def write_json(value: Any) -> str:
    """A value as this toolset's specification prints it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def _object(*required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        "$schema": DRAFT,
    }


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", **more, "description": description}


def _integer(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "integer", **more, "description": description}
