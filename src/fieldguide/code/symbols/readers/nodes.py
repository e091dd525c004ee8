"""Finds nodes of a syntax tree by selectors, and what stands around a node.

A *selector* finds nodes: `name` is a field, `#kind` the children of a kind or of several (`#a,b`), `~kind` all others,
`0` the first named child, `1-` all after it, `*` all of them, `!name` all but a field, `=` what stands after that sign,
and `.` the node itself. `name[kind]` is a field with a node of that kind. `a/b` selects in what was selected, and `a|b`
takes the first that finds something.
"""

from collections.abc import Callable, Container, Sequence
from functools import cache
from typing import Any

Selecting = Callable[[Any], Sequence[Any]]


def select(node: Any, selector: str) -> Sequence[Any]:
    """The nodes that a selector finds, in the order of the text; none where there is no node to look in."""
    return () if node is None else parse_selector(selector)(node)


def find_part(node: Any, selector: str) -> Any:
    """The first node that a selector finds; nothing where there is none, or no node to look in."""
    if node is None or not selector:
        return None
    if selector.isidentifier():
        return node.field(selector)
    return next(iter(parse_selector(selector)(node)), None)


@cache
def parse_selector(selector: str) -> Selecting:
    """What finds the nodes of a selector in a node."""
    first, *others = [_parse_path(path) for path in selector.split("|")]
    if not others:
        return first
    return lambda node: first(node) or next(filter(None, (each(node) for each in others)), ())


def _parse_path(path: str) -> Selecting:
    first, *others = map(_parse_step, path.split("/"))
    if not others:
        return first

    def find(node: Any) -> Sequence[Any]:
        found = first(node)
        for step in others:
            found = [each for whole in found for each in step(whole)]
        return found

    return find


def _parse_step(step: str) -> Selecting:
    """What one step of a selector finds in a node."""
    if step.endswith("]"):
        name, _, listed = step[:-1].partition("[")
        return lambda node: [each for each in select(node, name) if each.kind() in listed.split(",")]
    kinds = frozenset(step[1:].split(","))
    special: dict[str, Selecting] = {
        ".": lambda node: (node,),
        "=": lambda node: _list_one(find_assigned(node)),
        "*": lambda node: node.named_children(),
        "0": lambda node: node.named_children()[:1],
        "1-": lambda node: node.named_children()[1:],
        "#": lambda node: [each for each in node.named_children() if each.kind() in kinds],
        "~": lambda node: [each for each in node.named_children() if each.kind() not in kinds],
        "!": lambda node: _select_others(node, node.field(step[1:])),
    }
    return special.get(step) or special.get(step[0]) or (lambda node: _list_one(node.field(step)))


def _list_one(node: Any) -> Sequence[Any]:
    return () if node is None else (node,)


def _select_others(node: Any, left_out: Any) -> Sequence[Any]:
    """The children of a node but one."""
    children: Sequence[Any] = node.named_children()
    return children if left_out is None else [each for each in children if each != left_out]


def find_assigned(node: Any) -> Any:
    """The value after the `=` of a declaration."""
    is_after = False
    for each in node.children():
        if is_after and each.is_named() and "comment" not in each.kind():
            return each
        is_after = is_after or each.text() == "="
    return None


def kind_of(node: Any) -> str:
    """The kind of a node; empty where there is none."""
    return "" if node is None else str(node.kind())


MOST_UP = 40  # nodes above one that are looked at for its block


def find_above(node: Any, kinds: Container[str], most: int) -> Any:
    """The nearest node around one that is of some kinds; nothing where that is further up than so many steps."""
    for _ in range(most):
        node = node.parent()
        if node is None or node.kind() in kinds:
            return node
    return None


def find_visible_lines(node: Any, blocks: Container[str]) -> tuple[int, int]:
    """The lines that see what a statement binds: to the end of its block, which is of one of these kinds."""
    around = find_above(node, blocks, MOST_UP)
    first = node.range().start.line + 1
    return first, max(first, around.range().end.line + 1 if around is not None else first)


def list_comments_above(node: Any, most: int, *, first: Any = None, is_near: bool = True) -> list[str]:
    """The texts of the comments above a node, without a line between them where they must be near."""
    found: list[str] = []
    line = node.range().start.line
    comment = first if first is not None else node.prev()
    while kind_of(comment) == "comment" and len(found) < most:
        if is_near and comment.range().end.line < line - 1:
            break
        found.append(str(comment.text()))
        line = comment.range().start.line
        comment = comment.prev()
    return found[::-1]


def find_lines(node: Any) -> tuple[int, int]:
    """The lines of a node, counted from 1."""
    span = node.range()
    return span.start.line + 1, span.end.line + 1
