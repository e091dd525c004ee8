"""What ranks a record or a proposal; it depends on the text alone, so that it is made once for each text."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldguide.decisions.finding.terms import terms_of
from fieldguide.decisions.reading.prose import plain_text
from fieldguide.decisions.reading.record import Passage, Record

TITLE_WEIGHT = 4.0  # a title names the question; 8 and 2 put fewer superseded records first, on PEPs and ADRs alike
FIELD_CHARACTERS = 6000
VECTOR_CHARACTERS = 2500


class Outline(NamedTuple):
    """How strongly a text speaks of each term, the terms of its title, and the two texts that vectors are made from."""

    strengths: Mapping[str, float]
    subject: frozenset[str]
    title: str
    whole: str


def outline_of(record: Record) -> Outline:
    """What ranks a record: its title and question, what it decides, and why."""
    options = " ".join(option.text for option in (*record.chosen, *record.considered))
    question = record.question.text if record.question else ""
    return make_outline(record.name, question, f"{options} {_joined(record.decision)}", _joined(record.context))


def make_outline(title: str, question: str, decision: str, context: str) -> Outline:
    """What ranks a text of these four fields."""
    subject = terms_of(f"{title} {question}")
    strengths = Counter(terms_of(f"{decision} {context}"))
    weighed = {term: float(times) for term, times in strengths.items()}
    for term in subject:
        weighed[term] = weighed.get(term, 0.0) + TITLE_WEIGHT
    return Outline(weighed, frozenset(subject), title, f"{title}. {decision} {context}"[:VECTOR_CHARACTERS])


def _joined(passages: Sequence[Passage]) -> str:
    return plain_text("\n".join(passage.text for passage in passages)[:FIELD_CHARACTERS])
