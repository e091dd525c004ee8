"""Rust's answers to what the resolver asks of a language."""

from collections.abc import Sequence

from fieldguide.symbols.facts import INTERFACE
from fieldguide.symbols.resolving.families import overriding
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.rust.names import RustNames
from fieldguide.symbols.resolving.values import At


def own_way(resolver: Resolver) -> RustNames:
    """Rust's own way of finding what names mean."""
    return RustNames(resolver.view)


def twins(resolver: Resolver, at: At) -> Sequence[At]:
    """What a trait's member is in the types that have the trait."""
    definition = resolver.view.definition(*at)
    above = resolver.view.definition(at.path, definition.parent) if definition else None
    return overriding(resolver, at) if above is not None and above.kind == INTERFACE else ()


RULES = Rules(own_way=own_way, twins=twins)
