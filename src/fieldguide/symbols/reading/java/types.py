"""Java's types and values as expressions. An array is written `int<T>`: no class can be called so."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import TYPE, UNKNOWN

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

DEEPEST = 8
MOST_ARGUMENTS = 4
LONGEST_NAME = 120
ARRAY = "int"
ANY_TYPE = "var"
PLAIN = frozenset(("type_identifier", "identifier", "scoped_type_identifier", "scoped_identifier"))
NAMED = PLAIN | {"generic_type"}


def told_type(node: Any, depth: int = 0) -> str:
    """A type as an expression; nothing where it says nothing."""
    if node is None or depth > DEEPEST:
        return ""
    tell = TELLING.get(str(node.kind()))
    return "" if tell is None else tell(node, depth + 1)


def _plain(node: Any, depth: int) -> str:
    text = str(node.text())
    return "" if text == ANY_TYPE or "@" in text or len(text) > LONGEST_NAME else "".join(text.split())


def _generic(node: Any, depth: int) -> str:
    whole, *rest = node.named_children()
    given = [each for part in rest for each in part.named_children()][:MOST_ARGUMENTS]
    name, inner = told_type(whole, depth), [told_type(each, depth) or UNKNOWN for each in given]
    return f"{name}<{','.join(inner)}>" if name and inner else name


def _array(node: Any, depth: int) -> str:
    return f"{ARRAY}<{told_type(node.field('element') or _first(node), depth) or UNKNOWN}>"


def _first_inside(node: Any, depth: int) -> str:
    """`? extends T`, `@Nullable T`, `A | B`: the first type that stands in it."""
    return told_type(next((each for each in node.named_children() if each.kind() in NAMED), None), depth)


TELLING: dict[str, Callable[[Any, int], str]] = {
    **dict.fromkeys(PLAIN, _plain),
    "generic_type": _generic,
    "array_type": _array,
    **dict.fromkeys(("wildcard", "annotated_type", "type_bound", "catch_type"), _first_inside),
}
"""How each kind of type is told: by its node, and the depth of what stands in it."""


def told_value(walk: "Walk", node: Any) -> str:
    """A value as what a definition's type says; nothing where it is not plain."""
    for _ in range(DEEPEST):
        if node is None:
            return ""
        kind = str(node.kind())
        if kind in ("object_creation_expression", "cast_expression"):
            told = told_type(node.field("type"))
            return f":{told}" if told else ""
        if kind == "array_creation_expression":
            return f":{ARRAY}<{told_type(node.field('type')) or UNKNOWN}>"
        if kind != "parenthesized_expression":
            break
        node = _first(node)
    told = walk.expression(node)
    return "" if UNKNOWN in told else f"={told}"


def visit_scoped_type(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a.b.Outer.Inner` where a type is asked for: each part may be a class."""
    parts: list[Any] = []
    pending = [node]
    while pending:
        each = pending.pop()
        if each.kind() == "type_identifier":
            parts.append(each)
        elif each.kind() in ("scoped_type_identifier", "generic_type"):
            pending += reversed(each.named_children())
        else:
            walk.go(each, within, TYPE)
    before = ""
    for number, each in enumerate(parts):
        walk.refer(each, within, role if number == len(parts) - 1 else TYPE, before)
        before = f"{before}.{each.text()}" if before else str(each.text())


def _first(node: Any) -> Any:
    return next(iter(node.named_children()), None)


def unfold_scoped(node: Any) -> tuple[Any, str]:
    """`a.b` where a type is asked for."""
    first, *rest = node.named_children()
    return first, f".{rest[-1].text()}" if rest else ""
