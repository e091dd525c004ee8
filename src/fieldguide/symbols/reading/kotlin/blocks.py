"""Kotlin: what statements and functions without a name bind, and for which lines; calls."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import CALL, LOCAL, PARAMETER, READ, TYPE, UNKNOWN, WRITE, Definition
from fieldguide.symbols.reading.kotlin.parts import first, part, parts, told_type, type_of, value_of
from fieldguide.symbols.reading.visible import lines_of, visible_from

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

IT = "it"
MOST_ABOVE = 5  # nodes between a function and the call that it is given to
ITSELF = frozenset(("let", "also", "takeIf", "takeUnless"))
BLOCKS = frozenset((
    "function_body", "control_structure_body", "lambda_literal", "catch_block", "when_entry", "getter", "setter",
    "anonymous_initializer", "finally_block", "try_expression",
))  # fmt: skip


def bind_local(walk: "Walk", node: Any, within: int) -> None:
    """`val x: Foo = …` in a function."""
    value, declared = value_of(node), part(node, "variable_declaration")
    visible = visible_from(node, BLOCKS)
    if declared is not None:
        _variable(walk, declared, within, told_value(walk, value), visible)
    for each in parts(part(node, "multi_variable_declaration"), "variable_declaration"):
        _variable(walk, each, within, "", visible)
    walk.go(part(node, "modifiers"), within, TYPE)
    walk.go(value, within)
    walk.go(part(node, "property_delegate"), within)


def _variable(walk: "Walk", node: Any, within: int, told: str, visible: tuple[int, int], kind: str = LOCAL) -> None:
    name, declared = part(node, "simple_identifier"), type_of(node)
    said = told_type(declared)
    if name is not None:
        walk.define(name, kind, within, told=f":{said}" if said else told, visible=visible)
    walk.go(declared, within, TYPE)


def told_value(walk: "Walk", node: Any) -> str:
    """A value as what a definition's type says; nothing where it is not plain."""
    told = walk.expression(node) if node is not None else UNKNOWN
    return "" if UNKNOWN in told else f"={told}"


def visit_for(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`for (x in xs)`."""
    children = list(node.named_children())
    whole = next((each for each in children[1:] if each.kind() != "control_structure_body"), None)
    told = told_value(walk, whole)
    declared = part(node, "variable_declaration")
    if declared is not None:
        _variable(walk, declared, within, f"{told}[]" if told else "", lines_of(node))
    for each in parts(part(node, "multi_variable_declaration"), "variable_declaration"):
        _variable(walk, each, within, "", lines_of(node))
    walk.go(whole, within)
    walk.go(part(node, "control_structure_body"), within)


def visit_lambda(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`{ x -> … }`: one parameter is likely an element of what the function is given to; without any it is `it`."""
    told, visible = _owner_of(walk, node), lines_of(node)
    given = part(node, "lambda_parameters")
    names = parts(given, "variable_declaration")
    for each in names:
        _variable(walk, each, within, told if len(names) == 1 else "", visible, PARAMETER)
    for each in parts(given, "multi_variable_declaration"):
        for one in parts(each, "variable_declaration"):
            _variable(walk, one, within, "", visible, PARAMETER)
    if given is None:
        line, last = visible
        walk.add(
            Definition(IT, PARAMETER, within, line, 0, last, type=told, scope=within, visible=visible), f"{IT} {line}"
        )
    for each in node.named_children():
        if each.kind() != "lambda_parameters":
            walk.go(each, within)


def _owner_of(walk: "Walk", node: Any) -> str:
    """What the object of a call says of the parameter of a function that is given to it."""
    call = _call_around(node)
    called = None if call is None else first(call)
    if called is None or called.kind() != "navigation_expression":
        return ""
    path = walk.expression(called)
    before, _, name = path.rpartition(".")
    if UNKNOWN in path or not before:
        return ""
    return f"={before}" if name in ITSELF else f"={before}[]"


def _call_around(node: Any) -> Any:
    """The call that a function without a name is given to."""
    above = node.parent()
    for _ in range(MOST_ABOVE):
        if above is None or above.kind() == "call_expression":
            return above
        above = above.parent()
    return None


def visit_catch(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`catch (e: Problem)`."""
    _variable(walk, node, within, "", lines_of(node))
    walk.go(part(node, "statements"), within)


def visit_call(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A call; the number of its arguments tells overloads apart."""
    called, suffix = first(node), part(node, "call_suffix")
    values = part(suffix, "value_arguments")
    count = len(parts(values, "value_argument")) + len(parts(suffix, "annotated_lambda"))
    refer_called(walk, called, within, count)
    walk.go(part(suffix, "type_arguments"), within, TYPE)
    for each in parts(values, "value_argument"):
        _argument(walk, each, within)
    for each in parts(suffix, "annotated_lambda"):
        walk.go(each, within)


def refer_called(walk: "Walk", called: Any, within: int, count: int) -> None:
    """What is called, by its name."""
    kind = None if called is None else called.kind()
    if kind == "simple_identifier":
        walk.refer(called, within, CALL)
        walk.count_arguments(count)
    elif kind == "navigation_expression":
        name = part(part(called, "navigation_suffix"), "simple_identifier")
        walk.go(first(called), within)
        if name is not None:
            walk.refer(name, within, CALL, walk.expression(first(called)))
            walk.count_arguments(count)
    else:
        walk.go(called, within, CALL)


def _argument(walk: "Walk", node: Any, within: int) -> None:
    """`x = 1` among arguments names a parameter, which nobody asks for."""
    children = list(node.named_children())
    is_named = len(children) > 1 and any(each.text() == "=" for each in node.children())
    for each in children[1:] if is_named else children:
        walk.go(each, within)


def visit_navigation(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a.b`."""
    name, before = part(part(node, "navigation_suffix"), "simple_identifier"), first(node)
    walk.go(before, within, READ)
    if name is not None:
        walk.refer(name, within, role, walk.expression(before))


def visit_assignment(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a.b = c`."""
    left, *rest = node.named_children()
    suffix, whole = part(left, "navigation_suffix"), first(left)
    name = part(suffix, "simple_identifier")
    if name is not None:
        walk.go(whole, within)
        walk.refer(name, within, WRITE, walk.expression(whole))
    else:
        walk.go(left, within, WRITE)
    for each in rest:
        walk.go(each, within)


def visit_callable(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`Foo::bar`."""
    children = list(node.named_children())
    whole, name = (children[0], children[-1]) if len(children) > 1 else (None, children[0] if children else None)
    walk.go(whole, within, READ)
    if name is not None and name.kind() == "simple_identifier":
        walk.refer(name, within, CALL, "" if whole is None else walk.expression(whole))
