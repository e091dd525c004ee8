"""The upkeep of ties for those who keep an index: documents of the project and what was found out about it."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.discoveries.discovery import ARCHIVED, CONFIRMED, Discovery, DiscoveryRepository
from fieldguide.errors import FieldguideError
from fieldguide.project_history.keeping import history_of
from fieldguide.staleness.notes import is_commit
from fieldguide.staleness.ties.asking import FINDING
from fieldguide.staleness.ties.keeping import TieKeeper, Unfiled
from fieldguide.storage.port import Database

MOST_FILES = 20


def bring_up_ties(
    index: Database, stored: Database, namespace: str, project: ConfinedFolder, paths: Iterable[str]
) -> int:
    """Bring the ties of a project up to date; how many places are stale. `stored` is where findings are kept."""
    found: list[Discovery] = []
    with suppress(FieldguideError), stored.reading() as transaction:
        found = [each for each in DiscoveryRepository(transaction, namespace).all() if each.review != ARCHIVED]
    history = history_of(index, namespace, project.root)
    return TieKeeper(index, namespace, project).bring_up(paths, [*map(as_text, found)], history)


def as_text(discovery: Discovery) -> Unfiled:
    """A finding as a text: its words, and below them the files that it rests on."""
    files: Any = discovery.evidence.get("files") or ()
    listed: list[Any] = cast("Any", files) if isinstance(files, list) else []
    named = [each for each in listed if isinstance(each, str)]
    quoted = [each if "#L" in each or ":" in each else f"`{each}`" for each in named[:MOST_FILES]]
    text = "\n".join([discovery.content, *quoted])
    if discovery.review == CONFIRMED:  # it held then, whatever was there before
        return Unfiled(f"{FINDING}{discovery.id}", text, discovery.reviewed_at)
    commit: Any = discovery.evidence.get("commit")
    return Unfiled(f"{FINDING}{discovery.id}", text, discovery.date, commit if is_commit(commit) else "")
