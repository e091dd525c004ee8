"""`guide_search`: its name, description and schema; the first call imports what it does."""

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text, whole_number
from fieldguide.toolset import Services, late

USUAL_LIMIT, MOST_HITS = 10, 50
LONGEST_QUERY = 2_000


def tool(services: Services) -> Tool:
    """The tool over everything that is known of a project."""
    return Tool(
        name="guide_search",
        title="Search",
        description="Search code, tests, documents, decisions, patterns, findings, tasks and specs at once.",
        input_schema=closed_object(
            "query",
            query=text(maxLength=LONGEST_QUERY),
            kinds={"type": "array", "items": text(), "description": "Only these"},
            limit=whole_number(minimum=1, maximum=MOST_HITS),
        ),
        run=late("fieldguide.toolsets.guide.finding.calls:search", services),
        wording=Wording(is_whole=True, text_says_more=True),
        pace=Pace(timeout_seconds=30.0, calls_per_minute=120),
        reads_index=True,
    )
