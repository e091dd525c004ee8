"""What is stale, for those who answer calls: one query, nothing is judged and no history is read."""

from collections.abc import Sequence
from contextlib import suppress

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import FieldguideError
from fieldguide.spine.answers.stale_places import StalePlace
from fieldguide.staleness.ties.store import TieStore
from fieldguide.staleness.ties.unkept import stale_in
from fieldguide.storage.port import Database

FINDING, TASK = "finding://", "task://"
"""What the addresses of findings and tasks begin with."""
MOST_TOLD = 2
LONGEST_TOLD = 240


class States:
    """The stale places of a project as of its last upkeep; with its files, tasks are judged by content."""

    def __init__(self, database: Database, namespace: str, project: ConfinedFolder | None = None) -> None:
        self._project = project
        self._found: dict[str, list[StalePlace]] = {}
        with suppress(FieldguideError), database.reading() as transaction:
            self._found = TieStore(transaction, namespace).stale()

    def of(self, document: str, start: int = 0, end: int = 0) -> Sequence[StalePlace]:
        """What is stale of a document, or of some of its lines."""
        found = self._found.get(document, ())
        return [each for each in found if not start or start <= each.line <= end] if found else ()

    def told(self, document: str, start: int = 0, end: int = 0, text: str = "") -> str:
        """The same in one short line; empty where all is fresh. Of a task the text must be given."""
        found = self.of(document, start, end)
        if self._project is not None and document.startswith(TASK) and text:
            found = [*stale_in(self._project, document, text)]
        more = [f"and {len(found) - MOST_TOLD} more"] if len(found) > MOST_TOLD else []
        said = " | ".join([*(each.told() for each in found[:MOST_TOLD]), *more])
        return said if len(said) <= LONGEST_TOLD else f"{said[: LONGEST_TOLD - 1]}…"

    def all(self) -> list[StalePlace]:
        """All of it, by document and line."""
        return [place for document in sorted(self._found) for place in self._found[document]]
