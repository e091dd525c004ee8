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
CONCRETE = TYPES - {INTERFACE}


def implementing(resolver: Resolver, at: At) -> Sequence[At]:
    """The types that have all methods of an interface."""
    wanted = _asked(resolver, at)
    if not wanted:
        return []
    rarest = min(wanted, key=lambda name: len(resolver.view.defining(name, MOST_FILES)))
    found: dict[At, None] = {}
    for owner, each in _methods(resolver, rarest):
        is_new = owner not in found and _is_concrete(resolver, owner)
        if is_new and _takes_as(each, wanted[rarest]) and _has_all(resolver, owner, wanted):
            found[owner] = None
        if len(found) >= MOST_FOUND:
            break
    return list(found)


def implemented(resolver: Resolver, at: At) -> Sequence[At]:
    """The interfaces whose methods a type all has; the type may be told by a file that has only methods of it."""
    shape = resolver.view.shape(at.path)
    at = (_owner(resolver, shape, at.place) if shape and at.place >= 0 else None) or at
    if not _is_concrete(resolver, at):
        return []
    owners = dict.fromkeys(owner for name in _own_names(resolver, at) for owner, _ in _methods(resolver, name))
    return [owner for owner in owners if _is_met(resolver, at, _asked(resolver, owner))][:MOST_FOUND]


def _is_met(resolver: Resolver, at: At, wanted: dict[str, Definition]) -> bool:
    return bool(wanted) and _has_all(resolver, at, wanted)


def _is_concrete(resolver: Resolver, at: At) -> bool:
    definition = resolver.view.definition(*at)
    return definition is not None and definition.kind in CONCRETE


def _asked(resolver: Resolver, at: At) -> dict[str, Definition]:
    """The methods that an interface asks for, with those of the interfaces in it; none where one is of others."""
    definition = resolver.view.definition(*at)
    if definition is None or definition.kind != INTERFACE:
        return {}
    found: dict[str, Definition] = {}
    pending, seen = [at], {at}
    while pending and len(seen) < MOST_METHODS:
        each = pending.pop()
        for one in _written(resolver, each):
            found.setdefault(one.name, one)
        bases = resolver.bases(each)
        if None in bases:
            return {}
        fresh = [base for base in bases if base is not None and base not in seen]
        seen.update(fresh)
        pending += fresh
    return found


def _written(resolver: Resolver, at: At) -> list[Definition]:
    """The methods that are written right in a type."""
    shape = resolver.view.shape(at.path)
    return [each for each in shape.definitions if each.parent == at.place and each.kind == METHOD] if shape else []


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
    definition = resolver.view.definition(*at)
    if definition is None:
        return []
    names = {each.name: None for each in _written(resolver, at)}
    folder = posixpath.dirname(at.path)
    for file in resolver.view.defining(definition.name, MOST_FILES):
        shape = resolver.view.shape(file.path) if posixpath.dirname(file.path) == folder else None
        names.update(dict.fromkeys(_added(shape, definition.name) if shape else ()))
    return list(names)[:MOST_METHODS]


def _added(shape: Shape, name: str) -> Iterator[str]:
    """The names of what a file gives to a type of its package."""
    for place in shape.places(name):
        if shape.definitions[place].kind == EXTENSION:
            yield from (each for each, _, parent in shape.definitions.heads() if parent == place)


def _methods(resolver: Resolver, name: str) -> Iterator[tuple[At, Definition]]:
    """The types that have a method of a name, with the method."""
    for shape, place in resolver.view.everywhere(name, MOST_FILES):
        each = shape.definitions[place]
        owner = _owner(resolver, shape, each.parent) if each.kind == METHOD and each.parent >= 0 else None
        if owner is not None:
            yield owner, each


def _owner(resolver: Resolver, shape: Shape, place: int) -> At | None:
    owner = shape.definitions[place]
    if owner.kind != EXTENSION:
        return At(shape.path, place)
    found = resolver.named(shape.path, owner.name, -1)
    return next((value.at for value in found if value.at is not None), None)
