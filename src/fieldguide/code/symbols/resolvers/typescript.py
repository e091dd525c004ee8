"""Resolves uses of names in TypeScript and JavaScript, evaluates expressions, and finds related members.

A member of a class and the members of its bases that it overrides or implements are one: who asks for one of them is
told the uses of all. Every loop is bounded, and a type that leads to itself leads nowhere.
"""

import posixpath
from collections.abc import Collection, Sequence
from typing import NamedTuple

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import SymbolDefinition, SymbolReference
from fieldguide.code.symbols.resolvers import typescript_types as script_types
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import LanguageResolver, LanguageRules
from fieldguide.code.symbols.resolvers.typescript_files import DEFAULT, MEMBERS, WHOLE, Scripts, is_static
from fieldguide.code.symbols.resolvers.typescript_types import (
    Callback,
    ExpressionStep,
    Foreign,
    FunctionType,
    Given,
    Itself,
    Narrowed,
    Object,
    Type,
    Types,
    limit_types,
)
from fieldguide.code.symbols.resolvers.values import FOREIGN, BoundedSearch, DefinitionPlace, ResolvedValue, remember

MOST_BASES = 30


NARROWING = frozenset(("Omit", "Pick"))
CALLED = "()"
REST = "..."
MOST_SIGNATURES = 6
MOST_GIVEN = 6


class ExpressionSite(NamedTuple):
    """Where an expression is written."""

    scope: DefinitionPlace
    line: int
    given: Given


class Evaluator(BoundedSearch):
    """Answers about the scripts of one project; what it found out is kept as long as it lives."""

    deepest = 22

    def __init__(self, scripts: Scripts) -> None:
        self.scripts = scripts
        self._known: dict[tuple[DefinitionPlace, Given], Types] = {}

    def value(self, scope: DefinitionPlace, line: int, expression: str, given: Given = ()) -> Types:
        """What an expression stands for at a place."""
        if not self.may_go_on():
            return ()
        with self.deeper():
            head, steps = script_types.split_steps(expression)
            types = self._head(scope, line, head, given)
            arguments: tuple[Types, ...] = ()
            for step in steps:
                if step.sign == "<":
                    parts = script_types.split_outside_brackets(step.text, ",")
                    arguments = tuple(self.read(scope, line, each, given) for each in parts)
                    continue
                types = limit_types(self._step(types, step, arguments, ExpressionSite(scope, line, given)))
                arguments = ()
                if not types:
                    return ()
            return types

    def _head(self, scope: DefinitionPlace, line: int, head: str, given: Given) -> Types:
        if head.startswith("(:"):
            return self.read(scope, line, head[2:-1], given)
        if head.startswith("@"):
            found = self.scripts.imported(scope.path, int(head[1:]))
            return self.all_held(found) if found else (Foreign(),)
        if head == script_types.OWN:
            return (Object(scope, given),)
        if head.startswith("#"):
            place = self.scripts.nameless(scope.path, head[1:])
            if place is None:
                return ()
            is_parameter = self.scripts.definition(place).kind == facts.PARAMETER
            return self.held(place, given) if is_parameter else (Itself(place, given),)
        if head in ("self", "super()"):
            return self.around(scope, given, is_super=head != "self")
        named = self.scripts.look_up(scope.path, scope.place, head, line)
        if named:
            return self.all_held(named, given)
        return (Foreign(self.foreign_name(scope, line, head)),) if self.is_foreign(scope, line, head) else ()

    def foreign_name(self, scope: DefinitionPlace, line: int, name: str) -> str:
        """The name of something of the language; empty for that of a package."""
        return "" if self.scripts.lexical(scope.path, scope.place, name.partition(".")[0], line) else name

    def is_foreign(self, scope: DefinitionPlace, line: int, name: str) -> bool:
        """Whether a bare name is the language's or of a package: nothing here defines it."""
        found = [self.scripts.definition(each) for each in self.scripts.lexical(scope.path, scope.place, name, line)]
        imported = [each.type for each in found if each.kind == facts.IMPORTED]
        return not found or any(self.scripts.leads_outside(scope.path, told) for told in imported)

    def around(self, scope: DefinitionPlace, given: Given, *, is_super: bool) -> Types:
        """What `this` is at a place: an object of the class around it, or of the object that a method is in."""
        owner = -1
        for number in self.scripts.file(scope.path).chain(scope.place):
            place = DefinitionPlace(scope.path, number)
            each = self.scripts.definition(place)
            for declared in self.scripts.view.named(place, "this"):
                return self.held(declared, given)
            if each.kind in (facts.CLASS, facts.INTERFACE):
                own = Object(place, given)
                return self.bases(own) if is_super else (own,)
            if each.kind in (facts.METHOD, facts.FIELD) and owner < 0:
                owner = each.parent
        return (Object(DefinitionPlace(scope.path, owner)),) if owner >= 0 else ()

    def _step(
        self, types: Types, step: ExpressionStep, arguments: tuple[Types, ...], site: ExpressionSite
    ) -> list[Type]:
        found: list[Type] = []
        for each in types:
            if step.sign == ".":
                found += self.member_types(each, step.text)
            elif step.sign == "(":
                found += self.called_with(each, step.text, arguments, site)
            elif step.sign == "[":
                found += self.element(each, step.text)
            elif step.sign == "~":
                found += self.parameter(each, int(step.text or 0), arguments)
            elif step.sign == "+":
                found.append(Foreign("Array", ((each,),)))
        return found

    def all_held(self, places: list[DefinitionPlace], given: Given = ()) -> Types:
        """What several definitions hold."""
        return limit_types([found for place in places for found in self.held(place, given)])

    def held(self, place: DefinitionPlace, given: Given = ()) -> Types:
        """What a definition stands for as a value."""
        each = self.scripts.definition(place)
        if each.kind in ("", facts.CLASS, facts.ENUM, facts.MODULE, *facts.CALLABLE):
            return (Itself(place, given),)
        key = (place, given)
        if key not in self._known and self.may_go_on():
            self._known[key] = ()  # a type that leads to itself leads nowhere
            self._known[key] = self._held(place, each, given)
        return self._known.get(key, ())

    def _held(self, place: DefinitionPlace, each: SymbolDefinition, given: Given) -> Types:
        if each.kind in (facts.IMPORTED, facts.EXPORTED):
            followed = [found for found in self.scripts.followed(place) if found != place]
            if followed:
                return self.all_held(followed)
        if each.kind == facts.IMPORTED:
            return (Foreign(),)
        if each.kind in (facts.INTERFACE, facts.ALIAS):
            return ()
        enum = self.scripts.enum_of(place)
        return (Object(enum),) if enum else self.told(place, each.line, each.type, given)

    def told(self, place: DefinitionPlace, line: int, told: str, given: Given) -> Types:
        """What the type of a definition says, behind the names of its type parameters."""
        if told.startswith("<"):
            told = told[told.index(">") + 1 :]
        if told.startswith(":"):
            return self.read(place, line, told[1:], given)
        return self.value(place, line, told[1:], given) if told.startswith("=") else ()

    def member_types(self, each: Type, name: str) -> Types:
        """What a member of a value holds."""
        if isinstance(each, Foreign):
            held = script_types.find_held_types(each)
            is_promise = each.name in script_types.PROMISES
            if is_promise and each.arguments and name not in ("then", "catch", "finally"):
                return tuple(found for one in held for found in self.member_types(one, name))
            return held if each.name in ("Record", "Index") and each.arguments else (Foreign(name, owner=(each,)),)
        if isinstance(each, Itself) and name in ("bind", "call", "apply"):
            return (each,)
        if isinstance(each, Narrowed):
            return limit_types(
                [found for one in each.whole for found in self.member_types(one, name)] if each.has(name) else []
            )
        return tuple(found for place, given in self.members(each, name) for found in self.held(place, given))

    def members(self, each: Type, name: str) -> list[tuple[DefinitionPlace, Given]]:
        """The definitions that a name means behind a value of a type, with what type parameters stand for there."""
        if isinstance(each, Narrowed | Foreign):
            inside: Types = ()
            if isinstance(each, Narrowed):
                inside = each.whole if each.has(name) else ()
            elif each.name in script_types.PROMISES:
                inside = script_types.find_held_types(each)
            return [found for one in inside for found in self.members(one, name)]
        if not isinstance(each, Object | Itself):
            return []
        if each.place.place < 0:
            return [(place, ()) for place in self.scripts.exported(each.place.path, name)]
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
            own = self.own_members(now.place, name)
            if len(own) > 1:  # a class may have a name both of its own and for its objects
                is_itself = isinstance(now, Itself)
                own = [one for one in own if is_static(self.scripts.definition(one)) == is_itself] or own
            if own:
                return [(place, now.given) for place in own]
            pending += self.bases(now)
        return []

    def own_members(self, place: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        """The members of a name that a definition has itself, or where it is declared again."""
        found: list[DefinitionPlace] = []
        for one in self.scripts.merged(place):
            is_open = self.scripts.definition(one).kind in (facts.MODULE, facts.ENUM)
            for member in self.scripts.view.named(one, name) if one.place >= 0 else ():
                kind = self.scripts.definition(member).kind
                if kind in MEMBERS or (is_open and kind not in (facts.IMPORTED, facts.PARAMETER)):
                    found.append(member)
                elif kind == facts.EXPORTED:
                    found += self.scripts.followed(member)
        return found

    def bases(self, each: Type) -> Types:
        """What a class or interface inherits from, as objects."""
        return self._bases(each.place, each.given) if isinstance(each, Object | Itself) else ()

    @remember(())
    def _bases(self, place: DefinitionPlace, given: Given) -> Types:
        found: list[Type] = []
        for one in self.scripts.merged(place):
            definition = self.scripts.definition(one)
            for base in definition.bases:
                found += self.read(one, definition.line, base, given)
        return limit_types(found)

    def read(self, scope: DefinitionPlace, line: int, text: str, given: Given = ()) -> Types:
        """What a type in its own words stands for, as a value of it."""
        if not text or not self.may_go_on():
            return ()
        with self.deeper():
            found: list[Type] = []
            outcomes = script_types.parse_branches(text)
            function = script_types.parse_arrow(text)
            if function and not outcomes:
                return (FunctionType(*function, scope, given),)
            for part in outcomes or script_types.split_outside_brackets(text, "|&"):
                found += self._one_type(scope, line, part, given)
            return limit_types(found)

    def _one_type(self, scope: DefinitionPlace, line: int, text: str, given: Given) -> Types:
        is_several = text[0] != "(" and len(script_types.split_outside_brackets(text, "|&")) > 1
        if is_several or script_types.parse_branches(text) or script_types.parse_arrow(text):
            return self.read(scope, line, text, given)
        for word in ("readonly ", "unique ", "infer "):
            text = text.removeprefix(word)
        if text.startswith("typeof "):
            return self.value(scope, line, text[7:].strip(), given)
        if text.endswith("]") and not text.startswith("["):
            return self._indexed(scope, line, text, given)
        if text.startswith("(") and script_types.find_closing(text) == len(text) - 1:
            return self.read(scope, line, text[1:-1], given)
        if text.startswith(("[", "{")):
            return self._spelled_out(scope, line, text, given)
        return (Object(scope, given),) if text == script_types.OWN else self._named_type(scope, line, text, given)

    def _spelled_out(self, scope: DefinitionPlace, line: int, text: str, given: Given) -> Types:
        """`[A, B]` and `{[key: string]: A}`."""
        if text[0] == "[":
            parts: list[str] = []
            for each in script_types.split_outside_brackets(text[1:-1], ","):
                head, colon, rest = each.partition(":")
                is_labelled = colon and head.rstrip("?").strip().isidentifier()
                parts.append((rest.strip() if is_labelled else each).removeprefix("...").rstrip("?"))
            return (Foreign("Tuple", tuple(self.read(scope, line, each, given) for each in parts)),)
        inside = script_types.split_outside_brackets(text[1:-1], ":")
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
            return limit_types([found for each in types for found in self.member_types(each, index[1:-1])])
        return limit_types([found for each in types for found in self.element(each, "")])

    def _named_type(self, scope: DefinitionPlace, line: int, text: str, given: Given) -> Types:
        name, parts = script_types.parse_generic(text)
        if name in dict(given) and not parts:
            return dict(given)[name]
        if name == "this":
            return self.around(scope, given, is_super=False)
        places = self._meant(scope, line, name)
        if not places and name in NARROWING and len(parts) == 2:
            whole = self.read(scope, line, parts[0], given)
            written = script_types.split_outside_brackets(parts[1], "|")
            if not whole or any(each[0] not in script_types.QUOTES for each in written):
                return whole  # all of it where the names are not written out
            return (Narrowed(whole, frozenset(each[1:-1] for each in written), is_only=name == "Pick"),)
        arguments = tuple(self.read(scope, line, each, given) for each in parts)
        if places:
            return limit_types([found for place in places for found in self._of_type(place, arguments)])
        return self._foreign_type(self.foreign_name(scope, line, name), arguments)

    def _meant(self, scope: DefinitionPlace, line: int, name: str) -> list[DefinitionPlace]:
        """What the name of a type means, with the namespaces before it."""
        head, _, rest = name.partition(".")
        if head.startswith("@"):
            places = self.scripts.imported(scope.path, int(head[1:]))
        else:
            places = self.scripts.look_up(scope.path, scope.place, head, line)
        for member in rest.split(".") if rest else ():
            places = [found for place in places for found in self._inside(place, member)]
        return places

    def _inside(self, place: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        if place.place < 0:
            return self.scripts.exported(place.path, name)
        return self.own_members(place, name)

    def _foreign_type(self, name: str, arguments: tuple[Types, ...]) -> Types:
        if not arguments:
            return (Foreign(name),)
        first = arguments[0]
        if name in script_types.SAME:
            return first
        if name in ("ReturnType", "InstanceType"):
            return limit_types([found for each in first for found in self.called(each)])
        if name == "Parameters":
            return (Foreign("Tuple", tuple(self.parameter(each, n) for each in first for n in range(4))),)
        return (Foreign(name, arguments),)

    def _of_type(self, place: DefinitionPlace, arguments: tuple[Types, ...]) -> Types:
        """An object of what is defined at a place."""
        each = self.scripts.definition(place)
        given = self.given(each.type, arguments, ())
        if each.kind == facts.ALIAS:
            return self.told(place, each.line, each.type, given)
        if each.kind in (facts.CLASS, facts.INTERFACE, facts.ENUM):
            return (Object(place, given),)
        if each.kind == facts.LOCAL:  # a type parameter: what it must be
            return self.told(place, each.line, each.type, ())
        enum = self.scripts.enum_of(place)
        return (Object(enum),) if enum else ()

    def called_with(self, each: Type, written: str, arguments: tuple[Types, ...], site: ExpressionSite) -> Types:
        """What calling a value gives, where what it is given may tell what its type parameters stand for."""
        told = script_types.split_at(written, ",") if written else []  # a value that is not told is empty
        if isinstance(each, Foreign):
            values = [self.value(site.scope, site.line, one, site.given) if one else () for one in told]
            given = self._known_result(each, values)
            return self.called(each, arguments) if given is None else given
        if isinstance(each, Itself) and not arguments and any(told):
            type_ = self.scripts.definition(each.place).type
            names = type_[1 : type_.index(">")].split(",") if type_.startswith("<") else []
            arguments = self._inferred(each, names, told, site) if names else ()
        return self.called(each, arguments)

    def _known_result(self, each: Foreign, values: Sequence[Types]) -> Types | None:
        """What a call of something of others gives, by its name; None where that says nothing."""
        first = values[0] if values else ()
        owner = each.owner[0] if each.owner else None
        if each.name == "reduce":
            return values[1] if len(values) > 1 else None
        if each.name in script_types.PASSING:
            return first
        if each.name in script_types.MAPPING and owner:
            made = self._all_inside(first, is_list=False)
            is_promise = isinstance(owner, Foreign) and owner.name in script_types.PROMISES
            return (Foreign("Promise" if is_promise else "Array", (made,)),) if made else ()
        if each.name not in script_types.LISTING or not first or (isinstance(owner, Foreign) and owner.arguments):
            return None
        held = self._all_inside(first, is_list=True)
        if each.name == "entries":
            held = (Foreign("Tuple", ((), held)),)
        if each.name == "all":
            parts = [script_types.find_held_types(one) if isinstance(one, Foreign) else (one,) for one in held]
            held = limit_types([found for part in parts for found in part])
        return (Foreign("Array", (held,)),)

    def _inferred(self, each: Itself, names: list[str], given: list[str], site: ExpressionSite) -> tuple[Types, ...]:
        """What the type parameters of a function stand for, by the parameters that are declared of them."""
        found: dict[str, Types] = {}
        for one, taken in zip(given, self.scripts.parameters(each.place), strict=False):
            told = self.scripts.definition(taken).type
            declared = told[1:].strip() if told.startswith(":") else ""
            name = declared.removesuffix("[]").removeprefix("() => ").removeprefix("new () => ")
            if one and name in names and name not in found:
                types = self.value(site.scope, site.line, one, site.given)
                found[name] = types if declared == name else self._all_inside(types, is_list=declared.endswith("[]"))
        return tuple(found.get(name, ()) for name in names) if found else ()

    def _all_inside(self, types: Types, *, is_list: bool) -> Types:
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
            return (Foreign(each.name, arguments),) if is_given_types else script_types.find_call_result(each)
        if isinstance(each, FunctionType):
            return self.read(each.place, 0, each.returned, each.given)
        if not isinstance(each, Object):
            return ()
        found = [self.told(place, 0, text, each.given) for place, text in self._signatures(each)]
        return limit_types([one for types in found for one in types])

    def _itself_called(self, each: Itself, arguments: tuple[Types, ...]) -> Types:
        definition = self.scripts.definition(each.place)
        if not definition.kind:
            given_out = self.scripts.exported(each.place.path, DEFAULT) if each.place.place < 0 else []
            return self.all_held(given_out)
        given = self.given(definition.type, arguments, each.given)
        if definition.kind == facts.CLASS:
            return (Object(each.place, given),)
        return self.told(each.place, definition.line, definition.type, given)

    def _signatures(self, each: Object) -> list[tuple[DefinitionPlace, str]]:
        """What says in an interface what calling its objects gives."""
        found: list[tuple[DefinitionPlace, str]] = []
        for one in self.scripts.merged(each.place):
            called = self.scripts.view.named(one, CALLED)[:MOST_SIGNATURES]
            found += [(place, self.scripts.definition(place).type) for place in called]
        return found

    def given(self, told: str, arguments: tuple[Types, ...], given: Given) -> Given:
        """What the type parameters of a definition stand for, by the arguments that they get."""
        if not told.startswith("<") or not arguments:
            return given
        names = told[1 : told.index(">")].split(",")
        return (*zip(names, map(script_types.limit_depth, arguments), strict=False), *given)[:MOST_GIVEN]

    def parameter(self, each: Type, number: int, arguments: tuple[Types, ...] = ()) -> Types:
        """What a function takes at a place; a class what it is made of."""
        if isinstance(each, Itself):
            return self._own_parameter(each, number, arguments)
        if isinstance(each, Callback):
            return each.parameters[number] if number < len(each.parameters) else ()
        if isinstance(each, Foreign):
            return script_types.find_foreign_parameter(each, number)
        if isinstance(each, FunctionType):
            told = script_types.parse_parameter_type(each.parameters, number)
            return self.read(each.place, 0, told, each.given) if told else ()
        if isinstance(each, Object):
            return self._taken_by_any([place for place, _ in self._signatures(each)], number, each.given)
        return ()

    def _own_parameter(self, each: Itself, number: int, arguments: tuple[Types, ...]) -> Types:
        definition = self.scripts.definition(each.place)
        if not definition.kind:
            return ()
        if definition.kind == facts.CLASS:
            places = [place for place, _ in self.inherited(each, "constructor")]
        else:
            places = self.scripts.merged(each.place)
        return self._taken_by_any(places, number, self.given(definition.type, arguments, each.given))

    def _taken_by_any(self, places: list[DefinitionPlace], number: int, given: Given) -> Types:
        return limit_types([found for place in places for found in self._taken(place, number, given)])

    def _taken(self, place: DefinitionPlace, number: int, given: Given) -> Types:
        taken = self.scripts.parameters(place)
        if taken and number >= len(taken) - 1 and REST in self.scripts.definition(taken[-1]).bases:
            return limit_types([found for one in self.held(taken[-1], given) for found in self.element(one, "")])
        return self.held(taken[number], given) if number < len(taken) else ()

    def element(self, each: Type, index: str) -> Types:
        """What an element of a value is."""
        if not isinstance(each, Foreign):
            return ()
        if each.name == "Tuple" and index.isdigit() and int(index) < len(each.arguments):
            return each.arguments[int(index)]
        if each.name in ("Map", "ReadonlyMap"):
            return (Foreign("Tuple", each.arguments),)
        if each.name in script_types.COLLECTIONS:
            return script_types.find_held_types(each)
        if each.name in script_types.PROMISES:
            return tuple(found for held in script_types.find_held_types(each) for found in self.element(held, index))
        return ()


def _last_bracket(text: str) -> int:
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] == "]") - (text[position] == "[")
        if not depth:
            return position
    return 0


MOST_BASES_ABOVE = 40
MOST_KIN = 200


class ScriptResolver(LanguageResolver):
    """What uses in scripts mean, for one question."""

    def __init__(self, resolver: SymbolResolver) -> None:
        self._view = resolver.view
        self._scripts = Scripts(self._view)
        self._evaluator = Evaluator(self._scripts)

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use means: definitions, something of others, or nothing where that can't be told."""
        places = self._places(path, each)
        if places is None:
            return []
        return [ResolvedValue(place) for place in places] or [FOREIGN]

    def has_run_out(self) -> bool:
        """Whether so many steps were taken that later answers lack something."""
        return self._evaluator.has_run_out()

    def _places(self, path: str, each: SymbolReference) -> Sequence[DefinitionPlace] | None:
        """The definitions that a use means; none where it is something of others, None where nobody can tell."""
        evaluator = self._evaluator
        scope = DefinitionPlace(path, each.within)
        if not each.receiver:
            found = self._merged(self._scripts.look_up(path, each.within, each.name, each.line))
            return found or ([] if evaluator.is_foreign(scope, each.line, each.name) else None)
        if each.role == facts.IMPORT and each.receiver.startswith("@"):
            return self._merged(self._scripts.imported(path, int(each.receiver[1:])))
        if each.receiver.startswith("="):
            return self._merged(self._scripts.look_up(path, each.within, each.receiver[1:], each.line))
        types = evaluator.value(scope, each.line, each.receiver)
        places = list(dict.fromkeys(place for one in types for place, _ in evaluator.members(one, each.name)))
        if len(places) > 1 and each.role == facts.WRITE and all(map(self._is_telling, places)):
            return None  # the value tells which of several types is meant, and nobody looks at it here
        is_foreign = bool(types) and all(isinstance(one, Foreign) for one in types)
        return places or ([] if is_foreign else None)

    def _is_telling(self, place: DefinitionPlace) -> bool:
        """Whether a member is of one value alone, so that it tells one type of several from the others."""
        each = self._scripts.definition(place)
        told = each.type[1:].strip() if each.type.startswith(":") else ""
        enum, _, member = told.partition(".")
        is_one_of_enum = enum.isidentifier() and member.isidentifier()
        return bool(told) and (told[0] in script_types.QUOTES or told in ("true", "false") or is_one_of_enum)

    def _merged(self, places: list[DefinitionPlace]) -> list[DefinitionPlace]:
        return list(dict.fromkeys(found for place in places for found in self._scripts.merged(place)))

    def group(self, at: DefinitionPlace) -> set[DefinitionPlace]:
        """A definition and the members that it overrides; of a key of an object, the members that its type expects."""
        found = set(self.same(at))
        definition = self._view.at(at)
        for each in self._view.uses(at.path, definition.name):
            if each.receiver and (each.line, each.column) == (definition.line, definition.column):
                for place in self._places(at.path, each) or ():
                    found |= self.same(place)
        return found

    @remember(frozenset())
    def same(self, at: DefinitionPlace) -> frozenset[DefinitionPlace]:
        """A definition, where it is declared again, and the members of bases that it overrides."""
        each = self._scripts.definition(at)
        found = set(self._scripts.merged(at))
        if each.kind in MEMBERS and each.parent >= 0:
            for other in self._above(at, each):
                if is_static(self._scripts.definition(other)) == is_static(each):
                    found.add(other)
        return frozenset(found)

    def _above(self, place: DefinitionPlace, each: SymbolDefinition) -> set[DefinitionPlace]:
        """The members of bases that a member overrides."""
        found: set[DefinitionPlace] = set()
        evaluator = self._evaluator
        owner = DefinitionPlace(place.path, each.parent)
        if self._scripts.definition(owner).kind not in (facts.CLASS, facts.INTERFACE):
            return found
        pending: list[Type] = []
        for one in self._scripts.merged(owner):
            definition = self._scripts.definition(one)
            for text in definition.bases:
                bases = evaluator.read(one, definition.line, text)
                if script_types.parse_generic(text)[0] not in script_types.SAME:
                    pending += bases
                else:  # not as it is, but through `Partial<…>`
                    found.update(member for base in bases for member, _ in evaluator.members(base, each.name))
        seen: set[Type] = set()
        while pending and len(seen) < MOST_BASES_ABOVE:
            base = pending.pop()
            if base in seen or not isinstance(base, Object):
                continue
            seen.add(base)
            found.update(evaluator.own_members(base.place, each.name))
            pending += evaluator.bases(base)
        return found

    def kin(self, at: DefinitionPlace, group: Collection[DefinitionPlace]) -> Collection[DefinitionPlace]:
        """The members that override a member or that it overrides, or do so with the same one."""
        definition = self._view.at(at)
        if definition.kind not in MEMBERS:
            return ()
        members = self._view.defined(definition.name, MEMBERS, MOST_KIN)
        return [each for each in members if not self.same(each).isdisjoint(group)]

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace | None]:
        """The classes and interfaces that a class or interface inherits from."""
        types = self._evaluator.bases(Itself(at))
        return [each.place if isinstance(each, Object) else None for each in types]

    def other_names(self, at: DefinitionPlace) -> Sequence[str]:
        """What is given out by default, or as the whole module, is imported under any name."""
        definition = self._view.at(at)
        shape = self._view.shape(at.path)
        if definition.parent >= 0:
            return ()
        found: list[str] = []
        for name in (DEFAULT, WHOLE):
            told = [shape.definitions[place] for place in shape.named(-1, name)]
            if any(each.kind != facts.EXPORTED or each.type == f"={definition.name}" for each in told):
                found += [f"{name}:{part}" for part in _module_names(at.path)]
        return found


def _module_names(path: str) -> list[str]:
    """The last parts of the names under which a file may be imported."""
    folder, base = posixpath.split(path)
    stem = base.partition(".")[0]
    around = [part for part in folder.split("/") if part and part not in ("src", "lib")][-1:]
    return list(dict.fromkeys((stem, *around)))


RULES = LanguageRules(own_way=ScriptResolver)
