"""What a record turns down by name in running text: "Next.js and Remix were turned down", "we do not use Redux".

An option in a list was turned down for one question. A sentence without a "for" or an "in" turns a thing down for the
whole project, so that whoever takes it, for whatever, goes against the record.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.claims import without_reason
from fieldguide.toolsets.architecture.adr.names import names_in
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Record

MOST_SENTENCES = 40
LONGEST_SENTENCE = 400
# One of these is in every sentence that turns something down; to look for them first is much quicker.
SIGNAL = re.compile(
    r"turned down|reject|ruled out|dismiss|discard|declin|\bnot\b|n['’]t\b|never|remov|drop|phased out|no longer|replac"
    r"|decided against",
    re.IGNORECASE,
)
PASSIVE = re.compile(
    r"(?:^|[,;:]\s|\bbut\s|\bwhile\s)(?P<drop>[^,;:]{2,60}?(?:,[^,;:]{2,40}?)*?)\s+"
    r"(?:(?:was|were|is|are|has been|have been|will be|got)\s+)(?:also\s+|all\s+|both\s+|therefore\s+)*"
    r"(?:(?:considered|evaluated|discussed|looked at)(?:,)?\s+(?:and|but)\s+(?:then\s+|was\s+|were\s+)*)?"
    r"(?:turned down|rejected|ruled out|dismissed|discarded|declined|not (?:be\s+)?(?:chosen|used|adopted|selected)"
    r"|not allowed|not permitted|removed|dropped|phased out|no longer used)\b(?P<rest>[^.;]{0,80})",
    re.IGNORECASE,
)
ACTIVE = re.compile(
    r"\b(?:we (?:do not|don['’]t|will not|won['’]t|no longer|never) (?:use|adopt|want)"
    r"|(?:we )?(?:rejected|dismissed|ruled out|turned down|decided against)(?: using)?"
    r"|replac(?:es|ing) (?:our|the|all) (?:\w+ )?use of)\s+(?P<drop>[^.;:(]{2,80})(?P<rest>)",
    re.IGNORECASE,
)
PAST = re.compile(
    r"\b(?:we (?:were|had been) using|we used to (?:use|have)|(?:previously|formerly|in the past|until now|so far),? we"
    r" (?:have )?used?)\s+(?P<drop>[^.;:(,]{2,80})(?P<rest>)",
    re.IGNORECASE,
)
LIMITED = re.compile(r"\b(?:for|in|on|as|inside|within|outside|between|when|where|if|to|from|with|at)\b", re.IGNORECASE)
DATED = re.compile(r"\b(?:by|in|on|from|at) (?:Q\d|\d|the end|end|january|next|version)[^.;]*", re.IGNORECASE)


class Dismissal(NamedTuple):
    """Something that was turned down: its terms, the names among them, and where it does not count elsewhere."""

    terms: frozenset[str]
    names: frozenset[str]
    is_limited: bool
    within: frozenset[str]
    is_past: bool
    sentence: Sentence


def dismissals_of(record: Record, decision: Sequence[Sentence]) -> Iterator[Dismissal]:
    """What a record turns down in its decision, its context or its status, and what it says was used before."""
    status = sentences_of(record.status_text) if record.status_text else []
    context = [sentence for passage in record.context for sentence in sentences_of(passage)][:MOST_SENTENCES]
    for sentence in (*decision[:MOST_SENTENCES], *status, *context):
        text = without_reason(sentence.text[:LONGEST_SENTENCE])
        for pattern in (PASSIVE, ACTIVE) if SIGNAL.search(text) else ():
            for match in pattern.finditer(text):
                yield from _dismissed(match, sentence, is_past=False)
    for sentence in context:
        for match in PAST.finditer(sentence.text[:LONGEST_SENTENCE]):
            yield from _dismissed(match, sentence, is_past=True)


def _dismissed(match: re.Match[str], sentence: Sentence, *, is_past: bool) -> Iterator[Dismissal]:
    said, rest = match.group("drop"), DATED.sub("", match.group("rest"))
    turn = LIMITED.search(said)
    thing, limit = (said[: turn.start()], said[turn.start() :]) if turn else (said, "")
    limit += rest if LIMITED.match(rest.strip()) else ""
    terms = frozenset(terms_of(thing))
    if terms:
        names = frozenset(names_in(f"The {thing.strip()}")) & terms
        yield Dismissal(terms, names, bool(limit.strip()), frozenset(terms_of(limit)), is_past, sentence)
