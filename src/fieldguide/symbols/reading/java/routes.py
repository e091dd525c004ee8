"""Routes that Java and Kotlin declare by an annotation: `@GetMapping("/x")`."""

from typing import TYPE_CHECKING, Any

from fieldguide.symbols.facts import ROUTE

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

MAPPING = "Mapping"
PATHS = frozenset(("Path", "Get", "Post", "Put", "Delete", "Patch", "Head", "Options"))
STRINGS = frozenset(("string_fragment", "string_content"))
MOST_NODES = 200


def tell_routes(walk: "Walk", node: Any, within: int) -> None:
    """The routes that the annotations of a method declare; the method handles them."""
    name = node.field("name")
    modifiers = next((each for each in node.named_children() if each.kind() == "modifiers"), None)
    for each in modifiers.named_children() if modifiers is not None else ():
        if each.kind() != "annotation" or name is None:
            continue
        said = next(iter(each.named_children()), None)
        called = str(said.text()).partition("(")[0] if said is not None else ""
        if is_route(called):
            for path in strings_in(each):
                walk.define(path, ROUTE, within, whole=node, body=node.field("body"), told=f"={name.text()}")


def is_route(annotation: str) -> bool:
    """Whether an annotation of a name declares a route."""
    return annotation.endswith(MAPPING) or annotation in PATHS


def strings_in(node: Any) -> list[Any]:
    """The paths among the strings in an annotation."""
    found: list[Any] = []
    pending, looked_at = [node], 0
    while pending and looked_at < MOST_NODES:
        each = pending.pop()
        looked_at += 1
        if each.kind() in STRINGS and str(each.text()).startswith("/"):
            found.append(each)
        pending += reversed(each.named_children())
    return found
