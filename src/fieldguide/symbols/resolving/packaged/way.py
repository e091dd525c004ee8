"""What names mean where code lives in classes and packages: by scopes, classes, imports, and the package."""

from collections.abc import Collection, Sequence

from fieldguide.source_code.languages import language_of
from fieldguide.symbols.facts import FUNCTION, IMPORTED, METHOD, OPERATOR, TYPES, UNTOLD, Reference
from fieldguide.symbols.resolving.own_way import OwnWay
from fieldguide.symbols.resolving.packaged.members import Members
from fieldguide.symbols.resolving.packaged.names import Packages, packages_of
from fieldguide.symbols.resolving.packaged.types import Types
from fieldguide.symbols.resolving.packaged.wanted import TYPED, Want, fitting, want_of
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules, rules_of
from fieldguide.symbols.resolving.values import FOREIGN, At, Value, each_once
from fieldguide.symbols.resolving.view import Shape
from fieldguide.symbols.resolving.visibility import visible_of

TOGETHER = (frozenset(("java", "kotlin")), frozenset(("csharp",)))


class PackagedWay(OwnWay):
    """Answers for one question, as Java does."""

    language = "java"
    is_loose = False

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.rules: Rules = rules_of(self.language)
        self._kin = next(kin for kin in TOGETHER if self.language in kin)
        self.packages = Packages(self)
        self.members = Members(self)
        self.types = Types(self)

    def meant(self, path: str, each: Reference) -> Sequence[Value]:
        """What a use of a name means."""
        want = want_of(each, is_loose=self.is_loose)
        if not each.receiver:
            return self._one(self.named(path, each.name, each.within, want, each.line))
        if each.receiver.startswith("@") and each.receiver[1:].isdecimal():
            return self._imported(path, int(each.receiver[1:]), want)
        return self._type_member(path, each) if want.is_type else self._member(path, each, want)

    def _imported(self, path: str, number: int, want: Want) -> Sequence[Value]:
        shape = self.resolver.view.shape(path)
        if shape is None or number >= len(shape.imports):
            return []
        return self.packages.imported(path, shape.imports[number], want)

    def _member(self, path: str, each: Reference, want: Want) -> Sequence[Value]:
        values = self.types.value(path, each.receiver, each.within, each.line)
        found = each_once(found for value in values for found in self.members.member(value, each.name, want))
        if any(value.at for value in found):
            return self._one(found)
        return self._one(self.extended(path, each, want)) or found or self._in_package(path, each, want)

    def extended(self, path: str, each: Reference, want: Want) -> Sequence[Value]:
        """What a name means that is taken out of something which another place extends."""
        return []

    def seen(self, shape: Shape) -> Sequence[str]:
        """The packages whose names a file sees without an import."""
        return packages_of(shape)

    def before(self, path: str) -> Sequence[str]:
        """What may be left out before a name with a package, each with a dot at its end."""
        return ("",)

    def parts(self, at: At) -> Sequence[At]:
        """All parts of a class that is written in several."""
        return (at,)

    def self_around(self, path: str, within: int) -> Value | None:
        """The object that a place speaks of as itself."""
        owner = self.resolver.class_around(path, within)
        return None if owner is None else Value(owner, is_object=True)

    def _type_member(self, path: str, each: Reference) -> Sequence[Value]:
        owners = self.types.told(path, each.receiver, each.within)
        found = [found for owner in owners for found in self.members.member(owner, each.name, TYPED)]
        if any(value.at for value in found):
            return found
        return self.packages.qualified(path, f"{each.receiver}.{each.name}", TYPED) or [FOREIGN]

    def _in_package(self, path: str, each: Reference, want: Want) -> Sequence[Value]:
        is_plain = each.receiver.replace(".", "").replace("_", "").isalnum()
        return self.packages.qualified(path, f"{each.receiver}.{each.name}", want) if is_plain else []

    def _one(self, values: Sequence[Value]) -> Sequence[Value]:
        """Overloads that take as many arguments can't be told apart: then nobody can tell which is meant."""
        methods = [value.at for value in values if value.at is not None and self._is_method(value.at)]
        return values if len(set(methods)) < 2 else []

    def _is_method(self, at: At) -> bool:
        definition = self.resolver.view.definition(*at)
        return definition is not None and definition.kind in (METHOD, FUNCTION)

    def named(self, path: str, name: str, within: int, want: Want, line: int = 0) -> Sequence[Value]:
        """What a bare name means at a place."""
        shape = self.resolver.view.shape(path)
        if shape is None:
            return []
        for scope in (*shape.chain(within), -1):
            places = fitting(shape.definitions, visible_of(shape, shape.named(scope, name), line), want)
            if found := self._things(shape, places, scope, want):
                return found
            if scope >= 0 and shape.definitions[scope].kind in TYPES:
                owner = Value(At(path, scope))
                if inherited := [each for each in self.members.member(owner, name, want) if each.at is not None]:
                    return inherited
        return self.packages.beside(path, name, want) or [FOREIGN._replace(name=name)]

    def _things(self, shape: Shape, places: Sequence[int], scope: int, want: Want) -> Sequence[Value]:
        found: list[Value] = []
        for place in places:
            definition = shape.definitions[place]
            if definition.kind == IMPORTED:
                each = shape.imports[int(definition.type[1:])]
                values = self.packages.imported(shape.path, each, want)
                is_ours = any(value.at for value in values)
                is_known = is_ours or not want.is_called or each.keyword == "static"
                found += values if is_known else []
            else:
                is_member = scope >= 0 and shape.definitions[scope].kind in TYPES
                found.append(Value(At(shape.path, place), owner=At(shape.path, scope) if is_member else None))
        return each_once(found)

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[Value]:
        """What an expression stands for at a place."""
        return self.types.value(path, expression, within, line)

    def group(self, at: At) -> Collection[At]:
        """A definition, and what stands for it: the method that reads what a record holds."""
        shape, definition = self.resolver.view.shape(at.path), self.resolver.view.definition(*at)
        if shape is None or definition is None:
            return [at]
        hidden = [
            At(at.path, place)
            for place in shape.named(definition.parent, definition.name)
            if shape.definitions[place].kind == OPERATOR and definition.kind not in UNTOLD
        ]
        return [at, *hidden, *(each for each in self.parts(at) if each != at)]

    def bases(self, at: At) -> list[At | None]:
        """The classes that a class inherits from."""
        return [None if each is None else each.at for each in self.members.above(Value(at))]

    def is_kin(self, path: str) -> bool:
        """Whether a file is in a language whose names these can be."""
        return language_of(path) in self._kin
