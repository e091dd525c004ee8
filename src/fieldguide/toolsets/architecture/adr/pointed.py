"""What a short proposal takes, drops and names: every word of it is meant.

An agent proposes in a sentence or two. There is no room in them for anything beside the point, so that a word of it
that a record refused counts for much more than the same word in a long text.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.claims import NEGATION, TURNS, Claim, claims_of, without_reason
from fieldguide.toolsets.architecture.adr.frames import Frame, frames_of
from fieldguide.toolsets.architecture.adr.names import names_in
from fieldguide.toolsets.architecture.adr.refusals import BARE_AGAINST, LONGEST_SENTENCE, until_turn
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence

MOST_WORDS = 60
MOST_WORDS_IN_PARAGRAPHS = 20
PLAIN_DROP = 2
# What is placed somewhere: "store orders in X", "send mail through X", "turn the site into X" take X for the rest.
PLACED = re.compile(
    r"(?:^|[.:;]\s+|\b(?:and|to|will|should|must|could|can|let['’]s)\s+)[a-z]+\s+(?P<role>[^.;:]{2,80}?)\s+"
    r"(?:in|into|on|onto|to|with|through|via|over|by|using)\s+(?P<take>[^.;:]{2,100})",
    re.IGNORECASE,
)
BACK = re.compile(
    r"\b(?:go|going|return|revert|back|stay|remain)\w*\s+(?:back\s+)?(?:to|on|with)\s+(?P<take>[^.;]{2,80})",
    re.IGNORECASE,
)
WE_WILL = r"^(?:we (?:will|should|want to|could|can|must|need to)\s+|let['’]s\s+)?"
CHANGES = re.compile(
    rf"{WE_WILL}(?:mov|migrat|replac|split"
    r"|convert|rewrit|chang|go|return|revert|extract|break|port|transition|relocat|renam)\w*\s"
    rf"|{WE_WILL}(?:switch|turn)\w*\s(?!off)",
    re.IGNORECASE,
)


class Pointed(NamedTuple):
    """A short proposal: its terms, those that it is for, by sentence too, what it takes and drops, and its names."""

    said: frozenset[str]
    taken: frozenset[str]
    sentences: tuple[frozenset[str], ...]
    things: tuple[Claim, ...]
    dropped: tuple[Claim, ...]
    names: frozenset[str]
    text: str
    is_turned_twice: bool
    frames: tuple[Frame, ...]


def point_of(sentences: Sequence[Sentence], *, most_words: int) -> Pointed | None:
    """What a proposal of a few words says; `None` for a longer one."""
    kept = _distinct(sentences)
    bare = [Sentence(without_reason(sentence.text), sentence.line) for sentence in kept]
    if sum(len(sentence.text.split()) for sentence in bare) > most_words:
        return None
    claims = [claim for sentence in bare for claim in (*claims_of([sentence]), *placed(sentence))]
    turned = {sentence for sentence in bare if _turns_twice(sentence.text)}
    dropped = [
        *(claim for claim in claims if not claim.is_for and claim.sentence not in turned),
        *(claim for sentence in bare if sentence not in turned for claim in _bare_against(sentence)),
    ]
    things = tuple(claim for claim in claims if claim.is_for)
    left = frozenset[str]().union(*(claim.core for claim in dropped))
    plainly = frozenset[str]().union(*(claim.core for claim in dropped if len(claim.core) <= PLAIN_DROP))
    back = frozenset[str]().union(*(claim.core for claim in things)) - plainly
    each = [frozenset(terms_of(sentence.text)) for sentence in bare]
    said = frozenset[str]().union(*each)
    return Pointed(
        said=said,
        taken=(said - left) | back,
        sentences=tuple(terms & ((said - left) | back) for terms in each),
        things=things,
        dropped=tuple(dropped),
        names=frozenset(name for sentence in bare for name in names_in(sentence.text)),
        text=kept[0].text if kept else "",
        is_turned_twice=bool(turned),
        frames=tuple(frame for sentence in bare for frame in frames_of(sentence)),
    )


def placed(sentence: Sentence) -> Iterator[Claim]:
    """What a sentence takes by putting something else into it, or by going back to it."""
    text = sentence.text[:LONGEST_SENTENCE]
    for match in PLACED.finditer(text):
        terms = terms_of(until_turn(match.group("take")))
        if terms and not _is_negated_before(text, match.start()):
            yield Claim(True, frozenset(terms), frozenset(terms_of(match.group("role"))), sentence, terms[-1])
    for match in BACK.finditer(text):
        terms = terms_of(until_turn(match.group("take")))
        if terms:
            yield Claim(True, frozenset(terms), frozenset(), sentence, terms[0])


def _turns_twice(text: str) -> bool:
    """Whether a sentence is against being against: "reject changes without tests"."""
    turns = len(TURNS.findall(text))
    return turns > 0 and turns % 2 == 0


def _distinct(sentences: Sequence[Sentence]) -> list[Sentence]:
    """A proposal of one line is its own title: each sentence once."""
    kept: dict[str, Sentence] = {}
    for sentence in sentences:
        key = sentence.text.rstrip(" .!")
        if not any(key in known for known in kept):
            kept = {known: other for known, other in kept.items() if known not in key}
            kept[key] = sentence
    return list(kept.values())


def _is_negated_before(text: str, start: int) -> bool:
    return bool(re.search(rf"\b{NEGATION}\s*$", text[:start], re.IGNORECASE))


def _bare_against(sentence: Sentence) -> Iterator[Claim]:
    for match in BARE_AGAINST.finditer(sentence.text):
        core = until_turn(match.group("drop"))
        terms = terms_of(core)
        if terms:
            role = frozenset(terms_of(match.group("drop")[len(core) :]))
            yield Claim(False, frozenset(terms), role, sentence, terms[-1])
