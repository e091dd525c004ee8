"""What a commit message teaches: decisions, fixed faults, reverts, rules and patterns, in its author's own words.

Nothing is written that the author did not write: a finding is the subject of the commit, a sentence of its body, or
both. What a rule can't be sure of gets a low confidence; what is only upkeep gives nothing.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.discoveries import learning_words as words
from fieldguide.discoveries.commit_message import Message
from fieldguide.discoveries.phrases import Pattern

LEAST_CONFIDENCE = 0.6
MOST_PER_COMMIT = 5
MOST_CHARACTERS = 600
LEAST_WORDS = 4
LEAST_SENTENCE_WORDS = 5
MOST_SENTENCE_WORDS = 50
CAUSE_SENTENCES = 4
REASON_SENTENCES = 2  # one that comes later is mostly about a detail
MOST_WHY_CHARACTERS = 80
SAME = 0.8
REVERT_WITH_FAULT, REVERT_WITH_REASON, BARE_REVERT = 0.9, 0.7, 0.5
FIX_WITH_CAUSE, FIX_WITH_SYMPTOM, BARE_FIX, SMALL_FIX = 0.85, 0.65, 0.45, 0.4
WORKAROUND, BREAKING, BARE_BREAKING = 0.75, 0.9, 0.7
CHOICE_WITH_REASON, CHANGE_WITH_REASON = 0.8, 0.65
SMALL_DOUBT = 0.15  # what is said in passing, in a commit about builds or documents
CODE_DOUBT = 0.15  # a choice between two functions is worth less than one between two ways
PRIORITY = ("issue", "decision", "rule", "pattern")


class Finding(NamedTuple):
    """Something worth knowing that a commit says, how sure the rule is, and the words that gave it away."""

    type: str
    content: str
    confidence: float
    why: str


def findings_in(message: Message) -> list[Finding]:
    """What a commit message teaches, the most important first; nothing for upkeep."""
    if is_upkeep(message):
        return []
    found = [*_of_subject(message), *_of_breaking(message), *_of_sentences(message)]
    complete = (each for each in found if _has_enough_words(each.content) and len(each.content) <= MOST_CHARACTERS)
    ordered = sorted(complete, key=lambda each: (-each.confidence, PRIORITY.index(each.type)))
    return without_echoes(ordered)[:MOST_PER_COMMIT]


def is_upkeep(message: Message) -> bool:
    """Whether a commit only keeps things going: versions, formatting, spelling, tests, merges, work in progress."""
    return (
        message.kind in words.UPKEEP_KINDS
        or message.scope.lower() in words.UPKEEP_SCOPES
        or words.is_any(words.UPKEEP, _without_place(message.subject))
    )


def without_echoes(findings: Iterable[Finding]) -> list[Finding]:
    """The findings without those that share more than four fifths of their words with an earlier one."""
    kept: list[Finding] = []
    for finding in findings:
        if not any(_is_echo(finding.content, before.content) for before in kept):
            kept.append(finding)
    return kept


def _of_subject(message: Message) -> Iterator[Finding]:
    subject = _without_place(message.subject)
    if words.is_any(words.ABOUT_THE_COMMIT, subject):
        return
    if words.REVERT.match(subject) or message.kind == "revert":
        yield _revert(message)
    elif _is_fix(message, subject):
        yield _fix(message, subject)
    elif words.WORKAROUND.match(subject):
        yield Finding("issue", message.subject, WORKAROUND, "Work around")
    elif words.SMALL.search(message.subject):
        return
    elif choice := words.first_of(words.CHOICES, subject):
        yield _choice(message, *choice)
    elif words.CHANGE.match(subject) and (reason := _reason(message, words.REASON)):
        yield Finding("decision", _joined(message.subject, reason[0]), CHANGE_WITH_REASON, reason[1])


def _revert(message: Message) -> Finding:
    subject = f"revert: {message.subject}" if message.kind == "revert" else message.subject
    reason = next(filter(_is_telling, message.sentences), None)
    if reason is None:
        return Finding("decision", subject, BARE_REVERT, "Revert")
    if fault := words.REVERT_REASON.search(reason):
        return Finding("decision", _joined(subject, reason), REVERT_WITH_FAULT, f"Revert … {fault[0]}")
    return Finding("decision", _joined(subject, reason), REVERT_WITH_REASON, "Revert")


def _is_fix(message: Message, subject: str) -> bool:
    is_named = message.kind in words.FIX_KINDS or words.FIX.match(subject) is not None
    return is_named or message.names_fixed_commit


def _fix(message: Message, subject: str) -> Finding:
    """A fault that was mended; worth keeping when its cause is named, or what happened and when."""
    if words.SMALL.search(message.subject):
        return Finding("issue", message.subject, SMALL_FIX, "Fix")
    if cause := _reason(message, words.CAUSE):
        return Finding("issue", _joined(message.subject, cause[0]), FIX_WITH_CAUSE, f"Fix … {cause[1]}")
    symptom = words.SYMPTOM.search(subject)
    condition = words.CONDITION.search(words.SYMPTOM.sub("", subject))
    if symptom and condition:
        return Finding("issue", message.subject, FIX_WITH_SYMPTOM, f"Fix … {symptom[0]} … {condition[0]}")
    return Finding("issue", message.subject, BARE_FIX, "Fix")


def _choice(message: Message, confidence: float, why: str) -> Finding:
    reason = _reason(message, words.REASON)
    if reason is None or words.REASON.search(message.subject):
        doubt = CODE_DOUBT if words.CODE.search(message.subject) else 0.0
        return Finding("decision", message.subject, round(confidence - doubt, 2), why)
    confidence = max(confidence, CHOICE_WITH_REASON)
    return Finding("decision", _joined(message.subject, reason[0]), confidence, f"{why} … {reason[1]}")


def _of_breaking(message: Message) -> Iterator[Finding]:
    if message.breaking:
        yield Finding("decision", message.breaking, BREAKING, "BREAKING CHANGE")
    elif message.is_breaking:
        yield Finding("decision", message.subject, BARE_BREAKING, "!")


def _of_sentences(message: Message) -> Iterator[Finding]:
    doubt = SMALL_DOUBT if words.SMALL.search(message.subject) else 0.0
    for sentence in filter(_is_telling, message.sentences):
        for type_, confidence, pattern in words.SENTENCES:
            if found := pattern.search(sentence):
                needs_subject = words.LEANING.match(sentence) is not None
                content = _joined(message.subject, sentence) if needs_subject else sentence
                yield Finding(type_, content, round(confidence - doubt, 2), found[0][-MOST_WHY_CHARACTERS:])
                break


def _reason(message: Message, pattern: Pattern) -> tuple[str, str] | None:
    """The first sentence of the body that gives a reason, and the words that show it."""
    most = REASON_SENTENCES if pattern is words.REASON else CAUSE_SENTENCES
    for sentence in message.sentences[:most]:
        found = pattern.search(sentence)
        if found and _is_telling(sentence) and not words.ASIDE.match(sentence):
            return sentence, found[0][:MOST_WHY_CHARACTERS]
    return None


def _is_telling(sentence: str) -> bool:
    """Whether a sentence says something by itself: no question, no announcement, nothing about the commit as such."""
    if not LEAST_SENTENCE_WORDS <= len(sentence.split()) <= MOST_SENTENCE_WORDS:
        return False
    return not sentence.endswith(("?", ":")) and not words.is_any(words.ABOUT_THE_COMMIT, sentence)


def _joined(subject: str, sentence: str) -> str:
    return f"{subject}{'' if subject.endswith(('.', '!', '?')) else '.'} {sentence}"


def _without_place(subject: str) -> str:
    """A subject without the part of the program that it begins with, as in `net: ipv4: Fix …`."""
    rest = subject
    while found := words.PLACE.search(rest):
        rest = rest[found.end() :]
    return rest


def _has_enough_words(text: str) -> bool:
    return len(text.split()) >= LEAST_WORDS


def _is_echo(text: str, before: str) -> bool:
    mine, theirs = (set(re.findall(r"\w+", each.casefold())) for each in (text, before))
    return len(mine & theirs) > SAME * len(mine)
