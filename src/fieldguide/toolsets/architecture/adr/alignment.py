"""What earlier decisions say about a proposal: which it touches, which it goes against, and in whose words."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldguide.search.embedding import Embedder
from fieldguide.toolsets.architecture.adr.evidence import find_evidence
from fieldguide.toolsets.architecture.adr.features import (
    Arguments,
    Outline,
    Proposal,
    arguments_of,
    outline_of,
    read_proposal,
)
from fieldguide.toolsets.architecture.adr.finding import Evidence
from fieldguide.toolsets.architecture.adr.nearness import Nearness
from fieldguide.toolsets.architecture.adr.ranking import WordRanking
from fieldguide.toolsets.architecture.adr.suggestions import suggest
from fieldguide.toolsets.architecture.adr.verdict import Label, Verdict, is_plain, is_telling, judge
from fieldguide.toolsets.architecture.decisions.reading.links import Finder, Links, link_records
from fieldguide.toolsets.architecture.decisions.reading.record import Record, Reference

MOST_RELATED = 10
CANDIDATES = 30
MENTION_LIFT = 0.3
FINDING_LIFT = 0.2
LEAST_RELEVANCE = 0.15
NEAR = 0.5  # a short proposal is about the records that are nearly as near as the nearest, and about no other
CLOSE = 0.5
CLEARLY = 0.15
FEW = 3
LEAST_WORDS = 2
SHORT_PROPOSAL = 0.3  # added for a proposal of one term, less for each more: a word in common is soon found


class Related(NamedTuple):
    """A record that a proposal touches, how, and why we say so."""

    record: Record
    alignment: Label
    reason: str
    score: float


class Conflict(NamedTuple):
    """A record that a proposal goes against."""

    record: Record
    conflict_description: str


class Verdicts(NamedTuple):
    """The answer to a proposal: related records best first, those it conflicts with, and what to do about it."""

    related: tuple[Related, ...]
    conflicts: tuple[Conflict, ...]
    suggestions: tuple[str, ...]


class _Candidate(NamedTuple):
    number: int
    relevance: float
    findings: tuple[Evidence, ...]
    is_mentioned: bool
    shares_name: bool

    @property
    def is_told(self) -> bool:
        """Whether the record belongs in the answer, however few words it shares with the proposal."""
        return self.is_mentioned or self.shares_name or any(map(is_plain, self.findings))


class Alignment:
    """The alignment check over records that do not change; one instance may be asked from any thread.

    `earlier` is the check over the records as they were: what is known of a record that has not changed is taken over.
    """

    def __init__(
        self, records: Sequence[Record], embedder: Embedder | None, earlier: "Alignment | None" = None
    ) -> None:
        self._records = sorted(records, key=lambda record: record.path)
        self._links: Links = link_records(self._records)
        self._finder = Finder(self._records)
        known = {record: number for number, record in enumerate(earlier._records)} if earlier else {}
        self._outlines: list[Outline] = []
        self._arguments: dict[int, Arguments] = {}
        for number, record in enumerate(self._records):
            before = known.get(record)
            if earlier is None or before is None:
                self._outlines.append(outline_of(record))
                continue
            self._outlines.append(earlier._outlines[before])
            if before in earlier._arguments:
                self._arguments[number] = earlier._arguments[before]
        self._words = WordRanking([outline.strengths for outline in self._outlines])
        texts = [outline.vector_text for outline in self._outlines]
        self._nearness: Nearness = Nearness(embedder, texts, earlier._nearness if earlier else None)

    def check(self, description: str, context: str = "") -> Verdicts:
        """Compare a proposal with every record; the same proposal always gets the same answer."""
        proposal = read_proposal(description, context)
        listed = self._listed(proposal)
        is_clear = _is_clear(proposal, listed)
        verdicts = [
            (each, self._judge(proposal, each, is_first=place == 0, is_closest=place == 0 and is_clear))
            for place, each in enumerate(listed)
        ]
        related = tuple(
            Related(self._records[each.number], verdict.label, verdict.reason, round(each.relevance, 4))
            for each, verdict in verdicts
        )
        conflicts = tuple(
            Conflict(self._records[each.number], verdict.core) for each, verdict in verdicts if verdict.core
        )
        return Verdicts(related, conflicts, suggest([(each.record, each.alignment) for each in related], self._links))

    def _judge(self, proposal: Proposal, candidate: _Candidate, *, is_first: bool, is_closest: bool) -> Verdict:
        record = self._records[candidate.number]
        return judge(
            proposal,
            candidate.findings,
            record=record,
            theirs=self._arguments[candidate.number],
            terms=frozenset(self._outlines[candidate.number].strengths),
            links=self._links,
            weights=self._words.weights,
            is_first=is_first,
            is_closest=is_closest,
        )

    def _listed(self, proposal: Proposal) -> list[_Candidate]:
        """The records worth telling of, best first: those that the proposal names or argues with are lifted."""
        relevance = self._relevance(proposal)
        mentions = self._mentions(proposal)
        enough = NEAR * self._nearest(relevance) if proposal.point else 0.0
        found = [
            self._candidate(proposal, number, relevance[number], mentions, is_near=relevance[number] >= enough)
            for number in self._candidates(proposal, relevance, mentions)
        ]
        kept = [each for each in found if each.relevance >= self._least(proposal, each) or each.is_told]
        return sorted(kept, key=lambda each: (-each.relevance, self._records[each.number].path))[:MOST_RELATED]

    def _least(self, proposal: Proposal, candidate: _Candidate) -> float:
        """How near a record must be to be told of: less where it argues, or shares two words with a short proposal."""
        said = proposal.outline.strengths
        if proposal.point and len(said.keys() & self._outlines[candidate.number].strengths.keys()) >= LEAST_WORDS:
            return LEAST_RELEVANCE / 2
        if any(map(is_telling, candidate.findings)):
            return LEAST_RELEVANCE
        return LEAST_RELEVANCE + SHORT_PROPOSAL / max(len(said), 1)

    def _nearest(self, relevance: Sequence[float]) -> float:
        """How near the nearest record is that still stands: one that was replaced says the same as its successor."""
        standing = zip(self._records, relevance, strict=True)
        return max((share for record, share in standing if self._links.standing_of(record) != "retired"), default=0.0)

    def _relevance(self, proposal: Proposal) -> list[float]:
        words = self._words.scores(proposal.outline.strengths)
        near = self._nearness.shares(proposal.outline.vector_text)
        return [word + share for word, share in zip(words, near, strict=True)]

    def _mentions(self, proposal: Proposal) -> Mapping[str, list[Reference]]:
        found: dict[str, list[Reference]] = {}
        for reference in proposal.mentions:
            record = self._finder.find(reference)
            if record is not None:
                found.setdefault(record.path, []).append(reference)
        return found

    def _candidates(self, proposal: Proposal, relevance: Sequence[float], mentions: Mapping[str, object]) -> list[int]:
        """The best by words and vectors, those that are named or have a technology of one kind, and successors."""
        order = sorted(range(len(relevance)), key=lambda number: (-relevance[number], number))
        alike = [number for number in order if self._outlines[number].kinds & proposal.outline.kinds]
        named = [number for number in order if self._records[number].path in mentions]
        best = [number for number in order[:CANDIDATES] if relevance[number] > 0]
        chosen = dict.fromkeys([*best, *named, *alike[:CANDIDATES]])
        successors = {
            record.path for number in best[:MOST_RELATED] for record in self._links.successors(self._records[number])
        }
        return list(chosen | dict.fromkeys(number for number in order if self._records[number].path in successors))

    def _candidate(
        self,
        proposal: Proposal,
        number: int,
        relevance: float,
        mentions: Mapping[str, list[Reference]],
        *,
        is_near: bool,
    ) -> _Candidate:
        record = self._records[number]
        if number not in self._arguments:
            self._arguments[number] = arguments_of(record)
        mentioned = mentions.get(record.path, [])
        found = find_evidence(proposal, mentioned, self._arguments[number], self._words.weights)
        findings = tuple(finding for finding in found if is_near or finding.way in ("named", "follows it"))
        opposed = max(
            (finding.strength for finding in findings if finding.is_against and is_telling(finding)), default=0.0
        )
        lifted = relevance + FINDING_LIFT * opposed + (MENTION_LIFT if mentioned else 0.0)
        shares_name = any(name in self._outlines[number].strengths for name in self._telling_names(proposal))
        return _Candidate(number, lifted, findings, bool(mentioned), shares_name)

    def _telling_names(self, proposal: Proposal) -> list[str]:
        """The names in a short proposal that few records have: a record that has one is told of, whatever it says."""
        names = proposal.point.names if proposal.point else frozenset[str]()
        return [name for name in sorted(names) if self._words.weights.records_with(name) <= FEW]


def _is_clear(proposal: Proposal, listed: Sequence[_Candidate]) -> bool:
    """Whether a long proposal is close to the first record, and much closer than to the next: it decides it anew."""
    if proposal.point is not None or not listed or listed[0].relevance < CLOSE:
        return False
    return len(listed) == 1 or listed[0].relevance - listed[1].relevance >= CLEARLY
