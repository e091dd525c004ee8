"""`guide_open`: its name, description and schema; the first call imports what it does."""

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text, whole_number
from fieldguide.toolset import Services, late

LEAST_BUDGET, USUAL_BUDGET, MOST_BUDGET = 200, 4_000, 50_000
CHECK = "fieldguide.toolsets.guide.arguments:check_said"


def tool(services: Services) -> Tool:
    """The tool over everything that can be cited."""
    return Tool(
        name="guide_open",
        description="Read what a citation or path names, or what became of it.",
        input_schema=closed_object(
            "citation",
            citation=text(description="As path#L3-L9@hash"),
            around={"type": "string", "enum": ["section", "symbol"]},
            budget=whole_number(minimum=LEAST_BUDGET, maximum=MOST_BUDGET),
        ),
        run=late("fieldguide.toolsets.guide.opening.calls:open_citation", services),
        wording=Wording(check_first=late(CHECK), is_whole=True, text_says_more=True),
        pace=Pace(calls_per_minute=240),
    )
