"""Resolves names of Java, Kotlin and C# by scopes, classes, imports and packages, with their types and overloads."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import ImportedSymbol, SymbolDefinition, SymbolReference
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import LanguageResolver, LanguageRules, load_rules
from fieldguide.code.symbols.resolvers.values import (
    FOREIGN,
    REMEMBERED,
    DefinitionPlace,
    ResolvedValue,
    as_objects,
    deduplicate,
    remember,
    split_alternatives,
    split_arguments,
    split_expression_steps,
    walk_nearest_first,
)
from fieldguide.code.symbols.resolvers.view import FileShape, filter_visible
from fieldguide.files.kinds import language_of

OPENING = "(<[{"
CLOSING = ")>]}"
SEVERAL = ("...", "vararg ", "params ")
OF_OTHERS = "this "
CALLED = facts.TYPES | {facts.METHOD, facts.OPERATOR, "function", facts.IMPORTED}
NAMING_TYPES = facts.TYPES | {facts.PARAMETER, facts.IMPORTED}


class WantedDefinition(NamedTuple):
    """How a name is used."""

    is_called: bool = False
    is_type: bool = False
    is_any: bool = False
    arguments: int = -1
    is_loose: bool = False
    """Whether a call may mean a field that holds a function, and a bare name a method (Kotlin, C#)."""


ANY = WantedDefinition(is_any=True)
VALUE = WantedDefinition()
TYPED = WantedDefinition(is_type=True)
INVOKED = WantedDefinition(is_called=True)


def read_want(each: SymbolReference, *, is_loose: bool = False) -> WantedDefinition:
    """What a use wants."""
    if each.role == facts.IMPORT:
        return ANY
    is_type = each.role in (facts.TYPE, facts.INHERIT)
    return WantedDefinition(each.role == facts.CALL, is_type, arguments=each.arguments, is_loose=is_loose)


def filter_fitting(definitions: facts.Definitions, places: Sequence[int], want: WantedDefinition) -> list[int]:
    """Those of several definitions of a name that a use can mean; of overloads those that take as many arguments."""
    if want.is_any:
        return list(places)
    if want.is_type:
        return [p for p in places if definitions[p].kind in NAMING_TYPES]
    if want.is_called:
        found = [p for p in places if definitions[p].kind in CALLED]
    else:
        found = [p for p in places if definitions[p].kind not in (facts.METHOD, facts.OPERATOR)]
    if not found and want.is_loose:
        return list(places)
    found = [p for p in found if definitions[p].kind not in facts.TYPES] or found  # classes where there is nothing else
    return [p for p in found if not want.is_called or _takes(definitions[p], want.arguments)]


def _takes(definition: SymbolDefinition, count: int) -> bool:
    """Whether something may be called with so many arguments, where their number is known."""
    if count < 0 or definition.kind not in (facts.METHOD, facts.FUNCTION):
        return True
    least, most = count_parameters(definition.signature)
    return least <= count <= most


@lru_cache(maxsize=REMEMBERED)
def count_parameters(signature: str) -> tuple[int, int]:
    """The fewest and the most arguments that a signature takes; any number where it can't be told."""
    start = _opening(signature)
    if start < 0:
        return 0, 999
    parts = list[str]()
    depth = 0
    begun = start + 1
    for at in range(start, len(signature)):
        character = signature[at]
        depth += (character in OPENING) - (character in CLOSING and signature[at - 1] not in "-=")
        if (character == "," and depth == 1) or depth == 0:
            parts.append(signature[begun:at].strip())
            begun = at + 1
        if depth == 0:
            return _counted([each for each in parts if each])
    return 0, 999


def _opening(signature: str) -> int:
    """Where the parameters begin: the first bracket that opens outside of others, and is not an annotation's."""
    depth = 0
    for at, character in enumerate(signature):
        name = signature[:at].rstrip().rpartition(" ")[2] if character == "(" and not depth else "@"
        if not name.startswith(("@", "[")):
            return at
        depth += (character in "([") - (character in ")]")
    return -1


def _counted(parts: list[str]) -> tuple[int, int]:
    has_several = any(word in each for each in parts for word in SEVERAL)
    optional = sum("=" in each for each in parts)
    extended = bool(parts) and parts[0].startswith(OF_OTHERS)
    least = len(parts) - optional - has_several - extended
    return max(least, 0), 999 if has_several else len(parts)


MOST_CLASSES = 60
MOST_PACKAGE_FILES = 400
MOST_PARTS = 12
CALL_STEP = "()"
ELEMENT_STEP = "[]"


def _may_have(path: str, name: str, package: str) -> bool:
    """Whether a file may have a name of a package: Java's files lie as their packages say, and have only classes."""
    folder, _, file = path.rpartition("/")
    if language_of(path) != "java":
        return True
    is_class = name[:1].isupper() or file == f"{name}.java"
    return is_class and f"/{folder}".endswith(f"/{package.replace('.', '/')}" if package else "")


def list_packages(shape: FileShape) -> list[str]:
    """The package that a file says it is in; with nothing said, the one without a name."""
    return [each.text for each in shape.imports if each.keyword == facts.PACKAGE] or [""]


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common."""
    folders = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], folders))


TOGETHER = (frozenset(("java", "kotlin")), frozenset(("csharp",)))


class PackagedResolver(LanguageResolver):
    """Answers for one question, as Java does."""

    language = "java"
    is_loose = False

    def __init__(self, resolver: SymbolResolver) -> None:
        self._resolver = resolver
        self._view = resolver.view
        self.rules: LanguageRules = load_rules(self.language)
        self._kin = next(kin for kin in TOGETHER if self.language in kin)
        self._types: dict[tuple[DefinitionPlace, ResolvedValue | None], Sequence[ResolvedValue]] = {}

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use of a name means."""
        want = read_want(each, is_loose=self.is_loose)
        if not each.receiver:
            return self._one(self.named(path, each.name, each.within, want, each.line))
        if each.receiver.startswith("@") and each.receiver[1:].isdecimal():
            imports = self._view.shape(path).imports
            number = int(each.receiver[1:])
            return self.imported(path, imports[number], want) if number < len(imports) else []
        if not want.is_type:
            return self._member(path, each, want)
        owners = self.told(path, each.receiver, each.within)
        found = [found for owner in owners for found in self.member(owner, each.name, TYPED)]
        if any(value.at for value in found):
            return found
        return self.qualified(path, f"{each.receiver}.{each.name}", TYPED) or [FOREIGN]

    def _member(self, path: str, each: SymbolReference, want: WantedDefinition) -> Sequence[ResolvedValue]:
        values = self.evaluated(path, each.receiver, each.within, each.line)
        found = deduplicate(found for value in values for found in self.member(value, each.name, want))
        if any(value.at for value in found):
            return self._one(found)
        found = self._one(self.extended(path, each, want)) or found
        is_plain = each.receiver.replace(".", "").replace("_", "").isalnum()
        return found or (self.qualified(path, f"{each.receiver}.{each.name}", want) if is_plain else [])

    def extended(self, path: str, each: SymbolReference, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What a name means that is taken out of something which another place extends."""
        return []

    def seen(self, shape: FileShape) -> Sequence[str]:
        """The packages whose names a file sees without an import."""
        return list_packages(shape)

    def before(self, path: str) -> Sequence[str]:
        """What may be left out before a name with a package, each with a dot at its end."""
        return ("",)

    def parts(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """All parts of a class that is written in several."""
        return (at,)

    def self_around(self, path: str, within: int) -> ResolvedValue | None:
        """The object that a place speaks of as itself."""
        owner = self._resolver.class_around(path, within)
        return None if owner is None else ResolvedValue(owner, is_object=True)

    def _one(self, values: Sequence[ResolvedValue]) -> Sequence[ResolvedValue]:
        """Overloads that take as many arguments can't be told apart: then nobody can tell which is meant."""
        view = self._view
        methods = {value.at for value in values if view.at(value.at).kind in (facts.METHOD, facts.FUNCTION)}
        return values if len(methods) < 2 else []

    def named(
        self, path: str, name: str, within: int, want: WantedDefinition, line: int = 0
    ) -> Sequence[ResolvedValue]:
        """What a bare name means at a place."""
        shape = self._view.shape(path)
        for scope in (*shape.chain(within), -1):
            places = filter_fitting(shape.definitions, filter_visible(shape, shape.named(scope, name), line), want)
            if found := self._things(shape, places, scope, want):
                return found
            if scope >= 0 and shape.definitions[scope].kind in facts.TYPES:
                inherited = self._inside([ResolvedValue(DefinitionPlace(path, scope))], name, want)
                if inherited:
                    return inherited
        return self.beside(path, name, want) or [FOREIGN._replace(name=name)]

    def _things(
        self, shape: FileShape, places: Sequence[int], scope: int, want: WantedDefinition
    ) -> Sequence[ResolvedValue]:
        found: list[ResolvedValue] = []
        is_member = scope >= 0 and shape.definitions[scope].kind in facts.TYPES
        owner = DefinitionPlace(shape.path, scope) if is_member else None
        for place in places:
            definition = shape.definitions[place]
            if definition.kind != facts.IMPORTED:
                found.append(ResolvedValue(DefinitionPlace(shape.path, place), owner=owner))
                continue
            each = shape.imports[int(definition.type[1:])]
            values = self.imported(shape.path, each, want)
            if not want.is_called or each.keyword == "static" or any(value.at for value in values):
                found += values
        return deduplicate(found)

    def group(self, at: DefinitionPlace) -> Collection[DefinitionPlace]:
        """A definition, and what stands for it: the method that reads what a record holds."""
        definition = self._view.at(at)
        beside = self._view.named(DefinitionPlace(at.path, definition.parent), definition.name)
        hidden = [each for each in beside if self._view.at(each).kind == facts.OPERATOR]
        return dict.fromkeys((at, *hidden, *self.parts(at)))

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace | None]:
        """The classes that a class inherits from."""
        return [None if each is None else each.at for each in self.above(ResolvedValue(at))]

    def is_kin(self, path: str) -> bool:
        """Whether a file is in a language whose names these can be."""
        return language_of(path) in self._kin

    def member(self, value: ResolvedValue, name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What a name means that is taken out of a class or an object; its owner tells the types it is given."""
        if value.at is None:
            return [FOREIGN]
        return self._nearest(value, name, want) if self._view.at(value.at).kind in facts.TYPES else []

    @remember(())
    def _nearest(self, value: ResolvedValue, name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        pending = [value]
        seen = {value.at}
        while pending and len(seen) <= MOST_CLASSES:
            each = pending.pop(0)
            own: list[ResolvedValue] = []
            for part in self.parts(each.at) if each.at else ():
                shape = self._view.shape(part.path)
                own += [
                    ResolvedValue(DefinitionPlace(part.path, place), owner=each.at, arguments=each.arguments)
                    for place in filter_fitting(shape.definitions, shape.named(part.place, name), want)
                ]
            if own:
                return own
            for base in self.above(each):
                if base is not None and base.at not in seen:
                    seen.add(base.at)
                    pending.append(base)
        return [FOREIGN]  # at least of the class that all others inherit from

    def above(self, value: ResolvedValue) -> list[ResolvedValue | None]:
        """The classes that a class inherits from, with their types; None for each that is of others."""
        return self._above(ResolvedValue(value.at, arguments=value.arguments))

    @remember(())
    def _above(self, value: ResolvedValue) -> list[ResolvedValue | None]:
        found: list[ResolvedValue | None] = []
        for part in self.parts(value.at) if value.at else ():
            definition = self._view.at(part)
            for base in definition.bases:
                said = self.told(part.path, base, definition.parent, value)
                found += [each._replace(is_object=False) for each in said if each.at != part] or [None]
        return found

    def result(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What a member, a local or a parameter holds, or gives when it is called."""
        if value.at is None:
            return [value]
        definition = self._view.at(value.at)
        if definition.kind in facts.TYPES:
            return [value._replace(is_object=True)]
        given = ResolvedValue(value.owner, arguments=value.arguments) if value.owner else None
        return self.read_type(value.at, definition, given)

    def invoked(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        """What calling a member gives, whichever of its overloads."""
        found = self.member(value, name, INVOKED)
        return deduplicate(result for each in found for result in self.result(each))

    def read(self, value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
        """What a member holds; a class in it is that class."""
        return deduplicate(found for each in self.member(value, name, VALUE) for found in self.read_value(each))

    def read_value(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What a value holds; a class is that class."""
        return [value] if value.at is None or self._view.at(value.at).kind in facts.TYPES else self.result(value)

    def read_type(
        self, at: DefinitionPlace, definition: SymbolDefinition, given: ResolvedValue | None
    ) -> Sequence[ResolvedValue]:
        """What a definition's type says that it holds or gives, where its class is given types."""
        key = (at, given if given and given.arguments else None)
        if key not in self._types and definition.type and self._resolver.may_go_on():
            self._types[key] = []  # a type that leads to itself leads nowhere
            expression = definition.type[1:]
            with self._resolver.deeper():
                if definition.type[0] == "=":
                    self._types[key] = self.evaluated(at.path, expression, definition.scope, definition.line)
                elif definition.type[0] == ":":
                    self._types[key] = as_objects(self.told(at.path, expression, definition.scope, given))
        return self._types.get(key, [])

    def told(
        self, path: str, expression: str, within: int, given: ResolvedValue | None = None
    ) -> Sequence[ResolvedValue]:
        """The class that a type which is written means, with its own types; an object of it where that was given."""
        found: list[ResolvedValue] = []
        for each in split_alternatives(expression):
            steps = split_expression_steps(each)
            arguments: tuple[tuple[ResolvedValue, ...], ...] = ()
            if steps and steps[-1].startswith("<"):
                parts = split_arguments(steps[-1])
                arguments = tuple(tuple(self.told(path, part, within, given)) for part in parts)
                steps = steps[:-1]
            values = self._class(path, [step for step in steps if step != CALL_STEP], within, given)
            found += [value._replace(arguments=arguments) if arguments else value for value in values]
        return deduplicate(found)

    def _class(self, path: str, names: list[str], within: int, given: ResolvedValue | None) -> Sequence[ResolvedValue]:
        """`Foo`, `Foo.Bar`, or `a.b.Foo` with its package before it; or what a class is given under that name."""
        if not self._may_begin(names):
            return []
        if len(names) == 1 and given is not None and (stood := self._given(names[0], given)) is not None:
            return stood
        with self._resolver.deeper():
            values = self.named(path, names[0], within, TYPED)
            if len(names) > 1 and not any(value.at for value in values):
                return self.qualified(path, ".".join(names), TYPED) or [FOREIGN]
            for name in names[1:]:
                values = [found for value in values for found in self.member(value, name, TYPED)]
            return deduplicate(found for value in values for found in self._stood_for(value))

    def _may_begin(self, steps: Sequence[str]) -> bool:
        return bool(steps) and steps[0] != facts.UNKNOWN and self._resolver.may_go_on()

    def _given(self, name: str, given: ResolvedValue) -> Sequence[ResolvedValue] | None:
        """What a class is given as one of its types, or what that must be; None where a name is none of those."""
        if given.at is None:
            return None
        heads = enumerate(self._view.shape(given.at.path).definitions.heads())
        own = {
            each: place for place, (each, kind, parent) in heads if parent == given.at.place and kind == facts.PARAMETER
        }
        names = list(own)
        if name not in names:
            return None
        number = names.index(name)
        if number < len(given.arguments):
            return given.arguments[number]
        return self._stood_for(ResolvedValue(DefinitionPlace(given.at.path, own[name])))

    def _stood_for(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """A class; for another name of one, or for a type that a class is given, what it is at least."""
        definition = self._view.at(value.at)
        if value.at is None or (definition.kind in facts.TYPES and not definition.type):
            return [value]
        return self.read_type(value.at, definition, None)

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[ResolvedValue]:
        """What a value that is written is: an object of some class, or a class."""
        found: list[ResolvedValue] = []
        for each in split_alternatives(expression):
            found += self._path(path, split_expression_steps(each), within, line)
        return deduplicate(found)

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[ResolvedValue]:
        if not self._may_begin(steps):
            return []
        with self._resolver.deeper():
            values, at = self._first(path, steps, within, line)
            while at < len(steps) and values:
                is_called = at + 1 < len(steps) and steps[at + 1] == CALL_STEP
                values = deduplicate(
                    found for value in values for found in self._step(value, steps[at], is_called=is_called)
                )
                at += 2 if is_called and steps[at] not in (CALL_STEP, ELEMENT_STEP) else 1
            return values

    def _first(self, path: str, steps: Sequence[str], within: int, line: int) -> tuple[Sequence[ResolvedValue], int]:
        if steps[0] in ("self", "super"):
            owner = self.self_around(path, within)
            if owner is None or steps[0] == "self":
                return [owner] if owner else [], 1
            bases = [each._replace(is_object=True) for each in self.above(owner) if each]
            return bases or [FOREIGN], 2 if steps[1:2] == (CALL_STEP,) else 1
        if steps[1:2] == (CALL_STEP,):
            values = self.named(path, steps[0], within, INVOKED, line)
            return deduplicate(found for value in values for found in self.result(value)), 2
        values = self.named(path, steps[0], within, VALUE, line)
        if len(steps) > 1 and not any(value.at for value in values):
            return self._in_package(path, steps)
        return deduplicate(found for value in values for found in self.read_value(value)), 1

    def _in_package(self, path: str, steps: Sequence[str]) -> tuple[Sequence[ResolvedValue], int]:
        """`a.b.Foo`: a class with its package before it."""
        for length in range(2, len(steps) + 1):
            if steps[length - 1] in (CALL_STEP, ELEMENT_STEP):
                break
            if found := self.qualified(path, ".".join(steps[:length]), TYPED):
                return found, length
        return [FOREIGN], len(steps)

    def _step(self, value: ResolvedValue, step: str, *, is_called: bool) -> Sequence[ResolvedValue]:
        if step == CALL_STEP:
            return self.result(value) if not value.is_object else []
        if step == ELEMENT_STEP:
            return self.element(value)
        if value.at is not None:
            return self.invoked(value, step) if is_called else self.read(value, step)
        if value.arguments and step in self.rules.elements:  # what collections of others give of what they hold
            return self.element(value)
        if value.arguments and step in self.rules.wholes:
            return [value]
        return [] if value.arguments else [FOREIGN]

    def element(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What something holds."""
        if value.arguments:
            return as_objects(value.arguments[-1])
        if value.at is None:
            return [value]
        for name in self.rules.element_members:
            for each in self.invoked(value, name):
                if each.arguments:
                    return self.element(each)
        return []

    @remember(())
    def top(self, package: str, name: str) -> list[DefinitionPlace]:
        """What a package defines as a name."""
        return [
            DefinitionPlace(shape.path, place)
            for shape in self._defining(name, package)
            if package in list_packages(shape)
            for place in shape.named(-1, name)
            if shape.definitions[place].kind != facts.IMPORTED
        ]

    def _defining(self, name: str, package: str) -> Iterator[FileShape]:
        defining = [file.path for file in self._view.defining(name, MOST_PACKAGE_FILES)]
        if len(defining) >= MOST_PACKAGE_FILES:  # of a name that is so common, also the files that are called by it
            named = self._view.files().listing().by_name
            defining += [*named.get(f"{name}.java", ()), *named.get(f"{name}.kt", ()), *named.get(f"{name}.cs", ())]
        for path in dict.fromkeys(defining):
            if self.is_kin(path) and _may_have(path, name, package):
                yield self._view.shape(path)

    def beside(self, path: str, name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What the package of a file brings, and then what it imports as a whole."""
        shape = self._view.shape(path)
        for package in self.seen(shape):
            if found := self.fitted(self.top(package, name), path, want):
                return found
        for each in shape.imports:
            if each.name == facts.EVERYTHING and (found := self._of_all(path, each, name, want)):
                return found
        return []

    def _of_all(self, path: str, each: ImportedSymbol, name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        text = each.text.removesuffix(".*")
        found = self.fitted(self.top(text, name), path, want)
        if found:
            return found
        owners = self.qualified(path, text, ANY)
        return self._inside([owner for owner in owners if owner.at is not None], name, want)

    def imported(self, path: str, each: ImportedSymbol, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What an import of one name means."""
        found = self.qualified(path, each.text, want)
        return found or [FOREIGN._replace(name=each.text.rpartition(".")[2])]

    def qualified(self, path: str, text: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What a name with its package means, the longest package first; nothing where the project has none such."""
        for before in self.before(path):
            if found := self._qualified(path, f"{before}{text}", want):
                return found
        return []

    def _qualified(self, path: str, text: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        parts = text.split(".")[:MOST_PARTS]
        for length in range(len(parts) - 1, -1, -1):
            is_last = length == len(parts) - 1
            tops = self.top(".".join(parts[:length]), parts[length])
            values: Sequence[ResolvedValue] = self.fitted(tops, path, want if is_last else ANY)
            for number in range(length + 1, len(parts)):
                values = self._inside(values, parts[number], want if number == len(parts) - 1 else ANY)
            if values:
                return values
        return []

    def _inside(self, owners: Sequence[ResolvedValue], name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """The members of the project that have a name in some classes."""
        found = [each for owner in owners for each in self.member(owner, name, want)]
        return [each for each in found if each.at is not None]

    def fitted(self, found: list[DefinitionPlace], path: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """Those of several definitions that a use can mean; of the same name in several places the nearest."""
        fit = [at for at in found if filter_fitting(self._view.shape(at.path).definitions, [at.place], want)]
        if len({at.path for at in fit}) > 1:
            nearest = max(_shared(at.path, path) for at in fit)
            fit = [at for at in fit if _shared(at.path, path) == nearest]
        return [ResolvedValue(at) for at in fit]


PARTIAL = "partial "
EXTENDING = "(this "
ATTRIBUTE = "Attribute"
MOST_EXTENSION_FILES = 100


class CSharpSymbolResolver(PackagedResolver):
    """Answers for one question, as C# does."""

    language = "csharp"
    is_loose = True

    def seen(self, shape: FileShape) -> Sequence[str]:
        """A file's namespaces, and those that they are in."""
        found: dict[str, None] = {}
        for package in list_packages(shape):
            parts = package.split(".")
            found.update((".".join(parts[:length]), None) for length in range(len(parts), 0, -1))
        return [*found, ""]

    def before(self, path: str) -> Sequence[str]:
        """The namespaces around a file."""
        return ["", *(f"{each}." for each in self.seen(self._view.shape(path)) if each)]

    def named(
        self, path: str, name: str, within: int, want: WantedDefinition, line: int = 0
    ) -> Sequence[ResolvedValue]:
        """What a bare name means; an attribute is named without the end of its class's name."""
        found = super().named(path, name, within, want, line)
        if want.is_type and not any(value.at for value in found) and not name.endswith(ATTRIBUTE):
            longer = super().named(path, name + ATTRIBUTE, within, want, line)
            return longer if any(value.at for value in longer) else found
        return found

    def other_names(self, at: DefinitionPlace) -> Sequence[str]:
        """The name that an attribute is used by."""
        definition = self._view.at(at)
        is_attribute = definition.kind in facts.TYPES and definition.name.endswith(ATTRIBUTE)
        return (definition.name.removesuffix(ATTRIBUTE),) if is_attribute else ()

    def parts(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """All parts of a class that says it is one of several."""
        definition = self._view.at(at)
        if definition.kind not in facts.TYPES or PARTIAL not in definition.signature:
            return (at,)
        packages = list_packages(self._view.shape(at.path))
        tops = [top for package in packages for top in self.top(package, definition.name)]
        return list(dict.fromkeys((at, *(top for top in tops if PARTIAL in self._view.at(top).signature))))

    def extended(self, path: str, each: SymbolReference, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """A static method that extends a type, in a namespace that the file sees."""
        shape = self._view.shape(path)
        if not want.is_called:
            return []
        packages = {*self.seen(shape), *(one.text for one in shape.imports)}
        found: list[ResolvedValue] = []
        for other, place in self._view.everywhere(each.name, MOST_EXTENSION_FILES):
            definition = other.definitions[place]
            is_extending = definition.kind == facts.METHOD and EXTENDING in definition.signature
            is_seen = is_extending and self.is_kin(other.path) and not packages.isdisjoint(list_packages(other))
            if is_seen and filter_fitting(other.definitions, [place], want):
                found.append(ResolvedValue(DefinitionPlace(other.path, place)))
        return found


class KotlinSymbolResolver(PackagedResolver):
    """Answers for one question, as Kotlin does."""

    language = "kotlin"
    is_loose = True

    def extended(self, path: str, each: SymbolReference, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What extends a type and is seen here by its bare name."""
        found = self.named(path, each.name, each.within, want, each.line)
        owners = self.evaluated(path, each.receiver, each.within, each.line)
        ours = [value for value in found if value.at is not None and self._extends(value.at)]
        return self._of(owners, ours) if owners else ours

    def _of(self, owners: Sequence[ResolvedValue], extending: Sequence[ResolvedValue]) -> Sequence[ResolvedValue]:
        """Those that extend the type of one of some objects, or of a class above it."""
        family = {each.at for owner in owners for each in walk_nearest_first(owner, self._known_above, MOST_CLASSES)}
        return [value for value in extending if value.at is not None and not family.isdisjoint(self._bases(value.at))]

    def _known_above(self, value: ResolvedValue) -> list[ResolvedValue]:
        return [each or FOREIGN for each in self.above(value)] if value.at is not None else []

    def _bases(self, at: DefinitionPlace) -> set[DefinitionPlace | None]:
        """What something extends; a type that it is given may be any."""
        bases = self._view.at(at).bases
        told = self.told(at.path, bases[0], at.place) if bases else ()
        return {value.at for value in told} or {None}

    def named(
        self, path: str, name: str, within: int, want: WantedDefinition, line: int = 0
    ) -> Sequence[ResolvedValue]:
        """What a bare name means; in what extends a type it may be a member of that."""
        found = super().named(path, name, within, want, line)
        if len(found) > 1 and (owner := self.self_around(path, within)):
            found = self._of([owner], found) or found
        if not any(value.at for value in found) and (owner := self._extended_around(path, within)):
            inside = self.member(owner, name, want)
            return inside if any(value.at for value in inside) else found
        return found

    def _extends(self, at: DefinitionPlace) -> bool:
        definition = self._view.at(at)
        return bool(definition.bases) and definition.kind not in facts.TYPES

    def self_around(self, path: str, within: int) -> ResolvedValue | None:
        """The object of the class around, or of the type that the function around extends."""
        return self._extended_around(path, within) or super().self_around(path, within)

    def _extended_around(self, path: str, within: int) -> ResolvedValue | None:
        shape = self._view.shape(path)
        for place in shape.chain(within):
            if self._extends(DefinitionPlace(path, place)):
                definition = shape.definitions[place]
                told = self.told(path, definition.bases[0], definition.parent)
                return next((value._replace(is_object=True) for value in told), None)
        return None


JAVA = LanguageRules(
    element_members=("iterator", "stream"),
    elements=frozenset((
        "get", "getFirst", "getLast", "next", "poll", "pop", "peek", "remove", "orElse", "orElseThrow", "orElseGet",
        "getOrDefault", "computeIfAbsent", "put", "putIfAbsent", "take", "element", "first", "last", "join", "block",
        "getIfAvailable", "getObject", "getIfUnique", "getBean", "result", "call",
    )),
    wholes=frozenset((
        "stream", "iterator", "values", "filter", "sorted", "distinct", "limit", "skip", "findFirst", "findAny",
        "subList", "toList", "reversed", "orderedStream", "parallelStream", "listIterator", "or", "peek", "min", "max",
    )),
    own_way=PackagedResolver,
)  # fmt: skip
KOTLIN = replace(
    JAVA,
    elements=JAVA.elements | {
        "find", "firstOrNull", "lastOrNull", "single", "singleOrNull", "getOrNull", "getValue", "getOrPut", "await",
        "elementAt", "random", "maxByOrNull", "minByOrNull", "removeAt", "removeFirst", "component1", "value",
    },
    wholes=JAVA.wholes | {
        "filterNotNull", "sortedBy", "sortedByDescending", "onEach", "toSet", "toMutableList", "take", "drop",
        "takeLast", "asSequence", "asReversed", "filterNot", "shuffled", "orEmpty", "plus", "minus", "asFlow",
    },
    own_way=KotlinSymbolResolver,
)  # fmt: skip
CSHARP = LanguageRules(
    element_members=("GetEnumerator",),
    elements=frozenset((
        "First", "FirstOrDefault", "Last", "LastOrDefault", "Single", "SingleOrDefault", "Find", "ElementAt", "Pop",
        "Peek", "Dequeue", "Result", "GetResult", "GetAwaiter", "Value", "Min", "Max", "Current",
    )),
    wholes=frozenset((
        "Where", "OrderBy", "OrderByDescending", "ThenBy", "ToList", "ToArray", "ToHashSet", "AsQueryable", "Skip",
        "Take", "Distinct", "Reverse", "Concat", "Union", "Values", "AsEnumerable", "AsNoTracking", "Include",
        "ConfigureAwait", "FindAll", "Except",
    )),
    own_way=CSharpSymbolResolver,
)  # fmt: skip
TABLES = {"java": JAVA, "kotlin": KOTLIN, "csharp": CSHARP}
