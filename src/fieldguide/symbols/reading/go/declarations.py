"""Go: definitions of a file, methods by their receivers, and imports."""

from typing import Any

from fieldguide.symbols.facts import (
    CALL,
    EVERYTHING,
    EXTENSION,
    FUNCTION,
    IMPORTED,
    METHOD,
    PARAMETER,
    READ,
    TYPE,
    TYPES,
    Definition,
    Imported,
)
from fieldguide.symbols.reading.go.blocks import (
    NOBODY,
    visit_assignment,
    visit_literal,
    visit_range,
    visit_receive,
    visit_short,
    visit_step,
    visit_type_switch,
    visit_value,
)
from fieldguide.symbols.reading.go.routes import tell_command, tell_route
from fieldguide.symbols.reading.go.type_declarations import (
    bind_type_parameters,
    doc_before,
    extension,
    owner_in,
    visit_embedded,
    visit_field,
    visit_function_type,
    visit_interface_method,
    visit_type,
)
from fieldguide.symbols.reading.go.types import told_result, told_type
from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.walk import Walk

PACKAGE = "package"
PREDECLARED = (
    "any append bool byte cap complex64 complex128 error false float32 float64 int int8 int16 int32 int64 iota len "
    "make nil panic recover rune string true uint uint8 uint16 uint32 uint64 uintptr _"
)


def visit_package(walk: Walk, node: Any, within: int, role: str) -> None:
    """The package that the file is a part of."""
    name = next(iter(node.named_children()), None)
    if name is not None:
        walk.imports(Imported(str(name.text()), node.range().start.line + 1, keyword=PACKAGE))


def visit_import(walk: Walk, node: Any, within: int, role: str) -> None:
    """`import m "a/b"`; without a name of its own it is called as the last part says."""
    path, name = node.field("path"), node.field("name")
    text = str(path.text()).strip('"`') if path is not None else ""
    span = node.range()
    line = span.start.line + 1
    one = Imported(text, line, is_relative=text.startswith("."))
    if not text or (name is not None and name.text() == NOBODY):
        return
    if name is not None and name.kind() == "dot":
        walk.imports(one._replace(name=EVERYTHING))
    elif name is not None:
        walk.define(name, IMPORTED, -1, told=walk.imports(one))
    else:
        told = walk.imports(one)
        walk.add(Definition(package_name(text), IMPORTED, -1, line, span.start.column, line, type=told))


def package_name(text: str) -> str:
    """What a package is likely called: the last part of its path that is no version."""
    parts = [each for each in text.split("/") if each]
    is_version = len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit()
    last = parts[-2] if is_version else parts[-1] if parts else text
    stem, dot, version = last.partition(".v")
    last = stem if dot and version.isdigit() else last
    return last.removeprefix("go-").removesuffix("-go").replace("-", "_")


def visit_function(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function, with its parameters and results."""
    name = node.field("name")
    if name is None:
        walk.go_below(node, within)
        return
    place = walk.define(
        name, FUNCTION, -1, whole=node, body=node.field("body"), doc=doc_before(node),
        told=told_result(walk, node.field("result")), scope=-1,
    )  # fmt: skip
    _inside(walk, node, place)


def visit_method(walk: Walk, node: Any, within: int, role: str) -> None:
    """A method: it belongs to the type of its receiver, wherever in the package that is."""
    name, receiver = node.field("name"), node.field("receiver")
    one = next(iter(receiver.named_children()), None) if receiver is not None else None
    owner = owner_in(one.field("type")) if one is not None else None
    if name is None or owner is None:
        walk.go_below(node, within)
        return
    parent = extension(walk, owner)
    place = walk.define(
        name, METHOD, parent, whole=node, body=node.field("body"), doc=doc_before(node),
        told=told_result(walk, node.field("result")), scope=-1,
    )  # fmt: skip
    _parameters(walk, receiver, place, (0, 0))
    _inside(walk, node, place)


def _inside(walk: Walk, node: Any, place: int) -> None:
    bind_type_parameters(walk, node.field("type_parameters"), place)
    _parameters(walk, node.field("parameters"), place, (0, 0))
    result = node.field("result")
    if result is not None and result.kind() == "parameter_list":
        _parameters(walk, result, place, (0, 0))
    else:
        walk.go(result, place, TYPE)
    walk.go(node.field("body"), place)


def _parameters(walk: Walk, node: Any, place: int, visible: tuple[int, int]) -> None:
    for each in node.named_children() if node is not None else ():
        declared, told = each.field("type"), told_type(walk, each.field("type"))
        told = f"map<{told}>" if told and each.kind() == "variadic_parameter_declaration" else told
        for name in each.field_children("name"):
            if name.kind() == "identifier" and name.text() != NOBODY:
                walk.define(name, PARAMETER, place, told=f":{told}" if told else "", visible=visible)
        walk.go(declared, place, TYPE)


def visit_function_literal(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    span = node.range()
    lines = (span.start.line + 1, span.end.line + 1)
    for field in ("parameters", "result"):
        part = node.field(field)
        if part is not None and part.kind() == "parameter_list":
            _parameters(walk, part, within, lines)
        else:
            walk.go(part, within, TYPE)
    walk.go(node.field("body"), within)


def visit_call(walk: Walk, node: Any, within: int, role: str) -> None:
    """A call; it may declare a route."""
    called, arguments = node.field("function"), node.field("arguments")
    walk.go(called, within, CALL)
    walk.go(node.field("type_arguments"), within, TYPE)
    walk.go(arguments, within, READ)
    tell_route(walk, called, arguments)


def visit_made(walk: Walk, node: Any, within: int, role: str) -> None:
    """A literal with its type; it may declare a command."""
    visit_literal(walk, node, within, role)
    tell_command(walk, node)


def finish(walk: Walk) -> None:
    """Methods whose type is in the same file belong to its definition."""
    for place, each in enumerate(walk.definitions):
        if each.kind == METHOD and each.parent >= 0 and walk.definitions[each.parent].kind == EXTENSION:
            owner = walk.bound(-1, walk.definitions[each.parent].name)
            if owner is not None and walk.definitions[owner].kind in TYPES:
                walk.definitions[place] = each._replace(parent=owner)


LANGUAGE = Language(
    "go",
    visits={
        "assignment_statement": visit_assignment,
        "call_expression": visit_call,
        "composite_literal": visit_made,
        "const_spec": visit_value,
        "dec_statement": visit_step,
        "field_declaration": visit_field,
        "func_literal": visit_function_literal,
        "function_declaration": visit_function,
        "function_type": visit_function_type,
        "import_spec": visit_import,
        "inc_statement": visit_step,
        "method_declaration": visit_method,
        "method_elem": visit_interface_method,
        "package_clause": visit_package,
        "range_clause": visit_range,
        "receive_statement": visit_receive,
        "short_var_declaration": visit_short,
        "type_alias": visit_type,
        "type_elem": visit_embedded,
        "type_spec": visit_type,
        "type_switch_statement": visit_type_switch,
        "var_spec": visit_value,
    },
    names=frozenset(("identifier", "type_identifier", "package_identifier")),
    members={"selector_expression": ("operand", "field"), "qualified_type": ("package", "name")},
    calls={"call_expression": "function"},
    elements={"index_expression": "operand", "slice_expression": ""},
    wrappers={
        "parenthesized_expression": "", "pointer_type": "", "unary_expression": "operand", "generic_type": "type",
        "parenthesized_type": "",
    },
    endings={
        "composite_literal": ("type", "()"),
        "type_assertion_expression": ("type", "()"),
        "type_conversion_expression": ("type", "()"),
    },
    words={name: name for name in PREDECLARED.split()},
    skipped=frozenset((
        "comment", "interpreted_string_literal", "raw_string_literal", "label_name", "break_statement",
        "continue_statement", "goto_statement", "int_literal", "float_literal", "rune_literal", "nil", "true", "false",
    )),
    finish=finish,
)  # fmt: skip
