"""A rule in words to the check for it and the place where it holds, where that is sound."""

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.code_spans import IMPORTING, check_for_span, imports_of
from fieldguide.toolsets.architecture.rules.meaning import CONDITION, Reading, every, wanted_instead
from fieldguide.toolsets.architecture.rules.naming_norms import naming_check
from fieldguide.toolsets.architecture.rules.narrowed_norms import narrowed, placed
from fieldguide.toolsets.architecture.rules.norm_objects import (
    Named,
    Tail,
    is_purpose,
    named_place,
    named_spans,
    read_tail,
    subject_scope,
)
from fieldguide.toolsets.architecture.rules.norms import Norm, is_known_verb
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Check, EveryCheck, ImportCheck
from fieldguide.toolsets.architecture.rules.phrases import forbidden_phrase
from fieldguide.toolsets.architecture.rules.placed_types import places_named
from fieldguide.toolsets.architecture.rules.prose import restored
from fieldguide.toolsets.architecture.rules.requirement_rules import read_requirement
from fieldguide.toolsets.architecture.rules.roles import ROLE, Scope, is_everywhere, place_of
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


PACKAGE_NOUN = re.compile(r"(?:the |a |any )?(?:package|module|library|crate|namespace)s?\s+(?=\ue000)", re.IGNORECASE)
MEANS = re.compile(r"^[^\ue000]*\b(?:with|using|via|by means of)\s+(?:the |a |an )?(?=\ue000)", re.IGNORECASE)


ANNOTATING = re.compile(r"annotat|decorat|mark", re.IGNORECASE)
COMPARING = re.compile(r"(?:use )?(?:compar|check|test)", re.IGNORECASE)
EMPTY = re.compile(r"\bempty\b", re.IGNORECASE)  # a list instead of `null`: not every function returns lists
FRIENDS = re.compile(r"\s*(?:and|or|&) (?:its )?(?:friends|the like|similar|siblings|co)\b", re.IGNORECASE)
SHOWING = re.compile(r"leak|expos", re.IGNORECASE)  # who sees a thing is not seen where it is mentioned


def read_rule(norm: Norm, spans: tuple[str, ...]) -> Reading | None:
    """The check for a rule in words; None when it can't be checked, or not without guessing."""
    if norm.kind == "require":
        return read_requirement(norm, spans)
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
        phrase = forbidden_phrase(whole) if norm.verb == "be" and not CONDITION.search(whole) else None
        return Reading(phrase.check, Scope(), phrase.fix) if phrase else None
    head = named_spans(norm.object)
    if EMPTY.search(norm.wanted):
        return None
    if head.is_limited:
        return _forbidden_words(norm, spans, scope)
    if head.spans:
        noun = PACKAGE_NOUN.match(norm.object)
        return _forbidden_spans(norm._replace(verb="import") if noun else norm, spans, scope, head)
    if ANNOTATING.match(norm.verb):
        return _by_means(norm, spans, scope)
    return _forbidden_words(norm, spans, scope) or _by_means(norm, spans, scope)


def _forbidden_spans(norm: Norm, spans: tuple[str, ...], scope: Scope, head: Named) -> Reading | None:
    if not is_known_verb(norm.verb) or SHOWING.match(norm.verb):
        return None
    names = [spans[number] for number in head.spans]
    if "new" in names:
        return None
    placed = None if IMPORTING.match(norm.verb) else narrowed(names, head, spans)
    if placed:
        return Reading(placed.check, _joined(scope, placed.scope), placed.fix)
    friends = FRIENDS.match(head.rest)
    tail = read_tail(head.rest[friends.end() :] if friends else head.rest, spans)
    phrase = forbidden_phrase(restored(f"{norm.verb} {norm.object}", spans)) if tail.is_conditional else None
    if phrase and (not tail.is_strict or is_purpose(head.rest.strip())):
        return Reading(phrase.check, _joined(scope, tail.scope), wanted_instead(norm, tail, spans) or phrase.fix)
    if names[0].startswith("@") and head.rest.strip().lower().startswith("on ") and tail.scope == Scope():
        return None
    if tail.is_conditional and (tail.is_strict or not all(map(_is_telling, names))):
        return None
    checks = [check_for_span(name, norm.verb) for name in names]
    found = [_apart(check, name, spans) for check, name in zip(checks, names, strict=True) if check is not None]
    if friends and "." in names[-1]:
        found.append(CallCheck((f"{names[-1].rpartition('.')[0]}.*",)))
    if not found or len(found) < len(checks):
        return _forbidden_words(norm, spans, scope) if not tail.is_conditional else None
    return Reading(every(found), _joined(scope, tail.scope), wanted_instead(norm, tail, spans))


def _apart(check: Check, name: str, spans: tuple[str, ...]) -> Check:
    """A check without what lies below a package, when the sentence asks for that: not `lodash`, but `lodash/fp`."""
    if not any(other.startswith((f"{name}/", f"{name}.")) for other in spans):
        return check
    if isinstance(check, EveryCheck):
        return EveryCheck(tuple(_apart(each, name, spans) for each in check.checks))
    return check._replace(is_exact=True) if isinstance(check, ImportCheck) else check


def _by_means(norm: Norm, spans: tuple[str, ...], scope: Scope) -> Reading | None:
    """`Build queries with X`, `annotate fields with X`: what is annotated matters, the purpose of a call does not."""
    means = MEANS.search(norm.object)
    if means is None or CONDITION.search(norm.object) or COMPARING.match(f"{norm.verb} {norm.object}"):
        return None
    head, plain = named_spans(norm.object[means.end() :]), norm._replace(verb="use")
    if not ANNOTATING.match(norm.verb):
        return _forbidden_spans(plain, spans, scope, head)
    what = re.sub(r"\s*\b(?:with|using|via|by means of)\s+(?:the |a |an )?$", "", norm.object[: means.end()])
    place = named_place(what, spans)
    if place is not None:
        return _forbidden_spans(plain, spans, Scope(inside=place), head)
    if places_named(what).names:
        return placed([spans[number] for number in head.spans], head._replace(rest=f"{what} {head.rest}"), spans)
    return _forbidden_spans(plain, spans, scope, head) if is_everywhere(what) else None


def _forbidden_words(norm: Norm, spans: tuple[str, ...], scope: Scope) -> Reading | None:
    end = re.search(r"[;:]|\s[—–]\s|, (?:use|instead|because|but)\b", norm.object)
    said = restored(f"{norm.verb} {norm.object[: end.start()] if end else norm.object}", spans)
    if CONDITION.search(said) or SHOWING.match(norm.verb):
        return None
    phrase = forbidden_phrase(said)
    tail = _tail_of_words(norm.object, spans)
    wanted = wanted_instead(norm, tail, spans)
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
    own = ROLE.search(norm.subject)
    if own and own.lastgroup == layer:  # `other handlers` are in the same folder, and so is what they share
        return None
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
        return Reading(every(found), scope) if found and len(found) == len(checks) else None
    phrase = forbidden_phrase(restored(f"{norm.verb} {norm.object}", spans))
    return Reading(phrase.check, scope, phrase.fix) if phrase else None


def _is_telling(name: str) -> bool:
    """Whether a name says enough for a rule that also says what for: `Math.random` does, `assert` does not."""
    return name in ALWAYS_BAD or re.fullmatch(r"@?[\w$]+(?:(?:\.|::|/)[\w$]+)+(?:\(\))?|@\w+", name) is not None


def _joined(one: Scope, other: Scope) -> Scope:
    return Scope(one.inside or other.inside, one.outside or other.outside)
