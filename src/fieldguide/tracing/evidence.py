"""What speaks for a link between a decision and a file, how sure that makes it, and how it is told.

A commit tells little by itself: it changes much. So what commits say counts by how few files they change, and more
where the decision also speaks of the file. The weights were chosen on four repositories and judged on two others that
nobody had looked at (docs/decisions/0041).
"""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

LARGEST_COMMIT = 30  # files: a larger one says nothing of one of them
FEW_FILES = 6
MOST_COUNTED = 3
MOST_TOLD = 3
BIAS = -1.0
STRONG, NEXT_STRONG = 1.7, 0.8
TIMES = 0.3  # for each time more that the decision names the symbol that it names most
WEAK, NEXT_WEAK = 0.9, 0.5
LIKENESS = 1.0
SAID, SAID_BELOW = 2.2, 0.6
BORN = 0.8
AGAIN = 0.4
LARGER = 0.5  # so much less counts what a commit of more files says
LEAST_TOLD_LIKENESS = 0.5


class Evidence(NamedTuple):
    """Symbols of a decision that only the file defines, and what commits tell.

    `said` and `born` are the code files of the smallest commit that names the decision, or began it; 0 for none.
    """

    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    times: int = 0
    said: int = 0
    is_in_subject: bool = False
    commit: str = ""
    born: int = 0
    together: int = 0
    likeness: float = 0.0


def confidence_of(evidence: Evidence) -> float:
    """How likely a link is, from 0 to 1."""
    score = BIAS + LIKENESS * evidence.likeness
    score += _counted(evidence.strong, STRONG, NEXT_STRONG) + _counted(evidence.weak, WEAK, NEXT_WEAK)
    score += TIMES * min(max(evidence.times - 1, 0), MOST_COUNTED)
    if evidence.said:
        score += _by_size(evidence.said, SAID if evidence.is_in_subject else SAID_BELOW)
    elif evidence.born:  # the commit that begins a decision mostly names it: that counts once
        score += _by_size(evidence.born, BORN)
    score += AGAIN * min(max(evidence.together - 1, 0), MOST_COUNTED)
    return 1.0 / (1.0 + exp(-score))


def _counted(names: Sequence[str], first: float, following: float) -> float:
    return first + following * min(len(names) - 1, MOST_COUNTED) if names else 0.0


def _by_size(files: int, weight: float) -> float:
    return weight if files <= FEW_FILES else weight * LARGER


def reason_of(evidence: Evidence) -> str:
    """Why a link is likely, in words."""
    parts: list[str] = []
    if names := (*evidence.strong, *evidence.weak):
        parts.append(f"it names {_told(names)}, which only this file defines")
    if evidence.said:
        parts.append(f"changed by commit {evidence.commit[:8]}, whose message names it")
    if evidence.born:
        parts.append("changed by the commit that began it")
    if evidence.together > 1:
        parts.append(f"changed with it {evidence.together} times")
    if evidence.likeness >= LEAST_TOLD_LIKENESS:
        parts.append("called like its title")
    return "; ".join(parts)


def _told(names: Sequence[str]) -> str:
    told = ", ".join(f"`{name}`" for name in names[:MOST_TOLD])
    return f"{told} and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else told
