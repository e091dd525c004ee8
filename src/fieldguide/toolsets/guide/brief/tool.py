"""`guide_brief`: its name, description and schema; the first call imports what it does."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text, whole_number
from fieldguide.toolset import Services, late

if TYPE_CHECKING:
    from fieldguide.toolsets.guide.given import Given

LEAST_BUDGET, USUAL_BUDGET, MOST_BUDGET = 200, 4_000, 50_000
CHECK = "fieldguide.toolsets.guide.arguments:check_said"


def tool(services: Services, given: "Callable[[], Given]") -> Tool:
    """The tool over everything that is known of a project."""
    return Tool(
        name="guide_brief",
        description="Start a task: code to change, tests, documents, decisions, findings and tasks, cited, within a "
        "token budget.",
        input_schema=closed_object(
            "task",
            task=text(),
            budget=whole_number(minimum=LEAST_BUDGET, maximum=MOST_BUDGET),
            cursor=text(),
            new_only={"type": "boolean", "description": "Nothing you were given before"},
        ),
        run=late("fieldguide.toolsets.guide.brief.calls:brief", services, given),
        wording=Wording(check_first=late(CHECK), is_whole=True, text_says_more=True),
        pace=Pace(calls_per_minute=120),
        reads_index=True,
    )
