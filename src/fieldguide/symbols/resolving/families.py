"""Who inherits from whom, and which members override which."""

from fieldguide.symbols.facts import INHERIT, TYPES
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.values import At

MOST_CLASSES = 100
MOST_FILES = 200


def overridden(resolver: Resolver, at: At) -> list[At]:
    """The members of the same name in the classes above; of a class, those classes."""
    definition = resolver.view.definition(*at)
    if definition is None:
        return []
    if definition.kind in TYPES:
        return above(resolver, at)
    owner = At(at.path, definition.parent)
    return [found for each in above(resolver, owner) for found in resolver.own_members(each, definition.name)]


def overriding(resolver: Resolver, at: At) -> list[At]:
    """The members of the same name in the classes below; of a class, those classes."""
    definition = resolver.view.definition(*at)
    if definition is None:
        return []
    if definition.kind in TYPES:
        return below(resolver, at)
    owner = At(at.path, definition.parent)
    return [found for each in below(resolver, owner) for found in resolver.own_members(each, definition.name)]


def above(resolver: Resolver, at: At) -> list[At]:
    """The classes that a class inherits from, the nearest first."""
    found: dict[At, None] = {}
    pending = [at]
    while pending and len(found) < MOST_CLASSES:
        for base in resolver.bases(pending.pop(0)):
            if base is not None and base != at and base not in found:
                found[base] = None
                pending.append(base)
    return list(found)


def below(resolver: Resolver, at: At) -> list[At]:
    """The classes that inherit from a class, the nearest first."""
    found: dict[At, None] = {}
    pending = [at]
    while pending and len(found) < MOST_CLASSES:
        for each in _heirs(resolver, pending.pop(0)):
            if each != at and each not in found:
                found[each] = None
                pending.append(each)
    return list(found)


def _heirs(resolver: Resolver, at: At) -> list[At]:
    view = resolver.view
    definition = view.definition(*at)
    if definition is None or definition.kind not in TYPES:
        return []
    found: list[At] = []
    for file in view.using(definition.name, MOST_FILES):
        if not any(each.role == INHERIT for each in view.uses(file.path, definition.name)):
            continue
        shape = view.shape(file.path)
        for place, each in enumerate(shape.definitions if shape else ()):
            is_likely = each.kind in TYPES and any(definition.name in base for base in each.bases)
            if is_likely and at in resolver.bases(At(file.path, place)):
                found.append(At(file.path, place))
    return found
