"""Checks a proposal against all decision records, with quoted reasons and suggestions."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from fieldguide.knowledge.decisions.comparison import (
    ComparisonEvidence,
    Proposal,
    ProposalComparison,
    RecordStand,
    Way,
    read_proposal,
    read_stand,
)
from fieldguide.knowledge.decisions.lineage import NameReader, RecordLinks, link_records
from fieldguide.knowledge.decisions.ranking import Ranking, RecordOutline, outline_record
from fieldguide.knowledge.decisions.record import DecisionRecord, RecordPassage, RecordSentence, plain_text
from fieldguide.search.embedding import Embedder
from fieldguide.text import regex as re

LONGEST_QUOTE = 200
NAME_MARK = re.compile(r"\s*@(\d+)(\s*)")
SERIES = re.compile(r"(rfc|kep|pep|dep|oep|tep|rip)s?(?:[-_ ]?\d.*)?")  # records with a name of their own
OPENINGS: dict[Way, str] = {
    "replaces it": "The proposal replaces {name}, which says",
    "takes what it refused": "The proposal takes what {name} turned down",
    "drops its choice": "The proposal drops what {name} chose",
    "chooses another": "The proposal chooses something else for the same purpose as {name}, which says",
    "answers it anew": "The proposal has the title of {name} and answers it anew. It said",
    "follows it": "The proposal builds on {name}",
    "restates it": "The proposal says what {name} chose",
}


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
    return Reason(f"{opening}: {_lined(sentence)}.{more}", sentence.line, _last_line(record.body, sentence))


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


def _last_line(body: RecordPassage, sentence: RecordSentence) -> int:
    """The line on which a sentence ends: as many further ones as hold its words."""
    words = len(sentence.text.split())
    lines = body.text.splitlines()[max(sentence.line - body.first_line, 0) :][: len(sentence.text)]
    for number, line in enumerate(lines):
        words -= len(plain_text(line).split())
        if words <= 0:
            return sentence.line + number
    return sentence.line


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
# In `training/same_question.py`, by leaving projects out: how much two titles share, and how far a record stands out.
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
