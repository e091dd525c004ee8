"""PHP's calls, assignments and uses of members; some calls define something."""

from typing import Any

from fieldguide.symbols.facts import CALL, CONSTANT, LOCAL, ROUTE, UNKNOWN, WRITE
from fieldguide.symbols.reading.php.declarations import last_name, told_type
from fieldguide.symbols.reading.walk import Walk, kind_of

VERBS = frozenset(("any", "delete", "get", "options", "patch", "post", "put"))


def visit_call(walk: Walk, node: Any, within: int, role: str) -> None:
    """`f(…)`; `define('A', 1)` makes a constant."""
    called, given = node.field("function"), node.field("arguments")
    walk.go(called, within, CALL)
    walk.go(given, within)
    if called is not None and called.text() == "define":
        content = _first_string(given)
        if content is not None:
            walk.define(content, CONSTANT, -1, whole=node)


def visit_static_call(walk: Walk, node: Any, within: int, role: str) -> None:
    """`A::f(…)`; `Route::get('/a', …)` declares a route."""
    before, name, given = node.field("scope"), node.field("name"), node.field("arguments")
    walk.go(before, within)
    if name is not None:
        walk.refer(name, within, CALL, walk.expression(before))
    walk.go(given, within)
    if before is not None and before.text() == "Route" and name is not None and name.text() in VERBS:
        content = _first_string(given)
        if content is not None:
            walk.define(content, ROUTE, within, whole=node)


def _first_string(given: Any) -> Any:
    argument = _first(given)
    text = _first(argument)
    return _first(text) if kind_of(text) in ("string", "encapsed_string") else None


def _first(node: Any) -> Any:
    return next(iter(node.named_children()), None) if node is not None else None


def visit_assignment(walk: Walk, node: Any, within: int, role: str) -> None:
    """`$a = b`."""
    left, right = node.field("left"), node.field("right")
    if left is not None and left.kind() == "variable_name":
        told = walk.expression(right) if right is not None else UNKNOWN
        walk.bind(left, LOCAL, within, within=within, told=f"={told}" if UNKNOWN not in told else "")
    else:
        walk.go(left, within, WRITE)
    walk.go(right, within)


def visit_each(walk: Walk, node: Any, within: int, role: str) -> None:
    """`foreach (a as $b)`."""
    parts = node.named_children()
    if len(parts) > 1 and parts[1].kind() == "variable_name":
        told = walk.expression(parts[0])
        walk.bind(parts[1], LOCAL, within, within=within, told=f"={told}[]" if UNKNOWN not in told else "")
    for each in parts:
        walk.go(each, within)


def visit_new(walk: Walk, node: Any, within: int, role: str) -> None:
    """`new A(…)`."""
    made, *rest = node.named_children() or [None]
    walk.go(made, within, CALL)
    for each in rest:
        walk.go(each, within)


def visit_constant_use(walk: Walk, node: Any, within: int, role: str) -> None:
    """`A::B`; `A::class` is the class itself."""
    parts = node.named_children()
    walk.go(parts[0] if parts else None, within)
    if len(parts) > 1 and parts[1].kind() == "name" and parts[1].text() != "class":
        walk.refer(parts[1], within, role, walk.expression(parts[0]))


def visit_static_field(walk: Walk, node: Any, within: int, role: str) -> None:
    """`A::$b`."""
    before, variable = node.field("scope"), node.field("name")
    walk.go(before, within)
    name = next(iter(variable.named_children()), None) if variable is not None else None
    if name is not None:
        walk.refer(name, within, role, walk.expression(before))


def visit_qualified(walk: Walk, node: Any, within: int, role: str) -> None:
    """`\\A\\B`: a name with its namespace."""
    name = last_name(node)
    if name is not None:
        walk.refer(name, within, role, told_type(walk, node))
