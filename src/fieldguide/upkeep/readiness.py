"""What a call over everything waits for: every toolset that shares the index."""

from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING, Any

from fieldguide.spine.contract import Call
from fieldguide.toolset import Toolset
from fieldguide.upkeep.late import LateUpkeep

if TYPE_CHECKING:
    from fieldguide.search.early.standing import Standing

READY_SECONDS = 4.0  # for all of them together


class Readiness:
    """The upkeeps of an app, once its toolsets are made."""

    def __init__(self) -> None:
        self._kept: list[LateUpkeep[Any]] = []

    def introduce(self, toolsets: Iterable[Toolset]) -> None:
        """Let the upkeeps of these toolsets know of each other."""
        upkeeps: list[Any] = [each.upkeep for each in toolsets]
        self._kept = [each for each in upkeeps if isinstance(each, LateUpkeep)]
        for each in self._kept:
            each.meet(self._kept)

    def is_at_work(self) -> bool:
        """Whether any of them makes a pass, or has one before it."""
        return any(each.is_at_work() for each in self._kept)

    def ready(self, call: Call, question: str) -> "tuple[Standing | None, str]":
        """Have what a question is likely about in the index first; how far all of it is, and what it can't take in."""
        until = monotonic() + READY_SECONDS
        for each in self._kept:
            each.expect()
        standings = [each.ready_for(call, question, until) for each in self._kept]
        found = [standing for standing in standings if standing is not None]
        lacks = "; ".join(sorted({each.lack for each in self._kept if each.lack}))
        if not found:
            return None, lacks
        whole = found[0]._replace(done=sum(each.done for each in found), total=sum(each.total for each in found))
        return whole, lacks
