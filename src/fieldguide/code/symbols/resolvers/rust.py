"""Resolves names and expressions of Rust, including what the standard library's containers hold.

A value of others is told by its name and the types that it was given; nothing else of the library is known.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import (
    ALIAS,
    EXTENSION,
    INNER,
    MODULE,
    ImportedSymbol,
    SymbolDefinition,
    SymbolReference,
)
from fieldguide.code.symbols.resolvers.inheritance import find_ancestors, find_descendants
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import (
    MOST_VALUES,
    DefinitionPlace,
    EvaluatingResolver,
    LanguageRules,
    ResolvedValue,
    deduplicate,
    split_alternatives,
    split_arguments,
)
from fieldguide.code.symbols.resolvers.view import FileShape, SymbolView, covers

MOST_FILES = 60


class AddedMembers:
    """Methods that a type has though neither its definition nor an `impl` of its own gives them."""

    def __init__(self, view: SymbolView) -> None:
        self._view = view
        self._methods: dict[str, Sequence[tuple[DefinitionPlace, FileShape]]] = {}

    def to_foreign(self, type_name: str, name: str) -> list[DefinitionPlace]:
        """The methods that an `impl` of the project gives to a type of others."""
        return [at for at, shape in self._named(name) if _is_named(_above(shape, at.place), EXTENSION, type_name)]

    def to_all(self, traits: frozenset[str], name: str) -> list[tuple[DefinitionPlace, DefinitionPlace]]:
        """The methods of traits that whatever has one of some other traits has: `impl<T: Read> ReadExt for T`."""
        found = [(at, shape) for at, shape in self._named(name) if self._is_given_by(shape, at.place, traits)]
        return [(at, DefinitionPlace(at.path, shape.definitions[at.place].parent)) for at, shape in found]

    def name_of(self, trait: DefinitionPlace) -> str:
        """The name of a trait."""
        definition = self._view.definition(*trait)
        return definition.name if definition else ""

    def _is_given_by(self, shape: FileShape, place: int, traits: frozenset[str]) -> bool:
        above = _above(shape, place)
        if above is None or above.kind != facts.INTERFACE:
            return False
        return any(not traits.isdisjoint(wanted) for wanted in _wanted(shape, above.name))

    def _named(self, name: str) -> Sequence[tuple[DefinitionPlace, FileShape]]:
        if name not in self._methods:
            everywhere = self._view.everywhere(name, MOST_FILES)
            methods = ((shape, place) for shape, place in everywhere if shape.definitions[place].kind == facts.METHOD)
            self._methods[name] = [(DefinitionPlace(shape.path, place), shape) for shape, place in methods]
        return self._methods[name]


def _above(shape: FileShape, place: int) -> SymbolDefinition | None:
    parent = shape.definitions[place].parent
    return shape.definitions[parent] if parent >= 0 else None


def _is_named(definition: SymbolDefinition | None, kind: str, name: str) -> bool:
    return definition is not None and definition.kind == kind and definition.name == name


def _wanted(shape: FileShape, trait: str) -> Iterator[set[str]]:
    """What a type must have to be given a trait: for each `impl<T: …> Trait for T` beside the trait."""
    for place, each in enumerate(shape.definitions):
        if each.kind == EXTENSION and any(_last(base) == trait for base in each.bases):
            for other in shape.named(place, each.name):
                if shape.definitions[other].kind in INNER:
                    yield {_last(bound) for bound in split_alternatives(shape.definitions[other].type[1:])}


def _last(expression: str) -> str:
    return expression.partition("<")[0].rpartition(".")[2]


MOST_MODULES = 60
MOST_MACRO_FILES = 40
NOT_IN_MODULES = INNER | {EXTENSION, facts.IMPORTED}


class ModuleTree:
    """The modules of the project's crates. A module is a file, or a `mod` inside of one, by its place."""

    def __init__(self, view: SymbolView) -> None:
        self._view = view
        self._found: dict[tuple[DefinitionPlace, str], Sequence[DefinitionPlace]] = {}
        self._roots: dict[str, DefinitionPlace | None] = {}
        self._crates: dict[tuple[str, str], DefinitionPlace | None] = {}

    def around(self, path: str, within: int) -> DefinitionPlace:
        """The module that a place is in."""
        shape = self._view.shape(path)
        for place in shape.chain(within) if shape else ():
            if shape and shape.definitions[place].kind == MODULE:
                return DefinitionPlace(path, place)
        return DefinitionPlace(path)

    def root(self, path: str) -> DefinitionPlace | None:
        """The root of the crate that a file belongs to."""
        if path not in self._roots:
            self._roots[path] = self._led(path, ImportedSymbol("crate", 1, "", is_relative=True, keyword="use"))
        return self._roots[path]

    def above(self, module: DefinitionPlace) -> DefinitionPlace | None:
        """The module around a module."""
        shape = self._view.shape(module.path)
        if module.place >= 0 and shape:
            return self.around(module.path, shape.definitions[module.place].parent)
        return self._led(module.path, ImportedSymbol("super", 1, "", is_relative=True, keyword="use"))

    def crate(self, path: str, name: str) -> DefinitionPlace | None:
        """The root of another crate of the project, by the name that a file's crate gives it."""
        root = self.root(path)
        key = (root.path if root else path, name)
        if key not in self._crates:
            self._crates[key] = self._led(key[0], ImportedSymbol(name, 1, "", keyword="extern"))
        return self._crates[key]

    def opened(self, at: DefinitionPlace) -> DefinitionPlace:
        """A module by its declaration: the file, where it has one of its own."""
        definition = self._view.definition(*at)
        if definition is None or definition.kind != MODULE or not definition.type.startswith("@"):
            return at
        shape = self._view.shape(at.path)
        number = int(definition.type[1:])
        led = self._led(at.path, shape.imports[number]) if shape and number < len(shape.imports) else None
        return led or at

    def named(self, module: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """What a name means in a module: what it defines, imports, or takes from others with a star."""
        key = (module, name)
        if key not in self._found:
            self._found[key] = ()  # a name that leads to itself leads nowhere
            self._found[key] = self._looked_up(module, name)
        return self._found[key]

    def _looked_up(self, module: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        shape = self._view.shape(module.path)
        if shape is None:
            return ()
        places = [(place, shape.definitions[place]) for place in shape.named(module.place, name)]
        own = [DefinitionPlace(module.path, place) for place, each in places if each.kind not in NOT_IN_MODULES]
        self._found[module, name] = own  # `mod a; pub use a::a;`
        found = dict.fromkeys(own)
        for _, each in places:
            if each.kind == facts.IMPORTED:
                found.update(dict.fromkeys(self.imported(module, shape.imports[int(each.type[1:])])))
        if not found:
            found.update(dict.fromkeys(self._by_star(shape, module, name)))
        return tuple(found)

    def _by_star(self, shape: FileShape, module: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        scope = "::".join(_names(shape, module.place))
        for each in shape.imports:
            if each.name != facts.EVERYTHING or each.scope != scope:
                continue
            for whole in self.path(module, each.text.split("::")):
                if whole != module and (found := self.inside(whole, name)):
                    return found
        return ()

    def inside(self, whole: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """What a name means in something that a path leads to: a module, or an enum with its variants."""
        definition = self._view.definition(*whole)
        if definition is None or definition.kind == MODULE:
            return self.named(self.opened(whole), name)
        shape = self._view.shape(whole.path)
        places = shape.named(whole.place, name) if shape else ()
        return [DefinitionPlace(whole.path, place) for place in places]

    def imported(self, module: DefinitionPlace, each: ImportedSymbol) -> Sequence[DefinitionPlace]:
        """What one name of a `use` means."""
        if each.keyword == "extern":
            crate = self.crate(module.path, each.name)
            return (crate,) if crate else ()
        return self.path(module, [*(part for part in each.text.split("::") if part), each.name])

    def path(self, module: DefinitionPlace, parts: Sequence[str]) -> Sequence[DefinitionPlace]:
        """What the path of a `use` means in a module."""
        here, rest = self._begun(module, parts)
        for part in rest:
            here = list(dict.fromkeys(found for whole in here for found in self.part(whole, part)))[:MOST_MODULES]
        return here

    def _begun(self, module: DefinitionPlace, parts: Sequence[str]) -> tuple[Sequence[DefinitionPlace], Sequence[str]]:
        if not parts:
            return (), ()
        first = parts[0]
        rest = parts[1:]
        if first == "crate":
            root = self.root(module.path)
            return (root,) if root else (), rest
        if first in ("self", "super"):
            return self._climbed(module, parts)
        found = self.named(module, first)
        if not found or (len(parts) > 1 and not any(self._is_whole(each) for each in found)):
            crate = self.crate(module.path, first)
            found = (crate,) if crate else found
        return found, rest

    def _is_whole(self, at: DefinitionPlace) -> bool:
        return at.place < 0 or at != self.opened(at) or bool(self._parts_of(at))

    def _parts_of(self, at: DefinitionPlace) -> bool:
        shape = self._view.shape(at.path)
        return shape is not None and any(each.parent == at.place for each in shape.definitions)

    def _climbed(
        self, module: DefinitionPlace, parts: Sequence[str]
    ) -> tuple[Sequence[DefinitionPlace], Sequence[str]]:
        here: DefinitionPlace | None = module
        rest = list(parts[1:] if parts[0] == "self" else parts)
        while rest and rest[0] == "super" and here is not None:
            here = self.above(here)
            rest.pop(0)
        return (here,) if here else (), rest

    def part(self, whole: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """What a name means in something that a path leads to; a crate has its macros too."""
        return self.inside(whole, name) or (self.macros(name, whole.path) if whole.place < 0 else ())

    def macros(self, name: str, path: str) -> Sequence[DefinitionPlace]:
        """The macros of a name: those of a file, or else of its crate, or else of other crates."""
        everywhere = self._view.everywhere(name, MOST_MACRO_FILES)
        found = [
            DefinitionPlace(shape.path, place)
            for shape, place in everywhere
            if shape.definitions[place].kind == facts.MACRO
        ]
        here = [each for each in found if each.path == path]
        root = self.root(path)
        return here or [each for each in found if root and self.root(each.path) == root] or found

    def _led(self, path: str, each: ImportedSymbol) -> DefinitionPlace | None:
        leads = self._view.leads(path, each)
        return DefinitionPlace(leads[0]) if leads else None


def _names(shape: FileShape, place: int) -> list[str]:
    return [shape.definitions[each].name for each in reversed(shape.chain(place))]


MOST_IMPL_FILES = 200
MOST_TRAITS = 40

Evaluate = Callable[[str, str, int, int], Sequence[ResolvedValue]]


class TypeMembers:
    """The members of types, wherever they are written."""

    def __init__(self, view: SymbolView, evaluate: Evaluate) -> None:
        self._view = view
        self._evaluate = evaluate
        self.added = AddedMembers(view)
        self._extensions: dict[DefinitionPlace, Sequence[DefinitionPlace]] = {}
        self._owners: dict[DefinitionPlace, Sequence[DefinitionPlace]] = {}
        self._traits: dict[DefinitionPlace, Sequence[DefinitionPlace]] = {}

    def named(self, at: DefinitionPlace, name: str) -> Sequence[DefinitionPlace]:
        """The members of a name: the type's own before those that its traits give it."""
        extensions = self.extensions(at)
        own = self._written_in((at, *(each for each in extensions if not self._has_trait(each))), name)
        given = own or self._written_in(filter(self._has_trait, extensions), name)
        return given or self._written_in(self.traits(at), name)

    def _written_in(self, places: Iterable[DefinitionPlace], name: str) -> list[DefinitionPlace]:
        return [found for each in places for found in self.written(each, name)]

    def trait_names(self, at: DefinitionPlace) -> frozenset[str]:
        """The names of the traits that a type has or a trait asks for, whosever they are."""
        places = (at, *self.extensions(at))
        names: set[str] = set()
        for place in places:
            definition = self._view.definition(*place)
            if definition:
                names.update(base.partition("<")[0].rpartition(".")[2] for base in definition.bases)
        return frozenset(names)

    def written(self, at: DefinitionPlace, name: str) -> list[DefinitionPlace]:
        """The members of a name that are written right in a type, a trait or an `impl`."""
        shape = self._view.shape(at.path)
        places = shape.named(at.place, name) if shape else ()
        return [
            DefinitionPlace(at.path, place) for place in places if shape and shape.definitions[place].kind not in INNER
        ]

    def extensions(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The `impl` blocks of a type."""
        if at not in self._extensions:
            self._extensions[at] = ()
            definition = self._view.definition(*at)
            if definition is not None:
                named = self._named(definition.name)
                self._extensions[at] = [each for each in named if at in self.owners(each)]
        return self._extensions[at]

    def _named(self, name: str) -> list[DefinitionPlace]:
        everywhere = self._view.everywhere(name, MOST_IMPL_FILES)
        return [
            DefinitionPlace(shape.path, place)
            for shape, place in everywhere
            if shape.definitions[place].kind == EXTENSION
        ]

    def owners(self, extension: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The types that an `impl` block belongs to."""
        if extension not in self._owners:
            self._owners[extension] = ()
            definition = self._view.definition(*extension)
            if definition is not None:
                told = definition.type[1:].partition("<")[0]
                values = self._evaluate(extension.path, told, definition.parent, definition.line)
                self._owners[extension] = [value.at for value in values if value.at is not None]
        return self._owners[extension]

    def traits(self, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
        """The traits of a type, or those that a trait asks for, the nearest first."""
        if at not in self._traits:
            self._traits[at] = ()
            found: dict[DefinitionPlace, None] = {}
            pending = [at, *self.extensions(at)]
            while pending and len(found) < MOST_TRAITS:
                for base in self.bases(pending.pop(0)):
                    if base not in found:
                        found[base] = None
                        pending.append(base)
            self._traits[at] = tuple(found)
        return self._traits[at]

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace]:
        """The traits that an `impl` block or a trait names."""
        definition = self._view.definition(*at)
        if definition is None:
            return []
        told = [each.partition("<")[0] for each in definition.bases]
        values = [value for each in told for value in self._evaluate(at.path, each, definition.parent, definition.line)]
        return [value.at for value in values if value.at is not None and value.at.place >= 0]

    def _has_trait(self, extension: DefinitionPlace) -> bool:
        definition = self._view.definition(*extension)
        return definition is not None and bool(definition.bases)


OWNERS = facts.TYPES | {EXTENSION}


class RustScopes:
    """The scopes of the project's files."""

    def __init__(self, view: SymbolView, modules: ModuleTree, members: TypeMembers) -> None:
        self._view = view
        self._modules = modules
        self._members = members

    def owner(self, path: str, within: int) -> Sequence[DefinitionPlace] | None:
        """The type whose `impl` or definition is around a place; None where there is none."""
        shape = self._view.shape(path)
        for place in shape.chain(within) if shape else ():
            kind = shape.definitions[place].kind if shape else ""
            if kind == EXTENSION:
                return self._members.owners(DefinitionPlace(path, place))
            if kind in facts.TYPES and kind != ALIAS:
                return [DefinitionPlace(path, place)]
        return None

    def named(self, path: str, name: str, within: int, line: int) -> Sequence[ResolvedValue]:
        """What a bare name means at a place."""
        shape = self._view.shape(path)
        if shape is None:
            return []
        for scope in shape.chain(within):
            if shape.definitions[scope].kind == MODULE:
                break
            found = self._in_scope(shape, scope, name, line)
            if found:
                return found
        module = self._modules.around(path, within)
        found_there = self._modules.named(module, name)
        if not found_there:
            crate = self._modules.crate(path, name)
            found_there = (crate,) if crate else ()
        return [ResolvedValue(at) for at in found_there]

    def _in_scope(self, shape: FileShape, scope: int, name: str, line: int) -> Sequence[ResolvedValue]:
        is_type = shape.definitions[scope].kind in OWNERS
        places = [p for p in shape.named(scope, name) if not is_type or shape.definitions[p].kind in INNER]
        seen = [p for p in places if covers(shape.definitions[p], line)]
        last = max(seen, key=lambda p: shape.definitions[p].visible[0], default=None)
        if last is None:
            return []
        definition = shape.definitions[last]
        if definition.kind == "import":
            module = self._modules.around(shape.path, scope)
            each = shape.imports[int(definition.type[1:])]
            return [ResolvedValue(at) for at in self._modules.imported(module, each)]
        return [ResolvedValue(DefinitionPlace(shape.path, last))]


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
    if value.name.startswith(INNER_METHOD):
        return _inner(value) if step == "()" else []
    if not value.arguments:
        return []
    if step.isdigit():
        return value.arguments[int(step)] if value.name == "tuple" and int(step) < len(value.arguments) else []
    return _elements(value) if step == "[]" else _method(value, step)


def _method(value: ResolvedValue, name: str) -> Sequence[ResolvedValue]:
    """A method of the library, by the name of what calling it gives."""
    if _gives_inner(value.name, name):
        return [value._replace(name=INNER_METHOD)]
    if name in OPTIONALS and value.name not in HOLDING_ONE:
        return [ResolvedValue(None, arguments=value.arguments[-1:], name=f"{SAME}Option")]
    if name in VALUES and value.name in MAPS:
        return [ResolvedValue(None, arguments=value.arguments[-1:], name=f"{SAME}Vec")]
    return [value._replace(name=SAME + value.name)] if name in SAMES else []


def _gives_inner(type_name: str, name: str) -> bool:
    return (type_name in GUARDS and name in GUARDED) or (type_name in HOLDING_ONE and name in INNERS)


def is_same(value: ResolvedValue, name: str) -> bool:
    """Whether a method that a type of the project does not have gives the object itself, as those of guards do."""
    return value.is_object and name in SAMES


def _inner(value: ResolvedValue) -> Sequence[ResolvedValue]:
    return value.arguments[0] if value.arguments else []


def _elements(value: ResolvedValue) -> Sequence[ResolvedValue]:
    if value.name in MAPS and len(value.arguments) > 1:
        return [ResolvedValue(None, is_object=True, arguments=value.arguments, name="tuple")]
    return value.arguments[0] if value.arguments else []


MACRO_MARK = "!"
PARTS = "{}"
NAMING_TYPES = facts.TYPES | INNER | {MODULE}
HOLDING_NOTHING = facts.TYPES | facts.CALLABLE | {MODULE}


class RustNames(EvaluatingResolver):
    """Answers for one question."""

    deepest = 20
    most_values = MOST_VALUES

    def __init__(self, view: SymbolView, overriding: Callable[[DefinitionPlace], Sequence[DefinitionPlace]]) -> None:
        super().__init__(view)
        self._overriding = overriding
        self.modules = ModuleTree(view)
        self.members = TypeMembers(view, self.evaluated)
        self.scopes = RustScopes(view, self.modules, self.members)

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use of a name means; nothing where that can't be told."""
        if each.receiver == MACRO_MARK:
            return [ResolvedValue(at) for at in self.modules.macros(each.name, path)]
        found = self._found(path, each)
        return [value for value in found if self._is_type(value)] if each.role in (facts.TYPE, facts.INHERIT) else found

    def _is_type(self, value: ResolvedValue) -> bool:
        definition = self._view.definition(*value.at) if value.at else None
        return definition is None or definition.kind in NAMING_TYPES

    def _found(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        if not each.receiver:
            return self.scopes.named(path, each.name, each.within, each.line)
        values = self.evaluated(path, each.receiver, each.within, each.line)
        is_called = each.role == facts.CALL
        found = deduplicate(one for value in values for one in self._member(value, each.name, is_called=is_called))
        return found or (self._added(path, each, values) if is_called else [])

    def kin(self, at: DefinitionPlace, group: Collection[DefinitionPlace]) -> Sequence[DefinitionPlace]:
        """Where types give what a trait asks for."""
        definition = self._view.definition(*at)
        above = self._view.definition(at.path, definition.parent) if definition else None
        if definition is None or above is None:
            return ()
        if definition.kind == ALIAS:
            return [each for each in group if each != at]
        return self._overriding(at) if above.kind == facts.INTERFACE else ()

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace | None] | None:
        """The traits that a type, a trait or an `impl` names."""
        return list(self.members.bases(at))

    def followed(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[ResolvedValue]:
        """What the steps of an expression lead to."""
        if not steps or steps[0] == facts.UNKNOWN:
            return []
        values, rest = self._first(path, steps, within, line)
        for number, step in enumerate(rest):
            is_called = rest[number + 1 : number + 2] == ("()",)
            place = (path, within, line)
            values = deduplicate(
                found for value in values for found in self._step(value, step, place, is_called=is_called)
            )
            if not values:
                return []
        return values

    def _first(
        self, path: str, steps: Sequence[str], within: int, line: int
    ) -> tuple[Sequence[ResolvedValue], Sequence[str]]:
        first = steps[0]
        if first in ("self", "Self"):
            owner = self.scopes.owner(path, within)
            if owner is not None:
                return [ResolvedValue(each, is_object=first == "self") for each in owner], steps[1:]
            first = "self"
        if first in ("self", "super", "crate"):
            count = next((n for n, step in enumerate(steps) if step not in ("self", "super", "crate")), len(steps))
            here = self.modules.path(self.modules.around(path, within), steps[:count])
            return [ResolvedValue(each) for each in here], steps[count:]
        found = self.scopes.named(path, first, within, line)
        return found or [ResolvedValue(None, name=first)], steps[1:]

    def _step(
        self, value: ResolvedValue, step: str, place: tuple[str, int, int], *, is_called: bool
    ) -> Sequence[ResolvedValue]:
        if step.startswith("<"):
            path, within, line = place
            given = tuple(tuple(self._objects(path, each, within, line)) for each in split_arguments(step))
            return [value._replace(arguments=given)]
        found: list[ResolvedValue] = []
        for each in self._resolved(value):
            if step == PARTS:
                found.append(each._replace(is_object=True))
            elif step == "()":
                found += self._called(each)
            elif step == "[]":
                found += find_held(each, step)
            else:
                found += self._member(each, step, is_called=is_called)
        return found

    def _objects(self, path: str, expression: str, within: int, line: int) -> Sequence[ResolvedValue]:
        values: Sequence[ResolvedValue] = (
            self.evaluated(path, expression, within, line) if expression != facts.UNKNOWN else ()
        )
        return deduplicate(each._replace(is_object=True) for value in values for each in self._resolved(value))

    def _resolved(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """A value; for something that holds one, what that is."""
        if value.at is None or value.is_object or value.at.place < 0:
            return [value]
        definition = self._view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind == ALIAS:
            return [self._given(each, value) for each in self._typed_as(value.at, definition)]
        if definition.kind in HOLDING_NOTHING or self._enum_of(value.at, definition) is not None:
            return [value]
        return self._typed_as(value.at, definition)

    def _given(self, meant: ResolvedValue, alias: ResolvedValue) -> ResolvedValue:
        """`Result<Foo>`, where that is the project's own name for a `Result` of others."""
        return meant._replace(arguments=alias.arguments) if alias.arguments and meant.at is None else meant

    def _enum_of(self, at: DefinitionPlace, definition: SymbolDefinition) -> DefinitionPlace | None:
        if definition.kind != facts.CONSTANT or definition.parent < 0:
            return None
        above = self._view.definition(at.path, definition.parent)
        return DefinitionPlace(at.path, definition.parent) if above is not None and above.kind == facts.ENUM else None

    def _typed_as(self, at: DefinitionPlace, definition: SymbolDefinition) -> Sequence[ResolvedValue]:
        """What the type of a definition says that it holds, or returns when it is called."""
        if at not in self._typed:
            self._typed[at] = ()  # a type that leads to itself leads nowhere
            sign = definition.type[:1]
            expression = definition.type[1:]
            if sign and sign != "@":
                values = self.evaluated(at.path, expression, definition.scope, definition.line)
                values = [each for value in values for each in self._resolved(value)]
                is_type = definition.kind == ALIAS
                self._typed[at] = [each._replace(is_object=not is_type, name=each.name) for each in values]
        return self._typed[at]

    def _called(self, value: ResolvedValue) -> Sequence[ResolvedValue]:
        """What calling a value gives."""
        if value.name == SAME:
            return [value._replace(name="")]
        if value.at is None:
            return find_held(value, "()")
        if value.is_object:
            return []
        definition = self._view.definition(*value.at)
        if definition is None:
            return []
        if definition.kind in facts.TYPES:
            return [value._replace(is_object=True)]
        enum = self._enum_of(value.at, definition)
        if enum is not None:
            return [ResolvedValue(enum, is_object=True)]
        if definition.type == ":Self" and value.owner is not None:
            return [ResolvedValue(value.owner, is_object=True)]
        return self._typed_as(value.at, definition) if definition.kind in facts.CALLABLE else []

    def _member(self, value: ResolvedValue, name: str, *, is_called: bool) -> Sequence[ResolvedValue]:
        """What a name means that is taken out of a value."""
        found: list[ResolvedValue] = []
        for each in self._resolved(value):
            if each.at is None:
                found += find_held(each, name)
            else:
                parts = self._part(each, each.at, name)
                parts = self._fitting(parts, is_called=is_called) if each.is_object else parts
                found += parts or ([each._replace(name=SAME)] if is_same(each, name) else [])
        return found

    def _added(self, path: str, each: SymbolReference, values: Sequence[ResolvedValue]) -> Sequence[ResolvedValue]:
        """What traits of the project add to types that have no such method: to types of others, and to all alike."""
        added = self.members.added
        module = self.modules.around(path, each.within)
        for value in (found for one in values for found in self._resolved(one)):
            if value.at is None and (given := added.to_foreign(value.name, each.name)):
                return [ResolvedValue(at) for at in given]
            names = frozenset((value.name,)) if value.at is None else self.members.trait_names(value.at)
            for at, trait in added.to_all(names, each.name):
                if trait in self.modules.named(module, added.name_of(trait)):
                    return [ResolvedValue(at)]
        return []

    def _fitting(self, values: Sequence[ResolvedValue], *, is_called: bool) -> Sequence[ResolvedValue]:
        """Methods where one is called, and fields where none is: they may have the same names."""
        kinds = [self._view.definition(*each.at) if each.at and not each.is_object else None for each in values]
        return [
            each
            for each, definition in zip(values, kinds, strict=True)
            if definition is None or (definition.kind == facts.METHOD) == is_called
        ]

    def _part(self, value: ResolvedValue, at: DefinitionPlace, name: str) -> Sequence[ResolvedValue]:
        definition = self._view.definition(*at)
        if definition is None or definition.kind == MODULE:
            return [ResolvedValue(each) for each in self.modules.part(at, name)]
        if name.isdigit():
            return self._numbered(at, definition, int(name))
        enum = self._enum_of(at, definition)
        if enum is not None:
            return [ResolvedValue(each) for each in self.members.written(at, name) or self.members.named(enum, name)]
        if definition.kind in (facts.CLASS, facts.ENUM, facts.INTERFACE):
            return [ResolvedValue(each, owner=at) for each in self.members.named(at, name)]
        return []

    def _numbered(self, at: DefinitionPlace, definition: SymbolDefinition, number: int) -> Sequence[ResolvedValue]:
        """A field without a name."""
        if not definition.type.startswith(":tuple<"):
            return []
        given = split_arguments(definition.type[len(":tuple") :])
        return self._objects(at.path, given[number], definition.scope, definition.line) if number < len(given) else []


def make_rust_resolver(resolver: SymbolResolver) -> RustNames:
    """Rust's own way of finding what names mean."""
    return RustNames(resolver.view, lambda at: _given(resolver, at))


def _given(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The members of the same name in what has a trait; also types, which have names in a trait."""
    definition = resolver.view.definition(*at)
    heirs = find_descendants(resolver, DefinitionPlace(at.path, definition.parent)) if definition else []
    return [found for each in heirs for found in resolver.own_members(each, definition.name if definition else "")]


def find_twins(resolver: SymbolResolver, at: DefinitionPlace) -> Sequence[DefinitionPlace]:
    """A type or a constant of a trait is the same where types that have the trait give it."""
    definition = resolver.view.definition(*at)
    if definition is None or definition.kind not in (ALIAS, facts.CONSTANT):
        return ()
    owner = DefinitionPlace(at.path, definition.parent)
    asked = [
        found for each in find_ancestors(resolver, owner) for found in resolver.own_members(each, definition.name)
    ] or [at]
    return [*asked, *(found for each in asked for found in _given(resolver, each))]


RULES = LanguageRules(own_way=make_rust_resolver, twins=find_twins)
