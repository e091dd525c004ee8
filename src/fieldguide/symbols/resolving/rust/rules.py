"""Rust's answers to what the resolver asks of a language."""

import posixpath
from collections.abc import Sequence

from fieldguide.symbols.facts import ALIAS, CONSTANT, EXTENSION
from fieldguide.symbols.resolving.families import above, below
from fieldguide.symbols.resolving.resolver import Resolver
from fieldguide.symbols.resolving.rules import Rules
from fieldguide.symbols.resolving.rust.added import AddedMembers
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
    """A type or a constant of a trait is the same where types that have the trait give it.

    Of a trait of others, that is what language servers tell of the package that it is given in.
    """
    definition = resolver.view.definition(*at)
    if definition is None or definition.kind not in (ALIAS, CONSTANT):
        return ()
    owner = At(at.path, definition.parent)
    asked = [found for each in above(resolver, owner) for found in resolver.own_members(each, definition.name)]
    if not asked and definition.kind == ALIAS:
        return _of_foreign_trait(resolver, owner, definition.name) or _given(resolver, at)
    return [*asked, *(found for each in asked or [at] for found in _given(resolver, each))]


def _of_foreign_trait(resolver: Resolver, owner: At, name: str) -> list[At]:
    definition = resolver.view.definition(*owner)
    if definition is None or definition.kind != EXTENSION:
        return []
    traits = [base.partition("<")[0].rpartition(".")[2] for base in definition.bases]
    package = _package(resolver, owner.path)
    found = [at for trait in traits for at in AddedMembers(resolver.view).types_of(trait, name)]
    return [at for at in found if at.path.startswith(package)]


def _package(resolver: Resolver, path: str) -> str:
    """The folder of the package that a file belongs to: two above the root of its crate, `package/src/lib.rs`."""
    names = resolver.own_way(path)
    root = names.modules.root(path) if isinstance(names, RustNames) else None
    folder = posixpath.dirname(posixpath.dirname(root.path)) if root else posixpath.dirname(path)
    return f"{folder}/" if folder else ""


RULES = Rules(own_way=own_way, twins=twins)
