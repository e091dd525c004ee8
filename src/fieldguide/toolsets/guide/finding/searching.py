"""The list that answers a question: candidates of code and of prose, scored on one scale, made hits."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.discoveries.indexing import DISCOVERIES
from fieldguide.search.fitness import CODE_FLOOR, DOCUMENT_FLOOR, RECORD_FLOOR, Terms
from fieldguide.search.misfits import Floored
from fieldguide.search.mixed.asked import Asked
from fieldguide.search.mixed.pools import LOOKED_AT, Candidate, Pool, Pooled, pooled
from fieldguide.spine.contract import Call
from fieldguide.toolset import Services
from fieldguide.toolsets.guide.finding.calibration import log_odds
from fieldguide.toolsets.guide.finding.features import Features, Placed, features_of
from fieldguide.toolsets.guide.finding.listing import Listed, listed, scored
from fieldguide.toolsets.guide.finding.shelves import ARCHITECTURE, DOCUMENTS, SOURCE_CODE, Shelves
from fieldguide.toolsets.guide.finding.tasks import tasks_found
from fieldguide.toolsets.guide.items import CODE, DECISION, DOCUMENT, FINDING, KINDS, PATTERN, SPEC, TASK, TEST

OWNERS = {
    SOURCE_CODE: frozenset((CODE, TEST)),
    DOCUMENTS: frozenset((DOCUMENT, SPEC)),
    ARCHITECTURE: frozenset((DECISION, PATTERN)),
    DISCOVERIES: frozenset((FINDING,)),
}
MORE_LOOKED_AT = 400  # where only a part of a pool is asked for


class Wanted(NamedTuple):
    """What a caller asks for; no kinds mean all of them."""

    query: str
    kinds: frozenset[str]
    limit: int

    def owners(self) -> list[str]:
        """Those whose sources hold what is asked for; a decision may be a document, and has a source of its own."""
        return [owner for owner, kinds in OWNERS.items() if not self.kinds or self.kinds & kinds]

    def is_partial(self) -> bool:
        """Whether a pool holds kinds that are not asked for beside those that are."""
        whole = frozenset[str]().union(*(OWNERS[owner] for owner in self.owners()))
        return bool(self.kinds) and not self.kinds >= whole


class Found(NamedTuple):
    """The hits of a question, likeliest first, and its terms."""

    hits: list[Listed]
    terms: Terms


class Candidates(NamedTuple):
    """What may answer a question, with what is known of each, and the question's terms."""

    placed: list[Placed]
    features: list[Features]
    terms: Terms


def find(services: Services, shelves: Shelves, wanted: Wanted, call: Call) -> Found:
    """The hits of a question."""
    found = candidates(services, shelves, wanted, call)
    pairs = zip(found.placed, log_odds(found.features), strict=True)
    likely = (scored(each, odds) for each, odds in pairs if not wanted.kinds or each.kind in wanted.kinds)
    return Found(listed(likely, wanted.limit), found.terms)


def candidates(services: Services, shelves: Shelves, wanted: Wanted, call: Call) -> Candidates:
    """What may answer a question, of all kinds that were looked through."""
    asked = Asked(wanted.query)
    found = _pooled(services, shelves, wanted, asked, call)
    terms = Terms(found.weights)
    placed = [*_placed(found, shelves, terms)]
    if not wanted.kinds or TASK in wanted.kinds:
        placed += tasks_found(services, call, terms)
    return Candidates(placed, features_of(placed, asked, terms), terms)


def named_kinds(given: list[str]) -> frozenset[str]:
    """The kinds that are meant, singular or plural; the first that is none is given back as it was written."""
    plurals = {f"{kind}s": kind for kind in KINDS}
    lowered = [each.strip().lower() for each in given]
    return frozenset(plurals.get(each, each) for each in lowered)


def _pooled(services: Services, shelves: Shelves, wanted: Wanted, asked: Asked, call: Call) -> Pooled:
    owners = wanted.owners()
    code = shelves.of(*(owner for owner in owners if owner == SOURCE_CODE))
    records = shelves.of(*(owner for owner in owners if owner == DISCOVERIES))
    documents = shelves.of(*(owner for owner in owners if owner in (DOCUMENTS, ARCHITECTURE)))
    pools = (
        Pool(code, (Floored(frozenset(code), CODE_FLOOR),)),
        Pool((*documents, *records), (Floored(frozenset(documents), DOCUMENT_FLOOR),)),
    )
    looked_at = MORE_LOOKED_AT if wanted.is_partial() else LOOKED_AT
    return pooled(
        services.engine(),
        wanted.query,
        pools,
        names=asked.names,
        looked_at=looked_at,
        cancellation=call.cancellation,
    )


def _placed(found: Pooled, shelves: Shelves, terms: Terms) -> Iterator[Placed]:
    code, prose = found.pools
    for candidate in (*code, *prose):
        path = shelves.path_of(candidate)
        kind = shelves.kind_of(candidate, path)
        if kind != FINDING or _fits(candidate, terms):
            yield Placed(candidate, path, kind, is_code=kind in (CODE, TEST))


def _fits(candidate: Candidate, terms: Terms) -> bool:
    """Whether a finding fits by itself: they are short, and about many things."""
    held = terms.share((candidate.document.title, candidate.passage.text))
    return RECORD_FLOOR.asked(len(terms.weights)).fits([(candidate.likeness, held)], len(terms.weights))
