"""What speaks for or against a short proposal: what it plainly says comes before what its words suggest."""

from collections.abc import Iterator, Sequence

from fieldguide.toolsets.architecture.adr.contrast import Contrast
from fieldguide.toolsets.architecture.adr.finding import Evidence, Way
from fieldguide.toolsets.architecture.adr.ground import Ground
from fieldguide.toolsets.architecture.adr.pointed import Pointed
from fieldguide.toolsets.architecture.adr.preference import Preference
from fieldguide.toolsets.architecture.adr.ranking import Weights

TAKEN: tuple[Way, ...] = ("takes what it rejected", "turns its rule")
OTHER: tuple[Way, ...] = ("other technology", "other answer")


def weigh_short(point: Pointed, found: Sequence[Evidence], ground: Ground, weights: Weights) -> list[Evidence]:
    """All findings about a short proposal; `found` are those that a long one would have too."""
    contrast, preference = Contrast(point, ground, weights), Preference(point, ground)
    plain = [*_contrasts(contrast, point), *_preferences(preference, point)]
    kept = [
        finding
        for finding in found
        if finding.is_against
        or (not contrast.is_topic(finding.theirs) and (finding.way != "builds on it" or contrast.uses_its_names))
    ]
    if point.is_turned_twice:
        kept = [finding for finding in kept if finding.way not in ("drops its choice", "turns its rule")]
    if any(finding.way == "avoids what it rejected" for finding in plain):
        return [finding for finding in (*kept, *plain) if finding.way not in TAKEN]
    return [finding for finding in (*kept, *plain) if not _is_explained(finding, preference)]


def _is_explained(finding: Evidence, preference: Preference) -> bool:
    """Whether what looks like a conflict is the record's own choice."""
    if finding.way in OTHER:
        return preference.takes_its_choice or preference.is_elsewhere()
    return finding.way == "takes what it rejected" and preference.fits_choice_as_well(finding.theirs)


def _preferences(preference: Preference, point: Pointed) -> Iterator[Evidence]:
    for thing in (*preference.dismissed(), *preference.rejected_by_name()):
        yield Evidence("takes what it rejected", True, 0.85, thing.sentence, point.text, thing.detail)


def _contrasts(contrast: Contrast, point: Pointed) -> Iterator[Evidence]:
    for thing in contrast.refusals():
        yield Evidence("takes what it rejected", True, 0.8, thing.sentence, point.text, thing.detail)
    for thing in (*contrast.drops(), *contrast.changes()):
        yield Evidence("drops its choice", True, 0.8, thing.sentence, point.text)
    for thing in (*contrast.broken_limits(), *contrast.other_figures(), *contrast.opposites()):
        yield Evidence("turns its rule", True, 0.7, thing.sentence, point.text)
    for thing, kind in contrast.other_names():
        yield Evidence("other technology" if kind else "other answer", True, 0.75, thing.sentence, point.text, kind)
    for thing in contrast.other_ways():
        yield Evidence("other answer", True, 0.7, thing.sentence, point.text)
    for thing in contrast.avoided():
        yield Evidence("avoids what it rejected", False, 0.75, thing.sentence, point.text, thing.detail)
    for thing in (*contrast.same_ways(), *contrast.agreements()):
        yield Evidence("builds on it", False, 0.65, thing.sentence, point.text)
