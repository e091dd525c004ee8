"""The three context tools: names, descriptions and schemas as specified; the first call imports what they do."""

import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fieldguide.discoveries import SCHEMA
from fieldguide.errors import InvalidArguments
from fieldguide.spine.contract import Tool
from fieldguide.toolset import Progress, Services, Toolset, late
from fieldguide.toolsets.context.resources import ContextResources

if TYPE_CHECKING:
    from fieldguide.toolsets.context.upkeep import ContextUpkeep

CALLS = "fieldguide.toolsets.context.calls"
START_SECONDS = 0.5  # the first answers of a fresh server come before its upkeep
GREP_SECONDS = 30.0  # of a tree of 200,000 files on a busy machine
SHORTEST_QUERY = 3
DRAFT = "http://json-schema.org/draft-07/schema#"


def toolset(services: Services) -> Toolset:
    """The context toolset over a project's files, its database and its index."""
    upkeep = LateUpkeep(services)
    return Toolset(
        name="context",
        dialect="context",
        schema=SCHEMA,
        about="its code, and what earlier work found out",
        upkeep=upkeep,
        resources=(ContextResources(services, upkeep.settle),),
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
                timeout_seconds=GREP_SECONDS,
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


class LateUpkeep:
    """What the context toolset keeps up to date, which imports nothing before somebody asks for it."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._lock = threading.Lock()
        self._made: ContextUpkeep | None = None
        self._kept = threading.Event()

    def made(self) -> "ContextUpkeep":
        """The upkeep itself, the same for every call and for the background."""
        with self._lock:
            if self._made is None:
                from fieldguide.toolsets.context.upkeep import ContextUpkeep

                self._made = ContextUpkeep(self.services, self._kept)
            return self._made

    def settle(self) -> None:
        """Have the traces of the calls so far written, before somebody reads them."""
        if self._made is not None:
            self._made.recorder.flush()

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring the index up to date once, now."""
        return self.made().refresh(progress)

    def keep(self, stopped: threading.Event) -> None:
        """Keep the index up to date until it is stopped; then the sessions of this process end."""
        self._kept.set()
        stopped.wait(START_SECONDS)
        if not stopped.is_set():
            self.made().keep(stopped)
        if self._made is not None:
            self._made.recorder.end_sessions()


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
