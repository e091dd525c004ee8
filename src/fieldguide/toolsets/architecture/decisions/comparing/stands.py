"""Where a record and a proposal stand: what each takes, what each drops, and on which question."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.decisions.comparing.clauses import Said, clauses_of, phrases_of
from fieldguide.toolsets.architecture.decisions.finding.outline import Outline, make_outline
from fieldguide.toolsets.architecture.decisions.finding.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence, plain_text, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Option, Passage, Record

MOST_SENTENCES = 80
BODY_CHARACTERS = 12_000
LONGEST_TITLE = 160
SHORT_SENTENCES = 4


class Stand(NamedTuple):
    """What a text takes and drops; `answers` are its sentences that say what is chosen, the best first."""

    subject: frozenset[str]
    chosen: tuple[Said, ...]
    taken: tuple[Said, ...]
    refused: tuple[Said, ...]
    words: frozenset[str]
    phrases: frozenset[frozenset[str]]
    answers: tuple[Sentence, ...]


class Proposal(NamedTuple):
    """A proposal that was read; `named` are the records that it names, by their numbers in the collection."""

    outline: Outline
    stand: Stand
    sentences: tuple[Sentence, ...]
    is_short: bool
    has_title: bool
    named: frozenset[int]


def stand_of(record: Record) -> Stand:
    """Where a record stands: by its options where it lists any, else by its answer and its title; by its decision."""
    title = Sentence(record.name, record.title_line)
    decision = [each for passage in record.decision for each in sentences_of(passage)][:MOST_SENTENCES]
    answer = sentences_of(record.answer) if record.answer else decision[:1]
    told = clauses_of([title, *answer, *(each for each in decision if each not in answer)])
    taken = [each for each in told if each.is_taken]
    leading = [each for each in taken if each.sentence in (title, *answer)]
    chosen = _said(record.chosen, is_taken=True) or leading
    settled = frozenset(term for each in (*chosen, *leading) for term in each.terms)
    refused = [each for each in _said(record.rejected, is_taken=False) if not settled.issuperset(each.terms)]
    question = record.question.text if record.question else ""
    subject = frozenset(terms_of(" ".join((record.name, question, *(each.text for each in record.chosen)))))
    answers = [Sentence(each.text, each.line) for each in record.chosen] + [*answer, title]
    return Stand(
        subject=subject,
        chosen=tuple(chosen),
        taken=tuple(taken),
        refused=(*refused, *(each for each in told if not each.is_taken)),
        words=frozenset(terms_of(plain_text(record.body.text[:BODY_CHARACTERS]))) | subject,
        phrases=frozenset(phrase for each in chosen for phrase in each.phrases).union(phrases_of(record.name)),
        answers=tuple(answers),
    )


def _said(options: Sequence[Option], *, is_taken: bool) -> list[Said]:
    found = [(phrases_of(each.text), Sentence(each.text, each.line)) for each in options]
    return [Said(phrases, sentence, is_taken, is_option=True) for phrases, sentence in found if phrases]


def read_proposal(description: str, context: str, named: Mapping[int, str]) -> Proposal:
    """Take a proposal apart; its first line, or its first sentence, is its title."""
    has_title = "\n" in description.strip()
    sentences = tuple(sentences_of(Passage(description, 1, description.count("\n") + 1)))[:MOST_SENTENCES]
    title = sentences[0].text[:LONGEST_TITLE] if sentences else ""
    said = clauses_of(sentences)
    taken = tuple(each for each in said if each.is_taken)
    dropped = tuple(each for each in said if not each.is_taken)
    words = frozenset(term for each in sentences for term in terms_of(each.text))
    plain = plain_text(context)
    stand = Stand(frozenset(terms_of(title)), taken, taken, dropped, words, frozenset(), sentences)
    outline = make_outline(title, "", " ".join(each.text for each in sentences[1:]), plain)
    return Proposal(outline, stand, sentences, len(sentences) <= SHORT_SENTENCES, has_title, frozenset(named))
