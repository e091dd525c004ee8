"""Go's types and values as expressions: `map<K,V>` and `chan<T>` hold things, and a slice is a map without keys."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import UNKNOWN
from fieldguide.symbols.reading.walk import kind_of

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

DEEPEST = 8
MAKERS = frozenset(("new", "make"))
HOLDING = {
    "slice_type": ("map", "element"),
    "array_type": ("map", "element"),
    "implicit_length_array_type": ("map", "element"),
    "map_type": ("map", "key", "value"),
    "channel_type": ("chan", "value"),
}
"""The name of what holds things, and the fields with their types."""
ONE_CHILD = frozenset(("pointer_type", "parenthesized_type", "type_elem", "literal_element", "expression_list"))
NAMED = frozenset(("type_identifier", "qualified_type", "identifier", "selector_expression"))
TYPED = frozenset(("composite_literal", "type_assertion_expression", "type_conversion_expression"))
RECEIVING = "<-"


def told_type(walk: "Walk", node: Any, depth: int = 0) -> str:
    """A type as an expression; nothing where it says nothing."""
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind in ONE_CHILD:
        return told_type(walk, next(iter(node.named_children()), None), depth + 1)
    if kind in HOLDING:
        name, *parts = HOLDING[kind]
        inner = [told_type(walk, node.field(each), depth + 1) or UNKNOWN for each in parts]
        return f"{name}<{','.join(inner)}>"
    if kind == "generic_type":
        return _generic(walk, node, depth)
    if kind in NAMED:
        told = walk.expression(node)
        return "" if UNKNOWN in told else told
    return ""


def _generic(walk: "Walk", node: Any, depth: int) -> str:
    name, given = told_type(walk, node.field("type"), depth + 1), node.field("type_arguments")
    inner = [told_type(walk, each, depth + 1) or UNKNOWN for each in given.named_children()] if given else []
    return f"{name}<{','.join(inner)}>" if name and inner else name


def told_result(walk: "Walk", node: Any) -> str:
    """What a function returns, as `:T`; of several the first."""
    if node is not None and node.kind() == "parameter_list":
        first = next(iter(node.named_children()), None)
        node = first.field("type") if first is not None else None
    told = told_type(walk, node)
    return f":{told}" if told else ""


def told_value(walk: "Walk", node: Any) -> str:
    """A value as what a definition's type says: `=f()`, `:T` for a new T; nothing where it is not plain."""
    node = _unwrapped(node)
    kind = kind_of(node)
    if kind in TYPED:
        return _of_type(walk, node.field("type"))
    if kind == "call_expression" and _called(node) in MAKERS:
        return _of_type(walk, _first_argument(node))
    is_received = kind == "unary_expression" and _is_received(node)
    told = walk.expression(node.field("operand") if is_received else node)
    if UNKNOWN in told:
        return ""
    return f"={told}[]" if is_received else f"={told}"


def _unwrapped(node: Any) -> Any:
    """What has the type of a value: what is in brackets or behind a sign, what is appended to."""
    for _ in range(DEEPEST):
        kind = kind_of(node)
        if kind == "unary_expression" and not _is_received(node):
            node = node.field("operand")
        elif kind == "parenthesized_expression":
            node = next(iter(node.named_children()), None)
        elif kind == "call_expression" and _called(node) == "append":
            node = _first_argument(node)
        else:
            break
    return node


def _is_received(node: Any) -> bool:
    sign = node.field("operator")
    return sign is not None and str(sign.text()) == RECEIVING


def _called(node: Any) -> str:
    return str(node.field("function").text())


def _of_type(walk: "Walk", node: Any) -> str:
    told = told_type(walk, node)
    return f":{told}" if told else ""


def _first_argument(node: Any) -> Any:
    given = node.field("arguments")
    return next(iter(given.named_children()), None) if given is not None else None


def element_of(told: str) -> str:
    """What a type holds, where its expression says it: `Foo` of `map<string,Foo>`."""
    if not told.startswith(("map<", "chan<")) or not told.endswith(">"):
        return ""
    depth, start = 0, told.index("<") + 1
    for at in range(start, len(told) - 1):
        depth += (told[at] == "<") - (told[at] == ">")
        if told[at] == "," and not depth:
            start = at + 1
    inner = told[start:-1]
    return inner if inner != UNKNOWN else ""
