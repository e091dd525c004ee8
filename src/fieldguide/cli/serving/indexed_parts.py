"""How much of the project is in the index, for the page."""

from collections.abc import Sequence
from typing import Any

from fieldguide.app import App, namespace_of
from fieldguide.dashboard.indexed import Indexed, Shelf
from fieldguide.discoveries.discovery import DiscoveryRepository
from fieldguide.errors import FieldguideError
from fieldguide.upkeep import LateUpkeep

KINDS = {
    "documents": ("document", "documents", "/documents"),
    "code": ("file of code", "files of code", ""),
    "architecture": ("decision or pattern", "decisions and patterns", "/decisions"),
}
KEEPERS = ("context", "guide")
FINDINGS = ("finding", "findings", "/findings")


def indexed_parts(app: App) -> Indexed:
    """What is in the index now, and how far it is while it is made; what went wrong, where it can't be told."""
    kept = _upkeeps(app)
    try:
        shelves, standing = _shelves(app), _standing(kept)
    except FieldguideError as error:
        return Indexed(problem=error.message)
    lacks = sorted({each.lack for each in kept if each.lack})
    return Indexed(shelves, any(each.is_at_work() for each in kept), standing, "; ".join(lacks))


def _upkeeps(app: App) -> list[LateUpkeep[Any]]:
    upkeeps: list[Any] = [each.upkeep for each in app.toolsets]
    return [each for each in upkeeps if isinstance(each, LateUpkeep)]


def _standing(kept: Sequence[LateUpkeep[Any]]) -> tuple[int, int] | None:
    """How many files are in the index, of how many; None where no first pass is under way."""
    found = [standing for each in kept if (standing := each.first_standing()) is not None]
    total = sum(each.total for each in found)
    return (sum(each.done for each in found), total) if total else None


def _shelves(app: App) -> tuple[Shelf, ...]:
    engine = app.engine()
    shelves = [
        Shelf(one, many, sum(source.documents for source in engine.sources(kind)), path)
        for kind, (one, many, path) in KINDS.items()
    ]
    if any(toolset.name in KEEPERS for toolset in app.toolsets):
        with app.database.reading() as transaction:
            found = DiscoveryRepository(transaction, namespace_of(app.settings)).count()
        shelves.append(Shelf(FINDINGS[0], FINDINGS[1], found, FINDINGS[2]))
    return tuple(shelves)
