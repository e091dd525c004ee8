"""What the words of a proposal do to one record: take what it refused, drop its choice, replace it by name, or agree."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.decisions.comparing.clauses import Said
from fieldguide.toolsets.architecture.decisions.comparing.stands import Proposal, Stand
from fieldguide.toolsets.architecture.decisions.finding.ranking import Keywords
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence

Way = Literal["replaces it", "takes what it refused", "drops its choice", "follows it", "restates it"]

FOLLOWS = re.compile(r"(?i)\b(?:builds? on|extends?|follow\w*|implement\w*|according|per|in line|consistent|continu\w+)\b")
HALF = 0.5
MOST = 0.7
RESTATED = 0.8
FEW = 3
SHARE_OF_RECORDS = 0.05


class Finding(NamedTuple):
    """One thing that the texts show: how, in the record's words, and in the proposal's."""

    way: Way
    theirs: Sentence
    own: Sentence
    strength: float

    @property
    def is_against(self) -> bool:
        """Whether it is a reason to call the two in conflict."""
        return self.way in ("replaces it", "takes what it refused", "drops its choice")


class Comparison:
    """A proposal beside one record."""

    def __init__(self, proposal: Proposal, number: int, stand: Stand, keywords: Keywords, *, place: int) -> None:
        self._proposal, self._name, self._stand, self._keywords = proposal, f"@{number}", stand, keywords
        self._is_first = place == 0
        shared = proposal.outline.subject & stand.subject
        self._chosen = _terms(stand.chosen)
        self._decided = self._chosen | _terms(stand.taken) | stand.subject
        self._turned = _terms([each for each in stand.refused if each.sentence in stand.answers]) - self._chosen
        self._settled = (self._chosen | stand.subject) - self._turned
        self._is_near = proposal.is_short or (place < 3 and self._is_subject(shared))
        self._refused = [each.terms for each in stand.refused]
        self._sentences = _by_sentence((*stand.chosen, *stand.taken))
        dropped = _terms(proposal.stand.refused)
        self._taken = [(each, terms - dropped) for each, terms in _by_sentence(proposal.stand.taken)]

    def findings(self) -> list[Finding]:
        """All that the texts show."""
        found = [*self._named()]
        if self._is_near:
            found += [*self._takes_refused(), *self._drops_choice()]
        if not any(each.is_against for each in found):
            found += self._restates()
        return found

    def _named(self) -> Iterator[Finding]:
        for said in (*self._proposal.stand.chosen, *self._proposal.stand.refused):
            if self._name in said.terms:
                if not said.is_taken:
                    yield Finding("replaces it", self._stand.answers[0], said.sentence, 1.0)
                elif FOLLOWS.search(said.sentence.text):
                    yield Finding("follows it", self._stand.answers[0], said.sentence, 1.0)

    def _takes_refused(self) -> Iterator[Finding]:
        for refused in self._stand.refused:
            option = refused.terms
            key = option - self._chosen - self._stand.subject or option - self._chosen
            least = HALF if refused.is_option and self._proposal.is_short else 1.0  # a sentence says no of all its words
            for sentence, taken in self._taken:
                held = self._keywords.contained(key, taken)
                other = self._keywords.contained(self._chosen - option, taken)
                is_told = len(key) >= 2 or refused.is_option or self._is_subject(key & self._stand.subject)
                if is_told and held >= least and held > other and self._is_about(option, taken):
                    yield Finding("takes what it refused", refused.sentence, sentence, held)

    def _drops_choice(self) -> Iterator[Finding]:
        for said in self._proposal.stand.refused:
            dropped = said.terms
            if self._is_choice(dropped) or self._is_choice(said.phrases[0]) or self._is_detail(dropped):
                kept = [self._keywords.contained(dropped, terms - self._settled) for terms in self._refused]
                if max(kept, default=0.0) < MOST:
                    yield Finding("drops its choice", self._best(dropped), said.sentence, 1.0)

    def _is_choice(self, dropped: frozenset[str]) -> bool:
        """Whether what is dropped is what the record chose: its words are those of the title and of one sentence."""
        is_nearest = self._is_first and self._proposal.is_short
        if len(dropped) == 1 and not is_nearest and not self._stand.phrases & {dropped}:
            return False
        for chosen in (each.terms for each in self._stand.chosen):
            if chosen <= dropped and len(chosen) >= HALF * len(dropped) and self._is_subject(chosen):
                return True
        if self._is_subject(dropped & self._settled):
            known = self._stand.subject - self._turned
            return any(self._keywords.contained(dropped, terms | known) >= MOST for _, terms in self._sentences)
        return False

    def _is_detail(self, dropped: frozenset[str]) -> bool:
        """Whether the nearest record says all of what is dropped in a sentence that has nothing of what is taken."""
        if not self._is_first or not self._is_rare(dropped):
            return False
        known = self._stand.subject - self._turned
        holding = [terms for _, terms in self._sentences if self._keywords.contained(dropped, terms | known) >= MOST]
        return (len(dropped) > 1 or len(holding) > FEW) and any(not any(self._is_rare(terms & taken) for _, taken in self._taken) for terms in holding)

    def _restates(self) -> Iterator[Finding]:
        if not self._proposal.is_short:
            return
        for chosen in self._stand.chosen:
            terms = chosen.terms
            for sentence, taken in self._taken[1:] if self._proposal.has_title else self._taken:
                held = self._keywords.contained(terms, taken)
                rest, question = taken - self._chosen, self._stand.subject - self._chosen
                is_same = not rest or not question or bool(rest & question)
                if held >= RESTATED and is_same and self._is_about(terms, taken) and not self._holds_refused(taken):
                    yield Finding("restates it", chosen.sentence, sentence, held)

    def _holds_refused(self, taken: frozenset[str]) -> bool:
        return any(self._is_rare((each.terms - self._decided) & taken) for each in self._stand.refused)

    def _best(self, terms: frozenset[str]) -> Sentence:
        """The sentence of the record that holds most of some terms."""
        found = [
            (self._keywords.contained(terms, each.terms), -at, each.sentence)
            for at, each in enumerate((*self._stand.chosen, *self._stand.taken))
        ]
        return max(found)[2] if found else self._stand.answers[0]

    def _is_about(self, option: frozenset[str], taken: frozenset[str]) -> bool:
        """Whether what a proposal takes is taken for the record's question: most of its words are the record's too."""
        known = taken & self._stand.words
        is_told = self._is_rare(option & taken) or len(option & taken) >= 3 or self._is_subject(taken & self._settled)
        return len(known) >= HALF * len(taken) and is_told

    def _is_subject(self, terms: frozenset[str]) -> bool:
        """Whether some terms tell a subject: one that few records have, or two that the record's title has."""
        return self._is_rare(terms) or len(terms & self._stand.subject) >= 2

    def _is_rare(self, terms: frozenset[str]) -> bool:
        most = max(FEW, SHARE_OF_RECORDS * self._keywords.count)
        return any(self._keywords.held_by(term) <= most for term in terms)


def _terms(said: Sequence[Said]) -> frozenset[str]:
    return frozenset(term for each in said for term in each.terms)


def _by_sentence(said: Sequence[Said]) -> list[tuple[Sentence, frozenset[str]]]:
    """What a proposal takes, sentence by sentence."""
    groups: dict[Sentence, set[str]] = {}
    for each in said:
        groups.setdefault(each.sentence, set()).update(each.terms)
    return [(sentence, frozenset(terms)) for sentence, terms in groups.items()]
