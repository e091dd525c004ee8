"""What `context_search` says beside its results: that the index is not whole, what it lacks, why nothing was found."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from fieldguide.discoveries.indexing import parse_source
from fieldguide.search.early.standing import Standing
from fieldguide.search.indexes.store import StoredSource

GREP = "grep_codebase finds exact text at any time."


class Beside(NamedTuple):
    """How the index stands when a question is answered."""

    standing: Standing | None = None
    lack: str = ""

    def indexing(self) -> dict[str, Any]:
        """How far the index is, while it is made."""
        return self.standing.told() if self.standing else {}

    def told(self) -> dict[str, Any]:
        """The fields that an answer carries while its index is not whole."""
        return {**self.indexing(), **({"lacks": self.lack} if self.lack else {})}

    def nothing(self, type_: str, module: str | None, sources: Sequence[StoredSource]) -> dict[str, str]:
        """Why nothing was found, what was searched, and what to try."""
        held = Counter[str]()
        for source in sources:
            held[parse_source(source.name)[0]] += source.documents
        there = ", ".join(f"{count} of {kind}" for kind, count in sorted(held.items()) if count) or "nothing"
        if type_ != "all" or module is not None:
            filters = {"type": None if type_ == "all" else type_, "module": module}
            wanted = " and ".join(f"{name} {value!r}" for name, value in filters.items() if value is not None)
            return {"hint": f"Only {wanted} was searched; in the index are {there}. Try without the filter. {GREP}"}
        return {"hint": f"Searched: {there}; none fits. Try other or fewer words. {GREP}"}
