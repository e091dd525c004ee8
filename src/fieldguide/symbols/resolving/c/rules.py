"""C's and C++'s answers to what the resolver asks of a language."""

from collections.abc import Sequence

from fieldguide.symbols.facts import METHOD
from fieldguide.symbols.resolving.c.names import CNames
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.values import At


def own_way(resolver: Resolver) -> CNames:
    """C's own way of finding what names mean."""
    return CNames(resolver.view)


def twins(resolver: Resolver, at: At) -> Sequence[At]:
    """The declarations and the definition of one thing."""
    names = resolver.own_way(at.path)
    definition = resolver.view.definition(*at)
    if not isinstance(names, CNames) or definition is None:
        return ()
    if definition.kind == METHOD:
        owners = names.owners(at.path, at.place)
        return [found for owner in owners for found in names.members(owner, definition.name)]
    return names.linkage.twins(at)


RULES = Rules(own_way=own_way, twins=twins)
TABLES = {"c": RULES, "cpp": RULES}
