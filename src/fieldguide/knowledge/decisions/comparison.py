"""Compares a proposal with all decision records: agreement, conflict or replacement, with quoted reasons."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from fieldguide.knowledge.decisions.clauses import (
    ClauseTerms,
    Proposal,
    RecordStand,
    Terms,
    merge_terms,
    read_proposal,
    read_stand,
)
from fieldguide.knowledge.decisions.lineage import NameReader, RecordLinks, link_records
from fieldguide.knowledge.decisions.ranking import FEW, Keywords, Ranking, RecordOutline, outline_record
from fieldguide.knowledge.decisions.record import DecisionRecord, RecordSentence, find_last_line
from fieldguide.search.embedding import Embedder
from fieldguide.text import regex as re

Way = Literal[
    "replaces it",
    "takes what it refused",
    "drops its choice",
    "answers it anew",
    "restates it",
]

LONGEST_QUOTE = 200
NAME_MARK = re.compile(r"\s*@(\d+)(\s*)")
SERIES = re.compile(r"(rfc|kep|pep|dep|oep|tep|rip)s?(?:[-_ ]?\d.*)?")  # records with a name of their own
OPENINGS: dict[Way, str] = {
    "replaces it": "The proposal replaces {name}, which says",
    "takes what it refused": "The proposal takes what {name} turned down",
    "drops its choice": "The proposal drops what {name} chose",
    "answers it anew": "The proposal has the title of {name} and answers it anew. It said",
    "restates it": "The proposal says what {name} chose",
}


# Shares of words, by weight, chosen on the seven projects of `benchmarks/adr_proposals/dev.tsv`.
HALF = 0.5  # an agent's words for a listed option are half of them its own
MOST = 0.7  # what is dropped is said in the record's words, but for a verb or so
EQUAL_TITLE = 0.85  # two titles that share this much of their weight ask one question
LISTED = re.compile(r",|&|\band\b")
RESTATED = 0.8  # lower, and proposals that reverse a record were called its support


class ComparisonEvidence(NamedTuple):
    """One thing that the texts show: how, in the record's words, and in the proposal's."""

    way: Way
    theirs: RecordSentence
    own: RecordSentence

    @property
    def is_against(self) -> bool:
        """Whether it is a reason to call the two in conflict."""
        return self.way != "restates it"


class ProposalComparison:
    """A proposal beside one record, which `place` records are nearer than."""

    def __init__(self, proposal: Proposal, number: int, stand: RecordStand, keywords: Keywords, *, place: int) -> None:
        self._proposal = proposal
        self._number = number
        self._stand = stand
        self._keywords = keywords
        self._is_first = place == 0
        self._chosen = merge_terms(stand.chosen)
        self._choices = _by_sentence(stand.chosen)  # a list is one choice: who takes a part of it does not restate it
        turned = merge_terms([each for each in stand.refused if each.sentence in stand.answers]) - self._chosen
        self._subject = stand.subject - turned  # without what the title itself says that it drops
        self._settled = self._chosen | self._subject
        self._sentences = [terms for _, terms in _by_sentence((*stand.chosen, *stand.taken))]
        self._taken = _by_sentence(proposal.taken)
        shared = proposal.outline.subject & stand.subject
        is_near = self._tells(shared) if place else bool(shared)
        self._leading = frozenset(proposal.sentences[: FEW + 1])  # where a long proposal says what it is about
        self._is_near = proposal.is_short or (place < FEW and is_near)

    def findings(self) -> list[ComparisonEvidence]:
        """All that the texts show, what is against the record first."""
        found = list(self._named())
        if self._is_copy():  # under another title it is a new edition, which may well replace the old one
            title = self._proposal.sentences[0]
            is_same = title.text in self._stand.sentences
            return found or ([ComparisonEvidence("restates it", self._stand.answers[0], title)] if is_same else [])
        if self._is_near:
            found += [*self._takes_refused(), *self._drops_choice()]
        found += self._answers_anew()
        found += filter(self._is_all, self._restates())
        return found

    def _is_copy(self) -> bool:
        own = [each.text for each in self._proposal.sentences[self._proposal.has_title :]]  # many share a title
        return len(own) > 0 and self._stand.sentences.issuperset(own)

    def _named(self) -> Iterator[ComparisonEvidence]:
        replaced = self._proposal.replaced.get(self._number)
        if replaced is not None:
            yield ComparisonEvidence("replaces it", self._stand.answers[0], RecordSentence(replaced, 1))

    def _takes_refused(self) -> Iterator[ComparisonEvidence]:
        """What is taken of what the record turned down; under a title only options count."""
        for refused in self._stand.refused:
            if self._proposal.has_title and not self._asks_alike(refused):
                continue
            own = refused.terms - self._chosen
            key = own - self._stand.subject or own
            for sentence, taken in self._taken if self._is_meant(refused, key) else ():
                is_meant = self._proposal.is_short or sentence in self._leading
                if is_meant and self._holds(refused, key, taken) and self._is_about(refused.terms, taken):
                    yield ComparisonEvidence("takes what it refused", refused.sentence, sentence)

    def _asks_alike(self, refused: ClauseTerms) -> bool:
        """Whether a proposal with a title asks what the record asks: the titles share more than the option's words."""
        shared = (self._proposal.outline.subject & self._stand.title) - refused.terms
        return refused.is_option and self._tells(shared)

    def _is_meant(self, refused: ClauseTerms, key: Terms) -> bool:
        """Whether some words may tell what was refused; one word does so only where it is an option, and near."""
        is_near_option = refused.is_option and (self._is_first or self._proposal.is_short)
        return bool(key) and (is_near_option or len(key) > 1 or self._tells(key & self._stand.subject))

    def _holds(self, refused: ClauseTerms, key: Terms, taken: Terms) -> bool:
        """Whether some words are those of what was refused, and not more those of the choice."""
        held = self._keywords.contained(key, taken)
        least = HALF if refused.is_option and self._proposal.is_short else 1.0  # a sentence says no to all its words
        return held >= least and held > self._keywords.contained(self._chosen - refused.terms, taken)

    def _drops_choice(self) -> Iterator[ComparisonEvidence]:
        for said in self._proposal.dropped:
            dropped = said.terms
            if not (self._proposal.is_short or said.sentence in self._leading):
                continue
            if self._is_choice(dropped) or self._is_choice(said.phrases[0]):
                yield ComparisonEvidence("drops its choice", self._best(dropped), said.sentence)

    def _is_choice(self, dropped: Terms) -> bool:
        """Whether what is dropped is what the record chose: its words are those of the title and of one sentence."""
        whole = [each.terms for each in self._stand.chosen if each.terms <= dropped]
        if any(len(terms) >= HALF * len(dropped) and self._tells(terms) for terms in whole):
            return True
        return self._tells(dropped & self._settled) and bool(self._holding(dropped))

    def _holding(self, dropped: Terms) -> list[Terms]:
        """The sentences that have most of what is dropped, or the title has it: by weight, or by number."""
        return [each for each in self._sentences if self._share(dropped, each | self._subject) >= MOST]

    def _share(self, part: Terms, whole: Terms) -> float:
        return max(self._keywords.contained(part, whole), len(part & whole) / len(part))

    def _answers_anew(self) -> Iterator[ComparisonEvidence]:
        """A record under the same title that says something else: a new edition, which takes the old one's place."""
        own = self._proposal.outline.subject
        theirs = self._stand.title
        body = self._proposal.sentences[1:] if self._proposal.has_title else ()
        if body and len(own & theirs) > 1 and self._keywords.likeness(own, theirs) >= EQUAL_TITLE:
            yield ComparisonEvidence("answers it anew", self._stand.answers[0], body[0])

    def _restates(self) -> Iterator[ComparisonEvidence]:
        skipped = int(self._proposal.has_title)
        for sentence, taken in self._taken[skipped:] if self._proposal.is_short else ():
            for own, chosen in self._choices:
                held = self._keywords.contained(chosen, taken)
                least = 1.0 if LISTED.search(own.text) else RESTATED  # a part of a list is not the choice
                if held >= least and self._is_about(chosen, taken):
                    yield ComparisonEvidence("restates it", own, sentence)

    def _is_all(self, agreed: ComparisonEvidence) -> bool:
        """Whether a sentence says little but the choice; a title alone often says only what was asked."""
        taken = dict(self._taken)[agreed.own]
        least = MOST if agreed.theirs == self._stand.answers[-1] else HALF
        return len(taken & self._settled) >= least * len(taken)

    def _best(self, terms: Terms) -> RecordSentence:
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


def _by_sentence(said: Sequence[ClauseTerms]) -> list[tuple[RecordSentence, Terms]]:
    """What is taken, sentence by sentence."""
    groups: dict[RecordSentence, set[str]] = {}
    for each in said:
        groups.setdefault(each.sentence, set()).update(each.terms)
    return [(sentence, frozenset(terms)) for sentence, terms in groups.items()]


class Reason(NamedTuple):
    """What is said, and the lines of the record that it quotes."""

    text: str
    first_line: int
    last_line: int


def give_reason(
    proposal: Proposal,
    record: DecisionRecord,
    stand: RecordStand,
    findings: Sequence[ComparisonEvidence],
    links: RecordLinks,
    *,
    label: str,
    is_same: bool,
) -> Reason:
    """The reason for a label; where nothing was found, both answers are laid side by side."""
    name = name_record(record)
    answer = stand.answers[0]
    own = _quoted(_readable(_telling(proposal), proposal.named))
    successors = links.successors(record) if links.standing_of(record) == "retired" else []
    if successors:
        later = ", ".join(name_record(each) for each in successors)
        return _reason(f"{name} is superseded by {later}, which is checked instead. It said", record, answer)
    if links.standing_of(record) in ("rejected", "retired") and record.status_text:
        status = RecordSentence(" ".join(record.status_text.text.split()), record.status_text.first_line)
        return _reason(f"{name} is {record.status}: {_lined(status)}. It says", record, answer)
    if label != "related":
        finding = findings[0]
        quoted = _quoted(_readable(finding.own.text, proposal.named))
        choice = f" It chose {_lined(answer)}." if finding.way == "takes what it refused" else ""
        return _reason(
            OPENINGS[finding.way].format(name=name), record, finding.theirs, f" The proposal: {quoted}.{choice}"
        )
    if is_same:
        return _reason(f"{name} answers the same question", record, answer, f" The proposal: {own}.")
    return _reason(f"{name} is near", record, answer)


def name_record(record: DecisionRecord) -> str:
    """How a record is named in a sentence: an RFC is no ADR, and may have the number of one."""
    if record.number is None:
        return f"“{record.name}”"
    folder, _, file = record.path.lower().rpartition("/")
    is_other = SERIES.match(file) or SERIES.fullmatch(folder.rpartition("/")[2])
    return f"{is_other.group(1).upper() if is_other else 'ADR'} {record.number}"


def _reason(opening: str, record: DecisionRecord, sentence: RecordSentence, more: str = "") -> Reason:
    return Reason(f"{opening}: {_lined(sentence)}.{more}", sentence.line, find_last_line(record.body, sentence))


def _telling(proposal: Proposal) -> str:
    """The sentence of a proposal that says best what it is: its first that is more than a title."""
    texts = [each.text for each in proposal.sentences]
    return next((text for text in texts[1:] if proposal.has_title), texts[0] if texts else "")


def _readable(text: str, named: Mapping[int, str]) -> str:
    return NAME_MARK.sub(lambda match: f" {named.get(int(match.group(1)), '')} ", text).strip()


def _lined(sentence: RecordSentence) -> str:
    return f"{_quoted(sentence.text)} (line {sentence.line})"


def _quoted(text: str) -> str:
    bare = " ".join(text.split()).rstrip(".:;")
    return f"“{bare}”" if len(bare) <= LONGEST_QUOTE else f"“{bare[:LONGEST_QUOTE].rpartition(' ')[0]}…”"


MOST_SUGGESTIONS = 8
TOLD = 3


def suggest(labelled: Sequence[tuple[DecisionRecord, str]], links: RecordLinks) -> tuple[str, ...]:
    """Suggestions for these records and their labels, each once, conflicts first."""
    if not labelled:
        return ("No decision record is about this: record the decision as a new one.",)
    nearest = [record for record, _ in labelled]
    conflicting = [record for record, label in labelled if label == "conflicts"]
    supporting = [record for record, label in labelled if label == "supports"]
    suggestions = [_about_conflict(record, links) for record in conflicting]
    for record in nearest:
        if links.standing_of(record) == "retired":
            later = [name_record(each) for each in links.successors(record)]
            suggestions += [f"{name_record(record)} is superseded by {each}: read that one." for each in later]
    if supporting:
        suggestions.append(f"Refer to {_listed(supporting)} in the new record.")
    elif not conflicting:
        suggestions.append(f"No conflict shows in the texts. Read {_listed(nearest)} before you decide.")
    return tuple(dict.fromkeys(suggestions))[:MOST_SUGGESTIONS]


def _listed(records: Sequence[DecisionRecord]) -> str:
    return ", ".join(map(name_record, records[:TOLD]))


def _about_conflict(record: DecisionRecord, links: RecordLinks) -> str:
    standing = links.standing_of(record)
    if standing == "rejected":
        return f"{name_record(record)} was {record.status}: say what has changed since, or leave the proposal."
    if standing == "proposed":
        return f"{name_record(record)} is {record.status}, not decided: settle the two together."
    return f"Mark {name_record(record)} as superseded if this is meant to replace it; otherwise follow it."


Label = Literal["supports", "conflicts", "related"]

MOST_RELATED = 10
CANDIDATES = 15
# Chosen by leaving projects out: how much two titles share, and how far a record stands out.
SAME_TITLE = 0.3
OUTSTANDING = 8.0
NAMED = 4.0  # deviations that a mention is worth; first places for all that is mentioned pushed others out
LEAST_SCORE = 2.0  # one deviation above the mean by words and one by vectors; all superseded records but one have it


class RelatedRecord(NamedTuple):
    """A record that a proposal touches, how, why we say so, and whether both answer one question."""

    record: DecisionRecord
    alignment: Label
    reason: Reason
    score: float
    same_question: bool
    findings: tuple[ComparisonEvidence, ...]


class Verdicts(NamedTuple):
    """The answer to a proposal: related records best first, those it conflicts with, and what to do about it."""

    related: tuple[RelatedRecord, ...]
    conflicts: tuple[RelatedRecord, ...]
    suggestions: tuple[str, ...]


class Alignment:
    """The alignment check over records that do not change; one instance may be asked from any thread.

    `earlier` is the check over the records as they were: what is known of a record that has not changed is taken over.
    """

    def __init__(
        self, records: Sequence[DecisionRecord], embedder: Embedder | None, earlier: "Alignment | None" = None
    ) -> None:
        self._records = sorted(records, key=lambda record: record.path)
        self._numbers = {record.path: number for number, record in enumerate(self._records)}
        self._links: RecordLinks = link_records(self._records)
        self._names = NameReader(self._records)
        known = earlier._outlines if earlier else {}
        self._outlines: dict[DecisionRecord, RecordOutline] = {
            each: known.get(each) or outline_record(each) for each in self._records
        }
        self._stands: dict[DecisionRecord, RecordStand] = {
            each: stand for each, stand in (earlier._stands if earlier else {}).items() if each in self._outlines
        }
        self._ranking: Ranking = Ranking([*self._outlines.values()], embedder, earlier._ranking if earlier else None)

    def check(self, description: str, context: str = "") -> Verdicts:
        """Compare a proposal with the nearest records; the same proposal always gets the same answer."""
        proposal = read_proposal(self._names.read(description), self._names.read(context))
        scores = self._ranking.scores(proposal.outline)
        found = [
            self._compared(proposal, number, place, scores[number])
            for place, number in enumerate(self._candidates(scores, proposal))
        ]
        related = self._listed(proposal, found)
        conflicts = tuple(each for each in related if each.alignment == "conflicts")
        told = suggest([(each.record, each.alignment) for each in related], self._links)
        return Verdicts(related, conflicts, told)

    def _listed(self, proposal: Proposal, found: Sequence[RelatedRecord]) -> tuple[RelatedRecord, ...]:
        """What is worth telling of, and what took the place of it; conflicts first."""
        near = [each.record for each in found if each.findings or self._touches(proposal, each)][:MOST_RELATED]
        for record in [*near]:
            near += self._links.successors(record)
        listed = (each for each in found if each.record in near)
        return tuple(sorted(listed, key=lambda each: each.alignment != "conflicts"))

    def _candidates(self, scores: Sequence[float], proposal: Proposal) -> list[int]:
        """What is said to be replaced, then the nearest, a mention counted in, and what replaced one of those."""

        def rank(number: int) -> tuple[bool, float, int]:
            nearness = scores[number] + NAMED * (number in proposal.named)
            return number not in proposal.replaced, -nearness, number

        order = sorted(range(len(scores)), key=rank)
        named = [number for number in order if number in proposal.named]
        best = [*dict.fromkeys((*order[:CANDIDATES], *named[:CANDIDATES]))]
        later = [each for number in best[:MOST_RELATED] for each in self._links.successors(self._records[number])]
        return [*dict.fromkeys([*best, *(self._numbers[each.path] for each in later)])]

    def _compared(self, proposal: Proposal, number: int, place: int, score: float) -> RelatedRecord:
        record = self._records[number]
        if record not in self._stands:
            self._stands[record] = read_stand(record)
        stand = self._stands[record]
        compared = ProposalComparison(proposal, number, stand, self._ranking.keywords, place=place)
        findings = tuple(compared.findings())
        label = self._label(record, findings)
        likeness = self._ranking.keywords.likeness(proposal.outline.subject, self._outlines[record].subject)
        same = score >= OUTSTANDING or likeness >= SAME_TITLE
        reason = give_reason(proposal, record, stand, findings, self._links, label=label, is_same=same)
        return RelatedRecord(record, label, reason, round(score, 4), same, findings)

    def _label(self, record: DecisionRecord, findings: Sequence[ComparisonEvidence]) -> Label:
        """What the findings come to; a record that was replaced binds nobody, and a rejected one forbids itself."""
        standing = self._links.standing_of(record)
        if standing == "retired" or not findings:
            return "related"
        is_against = findings[0].is_against
        if standing == "rejected":
            return "related" if is_against else "conflicts"
        return "conflicts" if is_against else "supports"

    def _touches(self, proposal: Proposal, related: RelatedRecord) -> bool:
        """Whether a record that nothing is said of belongs in the answer: it shares a subject and stands out."""
        outline = self._outlines[related.record]
        shared = frozenset(proposal.outline.strengths.keys() & outline.strengths.keys())
        is_told = len(shared) > 1 or self._ranking.keywords.are_rare(shared & outline.subject)
        is_named = self._numbers[related.record.path] in proposal.named
        return is_named or (is_told and (related.score >= LEAST_SCORE or len(self._records) <= MOST_RELATED))
