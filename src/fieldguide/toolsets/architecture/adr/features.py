"""What is compared when a proposal meets a record: terms, claims and rules, each with its line.

They depend on the text alone, so that they are made once for each text.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.claims import (
    Claim,
    claims_of,
    head_of,
    is_negated,
    make_claim,
    without_reason,
)
from fieldguide.toolsets.architecture.adr.ground import Ground, ground_of
from fieldguide.toolsets.architecture.adr.kinds import KIND_OF
from fieldguide.toolsets.architecture.adr.pointed import MOST_WORDS, MOST_WORDS_IN_PARAGRAPHS, Pointed, point_of
from fieldguide.toolsets.architecture.adr.ranking import term_strengths
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence, plain_text, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Option, Passage, Record, Reference
from fieldguide.toolsets.architecture.decisions.reading.references import mentions_in

Place = Literal["title", "option", "decision"]

TOPIC_FIRST = re.compile(r"^(?P<role>.{3,80}?)\s+(?:using|uses?|via|based on)\s+(?P<core>.{2,80})$", re.IGNORECASE)
THING_FIRST = re.compile(r"^(?P<core>.{2,80}?)\s+as\s+(?P<role>.{2,120})$", re.IGNORECASE)
NUMBERED = re.compile(r"^[#\s>*_-]*(?:(?:ADR|RFC)[-\s#]*\d*\s*[:.\-–—]*\s*|\d{1,4}\s*[.:)]\s+)?", re.IGNORECASE)
LONGEST_TITLE = 160
LONGEST_RULE = 40
MOST_SENTENCES = 80
FIELD_CHARACTERS = 6000
BODY_CHARACTERS = 12_000
SHINGLE = 4
VECTOR_CHARACTERS = 2500


class Stance(NamedTuple):
    """A claim and where it was made: a title or a chosen option says more than a sentence in the middle."""

    claim: Claim
    place: Place
    detail: str = ""


class Rule(NamedTuple):
    """A short sentence of a decision as a whole: what it speaks of and whether it is against it."""

    is_for: bool
    terms: frozenset[str]
    sentence: Sentence


class Title(NamedTuple):
    """A title taken apart: the thing and the question that it answers, where the title has both."""

    terms: frozenset[str]
    core: frozenset[str]
    role: frozenset[str]
    is_choice: bool


class Outline(NamedTuple):
    """What ranks a record, made for each: how strongly it speaks of each term, and what its vector is made from."""

    strengths: Mapping[str, float]
    kinds: frozenset[str]
    vector_text: str


class Arguments(NamedTuple):
    """What is compared once a record is ranked high enough; `context` are runs of terms, as numbers."""

    title: Title
    stances: tuple[Stance, ...]
    rules: tuple[Rule, ...]
    context: frozenset[int]
    sentences: tuple[Sentence, ...]
    ground: Ground | None = None


class Proposal(NamedTuple):
    """A proposal that was read."""

    name: str
    outline: Outline
    arguments: Arguments
    mentions: tuple[Reference, ...]
    point: Pointed | None


def outline_of(record: Record) -> Outline:
    """What ranks a record."""
    decision = plain_text("\n".join(passage.text for passage in record.decision)[:FIELD_CHARACTERS])
    context = plain_text("\n".join(passage.text for passage in record.context)[:FIELD_CHARACTERS])
    options = " ".join(option.text for option in (*record.chosen, *record.considered))
    return _outline(record.name, f"{options} {decision}", context, rest=plain_text(_remainder(record)))


def _remainder(record: Record) -> str:
    """What a record says beside its decision and its context, which are not read twice."""
    told = {
        line
        for passage in (*record.decision, *record.context)
        for line in range(passage.first_line, passage.last_line + 1)
    }
    lines = record.body.text[:BODY_CHARACTERS].splitlines()
    return "\n".join(line for number, line in enumerate(lines, start=record.body.first_line) if number not in told)


def arguments_of(record: Record) -> Arguments:
    """What is compared of a record."""
    decision = [sentence for passage in record.decision for sentence in sentences_of(passage)]
    context = terms_of(" ".join(plain_text(passage.text) for passage in record.context))
    options = [*_options(record.chosen, is_for=True), *_options(record.rejected, is_for=False)]
    title = Sentence(record.name, record.title_line)
    arguments = _arguments(title, decision[:MOST_SENTENCES], context, options)
    return arguments._replace(ground=ground_of(record, title, decision))


def read_proposal(description: str, context: str) -> Proposal:
    """Take a proposal apart; its first line, or its first sentence, is its title."""
    name, rest, first = _opening(description)
    body = sentences_of(Passage(rest, first, first + rest.count("\n"))) if rest.strip() else []
    plain = plain_text(context)
    outline = _outline(name, " ".join(sentence.text for sentence in body), plain, rest="")
    arguments = _arguments(Sentence(name, 1), body[:MOST_SENTENCES], terms_of(plain), ())
    has_paragraphs = "\n" in description.strip()
    point = point_of(arguments.sentences, most_words=MOST_WORDS_IN_PARAGRAPHS if has_paragraphs else MOST_WORDS)
    return Proposal(name, outline, arguments, mentions_in(f"{description}\n\n{context}"), point)


def _outline(name: str, decision: str, context: str, *, rest: str) -> Outline:
    terms = terms_of(decision)
    strengths = term_strengths(terms_of(name), terms, terms_of(context), terms_of(rest))
    kinds = frozenset(KIND_OF[term] for term in (*terms, *terms_of(name)) if term in KIND_OF)
    return Outline(strengths, kinds, f"{name}. {decision} {context}"[:VECTOR_CHARACTERS])


def _arguments(
    title: Sentence, decision: Sequence[Sentence], context: Sequence[str], options: Sequence[Stance]
) -> Arguments:
    in_title = claims_of([title])
    return Arguments(
        title=_title_parts(title, in_title),
        stances=(
            *(Stance(claim, "title") for claim in _title_claims(title, in_title)),
            *options,
            *(Stance(claim, "decision") for claim in claims_of(decision)),
        ),
        rules=tuple(_rules([title, *decision])),
        context=_shingles(context),
        sentences=(title, *decision),
    )


def _opening(description: str) -> tuple[str, str, int]:
    """The title of a proposal, the rest of it, and the line that the rest begins on."""
    lines = description.splitlines()
    at = next((number for number, line in enumerate(lines) if line.strip()), 0)
    first = plain_text(NUMBERED.sub("", lines[at], count=1)) if lines else ""
    rest = "\n".join(lines[at + 1 :])
    if len(first) <= LONGEST_TITLE and rest.strip():
        return first, rest, at + 2
    opening, mark, _ = first.partition(". ")
    if mark and len(opening) <= LONGEST_TITLE:
        return opening, description, 1
    return first[:LONGEST_TITLE], description, 1


def _options(options: Sequence[Option], *, is_for: bool) -> list[Stance]:
    found: list[Stance] = []
    for option in options:
        sentence = Sentence(option.text, option.line)
        named = [claim for claim in claims_of([sentence]) if claim.is_for] or [
            make_claim(option.text, sentence, is_for=True)
        ]
        found += [Stance(claim._replace(is_for=is_for), "option", option.reason) for claim in named if claim.core]
    return found


def _title_claims(title: Sentence, found: list[Claim]) -> list[Claim]:
    """The claims of a title; one without a verb is for what it names."""
    if found:
        return found
    parts = _title_parts(title, found)
    head = head_of([term for term in terms_of(title.text) if term in parts.core])
    return [Claim(not is_negated(title.text), parts.core, parts.role, title, head)] if parts.core else []


def _title_parts(title: Sentence, found: list[Claim]) -> Title:
    terms = frozenset(terms_of(title.text))
    for pattern in (TOPIC_FIRST, THING_FIRST) if found else (TOPIC_FIRST,):
        match = pattern.match(title.text)
        core, role = (frozenset(terms_of(match.group(part))) for part in ("core", "role")) if match else (None, None)
        if core and role:
            return Title(terms, core, role, is_choice=True)
    claim = next((claim for claim in found if claim.is_for), None)
    if claim:
        return Title(terms, claim.core, claim.role, is_choice=True)
    return Title(terms, terms, frozenset(), is_choice=False)


def _rules(sentences: Sequence[Sentence]) -> list[Rule]:
    found: list[Rule] = []
    for sentence in sentences:
        text = without_reason(sentence.text)
        terms = frozenset(terms_of(text))
        if len(terms) >= 2 and len(text.split()) <= LONGEST_RULE:
            found.append(Rule(not is_negated(text), terms, sentence))
    return found


def _shingles(terms: Sequence[str]) -> frozenset[int]:
    return frozenset(hash(tuple(terms[at : at + SHINGLE])) for at in range(len(terms) - SHINGLE + 1))
