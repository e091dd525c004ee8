"""`guide_governs`: its name, description and schema; the first call imports what it does."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text
from fieldguide.toolset import Services, late
from fieldguide.toolsets.guide.budgets import budget, check_asked

if TYPE_CHECKING:
    from fieldguide.symbols.asking import Symbols

USUAL_BUDGET = 2_500


def tool(services: Services, symbols: "Callable[[], Symbols]") -> Tool:
    """The tool over everything that is known of a project."""
    return Tool(
        name="guide_governs",
        title="Governs",
        description="Before an edit: the rules, decisions, tests, documents, owners, findings and tasks of a path, and "
        "what changes with it.",
        input_schema=closed_object(
            "path",
            path=text(description="File, folder, citation or diff"),
            budget=budget(),
        ),
        run=late("fieldguide.toolsets.guide.governing.calls:governs", services, symbols),
        wording=Wording(check_first=check_asked, is_whole=True, text_says_more=True),
        pace=Pace(timeout_seconds=30.0, calls_per_minute=120),
        reads_index=True,
    )
