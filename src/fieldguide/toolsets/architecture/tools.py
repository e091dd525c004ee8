"""The three architecture tools: names, descriptions and schemas as specified; the first call imports what they do."""

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fieldguide.spine.contract import Tool
from fieldguide.spine.dialect import Dialect
from fieldguide.spine.prompts import Prompt
from fieldguide.spine.schemas import text
from fieldguide.toolset import Progress, Services, Toolset, late
from fieldguide.toolsets.architecture.resources import ArchitectureResources
from fieldguide.toolsets.architecture.roots import roots_of

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep

CALLS = "fieldguide.toolsets.architecture.calls"
START_SECONDS = 0.2  # the first answers of a fresh server come before its upkeep
MAX_CODE_LENGTH = 50_000
MAX_QUERY_LENGTH = 500
MAX_DESCRIPTION_LENGTH = 5_000
MAX_CONTEXT_LENGTH = 2_000
MAX_SEARCH_RESULTS = 20


def toolset(services: Services) -> Toolset:
    """The architecture toolset over the documents of a project."""
    roots_of(services.settings)  # settings that can't be meant stop the start
    upkeep = LateUpkeep(services)
    return Toolset(
        name="architecture",
        dialect=Dialect(late("fieldguide.toolsets.architecture.dialect:tell")),
        about="its guidelines, patterns and decisions, with rules that can be checked",
        upkeep=upkeep,
        resources=(ArchitectureResources(lambda: upkeep.made().library),),
        prompts=upkeep.prompts,
        complete=upkeep.complete,
        tools=(
            _tool(
                upkeep,
                name="validate-against-pattern",
                title="Validate Against Pattern",
                description="Validates code against documented architectural patterns",
                required=("code", "pattern_name"),
                properties={
                    "code": text(description="Code to validate", maxLength=MAX_CODE_LENGTH),
                    "pattern_name": text(
                        description="Name of pattern to validate against (e.g., 'repository-pattern')"
                    ),
                    "language": text(description="Programming language (optional)"),
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
                    "query": text(description="Search query", maxLength=MAX_QUERY_LENGTH),
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
                    "decision_description": text(
                        description="Description of the proposed decision", maxLength=MAX_DESCRIPTION_LENGTH
                    ),
                    "decision_context": text(
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


class LateUpkeep:
    """The document cache and all that hangs on it, imported and made when somebody first asks."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._lock = threading.Lock()
        self._made: ArchitectureUpkeep | None = None

    def made(self) -> "ArchitectureUpkeep":
        """The upkeep itself, the same for every call and for the background."""
        with self._lock:
            if self._made is None:
                from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep

                self._made = ArchitectureUpkeep(self.services)
            return self._made

    def prompts(self) -> Iterable[Prompt]:
        """The built-in prompts and the project's own."""
        return self.made().book.prompts()

    def complete(self, reference: Mapping[str, Any], argument: str, prefix: str) -> Sequence[str] | None:
        """Names of patterns, guidelines and decisions that begin like this."""
        from fieldguide.toolsets.architecture.completion import completed

        return completed(self.made().library, reference, argument, prefix)

    def refresh(self, progress: Progress) -> Mapping[str, Any]:
        """Bring the index up to date once, now."""
        return self.made().refresh(progress)

    def keep(self, stopped: threading.Event) -> None:
        """Keep documents, prompts and the index up to date until stopped."""
        stopped.wait(START_SECONDS)
        if not stopped.is_set():
            self.made().keep(stopped)


def write_json(value: Any) -> str:
    """A value as this toolset's specification prints it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _tool(
    upkeep: LateUpkeep, *, name: str, required: tuple[str, ...], properties: Mapping[str, Any], **more: Any
) -> Tool:
    return Tool(
        name=name,
        input_schema={"type": "object", "properties": properties, "required": list(required)},
        run=late(f"{CALLS}:{name.replace('-', '_')}", upkeep),
        **more,
    )
