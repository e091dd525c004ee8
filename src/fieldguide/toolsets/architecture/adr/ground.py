"""What a record holds for and against: what a short proposal is compared with."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.amounts import amounts_in
from fieldguide.toolsets.architecture.adr.claims import NEGATION, claims_of, without_reason
from fieldguide.toolsets.architecture.adr.dismissals import Dismissal, dismissals_of
from fieldguide.toolsets.architecture.adr.frames import Frame, frames_of
from fieldguide.toolsets.architecture.adr.kinds import KIND_OF
from fieldguide.toolsets.architecture.adr.names import names_in
from fieldguide.toolsets.architecture.adr.pointed import placed
from fieldguide.toolsets.architecture.adr.refusals import (
    MOST_RULES,
    ORDERS,
    OVER,
    TITLE_AGAINST,
    Limit,
    Thing,
    limits_of,
    option_lines,
    refusals_of,
    ruling_consequences,
)
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence, plain_text
from fieldguide.toolsets.architecture.decisions.reading.record import Record

LEADING = 3
SHORT_TITLE = 3
CONTEXT_CHARACTERS = 600
NEGATIVE = re.compile(rf"\b(?:{NEGATION}|no|neither|nor|decided against)\b", re.IGNORECASE)


class Ground(NamedTuple):
    """What a record holds.

    `core` are the words of its choice, `lead` those of its first sentences, `about` those of its problem too. `called`
    are the names in its title and its chosen options, `picked` those that it chooses in so many words, `chosen` all in
    sentences that refuse nothing. `variants` are the terms of its title and of each chosen option.
    """

    core: frozenset[str]
    lead: frozenset[str]
    about: frozenset[str]
    choices: tuple[Thing, ...]
    refused: tuple[Thing, ...]
    options: tuple[Thing, ...]
    limits: tuple[Limit, ...]
    names: frozenset[str]
    title: frozenset[str]
    title_line: int
    has_title_claim: bool
    called: frozenset[str]
    picked: frozenset[str]
    frames: tuple[Frame, ...]
    figures: tuple[tuple[Sentence, frozenset[str], Mapping[str, float]], ...]
    dismissed: tuple[Dismissal, ...]
    chosen: frozenset[str]
    variants: tuple[frozenset[str], ...]


def ground_of(record: Record, title: Sentence, decision: Sequence[Sentence]) -> Ground:
    """What a record holds."""
    leading = [sentence for sentence in decision if len(sentence.text.split()) > 1][:LEADING]
    refused = refusals_of(record, title, [*decision, *ruling_consequences(record)])
    dismissed = tuple(dismissals_of(record, decision))
    chosen = [Sentence(option.text, option.line) for option in record.chosen]
    refusing = frozenset[str]().union(*(thing.terms for thing in refused if thing.sentence == title))
    said = [] if TITLE_AGAINST.match(title.text) else [title]
    choices = [
        Thing(frozenset(terms_of(_before_drop(sentence.text))), sentence) for sentence in (*said, *chosen, *leading)
    ]
    lead = frozenset(term for sentence in (title, *chosen, *leading) for term in terms_of(sentence.text))
    names = frozenset(name for thing in choices for name in names_in(thing.sentence.text)) - refusing
    context = plain_text(" ".join(passage.text for passage in record.context)[:CONTEXT_CHARACTERS])
    positive = tuple(thing for thing in choices if thing.terms and _is_choice(thing.sentence))
    picked = names & _picked(said, chosen, [sentence for sentence in leading if _is_choice(sentence)])
    called = names & frozenset(term for sentence in (*said, *chosen) for term in terms_of(sentence.text))
    left = frozenset[str]().union(*(each.names for each in dismissed))
    return Ground(
        core=frozenset[str]().union(*(thing.terms for thing in choices[: len(said) + len(chosen) + 1])) - refusing,
        lead=lead,
        about=lead | frozenset(terms_of(context)),
        choices=positive,
        refused=tuple(refused),
        options=tuple(option_lines(record, title)),
        limits=tuple(limit for sentence in (title, *decision[:MOST_RULES]) for limit in limits_of(sentence)),
        names=names,
        title=frozenset(terms_of(title.text)),
        title_line=title.line,
        has_title_claim=bool(claims_of([title]) or names & _picked(said, [], [])),
        frames=tuple(frame for sentence in (title, *chosen, *decision[:MOST_RULES]) for frame in frames_of(sentence)),
        figures=tuple(
            (sentence, frozenset(terms_of(sentence.text)), found)
            for sentence in (title, *decision[:MOST_RULES])
            if (found := amounts_in(sentence.text))
        ),
        dismissed=dismissed,
        chosen=_chosen(names & frozenset[str]().union(*(thing.terms for thing in positive)) - left, called | picked),
        variants=tuple(_kept(sentence) for sentence in (*said, *chosen)),
        picked=picked,
        called=called,
    )


def _chosen(names: frozenset[str], plainly: frozenset[str]) -> frozenset[str]:
    """The names that are chosen: not one that stands beside another of its kind that is plainly chosen."""
    kinds = {KIND_OF[name] for name in plainly if name in KIND_OF}
    return frozenset(name for name in names if name in plainly or KIND_OF.get(name) not in kinds)


def _kept(sentence: Sentence) -> frozenset[str]:
    """The terms of a title or an option without what it drops: "replace A by B" chooses B."""
    dropped = (claim.core for claim in claims_of([sentence]) if not claim.is_for)
    return frozenset(terms_of(_before_drop(sentence.text))).difference(*dropped)


def _picked(title: Sequence[Sentence], chosen: Sequence[Sentence], leading: Sequence[Sentence]) -> frozenset[str]:
    """The terms that are chosen in so many words; in a title without a verb, what it opens with or all it says."""
    claims = [claim for each in (*title, *leading) for claim in (*claims_of([each]), *placed(each)) if claim.is_for]
    found = frozenset[str]().union(*(claim.core for claim in claims), *(terms_of(each.text) for each in chosen))
    for sentence in title:
        terms = terms_of(sentence.text)
        if len(terms) <= SHORT_TITLE:
            found |= frozenset(terms)
        elif re.match(r"^\S+(?:\s\S+)?\s(?:for|as)\b", sentence.text):
            found |= frozenset(terms[:2])
    return found


def _is_choice(sentence: Sentence) -> bool:
    return not NEGATIVE.search(sentence.text) and not ORDERS.match(sentence.text)


def _before_drop(text: str) -> str:
    """A sentence up to where it says what it is not."""
    bare = without_reason(text)
    cut = re.search(r"\b(?:without|instead of|rather than|as opposed to|not)\b", bare, re.IGNORECASE)
    over = OVER.search(bare)
    end = min([match.start("drop") if match is over else match.start() for match in (cut, over) if match], default=0)
    return bare[:end] if end > 2 else bare
