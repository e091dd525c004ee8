"""`guide_trace`: its name, description and schema; the first call imports what it does."""

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text
from fieldguide.toolset import Services, late
from fieldguide.toolsets.guide.budgets import budget, check_asked

USUAL_BUDGET = 2_000


def tool(services: Services) -> Tool:
    """The tool over everything that leads from one thing of a project to another."""
    return Tool(
        name="guide_trace",
        title="Trace",
        description="Why code is here, what proves it, what is missing.",
        input_schema=closed_object(
            "of",
            of=text(description="Id (REQ-3, ADR 7), path, commit:abc"),
            budget=budget(),
        ),
        run=late("fieldguide.toolsets.guide.tracing.calls:trace", services),
        wording=Wording(check_first=check_asked, is_whole=True, text_says_more=True),
        pace=Pace(timeout_seconds=30.0, calls_per_minute=120),
        reads_index=True,
    )
