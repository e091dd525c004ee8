"""Routes and commands that Go declares by a call or a table: the string is the name."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import COMMAND, ROUTE, UNKNOWN, Definition

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

ROUTING = frozenset((
    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "Any", "Handle", "HandleFunc", "Get", "Post", "Put",
    "Patch", "Delete", "Head", "Options", "Method",
))  # fmt: skip
STRINGS = frozenset(("interpreted_string_literal", "raw_string_literal"))
COMMANDS = "Command"
USE = "Use"


def tell_route(walk: "Walk", called: Any, arguments: Any) -> None:
    """The route that a call declares with its handler: `r.GET("/x", show)`."""
    if called is None or called.kind() != "selector_expression" or arguments is None:
        return
    name = called.field("field")
    if name is None or str(name.text()) not in ROUTING:
        return
    given = list(arguments.named_children())
    path = _content(given[0]) if len(given) > 1 else None
    if path is not None and str(path.text()).startswith("/"):
        handler = walk.expression(given[-1])
        walk.define(path, ROUTE, -1, whole=arguments, told="" if UNKNOWN in handler else f"={handler}")


def tell_command(walk: "Walk", node: Any) -> None:
    """The command that a literal declares: `cobra.Command{Use: "x"}`."""
    declared, body = node.field("type"), node.field("body")
    if declared is None or body is None or walk.expression(declared).rpartition(".")[2] != COMMANDS:
        return
    for each in body.named_children():
        sides = list(each.named_children()) if each.kind() == "keyed_element" else []
        if len(sides) == 2 and str(sides[0].text()) == USE:
            words = _content(next(iter(sides[1].named_children()), None))
            if words is not None and (first := str(words.text()).split(" ")[0]):
                start = words.range().start
                end = node.range().end.line + 1
                walk.add(Definition(first, COMMAND, -1, start.line + 1, start.column, end, walk.signature(node, body)))


def _content(node: Any) -> Any:
    if node is None or node.kind() not in STRINGS:
        return None
    return next(iter(node.named_children()), None)
