"""`guide_brief`: its name, description and schema; the first call imports what it does."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text, whole_number
from fieldguide.toolset import Services, late

if TYPE_CHECKING:
    from fieldguide.toolsets.guide.given import Given

LEAST_BUDGET, USUAL_BUDGET, MOST_BUDGET = 200, 4_000, 50_000


def tool(services: Services, given: "Callable[[], Given]") -> Tool:
    """The tool over everything that is known of a project."""
    return Tool(
        name="guide_brief",
        title="Brief",
        description="Start a task here: the code to change, its tests, documents, decisions, rules, findings and "
        "tasks, with citations, within a budget of tokens.",
        input_schema=closed_object(
            "task",
            task=text(minLength=1, description="The task in words, of any length"),
            budget=whole_number(minimum=LEAST_BUDGET, maximum=MOST_BUDGET, default=USUAL_BUDGET),
            cursor=text(description="Goes on where a brief ended"),
            new_only={"type": "boolean", "description": "Leave out what you were given already"},
        ),
        run=late("fieldguide.toolsets.guide.brief.calls:brief", services, given),
        wording=Wording(is_whole=True, text_says_more=True),
        pace=Pace(calls_per_minute=120),
        reads_index=True,
    )
