"""Which of a record's things a short proposal takes by name: what it chose, or what it turned down."""

from collections.abc import Iterator

from fieldguide.toolsets.architecture.adr.ground import Ground
from fieldguide.toolsets.architecture.adr.kinds import KIND_OF
from fieldguide.toolsets.architecture.adr.names import GENERAL
from fieldguide.toolsets.architecture.adr.pointed import CHANGES, Pointed
from fieldguide.toolsets.architecture.adr.refusals import Thing
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence

OWN_KIND = frozenset(("API style",))  # of which a system has one, wherever it is offered


class Preference:
    """A short proposal beside what a record chose and turned down by name."""

    def __init__(self, point: Pointed, ground: Ground) -> None:
        self._point, self._ground = point, ground
        self._cores = frozenset[str]().union(*(claim.core for claim in point.things)) & point.taken
        named = (point.names | (self._cores & KIND_OF.keys())) & point.taken
        moved = frozenset[str]().union(*(claim.role for claim in point.things)) - self._cores
        self._named = named - moved if CHANGES.match(point.text) else named

    @property
    def takes_its_choice(self) -> bool:
        """Whether all that the proposal takes by name was chosen by the record."""
        taken = self._named & self._cores
        return bool(taken) and taken <= self._ground.chosen

    def dismissed(self) -> Iterator[Thing]:
        """What the record turned down in so many words, and the proposal takes."""
        for each in self._ground.dismissed:
            own = each.terms - GENERAL
            if each.is_past or not each.names:
                is_taken = bool(own) and own <= self._point.taken and not own & self._ground.core
            else:
                is_taken = bool(each.names & self._named - self._ground.chosen)
            if is_taken and (not each.is_limited or self._is_within(each.within)):
                yield Thing(each.terms, each.sentence)

    def rejected_by_name(self) -> Iterator[Thing]:
        """Options that were turned down and that the proposal takes, though it names what was chosen beside them."""
        chosen = {KIND_OF[term] for term in self._ground.chosen if term in KIND_OF}
        is_beside = bool(self._ground.chosen & self._named)
        for option in self._ground.options:
            named = option.terms & self._named & KIND_OF.keys() - self._ground.chosen
            if any(
                KIND_OF[term] in chosen and (KIND_OF[term] in OWN_KIND or (is_beside and term in self._cores))
                for term in named
            ):
                yield option

    def is_elsewhere(self) -> bool:
        """Whether what the proposal takes by name is forbidden by the record, but only in another place."""
        limited = [each for each in self._ground.dismissed if each.is_limited and each.names & self._named]
        return bool(limited) and not any(self._is_within(each.within) for each in limited)

    def fits_choice_as_well(self, sentence: Sentence) -> bool:
        """Whether all that the proposal shares with a rejected option it shares with what was chosen instead."""
        options = [option.terms for option in self._ground.options if option.sentence == sentence]
        if not options or sentence.line == self._ground.title_line:
            return False
        shared = options[0] & self._point.taken
        return bool(shared) and any(shared <= terms for terms in self._ground.variants)

    def _is_within(self, within: frozenset[str]) -> bool:
        return bool((within or self._ground.lead) & self._point.taken - GENERAL)
