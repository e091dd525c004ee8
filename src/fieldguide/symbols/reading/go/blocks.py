"""Go: what the statements of a function bind, and for which lines."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import CALL, CONSTANT, LOCAL, READ, TYPE, UNKNOWN, VARIABLE, WRITE
from fieldguide.symbols.reading.go.types import element_of, told_type, told_value
from fieldguide.symbols.reading.visible import lines_of

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

BLOCKS = frozenset(("block", "type_case", "expression_case", "communication_case", "default_case", "func_literal"))
HEADS = frozenset((
    "if_statement", "for_statement", "for_clause", "range_clause", "expression_switch_statement",
    "type_switch_statement", "communication_case", "receive_statement",
))  # fmt: skip
MOST_UP = 8
NOBODY = "_"


def visit_short(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a, b := f()`: seen from the next line on, or at once in the head of a statement."""
    left, right = node.field("left"), node.field("right")
    _bind(walk, left, right, within, node)
    walk.go(right, within)


def visit_range(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`for i, x := range xs`: the last name is an element."""
    left, right = node.field("left"), node.field("right")
    walk.go(right, within)
    if left is None:
        return
    names, told = list(left.named_children()), walk.expression(right)
    if any(each.text() == "=" for each in node.children()):
        walk.go(left, within, WRITE)
        return
    for number, each in enumerate(names):
        is_element = number == 1 or len(names) == 1
        value = f"={told}[]" if is_element and UNKNOWN not in told else ""
        _local(walk, each, within, value, seen_from(node))


def visit_receive(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`case x := <-ch`."""
    left, right = node.field("left"), node.field("right")
    walk.go(right, within)
    if left is not None:
        _bind(walk, left, right, within, node)


def visit_type_switch(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`switch x := y.(type)`: in each case it is of that case's type."""
    alias = node.field("alias")
    name = next(iter(alias.named_children()), None) if alias is not None else None
    told = walk.expression(node.field("value"))
    for each in node.named_children():
        if each.kind() in ("type_case", "default_case"):
            _case(walk, each, name, f"={told}" if UNKNOWN not in told else "", within)
        elif alias is None or each.range() != alias.range():
            walk.go(each, within)


def _case(walk: "Walk", node: Any, name: Any, given: str, within: int) -> None:
    """A case for one type binds the name with that type; another one with what is looked at."""
    types = list(node.field_children("type"))
    known = told_type(walk, types[0]) if len(types) == 1 else ""
    if name is not None:
        _local(walk, name, within, f":{known}" if known else given, lines_of(node))
    for each in node.named_children():
        walk.go(each, within, TYPE if any(each.range() == kind.range() for kind in types) else READ)


def visit_assignment(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a.b = c`."""
    walk.go(node.field("left"), within, WRITE)
    walk.go(node.field("right"), within)


def visit_step(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a++`."""
    walk.go_below(node, within, WRITE)


def visit_value(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`var a, b T = f()`, `const c = 1`: the file's, or a function's own."""
    kind = CONSTANT if node.kind() == "const_spec" else VARIABLE
    declared, value = node.field("type"), node.field("value")
    values = list(value.named_children()) if value is not None else []
    names = [each for each in node.field_children("name") if each.kind() == "identifier"]
    told = told_type(walk, declared)
    for number, each in enumerate(names):
        given = f":{told}" if told else _value(walk, values, number, len(names))
        if within >= 0:
            _local(walk, each, within, given, seen_from(node))
        elif each.text() != NOBODY:
            walk.define(each, kind, -1, whole=node, told=given, scope=-1)
    walk.go(declared, within, TYPE)
    walk.go(value, within)


def _bind(walk: "Walk", left: Any, right: Any, within: int, node: Any) -> None:
    values = [right]
    if right is not None and right.kind() == "expression_list":
        values = list(right.named_children())
    names = list(left.named_children())
    for number, each in enumerate(names):
        _local(walk, each, within, _value(walk, values, number, len(names)), seen_from(node))


def _value(walk: "Walk", values: list[Any], number: int, names: int) -> str:
    """The value of one name of several; of a call that returns several, only the first is known."""
    if len(values) == names:
        return told_value(walk, values[number])
    return told_value(walk, values[0]) if values and not number else ""


def _local(walk: "Walk", name: Any, within: int, told: str, visible: tuple[int, int]) -> None:
    if name.kind() == "identifier" and name.text() != NOBODY:
        walk.define(name, LOCAL, within, told=told, visible=visible)


def seen_from(node: Any) -> tuple[int, int]:
    """The lines that see what a statement binds: to the end of its block."""
    around, is_head = node.parent(), False
    for _ in range(MOST_UP):
        if around is None or around.kind() in BLOCKS:
            break
        if around.kind() in HEADS:
            is_head = True
            break
        around = around.parent()
    is_head = is_head or node.kind() in HEADS
    span = node.range()
    first = span.start.line + 1 if is_head else span.end.line + 2
    return first, max(first, around.range().end.line + 1 if around is not None else first)


def visit_literal(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`T{A: 1}`: the keys are fields of T; what is in braces alone is of the type that the whole holds."""
    declared = node.field("type")
    walk.go(declared, within, CALL if declared is not None and declared.kind() != "struct_type" else TYPE)
    pending = [(node.field("body"), told_type(walk, declared))]
    while pending:
        body, told = pending.pop()
        inner = element_of(told)
        for each in body.named_children() if body is not None else ():
            key, value = _parts(each)
            _key(walk, key, told, within)
            if value is not None and value.kind() == "literal_value":
                pending.append((value, inner))
            else:
                walk.go(value, within)


def _key(walk: "Walk", key: Any, told: str, within: int) -> None:
    """A key is a field that is written to, but not in a map."""
    if key is not None and key.kind() == "identifier" and not told.startswith("map<"):
        walk.refer(key, within, WRITE, f"{told.partition('<')[0]}()" if told else UNKNOWN)
    else:
        walk.go(key, within)


def _parts(node: Any) -> tuple[Any, Any]:
    if node.kind() != "keyed_element":
        return None, next(iter(node.named_children()), None) if node.kind() == "literal_element" else node
    sides = [next(iter(each.named_children()), None) for each in node.named_children()]
    return (sides[0], sides[1]) if len(sides) == 2 else (None, None)
