"""Rust's types as expressions: what only points at or guards a value is left out, for a dot looks through it."""

from typing import Any

from fieldguide.symbols.reading.walk import Walk, kind_of

DEEPEST = 6
MOST_ARGUMENTS = 6
NAMES = frozenset(("type_identifier", "primitive_type", "identifier"))
SEEN_THROUGH = frozenset(
    ("Arc", "Box", "Pin", "Rc", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard")
)
"""Types of the standard library whose methods are rarely meant where a dot follows."""
INNER_FIELDS = {
    "abstract_type": "trait", "bracketed_type": "", "bounded_type": "", "dynamic_type": "trait", "pointer_type": "type",
    "qualified_type": "type", "reference_type": "type", "higher_ranked_trait_bound": "type",
}  # fmt: skip
SEQUENCES = frozenset(("array_type", "slice_type"))


def told_type(walk: Walk, node: Any, depth: int = 0) -> str:
    """A type as an expression; empty where it says nothing."""
    node = _pointed_at(node)
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind in NAMES:
        return str(node.text())
    if kind == "scoped_type_identifier":
        told = walk.expression(node)
        return "" if "?" in told else told
    if kind == "generic_type":
        return _generic(walk, node, depth)
    if kind == "tuple_type":
        return f"tuple<{_listed(walk, node.named_children(), depth)}>"
    if kind in SEQUENCES:
        inside = told_type(walk, node.field("element"), depth + 1)
        return f"Vec<{inside or '?'}>"
    return ""


def _pointed_at(node: Any) -> Any:
    """The type behind references, pointers and brackets."""
    for _ in range(4 * DEEPEST):
        kind = kind_of(node)
        if kind not in INNER_FIELDS:
            return node
        inner = INNER_FIELDS[kind]
        node = node.field(inner) if inner else next(iter(node.named_children()), None)
    return None


def _generic(walk: Walk, node: Any, depth: int) -> str:
    whole = told_type(walk, node.field("type"), depth + 1)
    arguments = node.field("type_arguments")
    given = [each for each in arguments.named_children() if each.kind() != "lifetime"] if arguments is not None else []
    if whole.rpartition(".")[2] in SEEN_THROUGH and given:
        return told_type(walk, given[0], depth + 1)
    if whole == "Cow" and given:
        return told_type(walk, given[-1], depth + 1)
    return f"{whole}<{_listed(walk, given, depth)}>" if given and whole else whole


def _listed(walk: Walk, nodes: Any, depth: int) -> str:
    return ",".join(told_type(walk, each, depth + 1) or "?" for each in nodes[:MOST_ARGUMENTS])
