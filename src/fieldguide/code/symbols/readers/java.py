"""Reads symbols of Java: packages, classes, members, local variables, imports and annotated routes."""

from collections.abc import Iterable
from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import READ, TYPE, UNKNOWN, ImportedSymbol, SymbolDefinition
from fieldguide.code.symbols.readers.nodes import find_above, find_lines, find_part, kind_of, select
from fieldguide.code.symbols.readers.table import Declares, LanguageTable, Package, Parts, TypeTable, describe_owner
from fieldguide.code.symbols.readers.walk import SyntaxWalk

STATIC = "static"
CONSTRUCTOR = "new"
ARRAY = "int"
MAPPING = "Mapping"
PATHS = frozenset(("Path", "Get", "Post", "Put", "Delete", "Patch", "Head", "Options"))
STRINGS = frozenset(("string_fragment", "string_content"))
MOST_NODES = 200


def visit_import(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`import a.B.C;`: each class in it is used here, and the last one bound."""
    parts: list[Any] = []
    name = find_part(node, "#scoped_identifier")
    while name is not None:
        is_scoped = name.kind() == "scoped_identifier"
        parts += filter(None, [name.field("name") if is_scoped else name])
        name = name.field("scope") if is_scoped else None
    kinds = [str(each.kind()) for each in node.children()]
    keyword = STATIC if STATIC in kinds else "import"
    is_all = "asterisk" in kinds
    line = node.range().start.line + 1
    path = ""
    for number, each in enumerate(reversed(parts), 1):
        path = f"{path}.{each.text()}" if path else str(each.text())
        if number == len(parts) and not is_all:
            told = walk.imports(ImportedSymbol(path, line, keyword=keyword))
            walk.refer(each, -1, facts.IMPORT, told)
            walk.define(each, facts.IMPORTED, -1, told=told)
        elif str(each.text())[:1].isupper():  # a class that the name goes through
            walk.refer(each, -1, facts.IMPORT, walk.imports(ImportedSymbol(path, line)))
    if path and is_all:
        walk.imports(ImportedSymbol(f"{path}.*", line, facts.EVERYTHING, keyword=keyword))


def define_routes(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """The routes that the annotations of a method declare; the method handles them."""
    for each in select(node, "#modifiers/#annotation"):
        said = find_part(each, "0")
        if said is not None and is_route(str(said.text()).partition("(")[0]):
            for path in find_strings(each):
                told = f"={node.field('name').text()}"
                walk.define(path, facts.ROUTE, within, whole=node, body=node.field("body"), told=told)


def is_route(annotation: str) -> bool:
    """Whether an annotation of a name declares a route."""
    return annotation.endswith(MAPPING) or annotation in PATHS


def find_strings(node: Any) -> list[Any]:
    """The paths among the strings in an annotation."""
    found: list[Any] = []
    pending = [node]
    looked_at = 0
    while pending and looked_at < MOST_NODES:
        each = pending.pop()
        looked_at += 1
        if each.kind() in STRINGS and str(each.text()).startswith("/"):
            found.append(each)
        pending += reversed(each.named_children())
    return found


def choose_field(walk: SyntaxWalk, node: Any, within: int) -> str:
    """The kind of a field; one that is static and final is a constant."""
    words = str((find_part(node, "#modifiers") or node).text()).split()
    return facts.CONSTANT if STATIC in words and "final" in words else facts.FIELD


def describe_variable(walk: SyntaxWalk, node: Any, one: Any, within: int) -> str:
    """The type of one of several names that are declared together, which may be an array of the declared type."""
    told = TYPES.describe(walk, node.field("type"))
    if not told:
        return walk.describe_value(one.field("value"))
    return f":{ARRAY}<{told}>" if one.field("dimensions") is not None else f":{told}"


def describe_several(walk: SyntaxWalk, node: Any, one: Any, within: int) -> str:
    """The type of a parameter that takes several arguments: `Foo... more`."""
    told = TYPES.describe(walk, find_part(node, "~modifiers"))
    return f":{ARRAY}<{told}>" if told else ""


def visit_scoped_type(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a.b.Outer.Inner` where a type is asked for: each part may be a class."""
    parts: list[Any] = []
    pending = [node]
    while pending:
        each = pending.pop()
        if each.kind() == "type_identifier":
            parts.append(each)
        elif each.kind() in ("scoped_type_identifier", "generic_type"):
            pending += reversed(each.named_children())
        else:
            walk.go(each, within, TYPE)
    walk.refer_path(parts, within, role)


def unfold_scoped(node: Any) -> tuple[Any, str]:
    """`a.b` where a type is asked for."""
    first, *rest = node.named_children()
    return first, f".{rest[-1].text()}" if rest else ""


def visit_lambda(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function without a name: a parameter without a type is likely an element of what it is given to."""
    given = node.field("parameters")
    if kind_of(given) == "formal_parameters":
        walk.go(given, within, TYPE)
    elif given is not None:
        names = [given] if given.kind() == "identifier" else list(given.named_children())
        taker = find_above(node, ("method_invocation",), 2)
        told = walk.tell_value(find_part(taker, "object"), "[]") if len(names) == 1 else ""
        for each in names:
            walk.define(each, facts.PARAMETER, within, told=told, visible=find_lines(node))
    walk.go(node.field("body"), within)


def visit_made(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`new Foo(…)`: a use of the class; with a body it is a class of its own, without a name."""
    declared = node.field("type")
    for each in select(node, "~class_body"):
        is_class = declared is not None and each.range() == declared.range()
        walk.go(each, within, facts.CALL if is_class else READ)
    _open_unnamed(walk, node, find_part(node, "#class_body"), TYPES.describe(walk, declared), within)


def open_constant(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """A constant of an enumeration may have a body of its own."""
    owner = walk.definitions[within].name if within >= 0 else ""
    _open_unnamed(walk, node, node.field("body"), owner, within)


def _open_unnamed(walk: SyntaxWalk, node: Any, body: Any, base: str, within: int) -> None:
    """The class without a name whose body this is."""
    if body is not None:
        walk.go(body, define_unnamed(walk, node, f"new {base.partition('<')[0] or 'class'}", [base], within))


def define_unnamed(walk: SyntaxWalk, node: Any, name: str, bases: Iterable[str], within: int) -> int:
    """A class without a name; what it is called here is for people."""
    line, end = find_lines(node)
    column = node.range().start.column
    above = tuple(filter(None, bases))
    return walk.add(SymbolDefinition(name, facts.CLASS, within, line, column, end, bases=above, scope=within))


def visit_method_reference(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`Foo::bar`, `Foo::new`."""
    parts = [each for each in node.children() if each.kind() not in ("::", "type_arguments")]
    if not parts:
        return
    whole = parts[0]
    last = parts[-1]
    is_type = whole.kind() not in ("identifier", "field_access")
    walk.go(whole, within, TYPE if is_type else READ)
    if last.kind() == "identifier" and len(parts) > 1:
        before = TYPES.describe(walk, whole) or walk.expression(whole)
        walk.refer(last, within, facts.CALL, before.partition("<")[0] if is_type else before)


def visit_switch(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A switch: a bare name in a case is a constant of what is looked at."""
    walk.read(node, "condition", within)
    told = walk.expression(node.field("condition"))
    for each in select(node, "body/*/*"):
        is_label = each.kind() == "switch_label" and UNKNOWN not in told
        for name in select(each, "#identifier") if is_label else ():
            walk.refer(name, within, READ, told)
        walk.read(each, "~identifier" if is_label else ".", within)


def define_components(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """What a record holds: a field, and a method that reads it."""
    for each in select(node, "#formal_parameters/*"):
        name = each.field("name")
        if name is not None:
            given = TYPES.tell(walk, each.field("type"))
            line = name.range().start.line + 1
            walk.define(name, facts.FIELD, place, whole=each, told=given)
            walk.add(SymbolDefinition(str(name.text()), facts.OPERATOR, place, line, 0, line, type=given, scope=place))
        walk.read(each, "type:type #modifiers:type", place)


def visit_annotation(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`@Foo(bar = 1)`: each key is an element of it."""
    name = node.field("name")
    walk.go(name, within, TYPE)
    for key in select(node, "arguments/#element_value_pair/key"):
        walk.refer(key, within, facts.CALL, "".join(str(name.text()).split()))
    walk.read(node, "arguments/*", within)


def read_doc(node: Any) -> str:
    """The first paragraph of the comment right above a declaration."""
    above = node.prev()
    if above is None or above.kind() not in ("block_comment", "multiline_comment"):
        return ""
    lines = [line.strip().lstrip("*").strip() for line in str(above.text())[:2000].strip("/*").split("\n")]
    return " ".join(" ".join(lines).split()).partition(" @")[0].partition("<p>")[0].strip()


FIRST_TYPE = "#type_identifier,scoped_type_identifier,generic_type,identifier,scoped_identifier"
TYPES = TypeTable(
    names=frozenset(("type_identifier", "identifier", "scoped_type_identifier", "scoped_identifier")),
    generic={"generic_type": ("0", "1-/*")},
    holders={"array_type": (ARRAY, "element|0"), "array_creation_expression": (ARRAY, "type")},
    inner=dict.fromkeys(("wildcard", "annotated_type", "type_bound", "catch_type"), FIRST_TYPE),
    values={"object_creation_expression": "type", "cast_expression": "type", "array_creation_expression": "."},
    unwrapped={"parenthesized_expression": "0"},
    unnamed=frozenset(("var",)),
)
BASES = "superclass/* interfaces/*/* #extends_interfaces/*/*"
CLASS_PARTS = (
    "type_parameters ^#modifiers:type superclass:inherit interfaces:inherit #extends_interfaces:inherit "
    "^#permits/*:type body"
)
METHOD_PARTS = "type_parameters ^#modifiers:type parameters:type #throws/*:type type:type value body"
METHOD = Declares(facts.METHOD, METHOD_PARTS, declared="type", has_own_types=True, then=define_routes)
FIELDS = "#modifiers:type type:type"
LANGUAGE = LanguageTable(
    "java",
    visits={
        "annotation": visit_annotation,
        "annotation_type_declaration": Declares(facts.INTERFACE, CLASS_PARTS, bases=BASES),
        "annotation_type_element_declaration": METHOD,
        "assignment_expression": Parts("left:write right"),
        "catch_formal_parameter": Declares(facts.LOCAL, "#catch_type:type", declared="#catch_type", visible="block"),
        "class_declaration": Declares(facts.CLASS, CLASS_PARTS, bases=BASES),
        "compact_constructor_declaration": Declares(facts.METHOD, METHOD_PARTS, called=CONSTRUCTOR),
        "constant_declaration": Declares(
            facts.CONSTANT, FIELDS, each="#variable_declarator", told=describe_variable, value="value", body="value"
        ),
        "constructor_declaration": Declares(facts.METHOD, METHOD_PARTS, called=CONSTRUCTOR),
        "element_value_pair": Parts("value"),
        "enhanced_for_statement": Declares(
            facts.LOCAL, "type:type value body", declared="type", element_of="value", visible="lines"
        ),
        "enum_constant": Declares(
            facts.CONSTANT, "^#modifiers:type ^arguments", told=describe_owner, then=open_constant, is_optional=True
        ),
        "enum_declaration": Declares(facts.ENUM, CLASS_PARTS, bases=BASES),
        "field_declaration": Declares(
            choose_field, FIELDS, each="#variable_declarator", told=describe_variable, value="value", body="value"
        ),
        "formal_parameter": Declares(
            facts.PARAMETER, "#modifiers:type type:type", declared="type", visible="closure"
        ),
        "generic_type": Parts("0:= 1-/*:type"),
        "import_declaration": visit_import,
        "instanceof_expression": Declares(
            facts.LOCAL, "left right:type pattern:type", declared="right", visible="block"
        ),
        "interface_declaration": Declares(facts.INTERFACE, CLASS_PARTS, bases=BASES),
        "lambda_expression": visit_lambda,
        "local_variable_declaration": Declares(
            facts.LOCAL, FIELDS, each="#variable_declarator", told=describe_variable, value="value", visible="block"
        ),
        "marker_annotation": visit_annotation,
        "method_declaration": METHOD,
        "method_reference": visit_method_reference,
        "object_creation_expression": visit_made,
        "package_declaration": Package("#scoped_identifier|#identifier"),
        "record_declaration": Declares(facts.CLASS, CLASS_PARTS, bases=BASES, then=define_components),
        "record_pattern_component": Declares(facts.LOCAL, "0:type", name="#identifier", declared="0", visible="block"),
        "resource": Declares(facts.LOCAL, "type:type value", declared="type", value="value", visible="block"),
        "scoped_type_identifier": visit_scoped_type,
        "spread_parameter": Declares(
            facts.PARAMETER, "!name:type", name="#variable_declarator/name", told=describe_several, visible="closure"
        ),
        "switch_expression": visit_switch,
        "type_parameter": Declares(
            facts.PARAMETER, "#type_bound:type", name="#type_identifier|#identifier", declared="#type_bound"
        ),
        "type_pattern": Declares(facts.LOCAL, "0:type", name="#identifier", declared="0", visible="block"),
        "update_expression": Parts("*:write"),
        "variable_declarator": Parts("value"),
    },
    names=frozenset(("identifier", "type_identifier")),
    members={"field_access": ("object", "field"), "scoped_identifier": ("scope", "name")},
    invocations={"method_invocation": ("object", "name")},
    elements={"array_access": "array"},
    wrappers={"parenthesized_expression": "", "generic_type": ""},
    endings={"object_creation_expression": ("type", "()"), "cast_expression": ("type", "()")},
    unfolded={"scoped_type_identifier": unfold_scoped},
    words={"this": "self", "super": "super()"},
    types=TYPES,
    read_doc=read_doc,
    blocks=frozenset((
        "block", "constructor_body", "switch_block_statement_group", "switch_rule", "lambda_expression",
        "for_statement", "enhanced_for_statement", "try_with_resources_statement", "catch_clause", "class_body",
        "method_declaration",
    )),
    closures=frozenset(("lambda_expression",)),
    skipped=frozenset((
        "line_comment", "block_comment", "string_literal", "character_literal", "decimal_integer_literal",
        "integral_type", "void_type", "boolean_type", "floating_point_type", "break_statement", "continue_statement",
        "module_declaration",
    )),
    has_calls_apart=True,
)  # fmt: skip
