"""What a record refuses, by its title, its options and its rules, and what it allows only in one way."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.claims import claims_of, without_reason
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence, plain_text, sentences_of
from fieldguide.toolsets.architecture.decisions.reading.record import Option, Record

MOST_RULES = 20
MOST_REFUSALS = 40
LONGEST_OPTION = 40
LONGEST_SENTENCE = 600
BARE_AGAINST = re.compile(
    r"(?:^(?:do not|don['’]t|stop|no longer|abolish|cancel|scrap|skip|ignore|bypass|lift|give up)"
    r"|\bwithout(?: an?| any| the| using)?|\bno|\bnever|\bagainst(?: the)?(?: use of)?"
    r"|\binstead of(?: using)?|\brather than(?: using)?)\s+(?P<drop>[^.,;:()]{2,80})",
    re.IGNORECASE,
)
TITLE_AGAINST = re.compile(
    r"^(?:no|never|remov\w+|drop\w*|disabl\w+|deprecat\w+|forbid\w*|ban\w*|avoid\w*|against|do not|don['’]t|stop)\b",
    re.IGNORECASE,
)
OVER = re.compile(
    r"\b(?:prefer|choos|chos|favou?r|pick|select|adopt|us)\w*\s.{2,60}?\bover\s+(?P<drop>[^.,;:()]{2,60})$",
    re.IGNORECASE,
)
WEIGHED = re.compile(
    r"\b(?:considered|evaluated|looked at|tried|discussed|thought about)\s+(?P<drop>[^.;]{2,80}?),?\s+"
    r"(?:and|but)\s+(?:\w+\s+)?(?:decided against|rejected|dismissed|discarded|declined|ruled|chose not)",
    re.IGNORECASE,
)
CHOSE_OVER = re.compile(
    r"\b(?:chose|chosen|prefer\w*|picked|selected|favou?r\w*)\s.{2,80}?\bover\s+(?P<drop>[^.,;:()]{2,60})",
    re.IGNORECASE,
)
INSTEAD = re.compile(r"\b(?:instead of|rather than)\s+(?P<drop>[^.,;:()]{2,80})", re.IGNORECASE)
CLAUSE = re.compile(r"[,;:()]|\s[–—-]\s|\b(?:but|because|so that|instead|unless|until|except)\b", re.IGNORECASE)
# What forbids; "does not" mostly tells of a fact, and so does what follows "that" or "which".
FORBIDS = re.compile(
    r"\b(?:(?:must|shall|should|will|may|can|do)(?:n['’]t| not)|won['’]t|cannot|can['’]t|never|no longer|not to|no"
    r"|nobody|no one)\b|\b(?:is|are|be) not (?=allowed|permitted|used|supported|accepted|acceptable|to be)"
    r"|\bnot(?= (?:allowed|permitted))",
    re.IGNORECASE,
)
RULING = re.compile(r"\b(?:must|may|shall)(?:n['’]t| not)\b|\bare not allowed to\b", re.IGNORECASE)
ORDERS = re.compile(
    r"^(?:remove|drop|disable|deprecate|forbid|ban|do not|don['’]t|never|avoid|stop|no longer"
    r"|we (?:will|should|must|shall|do)(?:n['’]t| not)|we avoid)\b",
    re.IGNORECASE,
)
RELATIVE = re.compile(r"\b(?:that|which|who|if|when|where)\b", re.IGNORECASE)
VAGUE = re.compile(r"\W*(?:others?|none|nothing|do nothing|status quo|leave|something else|any)\b", re.IGNORECASE)
LISTED = re.compile(r"\s*(?:,|\bor\b|\band\b|\bnor\b)\s*", re.IGNORECASE)
ONLY = re.compile(r"\b(?:only|exclusively|solely)\b", re.IGNORECASE)
LIMIT = re.compile(
    r"\b(?:for|by|to|in|on|from|when|if|what|after|with|through|via|at|during|behind|between)\b", re.IGNORECASE
)
ENDS = "for|so|that|which|when|where|because|and|to|instead|rather|in|before|after|during|while|from|until|with|by"
FORBIDDEN_VERBS = frozenset(("allow", "permit", "use", "need", "appear", "contain", "accept", "support"))


class Thing(NamedTuple):
    """Something that is taken or refused: its terms, and where a record says so."""

    terms: frozenset[str]
    sentence: Sentence
    detail: str = ""
    is_rule: bool = False
    is_whole: bool = False  # all that a record decides is to refuse it


class Limit(NamedTuple):
    """What may be done only in one way: what, the way, and the first word of it: "by a person who asks"."""

    what: frozenset[str]
    way: frozenset[str]
    actor: str
    sentence: Sentence


def refusals_of(record: Record, title: Sentence, decision: Sequence[Sentence]) -> list[Thing]:
    """What a record refuses."""
    found = [*_refused_options(record.rejected), *_refused_by_title(title), *_refused_by_rules(decision)]
    return found[:MOST_REFUSALS]


def ruling_consequences(record: Record) -> list[Sentence]:
    """The consequences that are rules: what must not be done from then on."""
    sentences = (sentence for passage in record.consequences for sentence in sentences_of(passage))
    return [sentence for sentence in sentences if RULING.search(sentence.text)][:MOST_RULES]


def option_lines(record: Record, title: Sentence) -> Iterator[Thing]:
    """The rejected options with all that their line says but its reasons, and what the title rejects."""
    yield from _refused_by_title(title)
    lines = record.body.text.splitlines()
    for option in record.rejected:
        if VAGUE.match(option.text):
            continue
        at = option.line - record.body.first_line
        text = without_reason(plain_text(lines[at])) if 0 <= at < len(lines) else option.text
        if len(text.split()) <= LONGEST_OPTION:
            yield Thing(frozenset(terms_of(text)), Sentence(option.text, option.line), option.reason)


def limits_of(sentence: Sentence) -> Iterator[Limit]:
    """What a sentence allows only in one way."""
    for clause in re.split(r"[;:]|\bbut\b|\band (?=must|may|can|are|is)", without_reason(sentence.text)):
        match = ONLY.search(clause)
        if not match:
            continue
        before, after = clause[: match.start()], clause[match.end() :]
        if not after.strip(" ."):
            before, after = "", before
        turn = LIMIT.search(after)
        what = before + (after[: turn.start()] if turn else "")
        way = after[turn.start() :] if turn else after
        found = Limit(frozenset(terms_of(what)), frozenset(terms_of(way)), next(iter(terms_of(way)), ""), sentence)
        if found.what and found.way:
            yield found


def until_turn(text: str) -> str:
    """The beginning of a phrase, up to where it says what for, when or why."""
    return re.split(rf"\b(?:{ENDS})\b|[,;:()]", text, maxsplit=1)[0]


def _refused_options(options: Iterable[Option]) -> Iterator[Thing]:
    for option in options:
        if not VAGUE.match(option.text):
            yield Thing(frozenset(terms_of(option.text)), Sentence(option.text, option.line), option.reason)


def _refused_by_title(title: Sentence) -> Iterator[Thing]:
    opening = TITLE_AGAINST.match(title.text)
    if opening or re.match(r"^we (?:do not|don['’]t|never)\b", title.text, re.IGNORECASE):
        yield Thing(frozenset(terms_of(title.text[opening.end() if opening else 0 :])), title, is_whole=True)
        return
    for pattern in (BARE_AGAINST, OVER):
        for match in pattern.finditer(title.text):
            yield Thing(frozenset(terms_of(until_turn(match.group("drop")))), title)
    yield from (Thing(claim.core, title) for claim in claims_of([title]) if not claim.is_for)


def _refused_by_rules(decision: Sequence[Sentence]) -> Iterator[Thing]:
    for claim in claims_of([sentence for sentence in decision[:MOST_RULES] if ORDERS.match(sentence.text)]):
        if not claim.is_for:
            yield Thing(claim.core, claim.sentence, is_rule=True)
    for sentence in decision[:MOST_RULES]:
        for pattern in (WEIGHED, CHOSE_OVER):
            for match in pattern.finditer(sentence.text[:LONGEST_SENTENCE]):
                yield Thing(frozenset(terms_of(until_turn(match.group("drop")))), sentence)
        for match in INSTEAD.finditer(sentence.text[:LONGEST_SENTENCE]):
            yield Thing(frozenset(terms_of(until_turn(match.group("drop")))), sentence, is_rule=True)
        for clause in _clauses(sentence.text):
            forbids = FORBIDS.search(clause)
            if forbids and not RELATIVE.search(clause[: forbids.start()]):
                yield from _prohibited(clause, forbids, sentence)


def _clauses(text: str) -> list[str]:
    """The clauses of a sentence; a list stays with what it belongs to."""
    bare = without_reason(text)
    if re.search(r",[^,;:]*\b(?:or|nor|and)\b", bare):
        return re.split(r"[;:]|\bbut\b", bare)
    return [clause for clause in CLAUSE.split(bare) if clause.strip()]


def _prohibited(clause: str, match: re.Match[str], sentence: Sentence) -> Iterator[Thing]:
    """What a clause forbids: its subjects, or its subject with each of the things that follow."""
    before, after = clause[: match.start()], clause[match.end() :]
    subjects = [frozenset(terms_of(part)) for part in LISTED.split(before)]
    verb = re.match(r"\s*(?:be\s+)?\w+", after)
    parts = [re.split(r"\b(?:from|of|directly)\b", part, maxsplit=1)[0] for part in LISTED.split(after)]
    doing = terms_of(verb.group()) if verb and len(parts) > 1 else []
    objects = [frozenset((*doing, *terms)) - FORBIDDEN_VERBS for part in parts if (terms := terms_of(part))]
    for subject in [terms for terms in subjects if terms] or [frozenset[str]()]:
        for thing in objects or [frozenset[str]()]:
            if subject | thing:
                yield Thing(subject | thing, sentence, is_rule=True)
