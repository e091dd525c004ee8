"""What the page shows of decisions and patterns and no tool gives: all of them, read."""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote

from fieldguide.decisions.reading.record import Record
from fieldguide.picturing.decisions import Recorded
from fieldguide.project_history.change import Change
from fieldguide.project_history.history import History
from fieldguide.project_history.keeping import history_of
from fieldguide.toolset import Services
from fieldguide.toolsets.architecture.library import Document
from fieldguide.toolsets.architecture.resources import SCHEME
from fieldguide.toolsets.architecture.roots import ADR
from fieldguide.toolsets.architecture.rules import Pattern

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.upkeep import ArchitectureUpkeep
    from fieldguide.upkeep import LateUpkeep

READ_SECONDS = 3.0
WAIT_SECONDS = 0.5  # what the history does not tell by then, the next look has
EVERY_COMMIT = 1_000_000
MOST_COMMITS = 20


def decisions(upkeep: "LateUpkeep[ArchitectureUpkeep]") -> list[Recorded] | None:
    """Every decision under a name of its own; one that tells no day has that of its first commit.

    None while very many of them are read for the first time.
    """
    found = upkeep.made().decisions().records_within(READ_SECONDS)
    if found is None:
        return None
    days = _first_days(upkeep.services, [record for _, record in found if not record.date])
    return [Recorded(_name(document), document.uri, record, days.get(record.path)) for document, record in found]


def decision_history(upkeep: "LateUpkeep[ArchitectureUpkeep]", path: str) -> list[Change]:
    """The latest commits that changed a decision's file, newest first."""
    services = upkeep.services
    return _history(services).commits_of(path, MOST_COMMITS)


def patterns(upkeep: "LateUpkeep[ArchitectureUpkeep]") -> list[tuple[Document, Pattern]]:
    """Every pattern document with its rules."""
    return upkeep.made().patterns().all()


def _name(document: Document) -> str:
    return unquote(document.uri.removeprefix(f"{SCHEME}://{ADR}/"))


def _history(services: Services) -> History:
    database = services.engine().database
    return history_of(database, services.namespace, services.project.root, wait_seconds=WAIT_SECONDS)


def _first_days(services: Services, records: Iterable[Record]) -> dict[str, date]:
    """The days on which records came into the history; none of a history that is cut off, as it would be wrong."""
    undated = [record.path for record in records]
    if not undated:
        return {}
    history = _history(services)
    commits = {path: history.commits_of(path, EVERY_COMMIT) for path in undated} if history.head else {}
    return {path: datetime.fromtimestamp(each[-1].seconds, UTC).date() for path, each in commits.items() if each}
