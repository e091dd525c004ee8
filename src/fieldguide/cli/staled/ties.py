"""What documents and findings of a project cite of its code, judged now, for `fieldguide stale`."""

import os
from collections.abc import Sequence

from fieldguide.app import namespace_of, open_database, open_engine
from fieldguide.config import Settings, project_folder
from fieldguide.discoveries import SCHEMA
from fieldguide.errors import Misconfiguration
from fieldguide.spine.answers.stale_places import StalePlace
from fieldguide.spine.journal import Journal
from fieldguide.spine.metrics import Metrics
from fieldguide.staleness.ties.asking import States
from fieldguide.staleness.ties.upkeep import bring_up_ties
from fieldguide.toolsets.context.tree.listing import list_files

SURE_ENOUGH = 0.8


def stale_ties(settings: Settings, paths: Sequence[str], *, with_hints: bool) -> list[StalePlace]:
    """The stale places of some documents and folders, or of everything that is tied to the code."""
    project, namespace, journal = project_folder(settings), namespace_of(settings), Journal(Metrics())
    wanted = [_inside(project.root, path) for path in paths]
    database = open_database(settings, [SCHEMA], journal)
    try:
        engine = open_engine(settings, journal)
        bring_up_ties(engine.database, database, namespace, project, list_files(project).paths)
        found = States(engine.database, namespace).all()
    finally:
        database.close()
    sure = [each for each in found if with_hints or each.confidence >= SURE_ENOUGH]
    return [each for each in sure if not wanted or _is_below(each.document, wanted)]


def _inside(root: str, path: str) -> str:
    """A path as the project writes it."""
    if not os.path.lexists(path):
        raise Misconfiguration(f"There is no file or folder {path!r}.")
    inner = os.path.relpath(os.path.realpath(path), root)
    if inner == ".." or inner.startswith("../"):
        raise Misconfiguration(f"{path!r} is outside of the project {root}.")
    return inner


def _is_below(document: str, wanted: Sequence[str]) -> bool:
    return any(each == "." or document == each or document.startswith(f"{each}/") for each in wanted)
