"""The part of `fieldguide stale` that looks for what documents name and is gone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fieldguide.errors import Misconfiguration, Unreadable

if TYPE_CHECKING:
    from fieldguide.config import Settings
    from fieldguide.spine.answers.stale_places import StalePlace


def drift_places(
    settings: "Settings", paths: Sequence[str], *, since: str | None, with_hints: bool
) -> "list[StalePlace]":
    """What the documents name that is gone; of some documents, or by the commits after one, only."""
    from fieldguide.app import namespace_of, open_engine
    from fieldguide.config import project_folder
    from fieldguide.drift.check import drifted
    from fieldguide.drift.kept import KeptInDatabase
    from fieldguide.drift.telling import as_place
    from fieldguide.spine.journal import Journal
    from fieldguide.spine.metrics import Metrics

    kept = KeptInDatabase(open_engine(settings, Journal(Metrics())).database, namespace_of(settings))
    project = project_folder(settings)
    try:
        found = drifted(project, kept, since=since)
    except Unreadable as error:
        if since is None:
            raise
        raise Misconfiguration(f"{since!r} is no commit, tag or branch here.") from error
    told = [each for each in found if each.is_alarm or (with_hints and not each.allowed)]
    return [as_place(each) for each in told if not paths or _is_among(each.document, paths)]


def _is_among(document: str, paths: Sequence[str]) -> bool:
    named = [path.removeprefix("./").rstrip("/") for path in paths]
    return any(document == path or path in ("", ".") or document.startswith(f"{path}/") for path in named)
