"""Resolves names and expressions of Rust, including what the standard library's containers hold.

A value of others is told by its name and the types that it was given; nothing else of the library is known.
"""

from collections.abc import Callable, Collection, Sequence

from fieldguide.code.symbols.facts import (
    ALIAS,
    CALL,
    CALLABLE,
    CLASS,
    CONSTANT,
    ENUM,
    INHERIT,
    INNER,
    INTERFACE,
    METHOD,
    MODULE,
    TYPE,
    TYPES,
    UNKNOWN,
    SymbolDefinition,
    SymbolReference,
)
from fieldguide.code.symbols.resolvers.inheritance import find_ancestors, find_descendants
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import (
    DefinitionPlace,
    LanguageResolver,
    LanguageRules,
    ResolvedValue,
    deduplicate,
    split_alternatives,
    split_arguments,
    split_expression_steps,
)
from fieldguide.code.symbols.resolvers.rust_modules import ModuleTree, RustScopes, TypeMembers
from fieldguide.code.symbols.resolvers.view import SymbolView

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


DEEPEST = 20
MOST_STEPS = 400_000
MACRO_MARK = "!"
PARTS = "{}"
NAMING_TYPES = TYPES | INNER | {MODULE}
HOLDING_NOTHING = TYPES | CALLABLE | {MODULE}


class RustNames(LanguageResolver):
    """Answers for one question; what it found out is kept that long."""

    def __init__(self, view: SymbolView, overriding: Callable[[DefinitionPlace], Sequence[DefinitionPlace]]) -> None:
        self._view = view
        self._overriding = overriding
        self.modules = ModuleTree(view)
        self.members = TypeMembers(view, self.evaluated)
        self.scopes = RustScopes(view, self.modules, self.members)
        self._typed: dict[DefinitionPlace, Sequence[ResolvedValue]] = {}
        self._depth = 0
        self._steps = 0

    def meant(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        """What a use of a name means; nothing where that can't be told."""
        if each.receiver == MACRO_MARK:
            return [ResolvedValue(at) for at in self.modules.macros(each.name, path)]
        found = self._found(path, each)
        return [value for value in found if self._is_type(value)] if each.role in (TYPE, INHERIT) else found

    def _is_type(self, value: ResolvedValue) -> bool:
        definition = self._view.definition(*value.at) if value.at else None
        return definition is None or definition.kind in NAMING_TYPES

    def _found(self, path: str, each: SymbolReference) -> Sequence[ResolvedValue]:
        if not each.receiver:
            return self.scopes.named(path, each.name, each.within, each.line)
        values = self.evaluated(path, each.receiver, each.within, each.line)
        is_called = each.role == CALL
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
        return self._overriding(at) if above.kind == INTERFACE else ()

    def bases(self, at: DefinitionPlace) -> list[DefinitionPlace | None] | None:
        """The traits that a type, a trait or an `impl` names."""
        return list(self.members.bases(at))

    def evaluated(self, path: str, expression: str, within: int, line: int = 0) -> Sequence[ResolvedValue]:
        """What an expression stands for at a place."""
        self._steps += 1
        if self._depth >= DEEPEST or self._steps > MOST_STEPS:
            return []
        self._depth += 1
        try:
            parts = split_alternatives(expression)
            return deduplicate(
                found for each in parts for found in self._path(path, split_expression_steps(each), within, line)
            )
        finally:
            self._depth -= 1

    def _path(self, path: str, steps: Sequence[str], within: int, line: int) -> Sequence[ResolvedValue]:
        if not steps or steps[0] == UNKNOWN:
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
            self.evaluated(path, expression, within, line) if expression != UNKNOWN else ()
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
        if definition.kind != CONSTANT or definition.parent < 0:
            return None
        above = self._view.definition(at.path, definition.parent)
        return DefinitionPlace(at.path, definition.parent) if above is not None and above.kind == ENUM else None

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
        if definition.kind in TYPES:
            return [value._replace(is_object=True)]
        enum = self._enum_of(value.at, definition)
        if enum is not None:
            return [ResolvedValue(enum, is_object=True)]
        if definition.type == ":Self" and value.owner is not None:
            return [ResolvedValue(value.owner, is_object=True)]
        return self._typed_as(value.at, definition) if definition.kind in CALLABLE else []

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
            if definition is None or (definition.kind == METHOD) == is_called
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
        if definition.kind in (CLASS, ENUM, INTERFACE):
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
    if definition is None or definition.kind not in (ALIAS, CONSTANT):
        return ()
    owner = DefinitionPlace(at.path, definition.parent)
    asked = [
        found for each in find_ancestors(resolver, owner) for found in resolver.own_members(each, definition.name)
    ] or [at]
    return [*asked, *(found for each in asked for found in _given(resolver, each))]


RULES = LanguageRules(own_way=make_rust_resolver, twins=find_twins)
