"""What is stale, for those who answer calls: one query, nothing is judged and no history is read."""

from collections.abc import Sequence
from contextlib import suppress

from fieldguide.errors import FieldguideError
from fieldguide.spine.answers.stale_places import StalePlace
from fieldguide.staleness.ties.store import TieStore
from fieldguide.storage.port import Database

FINDING = "finding://"
"""What the address of a finding begins with."""
MOST_TOLD = 2
LONGEST_TOLD = 240


class States:
    """The stale places of a project as of its last upkeep."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._found: dict[str, list[StalePlace]] = {}
        with suppress(FieldguideError), database.reading() as transaction:
            self._found = TieStore(transaction, namespace).stale()

    def of(self, document: str, start: int = 0, end: int = 0) -> Sequence[StalePlace]:
        """What is stale of a document, or of some of its lines."""
        found = self._found.get(document, ())
        return [each for each in found if not start or start <= each.line <= end] if found else ()

    def told(self, document: str, start: int = 0, end: int = 0) -> str:
        """The same in one short line; empty where all is fresh."""
        found = self.of(document, start, end)
        more = [f"and {len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else []
        said = " | ".join([*(each.told() for each in found[:MOST_TOLD]), *more])
        return said if len(said) <= LONGEST_TOLD else f"{said[: LONGEST_TOLD - 1]}…"

    def all(self) -> list[StalePlace]:
        """All of it, by document and line."""
        return [place for document in sorted(self._found) for place in self._found[document]]
