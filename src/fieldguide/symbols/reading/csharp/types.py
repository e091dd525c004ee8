"""C#'s types and values as expressions. An array is written `int<T>`: no class can be called so."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import TYPE, UNKNOWN

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

DEEPEST = 8
MOST_ARGUMENTS = 4
MOST_PARTS = 12
ARRAY = "int"
PLAIN = frozenset(("identifier", "qualified_name", "alias_qualified_name"))
INNER = frozenset(("nullable_type", "ref_type", "scoped_type", "pointer_type"))


def told_type(node: Any, depth: int = 0) -> str:
    """A type as an expression; nothing where it says nothing."""
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind == "generic_name":
        return _generic(node, depth)
    if kind == "qualified_name":
        return _qualified(node, depth)
    if kind == "identifier":
        return str(node.text())
    if kind == "array_type":
        return f"{ARRAY}<{told_type(node.field('type'), depth + 1) or UNKNOWN}>"
    if kind in INNER:
        return told_type(node.field("type") or next(iter(node.named_children()), None), depth + 1)
    return ""


def _qualified(node: Any, depth: int) -> str:
    before, name = told_type(node.field("qualifier"), depth + 1), told_type(node.field("name"), depth + 1)
    return f"{before.partition('<')[0]}.{name}" if before and name else name


def _generic(node: Any, depth: int) -> str:
    name, *rest = node.named_children()
    given = [each for part in rest for each in part.named_children()][:MOST_ARGUMENTS]
    inner = [told_type(each, depth + 1) or UNKNOWN for each in given]
    return f"{name.text()}<{','.join(inner)}>" if inner else str(name.text())


def told_value(walk: "Walk", node: Any) -> str:
    """A value as what a definition's type says; nothing where it is not plain."""
    if node is None:
        return ""
    kind = node.kind()
    if kind in ("object_creation_expression", "cast_expression"):
        told = told_type(node.field("type"))
        return f":{told}" if told else ""
    if kind == "as_expression":
        told = told_type(node.field("right"))
        return f":{told}" if told else ""
    told = walk.expression(node)
    return "" if UNKNOWN in told else f"={told}"


def name_in(node: Any) -> Any:
    """The name of a node that may be given types: `Find<T>`."""
    if node is not None and node.kind() == "generic_name":
        return next(iter(node.named_children()), None)
    return node


def unfold_member(node: Any) -> tuple[Any, str]:
    """`a.b`."""
    name = name_in(node.field("name"))
    return node.field("expression"), f".{name.text() if name is not None else UNKNOWN}"


def unfold_awaited(node: Any) -> tuple[Any, str]:
    """`await a`: what a task holds."""
    return next(iter(node.named_children()), None), "[]"


def unfold_conditional(node: Any) -> tuple[Any, str]:
    """`a?.b()`: what is taken out stands in a node beside."""
    tail = ""
    inner = list(node.named_children())[-1]
    for _ in range(MOST_PARTS):
        kind = str(inner.kind())
        if kind == "member_binding_expression":
            name = name_in(inner.field("name"))
            return node.field("condition"), f".{name.text() if name is not None else UNKNOWN}{tail}"
        if kind == "invocation_expression":
            inner, tail = inner.field("function"), f"(){tail}"
        elif kind == "member_access_expression":
            inner, ending = unfold_member(inner)
            tail = ending + tail
        else:
            break
        if inner is None:
            break
    return None, ""


def bound_to(node: Any) -> Any:
    """What stands before the question mark of `a?.b`, for the part after it."""
    for _ in range(MOST_PARTS):
        node = node.parent()
        if node is None or node.kind() == "conditional_access_expression":
            return None if node is None else node.field("condition")
    return None


def visit_generic(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`Foo<Bar>`: only Foo is used as the whole is."""
    name, *rest = node.named_children()
    walk.go(name, within, role)
    for each in rest:
        walk.go_below(each, within, TYPE)


def visit_qualified(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`A.B.Foo` where a type or a namespace is asked for."""
    before, name = node.field("qualifier"), name_in(node.field("name"))
    walk.go(before, within, TYPE)
    if name is not None:
        walk.refer(name, within, role, told_type(before).partition("<")[0])
    if node.field("name") is not name:
        for each in node.field("name").named_children()[1:]:
            walk.go_below(each, within, TYPE)
