"""What a rule in words comes to: a check, where it holds, and what to do instead."""

from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.norm_objects import Tail
from fieldguide.toolsets.architecture.rules.norms import Norm
from fieldguide.toolsets.architecture.rules.pattern import Check, EveryCheck
from fieldguide.toolsets.architecture.rules.prose import restored
from fieldguide.toolsets.architecture.rules.roles import Scope

CONDITION = re.compile(
    r"\b(?:unless|except when|except if|only if|only when|if (?:you|it|they|the|a)|when (?:you|it|they|the|a)|until)\b",
    re.IGNORECASE,
)


class Reading(NamedTuple):
    """A check, where it holds, and what to do instead."""

    check: Check
    scope: Scope = Scope()
    fix: str = ""


def every(checks: list[Check]) -> Check:
    """One check for several things that are all forbidden."""
    return checks[0] if len(checks) == 1 else EveryCheck(tuple(checks))


def wanted_instead(norm: Norm | None, tail: Tail, spans: tuple[str, ...]) -> str:
    """What the sentence says to do instead."""
    contrasted = norm.wanted if norm else ""
    said = restored(contrasted or tail.wanted, spans).strip(" .,;)")
    is_advice = re.match(
        r"(?:instead,? )?(?:use|call|prefer|inject|return|write|raise|throw|log|go|let|pass|always)\b",
        said,
        re.IGNORECASE,
    )
    return said[:1].upper() + said[1:] if said and (contrasted or is_advice) else ""
