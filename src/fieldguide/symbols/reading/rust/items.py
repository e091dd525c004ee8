"""Rust: items, what belongs to types, and paths."""

from collections.abc import Sequence
from typing import Any

from fieldguide.symbols.facts import (
    ALIAS,
    CLASS,
    CONSTANT,
    ENUM,
    EXTENSION,
    FIELD,
    FUNCTION,
    INHERIT,
    INTERFACE,
    LOCAL,
    MACRO,
    METHOD,
    MODULE,
    TYPE,
    UNKNOWN,
    VARIABLE,
    Imported,
)
from fieldguide.symbols.reading.rust.binding import (
    bind_parameter,
)
from fieldguide.symbols.reading.rust.macros import (
    read_tokens,
)
from fieldguide.symbols.reading.rust.types import told_type
from fieldguide.symbols.reading.rust.uses import module_names
from fieldguide.symbols.reading.walk import Walk, kind_of

OWNERS = frozenset((EXTENSION, INTERFACE))
MOST_COMMENTS = 30


def visit_function(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function; in an `impl` or a trait a method."""
    name, body, returned = node.field("name"), node.field("body"), node.field("return_type")
    if name is None:
        walk.go_below(node, within)
        return
    in_type = within >= 0 and walk.definitions[within].kind in OWNERS
    told = told_type(walk, returned)
    place = walk.define(
        name, METHOD if in_type else FUNCTION, within, whole=node, body=body, doc=doc_above(node),
        told=f":{told}" if told else "",
    )  # fmt: skip
    _type_parameters(walk, node, place)
    given = node.field("parameters")
    for each in given.named_children() if given is not None else ():
        if each.kind() == "parameter":
            bind_parameter(walk, each, place, place)
    walk.go(returned, place, TYPE)
    walk.go(body, place)


def visit_struct(walk: Walk, node: Any, within: int, role: str) -> None:
    """A struct or a union, with its fields."""
    _type(walk, node, within, CLASS)


def visit_enum(walk: Walk, node: Any, within: int, role: str) -> None:
    """An enum, with its variants."""
    _type(walk, node, within, ENUM)


def visit_trait(walk: Walk, node: Any, within: int, role: str) -> None:
    """A trait, with what it asks for beside."""
    bounds = node.field("bounds")
    _type(walk, node, within, INTERFACE, bounds.named_children() if bounds is not None else ())


def _type(walk: Walk, node: Any, within: int, kind: str, bases: Sequence[Any] = ()) -> None:
    name, body = node.field("name"), node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    told = [told_type(walk, each) for each in bases]
    place = walk.define(
        name, kind, within, whole=node, body=body, doc=doc_above(node), bases=[each for each in told if each]
    )
    _type_parameters(walk, node, place)
    for each in bases:
        walk.go(each, within, INHERIT)
    walk.go(body, place)


def visit_impl(walk: Walk, node: Any, within: int, role: str) -> None:
    """A part of a type that is defined elsewhere; with a trait, what the type is besides."""
    owner, above, body = node.field("type"), node.field("trait"), node.field("body")
    told, inherited = told_type(walk, owner), told_type(walk, above)
    name = _last_name(owner)
    if not told or name is None:
        walk.go_below(node, within)
        return
    place = walk.define(
        name,
        EXTENSION,
        within,
        whole=node,
        body=body,
        told=f":{told}",
        bases=[inherited] if inherited else (),
        scope=within,
    )
    _type_parameters(walk, node, place)
    walk.go(above, place, INHERIT)
    walk.go(owner, place, TYPE)
    walk.go(body, place)


def _last_name(node: Any) -> Any:
    for _ in range(8):
        if node is None or node.kind() in ("type_identifier", "primitive_type"):
            return node
        kind = str(node.kind())
        field = {"scoped_type_identifier": "name", "generic_type": "type", "reference_type": "type"}.get(kind)
        node = node.field(field) if field else None
    return None


def _type_parameters(walk: Walk, node: Any, place: int) -> None:
    """`<T: Bound>` and `where T: Bound`: what is of that type has what the bound has."""
    where = next((each for each in node.named_children() if each.kind() == "where_clause"), None)
    bounds, given = _bounds(walk, where), node.field("type_parameters")
    for each in given.named_children() if given is not None else ():
        name = each.field("name")
        if name is None or each.kind() != "type_parameter":
            continue
        told = _bound(walk, each.field("bounds")) or bounds.get(str(name.text()), "")
        walk.define(name, LOCAL, place, told=f":{told}" if told else "", scope=walk.definitions[place].parent)
        walk.go(each.field("bounds"), place, TYPE)
        walk.go(each.field("default_type"), place, TYPE)
    walk.go(where, place, TYPE)


def _bounds(walk: Walk, where: Any) -> dict[str, str]:
    """What `where` says of each type that has a name."""
    bounds: dict[str, str] = {}
    for each in where.named_children() if where is not None else ():
        left = each.field("left")
        if kind_of(left) == "type_identifier":
            bounds.setdefault(str(left.text()), _bound(walk, each.field("bounds")))
    return bounds


def _bound(walk: Walk, node: Any) -> str:
    told = [told_type(walk, each) for each in node.named_children()] if node is not None else []
    return "|".join(each for each in told if each)


def visit_field(walk: Walk, node: Any, within: int, role: str) -> None:
    """A field of a struct or of a variant."""
    name, annotation = node.field("name"), node.field("type")
    told = told_type(walk, annotation)
    walk.go(annotation, within, TYPE)
    if name is not None:
        walk.define(name, FIELD, within, whole=node, doc=doc_above(node), told=f":{told}" if told else "")


def visit_ordered(walk: Walk, node: Any, within: int, role: str) -> None:
    """The fields without names of a struct or of a variant: known by their numbers."""
    types = [each for each in node.named_children() if each.kind() not in ("visibility_modifier", "attribute_item")]
    told = [told_type(walk, each) or UNKNOWN for each in types if "comment" not in each.kind()]
    walk.retype(within, f":tuple<{','.join(told)}>", within)
    for each in types:
        walk.go(each, within, TYPE)


def visit_variant(walk: Walk, node: Any, within: int, role: str) -> None:
    """A variant of an enum."""
    name, body = node.field("name"), node.field("body")
    if name is None:
        return
    place = walk.define(name, CONSTANT, within, whole=node, doc=doc_above(node))
    walk.go(body, place)
    walk.go(node.field("value"), within)


def visit_constant(walk: Walk, node: Any, within: int, role: str) -> None:
    """A `const` or a `static`."""
    name, annotation, value = node.field("name"), node.field("type"), node.field("value")
    told = told_type(walk, annotation)
    kind = VARIABLE if node.kind() == "static_item" else CONSTANT
    if name is not None:
        walk.define(name, kind, within, whole=node, body=value, doc=doc_above(node), told=f":{told}" if told else "")
    walk.go(annotation, within, TYPE)
    walk.go(value, within)


def visit_alias(walk: Walk, node: Any, within: int, role: str) -> None:
    """`type X = …`, also where a trait asks for one or an `impl` gives it."""
    name, meant = node.field("name"), node.field("type")
    if name is None:
        return
    told = told_type(walk, meant) or _bound(walk, node.field("bounds"))
    place = walk.define(name, ALIAS, within, whole=node, doc=doc_above(node), told=f":{told}" if told else "")
    _type_parameters(walk, node, place)
    walk.go(meant, place, TYPE)
    walk.go(node.field("bounds"), place, TYPE)


def visit_module(walk: Walk, node: Any, within: int, role: str) -> None:
    """A module: here, or in a file of its own."""
    name, body = node.field("name"), node.field("body")
    if name is None:
        return
    told = ""
    if body is None:
        line, scope = node.range().start.line + 1, "::".join(module_names(walk, within))
        told = walk.imports(Imported(str(name.text()), line, "", True, "mod", scope))
    place = walk.define(name, MODULE, within, whole=node, body=body, doc=doc_above(node), told=told)
    walk.go(body, place)


def visit_macro(walk: Walk, node: Any, within: int, role: str) -> None:
    """`macro_rules! name { … }`: what it will use is only known where it is used."""
    name = node.field("name")
    if name is None:
        return
    place = walk.define(name, MACRO, within, whole=node, doc=doc_above(node))
    for rule in node.named_children():
        if rule.kind() == "macro_rule" and rule.field("right") is not None:
            read_tokens(walk, rule.field("right"), place, is_foreign=True)


def doc_above(node: Any) -> str:
    """The first paragraph of the comment before an item that is written for readers of its documentation."""
    lines: list[str] = []
    before = node.prev()
    for _ in range(MOST_COMMENTS):
        kind = kind_of(before)
        if kind == "line_comment" and before.text().startswith("///"):
            lines.append(before.text().removeprefix("///").strip())
        elif kind != "attribute_item" and kind != "line_comment":
            break
        before = before.prev()
    return "\n".join(reversed(lines)).strip().partition("\n\n")[0].replace("\n", " ")
