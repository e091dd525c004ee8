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
KNOWN = HALF = 0.5
WHOLE = 0.95
HELD = 0.6
DROPPED = 0.7
RESTATED = 0.8
FEW = 3
SHARE_OF_RECORDS = 0.1


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

    def __init__(self, proposal: Proposal, number: int, stand: Stand, keywords: Keywords, *, is_first: bool) -> None:
        self._proposal, self._name, self._stand, self._keywords = proposal, f"@{number}", stand, keywords
        self._is_first = is_first
        self._chosen = _terms(stand.chosen)
        self._decided = self._chosen | _terms(stand.taken) | stand.subject
        self._turned = _terms([each for each in stand.refused if each.sentence in stand.answers]) - self._chosen
        self._settled = (self._chosen | stand.subject) - self._turned
        self._refused = [frozenset(each.terms) for each in stand.refused]
        self._sentences = _by_sentence((*stand.chosen, *stand.taken))
        dropped = _terms(proposal.stand.refused)
        self._taken = [(each, terms - dropped) for each, terms in _by_sentence(proposal.stand.taken)]

    def findings(self) -> list[Finding]:
        """All that the texts show."""
        found = [*self._named(), *self._takes_refused(), *self._drops_choice()]
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
            option = frozenset(refused.terms)
            key = option - self._chosen
            least = WHOLE if refused.head else HELD  # a sentence that says no says it of all its words
            for sentence, taken in self._taken:
                held = self._keywords.contained(key, taken)
                other = self._keywords.contained(self._chosen - option, taken)
                is_told = len(key) >= 2 or not refused.head or self._is_subject(key & self._stand.subject)
                if is_told and held >= least and held > other and self._is_about(option, taken):
                    yield Finding("takes what it refused", refused.sentence, sentence, held)

    def _drops_choice(self) -> Iterator[Finding]:
        for said in self._proposal.stand.refused:
            dropped = frozenset(said.terms)
            if self._is_choice(dropped) or self._is_choice(frozenset(said.terms[: said.head])):
                kept = [self._keywords.contained(dropped, terms - self._settled) for terms in self._refused]
                if max(kept, default=0.0) < DROPPED:
                    yield Finding("drops its choice", self._best(dropped), said.sentence, 1.0)

    def _is_choice(self, dropped: frozenset[str]) -> bool:
        """Whether what is dropped is what the record chose: its words are those of the title and of one sentence."""
        for chosen in map(frozenset[str], (each.terms for each in self._stand.chosen)):
            if chosen <= dropped and self._keywords.contained(dropped, chosen) >= HALF and self._is_subject(chosen):
                return True
        settled = self._stand.subject - self._turned if len(dropped) == 1 else self._settled
        if self._is_subject(dropped & settled):
            return any(
                self._keywords.contained(dropped, terms | self._stand.subject - self._turned) >= DROPPED for _, terms in self._sentences
            )
        return self._is_first and any(
            dropped <= terms and self._is_rare(dropped) and not any(self._is_rare(terms & taken) for _, taken in self._taken)
            for _, terms in self._sentences
        )

    def _restates(self) -> Iterator[Finding]:
        if not self._proposal.is_short:
            return
        for chosen in self._stand.chosen:
            terms = frozenset(chosen.terms)
            for sentence, taken in self._taken:
                held = self._keywords.contained(terms, taken)
                if held >= RESTATED and self._is_about(terms, taken) and not self._holds_refused(taken):
                    yield Finding("restates it", chosen.sentence, sentence, held)

    def _holds_refused(self, taken: frozenset[str]) -> bool:
        return any(self._is_rare((frozenset(each.terms) - self._decided) & taken) for each in self._stand.refused)

    def _best(self, terms: frozenset[str]) -> Sentence:
        """The sentence of the record that holds most of some terms."""
        found = [
            (self._keywords.contained(terms, frozenset(each.terms)), -at, each.sentence)
            for at, each in enumerate((*self._stand.chosen, *self._stand.taken))
        ]
        return max(found)[2] if found else self._stand.answers[0]

    def _is_about(self, option: frozenset[str], taken: frozenset[str]) -> bool:
        """Whether what a proposal takes is taken for the record's question: most of its words are the record's too."""
        known = taken & self._stand.words
        is_told = self._is_rare(option & taken) or len(option & taken) >= 3 or self._is_subject(taken & self._settled)
        return len(known) >= KNOWN * len(taken) and is_told

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
