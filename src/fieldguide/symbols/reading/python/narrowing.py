"""Where Python code makes sure of a type: `isinstance` in a condition or an assertion."""

from collections.abc import Iterator
from typing import Any

from fieldguide.symbols.facts import INNER, LOCAL, READ
from fieldguide.symbols.reading.python.annotations import told_type
from fieldguide.symbols.reading.walk import Walk

MOST_CONDITIONS = 6
LEAVING = frozenset(("return_statement", "raise_statement", "continue_statement", "break_statement"))
FAR = 1 << 30


def visit_if(walk: Walk, node: Any, within: int, role: str) -> None:
    """A condition narrows a name in its block; the opposite, where its block leaves, in all that follows."""
    condition, block = node.field("condition"), node.field("consequence")
    if condition is not None and block is not None:
        span = block.range()
        for call in _conditions(condition):
            _narrow(walk, call, within, (span.start.line + 1, span.end.line + 1))
        if condition.kind() == "not_operator" and _leaves(block):
            for call in _conditions(next(iter(condition.named_children()), None)):
                _narrow(walk, call, within, (span.end.line + 2, _end_of(node)))
    walk.go_below(node, within, READ)


def visit_assert(walk: Walk, node: Any, within: int, role: str) -> None:
    """An assertion narrows a name in what follows in its block."""
    condition = next(iter(node.named_children()), None)
    for call in _conditions(condition):
        _narrow(walk, call, within, (node.range().end.line + 2, _end_of(node)))
    walk.go_below(node, within, READ)


def visit_both(walk: Walk, node: Any, within: int, role: str) -> None:
    """What must be true before the rest is asked narrows a name there."""
    parent = node.parent()
    if parent is None or parent.kind() not in ("if_statement", "elif_clause", "boolean_operator"):
        span = node.range()
        for call in _conditions(node):
            _narrow(walk, call, within, (span.start.line + 1, span.end.line + 1))
    walk.go_below(node, within, READ)


def _conditions(node: Any) -> Iterator[Any]:
    """The calls of `isinstance` that must all be true."""
    pending = [node]
    for _ in range(MOST_CONDITIONS):
        each = pending.pop() if pending else None
        if each is None:
            return
        kind = each.kind()
        if kind == "parenthesized_expression" or (kind == "boolean_operator" and " and " in each.text()[:400]):
            pending += each.named_children()
        elif kind == "call" and each.text().startswith("isinstance("):
            yield each


def _narrow(walk: Walk, call: Any, within: int, lines: tuple[int, int]) -> None:
    given = list(call.field("arguments").named_children())
    if len(given) != 2 or given[0].kind() != "identifier" or lines[0] > lines[1]:
        return
    known = walk.bound(within, str(given[0].text()))
    if known is None or walk.definitions[known].kind not in INNER:
        return
    kinds = given[1].named_children() if given[1].kind() == "tuple" else [given[1]]
    told = "|".join(filter(None, [told_type(walk, kind) for kind in kinds]))
    if told:
        walk.define(given[0], LOCAL, within, told=f":{told}", visible=lines)


def _leaves(block: Any) -> bool:
    last = block.named_children()[-1:]
    return bool(last) and last[0].kind() in LEAVING


def _end_of(node: Any) -> int:
    """The last line of the block that a statement stands in."""
    parent = node.parent()
    return int(parent.range().end.line) + 1 if parent is not None else 0
