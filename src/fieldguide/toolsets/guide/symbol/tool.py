"""`guide_symbol`: its name, description and schema; the first call imports what it does."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from fieldguide.spine.contract import Pace, Tool, Wording
from fieldguide.spine.schemas import closed_object, text
from fieldguide.toolset import Services, cached, late
from fieldguide.toolsets.guide.budgets import budget, check_asked

if TYPE_CHECKING:
    from fieldguide.symbols.asking import Symbols

CALLS = "fieldguide.toolsets.guide.symbol.calls"
USUAL_BUDGET = 2_000


def tool(services: Services, symbols: "Callable[[], Symbols]") -> Tool:
    """The tool over everything that the code defines."""
    configuration = cached(late(f"{CALLS}:configuration_of", services))
    return Tool(
        name="guide_symbol",
        title="Symbol",
        description="Where a function, class, constant or route is defined, and who calls, imports, overrides and "
        "tests it.",
        input_schema=closed_object(
            "name",
            name=text(description="Name or Class.method"),
            path=text(description="File or folder of the one meant"),
            budget=budget(),
        ),
        run=late(f"{CALLS}:tell_symbol", services, symbols, configuration),
        wording=Wording(check_first=check_asked, is_whole=True, text_says_more=True),
        pace=Pace(timeout_seconds=30.0, calls_per_minute=240),
        reads_index=True,
    )
