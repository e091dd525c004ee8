"""Where Python names types: annotations, also in quotes, what types take, aliases and patterns."""

from typing import Any

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import ALIAS, INHERIT, READ, TYPE
from fieldguide.symbols.reading.python.annotations import LITERAL, refer_in_quotes, told_type
from fieldguide.symbols.reading.python.binding import bind_targets
from fieldguide.symbols.reading.walk import Walk

TITLE = re.compile(r"[A-Z]+[a-z]\w*")


def visit_string(walk: Walk, node: Any, within: int, role: str) -> None:
    """A string is looked into where it stands for a type, and for what its braces hold."""
    if role == TYPE:
        refer_in_quotes(walk, node, within)
    elif "{" in (text := str(node.text())) and "f" in text[:3].lower():
        walk.go_below(node, within)


def visit_subscript(walk: Walk, node: Any, within: int, role: str) -> None:
    """What a type takes are types, also in quotes; what `Literal[…]` holds names none."""
    whole, *rest = node.named_children()
    name = str(whole.text()).rpartition(".")[2]
    is_type = role in (TYPE, INHERIT)
    walk.go(whole, within, role if is_type else READ)
    inner = TYPE if name != LITERAL and (is_type or TITLE.fullmatch(name)) else READ
    for each in rest:
        walk.go(each, within, inner)


def visit_type_alias(walk: Walk, node: Any, within: int, role: str) -> None:
    """`type X = …`."""
    left, *rest = node.named_children()
    name = next(iter(left.named_children()), left)
    if name.kind() == "identifier":
        told = told_type(walk, rest[-1]) if rest else ""
        walk.define(name, ALIAS, within, whole=node, told=f":{told}" if told else "")
    for each in rest:
        walk.go(each, within, TYPE)


def visit_type(walk: Walk, node: Any, within: int, role: str) -> None:
    """An annotation."""
    walk.go_below(node, within, TYPE)


def visit_dotted(walk: Walk, node: Any, within: int, role: str) -> None:
    """A name with dots in a pattern; alone and small, it is given what it matches."""
    parts = node.named_children()
    parent = node.parent()
    if len(parts) == 1 and parent is not None and parent.kind() == "case_pattern":
        bind_targets(walk, parts[0], within, "")
        return
    before = ""
    for each in parts:
        walk.refer(each, within, TYPE, before)
        before = f"{before}.{each.text()}" if before else str(each.text())
