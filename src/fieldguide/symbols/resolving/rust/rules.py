"""Rust's answers to what the resolver asks of a language."""

from collections.abc import Sequence

from fieldguide.symbols.facts import ALIAS, CONSTANT
from fieldguide.symbols.resolving.families import overridden, overriding
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.rust.names import RustNames
from fieldguide.symbols.resolving.values import At


def own_way(resolver: Resolver) -> RustNames:
    """Rust's own way of finding what names mean."""
    return RustNames(resolver.view, lambda at: overriding(resolver, at))


def twins(resolver: Resolver, at: At) -> Sequence[At]:
    """A type or a constant of a trait is the same where types that have the trait give it."""
    definition = resolver.view.definition(*at)
    if definition is None or definition.kind not in (ALIAS, CONSTANT):
        return ()
    asked = overridden(resolver, at) or [at]
    return [*asked, *(found for each in asked for found in overriding(resolver, each))]


RULES = Rules(own_way=own_way, twins=twins)
