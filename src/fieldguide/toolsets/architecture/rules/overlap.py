"""Whether two checks would tell the same thing twice."""

from fieldguide.toolsets.architecture.rules.globs import import_matcher, name_matcher
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, EveryCheck, ImportCheck


def overlaps(known: Check, other: Check) -> bool:
    """Whether what the other check finds first is what a known one finds too."""
    if known == other:
        return True
    if isinstance(known, EveryCheck):
        return any(overlaps(each, other) for each in known.checks)
    if isinstance(other, EveryCheck):
        return any(overlaps(known, each) for each in other.checks)
    if isinstance(known, CallCheck) and isinstance(other, CallCheck):
        return known.is_required == other.is_required and name_matcher(known.globs)(other.globs[0])
    if isinstance(known, ImportCheck) and isinstance(other, ImportCheck):
        return known.is_required == other.is_required and import_matcher(known.globs)(other.globs[0])
    return False
