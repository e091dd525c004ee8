"""Java: what the statements of a method bind, and for which lines; and calls."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import CALL, CLASS, LOCAL, PARAMETER, READ, TYPE, UNKNOWN, WRITE, Definition
from fieldguide.symbols.reading.java.types import ARRAY, told_type, told_value
from fieldguide.symbols.reading.visible import lines_of, visible_from

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

BLOCKS = frozenset((
    "block", "constructor_body", "switch_block_statement_group", "switch_rule", "lambda_expression", "for_statement",
    "enhanced_for_statement", "try_with_resources_statement", "catch_clause", "class_body", "method_declaration",
))  # fmt: skip


def visit_local(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`Foo a = b, c;` in a method."""
    declared, visible = node.field("type"), visible_from(node, BLOCKS)
    told = told_type(declared)
    for each in node.named_children():
        if each.kind() == "variable_declarator":
            name, value = each.field("name"), each.field("value")
            if name is not None:
                walk.define(name, LOCAL, within, told=typed(told, each) or told_value(walk, value), visible=visible)
            walk.go(value, within)
        else:
            walk.go(each, within, TYPE)


def typed(told: str, declarator: Any) -> str:
    """What a declared type says of one of its names, which may be an array of it."""
    if not told:
        return ""
    return f":{ARRAY}<{told}>" if declarator.field("dimensions") is not None else f":{told}"


def visit_for_each(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`for (Foo a : b)`."""
    declared, name, value = node.field("type"), node.field("name"), node.field("value")
    told, whole = told_type(declared), walk.expression(value)
    given = f":{told}" if told else "" if UNKNOWN in whole else f"={whole}[]"
    if name is not None:
        walk.define(name, LOCAL, within, told=given, visible=lines_of(node))
    walk.go(declared, within, TYPE)
    walk.go(value, within)
    walk.go(node.field("body"), within)


def visit_named(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A name with its type on some lines: what is caught, a resource, a pattern."""
    name, value = node.field("name"), node.field("value")
    parts = list(node.named_children())
    if name is None and len(parts) > 1 and parts[-1].kind() == "identifier":
        name = parts[-1]
    declared = next((each for each in parts if each.kind() not in ("modifiers", "identifier")), None)
    told = told_type(declared)
    if name is not None:
        walk.define(
            name,
            LOCAL,
            within,
            told=f":{told}" if told else told_value(walk, value),
            visible=visible_from(node, BLOCKS),
        )
    walk.go(declared, within, TYPE)
    walk.go(value, within)


def visit_instance(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a instanceof Foo b`: seen to the end of the block, since a guard may come before."""
    name, declared = node.field("name"), node.field("right")
    told = told_type(declared)
    if name is not None:
        walk.define(name, LOCAL, within, told=f":{told}" if told else "", visible=visible_from(node, BLOCKS))
    walk.go(node.field("left"), within)
    walk.go(declared, within, TYPE)
    walk.go(node.field("pattern"), within, TYPE)


def visit_lambda(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A function without a name: a parameter without a type is likely an element of what it is given to."""
    given, visible = node.field("parameters"), lines_of(node)
    if given is not None and given.kind() == "formal_parameters":
        bind_parameters(walk, given, within, visible)
    elif given is not None:
        names = [given] if given.kind() == "identifier" else list(given.named_children())
        told = _owner_of(walk, node)
        for each in names:
            walk.define(each, PARAMETER, within, told=f"={told}[]" if told and len(names) == 1 else "", visible=visible)
    walk.go(node.field("body"), within)


def _owner_of(walk: "Walk", node: Any) -> str:
    arguments = node.parent()
    call = arguments.parent() if arguments is not None and arguments.kind() == "argument_list" else None
    whole = call.field("object") if call is not None and call.kind() == "method_invocation" else None
    told = walk.expression(whole) if whole is not None else UNKNOWN
    return "" if UNKNOWN in told else told


def bind_parameters(walk: "Walk", node: Any, place: int, visible: tuple[int, int] = (0, 0)) -> None:
    """The parameters of a method, or of a function without a name."""
    for each in node.named_children() if node is not None else ():
        name, told = _parameter(each)
        if name is not None:
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "", visible=visible)
        for part in each.named_children():
            if part.kind() not in ("identifier", "variable_declarator"):
                walk.go(part, place, TYPE)


def _parameter(node: Any) -> tuple[Any, str]:
    """The name of a parameter, and its type as an expression; of several (`T...`) an array."""
    parts = [part for part in node.named_children() if part.kind() != "modifiers"]
    told = told_type(node.field("type") or (parts[0] if parts else None))
    if node.kind() != "spread_parameter" or not parts:
        return node.field("name"), told
    return parts[-1].field("name"), f"{ARRAY}<{told}>" if told else ""


def visit_made(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`new Foo(…)`: a use of the class; with a body it is a class of its own, without a name."""
    declared, body = node.field("type"), None
    for each in node.named_children():
        if each.kind() == "class_body":
            body = each
        else:
            is_class = declared is not None and each.range() == declared.range()
            walk.go(each, within, CALL if is_class else READ)
    if body is not None:
        walk.go(body, anonymous(walk, node, told_type(declared), within))


def anonymous(walk: "Walk", node: Any, told: str, within: int) -> int:
    """A class without a name."""
    span = node.range()
    line, end = span.start.line + 1, span.end.line + 1
    name = f"new {told.partition('<')[0] or 'class'}"
    made = Definition(name, CLASS, within, line, span.start.column, end, bases=(told,) if told else (), scope=within)
    return walk.add(made)


def visit_method_reference(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`Foo::bar`, `Foo::new`."""
    parts = [each for each in node.children() if each.kind() not in ("::", "type_arguments")]
    if not parts:
        return
    whole, last = parts[0], parts[-1]
    is_type = whole.kind() not in ("identifier", "field_access")
    walk.go(whole, within, TYPE if is_type else READ)
    if last.kind() == "identifier" and len(parts) > 1:
        before = told_type(whole) or walk.expression(whole)
        walk.refer(last, within, CALL, before.partition("<")[0] if is_type else before)


def visit_assignment(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a.b = c`."""
    walk.go(node.field("left"), within, WRITE)
    walk.go(node.field("right"), within)


def visit_update(walk: "Walk", node: Any, within: int, role: str) -> None:
    """`a++`."""
    walk.go_below(node, within, WRITE)


def visit_switch(walk: "Walk", node: Any, within: int, role: str) -> None:
    """A switch: a bare name in a case is a constant of what is looked at."""
    subject, body = node.field("condition"), node.field("body")
    walk.go(subject, within)
    told = walk.expression(subject)
    for rule in body.named_children() if body is not None else ():
        for each in rule.named_children():
            if each.kind() != "switch_label":
                walk.go(each, within)
                continue
            for one in each.named_children():
                if one.kind() == "identifier" and UNKNOWN not in told:
                    walk.refer(one, within, READ, told)
                else:
                    walk.go(one, within)
