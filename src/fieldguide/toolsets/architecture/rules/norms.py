"""Sentences that lay down a rule: what is forbidden, required or reserved, of whom, and under what condition.

A sentence counts only when the words of prohibition are its main clause. "Never call X" does, "you can call X", "if you
don't call X" and "never needed before X" don't.
"""

from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.norm_words import (
    APOSTROPHE,
    BELONGS,
    CONTRAST,
    CONTRAST_OPENS,
    DONE_TO,
    FORBIDDEN,
    IMPERATIVE,
    INSTEAD_FIRST,
    IT_IS_FORBIDDEN,
    LABEL,
    LONGEST_REQUIREMENT_WORDS,
    LONGEST_RULE_WORDS,
    MODAL,
    NARRATIVE,
    NEVER,
    NO_THING,
    NOT_A_NORM,
    ONLY_IF,
    ONLY_PASSIVE,
    ONLY_SUBJECT,
    PASSIVE,
    PERMISSION,
    POLICY,
    REPLACE,
    REQUIRED,
    SAID_BESIDES,
    SPACE,
    SPEAKERS,
    STATED,
    STRONG,
    SUBORDINATE,
    USE_FIRST,
    VERB,
)
from fieldguide.toolsets.architecture.rules.pattern import Severity
from fieldguide.toolsets.architecture.rules.prose import SPAN_OPENS


class Norm(NamedTuple):
    """A rule in words: `forbid` or `require`, or `reserve` for what only some may do."""

    kind: str
    severity: Severity
    subject: str
    verb: str
    object: str
    wanted: str = ""
    """What to do instead, where the sentence says so."""
    reserved_for: str = ""


def read_norm(sentence: str) -> Norm | None:
    """The rule that a sentence lays down; None when it lays down none."""
    text = LABEL.sub("", SPACE.sub(" ", APOSTROPHE.sub("'", sentence)).strip(), count=1).strip().rstrip(".!:; ")
    if not text or NOT_A_NORM.search(text) or NARRATIVE.search(text) or len(text.split()) > LONGEST_RULE_WORDS:
        return None
    return _reserved(text) or _forbidden(text) or _contrast(text) or _required(text)


def _reserved(text: str) -> Norm | None:
    only = ONLY_SUBJECT.match(text)
    if only:
        verb, rest = split_verb(only.group("object"))
        return Norm("reserve", "error", "", verb, rest, reserved_for=only.group("who"))
    passive = ONLY_PASSIVE.match(text) or BELONGS.match(text)
    if passive and not SUBORDINATE.search(passive.group("object")):
        return Norm("reserve", "error", "", "use", passive.group("object"), reserved_for=passive.group("who"))
    return None


def _forbidden(text: str) -> Norm | None:
    for expression in (MODAL, IMPERATIVE, NEVER):
        match = expression.search(text)
        if match is None or SUBORDINATE.search(text[: match.start("mark")]):
            continue
        mark, subject = match.group("mark").lower(), text[: match.start("mark")].strip(" ,;:-—–(")
        if expression is IMPERATIVE and mark == "not":
            continue
        is_done = DONE_TO.search(subject) if mark in ("never", "not") else None
        if is_done:  # `X is never called` is said of X
            norm = _prohibition("must not", subject[: is_done.start()].strip(), f"be {match.group('object')}")
        else:
            norm = _prohibition(mark, subject, match.group("object"))
        if norm:
            return norm
    directly = IT_IS_FORBIDDEN.match(text)
    if directly:
        return _prohibition("must not", "", directly.group("object"))
    stated = FORBIDDEN.match(text)
    if stated and not SUBORDINATE.search(stated.group("object")):
        said = f"{stated.group('object')} {stated.group('rest').strip()}".strip()
        verb, rest = split_verb(said)
        return Norm("forbid", _severity(stated.group("mark")), "", verb or "use", rest)
    nothing = NO_THING.match(text)
    if nothing and not nothing.group("idiom") and not STATED.search(nothing.group("object")):
        return Norm("forbid", "error", "", "use", nothing.group("object"))
    return None


def _prohibition(mark: str, subject: str, said: str) -> Norm | None:
    passive = PASSIVE.match(said)
    severity = _severity(mark)
    if passive and not _is_told(mark, subject, passive.group("verb")):
        thing = SAID_BESIDES.sub("", subject)
        return Norm("forbid", severity, "", passive.group("verb"), f"{thing} {passive.group('rest')}".strip())
    verb, rest = split_verb(said)
    is_about_thing = mark in ("avoid", "refrain from", "stop") or said.startswith(SPAN_OPENS)
    if _is_told(mark, subject, verb) or (not verb and mark == "never" and not is_about_thing):
        return None
    if not verb and not is_about_thing:
        verb = said.split(" ", 1)[0]
        rest = said[len(verb) :].strip()
    return Norm("forbid", severity, subject, verb or "use", rest)


def _is_told(mark: str, subject: str, verb: str) -> bool:
    """Whether a sentence tells how things are: `we can't`, `it doesn't`; `we do not use` is how a team says never."""
    is_speaker = SPEAKERS.match(subject) is not None
    if mark in ("cannot", "can't", "can not", "does not", "doesn't"):
        return not subject or is_speaker or not verb
    return is_speaker and mark in ("do not", "don't") and not POLICY.match(verb)


def _contrast(text: str) -> Norm | None:
    match = INSTEAD_FIRST.match(text) or REPLACE.match(text) or CONTRAST.match(text)
    if match is None or not CONTRAST_OPENS.search(text) or PERMISSION.search(text) or ONLY_IF.match(text):
        return None
    is_plain_not = re.search(r"\bnot\s+\S*$", text[: match.start("object")], re.IGNORECASE)
    if is_plain_not and not USE_FIRST.match(text):
        return None
    wanted = match.group("wanted").strip()
    is_over = re.search(r"\bover\s+\S*$", text[: match.start("object")], re.IGNORECASE)
    if is_over and not re.search(rf"\b(?:prefer|favou?r|choose)|^use {SPAN_OPENS}\d+.$", wanted, re.IGNORECASE):
        return None
    verb, rest = split_verb(match.group("object"))
    before = split_verb(wanted)[0]
    severity: Severity = "error" if re.search(r"\b(?:must|always)\b", text, re.IGNORECASE) else "warning"
    return Norm("forbid", severity, "", verb or before or "use", rest, wanted=wanted)


def _required(text: str) -> Norm | None:
    if PERMISSION.search(text) or len(text.split()) > LONGEST_REQUIREMENT_WORDS * 2:
        return None
    match = REQUIRED.search(text)
    if match and not SUBORDINATE.search(text[: match.start()]):
        subject, said = text[: match.start()].strip(" ,"), text[match.end() :].strip()
        verb, rest = split_verb(said)
        return Norm("require", _severity(match.group("mark")), subject, verb, rest or said)
    if USE_FIRST.match(text):
        verb, rest = split_verb(text)
        return Norm("require", "warning", "", verb, rest)
    return None


def split_verb(text: str) -> tuple[str, str]:
    """The verb that a text begins with, and the rest; no verb when it begins with anything else."""
    match = re.match(VERB, text.strip(), re.IGNORECASE)
    if match is None:
        return "", text.strip()
    return match.group("verb").lower(), text.strip()[match.end() :].strip()


def is_known_verb(verb: str) -> bool:
    """Whether a verb is one that code is forbidden with, in any of its forms."""
    return bool(re.fullmatch(VERB, verb, re.IGNORECASE) or PASSIVE.match(f"be {verb}"))


def _severity(mark: str) -> Severity:
    return "error" if STRONG.search(mark) else "warning"
