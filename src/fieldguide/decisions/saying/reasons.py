"""Why a record is told of: a sentence or two that quote its words with their line, and the proposal's beside them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.comparing.evidence import Finding, Way
from fieldguide.decisions.comparing.stands import Proposal, Stand
from fieldguide.decisions.reading.links import Links
from fieldguide.decisions.reading.prose import Sentence, plain_text
from fieldguide.decisions.reading.record import Passage, Record

LONGEST_QUOTE = 200
NAMED = re.compile(r"\s*@(\d+)(\s*)")
OPENINGS: dict[Way, str] = {
    "replaces it": "The proposal replaces {name}, which says",
    "takes what it refused": "The proposal takes what {name} turned down",
    "drops its choice": "The proposal drops what {name} chose",
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
    record: Record,
    stand: Stand,
    findings: Sequence[Finding],
    links: Links,
    *,
    label: str,
    is_same: bool,
) -> Reason:
    """The reason for a label; where nothing was found, both answers are laid side by side."""
    name, answer = called(record), stand.answers[0]
    own = _quoted(_readable(_telling(proposal), proposal.named))
    successors = links.successors(record) if links.standing_of(record) == "retired" else []
    if successors:
        later = ", ".join(called(each) for each in successors)
        return _reason(f"{name} is superseded by {later}, which is checked instead. It said", record, answer)
    if links.standing_of(record) in ("rejected", "retired") and record.status_text:
        status = Sentence(" ".join(record.status_text.text.split()), record.status_text.first_line)
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


def called(record: Record) -> str:
    """How a record is named in a sentence."""
    return f"ADR {record.number}" if record.number is not None else f"“{record.name}”"


def _reason(opening: str, record: Record, sentence: Sentence, more: str = "") -> Reason:
    return Reason(f"{opening}: {_lined(sentence)}.{more}", sentence.line, _last_line(record.body, sentence))


def _telling(proposal: Proposal) -> str:
    """The sentence of a proposal that says best what it is: its first that is more than a title."""
    texts = [each.text for each in proposal.sentences]
    return next((text for text in texts[1:] if proposal.has_title), texts[0] if texts else "")


def _readable(text: str, named: Mapping[int, str]) -> str:
    return NAMED.sub(lambda match: f" {named.get(int(match.group(1)), '')} ", text).strip()


def _lined(sentence: Sentence) -> str:
    return f"{_quoted(sentence.text)} (line {sentence.line})"


def _quoted(text: str) -> str:
    bare = " ".join(text.split()).rstrip(".:;")
    return f"“{bare}”" if len(bare) <= LONGEST_QUOTE else f"“{bare[:LONGEST_QUOTE].rpartition(' ')[0]}…”"


def _last_line(body: Passage, sentence: Sentence) -> int:
    """The line on which a sentence ends: as many further ones as hold its words."""
    words = len(sentence.text.split())
    lines = body.text.splitlines()[max(sentence.line - body.first_line, 0) :][: len(sentence.text)]
    for number, line in enumerate(lines):
        words -= len(plain_text(line).split())
        if words <= 0:
            return sentence.line + number
    return sentence.line
