"""The alignment check: find the records about the question of a proposal, compare the answers, say it with quotes."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.search.embedding import Embedder
from fieldguide.toolsets.architecture.decisions.comparing.evidence import Comparison, Finding
from fieldguide.toolsets.architecture.decisions.comparing.stands import Proposal, Stand, read_proposal, stand_of
from fieldguide.toolsets.architecture.decisions.finding.outline import Outline, outline_of
from fieldguide.toolsets.architecture.decisions.finding.ranking import Ranking
from fieldguide.toolsets.architecture.decisions.reading.links import Finder, Links, link_records
from fieldguide.toolsets.architecture.decisions.reading.record import Record, Reference

Label = Literal["supports", "conflicts", "related"]
MOST_RELATED = 10
CANDIDATES = 30
NAME = re.compile(
    r"\[[^\[\]\n]{0,200}\]\(\s*<?(?P<link>[^()\s>]{1,300})>?[^()\n]{0,100}\)"
    r"|(?i:\b(?:ADRs?|RFC|PEP|KEP|decisions?(?: record)?|records?)[\s:#_-]{0,3}(?:No\.?\s*|Number\s*)?#?0*(?P<number>\d{1,5})\b)"
    r"|(?P<file>\b(?:adr[-_])?\d{3,8}[-_][\w-]{3,150}(?:\.md)?)"
)


class Related(NamedTuple):
    record: Record
    alignment: Label
    reason: str
    score: float
    findings: tuple[Finding, ...] = ()


class Verdicts(NamedTuple):
    related: tuple[Related, ...]
    conflicts: tuple[Related, ...]
    suggestions: tuple[str, ...]


class Alignment:
    def __init__(self, records: Sequence[Record], embedder: Embedder | None, earlier: "Alignment | None" = None) -> None:
        self._records = sorted(records, key=lambda record: record.path)
        self._links: Links = link_records(self._records)
        self._finder = Finder(self._records)
        self._number = {record.path: number for number, record in enumerate(self._records)}
        known = earlier._known if earlier else {}
        self._known: dict[Record, tuple[Outline, Stand]] = {
            record: known.get(record) or (outline_of(record), stand_of(record)) for record in self._records
        }
        outlines = [self._known[record][0] for record in self._records]
        self._ranking = Ranking(outlines, embedder, earlier._ranking if earlier else None)

    def check(self, description: str, context: str = "") -> Verdicts:
        named: dict[int, str] = {}
        marked = NAME.sub(lambda match: self._marked(match, named), description)
        more = dict(named)
        plain = NAME.sub(lambda match: self._marked(match, more), context)
        proposal = read_proposal(marked, context, more)
        scores = self._ranking.scores(proposal.outline)
        order = sorted(range(len(scores)), key=lambda n: (n not in more, -scores[n], n))[:CANDIDATES]
        related = []
        for place, n in enumerate(order):
            record = self._records[n]
            found = Comparison(proposal, n, self._known[record][1], self._ranking.keywords, place=place).findings()
            against = [f for f in found if f.is_against]
            label = "conflicts" if against else "supports" if found else "related"
            if label == "related" and len(related) >= MOST_RELATED: continue
            related.append(Related(record, label, "", scores[n], tuple(found)))
        return Verdicts(tuple(related), tuple(r for r in related if r.alignment == "conflicts"), ())

    def _marked(self, match: "re.Match[str]", named: dict[int, str]) -> str:
        link, number, file = match.group("link"), match.group("number"), match.group("file")
        path = (link or file or "").split("#")[0].rpartition("/")[2].removesuffix(".md")
        digits = re.match(r"(?:adr[-_]?)?0*(\d{1,5})(?:[-_.]|$)", path)
        value = int(number or (digits.group(1) if digits else 0))
        record = self._finder.find(Reference("mentions", value or None, path, 1, match.group()))
        if record is None:
            return match.group()
        named[self._number[record.path]] = match.group()
        return f" @{self._number[record.path]} "
