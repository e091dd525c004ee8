"""Where a record and a proposal stand: what each takes, what each drops, and on which question."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldguide.decisions.comparing.clauses import (
    Said,
    clauses_of,
    dropped_of,
    options_of,
    taken_of,
    terms_in,
)
from fieldguide.decisions.finding.outline import Outline, make_outline
from fieldguide.decisions.finding.ranking import FEW
from fieldguide.decisions.finding.terms import terms_of
from fieldguide.decisions.reading.prose import Sentence, plain_text, sentences_of
from fieldguide.decisions.reading.record import Option, Passage, Record

MOST_SENTENCES = 80
BODY_CHARACTERS = 12_000
LONGEST_TITLE = 160


class Stand(NamedTuple):
    """Where a record stands; `answers` are the sentences that say what it chose, the best first."""

    subject: frozenset[str]
    chosen: tuple[Said, ...]
    taken: tuple[Said, ...]
    refused: tuple[Said, ...]
    words: frozenset[str]
    answers: tuple[Sentence, ...]
    sentences: frozenset[str]


class Proposal(NamedTuple):
    """A proposal that was read; `named` are the records that it names, by their number in the collection."""

    outline: Outline
    taken: tuple[Said, ...]
    dropped: tuple[Said, ...]
    sentences: tuple[Sentence, ...]
    has_title: bool
    named: Mapping[int, str]

    @property
    def is_short(self) -> bool:
        """Whether it is a sentence or two, where every word is meant."""
        return len(self.sentences) - self.has_title <= FEW


def stand_of(record: Record) -> Stand:
    """Where a record stands: by its options where it lists any, else by its answer and its title; by its decision."""
    title = Sentence(record.name, record.title_line)
    decision = [each for passage in record.decision for each in sentences_of(passage)][:MOST_SENTENCES]
    answer = sentences_of(record.answer) if record.answer else decision[:1]
    options = _sentences(record.chosen)
    told = clauses_of([*dict.fromkeys((title, *answer, *decision))])
    taken = taken_of(told)
    leading = tuple(each for each in taken if each.sentence in (title, *answer))
    chosen = tuple(options_of(options, is_taken=True)) or leading
    question = record.question.text if record.question else ""
    subject = frozenset(terms_of(" ".join((record.name, question, *(each.text for each in options)))))
    return Stand(
        subject=subject,
        chosen=chosen,
        taken=taken,
        refused=(*_rejected(record, (*chosen, *leading)), *dropped_of(told)),
        words=frozenset(terms_of(plain_text(record.body.text[:BODY_CHARACTERS]))) | subject,
        answers=(*options, *answer, title),
        sentences=frozenset(each.text for each in (title, *decision, *answer, *options)),
    )


def _sentences(options: Sequence[Option]) -> list[Sentence]:
    return [Sentence(each.text, each.line) for each in options]


def _rejected(record: Record, chosen: Sequence[Said]) -> list[Said]:
    """The options that were turned down; where the record does not say which, those that are not in its choice."""
    settled = terms_in(chosen)
    options = options_of(_sentences(record.rejected or record.considered), is_taken=False)
    if record.rejected:
        return [each for each in options if not each.terms <= settled]
    return [each for each in options if 2 * len(each.terms & settled) < len(each.terms)]


def read_proposal(description: str, context: str, named: Mapping[int, str]) -> Proposal:
    """Take a proposal apart; its first line, or its first sentence, is its title."""
    sentences = sentences_of(Passage(description, 1, description.count("\n") + 1))[:MOST_SENTENCES]
    title = sentences[0].text[:LONGEST_TITLE] if sentences else ""
    said = clauses_of(sentences)
    return Proposal(
        outline=make_outline(title, "", " ".join(each.text for each in sentences[1:]), plain_text(context)),
        taken=taken_of(said),
        dropped=dropped_of(said),
        sentences=tuple(sentences),
        has_title="\n" in description.strip(),
        named=named,
    )
