"""Who inherits from whom, and which members override which."""

from fieldguide.symbols.facts import EXTENSION, FIELD, INHERIT, TYPES, Definition
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.values import At

MOST_CLASSES = 100
OWNERS = TYPES | {EXTENSION}
MOST_FILES = 200


def same_as(resolver: Resolver, at: At) -> list[At]:
    """The definitions that are one with a definition: overloads, setters, and where a field is given values.

    A field that a class only gives a value is the one that a class above it declares, and so are those of its other
    heirs.
    """
    view = resolver.view
    shape, definition = view.shape(at.path), view.definition(*at)
    if shape is None or definition is None:
        return [at]
    own_way, twins = resolver.own_way(at.path), resolver.rules(at.path).twins
    if own_way is not None and (group := own_way.group(at)) is not None:
        return list(group)
    own = [At(at.path, place) for place in shape.named(definition.parent, definition.name)]
    own += twins(resolver, at) if twins else ()
    if not _is_given(definition) or not resolver.rules(at.path).gives_fields:
        return own
    owner = At(at.path, definition.parent)
    found = [value.at for value in resolver.classes.inherited(owner, definition.name) if value.at is not None]
    if not found or found[0] in own:
        return own
    heirs = overriding(resolver, found[0])
    given = [each for each in heirs if (other := view.definition(*each)) is not None and _is_given(other)]
    return list(dict.fromkeys((*own, *found, *given)))


def _is_given(definition: Definition) -> bool:
    """Whether a field is one because a method gives it a value."""
    is_declared = definition.type.startswith(":")
    return definition.kind == FIELD and not is_declared and definition.scope != definition.parent


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
        each = pending.pop(0)
        unnamed = resolver.rules(each.path).implemented
        for base in (*resolver.bases(each), *(unnamed(resolver, each) if unnamed else ())):
            if base is not None and base != at and base not in found:
                found[base] = None
                pending.append(base)
    return list(found)


def below(resolver: Resolver, at: At) -> list[At]:
    """The classes that inherit from a class, the nearest first."""
    found: dict[At, None] = {}
    pending = [at]
    while pending and len(found) < MOST_CLASSES:
        one = pending.pop(0)
        unnamed = resolver.rules(one.path).implementing
        for each in (*_heirs(resolver, one), *(unnamed(resolver, one) if unnamed else ())):
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
            is_likely = each.kind in OWNERS and any(definition.name in base for base in each.bases)
            if is_likely and at in resolver.bases(At(file.path, place)):
                found.append(At(file.path, place))
    return found
