"""What a project's trace lacks as a whole: requirements without a test, decisions that nothing follows, unknown ids."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.tracing.chains.decided import decision_trace, is_followed
from fieldguide.tracing.decisions import is_open
from fieldguide.tracing.families import Family
from fieldguide.tracing.ground import Ground
from fieldguide.tracing.marks import CLAIMS, NAMES
from fieldguide.tracing.reading.ids import is_traced_test
from fieldguide.tracing.store import Placed

UNTESTED, UNFOLLOWED, UNKNOWN = "untested", "unfollowed", "unknown"
MOST_DECISIONS = 500
LEAST_TESTED = 0.2  # of a family: with fewer, tests do not name its ids here, and none of them is missing a test


class Gap(NamedTuple):
    """Something that is missing, and where it would belong."""

    kind: str
    name: str
    path: str
    line: int
    why: str


class Summary(NamedTuple):
    """How much is traced, and every gap."""

    requirements: int
    tested: int
    decisions: int
    followed: int
    gaps: list[Gap]


def summary_of(ground: Ground) -> Summary:
    """The trace of everything that a project defines."""
    families = ground.requirements(ground.store.defined()).values()
    gaps: list[Gap] = []
    requirements = tested = 0
    for family in families:
        proved = _tested(ground, family)
        claimed = ground.store.role_of_family(CLAIMS, family.name)
        if len(proved) < LEAST_TESTED * len(family.ids):
            continue
        requirements, tested = requirements + len(family.ids), tested + len(proved)
        gaps += _untested(family, proved)
        gaps += _unknown(family, claimed)
    held = [row for row in ground.decisions.rows if not is_open(row)][:MOST_DECISIONS]
    unfollowed = [*_unfollowed(ground)]
    return Summary(requirements, tested, len(held), len(held) - len(unfollowed), [*gaps, *unfollowed])


def _tested(ground: Ground, family: Family) -> set[str]:
    """The ids that a test claims or names elsewhere than where they are defined."""
    homes = {home.path for home in family.ids.values()}
    claimed = set(ground.store.role_of_family(CLAIMS, family.name))
    named = [*claimed, *ground.store.role_of_family(NAMES, family.name)]
    found = {
        each.mark.name for each in named if is_traced_test(each.path) and (each.path not in homes or each in claimed)
    }
    return found & set(family.ids)


def _untested(family: Family, proved: set[str]) -> Iterator[Gap]:
    for name, home in family.ids.items():
        if name not in proved:
            yield Gap(UNTESTED, name, home.path, home.mark.line, "no test names it")


def _unknown(family: Family, claimed: list[Placed]) -> Iterator[Gap]:
    for each in claimed:
        if each.mark.name not in family.ids and is_traced_test(each.path):
            why = f"{each.mark.said or 'a test'} claims it, and nothing defines it"
            yield Gap(UNKNOWN, each.mark.name, each.path, each.mark.line, why)


def _unfollowed(ground: Ground) -> Iterator[Gap]:
    for row in [row for row in ground.decisions.rows if not is_open(row)][:MOST_DECISIONS]:
        if not is_followed(ground, row, decision_trace(ground, row).links):
            yield Gap(UNFOLLOWED, row.title, row.path, 1, "no code or test follows it")
