"""Finds stale citations and drifted documents of a whole project for `fieldguide stale`."""

from collections.abc import Sequence

from fieldguide.app import open_database, open_engine
from fieldguide.files.listing import list_files
from fieldguide.knowledge.findings import SCHEMA
from fieldguide.knowledge.links.stale import StaleStates, update_citations
from fieldguide.settings.config import Settings, find_namespace, open_project_folder
from fieldguide.spine.journal import Journal, Metrics
from fieldguide.text.citation import StalePlace
from fieldguide.text.errors import Misconfiguration, Unreadable


def find_drift(
    settings: "Settings", paths: Sequence[str], *, since: str | None, with_hints: bool
) -> "list[StalePlace]":
    """What the documents name that is gone; of some documents, or by the commits after one, only."""
    from fieldguide.app import open_engine
    from fieldguide.knowledge.links.drift import find_drift, to_stale_place
    from fieldguide.knowledge.links.project_names import DatabaseDriftCache
    from fieldguide.settings.config import find_namespace, open_project_folder
    from fieldguide.spine.journal import Journal, Metrics

    kept = DatabaseDriftCache(open_engine(settings, Journal(Metrics())).database, find_namespace(settings))
    project = open_project_folder(settings)
    try:
        found = find_drift(project, kept, since=since)
    except Unreadable as error:
        if since is None:
            raise
        raise Misconfiguration(f"{since!r} is no commit, tag or branch here.") from error
    told = [each for each in found if each.is_alarm or (with_hints and not each.allowed)]
    return [to_stale_place(each) for each in told if not paths or is_below(each.document, paths)]


SURE_ENOUGH = 0.8


def find_stale_citations(settings: Settings, paths: Sequence[str], *, with_hints: bool) -> list[StalePlace]:
    """The stale places of some documents and folders, or of everything that is tied to the code."""
    project = open_project_folder(settings)
    namespace = find_namespace(settings)
    journal = Journal(Metrics())
    database = open_database(settings, [SCHEMA], journal)
    try:
        engine = open_engine(settings, journal)
        update_citations(engine.database, database, namespace, project, list_files(project).paths)
        found = StaleStates(engine.database, namespace).all()
    finally:
        database.close()
    sure = [each for each in found if with_hints or each.confidence >= SURE_ENOUGH]
    return [each for each in sure if not paths or is_below(each.document, paths)]


def is_below(document: str, wanted: Sequence[str]) -> bool:
    """Whether a document is one of some files, or lies in one of some folders, as the project writes them."""
    return any(each == "." or document == each or document.startswith(f"{each}/") for each in wanted)
