"""Rust's answers to what the resolver asks of a language."""

from collections.abc import Sequence

from fieldguide.symbols.facts import ALIAS, CONSTANT
from fieldguide.symbols.resolving.families import above, below
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.rust.names import RustNames
from fieldguide.symbols.resolving.values import At


def own_way(resolver: Resolver) -> RustNames:
    """Rust's own way of finding what names mean."""
    return RustNames(resolver.view, lambda at: _given(resolver, at))


def _given(resolver: Resolver, at: At) -> list[At]:
    """The members of the same name in what has a trait; also types, which have names in a trait."""
    definition = resolver.view.definition(*at)
    heirs = below(resolver, At(at.path, definition.parent)) if definition else []
    return [found for each in heirs for found in resolver.own_members(each, definition.name if definition else "")]


def twins(resolver: Resolver, at: At) -> Sequence[At]:
    """A type or a constant of a trait is the same where types that have the trait give it."""
    definition = resolver.view.definition(*at)
    if definition is None or definition.kind not in (ALIAS, CONSTANT):
        return ()
    owner = At(at.path, definition.parent)
    asked = [found for each in above(resolver, owner) for found in resolver.own_members(each, definition.name)] or [at]
    return [*asked, *(found for each in asked for found in _given(resolver, each))]


RULES = Rules(own_way=own_way, twins=twins)
