"""Where a tree is broken: what a parser could make nothing of, or made up to go on."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MOST_ERRORS = 200


def broken_node(root: "SgNode") -> "SgNode | None":
    """The innermost beginning of the first error, or a token that the parser made up to go on."""
    error = _innermost(root.find_all(kind="ERROR")[:MOST_ERRORS])
    made_up = next((node for node in root.find_all(regex="^$") if node.is_leaf() and not node.is_named()), None)
    both = [node for node in (error, made_up) if node is not None]
    return min(both, key=lambda node: node.range().start.index, default=None)


def _innermost(errors: "list[SgNode]") -> "SgNode | None":
    """Of the first error the part in which it really lies; errors come from the outside in."""
    if not errors:
        return None
    found, place = errors[0], errors[0].range()
    for each in errors[1:]:
        inner = each.range()
        if inner.start.index >= place.end.index:
            break
        if inner.start.index > place.start.index:
            found, place = each, inner
    return found


def broken_share(root: "SgNode") -> float:
    """How much of a text the parser could make nothing of."""
    broken = sum(_length(node) for node in root.find_all(kind="ERROR"))
    return broken / max(1, _length(root))


def _length(node: "SgNode") -> int:
    place = node.range()
    return place.end.index - place.start.index
