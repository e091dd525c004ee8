"""Which lines see what is bound somewhere: to the end of the block around it."""

from collections.abc import Container
from typing import Any

MOST_UP = 40  # nodes above one that are looked at for its block


def visible_from(node: Any, blocks: Container[str]) -> tuple[int, int]:
    """The lines that see what a statement binds: to the end of its block, which is of one of these kinds."""
    around = node.parent()
    for _ in range(MOST_UP):
        if around is None or around.kind() in blocks:
            break
        around = around.parent()
    first = node.range().start.line + 1
    return first, max(first, around.range().end.line + 1 if around is not None else first)


def lines_of(node: Any) -> tuple[int, int]:
    """The lines of a node, counted from 1."""
    span = node.range()
    return span.start.line + 1, span.end.line + 1
