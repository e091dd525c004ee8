"""How far an index is, for an answer that comes before it is whole."""

from typing import Any, NamedTuple


class Standing(NamedTuple):
    """How many documents are in the index as they are now, of how many; an answer that carries it may change."""

    done: int
    total: int

    def told(self) -> dict[str, Any]:
        """What an answer says of it beside its own fields."""
        return {"indexing": {"done": self.done, "total": self.total}}

    def sentence(self) -> str:
        """That, in words."""
        return (
            f"indexing: {self.done} of {self.total} files are in the index so far. "
            "This answer may lack some; ask again in a moment."
        )
