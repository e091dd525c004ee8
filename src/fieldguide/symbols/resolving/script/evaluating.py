"""Of what type a value of a script is: declared, made, returned, held or expected.

Every loop is bounded, and a type that leads to itself leads nowhere.
"""

from typing import NamedTuple

from fieldguide.symbols.facts import (
    ALIAS,
    CALLABLE,
    CLASS,
    ENUM,
    EXPORTED,
    FIELD,
    IMPORTED,
    INTERFACE,
    METHOD,
    MODULE,
    PARAMETER,
)
from fieldguide.symbols.resolving.script import foreign
from fieldguide.symbols.resolving.script.files import DEFAULT, Scripts, is_static
from fieldguide.symbols.resolving.script.kinds_of_types import (
    Callback,
    Foreign,
    FunctionType,
    Given,
    Itself,
    Narrowed,
    Object,
    Type,
    Types,
)
from fieldguide.symbols.resolving.script.paths import Step, cut
from fieldguide.symbols.resolving.script.type_text import QUOTES, arrow, branches, closing, generic, parameter, split, top_level
from fieldguide.symbols.resolving.values import At

DEEPEST = 22
MOST_TYPES = 8
MOST_STEPS = 60_000
MOST_BASES = 30
OWN = "!"
NARROWING = frozenset(("Omit", "Pick"))


class Site(NamedTuple):
    """Where an expression is written."""

    scope: At
    line: int
    given: Given


class Evaluator:
    """Answers about the scripts of one project; what it found out is kept as long as it lives."""

    def __init__(self, scripts: Scripts) -> None:
        self.scripts = scripts
        self._depth = 0
        self._steps = 0
        self._known: dict[tuple[At, Given], Types] = {}
        self._bases: dict[tuple[At, Given], Types] = {}

    def value(self, scope: At, line: int, expression: str, given: Given = ()) -> Types:
        """What an expression stands for at a place."""
        if not self._may_go_on():
            return ()
        self._depth += 1
        try:
            head, steps = cut(expression)
            types = self._head(scope, line, head, given)
            arguments: tuple[Types, ...] = ()
            for step in steps:
                if step.sign == "<":
                    arguments = tuple(self.type(scope, line, each, given) for each in split(step.text, ","))
                    continue
                types = _few(self._step(types, step, arguments, Site(scope, line, given)))
                arguments = ()
                if not types:
                    return ()
            return types
        finally:
            self._depth -= 1

    def _head(self, scope: At, line: int, head: str, given: Given) -> Types:
        if head.startswith("(:"):
            return self.type(scope, line, head[2:-1], given)
        if head.startswith("@"):
            found = self.scripts.imported(scope.path, int(head[1:]))
            return self.all_held(found) if found else (Foreign(),)
        if head == OWN:
            return (Object(scope, given),)
        if head.startswith("#"):
            place = self.scripts.nameless(scope.path, head[1:])
            return (Itself(place, given),) if place else ()
        if head in ("self", "super()"):
            return self._self(scope, given, is_super=head != "self")
        found = self.scripts.look_up(scope.path, scope.place, head, line)
        if found:
            return self.all_held(found, given)
        return (Foreign(head),) if self.is_foreign(scope, line, head) else ()

    def is_foreign(self, scope: At, line: int, name: str) -> bool:
        """Whether a bare name is the language's or of a package: nothing here defines it."""
        file = self.scripts.file(scope.path)
        if file is None:
            return False
        found = file.lexical(scope.place, name, line)
        return not found or any(
            file.definitions[each].kind == IMPORTED and self.scripts.leads_outside(scope.path, each) for each in found
        )

    def _self(self, scope: At, given: Given, *, is_super: bool) -> Types:
        file = self.scripts.file(scope.path)
        number, owner = scope.place, -1
        while file is not None and number >= 0:
            each = file.definitions[number]
            for declared in file.named(number, "this"):
                return self.held(At(scope.path, declared), given)
            if each.kind in (CLASS, INTERFACE):
                own = Object(At(scope.path, number), given)
                return self.bases(own) if is_super else (own,)
            if each.kind in (METHOD, FIELD) and owner < 0:
                owner = each.parent
            number = each.parent
        return (Object(At(scope.path, owner)),) if owner >= 0 else ()

    def _step(self, types: Types, step: Step, arguments: tuple[Types, ...], site: "Site") -> list[Type]:
        found: list[Type] = []
        for each in types:
            if step.sign == ".":
                found += self._member_types(each, step.text)
            elif step.sign == "(":
                found += self._called_with(each, step.text, arguments, site)
            elif step.sign == "[":
                found += self.element(each, step.text)
            elif step.sign == "~":
                found += self.parameter(each, int(step.text or 0), arguments)
            elif step.sign == "+":
                found.append(Foreign("Array", ((each,),)))
        return found

    def _member_types(self, each: Type, name: str) -> Types:
        if isinstance(each, Foreign):
            return self._foreign_member(each, name)
        if isinstance(each, Itself) and name in ("bind", "call", "apply"):
            return (each,)
        if isinstance(each, Narrowed):
            return _few([found for one in each.whole for found in self._member_types(one, name)] if each.has(name) else [])
        return tuple(found for place, given in self.members(each, name) for found in self.held(place, given))

    def _foreign_member(self, each: Foreign, name: str) -> Types:
        if (
            each.name in foreign.PROMISES
            and each.arguments
            and name not in ("then", "catch", "finally", "subscribe", "pipe")
        ):
            if name == "value":
                return foreign.holds(each)
            return tuple(found for held in foreign.holds(each) for found in self._member_types(held, name))
        if each.name in ("Record", "Index") and each.arguments:
            return foreign.holds(each)
        return (Foreign(name, owner=(each,)),)

    def members(self, each: Type, name: str) -> list[tuple[At, Given]]:
        """The definitions that a name means behind a value of a type, with what type parameters stand for there."""
        if isinstance(each, Narrowed):
            return [found for one in each.whole for found in self.members(one, name)] if each.has(name) else []
        if isinstance(each, Foreign):
            if each.name in foreign.PROMISES and each.arguments:
                return [found for held in foreign.holds(each) for found in self.members(held, name)]
            return []
        if not isinstance(each, Object | Itself):
            return []
        if each.place.place < 0:
            return [(place, ()) for place in self.scripts.exported(each.place.path, name)]
        return self._inherited(each, name)

    def _inherited(self, each: Object | Itself, name: str) -> list[tuple[At, Given]]:
        pending: list[Type] = [each]
        seen: set[Type] = set()
        while pending and len(seen) < MOST_BASES:
            now = pending.pop(0)
            if isinstance(now, Narrowed):
                pending += now.whole if now.has(name) else ()
            if now in seen or not isinstance(now, Object | Itself):
                continue
            seen.add(now)
            own = self._own_side(now, self.own_members(now.place, name))
            if own:
                return [(place, now.given) for place in own] + self._beside(now, name)
            pending += self.bases(now)
        return []

    def _own_side(self, each: Object | Itself, found: list[At]) -> list[At]:
        """Of a class that has a name both of its own and for its objects, the one that is meant."""
        if len(found) < 2:
            return found
        sides = [(place, self.scripts.definition(place)) for place in found]
        return [one for one, it in sides if it and is_static(it) == isinstance(each, Itself)] or found

    def _beside(self, each: Object | Itself, name: str) -> list[tuple[At, Given]]:
        """The members that are one with an own member: those of what its own ones are joined with, `A & {…}`."""
        definition = self.scripts.definition(each.place)
        if definition is None or not any(OWN in base for base in definition.bases):
            return []
        others = [base for base in self.bases(each) if base != each and getattr(base, "place", None) != each.place]
        return [found for base in others for found in self.members(base, name)]

    def own_members(self, place: At, name: str) -> list[At]:
        """The members of a name that a definition has itself, or where it is declared again."""
        found: list[At] = []
        for one in self.scripts.merged(place):
            file = self.scripts.file(one.path)
            definition = self.scripts.definition(one)
            if file is None or definition is None:
                continue
            is_open = definition.kind in (MODULE, ENUM)
            for number in file.named(one.place, name):
                kind = file.definitions[number].kind
                if kind in (FIELD, METHOD) or (is_open and kind not in (IMPORTED, PARAMETER)):
                    found.append(At(one.path, number))
                elif kind == EXPORTED:
                    found += self.scripts.followed(At(one.path, number))
        return found

    def bases(self, each: Type) -> Types:
        """What a class or interface inherits from, as objects."""
        if not isinstance(each, Object | Itself):
            return ()
        key = (each.place, each.given)
        if key not in self._bases:
            self._bases[key] = ()
            found: list[Type] = []
            for one in self.scripts.merged(each.place):
                definition = self.scripts.definition(one)
                for base in definition.bases if definition else ():
                    found += self.type(one, definition.line if definition else 0, base, each.given)
            self._bases[key] = _few(found)
        return self._bases[key]

    def all_held(self, places: list[At], given: Given = ()) -> Types:
        """What several definitions hold."""
        return _few([found for place in places for found in self.held(place, given)])

    def held(self, place: At, given: Given = ()) -> Types:
        """What a definition stands for as a value."""
        each = self.scripts.definition(place)
        if each is None or each.kind in (CLASS, ENUM, MODULE, *CALLABLE):
            return (Itself(place, given),)
        key = (place, given)
        if key not in self._known:
            self._known[key] = ()  # a type that leads to itself leads nowhere
            if not self._may_go_on():
                del self._known[key]
                return ()
            self._known[key] = self._held(place, given)
        return self._known[key]

    def _held(self, place: At, given: Given) -> Types:
        each = self.scripts.definition(place)
        if each is None:
            return ()
        if each.kind in (IMPORTED, EXPORTED):
            followed = [found for found in self.scripts.followed(place) if found != place]
            if followed or each.kind == IMPORTED:
                return self.all_held(followed) if followed else (Foreign(each.name),)
        if each.kind in (INTERFACE, ALIAS):
            return ()
        parent = self.scripts.definition(At(place.path, each.parent))
        if parent is not None and parent.kind == ENUM:
            return (Object(At(place.path, each.parent)),)
        return self._told(place, each.line, each.type, given)

    def _told(self, place: At, line: int, told: str, given: Given) -> Types:
        """What the type of a definition says, behind the names of its type parameters."""
        if told.startswith("<"):
            told = told[told.index(">") + 1 :]
        if told.startswith(":"):
            return self.type(place, line, told[1:], given)
        return self.value(place, line, told[1:], given) if told.startswith("=") else ()

    def _called_with(self, each: Type, written: str, arguments: tuple[Types, ...], site: "Site") -> Types:
        """What calling a value gives, where what it is given may tell what its type parameters stand for."""
        told = _arguments(written)
        if isinstance(each, Foreign):
            values = [self.value(site.scope, site.line, one, site.given) if one else () for one in told]
            return self._foreign_called(each, arguments, values)
        definition = self.scripts.definition(each.place) if isinstance(each, Itself) else None
        if definition is not None and definition.type.startswith("<") and not arguments and any(told):
            return self.called(each, self._inferred(each, definition.type, told, site))
        return self.called(each, arguments)

    def _inferred(self, each: Type, told: str, given: list[str], site: "Site") -> tuple[Types, ...]:
        """What the type parameters of a function stand for, by the parameters that are declared of them."""
        names = told[1 : told.index(">")].split(",")
        found: dict[str, Types] = {}
        for number, one in enumerate(given):
            declared = self._declared(each, number)
            name = declared.removesuffix("[]").removeprefix("() => ").removeprefix("new () => ")
            if one and name in names and name not in found:
                types = self.value(site.scope, site.line, one, site.given)
                if declared.endswith("[]"):
                    types = _few([held for two in types for held in self.element(two, "")])
                elif declared != name:
                    types = _few([held for two in types for held in self.called(two)])
                found[name] = types
        return tuple(found.get(name, ()) for name in names) if found else ()

    def _declared(self, each: Type, number: int) -> str:
        """The type that a parameter is declared with, in its own words."""
        if not isinstance(each, Itself):
            return ""
        file = self.scripts.file(each.place.path)
        taken = self._parameters(each.place)
        told = file.definitions[taken[number]].type if file and number < len(taken) else ""
        return told[1:].strip() if told.startswith(":") else ""

    def _foreign_called(self, each: Foreign, arguments: tuple[Types, ...], values: list[Types]) -> Types:
        first = values[0] if values else ()
        if each.name in foreign.MAPPING and each.owner:
            made = _few([found for one in first for found in self.called(one)])
            whole = each.owner[0].name if isinstance(each.owner[0], Foreign) else ""
            return (Foreign("Promise" if whole in foreign.PROMISES else "Array", (made,)),) if made else ()
        if each.name == "reduce" and len(values) > 1:
            return values[1]
        if each.name in foreign.MAKING:
            return _few([found for one in first for found in self.called(one)])
        if each.name in foreign.PASSING or (each.name in foreign.WRAPPING and not arguments):
            return (Foreign(foreign.WRAPPING[each.name], (first,)),) if each.name in foreign.WRAPPING else first
        if each.name in ("values", "entries", "all", "from") and first and not self._is_list(each):
            return self._listed(each.name, first)
        return self.called(each, arguments)

    def _is_list(self, each: Foreign) -> bool:
        return bool(each.owner) and isinstance(each.owner[0], Foreign) and bool(each.owner[0].arguments)

    def _listed(self, name: str, first: Types) -> Types:
        """`Object.values(x)`, `Object.entries(x)`, `Array.from(x)`, `Promise.all(x)`."""
        held = _few([found for one in first for found in self.element(one, "")])
        if name == "entries":
            held = (Foreign("Tuple", ((), held)),)
        if name == "all":
            held = _few(
                [found for one in held for found in (foreign.holds(one) if isinstance(one, Foreign) else (one,))]
            )
        return (Foreign("Array", (held,)),)

    def called(self, each: Type, arguments: tuple[Types, ...] = ()) -> Types:
        """What calling a value gives."""
        if isinstance(each, Foreign):
            if not each.owner and not each.arguments and arguments:
                return (Foreign(each.name, arguments),)
            return foreign.called(each)
        if isinstance(each, FunctionType):
            return self.type(each.place, 0, each.returned, each.given)
        if not isinstance(each, Itself):
            return ()
        definition = self.scripts.definition(each.place)
        if definition is None:
            return self.all_held(self.scripts.exported(each.place.path, DEFAULT)) if each.place.place < 0 else ()
        given = self._given(definition.type, arguments, each.given)
        if definition.kind == CLASS:
            return (Object(each.place, given),)
        return self._told(each.place, definition.line, definition.type, given)

    def _given(self, told: str, arguments: tuple[Types, ...], given: Given) -> Given:
        if not told.startswith("<") or not arguments:
            return given
        names = told[1 : told.index(">")].split(",")
        return (*zip(names, arguments, strict=False), *given)[:6]

    def element(self, each: Type, index: str) -> Types:
        """What an element of a value is."""
        if not isinstance(each, Foreign):
            return ()
        if each.name == "Tuple" and index.isdigit() and int(index) < len(each.arguments):
            return each.arguments[int(index)]
        if each.name in ("Map", "ReadonlyMap"):
            return (Foreign("Tuple", each.arguments),)
        if each.name in foreign.LISTS or each.name in foreign.MAPS:
            return foreign.holds(each)
        if each.name in foreign.PROMISES:
            return tuple(found for held in foreign.holds(each) for found in self.element(held, index))
        return ()

    def parameter(self, each: Type, number: int, arguments: tuple[Types, ...] = ()) -> Types:
        """What a function takes at a place; a class what it is made of."""
        if isinstance(each, Callback):
            return each.parameters[number] if number < len(each.parameters) else ()
        if isinstance(each, Foreign):
            return foreign.parameter(each, number)
        if isinstance(each, FunctionType):
            told = parameter(each.parameters, number)
            return self.type(each.place, 0, told, each.given) if told else ()
        definition = self.scripts.definition(each.place) if isinstance(each, Itself) else None
        if definition is None or not isinstance(each, Itself):
            return ()
        if definition.kind == CLASS:
            given = self._given(definition.type, arguments, each.given)
            makers = self._inherited(each, "constructor")
            return _few([found for place, _ in makers for found in self._taken(place, number, given)])
        given = self._given(definition.type, arguments, each.given)
        return _few([found for one in self.scripts.merged(each.place) for found in self._taken(one, number, given)])

    def _taken(self, place: At, number: int, given: Given) -> Types:
        taken = self._parameters(place)
        return self.held(At(place.path, taken[number]), given) if number < len(taken) else ()

    def _parameters(self, place: At) -> list[int]:
        file = self.scripts.file(place.path)
        return file.parameters(place.place) if file else []

    def type(self, scope: At, line: int, text: str, given: Given = ()) -> Types:
        """What a type in its own words stands for, as a value of it."""
        if not text or not self._may_go_on():
            return ()
        self._depth += 1
        try:
            found: list[Type] = []
            outcomes = branches(text)
            function = arrow(text)
            if function and not outcomes:
                return (FunctionType(*function, scope, given),)
            for part in outcomes or split(text, "|&"):
                found += self._one_type(scope, line, part, given)
            return _few(found)
        finally:
            self._depth -= 1

    def _one_type(self, scope: At, line: int, text: str, given: Given) -> Types:
        if branches(text) or arrow(text) or (text[0] != "(" and len(split(text, "|&")) > 1):
            return self.type(scope, line, text, given)
        for word in ("readonly ", "unique ", "infer "):
            text = text.removeprefix(word)
        if text.startswith("typeof "):
            return self.value(scope, line, text[7:].strip(), given)
        if text.endswith("]") and not text.startswith("["):
            return self._indexed(scope, line, text, given)
        if text.startswith("(") and closing(text) == len(text) - 1:
            return self.type(scope, line, text[1:-1], given)
        if text.startswith("["):
            parts = [self._labelled(each) for each in split(text[1:-1], ",")]
            return (Foreign("Tuple", tuple(self.type(scope, line, each, given) for each in parts)),)
        if text == OWN:
            return (Object(scope, given),)
        if text.startswith("{"):
            inside = split(text[1:-1], ":")
            return (Foreign("Index", (self.type(scope, line, inside[-1].rstrip(";,} "), given),)),) if inside else ()
        return self._named_type(scope, line, text, given)

    def _labelled(self, text: str) -> str:
        head, colon, rest = text.partition(":")
        text = rest.strip() if colon and head.rstrip("?").strip().isidentifier() else text
        return text.removeprefix("...").rstrip("?")

    def _indexed(self, scope: At, line: int, text: str, given: Given) -> Types:
        """`T[]`, `T["name"]` and `T[number]`."""
        start = _last_bracket(text)
        whole, index = text[:start].strip(), text[start + 1 : -1].strip()
        types = self.type(scope, line, whole, given)
        if not index:
            return (Foreign("Array", (types,)),)
        if index[0] in "'\"":
            return _few([found for each in types for found in self._member_types(each, index[1:-1])])
        return _few([found for each in types for found in self.element(each, "")])

    def _named_type(self, scope: At, line: int, text: str, given: Given) -> Types:
        name, parts = generic(text)
        if name in dict(given) and not parts:
            return dict(given)[name]
        if name == "this":
            return self._self(scope, given, is_super=False)
        head, _, rest = name.partition(".")
        if head.startswith("@"):
            places = self.scripts.imported(scope.path, int(head[1:]))
        else:
            places = self.scripts.look_up(scope.path, scope.place, head, line)
        for member in rest.split(".") if rest else ():
            places = [found for place in places for found in self._inside(place, member)]
        if name in NARROWING and len(parts) == 2 and not places:
            return self._narrowed(name, scope, line, parts, given)
        arguments = tuple(self.type(scope, line, each, given) for each in parts)
        if not places:
            return self._foreign_type(name, arguments)
        return _few([found for place in places for found in self._of_type(place, arguments)])

    def _narrowed(self, name: str, scope: At, line: int, parts: list[str], given: Given) -> Types:
        """`Omit<T, "a" | "b">` and `Pick<…>`; all of it where the names are not written out."""
        whole = self.type(scope, line, parts[0], given)
        written = split(parts[1], "|")
        if not whole or any(each[0] not in QUOTES for each in written):
            return whole
        return (Narrowed(whole, frozenset(each[1:-1] for each in written), is_only=name == "Pick"),)

    def _inside(self, place: At, name: str) -> list[At]:
        if place.place < 0:
            return self.scripts.exported(place.path, name)
        return self.own_members(place, name)

    def _foreign_type(self, name: str, arguments: tuple[Types, ...]) -> Types:
        if name in foreign.SAME and arguments:
            return arguments[0]
        if name in ("ReturnType", "InstanceType") and arguments:
            return _few([found for each in arguments[0] for found in self.called(each)])
        if name == "Parameters" and arguments:
            return (Foreign("Tuple", tuple(self.parameter(each, n) for each in arguments[0] for n in range(4))),)
        return (Foreign(name, arguments),)

    def _of_type(self, place: At, arguments: tuple[Types, ...]) -> Types:
        """An object of what is defined at a place."""
        each = self.scripts.definition(place)
        if each is None:
            return ()
        given = self._given(each.type, arguments, ())
        if each.kind == ALIAS:
            return self._told(place, each.line, each.type, given)
        if each.kind in (CLASS, INTERFACE, ENUM):
            return (Object(place, given),)
        if each.kind == "local":  # a type parameter: what it must be
            return self._told(place, each.line, each.type, ())
        parent = self.scripts.definition(At(place.path, each.parent))
        return (Object(At(place.path, each.parent)),) if parent and parent.kind == ENUM else ()

    def _may_go_on(self) -> bool:
        self._steps += 1
        return self._depth < DEEPEST and self._steps < MOST_STEPS


def _arguments(written: str) -> list[str]:
    """What a call is given; a value that is not told is empty."""
    parts: list[str] = []
    start = 0
    for position, mark in top_level(written):
        if mark == ",":
            parts.append(written[start:position])
            start = position + 1
    return [*parts, written[start:]] if written else []


def _few(types: "list[Type] | Types") -> Types:
    return tuple(dict.fromkeys(types))[:MOST_TYPES]


def _last_bracket(text: str) -> int:
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == "]") - (text[position] == "[")
        if not depth:
            return position
    return 0
