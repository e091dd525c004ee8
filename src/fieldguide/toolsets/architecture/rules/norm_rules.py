"""A rule in words to the check for it and the place where it holds, where that is sound."""

import re
from typing import NamedTuple

from fieldguide.toolsets.architecture.rules.code_spans import IMPORTING, check_for_span, imports_of
from fieldguide.toolsets.architecture.rules.naming_norms import naming_check
from fieldguide.toolsets.architecture.rules.norm_objects import (
    Named,
    Tail,
    named_place,
    named_spans,
    read_tail,
    subject_scope,
)
from fieldguide.toolsets.architecture.rules.norm_words import LONGEST_REQUIREMENT_WORDS
from fieldguide.toolsets.architecture.rules.norms import Norm, is_known_verb
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, EveryCheck, ImportCheck, Place, ShapeCheck
from fieldguide.toolsets.architecture.rules.phrases import forbidden_phrase
from fieldguide.toolsets.architecture.rules.prose import SPAN, restored
from fieldguide.toolsets.architecture.rules.required_phrases import required_phrase
from fieldguide.toolsets.architecture.rules.roles import ROLE, Scope, place_of
from fieldguide.toolsets.architecture.rules.sizes import size_check

ALWAYS_BAD = frozenset(
    (
        "print",
        "console.log",
        "eval",
        "exec",
        "os.system",
        "System.out.println",
        "fmt.Println",
        "print()",
        "eval()",
        "exec()",
        "console.log()",
        "System.out.println()",
        "fmt.Println()",
        "SELECT *",
    )
)
REACHING = re.compile(
    r"access|use|using|call|talk|reach|touch|query|communicate|know|bypass|speak|go|instantiat|creat|depend|rely"
    r"|import|referenc|couple|return|expos|leak",
    re.IGNORECASE,
)
EXTENDING = re.compile(
    r"\b(?:extend|inherit(?: from)?|implement|subclass|derive from)\s+(?:the |a |an |from )*(?=\ue000)", re.IGNORECASE
)
ANNOTATED = re.compile(r"\b(?:annotated|decorated|marked)\s+(?:with|by|as)\s+(?:the |a |an )*(?=\ue000)", re.IGNORECASE)
MUST_CALL = re.compile(r"^(?:call|invoke)s?\s+(?:the )?(?=\ue000)", re.IGNORECASE)
CONDITION = re.compile(
    r"\b(?:unless|except when|except if|only if|only when|if (?:you|it|they|the|a)|when (?:you|it|they|the|a)|until)\b",
    re.IGNORECASE,
)


PACKAGE_NOUN = re.compile(r"(?:the |a |any )?(?:package|module|library|crate|namespace)s?\s+(?=\ue000)", re.IGNORECASE)
MEANS = re.compile(r"^[^\ue000]*\b(?:with|using|via|by means of)\s+(?:the |a |an )?(?=\ue000)", re.IGNORECASE)


SHOWING = re.compile(r"leak|expos", re.IGNORECASE)  # who sees a thing is not seen where it is mentioned
PLAIN_ADJECTIVES = frozenset(("all", "public", "new", "the", "abstract", "these", "other", "every", "our", "your"))


class Reading(NamedTuple):
    """A check, where it holds, and what to do instead."""

    check: Check
    scope: Scope = Scope()
    fix: str = ""


def read_rule(norm: Norm, spans: tuple[str, ...]) -> Reading | None:
    """The check for a rule in words; None when it can't be checked, or not without guessing."""
    if norm.kind == "require":
        return _required(norm, spans)
    if norm.kind == "reserve":
        return _reserved(norm, spans)
    return _forbidden(norm, spans)


def _forbidden(norm: Norm, spans: tuple[str, ...]) -> Reading | None:
    scope = subject_scope(norm.subject, spans)
    whole = restored(f"{norm.subject} {norm.verb} {norm.object}", spans)
    about_itself = naming_check(whole, is_forbidden=True) or size_check(whole)
    if about_itself:
        return Reading(about_itself)
    if scope is None:
        return None
    head = named_spans(norm.object)
    if head.spans:
        noun = PACKAGE_NOUN.match(norm.object)
        return _forbidden_spans(norm._replace(verb="import") if noun else norm, spans, scope, head)
    found = _forbidden_words(norm, spans, scope)
    means = MEANS.search(norm.object) if found is None and not CONDITION.search(norm.object) else None
    if means:
        return _forbidden_spans(norm._replace(verb="use"), spans, scope, named_spans(norm.object[means.end() :]))
    return found


def _forbidden_spans(norm: Norm, spans: tuple[str, ...], scope: Scope, head: Named) -> Reading | None:
    if not is_known_verb(norm.verb) or SHOWING.match(norm.verb):
        return None
    tail = read_tail(head.rest, spans)
    names = [spans[number] for number in head.spans]
    phrase = forbidden_phrase(restored(f"{norm.verb} {norm.object}", spans)) if tail.is_conditional else None
    if phrase and not tail.is_strict:
        return Reading(phrase.check, _joined(scope, tail.scope), _wanted(norm, tail, spans) or phrase.fix)
    if names[0].startswith("@") and tail.is_conditional and head.rest.strip().lower().startswith("on "):
        return None
    if tail.is_conditional and (tail.is_strict or not all(map(_is_telling, names))):
        return None
    checks = [check_for_span(name, norm.verb) for name in names]
    found = [check for check in checks if check is not None]
    if not found or len(found) < len(checks):
        return None
    return Reading(_every(found), _joined(scope, tail.scope), _wanted(norm, tail, spans))


def _forbidden_words(norm: Norm, spans: tuple[str, ...], scope: Scope) -> Reading | None:
    end = re.search(r"[;:]|\s[—–]\s|, (?:use|instead|because|but)\b", norm.object)
    said = restored(f"{norm.verb} {norm.object[: end.start()] if end else norm.object}", spans)
    if CONDITION.search(said) or SHOWING.match(norm.verb):
        return None
    phrase = forbidden_phrase(said)
    tail = _tail_of_words(norm.object, spans)
    wanted = _wanted(norm, tail, spans)
    if phrase and not _reaches_layer(norm, said):
        return Reading(phrase.check, _joined(scope, tail.scope), wanted or phrase.fix)
    layer = _layer_check(norm, said)
    return Reading(layer, scope, wanted) if layer and scope.inside else None


def _tail_of_words(phrase: str, spans: tuple[str, ...]) -> Tail:
    """The place at the end of a phrase: `raw SQL in controllers`."""
    place = re.search(
        r"\b(?:anywhere\s+)?(?:(?P<out>outside(?: of)?|except in|other than in)|in|inside|within|from"
        r"|by)\s+(?P<role>[^,;:]+)",
        phrase,
        re.IGNORECASE,
    )
    found = named_place(place.group("role"), spans) if place else None
    if place is None or found is None:
        return Tail(Scope(), phrase[phrase.find(";") + 1 :] if ";" in phrase else "")
    return Tail(Scope(outside=found) if place.group("out") else Scope(inside=found))


def _reaches_layer(norm: Norm, said: str) -> bool:
    return bool(IMPORTING.match(norm.verb)) and ROLE.search(norm.object) is not None


def _layer_check(norm: Norm, said: str) -> Check | None:
    """`Controllers must not access repositories directly`, `the domain must not depend on infrastructure`."""
    role = ROLE.search(norm.object)
    if role is None or role.lastgroup is None or not REACHING.match(norm.verb):
        return None
    layer = role.lastgroup
    place = place_of(layer)
    imports = tuple(glob for word in place.layers if len(word) > 3 for glob in imports_of(word).globs)
    title, low = layer.capitalize(), layer
    classes = tuple(name for name in place.classes if name.startswith("*"))
    if IMPORTING.match(norm.verb):
        return ImportCheck((*imports, *classes))
    calls = (
        f"*{title}.*",
        f"*{low}.*",
        f"*_{low}.*",
        f"new *{title}",
        f"*{title}",
        f"*{title}Impl.*",
        f"new *{title}Impl",
    )
    more = ("*_repo.*", "*repo.*", "*Repo.*") if layer == "repository" else ()
    return EveryCheck((CallCheck((*calls, *more)), ImportCheck(imports)))


def _reserved(norm: Norm, spans: tuple[str, ...]) -> Reading | None:
    """What only some may do is forbidden to all others."""
    named = naming_check(restored(f"{norm.object} in {norm.reserved_for}", spans), is_forbidden=False)
    if named:
        return Reading(named)
    place = named_place(norm.reserved_for, spans)
    if place is None or CONDITION.search(norm.reserved_for):
        return None
    head = named_spans(norm.object)
    scope = Scope(outside=place)
    if head.spans:
        checks = [check_for_span(spans[number], norm.verb or "use") for number in head.spans]
        found = [check for check in checks if check is not None]
        return Reading(_every(found), scope) if found and len(found) == len(checks) else None
    phrase = forbidden_phrase(restored(f"{norm.verb} {norm.object}", spans))
    return Reading(phrase.check, scope, phrase.fix) if phrase else None


def _required(norm: Norm, spans: tuple[str, ...]) -> Reading | None:
    whole = restored(f"{norm.subject} {norm.verb} {norm.object}", spans)
    sized = size_check(whole)
    if sized:
        return Reading(sized)
    named = naming_check(whole, is_forbidden=False)
    if named:
        return Reading(named)
    if CONDITION.search(whole):
        return None
    shaped = _shape(norm, spans)
    if shaped:
        return shaped
    phrase = required_phrase(whole) if len(whole.split()) <= LONGEST_REQUIREMENT_WORDS else None
    scope = subject_scope(norm.subject, spans)
    place = named_place(norm.subject, spans) if norm.subject else None
    if phrase:
        return Reading(phrase.check, scope or Scope(inside=place) if place else Scope(), phrase.fix)
    return None


def _shape(norm: Norm, spans: tuple[str, ...]) -> Reading | None:
    """`Every repository must extend X`, `controllers are annotated with X`, `handlers must call X`."""
    role = ROLE.search(norm.subject)
    classes = place_of(role.lastgroup).classes if role and role.lastgroup else ()
    kind = re.search(r"\b([A-Za-z]+) (?:classes|types|subclasses|implementations)$", norm.subject.strip())
    if not classes and kind and kind.group(1).lower() not in PLAIN_ADJECTIVES:
        classes = (f"*{kind.group(1).capitalize()}",)
    said = f"{norm.verb} {norm.object}".strip()
    for expression in (EXTENDING, ANNOTATED, MUST_CALL):
        match = expression.search(said) if classes else None
        names = [spans[int(number)] for number in SPAN.findall(said[match.end() :])[:1]] if match else []
        if not names or not re.fullmatch(r"@?[\w.]+(?:\(\))?(?:<.*>|\[.*\])?", names[0]):
            continue
        name = re.sub(r"[<\[(].*$", "", names[0]).lstrip("@")
        if expression is MUST_CALL:
            required = CallCheck((name, f"*.{name}"), is_required=True)
            return Reading(required, Scope(inside=Place(classes=classes)))
        shape = (
            ShapeCheck(classes, extends=(name, f"*.{name}"))
            if expression is EXTENDING
            else ShapeCheck(classes, decorators=(name,))
        )
        return Reading(shape)
    return None


def _is_telling(name: str) -> bool:
    """Whether a name says enough for a rule that also says what for: `Math.random` does, `assert` does not."""
    return name in ALWAYS_BAD or re.fullmatch(r"@?[\w$]+(?:(?:\.|::|/)[\w$]+)+(?:\(\))?|@\w+", name) is not None


def _every(checks: list[Check]) -> Check:
    return checks[0] if len(checks) == 1 else EveryCheck(tuple(checks))


def _joined(one: Scope, other: Scope) -> Scope:
    return Scope(one.inside or other.inside, one.outside or other.outside)


def _wanted(norm: Norm, tail: Tail, spans: tuple[str, ...]) -> str:
    """What the sentence says to do instead."""
    said = restored(norm.wanted or tail.wanted, spans).strip(" .,;)")
    is_advice = re.match(
        r"(?:instead,? )?(?:use|call|prefer|inject|return|write|raise|throw|log|go|let|pass|always)\b",
        said,
        re.IGNORECASE,
    )
    return said[:1].upper() + said[1:] if said and (norm.wanted or is_advice) else ""
