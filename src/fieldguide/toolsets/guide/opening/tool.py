"""`guide_open`: its name, description and schema; the first call imports what it does."""

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
    """The tool over everything that can be cited."""
    return Tool(
        name="guide_open",
        title="Open",
        description="Read what a citation or path names, or what became of it.",
        input_schema=closed_object(
            "citation",
            citation=text(description="path#L3-L9@hash or symbol:Name, one or more lines"),
            around={"type": "string", "enum": ["section", "symbol"]},
            budget=budget(),
        ),
        run=late("fieldguide.toolsets.guide.opening.calls:open_citation", services, given, symbols),
        wording=Wording(check_first=check_asked, is_whole=True, text_says_more=True),
        pace=Pace(calls_per_minute=240),
    )
