"""Reads symbols of Rust: items, members, paths, calls and `use` declarations."""

from collections.abc import Sequence
from typing import Any

from fieldguide.code.symbols.facts import (
    ALIAS,
    CALL,
    CLASS,
    CONSTANT,
    ENUM,
    EVERYTHING,
    EXTENSION,
    FIELD,
    FUNCTION,
    IMPORT,
    IMPORTED,
    INHERIT,
    INTERFACE,
    LOCAL,
    MACRO,
    METHOD,
    MODULE,
    TYPE,
    UNKNOWN,
    VARIABLE,
    WRITE,
    ImportedSymbol,
    SymbolDefinition,
)
from fieldguide.code.symbols.readers.rust_bindings import (
    bind_closure,
    bind_parameter,
    describe_closure_argument,
    describe_type,
    visit_closure,
    visit_condition,
    visit_for,
    visit_let,
    visit_match,
)
from fieldguide.code.symbols.readers.rust_macros import (
    PARTS,
    open_item_macros,
    read_tokens,
    refer_to_own_type,
    visit_invocation,
)
from fieldguide.code.symbols.readers.table import LanguageTable, kind_of
from fieldguide.code.symbols.readers.walk import SyntaxWalk


def visit_name(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A bare name; `Self` is the type around it."""
    if node.text() == "Self":
        start = node.range().start
        refer_to_own_type(walk, start.line + 1, start.column, within)
        return
    walk.refer(node, within, role)


def visit_path(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a::b`."""
    before = node.field("path")
    name = node.field("name")
    walk.go(before, within, TYPE)
    if name is not None:
        walk.refer(name, within, role, walk.expression(before) if before is not None else "crate")


def visit_generic(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`f::<T>`, `Foo<T>`."""
    walk.go(node.field("function") or node.field("type"), within, role)
    walk.go(node.field("type_arguments"), within, TYPE)


def visit_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A call; a closure that it is given may be given what is in the receiver."""
    called = node.field("function")
    given = node.field("arguments")
    walk.go(called, within, CALL)
    for each in given.named_children() if given is not None else ():
        if each.kind() == "closure_expression":
            bind_closure(walk, each, within, describe_closure_argument(walk, called))
        else:
            walk.go(each, within)


def visit_made(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`Foo { a: b, c }`: its fields are written to."""
    made = node.field("name")
    body = node.field("body")
    walk.go(made, within, CALL)
    told = walk.expression(made)
    for each in body.named_children() if body is not None else ():
        kind = str(each.kind())
        field = each.field("field") if kind == "field_initializer" else None
        if kind == "shorthand_field_initializer":
            field = next((inner for inner in each.named_children() if inner.kind() == "identifier"), None)
            walk.go(field, within)
        if field is not None:
            walk.refer(field, within, WRITE, f"{told}.{PARTS}")
        walk.go(each.field("value") if kind == "field_initializer" else None, within)
        if kind == "base_field_initializer":
            walk.go_below(each, within)


def visit_assignment(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a = b`, `a += b`."""
    walk.go(node.field("left"), within, WRITE)
    walk.go(node.field("right"), within)


def visit_argument(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`Item = T` between angles: the name is the trait's."""
    walk.go(node.field("type"), within, TYPE)


MOST_PATHS = 2_000
MOST_MODULES = 50
WORDS = frozenset(("self", "super", "crate"))
Parts = tuple[str, ...]


def visit_use(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`use a::{b as c, d::*};`."""
    line = node.range().start.line + 1
    pending: list[tuple[Parts, Any]] = [((), node.field("argument"))]
    for _ in range(MOST_PATHS):
        if not pending:
            return
        before, tree = pending.pop()
        kind = kind_of(tree)
        if kind in ("use_list", "scoped_use_list"):
            pending += reversed(_listed(walk, tree, within, before))
        elif kind == "use_as_clause":
            path = before + _path(walk, tree.field("path"), within, before)
            _bind(walk, tree.field("alias"), path, within, line)
        elif kind == "use_wildcard":
            path = before + _path(walk, next(iter(tree.named_children()), None), within, before, is_last=False)
            walk.imports(
                ImportedSymbol(
                    "::".join(path), line, EVERYTHING, False, "use", "::".join(list_module_names(walk, within))
                )
            )
        elif kind and "comment" not in kind:
            path = before + _path(walk, tree, within, before)
            _bind(walk, tree.field("name") or tree, path, within, line)


def _listed(walk: SyntaxWalk, tree: Any, within: int, before: Parts) -> list[tuple[Parts, Any]]:
    """What stands in `{…}` or in `a::{…}`, each with the path before it."""
    inner = tree
    if tree.kind() == "scoped_use_list":
        before = before + _path(walk, tree.field("path"), within, before, is_last=False)
        inner = tree.field("list")
    return [(before, each) for each in inner.named_children()] if inner is not None else []


def visit_extern(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`extern crate a as b;`."""
    name = node.field("name")
    if name is not None:
        told = walk.imports(
            ImportedSymbol(
                "",
                node.range().start.line + 1,
                str(name.text()),
                False,
                "extern",
                "::".join(list_module_names(walk, within)),
            )
        )
        walk.define(node.field("alias") or name, IMPORTED, within, told=told)


def _path(walk: SyntaxWalk, node: Any, within: int, before: Parts, *, is_last: bool = True) -> Parts:
    """The parts of a path, each of which is used here."""
    found: list[Any] = []
    while node is not None and len(found) < 50:
        kind = str(node.kind())
        found.append(node.field("name") if kind == "scoped_identifier" else node)
        node = node.field("path") if kind == "scoped_identifier" else None
    parts = before
    for each in reversed(found):
        name = str(each.text()).removeprefix("r#")
        if name not in WORDS:
            walk.refer(each, within, IMPORT if is_last and each is found[0] else TYPE, ".".join(parts))
        parts = (*parts, name)
    return parts[len(before) :]


def _bind(walk: SyntaxWalk, name: Any, path: Parts, within: int, line: int) -> None:
    if path and path[-1] == "self":  # a::{self}
        path = path[:-1]
    if not path or name is None or name.text() == "_":
        return
    told = walk.imports(
        ImportedSymbol("::".join(path[:-1]), line, path[-1], False, "use", "::".join(list_module_names(walk, within)))
    )
    if name.text() == "self":
        start = name.range().start
        walk.definitions.append(
            SymbolDefinition(path[-1], IMPORTED, within, start.line + 1, start.column, start.line + 1, type=told)
        )
    else:
        walk.define(name, IMPORTED, within, told=told)


def list_module_names(walk: SyntaxWalk, place: int) -> list[str]:
    """The modules of the file that a place is in, the outermost first."""
    names: list[str] = []
    while place >= 0 and len(names) < MOST_MODULES:
        if walk.definitions[place].kind == MODULE:
            names.append(walk.definitions[place].name)
        place = walk.definitions[place].parent
    return names[::-1]


OWNERS = frozenset((EXTENSION, INTERFACE))
MOST_COMMENTS = 30


def visit_function(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function; in an `impl` or a trait a method."""
    name = node.field("name")
    body = node.field("body")
    returned = node.field("return_type")
    if name is None:
        walk.go_below(node, within)
        return
    in_type = within >= 0 and walk.definitions[within].kind in OWNERS
    told = describe_type(walk, returned)
    place = walk.define(
        name, METHOD if in_type else FUNCTION, within, whole=node, body=body, doc=read_doc(node),
        told=f":{told}" if told else "",
    )  # fmt: skip
    _type_parameters(walk, node, place)
    given = node.field("parameters")
    for each in given.named_children() if given is not None else ():
        if each.kind() == "parameter":
            bind_parameter(walk, each, place, place)
    walk.go(returned, place, TYPE)
    walk.go(body, place)


def visit_struct(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A struct or a union, with its fields."""
    _type(walk, node, within, CLASS)


def visit_enum(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """An enum, with its variants."""
    _type(walk, node, within, ENUM)


def visit_trait(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A trait, with what it asks for beside."""
    bounds = node.field("bounds")
    _type(walk, node, within, INTERFACE, bounds.named_children() if bounds is not None else ())


def _type(walk: SyntaxWalk, node: Any, within: int, kind: str, bases: Sequence[Any] = ()) -> None:
    name = node.field("name")
    body = node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    told = [describe_type(walk, each) for each in bases]
    place = walk.define(
        name, kind, within, whole=node, body=body, doc=read_doc(node), bases=[each for each in told if each]
    )
    _type_parameters(walk, node, place)
    for each in bases:
        walk.go(each, within, INHERIT)
    walk.go(body, place)


def visit_impl(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A part of a type that is defined elsewhere; with a trait, what the type is besides."""
    owner = node.field("type")
    above = node.field("trait")
    body = node.field("body")
    told = describe_type(walk, owner)
    inherited = describe_type(walk, above)
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


def _type_parameters(walk: SyntaxWalk, node: Any, place: int) -> None:
    """`<T: Bound>` and `where T: Bound`: what is of that type has what the bound has."""
    where = next((each for each in node.named_children() if each.kind() == "where_clause"), None)
    bounds = _bounds(walk, where)
    given = node.field("type_parameters")
    for each in given.named_children() if given is not None else ():
        name = each.field("name")
        if name is None or each.kind() != "type_parameter":
            continue
        told = _bound(walk, each.field("bounds")) or bounds.get(str(name.text()), "")
        walk.define(name, LOCAL, place, told=f":{told}" if told else "", scope=walk.definitions[place].parent)
        walk.go(each.field("bounds"), place, TYPE)
        walk.go(each.field("default_type"), place, TYPE)
    walk.go(where, place, TYPE)


def _bounds(walk: SyntaxWalk, where: Any) -> dict[str, str]:
    """What `where` says of each type that has a name."""
    bounds: dict[str, str] = {}
    for each in where.named_children() if where is not None else ():
        left = each.field("left")
        if kind_of(left) == "type_identifier":
            bounds.setdefault(str(left.text()), _bound(walk, each.field("bounds")))
    return bounds


def _bound(walk: SyntaxWalk, node: Any) -> str:
    told = [describe_type(walk, each) for each in node.named_children()] if node is not None else []
    return "|".join(each for each in told if each)


def visit_field(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A field of a struct or of a variant."""
    name = node.field("name")
    annotation = node.field("type")
    told = describe_type(walk, annotation)
    walk.go(annotation, within, TYPE)
    if name is not None:
        walk.define(name, FIELD, within, whole=node, doc=read_doc(node), told=f":{told}" if told else "")


def visit_ordered(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """The fields without names of a struct or of a variant: known by their numbers."""
    types = [each for each in node.named_children() if each.kind() not in ("visibility_modifier", "attribute_item")]
    told = [describe_type(walk, each) or UNKNOWN for each in types if "comment" not in each.kind()]
    walk.retype(within, f":tuple<{','.join(told)}>", within)
    for each in types:
        walk.go(each, within, TYPE)


def visit_variant(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A variant of an enum."""
    name = node.field("name")
    body = node.field("body")
    if name is None:
        return
    place = walk.define(name, CONSTANT, within, whole=node, doc=read_doc(node))
    walk.go(body, place)
    walk.go(node.field("value"), within)


def visit_constant(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A `const` or a `static`."""
    name = node.field("name")
    annotation = node.field("type")
    value = node.field("value")
    told = describe_type(walk, annotation)
    kind = VARIABLE if node.kind() == "static_item" else CONSTANT
    if name is not None:
        walk.define(name, kind, within, whole=node, body=value, doc=read_doc(node), told=f":{told}" if told else "")
    walk.go(annotation, within, TYPE)
    walk.go(value, within)


def visit_alias(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`type X = …`, also where a trait asks for one or an `impl` gives it."""
    name = node.field("name")
    meant = node.field("type")
    if name is None:
        return
    told = describe_type(walk, meant) or _bound(walk, node.field("bounds"))
    place = walk.define(name, ALIAS, within, whole=node, doc=read_doc(node), told=f":{told}" if told else "")
    _type_parameters(walk, node, place)
    walk.go(meant, place, TYPE)
    walk.go(node.field("bounds"), place, TYPE)


def visit_module(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A module: here, or in a file of its own."""
    name = node.field("name")
    body = node.field("body")
    if name is None:
        return
    told = ""
    if body is None:
        line = node.range().start.line + 1
        scope = "::".join(list_module_names(walk, within))
        told = walk.imports(ImportedSymbol(str(name.text()), line, "", True, "mod", scope))
    place = walk.define(name, MODULE, within, whole=node, body=body, doc=read_doc(node), told=told)
    walk.go(body, place)


def visit_macro(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`macro_rules! name { … }`: what it will use is only known where it is used."""
    name = node.field("name")
    if name is None:
        return
    place = walk.define(name, MACRO, within, whole=node, doc=read_doc(node))
    for rule in node.named_children():
        if rule.kind() == "macro_rule" and rule.field("right") is not None:
            read_tokens(walk, rule.field("right"), place, is_foreign=True)


def read_doc(node: Any) -> str:
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


LANGUAGE = LanguageTable(
    "rust",
    visits={
        "assignment_expression": visit_assignment,
        "associated_type": visit_alias,
        "call_expression": visit_call,
        "closure_expression": visit_closure,
        "compound_assignment_expr": visit_assignment,
        "const_item": visit_constant,
        "enum_item": visit_enum,
        "enum_variant": visit_variant,
        "extern_crate_declaration": visit_extern,
        "field_declaration": visit_field,
        "for_expression": visit_for,
        "function_item": visit_function,
        "function_signature_item": visit_function,
        "generic_function": visit_generic,
        "generic_type": visit_generic,
        "generic_type_with_turbofish": visit_generic,
        "identifier": visit_name,
        "impl_item": visit_impl,
        "let_condition": visit_condition,
        "let_declaration": visit_let,
        "macro_definition": visit_macro,
        "macro_invocation": visit_invocation,
        "match_expression": visit_match,
        "mod_item": visit_module,
        "ordered_field_declaration_list": visit_ordered,
        "scoped_identifier": visit_path,
        "scoped_type_identifier": visit_path,
        "static_item": visit_constant,
        "struct_expression": visit_made,
        "struct_item": visit_struct,
        "trait_item": visit_trait,
        "type_binding": visit_argument,
        "type_identifier": visit_name,
        "type_item": visit_alias,
        "union_item": visit_struct,
        "use_declaration": visit_use,
    },
    names=frozenset(("identifier", "type_identifier")),
    members={
        "field_expression": ("value", "field"),
        "scoped_identifier": ("path", "name"),
        "scoped_type_identifier": ("path", "name"),
    },
    calls={"call_expression": "function"},
    endings={
        "index_expression": ("", "[]"),
        "struct_expression": ("name", "()"),
        "try_expression": ("", ".unwrap()"),
    },
    wrappers={
        "await_expression": "", "bracketed_type": "", "generic_function": "function", "generic_type": "type",
        "generic_type_with_turbofish": "type", "parenthesized_expression": "", "qualified_type": "type",
        "reference_expression": "value", "unary_expression": "",
    },
    words={"crate": "crate", "self": "self", "super": "super"},
    skipped=frozenset((
        "attribute_item", "block_comment", "crate", "inner_attribute_item", "label", "lifetime", "line_comment",
        "primitive_type", "self", "string_literal", "super", "visibility_modifier",
    )),
    prepare=open_item_macros,
)  # fmt: skip
