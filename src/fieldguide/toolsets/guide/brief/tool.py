"""`guide_brief`: its name, description and schema; the first call imports what it does."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text
from fieldguide.toolset import Services, late
from fieldguide.toolsets.guide.budgets import budget, check_asked

if TYPE_CHECKING:
    from fieldguide.symbols.asking import Symbols
    from fieldguide.toolsets.guide.given import Given

USUAL_BUDGET = 4_000


def tool(services: Services, given: "Callable[[], Given]", symbols: "Callable[[], Symbols]") -> Tool:
    """The tool over everything that is known of a project."""
    return Tool(
        name="guide_brief",
        title="Brief",
        description="Start a task here: the code to change, tests, documents, decisions, rules, findings and tasks, "
        "cited, within a budget of tokens.",
        input_schema=closed_object(
            "task",
            task=text(),
            budget=budget(),
            cursor=text(),
            new_only={"type": "boolean", "description": "Skip what was sent before"},
        ),
        run=late("fieldguide.toolsets.guide.brief.calls:brief", services, given, symbols),
        wording=Wording(check_first=check_asked, is_whole=True, text_says_more=True),
        pace=Pace(timeout_seconds=30.0, calls_per_minute=120),
        reads_index=True,
    )
