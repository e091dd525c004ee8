"""Declares the three context tools and the `context://` resources."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from fieldguide.spine.resources import Resource, ResourceContents, ResourceTemplate
from fieldguide.spine.schemas import drafted_object, integer_schema, text_schema
from fieldguide.spine.tool import Pace, Tool, Wording, import_late
from fieldguide.spine.toolset import Dialect, Services, Toolset, tell_plainly
from fieldguide.storage.database import FINDINGS_SCHEMA
from fieldguide.text.errors import FieldguideError, InvalidArguments, Refusal
from fieldguide.toolsets.upkeep import LateUpkeep

if TYPE_CHECKING:
    from fieldguide.toolsets.context.upkeep import ContextUpkeep

MARKDOWN = "text/markdown"
OVERVIEW = "context://project/overview"
CURRENT = "context://session/current"
RECENT = "context://sessions/recent"
MODULE = "context://module/"


class ContextResources:
    """The provider of `context://`; what it tells is imported when something is read."""

    scheme = "context"

    def __init__(self, services: Services, settle: Callable[[], None]) -> None:
        self._services = services
        self._settle = settle

    def list(self) -> Sequence[Resource]:
        """What can be read right now: the project and its modules, the latest sessions, and the one that runs."""
        from fieldguide.toolsets.context import overview

        self._settle()
        try:
            is_running = overview.has_session(self._services)
        except FieldguideError:  # the database is away, and with it everything that can be read
            return []
        resources = [*self._of_project()]
        if is_running:
            resources.append(Resource(CURRENT, "current-session", title="Current Session", mime_type=MARKDOWN))
        return [*resources, Resource(RECENT, "recent-sessions", title="Recent Sessions", mime_type=MARKDOWN)]

    def _of_project(self) -> Iterator[Resource]:
        """The overview, and one for each module of the project's model; nothing where that can't be read."""
        from urllib.parse import quote

        from fieldguide.toolsets.context.overview import read_model

        try:
            modules = read_model(self._services.project).modules
        except Refusal:
            return
        yield Resource(OVERVIEW, "overview", title="Project Overview", mime_type=MARKDOWN)
        for name in modules:
            yield Resource(f"{MODULE}{quote(name, safe='')}", f"module-{name}", mime_type=MARKDOWN)

    def templates(self) -> Sequence[ResourceTemplate]:
        """A module by its name, and sessions by how many."""
        return [
            ResourceTemplate(f"{MODULE}{{name}}", "module", title="Module", mime_type=MARKDOWN),
            ResourceTemplate(f"{RECENT}{{?limit}}", "recent-sessions", title="Recent Sessions", mime_type=MARKDOWN),
        ]

    def read(self, uri: str) -> Sequence[ResourceContents]:
        """The text of a resource."""
        from fieldguide.toolsets.context import overview

        self._settle()
        address, _, query = uri.partition("?")
        if address == OVERVIEW:
            text = overview.render_overview(self._services)
        elif address == CURRENT:
            text = overview.render_current_session(self._services)
        elif address == RECENT:
            text = overview.render_recent_sessions(self._services, query)
        elif address.startswith(MODULE):
            text = overview.render_module(self._services, address.removeprefix(MODULE))
        else:
            raise Refusal(f"Unknown resource: {uri}", uri=uri)
        return [ResourceContents(uri, MARKDOWN, text)]


CALLS = "fieldguide.toolsets.context.calls"
SHOWS = ("findings", "stale_findings", "remove_finding")
UPKEEP = "fieldguide.toolsets.context.upkeep:ContextUpkeep"
GREP_SECONDS = 30.0  # of a tree of 200,000 files on a busy machine
SHORTEST_QUERY = 3


def toolset(services: Services) -> Toolset:
    """The context toolset over a project's files, its database and its index."""
    upkeep = LateUpkeep["ContextUpkeep"](services, import_late(UPKEEP))
    return Toolset(
        name="context",
        dialect=Dialect(tell_plainly, import_late(f"{CALLS}:tell_unknown")),
        schema=FINDINGS_SCHEMA,
        about="its code and earlier findings",
        upkeep=upkeep,
        resources=(ContextResources(services, partial(_settle, upkeep)),),
        shows={
            "repository": import_late("fieldguide.toolsets.context.overview:show_repository", services),
            **{name: import_late(f"{CALLS}:{name}", upkeep) for name in SHOWS},
        },
        tools=(
            Tool(
                name="context_search",
                title="Search Context",
                description="Search project context semantically using RAG. Returns relevant discoveries, patterns, "
                "rules, and past decisions.",
                input_schema=drafted_object(
                    "query",
                    query=text_schema(
                        minLength=SHORTEST_QUERY, maxLength=500, description="Search query describing what to find"
                    ),
                    type=text_schema(
                        enum=["all", "pattern", "rule", "decision", "issue"],
                        default="all",
                        description="Filter by discovery type",
                    ),
                    module=text_schema(description="Filter by module name"),
                    limit=integer_schema(
                        minimum=1, maximum=20, default=5, description="Maximum number of results to return"
                    ),
                ),
                run=import_late(f"{CALLS}:context_search", upkeep),
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
                    path=text_schema(minLength=1, description="File path relative to project root"),
                    includeDeps={
                        "type": "boolean",
                        "default": False,
                        "description": "Include level 1 dependencies (imports)",
                    },
                    maxDepth=integer_schema(
                        minimum=0, maximum=1, default=1, description="Dependency tree depth (MVP: max 1)"
                    ),
                ),
                run=import_late(f"{CALLS}:read_file", upkeep),
                pace=Pace(calls_per_minute=100, slow_milliseconds=read_limit_milliseconds),
                wording=Wording(ignores_unknown=True, write=write_json, tells_value=False),
            ),
            Tool(
                name="grep_codebase",
                title="Grep Codebase",
                description="Fast text search across codebase using regex. Good for exact matches and when semantic "
                "search unavailable.",
                input_schema=drafted_object(
                    "pattern",
                    pattern=text_schema(minLength=1, maxLength=200, description="Regex pattern to search for"),
                    filePattern=text_schema(description='Glob pattern to filter files (e.g., "**/*.ts")'),
                    caseSensitive={"type": "boolean", "default": False, "description": "Case-sensitive search"},
                    limit=integer_schema(
                        minimum=1, maximum=100, default=50, description="Maximum number of matches to return"
                    ),
                ),
                run=import_late(f"{CALLS}:grep_codebase", upkeep),
                pace=Pace(timeout_seconds=GREP_SECONDS, calls_per_minute=60, slow_milliseconds=grep_limit_milliseconds),
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


def read_limit_milliseconds(arguments: Mapping[str, Any]) -> float:
    """The most milliseconds that the specification gives a look at a file: more with its imports."""
    return 2000.0 if arguments.get("includeDeps") else 500.0


def grep_limit_milliseconds(arguments: Mapping[str, Any]) -> float:
    """The most milliseconds that the specification gives a search of the code."""
    return 3000.0


def _settle(upkeep: "LateUpkeep[ContextUpkeep]") -> None:
    """Have the traces of the calls so far written, before somebody reads them."""
    if (made := upkeep.made_already()) is not None:
        made.recorder.flush()


def write_json(value: Any) -> str:
    """A value as this toolset's specification prints it."""
    return json.dumps(value, ensure_ascii=False, indent=2)
