"""What the words of a proposal do to one record: take what it refused, drop its choice, replace it, or agree."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.comparing.clauses import Said, terms_in
from fieldguide.decisions.comparing.stands import Proposal, Stand
from fieldguide.decisions.finding.ranking import FEW, Keywords
from fieldguide.decisions.finding.terms import terms_of
from fieldguide.decisions.reading.prose import Sentence

Way = Literal["replaces it", "takes what it refused", "drops its choice", "follows it", "restates it"]
Terms = frozenset[str]

FOLLOWS = re.compile(  # with no more than an article between it and the name
    r"(?i)\b(?:builds? on|exten[ds]\w*|follow\w*|implement\w*|according to|per|in line with|consistent with|continu\w*)"
    r"\s+(?:\w+\s+){0,2}(@\d+)"
)
# Shares of words, by weight, chosen on the seven projects of `benchmarks/adr_proposals/dev.tsv`.
ENDING, SHORT = (1, 2, 3), 4  # letters that a form of a word may have more: "sqlite" is no form of "sql"
HALF = 0.5  # an agent's words for a listed option are half of them its own
MOST = 0.7  # what is dropped is said in the record's words, but for a verb or so
RESTATED = 0.8  # lower, and proposals that reverse a record were called its support


class Finding(NamedTuple):
    """One thing that the texts show: how, in the record's words, and in the proposal's."""

    way: Way
    theirs: Sentence
    own: Sentence

    @property
    def is_against(self) -> bool:
        """Whether it is a reason to call the two in conflict."""
        return self.way not in ("follows it", "restates it")


class Comparison:
    """A proposal beside one record, which `place` records are nearer than."""

    def __init__(self, proposal: Proposal, name: str, stand: Stand, keywords: Keywords, *, place: int) -> None:
        self._proposal, self._name, self._stand, self._keywords = proposal, name, stand, keywords
        self._is_first = place == 0
        self._chosen = terms_in(stand.chosen)
        turned = terms_in([each for each in stand.refused if each.sentence in stand.answers]) - self._chosen
        self._subject = stand.subject - turned  # without what the title itself says that it drops
        self._settled = self._chosen | self._subject
        self._sentences = [terms for _, terms in _by_sentence((*stand.chosen, *stand.taken))]
        self._refused = [each.terms for each in stand.refused]
        dropped = terms_in(proposal.dropped)
        self._said = _by_sentence(proposal.taken)
        self._taken = [(sentence, terms - dropped) for sentence, terms in self._said]
        shared = proposal.outline.subject & stand.subject
        is_near = self._tells(shared) if place else bool(shared)
        self._is_near = proposal.is_short or (place < FEW and is_near and not self._is_sequel())

    def findings(self) -> list[Finding]:
        """All that the texts show, what is against the record first."""
        named = list(self._named())
        if self._is_copy():  # under another title it is a new edition, which may well replace the old one
            title = self._proposal.sentences[0]
            is_same = title.text in self._stand.sentences
            return named or ([Finding("restates it", self._stand.answers[0], title)] if is_same else [])
        against = [*self._takes_refused(), *self._drops_choice()] if self._is_near else []
        agreed = [*self._restates()]
        said = {(each.theirs, each.own) for each in agreed}  # one sentence is not restated and opposed at once
        against = [each for each in against if (each.theirs, each.own) not in said]
        return sorted([*named, *against, *filter(self._is_all, agreed)], key=lambda each: not each.is_against)

    def _is_copy(self) -> bool:
        own = [each.text for each in self._proposal.sentences[self._proposal.has_title :]]  # many share a title
        return len(own) > 0 and self._stand.sentences.issuperset(own)

    def _is_sequel(self) -> bool:
        """Whether the title is the record's with a part added, "part 2" or "details": the rest of it, not another."""
        own, theirs = self._proposal.outline.subject, frozenset(terms_of(self._stand.answers[-1].text))
        return own < theirs or theirs < own

    def _named(self) -> Iterator[Finding]:
        dropping = {said.sentence for said in self._proposal.dropped}
        for said in (*self._proposal.taken, *self._proposal.dropped):
            if self._name in said.terms:
                if not said.is_taken:
                    yield Finding("replaces it", self._stand.answers[0], said.sentence)
                elif self._name in FOLLOWS.findall(said.sentence.text) and said.sentence not in dropping:
                    yield Finding("follows it", self._stand.answers[0], said.sentence)

    def _takes_refused(self) -> Iterator[Finding]:
        for refused in self._stand.refused:
            own = refused.terms - self._chosen
            key = self._told_apart(own - self._stand.subject or own)
            for sentence, taken in self._taken if self._is_meant(refused, key) else ():
                if self._holds(refused, key, taken) and self._is_about(refused.terms, taken):
                    yield Finding("takes what it refused", refused.sentence, sentence)

    def _told_apart(self, terms: Terms) -> Terms:
        """The terms of which the record's choice and subject have no other form: "profiler" is no other "profiling"."""
        known = self._settled - terms
        return frozenset(each for each in terms if known.isdisjoint(_shorter(each)))

    def _is_meant(self, refused: Said, key: Terms) -> bool:
        """Whether some words may tell what was refused; one word does so only where it is an option, and near."""
        is_near_option = refused.is_option and (self._is_first or self._proposal.is_short)
        return bool(key) and (is_near_option or len(key) > 1 or self._tells(key & self._stand.subject))

    def _holds(self, refused: Said, key: Terms, taken: Terms) -> bool:
        """Whether some words are those of what was refused, and not more those of the choice."""
        held = self._keywords.contained(key, taken)
        least = HALF if refused.is_option and self._proposal.is_short else 1.0  # a sentence says no to all its words
        return held >= least and held > self._keywords.contained(self._chosen - refused.terms, taken)

    def _drops_choice(self) -> Iterator[Finding]:
        for said in self._proposal.dropped:
            dropped = said.terms
            if self._is_choice(dropped) or self._is_choice(said.phrases[0]) or self._is_detail(dropped):
                refused = (
                    self._keywords.contained(dropped, each.terms - self._settled) for each in self._stand.refused
                )
                if max(refused, default=0.0) < MOST:
                    yield Finding("drops its choice", self._best(dropped), said.sentence)

    def _is_choice(self, dropped: Terms) -> bool:
        """Whether what is dropped is what the record chose: its words are those of the title and of one sentence."""
        if len(dropped) == 1 and not self._is_phrase(dropped):
            return False
        whole = [each.terms for each in self._stand.chosen if each.terms <= dropped]
        if any(len(terms) >= HALF * len(dropped) and self._tells(terms) for terms in whole):
            return True
        return self._tells(dropped & self._settled) and bool(self._holding(dropped))

    def _is_phrase(self, dropped: Terms) -> bool:
        """Whether a word stands alone in what the record chose: "Lerna" does not in "Lerna configuration"."""
        if self._is_first and self._proposal.is_short:
            return True
        leading = (each for each in self._stand.taken if each.sentence in self._stand.answers)
        return any(dropped in each.phrases for each in (*self._stand.chosen, *leading))

    def _is_detail(self, dropped: Terms) -> bool:
        """Whether the nearest record says what is dropped in a sentence that has nothing of what is taken."""
        if not self._is_first or not self._keywords.are_rare(dropped):
            return False
        holding = self._holding(dropped)
        kept = [terms for terms in holding if any(self._keywords.are_rare(terms & taken) for _, taken in self._taken)]
        return len(kept) < len(holding) and (len(dropped) > 1 or len(holding) > FEW)

    def _holding(self, dropped: Terms) -> list[Terms]:
        """The sentences that have most of what is dropped, or the title has it: by weight, or by number."""
        return [each for each in self._sentences if self._share(dropped, each | self._subject) >= MOST]

    def _share(self, part: Terms, whole: Terms) -> float:
        return max(self._keywords.contained(part, whole), len(part & whole) / len(part))

    def _restates(self) -> Iterator[Finding]:
        skipped = int(self._proposal.has_title)
        for (sentence, taken), (_, kept) in [*zip(self._said, self._taken, strict=True)][skipped:]:
            for chosen in self._stand.chosen if self._proposal.is_short and self._may_agree(kept) else ():
                held = self._keywords.contained(chosen.terms, taken)
                if held >= RESTATED and self._is_about(chosen.terms, taken):
                    yield Finding("restates it", chosen.sentence, sentence)

    def _is_all(self, agreed: Finding) -> bool:
        """Whether a sentence says little but the choice; a title alone often says only what was asked."""
        taken = dict(self._said)[agreed.own]
        least = MOST if agreed.theirs == self._stand.answers[-1] else HALF
        return len(taken & (self._settled | terms_in(self._stand.chosen))) >= least * len(taken)

    def _may_agree(self, taken: Terms) -> bool:
        """Whether what is taken is for the record's question, where it has one, and has nothing that it refused."""
        rest, question = taken - self._chosen, self._stand.subject - self._chosen
        if rest and question and not rest & question:
            return False
        decided = self._settled | terms_in(self._stand.taken)
        return not any(self._keywords.are_rare((each - decided) & taken) for each in self._refused)

    def _best(self, terms: Terms) -> Sentence:
        """The sentence of the record that holds most of some terms, the first of equals."""
        said = (*self._stand.chosen, *self._stand.taken)
        return max(said, key=lambda each: self._keywords.contained(terms, each.terms)).sentence

    def _is_about(self, option: Terms, taken: Terms) -> bool:
        """Whether what a proposal takes is taken for the record's question: most of its words are the record's too."""
        is_told = len(option & taken) >= FEW or self._keywords.are_rare(option & taken)
        is_told = is_told or self._tells(taken & self._settled)
        return is_told and len(taken & self._stand.words) >= HALF * len(taken)

    def _tells(self, terms: Terms) -> bool:
        """Whether some terms tell a subject: one that few records have, or two of the title that not most have."""
        most = HALF * self._keywords.count
        common = [term for term in terms & self._stand.subject if self._keywords.held_by(term) <= most]
        return self._keywords.are_rare(terms) or len(common) > 1


def _shorter(term: str) -> list[str]:
    """What a word may be a form of; a short one is a word of its own."""
    return [term[:-cut] for cut in ENDING if len(term) - cut > SHORT]


def _by_sentence(said: Sequence[Said]) -> list[tuple[Sentence, Terms]]:
    """What is taken, sentence by sentence."""
    groups: dict[Sentence, set[str]] = {}
    for each in said:
        groups.setdefault(each.sentence, set()).update(each.terms)
    return [(sentence, frozenset(terms)) for sentence, terms in groups.items()]
