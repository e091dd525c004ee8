"""Finds ancestors, descendants and overridden members of classes."""

from collections.abc import Callable, Iterable

from fieldguide.code.symbols.facts import EXTENSION, FIELD, INHERIT, TYPES, SymbolDefinition
from fieldguide.code.symbols.resolvers.resolver import SymbolResolver
from fieldguide.code.symbols.resolvers.rules import DefinitionPlace

MOST_CLASSES = 100
OWNERS = TYPES | {EXTENSION}
MOST_FILES = 200


def find_same(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The definitions that are one with a definition: overloads, setters, and where a field is given values.

    A field that a class only gives a value is the one that a class above it declares, and so are those of its other
    heirs.
    """
    view = resolver.view
    shape = view.shape(at.path)
    definition = view.definition(*at)
    if shape is None or definition is None:
        return [at]
    own_way = resolver.own_way(at.path)
    rules = resolver.rules(at.path)
    group = own_way.group(at) if own_way else None
    if group is not None:
        return list(group)
    own = [DefinitionPlace(at.path, place) for place in shape.named(definition.parent, definition.name)]
    own += own_way.twins(at) if own_way else ()
    if not rules.gives_fields or not _is_given(definition):
        return own
    inherited = resolver.inherited(DefinitionPlace(at.path, definition.parent), definition.name)
    declared = [value.at for value in inherited if value.at is not None]
    if not declared or declared[0] in own:
        return own
    heirs = find_overriding(resolver, declared[0])
    given = [each for each in heirs if _is_given(view.definition(*each))]
    return list(dict.fromkeys((*own, *declared, *given)))


def _is_given(definition: SymbolDefinition | None) -> bool:
    """Whether a field is one because a method gives it a value."""
    if definition is None or definition.kind != FIELD:
        return False
    return not definition.type.startswith(":") and definition.scope != definition.parent


def find_overridden(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The members of the same name in the classes above; of a class, those classes."""
    return _alike(resolver, at, find_ancestors)


def find_overriding(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The members of the same name in the classes below; of a class, those classes."""
    return _alike(resolver, at, find_descendants)


def _alike(
    resolver: SymbolResolver,
    at: DefinitionPlace,
    family: Callable[[SymbolResolver, DefinitionPlace], list[DefinitionPlace]],
) -> list[DefinitionPlace]:
    definition = resolver.view.definition(*at)
    if definition is None:
        return []
    if definition.kind in TYPES:
        return family(resolver, at)
    owner = DefinitionPlace(at.path, definition.parent)
    return [found for each in family(resolver, owner) for found in resolver.own_members(each, definition.name)]


def find_ancestors(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The classes that a class inherits from, the nearest first."""

    def bases(each: DefinitionPlace) -> list[DefinitionPlace]:
        unnamed = resolver.rules(each.path).implemented
        named = [base for base in resolver.bases(each) if base is not None]
        return [*named, *(unnamed(resolver, each) if unnamed else ())]

    return _reached(at, bases)


def find_descendants(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    """The classes that inherit from a class, the nearest first."""

    def heirs(each: DefinitionPlace) -> list[DefinitionPlace]:
        unnamed = resolver.rules(each.path).implementing
        return [*_heirs(resolver, each), *(unnamed(resolver, each) if unnamed else ())]

    return _reached(at, heirs)


def _reached(
    at: DefinitionPlace, beyond: Callable[[DefinitionPlace], Iterable[DefinitionPlace]]
) -> list[DefinitionPlace]:
    """The classes that a class leads to; once there are many, no more are asked for theirs."""
    found: dict[DefinitionPlace, None] = {}
    pending = [at]
    while pending and len(found) < MOST_CLASSES:
        for each in beyond(pending.pop(0)):
            if each != at and each not in found:
                found[each] = None
                pending.append(each)
    return list(found)


def _heirs(resolver: SymbolResolver, at: DefinitionPlace) -> list[DefinitionPlace]:
    view = resolver.view
    definition = view.definition(*at)
    if definition is None or definition.kind not in TYPES:
        return []
    found: list[DefinitionPlace] = []
    for file in view.using(definition.name, MOST_FILES):
        if any(each.role == INHERIT for each in view.uses(file.path, definition.name)):
            shape = view.shape(file.path)
            for place, each in enumerate(shape.definitions if shape else ()):
                is_likely = each.kind in OWNERS and any(definition.name in base for base in each.bases)
                if is_likely and at in resolver.bases(heir := DefinitionPlace(file.path, place)):
                    found.append(heir)
    return found
