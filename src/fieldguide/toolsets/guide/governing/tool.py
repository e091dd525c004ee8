"""`guide_governs`: its name, description and schema; the first call imports what it does."""

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text, whole_number
from fieldguide.toolset import Services, late

LEAST_BUDGET, USUAL_BUDGET, MOST_BUDGET = 200, 2_500, 50_000


def tool(services: Services) -> Tool:
    """The tool over everything that is known of a project."""
    return Tool(
        name="guide_governs",
        title="What Governs",
        description="Before an edit: the rules and decisions that apply to a path, tests that import it, files that "
        "change with it, documents, owners, findings and tasks, strongest first, each with its reason.",
        input_schema=closed_object(
            "path",
            path=text(minLength=1, description="A file, folder, citation or unified diff"),
            budget=whole_number(minimum=LEAST_BUDGET, maximum=MOST_BUDGET, default=USUAL_BUDGET),
        ),
        run=late("fieldguide.toolsets.guide.governing.calls:governs", services),
        wording=Wording(is_whole=True, text_says_more=True),
        pace=Pace(calls_per_minute=120),
        reads_index=True,
    )
