"""What the page shows of findings and no tool gives: some of them with their places and staleness, and the review."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fieldguide.discoveries.discovery import ARCHIVED, Discovery, DiscoveryRepository
from fieldguide.discoveries.indexing import review as keep_review
from fieldguide.discoveries.reviewing import Finding, Review, ReviewRepository, Wanted, hash_of
from fieldguide.errors import NotFound
from fieldguide.spine.answers.cited_files import cited_files
from fieldguide.staleness.ties.asking import FINDING, States
from fieldguide.toolset import Services
from fieldguide.toolsets.context.discovery_places import cited_places

if TYPE_CHECKING:
    from fieldguide.toolsets.context.upkeep import ContextUpkeep
    from fieldguide.upkeep import LateUpkeep

GONE = "This finding is not here any more."


def findings(upkeep: "LateUpkeep[ContextUpkeep]", wanted: Wanted) -> tuple[list[Finding], int]:
    """Some findings, newest first, and how many there are of the same."""
    services = upkeep.services
    with services.database.reading() as transaction:
        repository = ReviewRepository(transaction, services.namespace)
        found, total = repository.page(wanted), repository.count(wanted)
    return _shown(services, found), total


def stale_findings(upkeep: "LateUpkeep[ContextUpkeep]") -> list[Finding]:
    """The findings of which something no longer holds, newest first."""
    services = upkeep.services
    known = {
        each.document.removeprefix(FINDING) for each in _states(services).all() if each.document.startswith(FINDING)
    }
    with services.database.reading() as transaction:
        repository = DiscoveryRepository(transaction, services.namespace)
        found = [each for identity in known if (each := repository.find(identity)) is not None]
    shown = _shown(services, sorted(found, key=lambda each: each.created_at, reverse=True))
    return [each for each in shown if each.is_stale and each.discovery.review != ARCHIVED]


def finding_counts(upkeep: "LateUpkeep[ContextUpkeep]") -> dict[str, int]:
    """How many findings there are in each state of review."""
    with upkeep.services.database.reading() as transaction:
        return ReviewRepository(transaction, upkeep.services.namespace).counts()


def review(upkeep: "LateUpkeep[ContextUpkeep]", identity: str, state: str, by: str) -> Discovery:
    """Keep what a person says of a finding, with what of it was stale then."""
    services = upkeep.services
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    verdict = Review(state, now, by, hash_of(_states(services).of(f"{FINDING}{identity}")))
    found = keep_review(services.database, services.engine(), services.namespace, identity, verdict)
    if found is None:
        raise NotFound(GONE)
    return found


def _states(services: Services) -> States:
    return States(services.engine().database, services.namespace)


def _shown(services: Services, found: Sequence[Discovery]) -> list[Finding]:
    states, files = _states(services), cited_files(services.project)
    shown: list[Finding] = []
    for each in found:
        cited = cited_places(services.project, files, each.content, each.evidence)
        places = cited.get("citations") or [place for place in (cited.get("citation"),) if place]
        shown.append(Finding(each, tuple(places), tuple(states.of(f"{FINDING}{each.id}"))))
    return shown
