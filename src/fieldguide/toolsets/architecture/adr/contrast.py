"""What a short proposal does to one record: take what it refused, drop its choice, break its rule, or build on it."""

from collections.abc import Iterator

from fieldguide.toolsets.architecture.adr.amounts import amounts_in
from fieldguide.toolsets.architecture.adr.frames import ANY_VERB, SAME_VERB, Frame
from fieldguide.toolsets.architecture.adr.ground import Ground
from fieldguide.toolsets.architecture.adr.kinds import CLASS_WORDS, KIND_OF
from fieldguide.toolsets.architecture.adr.names import GENERAL
from fieldguide.toolsets.architecture.adr.opposites import turned_words
from fieldguide.toolsets.architecture.adr.pointed import CHANGES, Pointed
from fieldguide.toolsets.architecture.adr.ranking import Weights
from fieldguide.toolsets.architecture.adr.refusals import Thing
from fieldguide.toolsets.architecture.adr.terms import WORD, terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence

CLASS_TERMS = {kind: frozenset(terms_of(words)) for kind, words in CLASS_WORDS.items()}
NAMED_CLASS = {kind: frozenset(terms_of(kind)) - GENERAL for kind in KIND_OF.values()}
NONE = frozenset[str]()
TECHNOLOGIES = frozenset(KIND_OF)
REFUSED = 0.8
REFUSED_RULE = 0.65
DROPPED = 0.8
CHANGED = 0.6
SAME_FRAME = 0.5
RESTATED = 0.67
NAMED = 0.3
NAMED_BELOW = 0.4  # a name that only the decision has, not the title
MOVED = 0.2
AVOIDED = 0.6
SAME_PURPOSE = 0.9
LIMITED = 0.5


class Contrast:
    """A short proposal beside one record."""

    def __init__(self, point: Pointed, ground: Ground, weights: Weights) -> None:
        self._point, self._ground, self._weights = point, ground, weights
        self._cores = frozenset[str]().union(*(claim.core for claim in point.things)) & point.taken
        self._refused = frozenset[str]().union(*(thing.terms for thing in ground.refused if not thing.is_rule))

    @property
    def uses_its_names(self) -> bool:
        """Whether the proposal names what the record chose by name; true where it chose nothing that has one."""
        chosen = self._ground.picked or self._ground.called
        return not chosen or bool((chosen | self._ground.chosen) & self._point.taken)

    def is_topic(self, sentence: Sentence) -> bool:
        """Whether a sentence is the record's title and only says what it is about: to speak of it is not to agree."""
        return sentence.line == self._ground.title_line and not self._ground.has_title_claim

    def refusals(self) -> Iterator[Thing]:
        """What the record refused and the proposal takes."""
        if self._cores & (self._ground.called - self._refused):
            return
        for thing in self._ground.refused:
            own = thing.terms - GENERAL
            telling = own - self._ground.core
            for taken in self._point.sentences:
                if self._breaks(thing, own, taken) if thing.is_rule else self._takes(thing, own, telling, taken):
                    yield thing
        yield from self._refused_by_example()
        yield from self._refused_by_class()

    def _breaks(self, rule: Thing, own: frozenset[str], taken: frozenset[str]) -> bool:
        shared = rule.terms & taken
        if len(shared) == 1 and own <= shared:
            return own <= self._ground.title or bool(_kinds(own) & _kinds(self._ground.title))
        return len(shared) >= 2 and bool(own & taken) and self._weights.contained(own, taken) >= REFUSED_RULE

    def _takes(self, thing: Thing, own: frozenset[str], telling: frozenset[str], taken: frozenset[str]) -> bool:
        classes = frozenset[str]().union(*(NAMED_CLASS[KIND_OF[term]] for term in taken & TECHNOLOGIES))
        held = self._weights.contained(own, taken | classes)
        if own <= classes - TECHNOLOGIES and not thing.is_whole:
            return False  # "one database only" is not against every database
        if thing.sentence.line == self._ground.title_line and len(own) > 1:
            return len(own & (taken | classes)) > 1 and held >= REFUSED_RULE
        is_taken = bool(telling & taken) and telling <= taken | classes and held >= REFUSED
        return is_taken and (thing.is_whole or self._shares_frame(own))

    def drops(self) -> Iterator[Thing]:
        """What the record chose and the proposal drops."""
        chosen = self._ground.lead - self._refused
        for dropped in self._point.dropped:
            own, role = dropped.core - GENERAL, dropped.role - GENERAL
            if (
                not own
                or self._weights.contained(own, chosen) < DROPPED
                or (len(own) == 1 and role and not role & self._ground.about)
            ):
                continue
            for choice in self._ground.choices:
                shared = own & choice.terms
                if shared and (len(own & chosen) >= 2 or (shared & self._ground.core and self._shares_frame(shared))):
                    yield choice
                    break

    def changes(self) -> Iterator[Thing]:
        """What the record chose and the proposal moves elsewhere: "move A to B", where the record is about A, not B."""
        if not CHANGES.match(self._point.text):
            return
        for claim in self._point.things:
            moved, target = claim.role - GENERAL, claim.core - GENERAL
            if not moved or not target or self._weights.contained(target, self._ground.lead) >= SAME_FRAME:
                continue
            for choice in self._ground.choices[:2]:
                own = choice.terms & self._ground.core
                is_it = self._weights.contained(moved, own) >= CHANGED and self._weights.contained(own, moved) >= MOVED
                if is_it:
                    yield choice
                    break

    def broken_limits(self) -> Iterator[Thing]:
        """What the record allows only in one way, and the proposal does in another."""
        opening = next((term for term in terms_of(self._point.text) if term not in GENERAL), "")
        for limit in self._ground.limits:
            what = limit.what - GENERAL
            is_other = (
                limit.actor not in self._point.said and self._weights.contained(limit.way, self._point.said) <= LIMITED
            )
            if opening in what and what <= self._point.taken and is_other:
                yield Thing(limit.what, limit.sentence)

    def other_names(self) -> Iterator[tuple[Thing, str]]:
        """Another name than the record's for the same purpose, with its kind where that is known."""
        mine = (self._point.names & self._cores) - self._ground.core
        if not mine or self._ground.called & self._point.taken:
            return
        for choice in self._ground.choices:
            theirs = self._ground.picked & choice.terms
            kind = _common_kind(mine, theirs) if theirs else None
            if kind is not None and self._is_same_purpose(mine, theirs, choice, kind):
                yield choice, kind
        yield from self._other_candidates(mine)

    def _other_candidates(self, mine: frozenset[str]) -> Iterator[tuple[Thing, str]]:
        """A technology that was not considered, of the kind of one that was turned down, for the same purpose."""
        kinds = {KIND_OF[name] for name in mine if name in KIND_OF}
        weighed = {
            KIND_OF[term]
            for option in self._ground.options
            for term in option.terms & TECHNOLOGIES
            if term in mine
            or not frozenset(terms_of(option.sentence.text))
            - GENERAL
            - TECHNOLOGIES
            - CLASS_TERMS.get(KIND_OF[term], NONE)
        }
        for kind in sorted(kinds & weighed):
            if self._ground.choices and self._shares_frame(mine):
                yield self._ground.choices[-1 if len(self._ground.choices) < 2 else 1], kind

    def other_ways(self) -> Iterator[Thing]:
        """The same done to the same thing in another way: "written in Rust", where the record says "in Go"."""
        for mine, theirs in self._alike_frames():
            ours = frozenset[str]().union(*mine.phrases.values())
            others = frozenset[str]().union(*theirs.phrases.values())
            if ours & others or mine.figures.keys() & theirs.figures.keys() or not self._are_alternatives(mine, theirs):
                continue
            names, named = ours & self._point.names, others & self._ground.names
            shared = mine.phrases.keys() & theirs.phrases.keys()
            if (shared and (named or "when" in shared)) or (names and named and _common_kind(names, named) is not None):
                yield Thing(theirs.object, theirs.sentence)

    def _are_alternatives(self, mine: Frame, theirs: Frame) -> bool:
        """Whether two ways answer one question: not those of two kinds, nor of two things that share a word."""
        names, others = (frozenset[str]().union(*frame.phrases.values()) & TECHNOLOGIES for frame in (mine, theirs))
        if names and others and _common_kind(names, others) is None:
            is_asked = any(NAMED_CLASS[KIND_OF[name]] <= self._point.said for name in others)
            return is_asked or (mine.object == theirs.object and mine.verb in (ANY_VERB, theirs.verb))
        if mine.verb == theirs.verb or names:
            return True
        return self._weights.contained(mine.object - GENERAL, theirs.object) >= SAME_PURPOSE

    def other_figures(self) -> Iterator[Thing]:
        """Another amount of the same for the same thing: three times, thirty days, 80 %."""
        mine = amounts_in(self._point.text)
        for sentence, terms, figures in self._ground.figures if mine else ():
            shared = (terms & self._point.taken) - GENERAL
            differ = [unit for unit in mine if unit in figures and mine[unit] != figures[unit]]
            if differ and len(shared) >= 2:
                yield Thing(terms, sentence)

    def opposites(self) -> Iterator[Thing]:
        """The title's own words with one turned: a public endpoint, where the record has a private one."""
        said = frozenset(WORD.findall(self._point.text.lower()))
        for choice in self._ground.choices[:2]:
            words = frozenset(WORD.findall(choice.sentence.text.lower()))
            for pair in turned_words(said, words):
                if self._weights.contained(choice.terms - GENERAL - pair, self._point.taken) >= SAME_FRAME:
                    yield choice

    def same_ways(self) -> Iterator[Thing]:
        """The same done to the same thing in the same way."""
        for mine, theirs in self._alike_frames():
            for group in mine.phrases.keys() & theirs.phrases.keys():
                if self._weights.contained(theirs.phrases[group], mine.phrases[group]) >= RESTATED:
                    yield Thing(theirs.object, theirs.sentence)

    def _alike_frames(self) -> Iterator[tuple[Frame, Frame]]:
        for mine in self._point.frames:
            for theirs in self._ground.frames:
                is_same = mine.head == theirs.head or bool((mine.object & theirs.object) - GENERAL)
                if is_same and (mine.verb == theirs.verb or ANY_VERB in (mine.verb, theirs.verb)):
                    yield mine, theirs

    def agreements(self) -> Iterator[Thing]:
        """What the proposal restates or goes on using."""
        taken = self._point.taken
        used = self._ground.names & taken
        if not self.uses_its_names:
            return
        for choice in self._ground.choices:
            if self.is_topic(choice.sentence):
                continue
            own = choice.terms - GENERAL
            held = self._weights.contained(own, taken)
            if len(own & taken) >= 3 and self._weights.contained(taken - GENERAL, own) >= RESTATED:
                yield choice
            least = NAMED if used & self._ground.called else NAMED_BELOW
            if (used & choice.terms and held >= least) or (len(own & taken) >= 2 and held >= RESTATED):
                yield choice

    def avoided(self) -> Iterator[Thing]:
        """What both are against."""
        for dropped in self._point.dropped:
            own = dropped.core - GENERAL
            for thing in self._ground.refused:
                if own and own <= thing.terms and self._holds_most_of(thing):
                    yield thing

    def _holds_most_of(self, thing: Thing) -> bool:
        return self._weights.contained(thing.terms - GENERAL, self._point.said) >= AVOIDED

    def _refused_by_example(self) -> Iterator[Thing]:
        """Options that were turned down and whose line names what the proposal takes."""
        for claim in self._point.things:
            own = (claim.core & self._point.taken) - GENERAL - self._ground.core
            for option in self._ground.options if own else ():
                is_plain = len(own) > 1 or any(self._weights.is_rare(term) or term in KIND_OF for term in own)
                if (
                    is_plain
                    and self._weights.contained(own, option.terms) >= REFUSED
                    and self._shares_frame(claim.core)
                ):
                    yield option

    def _refused_by_class(self) -> Iterator[Thing]:
        """Hibernate, where the record is against an ORM."""
        kinds = {KIND_OF[term] for term in self._cores & TECHNOLOGIES}
        for thing in self._ground.refused:
            own = thing.terms - GENERAL
            if own and (thing.is_rule or thing.is_whole) and any(own <= NAMED_CLASS[kind] for kind in kinds):
                yield thing

    def _shares_frame(self, apart_from: frozenset[str]) -> bool:
        """Whether the rest of the proposal is about what the record is about, or there is no rest."""
        rest = self._point.taken - apart_from - GENERAL - TECHNOLOGIES - SAME_VERB.keys()
        return not rest or bool(rest & (self._ground.about if len(apart_from) > 1 else self._ground.lead))

    def _is_same_purpose(self, mine: frozenset[str], theirs: frozenset[str], choice: Thing, kind: str) -> bool:
        general = GENERAL | CLASS_TERMS.get(kind, frozenset()) | TECHNOLOGIES
        title = self._ground.choices[0].terms
        frame = self._point.taken - mine - general
        other = (title | choice.terms) - theirs - general
        if kind:
            return not frame or not other or bool(frame & (other | self._ground.core))
        if not theirs & self._ground.called:
            return False
        ours, core = self._point.taken - mine - GENERAL, self._ground.core - theirs - GENERAL
        asked = max(self._weights.contained(each - theirs - GENERAL, ours) for each in (title, choice.terms))
        return min(self._weights.contained(ours, core), asked) >= SAME_FRAME


def _kinds(terms: frozenset[str]) -> set[str]:
    return {KIND_OF[term] for term in terms if term in KIND_OF}


def _common_kind(mine: frozenset[str], theirs: frozenset[str]) -> str | None:
    """The kind that two names have in common; empty where one is not known, `None` where they are of other kinds."""
    kinds, others = {KIND_OF.get(name, "") for name in mine}, {KIND_OF.get(name, "") for name in theirs}
    known = sorted((kinds & others) - {""})
    if known:
        return known[0]
    return "" if "" in kinds | others else None
