"""Resolves names of Java, Kotlin and C# by scopes, classes, imports and packages."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import (
    EVERYTHING,
    IMPORTED,
    METHOD,
    PACKAGE,
    TYPES,
    ImportedSymbol,
    SymbolReference,
)
from fieldguide.code.symbols.resolvers.java_types import (
    ANY,
    TYPED,
    PackagedMembers,
    PackagedTypes,
    WantedDefinition,
    filter_fitting,
    read_want,
)
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import (
    FOREIGN,
    DefinitionPlace,
    LanguageResolver,
    LanguageRules,
    ResolvedValue,
    deduplicate,
    load_rules,
    remember,
    walk_nearest_first,
)
from fieldguide.code.symbols.resolvers.view import FileShape, filter_visible
from fieldguide.files.kinds import language_of

MOST_PACKAGE_FILES = 400
MOST_PARTS = 12


class PackageNames:
    """The top-level names of a project, by package."""

    def __init__(self, way: "PackagedResolver") -> None:
        self._way = way
        self._view = way.resolver.view

    @remember(())
    def top(self, package: str, name: str) -> list[DefinitionPlace]:
        """What a package defines as a name."""
        return [
            DefinitionPlace(shape.path, place)
            for shape in self._defining(name, package)
            if package in list_packages(shape)
            for place in shape.named(-1, name)
            if shape.definitions[place].kind != IMPORTED
        ]

    def _defining(self, name: str, package: str) -> Iterator[FileShape]:
        defining = [file.path for file in self._view.defining(name, MOST_PACKAGE_FILES)]
        if len(defining) >= MOST_PACKAGE_FILES:  # of a name that is so common, also the files that are called by it
            named = self._view.files().listing().by_name
            defining += [*named.get(f"{name}.java", ()), *named.get(f"{name}.kt", ()), *named.get(f"{name}.cs", ())]
        for path in dict.fromkeys(defining):
            if self._way.is_kin(path) and _may_have(path, name, package):
                shape = self._view.shape(path)
                if shape is not None:
                    yield shape

    def beside(self, path: str, name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What the package of a file brings, and then what it imports as a whole."""
        shape = self._view.shape(path)
        if shape is None:
            return []
        for package in self._way.seen(shape):
            if found := self.fitted(self.top(package, name), path, want):
                return found
        for each in shape.imports:
            if each.name == EVERYTHING and (found := self._of_all(path, each, name, want)):
                return found
        return []

    def _of_all(self, path: str, each: ImportedSymbol, name: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        text = each.text.removesuffix(".*")
        found = self.fitted(self.top(text, name), path, want)
        if found:
            return found
        owners = self.qualified(path, text, ANY)
        return [
            value
            for owner in owners
            if owner.at is not None
            for value in self._way.members.member(owner, name, want)
            if value.at is not None
        ]

    def imported(self, path: str, each: ImportedSymbol, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What an import of one name means."""
        found = self.qualified(path, each.text, want)
        return found or [FOREIGN._replace(name=each.text.rpartition(".")[2])]

    def qualified(self, path: str, text: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What a name with its package means, the longest package first; nothing where the project has none such."""
        for before in self._way.before(path):
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
                wanted = want if number == len(parts) - 1 else ANY
                values = [
                    found
                    for value in values
                    for found in self._way.members.member(value, parts[number], wanted)
                    if found.at is not None
                ]
            if values:
                return values
        return []

    def fitted(self, found: list[DefinitionPlace], path: str, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """Those of several definitions that a use can mean; of the same name in several places the nearest."""
        fit: list[DefinitionPlace] = []
        for at in found:
            shape = self._view.shape(at.path)
            if shape is not None and filter_fitting(shape.definitions, [at.place], want):
                fit.append(at)
        if len({at.path for at in fit}) > 1:
            nearest = max(_shared(at.path, path) for at in fit)
            fit = [at for at in fit if _shared(at.path, path) == nearest]
        return [ResolvedValue(at) for at in fit]


def _may_have(path: str, name: str, package: str) -> bool:
    """Whether a file may have a name of a package: Java's files lie as their packages say, and have only classes."""
    folder, _, file = path.rpartition("/")
    if language_of(path) != "java":
        return True
    is_class = name[:1].isupper() or file == f"{name}.java"
    return is_class and f"/{folder}".endswith(f"/{package.replace('.', '/')}" if package else "")


def list_packages(shape: FileShape) -> list[str]:
    """The package that a file says it is in; with nothing said, the one without a name."""
    return [each.text for each in shape.imports if each.keyword == PACKAGE] or [""]


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
        self.resolver = resolver
        self.rules: LanguageRules = load_rules(self.language)
        self._kin = next(kin for kin in TOGETHER if self.language in kin)
        self.packages = PackageNames(self)
        self.members = PackagedMembers(self)
        self.types = PackagedTypes(self)

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use of a name means."""
        want = read_want(each, is_loose=self.is_loose)
        if not each.receiver:
            return self._one(self.named(path, each.name, each.within, want, each.line))
        if each.receiver.startswith("@") and each.receiver[1:].isdecimal():
            shape = self.resolver.view.shape(path)
            number = int(each.receiver[1:])
            is_known = shape is not None and number < len(shape.imports)
            return self.packages.imported(path, shape.imports[number], want) if shape and is_known else []
        if not want.is_type:
            return self._member(path, each, want)
        owners = self.types.told(path, each.receiver, each.within)
        found = [found for owner in owners for found in self.members.member(owner, each.name, TYPED)]
        if any(value.at for value in found):
            return found
        return self.packages.qualified(path, f"{each.receiver}.{each.name}", TYPED) or [FOREIGN]

    def _member(self, path: str, each: SymbolReference, want: WantedDefinition) -> Sequence[ResolvedValue]:
        values = self.types.value(path, each.receiver, each.within, each.line)
        found = deduplicate(found for value in values for found in self.members.member(value, each.name, want))
        if any(value.at for value in found):
            return self._one(found)
        found = self._one(self.extended(path, each, want)) or found
        is_plain = each.receiver.replace(".", "").replace("_", "").isalnum()
        return found or (self.packages.qualified(path, f"{each.receiver}.{each.name}", want) if is_plain else [])

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
        owner = self.resolver.class_around(path, within)
        return None if owner is None else ResolvedValue(owner, is_object=True)

    def _one(self, values: Sequence[ResolvedValue]) -> Sequence[ResolvedValue]:
        """Overloads that take as many arguments can't be told apart: then nobody can tell which is meant."""
        methods: set[DefinitionPlace] = set()
        for at in (value.at for value in values if value.at is not None):
            definition = self.resolver.view.definition(*at)
            if definition is not None and definition.kind in (METHOD, facts.FUNCTION):
                methods.add(at)
        return values if len(methods) < 2 else []

    def named(
        self, path: str, name: str, within: int, want: WantedDefinition, line: int = 0
    ) -> Sequence[ResolvedValue]:
        """What a bare name means at a place."""
        shape = self.resolver.view.shape(path)
        if shape is None:
            return []
        for scope in (*shape.chain(within), -1):
            places = filter_fitting(shape.definitions, filter_visible(shape, shape.named(scope, name), line), want)
            if found := self._things(shape, places, scope, want):
                return found
            if scope >= 0 and shape.definitions[scope].kind in TYPES:
                owner = ResolvedValue(DefinitionPlace(path, scope))
                if inherited := [each for each in self.members.member(owner, name, want) if each.at is not None]:
                    return inherited
        return self.packages.beside(path, name, want) or [FOREIGN._replace(name=name)]

    def _things(
        self, shape: FileShape, places: Sequence[int], scope: int, want: WantedDefinition
    ) -> Sequence[ResolvedValue]:
        found: list[ResolvedValue] = []
        is_member = scope >= 0 and shape.definitions[scope].kind in TYPES
        owner = DefinitionPlace(shape.path, scope) if is_member else None
        for place in places:
            definition = shape.definitions[place]
            if definition.kind != IMPORTED:
                found.append(ResolvedValue(DefinitionPlace(shape.path, place), owner=owner))
                continue
            each = shape.imports[int(definition.type[1:])]
            values = self.packages.imported(shape.path, each, want)
            if not want.is_called or each.keyword == "static" or any(value.at for value in values):
                found += values
        return deduplicate(found)

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[ResolvedValue]:
        """What an expression stands for at a place."""
        return self.types.value(path, expression, within, line)

    def group(self, at: DefinitionPlace) -> Collection[DefinitionPlace]:
        """A definition, and what stands for it: the method that reads what a record holds."""
        shape = self.resolver.view.shape(at.path)
        definition = self.resolver.view.definition(*at)
        if shape is None or definition is None:
            return [at]
        hidden = [
            DefinitionPlace(at.path, place)
            for place in shape.named(definition.parent, definition.name)
            if shape.definitions[place].kind == facts.OPERATOR and definition.kind not in facts.UNTOLD
        ]
        return [at, *hidden, *(each for each in self.parts(at) if each != at)]

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace | None]:
        """The classes that a class inherits from."""
        return [None if each is None else each.at for each in self.members.above(ResolvedValue(at))]

    def is_kin(self, path: str) -> bool:
        """Whether a file is in a language whose names these can be."""
        return language_of(path) in self._kin


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
        shape = self.resolver.view.shape(path)
        return ["", *(f"{each}." for each in self.seen(shape) if each)] if shape else [""]

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
        definition = self.resolver.view.definition(*at)
        is_attribute = definition is not None and definition.kind in TYPES and definition.name.endswith(ATTRIBUTE)
        return (definition.name.removesuffix(ATTRIBUTE),) if definition is not None and is_attribute else ()

    def parts(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """All parts of a class that says it is one of several."""
        definition = self.resolver.view.definition(*at)
        shape = self.resolver.view.shape(at.path)
        if definition is None or shape is None or definition.kind not in TYPES or PARTIAL not in definition.signature:
            return (at,)
        found = [at]
        for each in (top for package in list_packages(shape) for top in self.packages.top(package, definition.name)):
            other = self.resolver.view.definition(*each)
            if other is not None and PARTIAL in other.signature:
                found.append(each)
        return list(dict.fromkeys(found))

    def extended(self, path: str, each: SymbolReference, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """A static method that extends a type, in a namespace that the file sees."""
        shape = self.resolver.view.shape(path)
        if shape is None or not want.is_called:
            return []
        packages = {*self.seen(shape), *(one.text for one in shape.imports)}
        found: list[ResolvedValue] = []
        for other, place in self.resolver.view.everywhere(each.name, MOST_EXTENSION_FILES):
            definition = other.definitions[place]
            is_extending = definition.kind == METHOD and EXTENDING in definition.signature
            is_seen = is_extending and self.is_kin(other.path) and not packages.isdisjoint(list_packages(other))
            if is_seen and filter_fitting(other.definitions, [place], want):
                found.append(ResolvedValue(DefinitionPlace(other.path, place)))
        return found


MOST_CLASSES = 60


class KotlinSymbolResolver(PackagedResolver):
    """Answers for one question, as Kotlin does."""

    language = "kotlin"
    is_loose = True

    def extended(self, path: str, each: SymbolReference, want: WantedDefinition) -> Sequence[ResolvedValue]:
        """What extends a type and is seen here by its bare name."""
        found = self.named(path, each.name, each.within, want, each.line)
        owners = self.types.value(path, each.receiver, each.within, each.line)
        ours = [value for value in found if value.at is not None and self._extends(value.at)]
        return self._of(owners, ours) if owners else ours

    def _of(self, owners: Sequence[ResolvedValue], extending: Sequence[ResolvedValue]) -> Sequence[ResolvedValue]:
        """Those that extend the type of one of some objects, or of a class above it."""
        family = {each.at for owner in owners for each in walk_nearest_first(owner, self._above, MOST_CLASSES)}
        return [value for value in extending if value.at is not None and not family.isdisjoint(self._bases(value.at))]

    def _above(self, value: ResolvedValue) -> list[ResolvedValue]:
        return [each or FOREIGN for each in self.members.above(value)] if value.at is not None else []

    def _bases(self, at: DefinitionPlace) -> set[DefinitionPlace | None]:
        """What something extends; a type that it is given may be any."""
        definition = self.resolver.view.definition(*at)
        told = self.types.told(at.path, definition.bases[0], at.place) if definition and definition.bases else ()
        return {value.at for value in told} or {None}

    def named(
        self, path: str, name: str, within: int, want: WantedDefinition, line: int = 0
    ) -> Sequence[ResolvedValue]:
        """What a bare name means; in what extends a type it may be a member of that."""
        found = super().named(path, name, within, want, line)
        if len(found) > 1 and (owner := self.self_around(path, within)):
            found = self._of([owner], found) or found
        if not any(value.at for value in found) and (owner := self._extended_around(path, within)):
            inside = self.members.member(owner, name, want)
            return inside if any(value.at for value in inside) else found
        return found

    def _extends(self, at: DefinitionPlace) -> bool:
        definition = self.resolver.view.definition(*at)
        return definition is not None and bool(definition.bases) and definition.kind not in TYPES

    def self_around(self, path: str, within: int) -> ResolvedValue | None:
        """The object of the class around, or of the type that the function around extends."""
        return self._extended_around(path, within) or super().self_around(path, within)

    def _extended_around(self, path: str, within: int) -> ResolvedValue | None:
        shape = self.resolver.view.shape(path)
        for place in shape.chain(within) if shape else ():
            if shape and self._extends(DefinitionPlace(path, place)):
                definition = shape.definitions[place]
                told = self.types.told(path, definition.bases[0], definition.parent)
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
