"""The parts of Kotlin's nodes, which have kinds and an order but no names; and its types as expressions."""

from typing import Any

from fieldguide.symbols.facts import UNKNOWN

DEEPEST = 8
MOST_ARGUMENTS = 4
INNER_TYPES = frozenset(("nullable_type", "parenthesized_type", "type_projection", "receiver_type"))
TYPES = INNER_TYPES | {"user_type", "function_type", "not_nullable_type"}


def part(node: Any, *kinds: str) -> Any:
    """The first child of some kinds."""
    if node is None:
        return None
    return next((each for each in node.named_children() if each.kind() in kinds), None)


def parts(node: Any, *kinds: str) -> list[Any]:
    """The children of some kinds."""
    return [] if node is None else [each for each in node.named_children() if each.kind() in kinds]


def first(node: Any) -> Any:
    """The first child."""
    return None if node is None else next(iter(node.named_children()), None)


def type_of(node: Any) -> Any:
    """The type that a declaration says."""
    return part(node, *TYPES)


def value_of(node: Any) -> Any:
    """The value after `=` of a declaration."""
    is_after = False
    for each in node.children():
        if is_after and each.is_named() and "comment" not in each.kind():
            return each
        is_after = is_after or each.text() == "="
    return None


def told_type(node: Any, depth: int = 0) -> str:
    """A type as an expression; nothing where it says nothing."""
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind in INNER_TYPES:
        return told_type(type_of(node), depth + 1)
    if kind != "user_type":
        return ""
    name = ".".join(str(each.text()) for each in parts(node, "type_identifier"))
    given = parts(part(node, "type_arguments"), "type_projection")[:MOST_ARGUMENTS]
    inner = [told_type(each, depth + 1) or UNKNOWN for each in given]
    return f"{name}<{','.join(inner)}>" if name and inner else name


def unfold_navigation(node: Any) -> tuple[Any, str]:
    """`a.b`."""
    name = part(part(node, "navigation_suffix"), "simple_identifier")
    return first(node), f".{name.text()}" if name is not None else f".{UNKNOWN}"


def unfold_call(node: Any) -> tuple[Any, str]:
    """`a(b)`."""
    return first(node), "()"


def unfold_index(node: Any) -> tuple[Any, str]:
    """`a[b]`."""
    return first(node), "[]"


def unfold_cast(node: Any) -> tuple[Any, str]:
    """`a as B`."""
    return part(type_of(node), "type_identifier"), "()"
