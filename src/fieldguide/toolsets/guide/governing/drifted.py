"""Documents that name what a file no longer has: whoever edits the file is the one to mend them."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from fieldguide.drift.judging import Drift
from fieldguide.drift.keeping import kept_drift
from fieldguide.drift.telling import commit_line
from fieldguide.errors import FieldguideError
from fieldguide.search.engine import SearchEngine
from fieldguide.toolset import Services

MOST_TOLD = 6


def drifted_from(services: Services, engine: SearchEngine, places: Sequence[str]) -> list[tuple[Drift, str]]:
    """What documents name and these files or folders had, as kept with the index, each with the reason to tell it."""
    with suppress(FieldguideError):
        found = kept_drift(engine.database, services.namespace, services.project)
        return list(_of(found, places))[:MOST_TOLD]
    return []


def _of(found: Sequence[Drift], places: Sequence[str]) -> Iterator[tuple[Drift, str]]:
    inside = tuple(f"{place}/" for place in places if place)
    for each in found:
        if each.source in places or each.source.startswith(inside or "//"):
            now = f", perhaps {each.successor} now" if each.successor else ""
            yield each, f"names `{each.name}`, gone with {commit_line(each.commit)}{now}"
