"""Before an index is whole: what a question is likely about is indexed first, and how far the rest is goes with it."""

from typing import Any

from fieldguide.search.early.standing import Standing
from fieldguide.spine.contract import Call
from fieldguide.toolset import Services
from fieldguide.upkeep import BESIDE


def made_ready(services: Services, call: Call, question: str) -> tuple[Standing | None, str]:
    """How far that is which lacks most, of all that share the index, and what can't be in it; nothing where all is."""
    found: list[Standing] = []
    lacks: set[str] = set()
    for upkeep in list(BESIDE.get(services.engine, ())):
        made: Any = upkeep.made()
        if hasattr(made, "backlog") and (standing := upkeep.ready(call, made, question=question)) is not None:
            found.append(standing)
        lacks.update([upkeep.lack] if upkeep.lack else ())
    return max(found, key=lambda each: (each.total - each.done, each), default=None), "; ".join(sorted(lacks))
