"""`guide_governs`: its name, description and schema; the first call imports what it does."""

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text, whole_number
from fieldguide.toolset import Services, late

LEAST_BUDGET, USUAL_BUDGET, MOST_BUDGET = 200, 2_500, 50_000
CHECK = "fieldguide.toolsets.guide.arguments:check_said"


def tool(services: Services) -> Tool:
    """The tool over everything that is known of a project."""
    return Tool(
        name="guide_governs",
        description="Before an edit: rules, decisions, tests, documents and owners of a path, files that change with it.",
        input_schema=closed_object(
            "path",
            path=text(description="Or a diff"),
            budget=whole_number(minimum=LEAST_BUDGET, maximum=MOST_BUDGET),
        ),
        run=late("fieldguide.toolsets.guide.governing.calls:governs", services),
        wording=Wording(check_first=late(CHECK), is_whole=True, text_says_more=True),
        pace=Pace(calls_per_minute=120),
        reads_index=True,
    )
