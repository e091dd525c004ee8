"""The shape of a piece of code: what is left of it when its own names and values are taken away."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ast_grep_py import SgNode

NAMES = frozenset(
    ("identifier", "shorthand_property_identifier", "variable_name", "simple_identifier", "package_identifier")
)
VALUES = frozenset(
    (
        "string",
        "integer",
        "float",
        "number",
        "string_literal",
        "interpreted_string_literal",
        "raw_string_literal",
        "template_string",
        "int_literal",
        "float_literal",
        "decimal_integer_literal",
        "decimal_floating_point_literal",
        "character_literal",
        "concatenated_string",
    )
)
CALLS = frozenset(
    (
        "call",
        "call_expression",
        "method_invocation",
        "invocation_expression",
        "new_expression",
        "object_creation_expression",
    )
)
MEMBERS = frozenset(
    ("attribute", "member_expression", "selector_expression", "field_access", "member_access_expression")
)
COMMENTS = frozenset(("comment", "line_comment", "block_comment"))
MOST_TOKENS = 2_000
FEWEST_TOKENS = 12


def shape_of(node: "SgNode") -> tuple[str, ...]:
    """The tokens of a node: its own names are `$`, its values `#`; what it calls and reaches for stays."""
    tokens: list[str] = []
    for token in _tokens(node):
        tokens.append(token)
        if len(tokens) > MOST_TOKENS:
            break
    return tuple(tokens)


def units_of(root: "SgNode") -> "Iterator[SgNode]":
    """The pieces of an example that can be met again elsewhere: its statements, when they are not trivial."""
    for child in root.children():
        kind = child.kind()
        if (
            child.is_named()
            and kind not in COMMENTS
            and "import" not in kind
            and "package" not in kind
            and kind != "ERROR"
        ):
            yield child


def is_telling(shape: tuple[str, ...]) -> bool:
    """Whether a shape says enough to be recognised by."""
    words = {token for token in shape if token.isidentifier()}
    return FEWEST_TOKENS <= len(shape) <= MOST_TOKENS and len(words) >= 3


def _tokens(node: "SgNode") -> Iterator[str]:
    waiting = [(node, "", 0)]
    while waiting:
        each, parent, place = waiting.pop()
        kind = each.kind()
        if kind in COMMENTS:
            continue
        if kind in VALUES:
            yield "#"
            continue
        children = each.children()
        if children:
            waiting += [(child, kind, number) for number, child in reversed(list(enumerate(children)))]
        elif kind in NAMES and not _is_kept(parent, place):
            yield "$"
        else:
            yield each.text()


def _is_kept(parent: str, place: int) -> bool:
    """Whether a name says what is done: a callee, or what is reached for in an object."""
    if parent in MEMBERS or parent == "method_invocation":
        return place > 0
    return parent in CALLS or parent == "decorator"
