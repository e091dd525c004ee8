"""What a sentence is for and what it is against: "replace A with B" is for B and against A.

A claim has a core, the thing that is taken or dropped, and a role, what it is taken for. Reasons ("because …") are no
claims, and a negation turns what it stands before.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.adr.terms import terms_of
from fieldguide.toolsets.architecture.decisions.reading.prose import Sentence

REASON = re.compile(
    r"\b(?:because|since|so that|in order to|as it|as this|as we|as they|due to|given that|so we|as a result of"
    r"|which (?:is|are|would|will|means))\b",
    re.IGNORECASE,
)
TAKE = (
    r"us(?:e|es|ed|ing)|adopt(?:s|ed|ing|ion of)?|cho(?:ose|oses|osing|se|sen)|select(?:s|ed|ing)?|pick(?:s|ed|ing)?"
    r"|go(?:ing)? (?:with|for)|went with"
    r"|introduc(?:e|es|ed|ing)|implement(?:s|ed|ing)?|(?:switch|mov|migrat|chang|transition|convert)(?:e|es|ed"
    r"|ing)? (?:over )?to"
    r"|standardi[sz](?:e|es|ed|ing) on|rel(?:y|ies|ied|ying) on|employ(?:s|ed|ing)?|leverag(?:e|es|ed|ing)|opt(?:s|ed"
    r"|ing)? for|settl(?:e|ed|ing) on"
    r"|prefer(?:s|red|ring)?|utili[sz](?:e|es|ed|ing)|buil(?:d|t|ding)(?: on| with)?|(?:split|break|decompos"
    r"|divid)(?:e|s|es|ed|ting|ing)? (?:\w+ ){0,5}?into|run(?:s|ning)? (?:on|in)|deploy(?:s|ed|ing)? (?:to|on|with)"
    r"|host(?:s|ed|ing)? (?:on|in|with)|(?:written|write|implemented|coded) in|keep(?:s|ing)?|retain(?:s|ed|ing)?"
    r"|continu(?:e|es|ed|ing) (?:to use|using|with)"
    r"|stick(?:ing)? (?:with|to)|stay(?:ing)? (?:on|with)|integrat(?:e|es|ed|ing) with|bas(?:e|ed) on|requir(?:e|es|ed"
    r"|ing)|allow(?:s|ed|ing)?"
    r"|permit(?:s|ted|ting)?|enabl(?:e|es|ed|ing)|expos(?:e|es|ed|ing)|stor(?:e|es|ed|ing)|have|add(?:s|ed|ing)?"
    r"|creat(?:e|es|ed|ing)"
)
DROP = (
    r"drop(?:s|ped|ping)?|abandon(?:s|ed|ing)?|remov(?:e|es|ed|ing|al of)|retir(?:e|es|ed|ing)|deprecat(?:e|es|ed|ing)"
    r"|decommission(?:s|ed|ing)?"
    r"|eliminat(?:e|es|ed|ing)|discontinu(?:e|es|ed|ing)|get(?:ting)? rid of|phas(?:e|es|ed|ing) out|sunset(?:s|ting)?"
    r"|ditch(?:es|ed|ing)?|scrap(?:s|ped|ping)?"
    r"|revert(?:s|ed|ing)?|undo|disabl(?:e|es|ed|ing)|(?:stop|ceas)(?:e|s|es|ped|ed|ping|ing)? (?:us(?:ing|e of)"
    r"|support(?:ing)?|writing|storing|running)|stop(?:s|ped|ping)?"
    r"|(?:mov|migrat|switch|transition|stepp?|shift)(?:e|es|ed|ing)? (?:\w+ ){0,3}?away from|(?:mov|migrat|switch"
    r"|transition)(?:e|es|ed|ing)? off(?: of)?"
    r"|avoid(?:s|ed|ing)?|forbid(?:s|den|ding)?|prohibit(?:s|ed|ing)?|ban(?:s|ned|ning)?|disallow(?:s|ed|ing)?"
    r"|(?:turn|switch)(?:s|es|ed|ing)? off|opt(?:s|ed|ing)? out of"
    r"|reject(?:s|ed|ing)?|revers(?:e|es|ed|ing)|giv(?:e|ing) up(?: on)?"
)
NEGATION = (
    r"(?:(?:will|shall|should|must|can|do|does|did|would|may|could|is|are|have|has)(?:n['’]t| not)"
    r"|won['’]t|cannot|can['’]t|shan['’]t|never|not to|not|no longer|without)"
)
# Each pattern names what it is for (`take`) and what it is against (`drop`); the rest of the clause follows the name.
OTHER = re.other_word("from", "to", "away")
PAIRS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\breplac(?:e|es|ed|ing|ement of)\s+(?P<drop>[^.;]{2,90}?)\s+(?:with|by)\s+(?P<take>[^.;]{2,120})",
        r"\b(?:swap|substitut|exchang)(?:e|es|ed|ing|ping|ped)?\s+(?P<drop>[^.;]{2,80}?)\s+(?:for|with"
        r"|by)\s+(?P<take>[^.;]{2,120})",
        r"\b(?:migrat|mov|switch|transition|chang|convert|port|shift|go)(?:e|es|ed|ing|ion"
        r"|ting)?\s+(?:[\w'’-]+\s+){0,6}?from\s+(?P<drop>[^.;]{2,80}?)\s+(?:in)?to\s+(?P<take>[^.;]{2,120})",
        r"\b(?:migrat|mov|switch|transition|chang|convert|port|shift)(?:e|es|ed|ing|ion|ting)?\s+"
        rf"(?P<role>(?:(?:{OTHER}|['’-])(?:['’-][\w'’-]*)?\s+){{1,6}}?)(?:over\s+)?to\s+(?P<take>[^.;]{{2,120}})",
        rf"\b(?:{DROP})\s+(?P<drop>[^.;]{{2,120}}?)\s+(?:in favou?r of|and (?:use|adopt|switch to"
        rf"|move to))\s+(?P<take>[^.;]{{2,120}})",
        r"\b(?:prefer|choos|select|pick|us|favou?r|adopt)\w*\s+(?P<take>[^.;,]{2,80}?)\s+(?:over|instead of"
        r"|rather than|in preference to|in place of|in lieu of|as opposed to)\s+(?:using\s+)?(?P<drop>[^.;,]{2,100})",
        r"\binstead of\s+(?:using\s+|having\s+)?(?P<drop>[^.;,]{2,90}?),\s+(?:we\s+)?(?:will\s+|now\s+"
        r"|should\s+)*(?:use\s+|adopt\s+)?(?P<take>[^.;,]{2,100})",
    )
)
AGAINST = re.compile(
    rf"\b(?:{NEGATION}(?:\s+\w+){{0,2}}?\s+(?:{TAKE})|(?:{DROP})|instead of(?: using| having)?|rather than(?: using"
    rf"| having)?|in place of|in lieu of|as opposed to|no longer(?: be| \w+)?)\s+(?P<drop>[^.;]{{2,120}})",
    re.IGNORECASE,
)
FOR = re.compile(rf"\b(?:{TAKE}|in favou?r of)\s+(?P<take>[^.;]{{2,120}})", re.IGNORECASE)
# What a passive is about stands before it; looking for its verb first is ten times as quick.
PASSIVE_AGAINST = re.compile(
    r"\s(?:(?:will|shall|should|must|can|is|are|was|were|has|have)(?:\s+(?:now|be|been|also|therefore))*\s+)"
    r"(?:(?:not|no longer|never)\s+(?:be\s+)?(?:used|adopted|supported|needed|allowed|permitted|required|chosen|kept"
    r"|implemented|set|made|stored)"
    r"|(?:removed|dropped|deprecated|retired|abandoned|decommissioned|discontinued|replaced|forbidden|prohibited"
    r"|banned|disallowed|rejected|disabled|discarded|ruled out))\b",
    re.IGNORECASE,
)
PASSIVE_FOR = re.compile(
    r"\s(?:will|shall|should|must|is|are|was|were)\s+(?:now\s+|be\s+|to be\s+)*(?:used|adopted|chosen|selected"
    r"|preferred|required|allowed|permitted|mandatory|introduced)\b",
    re.IGNORECASE,
)
PASSIVE_PAIR = re.compile(
    r"\s(?:will be|is|are|was|were|being|been|to be|should be|must be|gets?)\s+(?:being\s+)?replaced\s+(?:with"
    r"|by)\s+(?P<take>[^.;]{2,120})",
    re.IGNORECASE,
)
NEGATED_BEFORE = re.compile(rf"\b{NEGATION}(?:\s+(?:be|to|also|need|have|want))*\s*$", re.IGNORECASE)
BOUNDARY = re.compile(
    r"[,.;:()\[\]!?]|\s[-–—]\s|\b(?:because|so|which|that|when|where|if|unless|until|while|but|instead|rather"
    r"|in favou?r|over|then|whilst|although|however|we|it|they|will|should|must|is|are|was|were)\b",
    re.IGNORECASE,
)
ROLE = re.compile(
    r"\b(?:for|as|in|on|to|from|by|with|at|within|across|via|using|into|between|inside|through|during|behind|under|per"
    r"|and)\b",
    re.IGNORECASE,
)
CARRIED = frozenset(
    ("database", "framework", "library", "service", "api", "architecture", "cluster", "server", "broker", "queue",
    "store", "storage", "system",
     "platform", "tool", "pipeline", "backend", "frontend", "engin", "style", "pattern", "instance", "approach",
     "technology", "languag", "stack",
     "endpoint", "application", "app", "cloud", "provider", "format", "schema", "host")
)  # fmt: skip
LONGEST_CORE = 7
LONGEST_SENTENCE = 600
LONGEST_SUBJECT = 60
NEGATION_REACH = 40


class Claim(NamedTuple):
    """Something that a sentence is for or against."""

    is_for: bool
    core: frozenset[str]
    role: frozenset[str]
    sentence: Sentence
    head: str


def claims_of(sentences: Iterable[Sentence]) -> list[Claim]:
    """The claims of these sentences, in order."""
    return [claim for sentence in sentences for claim in _claims(sentence)]


def without_reason(text: str) -> str:
    """A sentence without the part that only gives reasons; "Because A, we do B" becomes "we do B"."""
    match = REASON.search(text)
    if match is None:
        return text
    if match.start() < 3:
        return text.partition(",")[2] or text
    return text[: match.start()]


def is_negated(text: str) -> bool:
    """Whether a clause, taken as a whole, is against what it names: an odd number of words turn it."""
    return len(TURNS.findall(text)) % 2 == 1


TURNS = re.compile(rf"\b(?:{NEGATION}|no|none|neither|nor|against|{DROP}|instead of|rather than)\b", re.IGNORECASE)


def _claims(sentence: Sentence) -> Iterator[Claim]:
    text = without_reason(sentence.text)[:LONGEST_SENTENCE]
    used: list[tuple[int, int]] = []
    for pattern in PAIRS:
        for match in pattern.finditer(text):
            yield from _paired(sentence, match.groupdict(default=""))
            used.append(match.span("drop") if "drop" in match.groupdict() else match.span())
    for match in AGAINST.finditer(text):
        yield from _claimed(sentence, is_for=_is_turned(text, match), said=match.group("drop"))
        used.append(match.span())
    for match in FOR.finditer(text):
        if not _is_within(match, used) and not _is_turned(text, match):
            yield from _claimed(sentence, is_for=True, said=match.group("take"))
    yield from _passive(sentence, text)


def _passive(sentence: Sentence, text: str) -> Iterator[Claim]:
    for match in PASSIVE_PAIR.finditer(text):
        yield from _claimed(sentence, is_for=True, said=match.group("take"))
    for match in PASSIVE_AGAINST.finditer(text):
        yield from _claimed(sentence, is_for=False, said=_subject(text, match))
    for match in PASSIVE_FOR.finditer(text):
        yield from _claimed(sentence, is_for=True, said=_subject(text, match))


def _subject(text: str, match: re.Match[str]) -> str:
    before = text[: match.start()]
    ends = [found.end() for found in BOUNDARY.finditer(before[-LONGEST_SUBJECT:])]
    start = max(0, len(before) - LONGEST_SUBJECT) + ends[-1] if ends else 0
    return " ".join(before[start:].split()[-5:])


def _is_turned(text: str, match: re.Match[str]) -> bool:
    return NEGATED_BEFORE.search(text[max(0, match.start() - NEGATION_REACH) : match.start()]) is not None


def _is_within(match: re.Match[str], spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= match.start() < end for start, end in spans)


def _paired(sentence: Sentence, said: dict[str, str]) -> Iterator[Claim]:
    if said.get("drop"):
        yield from _claimed(sentence, is_for=False, said=said["drop"])
    for claim in _claimed(sentence, is_for=True, said=said["take"]):
        yield claim._replace(role=claim.role | frozenset(terms_of(said.get("role", ""))))


def _claimed(sentence: Sentence, *, is_for: bool, said: str) -> Iterator[Claim]:
    claim = make_claim(said, sentence, is_for=is_for)
    if claim.core:
        yield claim


def make_claim(said: str, sentence: Sentence, *, is_for: bool) -> Claim:
    """A claim about the thing that is named at the beginning of a text; what follows is what the thing is for."""
    end = BOUNDARY.search(said[1:])
    phrase = said[: end.start() + 1] if end else said
    turn = ROLE.search(phrase)
    core, role = (phrase[: turn.start()], phrase[turn.end() :]) if turn else (phrase, "")
    terms = terms_of(" ".join(core.split()[:LONGEST_CORE]))
    return Claim(is_for, frozenset(terms), frozenset(terms_of(role)), sentence, head_of(terms))


def head_of(terms: Sequence[str]) -> str:
    """The word that says what a phrase is: the last in English, but for words that any technology may carry."""
    telling = [term for term in terms if term not in CARRIED]
    return telling[-1] if telling else ""
