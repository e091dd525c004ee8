"""The alignment check: find the records about the question of a proposal, compare the answers, say it with quotes."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.comparing.evidence import Comparison, Finding
from fieldguide.decisions.comparing.stands import Proposal, Stand, read_proposal, stand_of
from fieldguide.decisions.finding.outline import Outline, outline_of
from fieldguide.decisions.finding.ranking import Ranking
from fieldguide.decisions.reading.links import Finder, Links, link_records
from fieldguide.decisions.reading.record import Record, Reference
from fieldguide.decisions.saying.reasons import Reason, give_reason
from fieldguide.decisions.saying.suggestions import suggest
from fieldguide.search.embedding import Embedder

Label = Literal["supports", "conflicts", "related"]

MOST_RELATED = 10
CANDIDATES = 15
# In `training/same_question.py`, by leaving projects out: how much two titles share, and how far a record stands out.
SAME_TITLE, OUTSTANDING = 0.3, 8.0
LEAST_SCORE = 2.0  # one deviation above the mean by words and one by vectors; all superseded records but one have it
NAME = re.compile(
    r"\[[^\[\]\n]{0,200}\]\(\s*<?(?P<link>[^()\s>]{1,300})>?[^()\n]{0,100}\)"
    r"|\b(?i:ADRs?|RFC|PEP|KEP|decisions?(?: record)?|records?)[\s:#_-]{0,3}(?i:No\.?\s*|Number\s*)?"
    r"#?0*(?P<number>\d{1,5})\b"
    r"|\b(?P<file>(?:adr[-_])?\d{3,8}[-_][\w-]{3,150})(?:\.md)?"
)
PATH_NUMBER = re.compile(r"(?:adr[-_]?)?0*(\d{1,5})(?:[-_.]|$)")


class Related(NamedTuple):
    """A record that a proposal touches, how, why we say so, and whether both answer one question."""

    record: Record
    alignment: Label
    reason: Reason
    score: float
    same_question: bool
    findings: tuple[Finding, ...]


class Verdicts(NamedTuple):
    """The answer to a proposal: related records best first, those it conflicts with, and what to do about it."""

    related: tuple[Related, ...]
    conflicts: tuple[Related, ...]
    suggestions: tuple[str, ...]


class Alignment:
    """The alignment check over records that do not change; one instance may be asked from any thread.

    `earlier` is the check over the records as they were: what is known of a record that has not changed is taken over.
    """

    def __init__(
        self, records: Sequence[Record], embedder: Embedder | None, earlier: "Alignment | None" = None
    ) -> None:
        self._records = sorted(records, key=lambda record: record.path)
        self._numbers = {record.path: number for number, record in enumerate(self._records)}
        self._links: Links = link_records(self._records)
        self._finder = Finder(self._records)
        known = earlier._outlines if earlier else {}
        self._outlines: dict[Record, Outline] = {each: known.get(each) or outline_of(each) for each in self._records}
        self._stands: dict[Record, Stand] = {
            each: stand for each, stand in (earlier._stands if earlier else {}).items() if each in self._outlines
        }
        self._ranking: Ranking = Ranking([*self._outlines.values()], embedder, earlier._ranking if earlier else None)

    def check(self, description: str, context: str = "") -> Verdicts:
        """Compare a proposal with the nearest records; the same proposal always gets the same answer."""
        named: dict[int, str] = {}
        marked = NAME.sub(lambda match: self._marked(match, named), description)
        proposal = read_proposal(marked, context, named)
        NAME.sub(lambda match: self._marked(match, named), context)
        scores = self._ranking.scores(proposal.outline)
        found = [
            self._compared(proposal, number, place, scores[number])
            for place, number in enumerate(self._candidates(scores, named))
        ]
        related = self._listed(proposal, found)
        conflicts = tuple(each for each in related if each.alignment == "conflicts")
        told = suggest([(each.record, each.alignment) for each in related], self._links)
        return Verdicts(related, conflicts, told)

    def _listed(self, proposal: Proposal, found: Sequence[Related]) -> tuple[Related, ...]:
        """What is worth telling of, and what took the place of it."""
        near = [each.record for each in found if each.findings or self._touches(proposal, each)][:MOST_RELATED]
        near += [later for record in near for later in self._links.successors(record)]
        return tuple(each for each in found if each.record in near)

    def _marked(self, match: "re.Match[str]", named: dict[int, str]) -> str:
        """The name of a record as one word that says which, so that clauses are read around it."""
        path = (match.group("link") or match.group("file") or "").split("#")[0].removesuffix(".md")
        path = path.removesuffix("/index").removesuffix("/README").rstrip("/").rpartition("/")[2]
        digits = match.group("number") or next(iter(PATH_NUMBER.findall(path)), None)
        record = self._finder.find(Reference("mentions", int(digits) if digits else None, path, 1, match.group()))
        if record is None:
            return match.group()
        number = self._numbers[record.path]
        named.setdefault(number, match.group())
        return f" @{number} "

    def _candidates(self, scores: Sequence[float], named: dict[int, str]) -> list[int]:
        """The records that are named, then the nearest, and what replaced one of those."""
        order = sorted(range(len(scores)), key=lambda number: (number not in named, -scores[number], number))
        best = order[:CANDIDATES]
        later = [each for number in best[:MOST_RELATED] for each in self._links.successors(self._records[number])]
        return [*dict.fromkeys([*best, *(self._numbers[each.path] for each in later)])]

    def _compared(self, proposal: Proposal, number: int, place: int, score: float) -> Related:
        record = self._records[number]
        if record not in self._stands:
            self._stands[record] = stand_of(record)
        stand = self._stands[record]
        compared = Comparison(proposal, f"@{number}", stand, self._ranking.keywords, place=place)
        findings = tuple(compared.findings())
        label = self._label(record, findings)
        same = self._shares_question(proposal, record, score)
        reason = give_reason(proposal, record, stand, findings, self._links, label=label, is_same=same)
        return Related(record, label, reason, round(score, 4), same, findings)

    def _label(self, record: Record, findings: Sequence[Finding]) -> Label:
        """What the findings come to; a record that was replaced binds nobody, and a rejected one forbids itself."""
        standing = self._links.standing_of(record)
        if standing == "retired" or not findings:
            return "related"
        is_against = findings[0].is_against
        if standing == "rejected":
            return "related" if is_against else "conflicts"
        return "conflicts" if is_against else "supports"

    def _shares_question(self, proposal: Proposal, record: Record, score: float) -> bool:
        likeness = self._ranking.keywords.likeness(proposal.outline.subject, self._outlines[record].subject)
        return score >= OUTSTANDING or likeness >= SAME_TITLE

    def _touches(self, proposal: Proposal, related: Related) -> bool:
        """Whether a record that nothing is said of belongs in the answer: it shares a subject and stands out."""
        outline = self._outlines[related.record]
        shared = frozenset(proposal.outline.strengths.keys() & outline.strengths.keys())
        is_told = len(shared) > 1 or self._ranking.keywords.are_rare(shared & outline.subject)
        is_named = self._numbers[related.record.path] in proposal.named
        return is_named or (is_told and (related.score >= LEAST_SCORE or len(self._records) <= MOST_RELATED))
