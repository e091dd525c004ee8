"""The types of script values: their text form, calls, expression steps, and types of the language itself."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fieldguide.code.symbols.facts import CLASS
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace
from fieldguide.code.symbols.resolvers.typescript_files import DEFAULT

if TYPE_CHECKING:
    from fieldguide.code.symbols.resolvers.typescript_evaluation import Evaluator

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
                   "AsyncIterableIterator", "QueryList", "NodeListOf"))  # fmt: skip
MAPS = frozenset(("Map", "ReadonlyMap", "Record", "WeakMap", "Index"))
COLLECTIONS = LISTS | MAPS
PROMISES = frozenset(("Promise", "PromiseLike", "Awaited", "Observable", "BehaviorSubject", "ReplaySubject", "Subject",
                      "Signal", "WritableSignal", "Ref", "ComputedRef", "ShallowRef", "RefObject", "MutableRefObject",
                      "InputSignal", "ModelSignal", "ComponentFixture"))  # fmt: skip
SAME = frozenset(("Partial", "Required", "Readonly", "NonNullable", "Omit", "Pick", "Exclude", "Extract", "DeepPartial",
                  "DeepReadonly", "DeepRequired", "Writable", "Mutable", "NoInfer", "PropsWithChildren", "Awaited",
                  "Immutable", "Draft", "Optional", "RequiredDeep", "PartialDeep", "WeakRef"))  # fmt: skip
COMPONENTS = frozenset(("FC", "FunctionComponent", "ComponentType", "React.FC", "React.FunctionComponent",
                        "React.ComponentType", "VFC"))  # fmt: skip
ONE = frozenset(("find", "pop", "shift", "at", "findLast", "get", "next", "value"))
AS_MANY = frozenset(("filter", "slice", "concat", "reverse", "sort", "splice", "toSorted", "toReversed", "values",
                     "with", "pipe", "asObservable", "catch", "finally", "tap", "asReadonly"))  # fmt: skip
ASKING = frozenset(("map", "filter", "find", "forEach", "some", "every", "flatMap", "findIndex", "findLast",
                    "findLastIndex", "subscribe", "then", "sort", "toSorted", "update", "next"))  # fmt: skip
TAKING = frozenset(("push", "unshift", "add", "includes", "indexOf", "has", "delete", "set", "next", "fill",
                    "resolve"))  # fmt: skip
"""Methods that are given what is held."""

MAPPING = frozenset(("map", "flatMap", "then"))
"""Methods that give as many of what their function gives."""
MAKING = frozenset(("useMemo", "computed", "untracked", "runInInjectionContext", "act", "inject", "viewChild"))
"""Functions that give what they make by calling what they are given."""
PASSING = frozenset(("useCallback", "memo", "forwardRef", "freeze", "seal", "toRaw", "unref", "structuredClone",
                     "assign", "firstValueFrom", "lastValueFrom", "resolve", "markRaw", "reactive",
                     "readonly"))  # fmt: skip
"""Functions that give back what they are given."""
WRAPPING = {
    "ref": "Ref",
    "shallowRef": "Ref",
    "signal": "Signal",
    "useState": "Tuple",
    "useRef": "RefObject",
    "of": "Observable",
}
"""Functions that wrap what they are given."""


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
    """What something of the language takes at a place: a component its properties, a method what is held."""
    if each.name in COMPONENTS and each.arguments:
        return each.arguments[0] if number == 0 else ()
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
    """A text cut at marks that are in no brackets and no quotes."""
    return [each.strip() for each in _split(text, marks) if each.strip()]


def _split(text: str, marks: str) -> list[str]:
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


CALLED = "()"
REST = "..."
MOST_SIGNATURES = 6
MOST_GIVEN = 6


class ExpressionSite(NamedTuple):
    """Where an expression is written."""

    scope: DefinitionPlace
    line: int
    given: Given


class ScriptCalls:
    """Calls values for an evaluator."""

    def __init__(self, evaluator: "Evaluator") -> None:
        self._evaluator = evaluator
        self._scripts = evaluator.scripts

    def called_with(self, each: Type, written: str, arguments: tuple[Types, ...], site: ExpressionSite) -> Types:
        """What calling a value gives, where what it is given may tell what its type parameters stand for."""
        told = _split(written, ",") if written else []  # a value that is not told is empty
        if isinstance(each, Foreign):
            values = [self._evaluator.value(site.scope, site.line, one, site.given) if one else () for one in told]
            given = self._known(each, arguments, values)
            return self.called(each, arguments) if given is None else given
        definition = self._scripts.definition(each.place) if isinstance(each, Itself) and not arguments else None
        if isinstance(each, Itself) and definition is not None and definition.type.startswith("<") and any(told):
            names = definition.type[1 : definition.type.index(">")].split(",")
            arguments = self._inferred(each, names, told, site)
        return self.called(each, arguments)

    def _known(self, each: Foreign, arguments: tuple[Types, ...], values: Sequence[Types]) -> Types | None:
        """What a call of something of others gives, by its name; None where that says nothing."""
        first = values[0] if values else ()
        owner = each.owner[0] if each.owner else None
        if each.name == "reduce":
            return values[1] if len(values) > 1 else None
        if each.name in PASSING:
            return first
        if each.name in WRAPPING:
            return None if arguments else (Foreign(WRAPPING[each.name], (first,)),)
        if each.name in MAKING or (each.name in MAPPING and owner):
            made = self._held(first, is_list=False)
            if each.name in MAKING:
                return made
            is_promise = isinstance(owner, Foreign) and owner.name in PROMISES
            return (Foreign("Promise" if is_promise else "Array", (made,)),) if made else ()
        if each.name not in LISTING or not first or (isinstance(owner, Foreign) and owner.arguments):
            return None
        held = self._held(first, is_list=True)
        if each.name == "entries":
            held = (Foreign("Tuple", ((), held)),)
        if each.name == "all":
            parts = [find_held_types(one) if isinstance(one, Foreign) else (one,) for one in held]
            held = limit_types([found for part in parts for found in part])
        return (Foreign("Array", (held,)),)

    def _inferred(self, each: Itself, names: list[str], given: list[str], site: ExpressionSite) -> tuple[Types, ...]:
        """What the type parameters of a function stand for, by the parameters that are declared of them."""
        file = self._scripts.file(each.place.path)
        found: dict[str, Types] = {}
        for number, one in enumerate(given):
            taken = self._parameters(each.place)
            told = file.definitions[taken[number]].type if file and number < len(taken) else ""
            declared = told[1:].strip() if told.startswith(":") else ""
            name = declared.removesuffix("[]").removeprefix("() => ").removeprefix("new () => ")
            if one and name in names and name not in found:
                types = self._evaluator.value(site.scope, site.line, one, site.given)
                found[name] = types if declared == name else self._held(types, is_list=declared.endswith("[]"))
        return tuple(found.get(name, ()) for name in names) if found else ()

    def _held(self, types: Types, *, is_list: bool) -> Types:
        """What lists hold, or what functions give."""
        return limit_types(
            [held for each in types for held in (self.element(each, "") if is_list else self.called(each))]
        )

    def called(self, each: Type, arguments: tuple[Types, ...] = ()) -> Types:
        """What calling a value gives."""
        if isinstance(each, Itself):
            return self._itself_called(each, arguments)
        if isinstance(each, Foreign):
            is_given_types = bool(arguments) and not each.owner and not each.arguments
            return (Foreign(each.name, arguments),) if is_given_types else find_call_result(each)
        if isinstance(each, FunctionType):
            return self._evaluator.types.read(each.place, 0, each.returned, each.given)
        if not isinstance(each, Object):
            return ()
        found = [self._evaluator.told(place, 0, text, each.given) for place, text in self._signatures(each)]
        return limit_types([one for types in found for one in types])

    def _itself_called(self, each: Itself, arguments: tuple[Types, ...]) -> Types:
        definition = self._scripts.definition(each.place)
        if definition is None:
            given_out = self._scripts.exported(each.place.path, DEFAULT) if each.place.place < 0 else []
            return self._evaluator.all_held(given_out)
        given = self.given(definition.type, arguments, each.given)
        if definition.kind == CLASS:
            return (Object(each.place, given),)
        return self._evaluator.told(each.place, definition.line, definition.type, given)

    def _signatures(self, each: Object) -> list[tuple[DefinitionPlace, str]]:
        """What says in an interface what calling its objects gives."""
        found: list[tuple[DefinitionPlace, str]] = []
        for one in self._scripts.merged(each.place):
            file = self._scripts.file(one.path)
            numbers = file.named(one.place, CALLED)[:MOST_SIGNATURES] if file else ()
            found += [(DefinitionPlace(one.path, number), file.definitions[number].type) for number in numbers if file]
        return found

    def given(self, told: str, arguments: tuple[Types, ...], given: Given) -> Given:
        """What the type parameters of a definition stand for, by the arguments that they get."""
        if not told.startswith("<") or not arguments:
            return given
        names = told[1 : told.index(">")].split(",")
        return (*zip(names, map(limit_depth, arguments), strict=False), *given)[:MOST_GIVEN]

    def parameter(self, each: Type, number: int, arguments: tuple[Types, ...] = ()) -> Types:
        """What a function takes at a place; a class what it is made of."""
        if isinstance(each, Itself):
            return self._own_parameter(each, number, arguments)
        if isinstance(each, Callback):
            return each.parameters[number] if number < len(each.parameters) else ()
        if isinstance(each, Foreign):
            return find_foreign_parameter(each, number)
        if isinstance(each, FunctionType):
            told = parse_parameter_type(each.parameters, number)
            return self._evaluator.types.read(each.place, 0, told, each.given) if told else ()
        if isinstance(each, Object):
            return self._taken_by_any([place for place, _ in self._signatures(each)], number, each.given)
        return ()

    def _own_parameter(self, each: Itself, number: int, arguments: tuple[Types, ...]) -> Types:
        definition = self._scripts.definition(each.place)
        if definition is None:
            return ()
        if definition.kind == CLASS:
            places = [place for place, _ in self._evaluator.members.inherited(each, "constructor")]
        else:
            places = self._scripts.merged(each.place)
        return self._taken_by_any(places, number, self.given(definition.type, arguments, each.given))

    def _taken_by_any(self, places: list[DefinitionPlace], number: int, given: Given) -> Types:
        return limit_types([found for place in places for found in self._taken(place, number, given)])

    def _taken(self, place: DefinitionPlace, number: int, given: Given) -> Types:
        file = self._scripts.file(place.path)
        taken = self._parameters(place)
        if file is None or not taken:
            return ()
        if REST in file.definitions[taken[-1]].bases and number >= len(taken) - 1:
            held = self._evaluator.held(DefinitionPlace(place.path, taken[-1]), given)
            return limit_types([found for one in held for found in self.element(one, "")])
        return self._evaluator.held(DefinitionPlace(place.path, taken[number]), given) if number < len(taken) else ()

    def _parameters(self, place: DefinitionPlace) -> list[int]:
        file = self._scripts.file(place.path)
        return file.parameters(place.place) if file else []

    def element(self, each: Type, index: str) -> Types:
        """What an element of a value is."""
        if not isinstance(each, Foreign):
            return ()
        if each.name == "Tuple" and index.isdigit() and int(index) < len(each.arguments):
            return each.arguments[int(index)]
        if each.name in ("Map", "ReadonlyMap"):
            return (Foreign("Tuple", each.arguments),)
        if each.name in COLLECTIONS:
            return find_held_types(each)
        if each.name in PROMISES:
            return tuple(found for held in find_held_types(each) for found in self.element(held, index))
        return ()


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
