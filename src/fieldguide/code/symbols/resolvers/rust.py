"""Resolves names and expressions of Rust, including what the standard library's containers hold.

A value of others is told by its name and the types that it was given; nothing else of the library is known.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import takewhile

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import ImportedSymbol, SymbolDefinition, SymbolReference
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver, find_ancestors, find_descendants
from fieldguide.code.symbols.resolvers.rules import EvaluatingResolver, LanguageRules, Site
from fieldguide.code.symbols.resolvers.values import (
    MOST_VALUES,
    DefinitionPlace,
    ResolvedValue,
    remember,
    split_alternatives,
    split_arguments,
)
from fieldguide.code.symbols.resolvers.view import FileShape, SymbolView, covers

MOST_MODULES = 60
MOST_MACRO_FILES = 40
NOT_IN_MODULES = facts.INNER | {facts.EXTENSION, facts.IMPORTED}
WORDS = ("self", "super", "crate")
MODULES = frozenset((facts.MODULE, ""))
"""The kinds of modules; one that is a file has no definition."""


class ModuleTree:
    """The modules of the project's crates. A module is a file, or a `mod` inside of one, by its place."""

    def __init__(self, view: SymbolView) -> None:
        self._view = view
        self._found: dict[tuple[DefinitionPlace, str], Sequence[DefinitionPlace]] = {}

    def around(self, path: str, within: int) -> DefinitionPlace:
        """The module that a place is in."""
        return self._view.around(path, within, (facts.MODULE,)) or DefinitionPlace(path)

    @remember(None)
    def root(self, path: str) -> DefinitionPlace | None:
        """The root of the crate that a file belongs to."""
        return self._led(path, ImportedSymbol("crate", 1, "", is_relative=True, keyword="use"))

    def above(self, module: DefinitionPlace) -> DefinitionPlace | None:
        """The module around a module."""
        if module.place >= 0:
            return self.around(module.path, self._view.at(module).parent)
        return self._led(module.path, ImportedSymbol("super", 1, "", is_relative=True, keyword="use"))

    @remember(())
    def crate(self, path: str, name: str) -> Sequence[DefinitionPlace]:
        """The root of another crate of the project, by the name that a file's crate gives it."""
        root = self.root(path)
        if root is not None and root.path != path:
            return self.crate(root.path, name)
        found = self._led(path, ImportedSymbol(name, 1, "", keyword="extern"))
        return (found,) if found else ()

    def opened(self, at: DefinitionPlace) -> DefinitionPlace:
        """A module by its declaration: the file, where it has one of its own."""
        definition = self._view.at(at)
        shape = self._view.shape(at.path)
        if definition.kind != facts.MODULE or not definition.type.startswith("@"):
            return at
        number = int(definition.type[1:])
        return (self._led(at.path, shape.imports[number]) if number < len(shape.imports) else None) or at

    def named(self, module: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """What a name means in a module: what it defines, imports, or takes from others with a star."""
        key = (module, name)
        if key not in self._found:
            self._found[key] = ()  # a name that leads to itself leads nowhere
            self._found[key] = self._looked_up(module, name)
        return self._found[key]

    def _looked_up(self, module: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        shape = self._view.shape(module.path)
        places = [(place, shape.definitions[place]) for place in shape.named(module.place, name)]
        own = [DefinitionPlace(module.path, place) for place, each in places if each.kind not in NOT_IN_MODULES]
        self._found[module, name] = own  # `mod a; pub use a::a;`
        found = dict.fromkeys(own)
        for _, each in places:
            if each.kind == facts.IMPORTED:
                found.update(dict.fromkeys(self.imported(module, shape.imports[int(each.type[1:])])))
        return tuple(found) or self._by_star(shape, module, name)

    def _by_star(self, shape: FileShape, module: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        scope = "::".join(shape.definitions[each].name for each in reversed(shape.chain(module.place)))
        for each in shape.imports:
            if each.name == facts.EVERYTHING and each.scope == scope:
                for whole in self.path(module, each.text.split("::")):
                    if whole != module and (found := self.inside(whole, name)):
                        return tuple(dict.fromkeys(found))
        return ()

    def inside(self, whole: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """What a name means in something that a path leads to: a module, or an enum with its variants."""
        if self._view.at(whole).kind in MODULES:
            return self.named(self.opened(whole), name)
        return self._view.named(whole, name)

    def imported(self, module: DefinitionPlace, each: ImportedSymbol) -> Sequence[DefinitionPlace]:
        """What one name of a `use` means."""
        if each.keyword == "extern":
            return self.crate(module.path, each.name)
        return self.path(module, [*(part for part in each.text.split("::") if part), each.name])

    def path(self, module: DefinitionPlace, parts: Sequence[str]) -> Sequence[DefinitionPlace]:
        """What the path of a `use` means in a module."""
        if not parts:
            return ()
        rest = list(parts[1:])
        if parts[0] in WORDS:
            start = self.root(module.path) if parts[0] == "crate" else module
            rest = rest if parts[0] != "super" else list(parts)
            while rest and rest[0] == "super" and start is not None:
                start = self.above(start)
                rest.pop(0)
            here: Sequence[DefinitionPlace] = (start,) if start else ()
        else:
            here = self.named(module, parts[0])
            if not here or (rest and not any(map(self._is_whole, here))):
                here = self.crate(module.path, parts[0]) or here
        for part in rest:
            here = list(dict.fromkeys(found for whole in here for found in self.part(whole, part)))[:MOST_MODULES]
        return here

    def _is_whole(self, at: DefinitionPlace) -> bool:
        """Whether something has parts that a path may go on with."""
        if at.place < 0 or at != self.opened(at):
            return True
        return any(parent == at.place for _, _, parent in self._view.shape(at.path).definitions.heads())

    def part(self, whole: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """What a name means in something that a path leads to; a crate has its macros too."""
        return self.inside(whole, name) or (self.macros(name, whole.path) if whole.place < 0 else ())

    def macros(self, name: str, path: str) -> Sequence[DefinitionPlace]:
        """The macros of a name: those of a file, or else of its crate, or else of other crates."""
        found = self._view.defined(name, (facts.MACRO,), MOST_MACRO_FILES)
        here = [each for each in found if each.path == path]
        root = self.root(path)
        return here or [each for each in found if root and self.root(each.path) == root] or found

    def _led(self, path: str, each: ImportedSymbol) -> DefinitionPlace | None:
        leads = self._view.leads(path, each)
        return DefinitionPlace(leads[0]) if leads else None


MOST_FILES = 60
MOST_IMPL_FILES = 200
MOST_TRAITS = 40


class TypeMembers:
    """The members of types, wherever they are written."""

    def __init__(self, view: SymbolView, names: EvaluatingResolver) -> None:
        self._view = view
        self._names = names

    def named(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """The members of a name: the type's own before those that its traits give it."""
        extensions = self.extensions(at)
        own = self._written_in((at, *(each for each in extensions if not self._has_trait(each))), name)
        given = own or self._written_in(filter(self._has_trait, extensions), name)
        return given or self._written_in(self.traits(at), name)

    def _written_in(self, places: Iterable[DefinitionPlace], name: str) -> list[DefinitionPlace]:
        return [found for each in places for found in self._names.written(each, name)]

    def trait_names(self, at: DefinitionPlace) -> set[str]:
        """The names of the traits that a type has or a trait asks for, whosever they are."""
        return {_last(base) for place in (at, *self.extensions(at)) for base in self._view.at(place).bases}

    @remember(())
    def methods(self, name: str) -> Sequence[tuple[DefinitionPlace, FileShape, SymbolDefinition]]:
        """The methods of a name in the project, with what each is written in."""
        everywhere = self._view.everywhere(name, MOST_FILES)
        found = [(shape, place, shape.definitions[place]) for shape, place in everywhere]
        return [
            (DefinitionPlace(shape.path, place), shape, shape.definitions[each.parent])
            for shape, place, each in found
            if each.kind == facts.METHOD and each.parent >= 0
        ]

    @remember(())
    def extensions(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The `impl` blocks of a type."""
        named = self._view.defined(self._view.at(at).name, (facts.EXTENSION,), MOST_IMPL_FILES)
        return [each for each in named if at in self.owners(each)]

    @remember(())
    def owners(self, extension: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The types that an `impl` block belongs to."""
        definition = self._view.at(extension)
        told = definition.type[1:].partition("<")[0]
        values = self._names.evaluated(extension.path, told, definition.parent, definition.line)
        return [value.at for value in values if value.at is not None]

    @remember(())
    def traits(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The traits of a type, or those that a trait asks for, the nearest first."""
        found: dict[DefinitionPlace, None] = {}
        pending = [at, *self.extensions(at)]
        while pending and len(found) < MOST_TRAITS:
            fresh = [base for base in self.bases(pending.pop(0)) if base not in found]
            found.update(dict.fromkeys(fresh))
            pending += dict.fromkeys(fresh)
        return tuple(found)

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """The traits that an `impl` block or a trait names."""
        above = self._view.at(at)
        told = [each.partition("<")[0] for each in above.bases]
        values = [value for each in told for value in self._names.evaluated(at.path, each, above.parent, above.line)]
        return [value.at for value in values if value.at is not None and value.at.place >= 0]

    def _has_trait(self, extension: DefinitionPlace) -> bool:
        return bool(self._view.at(extension).bases)


def _wanted(shape: FileShape, trait: str) -> Iterator[set[str]]:
    """What a type must have to be given a trait: for each `impl<T: …> Trait for T` beside the trait."""
    for place, each in enumerate(shape.definitions):
        if each.kind == facts.EXTENSION and any(_last(base) == trait for base in each.bases):
            for other in shape.named(place, each.name):
                if shape.definitions[other].kind in facts.INNER:
                    yield {_last(bound) for bound in split_alternatives(shape.definitions[other].type[1:])}


def _last(expression: str) -> str:
    return expression.partition("<")[0].rpartition(".")[2]


SAME = "()same"
"""The name of a method that gives the object that it was asked of."""
INNER_METHOD = "()inner"
"""The name of a method that gives what is held."""

SAMES = frozenset((
    "as_deref", "as_deref_mut", "as_mut", "as_ref", "as_slice", "borrow", "borrow_mut", "chain", "clone", "cloned",
    "collect", "context", "copied", "deref", "drain", "err_into", "expect", "filter", "inspect_err",
    "into_iter", "iter", "iter_mut", "lock", "map_err", "ok", "or", "or_else", "peekable", "read", "rev", "skip",
    "skip_while", "take", "take_while", "to_owned", "to_vec", "unwrap", "values", "values_mut", "with_context",
    "wrap_err", "write",
))  # fmt: skip
"""Methods that give the same, or a container of the same."""
INNERS = frozenset((
    "expect", "expect_err", "into_inner", "unwrap", "unwrap_or", "unwrap_or_default", "unwrap_or_else",
))  # fmt: skip
OPTIONALS = frozenset((
    "first", "first_mut", "get", "get_mut", "last", "last_mut", "max", "min", "next", "nth", "peek", "pop", "pop_back",
    "pop_front", "recv", "remove", "try_recv", "find", "max_by_key", "min_by_key",
))  # fmt: skip
HOLDING_ONE = frozenset(
    ("Option", "Result", "Mutex", "RwLock", "RefCell", "Cell", "OnceCell", "OnceLock", "LazyLock", "Weak")
)
MAPS = frozenset(("HashMap", "BTreeMap", "IndexMap"))
VALUES = frozenset(("values", "values_mut", "into_values"))
GUARDS = frozenset(("Mutex", "RwLock", "RefCell"))
GUARDED = frozenset(("lock", "read", "write", "borrow", "borrow_mut", "get_mut", "try_lock"))


def find_held(value: ResolvedValue, step: str) -> Sequence[ResolvedValue]:
    """What a step gives of a value of others; nothing where that is not known."""
    if value.name.startswith(SAME):
        return [value._replace(name=value.name[len(SAME) :])] if step == "()" else []
    if not value.arguments:
        return []
    if value.name.startswith(INNER_METHOD):
        return value.arguments[0] if step == "()" else []
    if step.isdigit():
        return value.arguments[int(step)] if value.name == "tuple" and int(step) < len(value.arguments) else []
    if step != "[]":
        return _method(value, step)
    if value.name in MAPS and value.arguments[1:]:
        return [ResolvedValue(None, is_object=True, arguments=value.arguments, name="tuple")]
    return value.arguments[0]


def _method(value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
    """A method of the library, by the name of what calling it gives."""
    if (value.name in GUARDS and name in GUARDED) or (value.name in HOLDING_ONE and name in INNERS):
        return [value._replace(name=INNER_METHOD)]
    if name in OPTIONALS and value.name not in HOLDING_ONE:
        return [ResolvedValue(None, arguments=value.arguments[-1:], name=f"{SAME}Option")]
    if name in VALUES and value.name in MAPS:
        return [ResolvedValue(None, arguments=value.arguments[-1:], name=f"{SAME}Vec")]
    return [value._replace(name=SAME + value.name)] if name in SAMES else []


MACRO_MARK = "!"
PARTS = "{}"
OWNERS = facts.TYPES | {facts.EXTENSION}
NAMING_TYPES = facts.TYPES | facts.INNER | MODULES
HOLDING_NOTHING = facts.TYPES | facts.CALLABLE | {facts.MODULE}


class RustNames(EvaluatingResolver):
    """Answers for one question."""

    deepest = 20
    most_values = MOST_VALUES

    def __init__(self, resolver: SymbolResolver) -> None:
        super().__init__(resolver)
        self.modules = ModuleTree(self._view)
        self.members = TypeMembers(self._view, self)

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use of a name means; nothing where that can't be told."""
        if each.receiver == MACRO_MARK:
            return [ResolvedValue(at) for at in self.modules.macros(each.name, path)]
        found = self._found(path, each)
        if each.role not in (facts.TYPE, facts.INHERIT):
            return found
        return [value for value in found if self._view.at(value.at).kind in NAMING_TYPES]

    def _found(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        if not each.receiver:
            return self.named(path, each.name, each.within, each.line)
        values = self.evaluated(path, each.receiver, each.within, each.line)
        is_called = each.role == facts.CALL
        found = self.deduplicated(
            one for value in values for one in self._member(value, each.name, is_called=is_called)
        )
        return found or (self._added(path, each, values) if is_called else [])

    def kin(self, at: DefinitionPlace, group: Collection[DefinitionPlace]) -> Sequence[DefinitionPlace]:
        """Where types give what a trait asks for."""
        definition = self._view.at(at)
        above = self._view.at(DefinitionPlace(at.path, definition.parent))
        if definition.parent < 0:
            return ()
        if definition.kind == facts.ALIAS:
            return [each for each in group if each != at]
        return self._implemented(at, definition.name) if above.kind == facts.INTERFACE else ()

    def twins(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """A type or a constant of a trait is the same where types that have the trait give it."""
        definition = self._view.at(at)
        if definition.kind not in (facts.ALIAS, facts.CONSTANT):
            return ()
        name = definition.name
        traits = find_ancestors(self._resolver, DefinitionPlace(at.path, definition.parent))
        asked = [found for each in traits for found in self._resolver.own_members(each, name)] or [at]
        return [*asked, *(found for each in asked for found in self._implemented(each, name))]

    def _implemented(self, at: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        """The members of a name in what has a trait; also types, which have names in a trait."""
        heirs = find_descendants(self._resolver, DefinitionPlace(at.path, self._view.at(at).parent))
        return [found for each in heirs for found in self._resolver.own_members(each, name)]

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """The traits that a type, a trait or an `impl` names."""
        return self.members.bases(at)

    def _owner(self, path: str, within: int) -> Sequence[DefinitionPlace] | None:
        """The type whose `impl` or definition is around a place; None where there is none."""
        at = self._view.around(path, within, OWNERS - {facts.ALIAS})
        if at is None:
            return None
        return self.members.owners(at) if self._view.at(at).kind == facts.EXTENSION else [at]

    def named(self, path: str, name: str, within: int, line: int) -> Sequence[ResolvedValue]:
        """What a bare name means at a place."""
        shape = self._view.shape(path)
        for scope in shape.chain(within):
            if shape.definitions[scope].kind == facts.MODULE:
                break
            if found := self.in_scope(shape, scope, name, line):
                return [ResolvedValue(at) for at in found]
        seen = self.modules.named(self.modules.around(path, within), name) or self.modules.crate(path, name)
        return [ResolvedValue(at) for at in seen]

    def in_scope(self, shape: FileShape, scope: int, name: str, line: int) -> Sequence[DefinitionPlace]:
        """A definition of the scope, the last one of a function; of a type only what it is given."""
        is_type = shape.definitions[scope].kind in OWNERS
        places = [p for p in shape.named(scope, name) if not is_type or shape.definitions[p].kind in facts.INNER]
        seen = [p for p in places if covers(shape.definitions[p], line)]
        if not seen:
            return []
        last = max(seen, key=lambda p: shape.definitions[p].visible[0])
        definition = shape.definitions[last]
        if definition.kind == facts.IMPORTED:
            module = self.modules.around(shape.path, scope)
            return self.modules.imported(module, shape.imports[int(definition.type[1:])])
        return [DefinitionPlace(shape.path, last)]

    def first(self, steps: Sequence[str], site: Site) -> tuple[Sequence[ResolvedValue], Sequence[str]]:
        """What an expression begins with: the own type or object, a module, or a name."""
        path, within, line = site
        if steps[0] in ("self", "Self"):
            owner = self._owner(path, within)
            if owner is not None:
                return [ResolvedValue(each, is_object=steps[0] == "self") for each in owner], steps[1:]
        if steps[0] in WORDS:
            words = [*takewhile(WORDS.__contains__, steps)]
            here = self.modules.path(self.modules.around(path, within), words)
            return [ResolvedValue(each) for each in here], steps[len(words) :]
        found = self.named(path, steps[0], within, line)
        return found or [ResolvedValue(None, name=steps[0])], steps[1:]

    def step(self, value: ResolvedValue, step: str, site: Site, *, is_called: bool) -> Sequence[ResolvedValue]:
        """Types that are given to a type, the fields of a struct, a call, an element or a member."""
        if step.startswith("<"):
            given = tuple(tuple(self._objects(each, site)) for each in split_arguments(step))
            return [value._replace(arguments=given)]
        found: list[ResolvedValue] = []
        for each in self.resolved(value):
            if step == PARTS:
                found.append(each._replace(is_object=True))
            elif step == "()":
                found += self._called(each)
            elif step == "[]":
                found += find_held(each, step)
            else:
                found += self._member(each, step, is_called=is_called)
        return found

    def _objects(self, expression: str, site: Site) -> Sequence[ResolvedValue]:
        path, within, line = site
        values = self.evaluated(path, expression, within, line) if expression != facts.UNKNOWN else ()
        return self.deduplicated(each._replace(is_object=True) for value in values for each in self.resolved(value))

    def resolved(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """A value; for something that holds one, what that is."""
        if value.at is None or value.is_object or value.at.place < 0:
            return [value]
        definition = self._view.at(value.at)
        if definition.kind == facts.ALIAS:
            meant = self.told(value.at)
            if not value.arguments:
                return meant
            # `Result<Foo>`, where that is the project's own name for a `Result` of others
            return [each._replace(arguments=value.arguments) if each.at is None else each for each in meant]
        if definition.kind in HOLDING_NOTHING or self._enum_of(value.at, definition) is not None:
            return [value]
        return self.told(value.at)

    def _enum_of(self, at: DefinitionPlace, definition: SymbolDefinition) -> DefinitionPlace | None:
        if definition.kind != facts.CONSTANT or definition.parent < 0:
            return None
        above = DefinitionPlace(at.path, definition.parent)
        return above if self._view.at(above).kind == facts.ENUM else None

    def _called(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What calling a value gives."""
        if value.name == SAME:
            return [value._replace(name="")]
        if value.at is None:
            return find_held(value, "()")
        definition = self._view.at(value.at)
        if value.is_object:
            return []
        if definition.kind in facts.TYPES:
            return [value._replace(is_object=True)]
        owner = self._enum_of(value.at, definition) or (value.owner if definition.type == ":Self" else None)
        if owner is not None:
            return [ResolvedValue(owner, is_object=True)]
        return self.told(value.at) if definition.kind in facts.CALLABLE else []

    def _member(self, value: ResolvedValue, name: str, *, is_called: bool) -> Sequence[ResolvedValue]:
        """What a name means that is taken out of a value."""
        found: list[ResolvedValue] = []
        for each in self.resolved(value):
            if each.at is None:
                found += find_held(each, name)
                continue
            parts = self._part(each.at, name)
            if each.is_object:  # methods where one is called, and fields where none is: they may have the same names
                parts = [part for part in parts if self._is_method(part) in (None, is_called)]
                if not parts and name in SAMES:  # as those of guards do
                    parts = [each._replace(name=SAME)]
            found += parts
        return found

    def _is_method(self, value: ResolvedValue) -> bool | None:
        kind = self._view.at(value.at).kind
        return kind == facts.METHOD if kind and not value.is_object else None

    def _added(self, path: str, each: SymbolReference, values: Sequence[ResolvedValue]) -> Sequence[ResolvedValue]:
        """What the project adds to types that have no such method: to types of others, and by traits to all alike."""
        methods = self.members.methods(each.name)
        module = self.modules.around(path, each.within)
        for value in (found for one in values for found in self.resolved(one)):
            names = {value.name} if value.at is None else self.members.trait_names(value.at)
            if value.at is None:
                given = [at for at, _, above in methods if above.kind == facts.EXTENSION and above.name == value.name]
                if given:
                    return [ResolvedValue(at) for at in given]
            for at, shape, above in methods:
                if above.kind == facts.INTERFACE and not all(map(names.isdisjoint, _wanted(shape, above.name))):
                    trait = DefinitionPlace(at.path, shape.definitions[at.place].parent)
                    if trait in self.modules.named(module, above.name):
                        return [ResolvedValue(at)]
        return []

    def _part(self, at: DefinitionPlace, name: str) -> Sequence[ResolvedValue]:
        definition = self._view.at(at)
        if definition.kind in MODULES:
            return [ResolvedValue(each) for each in self.modules.part(at, name)]
        if name.isdigit():  # a field without a name
            given = split_arguments(definition.type[len(":tuple") :]) if definition.type.startswith(":tuple<") else ()
            site = (at.path, definition.scope, definition.line)
            return self._objects(given[int(name)], site) if int(name) < len(given) else []
        enum = self._enum_of(at, definition)
        if enum is not None:
            return [ResolvedValue(each) for each in self.written(at, name) or self.members.named(enum, name)]
        if definition.kind in (facts.CLASS, facts.ENUM, facts.INTERFACE):
            return [ResolvedValue(each, owner=at) for each in self.members.named(at, name)]
        return []


RULES = LanguageRules(own_way=RustNames)
