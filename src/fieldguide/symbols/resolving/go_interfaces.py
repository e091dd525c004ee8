"""Go: which types implement which interfaces. Nobody writes it down: a type that has the methods does."""

import posixpath
from collections.abc import Iterator, Sequence

from fieldguide.symbols.facts import EXTENSION, INTERFACE, METHOD, TYPES, Definition
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.values import At
from fieldguide.symbols.resolving.view import Shape

MOST_FILES = 200
MOST_METHODS = 40
MOST_FOUND = 60


def implementing(resolver: Resolver, at: At) -> Sequence[At]:
    """The types that have all methods of an interface."""
    wanted = _asked(resolver, at)
    if not wanted:
        return []
    rarest = min(wanted, key=lambda name: len(resolver.view.defining(name, MOST_FILES)))
    found: dict[At, None] = {}
    for owner, each in _methods(resolver, rarest):
        definition = resolver.view.definition(*owner)
        is_type = definition is not None and definition.kind in TYPES - {INTERFACE}
        if is_type and owner not in found and _takes_as(each, wanted[rarest]) and _has_all(resolver, owner, wanted):
            found[owner] = None
        if len(found) >= MOST_FOUND:
            break
    return list(found)


def implemented(resolver: Resolver, at: At) -> Sequence[At]:
    """The interfaces whose methods a type all has; the type may be told by a file that has only methods of it."""
    shape = resolver.view.shape(at.path)
    at = (_owner(resolver, shape, at.place) if shape and at.place >= 0 else None) or at
    definition = resolver.view.definition(*at)
    if definition is None or definition.kind == INTERFACE or definition.kind not in TYPES:
        return []
    found: dict[At, None] = {}
    for name in _own_names(resolver, at):
        for owner, _ in _methods(resolver, name):
            above = resolver.view.definition(*owner)
            if above is not None and above.kind == INTERFACE and owner not in found:
                wanted = _asked(resolver, owner)
                if wanted and _has_all(resolver, at, wanted):
                    found[owner] = None
    return list(found)[:MOST_FOUND]


def _asked(resolver: Resolver, at: At) -> dict[str, Definition]:
    """The methods that an interface asks for, with those of the interfaces in it; none where one is of others."""
    definition = resolver.view.definition(*at)
    if definition is None or definition.kind != INTERFACE:
        return {}
    found: dict[str, Definition] = {}
    pending, seen = [at], {at}
    while pending and len(seen) < MOST_METHODS:
        each = pending.pop()
        shape = resolver.view.shape(each.path)
        for one in shape.definitions if shape else ():
            if one.parent == each.place and one.kind == METHOD:
                found.setdefault(one.name, one)
        for base in resolver.bases(each):
            if base is None:
                return {}
            if base not in seen:
                seen.add(base)
                pending.append(base)
    return found


def _has_all(resolver: Resolver, at: At, wanted: dict[str, Definition]) -> bool:
    for name, asked in list(wanted.items())[:MOST_METHODS]:
        found = [value.at for value in resolver.classes.inherited(at, name) if value.at is not None]
        own = resolver.view.definition(*found[0]) if found else None
        if own is None or own.kind != METHOD or not _takes_as(own, asked):
            return False
    return True


def _takes_as(one: Definition, other: Definition) -> bool:
    """Whether two methods take as many parameters, and say the same of what they return."""
    return _parameters(one) == _parameters(other) and _last(one.type) == _last(other.type)


def _parameters(definition: Definition) -> int:
    """How many types a method's parameters have; -1 where its signature is cut off."""
    start = definition.signature.find(f"{definition.name}(") + len(definition.name)
    depth, count, has_any = 0, 0, False
    for character in definition.signature[start:]:
        depth += (character in "([{") - (character in ")]}")
        count += character == "," and depth == 1
        has_any = has_any or (depth >= 1 and character not in "( ")
        if not depth:
            return count + has_any
    return -1


def _last(told: str) -> str:
    return told[1:].rpartition(".")[2]


def _own_names(resolver: Resolver, at: At) -> list[str]:
    """The names of the methods that a type has in its package."""
    definition, own = resolver.view.definition(*at), resolver.view.shape(at.path)
    if definition is None or own is None:
        return []
    names = {each.name: None for each in own.definitions if each.parent == at.place and each.kind == METHOD}
    folder = posixpath.dirname(at.path)
    for file in resolver.view.defining(definition.name, MOST_FILES):
        shape = resolver.view.shape(file.path) if posixpath.dirname(file.path) == folder else None
        for place, each in enumerate(shape.definitions if shape else ()):
            if each.kind == EXTENSION and each.name == definition.name and shape:
                names.update((one.name, None) for one in shape.definitions if one.parent == place)
    return list(names)[:MOST_METHODS]


def _methods(resolver: Resolver, name: str) -> Iterator[tuple[At, Definition]]:
    """The types that have a method of a name, with the method."""
    for file in resolver.view.defining(name, MOST_FILES):
        shape = resolver.view.shape(file.path)
        for each in shape.definitions if shape else ():
            if each.name == name and each.kind == METHOD and each.parent >= 0 and shape:
                owner = _owner(resolver, shape, each.parent)
                if owner is not None:
                    yield owner, each


def _owner(resolver: Resolver, shape: Shape, place: int) -> At | None:
    owner = shape.definitions[place]
    if owner.kind != EXTENSION:
        return At(shape.path, place)
    found = resolver.named(shape.path, owner.name, -1)
    return next((value.at for value in found if value.at is not None), None)
