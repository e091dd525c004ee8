"""The three context tools: names, descriptions and schemas as specified; the first call imports what they do."""

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from fieldguide.discoveries import SCHEMA
from fieldguide.errors import InvalidArguments
from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.dialect import Dialect, tell_plainly
from fieldguide.spine.schemas import drafted_object, text, whole_number
from fieldguide.toolset import Services, Toolset, late
from fieldguide.toolsets.context.resources import ContextResources
from fieldguide.upkeep import LateUpkeep

if TYPE_CHECKING:
    from fieldguide.toolsets.context.upkeep import ContextUpkeep

CALLS = "fieldguide.toolsets.context.calls"
SHOWN = "fieldguide.toolsets.context.shown"
SHOWS = ("findings", "stale_findings", "finding_counts", "review")
UPKEEP = "fieldguide.toolsets.context.upkeep:ContextUpkeep"
GREP_SECONDS = 30.0  # of a tree of 200,000 files on a busy machine
SHORTEST_QUERY = 3


def toolset(services: Services) -> Toolset:
    """The context toolset over a project's files, its database and its index."""
    upkeep = _upkeep(services)
    return Toolset(
        name="context",
        dialect=Dialect(tell_plainly, late("fieldguide.toolsets.context.dialect:tell_unknown")),
        schema=SCHEMA,
        about="its code, and what earlier work found out",
        upkeep=upkeep,
        resources=(ContextResources(services, partial(_settle, upkeep)),),
        shows={name: late(f"{SHOWN}:{name}", upkeep) for name in SHOWS},
        tools=(
            Tool(
                name="context_search",
                title="Search Context",
                description="Search project context semantically using RAG. Returns relevant discoveries, patterns, "
                "rules, and past decisions.",
                input_schema=drafted_object(
                    "query",
                    query=text(
                        minLength=SHORTEST_QUERY, maxLength=500, description="Search query describing what to find"
                    ),
                    type=text(
                        enum=["all", "pattern", "rule", "decision", "issue"],
                        default="all",
                        description="Filter by discovery type",
                    ),
                    module=text(description="Filter by module name"),
                    limit=whole_number(
                        minimum=1, maximum=20, default=5, description="Maximum number of results to return"
                    ),
                ),
                run=late(f"{CALLS}:context_search", upkeep),
                wording=Wording(check_first=check_query, ignores_unknown=True, write=write_json, tells_value=False),
                reads_index=True,
                pace=Pace(calls_per_minute=30),
            ),
            Tool(
                name="read_file",
                title="Read File",
                description="Read file content with optional dependency tree. Tracks access for context scoring.",
                input_schema=drafted_object(
                    "path",
                    path=text(minLength=1, description="File path relative to project root"),
                    includeDeps={
                        "type": "boolean",
                        "default": False,
                        "description": "Include level 1 dependencies (imports)",
                    },
                    maxDepth=whole_number(
                        minimum=0, maximum=1, default=1, description="Dependency tree depth (MVP: max 1)"
                    ),
                ),
                run=late(f"{CALLS}:read_file", upkeep),
                pace=Pace(calls_per_minute=100, slow_milliseconds=slow_read),
                wording=Wording(ignores_unknown=True, write=write_json, tells_value=False),
            ),
            Tool(
                name="grep_codebase",
                title="Grep Codebase",
                description="Fast text search across codebase using regex. Good for exact matches and when semantic "
                "search unavailable.",
                input_schema=drafted_object(
                    "pattern",
                    pattern=text(minLength=1, maxLength=200, description="Regex pattern to search for"),
                    filePattern=text(description='Glob pattern to filter files (e.g., "**/*.ts")'),
                    caseSensitive={"type": "boolean", "default": False, "description": "Case-sensitive search"},
                    limit=whole_number(
                        minimum=1, maximum=100, default=50, description="Maximum number of matches to return"
                    ),
                ),
                run=late(f"{CALLS}:grep_codebase", upkeep),
                pace=Pace(timeout_seconds=GREP_SECONDS, calls_per_minute=60, slow_milliseconds=slow_grep),
                wording=Wording(ignores_unknown=True, write=write_json, tells_value=False),
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


def _settle(upkeep: "LateUpkeep[ContextUpkeep]") -> None:
    """Have the traces of the calls so far written, before somebody reads them."""
    if (made := upkeep.made_already()) is not None:
        made.recorder.flush()


def write_json(value: Any) -> str:
    """A value as this toolset's specification prints it."""
    return json.dumps(value, ensure_ascii=False, indent=2)
