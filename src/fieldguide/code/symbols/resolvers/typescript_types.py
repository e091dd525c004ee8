"""The types of script values: their text form, expression steps, and types of the language itself."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fieldguide.code.symbols.resolvers.values import DefinitionPlace

OWN = "!"
"""In expressions and types: an object whose members are written in the definition itself."""
MOST_TYPES = 8
DEEPEST_GIVEN = 3

Given = tuple[tuple[str, tuple["Type", ...]], ...]
"""What type parameters stand for."""


class Object(NamedTuple):
    """An object of a class, an interface or a type, or one whose members are written in a definition."""

    place: DefinitionPlace
    given: Given = ()


class Itself(NamedTuple):
    """What a definition is itself: a class, a function, an enumeration, a namespace; a module by the number -1."""

    place: DefinitionPlace
    given: Given = ()


class FunctionType(NamedTuple):
    """A function by its type as written, in the scope where it is written."""

    parameters: str
    returned: str
    place: DefinitionPlace
    given: Given = ()


class Foreign(NamedTuple):
    """Something of the language or of a package: nothing of the project, but it may hold something of it."""

    name: str = ""
    arguments: tuple[tuple["Type", ...], ...] = ()
    owner: "tuple[Type, ...]" = ()
    """For a method: the object it was taken out of."""


class Callback(NamedTuple):
    """A function that a method of the language takes: what it is given."""

    parameters: tuple[tuple["Type", ...], ...]


class Narrowed(NamedTuple):
    """Something with some of its members: only those, or all but those."""

    whole: tuple["Type", ...]
    names: frozenset[str]
    is_only: bool

    def has(self, name: str) -> bool:
        """Whether it has a member of a name, if the whole does."""
        return (name in self.names) == self.is_only


Type = Narrowed | Object | Itself | FunctionType | Foreign | Callback
Types = tuple[Type, ...]


def limit_types(types: "list[Type] | Types") -> Types:
    """Each once, and not too many."""
    return tuple(dict.fromkeys(types))[:MOST_TYPES]


def limit_depth(types: Types, levels: int = DEEPEST_GIVEN) -> Types:
    """Types without what lies too deep in them: a type that is given itself would grow without end."""
    return tuple(_limit_parts(each, levels) for each in types)


def _limit_parts(each: Type, levels: int) -> Type:
    """A type whose parts go less than so many levels deep."""

    def limit(parts: Types) -> Types:
        return limit_depth(parts, levels - 1) if levels else ()

    if isinstance(each, Foreign):
        inside = tuple(map(limit, each.arguments)) if levels else ()
        return Foreign(each.name, inside, limit(each.owner))
    if isinstance(each, Callback):
        return Callback(tuple(map(limit, each.parameters)) if levels else ())
    if isinstance(each, Narrowed):
        return each._replace(whole=limit(each.whole))
    return each._replace(given=tuple((name, limit(some)) for name, some in each.given) if levels else ())


LISTS = frozenset(("Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "IterableIterator", "AsyncIterable",
                   "AsyncGenerator", "Generator", "Iterator", "ArrayIterator", "SetIterator", "Tuple", "WeakSet",
                   "AsyncIterableIterator", "NodeListOf"))  # fmt: skip
MAPS = frozenset(("Map", "ReadonlyMap", "Record", "WeakMap", "Index"))
COLLECTIONS = LISTS | MAPS
PROMISES = frozenset(("Promise", "PromiseLike", "Awaited"))
SAME = frozenset(("Partial", "Required", "Readonly", "NonNullable", "Omit", "Pick", "Exclude", "Extract", "NoInfer",
                  "Awaited", "WeakRef"))  # fmt: skip
ONE = frozenset(("find", "pop", "shift", "at", "findLast", "get", "next", "value"))
AS_MANY = frozenset(("filter", "slice", "concat", "reverse", "sort", "splice", "toSorted", "toReversed", "values",
                     "with", "catch", "finally"))  # fmt: skip
ASKING = frozenset(("map", "filter", "find", "forEach", "some", "every", "flatMap", "findIndex", "findLast",
                    "findLastIndex", "then", "sort", "toSorted", "next"))  # fmt: skip
TAKING = frozenset(("push", "unshift", "add", "includes", "indexOf", "has", "delete", "set", "next", "fill",
                    "resolve"))  # fmt: skip
"""Methods that are given what is held."""

MAPPING = frozenset(("map", "flatMap", "then"))
"""Methods that give as many of what their function gives."""
PASSING = frozenset(("freeze", "seal", "structuredClone", "assign", "resolve"))
"""Functions that give back what they are given."""


def find_held_types(each: Foreign) -> Types:
    """What a collection or a promise holds."""
    if not each.arguments:
        return ()
    if each.name == "Tuple":
        return tuple(found for some in each.arguments for found in some)
    return each.arguments[-1] if each.name in MAPS else each.arguments[0]


def find_call_result(each: Foreign) -> Types:
    """What calling something of the language gives: a method of a collection gives what that holds."""
    if not each.owner:
        return find_held_types(each) if each.name in PROMISES else ()
    whole = each.owner[0]
    if not isinstance(whole, Foreign):
        return ()
    held = find_held_types(whole)
    if each.name in ONE:
        return held
    if each.name == "entries" and whole.arguments:
        keys = whole.arguments[0] if len(whole.arguments) > 1 else ()
        return (Foreign("Array", ((Foreign("Tuple", (keys, held)),),)),)
    if whole.name in MAPS and each.name in ("keys", "values"):
        return (Foreign("Array", whole.arguments[:1] if each.name == "keys" else (held,)),)
    return (whole,) if each.name in AS_MANY else ()


def find_foreign_parameter(each: Foreign, number: int) -> Types:
    """What a method of the language takes at a place: what is held, or a function that is given that."""
    whole = each.owner[0] if each.owner else None
    if not isinstance(whole, Foreign):
        return ()
    held = find_held_types(whole)
    if each.name == "reduce":
        return (Callback(((), held)),)
    if each.name in ASKING and number == 0:
        return (Callback((held, held if each.name in ("sort", "toSorted") else ())),)
    is_held = each.name in TAKING and (whole.name not in MAPS or number == 1)
    return held if is_held else ()


LISTING = frozenset(("values", "entries", "all", "from"))
"""Functions that list what is in what they are given: `Object.values(x)`, `Array.from(x)`, `Promise.all(x)`."""

OPENING = "([{<"
CLOSING = ")]}>"
QUOTES = "'\"`"
LONGEST = 1_200


def split_outside_brackets(text: str, marks: str) -> list[str]:
    """The parts of a text between marks that are in no brackets and no quotes."""
    return [each.strip() for each in split_at(text, marks) if each.strip()]


def split_at(text: str, marks: str) -> list[str]:
    """The same as they are, with those that are empty."""
    parts: list[str] = []
    start = 0
    for position, mark in iterate_top_level(text):
        if mark in marks:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def iterate_top_level(text: str) -> Iterator[tuple[int, str]]:
    """The characters of a text that are in no brackets and no quotes, with their places; arrows are left out."""
    depth = 0
    quote = ""
    for position, character in enumerate(text[:LONGEST].replace("=>", "  ")):
        if quote:
            quote = "" if character == quote else quote
        elif character in QUOTES:
            quote = character
        elif character in OPENING:
            if not depth:
                yield position, character
            depth += 1
        elif character in CLOSING:
            depth = max(0, depth - 1)
            if not depth:
                yield position, character
        elif not depth:
            yield position, character


def find_mark(text: str, mark: str) -> int:
    """Where a mark is first in no brackets and no quotes; -1 where it is nowhere."""
    return next((position for position, each in iterate_top_level(text) if each == mark), -1)


def find_closing(text: str) -> int:
    """Where the bracket is closed that a text begins with; the text's end where it is not."""
    return next((position for position, mark in iterate_top_level(text) if position and mark in CLOSING), len(text))


def parse_arrow(text: str) -> tuple[str, str] | None:
    """The parameters of a function's type, and what it returns."""
    text = text.removeprefix("abstract ").removeprefix("new ").strip()
    if text.startswith("<"):
        text = text[find_closing(text) + 1 :].strip()
    if not text.startswith("("):
        return None
    end = find_closing(text)
    rest = text[end + 1 :].strip()
    return (text[1:end], rest[2:].strip()) if rest.startswith("=>") else None


def parse_parameter_type(text: str, number: int) -> str:
    """The type of one of the parameters of a function's type; empty where it has none."""
    parts = [each for each in split_outside_brackets(text, ",") if not each.startswith("this:")]
    if not parts:
        return ""
    part = parts[min(number, len(parts) - 1)]
    if number >= len(parts) and not part.startswith("..."):
        return ""
    colon = find_mark(part, ":")
    told = part[colon + 1 :].strip() if colon >= 0 else ""
    if told and part.startswith("..."):
        return told[:-2] if told.endswith("[]") else f"{told}[number]"
    return told


def parse_branches(text: str) -> list[str] | None:
    """The two outcomes of a conditional type."""
    if " extends " not in text or "?" not in text:
        return None
    question = next((at for at, mark in iterate_top_level(text) if mark == "?" and text[at : at + 2] != "?:"), -1)
    if text.find(" extends ") > question:
        return None
    rest = text[question + 1 :]
    colon = find_mark(rest, ":")
    return [rest[:colon].strip(), rest[colon + 1 :].strip()] if colon >= 0 else [rest.strip()]


def parse_generic(text: str) -> tuple[str, list[str]]:
    """The name of a type, and its arguments."""
    start = text.find("<")
    if start < 0 or not text.endswith(">"):
        return text, []
    return text[:start].strip(), split_outside_brackets(text[start + 1 : -1], ",")


MOST_STEPS = 40


class ExpressionStep(NamedTuple):
    """One step: `.` a member, `(` a call, `[` an element, `~` a parameter, `<` type arguments, `+` a list."""

    sign: str
    text: str = ""


@lru_cache(maxsize=20_000)
def split_steps(expression: str) -> tuple[str, tuple[ExpressionStep, ...]]:
    """The beginning of an expression and its steps."""
    if expression.startswith("(:"):
        end = find_closing(expression)
        head = expression[: end + 1]
        rest = expression[end + 1 :]
    elif expression.startswith("super()"):
        head = "super()"
        rest = expression[len("super()") :]
    else:
        end = _name_end(expression, 0)
        head = expression[:end]
        rest = expression[end:]
    steps: list[ExpressionStep] = []
    while rest and len(steps) < MOST_STEPS:
        step, rest = _step(rest)
        steps.append(step)
    return head, tuple(steps)


def _step(rest: str) -> tuple[ExpressionStep, str]:
    sign = rest[0]
    if sign == ".":
        end = _name_end(rest, 1)
        return ExpressionStep(".", rest[1:end]), rest[end:]
    if sign in "([<":
        end = find_closing(rest)
        return ExpressionStep(sign, rest[1:end]), rest[end + 1 :]
    if sign == "~":
        end = 1
        while end < len(rest) and rest[end].isdigit():
            end += 1
        return ExpressionStep("~", rest[1:end]), rest[end:]
    return ExpressionStep(sign), rest[1:]


def _name_end(text: str, start: int) -> int:
    position = start
    while position < len(text) and text[position] not in ".()[]<>~+":
        position += 1
    return position
