"""What gives Python names their values: assignments, loops, `with`, `except`, and `:=`."""

from typing import Any

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import (
    CLASS,
    CONSTANT,
    FIELD,
    FUNCTION,
    LOCAL,
    METHOD,
    READ,
    TYPE,
    UNKNOWN,
    VARIABLE,
    WRITE,
)
from fieldguide.symbols.reading.python.annotations import told_type
from fieldguide.symbols.reading.walk import Walk

ALL = "__all__"
COPIES = frozenset(("copy", "copy.copy", "copy.deepcopy", "deepcopy"))
MOST_TARGETS = 50
MOST_EXPORTS = 2_000
TARGET = "as_pattern_target"
SEVERAL = frozenset((
    "pattern_list", "tuple_pattern", "list_pattern", "expression_list", "tuple", "list", "list_splat_pattern",
    "dictionary_splat_pattern", "list_splat", TARGET,
))  # fmt: skip
"""Kinds of targets that hold others."""
SHOUTED = re.compile(r"[A-Z][A-Z0-9_]*|__\w+__")
BLOCKS = frozenset(("block", "module"))
OWNERS = frozenset((FUNCTION, METHOD, FIELD))
LITERALS = {
    "concatenated_string": "str()", "dictionary": "dict()", "dictionary_comprehension": "dict()", "false": "bool()",
    "float": "float()", "integer": "int()", "list": "list()", "list_comprehension": "list()", "set": "set()",
    "set_comprehension": "set()", "string": "str()", "true": "bool()", "tuple": "tuple()",
}  # fmt: skip


def visit_assignment(walk: Walk, node: Any, within: int, role: str) -> None:
    """`a = b`, `a: T = b`, `a: T`."""
    left, right, annotation = node.field("left"), node.field("right"), node.field("type")
    told = told_type(walk, annotation)
    given = f":{told}" if told else value_of(walk, right)
    walk.go(annotation, within, TYPE)
    pairs = _pairs(left, right)
    for target, value in pairs:
        bind_targets(walk, target, within, value_of(walk, value), whole=node)
    if not pairs:
        bind_targets(walk, left, within, given, whole=node)
    walk.go(right, within, TYPE if told.endswith("TypeAlias") else READ)


def value_of(walk: Walk, node: Any) -> str:
    """What a value says of its type."""
    if node is None:
        return ""
    kind = str(node.kind())
    if kind == "assignment":  # a = b = c
        return value_of(walk, node.field("right"))
    if kind in ("conditional_expression", "boolean_operator"):
        return _either(walk, node)
    if kind == "subscript" and (told_types := told_type(walk, node)) and "<" not in told_types:
        return f"={told_types}"  # a name for types: `Name = Optional[Other]`
    told_value = walk.expression(copied(node))
    return "" if UNKNOWN in told_value else f"={told_value}"


def _either(walk: Walk, node: Any) -> str:
    """`a if b else c`, `a or c`."""
    sides = node.named_children()
    told = [walk.expression(each) for each in (sides[0], sides[-1])]
    return "=" + "|".join(each for each in told if UNKNOWN not in each)


def copied(node: Any) -> Any:
    """What a copy is made of: it has the same type."""
    called, arguments = node.field("function"), node.field("arguments")
    given: list[Any] = arguments.named_children() if arguments is not None else []
    return given[0] if given and called is not None and str(called.text()) in COPIES else node


def _pairs(left: Any, right: Any) -> list[tuple[Any, Any]]:
    if left is None or right is None or left.kind() != "pattern_list" or right.kind() != "expression_list":
        return []
    targets, values = left.named_children(), right.named_children()
    return list(zip(targets, values, strict=True)) if len(targets) == len(values) <= MOST_TARGETS else []


def bind_targets(
    walk: Walk,
    target: Any,
    within: int,
    given: str,
    *,
    whole: Any = None,
    kind: str = "",
    visible: tuple[int, int] = (0, 0),
) -> None:
    """Give a target its value: a name, a field of `self`, or several of them."""
    pending = [(target, given)]
    for _ in range(MOST_TARGETS):
        if not pending:
            return
        node, told = pending.pop()
        if node is None:
            continue
        of_kind = str(node.kind())
        if of_kind in SEVERAL:
            inner = told if of_kind == TARGET else ""
            pending += [(each, inner) for each in reversed(node.named_children())]
        elif of_kind == "identifier":
            _bind_name(walk, node, within, told, whole=whole, kind=kind, visible=visible)
        elif of_kind == "attribute":
            _bind_field(walk, node, within, told, whole)
        else:
            walk.go(node, within)


def _bind_name(
    walk: Walk, node: Any, within: int, given: str, *, whole: Any, kind: str, visible: tuple[int, int]
) -> None:
    name = str(node.text())
    if (within, name) in walk.marks:
        known = walk.bound(-1, name)
        if known is None:
            walk.define(node, VARIABLE, -1, whole=whole, told=given, scope=within)
        else:
            walk.refer(node, within, WRITE)
        return
    kind = kind or _kind(walk, name, within)
    if visible[0] or (kind == LOCAL and walk.bound(within, name) is not None):
        walk.define(node, LOCAL, within, told=given, visible=visible, whole=block_of(node))
    else:
        whole = block_of(node) if kind == LOCAL else whole
        walk.bind(node, kind, within, within=within, whole=whole, told=given)


def _kind(walk: Walk, name: str, within: int) -> str:
    if within >= 0:
        return FIELD if walk.definitions[within].kind == CLASS else LOCAL
    return CONSTANT if SHOUTED.fullmatch(name) else VARIABLE


def _bind_field(walk: Walk, node: Any, within: int, given: str, whole: Any) -> None:
    before, name = node.field("object"), node.field("attribute")
    if before is None or name is None:
        return
    method = walk.around(within, OWNERS)
    owner = walk.definitions[method].parent if method >= 0 else -1
    is_own = walk.expression(before) in ("self", "Self") and owner >= 0 and walk.definitions[owner].kind == CLASS
    known = walk.bound(owner, str(name.text())) if is_own else None
    if is_own and known is None:
        walk.define(name, FIELD, owner, whole=whole, told=given, scope=within)
        return
    if known is not None:
        walk.add_type(known, given, within)
    walk.go(before, within)
    walk.refer(name, within, WRITE, walk.expression(before))


def visit_augmented(walk: Walk, node: Any, within: int, role: str) -> None:
    """`a += b`: a name of a function is its own, unless it says otherwise."""
    bind_targets(walk, node.field("left"), within, "", whole=node)
    walk.go(node.field("right"), within)


def visit_for(walk: Walk, node: Any, within: int, role: str) -> None:
    """A loop, or the loop of a comprehension: what it counts with is seen there alone."""
    left, right = node.field("left"), node.field("right")
    told = walk.expression(right)
    given = "" if UNKNOWN in told else f"={told}[]"
    parent = node.parent()
    is_inner = node.kind() == "for_in_clause" and parent is not None
    bind_targets(walk, left, within, given, visible=lines_of(parent) if is_inner else (0, 0))
    walk.go(right, within)
    for each in node.named_children()[2:]:
        walk.go(each, within)


def visit_pattern_target(walk: Walk, node: Any, within: int, role: str) -> None:
    """`with a as b`, `except A as b`."""
    value, *rest = node.named_children()
    told = walk.expression(value)
    parent = node.parent()
    is_error = parent is not None and "except" in parent.kind()
    given = "" if UNKNOWN in told else f"={told}()" if is_error else f"={told}.__enter__()"
    for each in rest:
        bind_targets(walk, each, within, given)
    walk.go(value, within)


def visit_named(walk: Walk, node: Any, within: int, role: str) -> None:
    """`(a := b)`."""
    bind_targets(walk, node.field("name"), within, value_of(walk, node.field("value")))
    walk.go(node.field("value"), within)


def export_names(walk: Walk, node: Any, within: int) -> None:
    """The names in a list that says what others may take."""
    for each in list(node.named_children())[:MOST_EXPORTS] if node is not None else ():
        if each.kind() == "string":
            content = next((part for part in each.named_children() if part.kind() == "string_content"), None)
            if content is not None:
                walk.refer(content, within, READ)


def block_of(node: Any) -> Any:
    """The block that a node stands in: what it is given holds there, and may hold after it."""
    return next((each for each in node.ancestors() if each.kind() in BLOCKS), node)


def lines_of(node: Any) -> tuple[int, int]:
    """The lines of a node, counted from 1."""
    span = node.range()
    return span.start.line + 1, span.end.line + 1
