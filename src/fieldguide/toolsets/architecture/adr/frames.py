"""Sentences as what is done, to what, and how: "store X in Y" and "X is stored in Z" answer one question in two ways.

It is no grammar of English. It knows the few shapes in which people write what they decide: an order, a sentence with
"we", and a passive; anything else has no frame.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.amounts import amounts_in
from fieldguide.toolsets.architecture.adr.refusals import LONGEST_SENTENCE
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence

# Verbs that decide the same question; the first of each line stands for all of them.
VERBS = (
    "store keep save persist hold put retain archive",
    "write implement build develop code rewrite program rebuild create",
    "send ship deliver transmit pass publish return", "deploy release", "run host operate execute serve",
    "use adopt choose employ pick select take", "update upgrade", "delete remove purge erase drop", "retry repeat",
    "connect talk communicate speak call", "describe define declare document specify", "name spell",
    "test verify check", "render draw generate produce", "log record trace", "merge integrate", "review approve",
    "cache buffer", "encrypt protect secure", "split divide separate", "format style lint", "translate localise",
    "authenticate login identify", "represent model express", "throw raise", "version number", "fetch load pull read",
    "sign certify", "schedule trigger", "configure set", "validate check", "search find look", "manage provision",
)  # fmt: skip
SAME_VERB: Mapping[str, str] = {
    term: line.split()[0] for line in VERBS for word in line.split() for term in (*terms_of(word), word)
}
ANY_VERB = "*"
GROUPS = {
    "where": "in into on onto to at inside under beside within",
    "how": "by with via through over using as",
    "until": "for until",
    "when": "every each once twice after before during between daily weekly monthly hourly nightly yearly from",
}
GROUP_OF = {word: group for group, words in GROUPS.items() for word in words.split()}
PREPOSITION = re.compile(rf"\b({'|'.join(GROUP_OF)})\b", re.IGNORECASE)
OPENING = re.compile(
    r"^(?P<subject>(?:we|teams?|developers?|services?|everybody|you|they|let['’]s|please|let us)\s+(?:(?:will|would"
    r"|shall|should|must|can|could|may|want to|need to|always|now|have to)\s+)*)?(?P<verb>[a-z]{3,})\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
PASSIVE = re.compile(
    r"^(?P<object>.{2,120}?)\s(?:(?:will|shall|should|must|may|can)\s+)?(?:is|are|be|being|was|were|gets?)\s+"
    r"(?P<negation>not\s+|never\s+|no longer\s+)?(?:now\s+|always\s+|also\s+|only\s+|all\s+)*"
    r"(?P<verb>[a-z]{3,}(?:ed|en|t|n|d))(?:\s+(?:and|or)\s+(?P<second>[a-z]{3,}(?:ed|en|t|n|d)))?\b(?P<rest>.*)$",
    re.IGNORECASE,
)
KNOWN_VERBS = "|".join(sorted({word for line in VERBS for word in line.split()}))
ACTING = re.compile(
    rf"^(?P<object>(?:[\w'’-]+\s+){{1,5}}?)(?P<verb>{KNOWN_VERBS})\s+(?P<rest>.+)$",
    re.IGNORECASE,
)
NEGATED = re.compile(r"\b(?:not|never|no longer|without)\b", re.IGNORECASE)
ENDS = re.compile(
    r"\b(?:so that|because|since|which|that|when|while|if|unless|instead|rather|where)\b|[;:(]", re.IGNORECASE
)


class Frame(NamedTuple):
    """What a sentence has done, to what, and its phrases by the question that they answer."""

    verb: str
    object: frozenset[str]
    head: str
    phrases: Mapping[str, frozenset[str]]
    figures: Mapping[str, float]
    sentence: Sentence


def frames_of(sentence: Sentence) -> Iterator[Frame]:
    """The frames of a sentence that says how something is done; one that says how it is not done has none."""
    text = ENDS.split(sentence.text[:LONGEST_SENTENCE], maxsplit=1)[0]
    passive = PASSIVE.match(text)
    if passive:
        for verb in (passive.group("verb"), passive.group("second") or "") if not passive.group("negation") else ():
            yield from _frame(verb, passive.group("object"), passive.group("rest"), sentence)
        return
    if NEGATED.search(text):
        return
    order = OPENING.match(text)
    if order and (order.group("verb").lower() in SAME_VERB or not order.group("subject")):
        verb, rest = order.group("verb"), order.group("rest")
        turn = PREPOSITION.search(rest)
        at = turn.start() if turn else len(rest)
        yield from _frame(verb, rest[:at], rest[at:], sentence)
        yield from _used(verb, rest, sentence)
    acting = ACTING.match(text)
    if acting:
        yield from _frame(acting.group("verb"), acting.group("object"), acting.group("rest"), sentence)


def _used(verb: str, rest: str, sentence: Sentence) -> Iterator[Frame]:
    """To use X for Y says that Y is done with X, whatever is done."""
    thing, mark, purpose = rest.partition(" for ")
    terms = terms_of(purpose)
    if _verb(verb) == "use" and mark and terms:
        how = {"how": frozenset(terms_of(thing))}
        yield Frame(ANY_VERB, frozenset(terms), terms[-1], how, {}, sentence)


def _frame(verb: str, thing: str, rest: str, sentence: Sentence) -> Iterator[Frame]:
    name = _verb(verb)
    terms = terms_of(thing)
    if name and terms:
        yield Frame(name, frozenset(terms), terms[-1], _phrases(rest), amounts_in(rest), sentence)


def _verb(word: str) -> str:
    terms = terms_of(word)
    lowered = word.lower()
    return SAME_VERB.get(lowered) or (SAME_VERB.get(terms[0], terms[0]) if terms else "")


def _phrases(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    marks = list(PREPOSITION.finditer(text))
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        group = GROUP_OF[mark.group(1).lower()]
        terms = frozenset(terms_of(text[mark.end() : end]))
        found[group] = found.get(group, frozenset()) | terms
    return {group: terms for group, terms in found.items() if terms}
