"""What rules in words ask for: names, sizes, what classes extend or call, and well-known phrases."""

from collections.abc import Iterator

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.meaning import CONDITION, Reading
from fieldguide.toolsets.architecture.rules.naming_norms import naming_check
from fieldguide.toolsets.architecture.rules.norm_objects import named_place, subject_scope
from fieldguide.toolsets.architecture.rules.norm_words import LONGEST_REQUIREMENT_WORDS
from fieldguide.toolsets.architecture.rules.norms import Norm
from fieldguide.toolsets.architecture.rules.pattern import CallCheck, Place, ShapeCheck
from fieldguide.toolsets.architecture.rules.prose import SPAN, restored
from fieldguide.toolsets.architecture.rules.required_phrases import required_phrase
from fieldguide.toolsets.architecture.rules.roles import ROLE, Scope, place_of
from fieldguide.toolsets.architecture.rules.sizes import size_check

EXTENDING = re.compile(
    r"\b(?:extend|inherit(?: from)?|implement|subclass|derive from)\s+(?:the |a |an |from )*(?=\ue000)", re.IGNORECASE
)
ANNOTATED = re.compile(r"\b(?:annotated|decorated|marked)\s+(?:with|by|as)\s+(?:the |a |an )*(?=\ue000)", re.IGNORECASE)
MUST_CALL = re.compile(r"^(?:call|invoke)s?\s+(?:the )?(?=\ue000)", re.IGNORECASE)
MEMBERS = re.compile(r"\b(?:methods?|functions?|fields?|constructors?|propert(?:y|ies)|interfaces?)\b", re.IGNORECASE)
"""What a rule about classes does not speak of."""
LEAST_SHARED = 4  # letters: `repositories` and `*Repository`
PLAIN_ADJECTIVES = frozenset(("all", "public", "new", "the", "abstract", "these", "other", "every", "our", "your"))


def read_requirement(norm: Norm, spans: tuple[str, ...]) -> Reading | None:
    """The check for what a rule asks for; None when it can not be told from code."""
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
    if MEMBERS.search(norm.subject):
        return None
    role = ROLE.search(norm.subject)
    classes = tuple(_with_word(role)) if role else ()
    kind = re.search(r"\b([A-Za-z]+) (?:classes|types|subclasses|implementations)$", norm.subject.strip())
    if not classes and kind and kind.group(1).lower() not in PLAIN_ADJECTIVES:
        classes = (f"*{kind.group(1).capitalize()}",)
    said = f"{norm.verb} {norm.object}".strip()
    for expression in (EXTENDING, ANNOTATED, MUST_CALL):
        match = expression.search(said) if classes else None
        names = [spans[int(number)] for number in SPAN.findall(said[match.end() :])[:1]] if match else []
        if not names or not re.fullmatch(r"^@?[\w.]+(?:\(\))?(?:<.*>|\[.*\])?", names[0]):
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


def _with_word(role: re.Match[str]) -> Iterator[str]:
    """The names of classes that have the very word: a DAO need not extend what repositories must."""
    word = re.sub(r"[^a-z]", "", role.group().lower())[:LEAST_SHARED]
    for glob in place_of(role.lastgroup or "").classes:
        if word in glob.lower():
            yield glob
