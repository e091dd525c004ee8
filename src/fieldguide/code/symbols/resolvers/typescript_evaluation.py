"""Evaluates of which type an expression of a script is, and finds its members.

Every loop is bounded, and a type that leads to itself leads nowhere.
"""

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import CLASS, ENUM, IMPORTED, INTERFACE, SymbolDefinition
from fieldguide.code.symbols.resolvers import typescript_types
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace, remember
from fieldguide.code.symbols.resolvers.typescript_files import Scripts, is_static
from fieldguide.code.symbols.resolvers.typescript_types import (
    OWN,
    QUOTES,
    ExpressionSite,
    ExpressionStep,
    Foreign,
    FunctionType,
    Given,
    Itself,
    Narrowed,
    Object,
    ScriptCalls,
    Type,
    Types,
    find_closing,
    limit_types,
    parse_arrow,
    parse_branches,
    parse_generic,
    split_outside_brackets,
    split_steps,
)

MOST_BASES = 30


class ScriptMembers:
    """Finds members for an evaluator."""

    def __init__(self, evaluator: "Evaluator") -> None:
        self._evaluator = evaluator
        self._scripts = evaluator.scripts

    def types(self, each: Type, name: str) -> Types:
        """What a member of a value holds."""
        if isinstance(each, Foreign):
            held = typescript_types.find_held_types(each)
            is_promise = each.name in typescript_types.PROMISES
            if is_promise and each.arguments and name not in ("then", "catch", "finally", "subscribe", "pipe"):
                return held if name == "value" else tuple(found for one in held for found in self.types(one, name))
            return held if each.name in ("Record", "Index") and each.arguments else (Foreign(name, owner=(each,)),)
        if isinstance(each, Itself) and name in ("bind", "call", "apply"):
            return (each,)
        if isinstance(each, Narrowed):
            return limit_types(
                [found for one in each.whole for found in self.types(one, name)] if each.has(name) else []
            )
        return tuple(found for place, given in self.named(each, name) for found in self._evaluator.held(place, given))

    def named(self, each: Type, name: str) -> list[tuple[DefinitionPlace, Given]]:
        """The definitions that a name means behind a value of a type, with what type parameters stand for there."""
        if isinstance(each, Narrowed | Foreign):
            inside: Types = ()
            if isinstance(each, Narrowed):
                inside = each.whole if each.has(name) else ()
            elif each.name in typescript_types.PROMISES:
                inside = typescript_types.find_held_types(each)
            return [found for one in inside for found in self.named(one, name)]
        if not isinstance(each, Object | Itself):
            return []
        if each.place.place < 0:
            return [(place, ()) for place in self._scripts.exported(each.place.path, name)]
        return self.inherited(each, name)

    def inherited(self, each: Object | Itself, name: str) -> list[tuple[DefinitionPlace, Given]]:
        """The members of a name that a class has itself, or else from the nearest that it inherits from."""
        pending: list[Type] = [each]
        seen: set[Type] = set()
        while pending and len(seen) < MOST_BASES:
            now = pending.pop(0)
            if isinstance(now, Narrowed):
                pending += now.whole if now.has(name) else ()
            if now in seen or not isinstance(now, Object | Itself):
                continue
            seen.add(now)
            own = self.own(now.place, name)
            if len(own) > 1:  # a class may have a name both of its own and for its objects
                sides = [(place, self._scripts.definition(place)) for place in own]
                own = [one for one, it in sides if it and is_static(it) == isinstance(now, Itself)] or own
            if own:
                return [(place, now.given) for place in own] + self._beside(now, name)
            pending += self.bases(now)
        return []

    def _beside(self, each: Object | Itself, name: str) -> list[tuple[DefinitionPlace, Given]]:
        """The members that are one with an own member: those of what its own ones are joined with, `A & {…}`."""
        definition = self._scripts.definition(each.place)
        if definition is None or not any(OWN in base for base in definition.bases):
            return []
        others = [base for base in self.bases(each) if base != each and getattr(base, "place", None) != each.place]
        return [found for base in others for found in self.named(base, name)]

    def own(self, place: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        """The members of a name that a definition has itself, or where it is declared again."""
        found: list[DefinitionPlace] = []
        for one in self._scripts.merged(place):
            file = self._scripts.file(one.path)
            definition = self._scripts.definition(one)
            if file is None or definition is None:
                continue
            is_open = definition.kind in (facts.MODULE, ENUM)
            for number in file.named(one.place, name):
                kind = file.definitions[number].kind
                if kind in (facts.FIELD, facts.METHOD) or (is_open and kind not in (IMPORTED, facts.PARAMETER)):
                    found.append(DefinitionPlace(one.path, number))
                elif kind == facts.EXPORTED:
                    found += self._scripts.followed(DefinitionPlace(one.path, number))
        return found

    def bases(self, each: Type) -> Types:
        """What a class or interface inherits from, as objects."""
        return self._bases(each.place, each.given) if isinstance(each, Object | Itself) else ()

    @remember(())
    def _bases(self, place: DefinitionPlace, given: Given) -> Types:
        found: list[Type] = []
        for one in self._scripts.merged(place):
            definition = self._scripts.definition(one)
            for base in definition.bases if definition else ():
                found += self._evaluator.types.read(one, definition.line if definition else 0, base, given)
        return limit_types(found)


NARROWING = frozenset(("Omit", "Pick"))


class TypeReader:
    """Reads types for an evaluator."""

    def __init__(self, evaluator: "Evaluator") -> None:
        self._evaluator = evaluator
        self._scripts = evaluator.scripts

    def read(self, scope: DefinitionPlace, line: int, text: str, given: Given = ()) -> Types:
        """What a type in its own words stands for, as a value of it."""
        if not text or not self._evaluator.may_go_on():
            return ()
        self._evaluator.depth += 1
        try:
            found: list[Type] = []
            outcomes = parse_branches(text)
            function = parse_arrow(text)
            if function and not outcomes:
                return (FunctionType(*function, scope, given),)
            for part in outcomes or split_outside_brackets(text, "|&"):
                found += self._one_type(scope, line, part, given)
            return limit_types(found)
        finally:
            self._evaluator.depth -= 1

    def _one_type(self, scope: DefinitionPlace, line: int, text: str, given: Given) -> Types:
        is_several = text[0] != "(" and len(split_outside_brackets(text, "|&")) > 1
        if is_several or parse_branches(text) or parse_arrow(text):
            return self.read(scope, line, text, given)
        for word in ("readonly ", "unique ", "infer "):
            text = text.removeprefix(word)
        if text.startswith("typeof "):
            return self._evaluator.value(scope, line, text[7:].strip(), given)
        if text.endswith("]") and not text.startswith("["):
            return self._indexed(scope, line, text, given)
        if text.startswith("(") and find_closing(text) == len(text) - 1:
            return self.read(scope, line, text[1:-1], given)
        if text.startswith(("[", "{")):
            return self._spelled_out(scope, line, text, given)
        return (Object(scope, given),) if text == OWN else self._named_type(scope, line, text, given)

    def _spelled_out(self, scope: DefinitionPlace, line: int, text: str, given: Given) -> Types:
        """`[A, B]` and `{[key: string]: A}`."""
        if text[0] == "[":
            parts: list[str] = []
            for each in split_outside_brackets(text[1:-1], ","):
                head, colon, rest = each.partition(":")
                is_labelled = colon and head.rstrip("?").strip().isidentifier()
                parts.append((rest.strip() if is_labelled else each).removeprefix("...").rstrip("?"))
            return (Foreign("Tuple", tuple(self.read(scope, line, each, given) for each in parts)),)
        inside = split_outside_brackets(text[1:-1], ":")
        return (Foreign("Index", (self.read(scope, line, inside[-1].rstrip(";,} "), given),)),) if inside else ()

    def _indexed(self, scope: DefinitionPlace, line: int, text: str, given: Given) -> Types:
        """`T[]`, `T["name"]` and `T[number]`."""
        start = _last_bracket(text)
        whole = text[:start].strip()
        index = text[start + 1 : -1].strip()
        types = self.read(scope, line, whole, given)
        if not index:
            return (Foreign("Array", (types,)),)
        if index[0] in "'\"":
            return limit_types([found for each in types for found in self._evaluator.members.types(each, index[1:-1])])
        return limit_types([found for each in types for found in self._evaluator.calls.element(each, "")])

    def _named_type(self, scope: DefinitionPlace, line: int, text: str, given: Given) -> Types:
        name, parts = parse_generic(text)
        if name in dict(given) and not parts:
            return dict(given)[name]
        if name == "this":
            return self._evaluator.around(scope, given, is_super=False)
        places = self._meant(scope, line, name)
        if not places and name in NARROWING and len(parts) == 2:
            whole = self.read(scope, line, parts[0], given)
            written = split_outside_brackets(parts[1], "|")
            if not whole or any(each[0] not in QUOTES for each in written):
                return whole  # all of it where the names are not written out
            return (Narrowed(whole, frozenset(each[1:-1] for each in written), is_only=name == "Pick"),)
        arguments = tuple(self.read(scope, line, each, given) for each in parts)
        if places:
            return limit_types([found for place in places for found in self._of_type(place, arguments)])
        return self._foreign_type(self._evaluator.foreign_name(scope, line, name), arguments)

    def _meant(self, scope: DefinitionPlace, line: int, name: str) -> list[DefinitionPlace]:
        """What the name of a type means, with the namespaces before it."""
        head, _, rest = name.partition(".")
        if head.startswith("@"):
            places = self._scripts.imported(scope.path, int(head[1:]))
        else:
            places = self._scripts.look_up(scope.path, scope.place, head, line)
        for member in rest.split(".") if rest else ():
            places = [found for place in places for found in self._inside(place, member)]
        return places

    def _inside(self, place: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        if place.place < 0:
            return self._scripts.exported(place.path, name)
        return self._evaluator.members.own(place, name)

    def _foreign_type(self, name: str, arguments: tuple[Types, ...]) -> Types:
        if not arguments:
            return (Foreign(name),)
        calls = self._evaluator.calls
        first = arguments[0]
        if name in typescript_types.SAME:
            return first
        if name in ("ReturnType", "InstanceType"):
            return limit_types([found for each in first for found in calls.called(each)])
        if name == "Parameters":
            return (Foreign("Tuple", tuple(calls.parameter(each, n) for each in first for n in range(4))),)
        return (Foreign(name, arguments),)

    def _of_type(self, place: DefinitionPlace, arguments: tuple[Types, ...]) -> Types:
        """An object of what is defined at a place."""
        each = self._scripts.definition(place)
        if each is None:
            return ()
        given = self._evaluator.calls.given(each.type, arguments, ())
        if each.kind == facts.ALIAS:
            return self._evaluator.told(place, each.line, each.type, given)
        if each.kind in (CLASS, INTERFACE, ENUM):
            return (Object(place, given),)
        if each.kind == facts.LOCAL:  # a type parameter: what it must be
            return self._evaluator.told(place, each.line, each.type, ())
        enum = self._scripts.enum_of(place)
        return (Object(enum),) if enum else ()


def _last_bracket(text: str) -> int:
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == "]") - (text[position] == "[")
        if not depth:
            return position
    return 0


DEEPEST = 22
MOST_STEPS = 200_000


class Evaluator:
    """Answers about the scripts of one project; what it found out is kept as long as it lives."""

    def __init__(self, scripts: Scripts, *, knows_packages: bool = False) -> None:
        self.scripts = scripts
        self._knows_packages = knows_packages
        """Whether what packages give under some names is taken for what it usually is: no text here tells it."""
        self.depth = 0
        self._steps = 0
        self._known: dict[tuple[DefinitionPlace, Given], Types] = {}
        self.members = ScriptMembers(self)
        self.calls = ScriptCalls(self)
        self.types = TypeReader(self)

    def value(self, scope: DefinitionPlace, line: int, expression: str, given: Given = ()) -> Types:
        """What an expression stands for at a place."""
        if not self.may_go_on():
            return ()
        self.depth += 1
        try:
            head, steps = split_steps(expression)
            types = self._head(scope, line, head, given)
            arguments: tuple[Types, ...] = ()
            for step in steps:
                if step.sign == "<":
                    arguments = tuple(
                        self.types.read(scope, line, each, given) for each in split_outside_brackets(step.text, ",")
                    )
                    continue
                types = limit_types(self._step(types, step, arguments, ExpressionSite(scope, line, given)))
                arguments = ()
                if not types:
                    return ()
            return types
        finally:
            self.depth -= 1

    def _head(self, scope: DefinitionPlace, line: int, head: str, given: Given) -> Types:
        if head.startswith("(:"):
            return self.types.read(scope, line, head[2:-1], given)
        if head.startswith("@"):
            found = self.scripts.imported(scope.path, int(head[1:]))
            return self.all_held(found) if found else (Foreign(),)
        if head == OWN:
            return (Object(scope, given),)
        if head.startswith("#"):
            place = self.scripts.nameless(scope.path, head[1:])
            each = self.scripts.definition(place) if place else None
            if place is None or each is None:
                return ()
            return self.held(place, given) if each.kind == facts.PARAMETER else (Itself(place, given),)
        if head in ("self", "super()"):
            return self.around(scope, given, is_super=head != "self")
        named = self.scripts.look_up(scope.path, scope.place, head, line)
        if named:
            return self.all_held(named, given)
        return (Foreign(self.foreign_name(scope, line, head)),) if self.is_foreign(scope, line, head) else ()

    def foreign_name(self, scope: DefinitionPlace, line: int, name: str) -> str:
        """The name of something of others; empty for that of a package, unless packages are known."""
        file = self.scripts.file(scope.path)
        is_imported = file is not None and bool(file.lexical(scope.place, name.partition(".")[0], line))
        return name if self._knows_packages or not is_imported else ""

    def is_foreign(self, scope: DefinitionPlace, line: int, name: str) -> bool:
        """Whether a bare name is the language's or of a package: nothing here defines it."""
        file = self.scripts.file(scope.path)
        if file is None:
            return False
        found = file.lexical(scope.place, name, line)
        imported = [file.definitions[each].type for each in found if file.definitions[each].kind == IMPORTED]
        return not found or any(self.scripts.leads_outside(scope.path, told) for told in imported)

    def around(self, scope: DefinitionPlace, given: Given, *, is_super: bool) -> Types:
        """What `this` is at a place: an object of the class around it, or of the object that a method is in."""
        file = self.scripts.file(scope.path)
        number = scope.place
        owner = -1
        while file is not None and number >= 0:
            each = file.definitions[number]
            for declared in file.named(number, "this"):
                return self.held(DefinitionPlace(scope.path, declared), given)
            if each.kind in (CLASS, INTERFACE):
                own = Object(DefinitionPlace(scope.path, number), given)
                return self.members.bases(own) if is_super else (own,)
            if each.kind in (facts.METHOD, facts.FIELD) and owner < 0:
                owner = each.parent
            number = each.parent
        return (Object(DefinitionPlace(scope.path, owner)),) if owner >= 0 else ()

    def _step(
        self, types: Types, step: ExpressionStep, arguments: tuple[Types, ...], site: ExpressionSite
    ) -> list[Type]:
        found: list[Type] = []
        for each in types:
            if step.sign == ".":
                found += self.members.types(each, step.text)
            elif step.sign == "(":
                found += self.calls.called_with(each, step.text, arguments, site)
            elif step.sign == "[":
                found += self.calls.element(each, step.text)
            elif step.sign == "~":
                found += self.calls.parameter(each, int(step.text or 0), arguments)
            elif step.sign == "+":
                found.append(Foreign("Array", ((each,),)))
        return found

    def all_held(self, places: list[DefinitionPlace], given: Given = ()) -> Types:
        """What several definitions hold."""
        return limit_types([found for place in places for found in self.held(place, given)])

    def held(self, place: DefinitionPlace, given: Given = ()) -> Types:
        """What a definition stands for as a value."""
        each = self.scripts.definition(place)
        if each is None or each.kind in (CLASS, ENUM, facts.MODULE, *facts.CALLABLE):
            return (Itself(place, given),)
        key = (place, given)
        if key not in self._known and self.may_go_on():
            self._known[key] = ()  # a type that leads to itself leads nowhere
            self._known[key] = self._held(place, each, given)
        return self._known.get(key, ())

    def _held(self, place: DefinitionPlace, each: SymbolDefinition, given: Given) -> Types:
        if each.kind in (IMPORTED, facts.EXPORTED):
            followed = [found for found in self.scripts.followed(place) if found != place]
            if followed:
                return self.all_held(followed)
        if each.kind == IMPORTED:
            return (Foreign(each.name if self._knows_packages else ""),)
        if each.kind in (INTERFACE, facts.ALIAS):
            return ()
        enum = self.scripts.enum_of(place)
        return (Object(enum),) if enum else self.told(place, each.line, each.type, given)

    def told(self, place: DefinitionPlace, line: int, told: str, given: Given) -> Types:
        """What the type of a definition says, behind the names of its type parameters."""
        if told.startswith("<"):
            told = told[told.index(">") + 1 :]
        if told.startswith(":"):
            return self.types.read(place, line, told[1:], given)
        return self.value(place, line, told[1:], given) if told.startswith("=") else ()

    def may_go_on(self) -> bool:
        """Count a step, and tell whether there may be another."""
        self._steps += 1
        return self.depth < DEEPEST and self._steps < MOST_STEPS
