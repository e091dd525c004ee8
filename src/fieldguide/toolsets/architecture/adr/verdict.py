"""The verdict on one record: supports, conflicts or related, with one or two sentences that say why.

A record that nothing replaced and nobody refused is in force. Against one that was only proposed it takes plain words
to conflict. A record that was superseded is never a conflict: its successor is checked instead. To propose again what
a rejected record proposed is one, because the project has said no to it.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.evidence import leading_sentence
from fieldguide.toolsets.architecture.adr.features import Arguments, Proposal
from fieldguide.toolsets.architecture.adr.finding import Evidence, Way
from fieldguide.toolsets.architecture.adr.ranking import Weights
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.links import Links
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence
from fieldguide.toolsets.architecture.decisions.reading.record import UNKNOWN, Record

Label = Literal["supports", "conflicts", "related"]

# How strong a finding must be to count; the same for every project. Set while looking at all fourteen projects of
# `benchmarks/adr.py`, so that its figures are of known projects: they say little about one that nobody has seen.
LEAST: dict[Way, float] = {
    "named": 0.5,
    "drops its choice": 0.7,
    "takes what it rejected": 0.75,
    "turns its rule": 0.6,
    "other answer": 0.5,
    "other technology": 0.7,
    "same question": 0.7,
    "same context": 0.3,
    "revisits it": 0.5,
    "builds on it": 0.6,
    "avoids what it rejected": 0.7,
    "restates it": 0.6,
    "follows it": 0.5,
}
SAME_QUESTION_AS_FIRST = 0.5
CLOSEST = 0.7
PLAIN: tuple[Way, ...] = ("named", "drops its choice", "takes what it rejected", "turns its rule")
TOLD: tuple[Way, ...] = (*PLAIN, "other answer", "other technology")
ONLY_AS_FIRST: tuple[Way, ...] = ("same context", "revisits it")
LEAST_NEW_TERMS = 6
LEAST_NOVELTY = 0.12
LONGEST_QUOTE = 160
NUMBER = re.compile(r"(?<![\w.-])\d[\d.,:/]*\d(?![\w-])")


class Verdict(NamedTuple):
    """A label and the reason for it."""

    label: Label
    reason: str
    core: str = ""  # of a conflict: what the record says, without its name


def judge(
    proposal: Proposal,
    findings: Sequence[Evidence],
    *,
    record: Record,
    theirs: Arguments,
    terms: frozenset[str],
    links: Links,
    weights: Weights,
    is_first: bool,
    is_closest: bool,
) -> Verdict:
    """Weigh the findings about one record; `is_first` if none is closer, `is_closest` if none is nearly as close."""
    standing = links.standing_of(record)
    if standing == "retired":
        return _retired(record, theirs, links)
    if is_closest:
        findings = [*findings, Evidence("same question", True, CLOSEST, leading_sentence(theirs), proposal.name)]
    against = _strongest(finding for finding in findings if finding.is_against and _counts(finding, is_first=is_first))
    favouring = _strongest(finding for finding in findings if not finding.is_against and is_telling(finding))
    if (
        against
        and against.way not in TOLD
        and not (_is_new(proposal, terms, weights) or _has_new_numbers(proposal, record))
    ):
        against = None
    if standing == "rejected":
        return _rejected(record, theirs, against, favouring)
    if against and (standing == "in force" or against.way in (PLAIN if proposal.point is None else TOLD)):
        return _opposing(proposal, record, against)
    if favouring:
        return Verdict("supports", _favouring(record, favouring))
    return Verdict("related", f"{_called(record)} is about the same subject: {_quoted(leading_sentence(theirs))}.")


def is_telling(finding: Evidence) -> bool:
    """Whether a finding is strong enough to count, wherever its record stands."""
    return finding.strength >= LEAST[finding.way]


def is_plain(finding: Evidence) -> bool:
    """Whether a finding is enough to tell of a record that shares no other word with the proposal."""
    return finding.is_against and finding.way in TOLD and is_telling(finding)


def _counts(finding: Evidence, *, is_first: bool) -> bool:
    if is_first and finding.way == "same question":
        return finding.strength >= SAME_QUESTION_AS_FIRST
    return is_telling(finding) and (is_first or finding.way not in ONLY_AS_FIRST)


def _strongest(findings: Iterable[Evidence]) -> Evidence | None:
    """The finding that says most: plain words before strength, and the first of equals."""
    return max(findings, key=lambda finding: (finding.way in PLAIN, finding.strength), default=None)


def _is_new(proposal: Proposal, terms: frozenset[str], weights: Weights) -> bool:
    """Whether a proposal says more than its title and something else than the record: else it only repeats it."""
    said = frozenset(term for sentence in proposal.arguments.sentences[1:] for term in terms_of(sentence.text))
    more = said - proposal.arguments.title.terms
    return len(more) >= LEAST_NEW_TERMS and 1 - weights.contained(more, terms) >= LEAST_NOVELTY


def _has_new_numbers(proposal: Proposal, record: Record) -> bool:
    """Whether a proposal gives amounts, addresses or versions that the record does not: another answer in figures."""
    given = {number for sentence in proposal.arguments.sentences[1:] for number in NUMBER.findall(sentence.text)}
    return not given <= set(NUMBER.findall(record.body.text)) if given else False


def _retired(record: Record, theirs: Arguments, links: Links) -> Verdict:
    successors = links.successors(record)
    if successors:
        named = " and ".join(_called(each) for each in successors)
        return Verdict("related", f"{_called(record)} no longer stands: it was superseded by {named}. Read that one.")
    return Verdict("related", f"{_called(record)} is {record.status}; it said {_quoted(leading_sentence(theirs))}.")


def _rejected(record: Record, theirs: Arguments, against: Evidence | None, favouring: Evidence | None) -> Verdict:
    if favouring and not (against and against.way in PLAIN):
        core = f"was {record.status}{_status_line(record)}: {_quoted(favouring.theirs)}."
        return Verdict("conflicts", f"{_called(record)} said so and {core}", _capital(core))
    return Verdict(
        "related",
        f"{_called(record)} was {record.status}{_status_line(record)}; it said {_quoted(leading_sentence(theirs))}.",
    )


def _opposing(proposal: Proposal, record: Record, finding: Evidence) -> Verdict:
    quote = _quoted(finding.theirs)
    told: dict[str, str] = {
        "drops its choice": f"chose what the proposal drops: {quote}",
        "takes what it rejected": f"rejected what the proposal takes: {quote}{_detail(finding)}",
        "turns its rule": f"says the opposite: {quote}",
        "other answer": f"chose something else for the same purpose: {quote}",
        "other technology": f"chose another {finding.detail}: {quote}",
        "same question": f"answers the same question in another way: {quote}",
        "same context": f"decided the same problem in another way: {quote}",
        "revisits it": f"is taken up again: it decided {quote}",
        "named": f"is opposed by name: it decided {quote}",
    }
    said = told[finding.way]
    is_alone = len({sentence.text.rstrip(" .") for sentence in proposal.arguments.sentences}) == 1
    ours = "" if is_alone else f" The proposal: “{_cut(finding.ours)}”."
    return Verdict("conflicts", f"{_standing(record)} {said}.{ours}", f"{_capital(said)}.")


def _favouring(record: Record, finding: Evidence) -> str:
    quote = _quoted(finding.theirs)
    told: dict[str, str] = {
        "builds on it": f"The proposal builds on {_standing(record)}: {quote}.",
        "avoids what it rejected": f"{_standing(record)} is also against it: {quote}{_detail(finding)}.",
        "restates it": f"The proposal agrees with {_standing(record)}: {quote}.",
        "follows it": f"The proposal says that it follows {_standing(record)}: {quote}.",
    }
    return told[finding.way]


def _called(record: Record) -> str:
    """How people call a record: by its number and its name."""
    return f"ADR {record.number} “{record.name}”" if record.number is not None else f"“{record.name}”"


def _standing(record: Record) -> str:
    status = "" if record.status == UNKNOWN else f"{_capital(record.status)} "
    return f"{status}{_called(record)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _status_line(record: Record) -> str:
    return f" (line {record.status_text.first_line})" if record.status_text else ""


def _detail(finding: Evidence) -> str:
    return f" ({_cut(finding.detail)})" if finding.detail else ""


def _quoted(sentence: Sentence) -> str:
    return f"“{_cut(sentence.text)}” (line {sentence.line})"


def _cut(text: str) -> str:
    if len(text) <= LONGEST_QUOTE:
        return text.rstrip(" .")
    return f"{text[:LONGEST_QUOTE].rsplit(' ', 1)[0]} …"
