"""Reads symbols of Java: packages, classes, members, local variables, imports and annotated routes."""

from collections.abc import Callable
from typing import Any

from fieldguide.code.symbols.facts import (
    CALL,
    CLASS,
    CONSTANT,
    ENUM,
    EVERYTHING,
    FIELD,
    IMPORT,
    IMPORTED,
    INHERIT,
    INTERFACE,
    LOCAL,
    METHOD,
    OPERATOR,
    PARAMETER,
    READ,
    ROUTE,
    TYPE,
    UNKNOWN,
    WRITE,
    ImportedSymbol,
    SymbolDefinition,
)
from fieldguide.code.symbols.readers.walk import (
    LanguageTable,
    SyntaxWalk,
    describe_element,
    find_lines,
    find_visible_lines,
)

PACKAGE = "package"
STATIC = "static"


def visit_package(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """The package of the file."""
    name = next((each for each in node.named_children() if each.kind() in ("identifier", "scoped_identifier")), None)
    if name is not None:
        walk.imports(ImportedSymbol("".join(str(name.text()).split()), node.range().start.line + 1, keyword=PACKAGE))


def visit_import(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`import a.B.C;`: each class in it is used here, and the last one bound."""
    parts = list_name_parts(next((each for each in node.named_children() if each.kind() == "scoped_identifier"), None))
    if not parts:
        return
    kinds = [str(each.kind()) for each in node.children()]
    keyword = STATIC if STATIC in kinds else "import"
    name = ".".join(str(each.text()) for each in parts)
    line = node.range().start.line + 1
    if "asterisk" in kinds:
        _refer_classes(walk, parts, line)
        walk.imports(ImportedSymbol(f"{name}.*", line, EVERYTHING, keyword=keyword))
        return
    _refer_classes(walk, parts[:-1], line)
    told = walk.imports(ImportedSymbol(name, line, keyword=keyword))
    walk.refer(parts[-1], -1, IMPORT, told)
    walk.define(parts[-1], IMPORTED, -1, told=told)


def _refer_classes(walk: "SyntaxWalk", parts: list[Any], line: int) -> None:
    """The classes that a name goes through: what is written large."""
    before = ""
    for each in parts:
        name = f"{before}{each.text()}"
        if str(each.text())[:1].isupper():
            walk.refer(each, -1, IMPORT, walk.imports(ImportedSymbol(name, line)))
        before = f"{name}."


def list_name_parts(node: Any) -> list[Any]:
    """The parts of a name with dots."""
    found: list[Any] = []
    while node is not None and node.kind() == "scoped_identifier":
        if (name := node.field("name")) is not None:
            found.append(name)
        node = node.field("scope")
    return [each for each in (node, *reversed(found)) if each is not None]


MAPPING = "Mapping"
PATHS = frozenset(("Path", "Get", "Post", "Put", "Delete", "Patch", "Head", "Options"))
STRINGS = frozenset(("string_fragment", "string_content"))
MOST_NODES = 200


def define_routes(walk: "SyntaxWalk", node: Any, within: int) -> None:
    """The routes that the annotations of a method declare; the method handles them."""
    name = node.field("name")
    modifiers = next((each for each in node.named_children() if each.kind() == "modifiers"), None)
    for each in modifiers.named_children() if modifiers is not None else ():
        if each.kind() != "annotation" or name is None:
            continue
        said = next(iter(each.named_children()), None)
        called = str(said.text()).partition("(")[0] if said is not None else ""
        if is_route(called):
            for path in find_strings(each):
                walk.define(path, ROUTE, within, whole=node, body=node.field("body"), told=f"={name.text()}")


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


DEEPEST = 8
MOST_ARGUMENTS = 4
LONGEST_NAME = 120
ARRAY = "int"
ANY_TYPE = "var"
PLAIN = frozenset(("type_identifier", "identifier", "scoped_type_identifier", "scoped_identifier"))
NAMED = PLAIN | {"generic_type"}


def describe_type(node: Any, depth: int = 0) -> str:
    """A type as an expression; nothing where it says nothing."""
    if node is None or depth > DEEPEST:
        return ""
    tell = TELLING.get(str(node.kind()))
    return "" if tell is None else tell(node, depth + 1)


def _plain(node: Any, depth: int) -> str:
    text = str(node.text())
    return "" if text == ANY_TYPE or "@" in text or len(text) > LONGEST_NAME else "".join(text.split())


def _generic(node: Any, depth: int) -> str:
    whole, *rest = node.named_children()
    given = [each for part in rest for each in part.named_children()][:MOST_ARGUMENTS]
    name = describe_type(whole, depth)
    inner = [describe_type(each, depth) or UNKNOWN for each in given]
    return f"{name}<{','.join(inner)}>" if name and inner else name


def _array(node: Any, depth: int) -> str:
    return f"{ARRAY}<{describe_type(node.field('element') or _first(node), depth) or UNKNOWN}>"


def _first_inside(node: Any, depth: int) -> str:
    """`? extends T`, `@Nullable T`, `A | B`: the first type that stands in it."""
    return describe_type(next((each for each in node.named_children() if each.kind() in NAMED), None), depth)


TELLING: dict[str, Callable[[Any, int], str]] = {
    **dict.fromkeys(PLAIN, _plain),
    "generic_type": _generic,
    "array_type": _array,
    **dict.fromkeys(("wildcard", "annotated_type", "type_bound", "catch_type"), _first_inside),
}
"""How each kind of type is told: by its node, and the depth of what stands in it."""


def describe_value(walk: "SyntaxWalk", node: Any) -> str:
    """A value as what a definition's type says; nothing where it is not plain."""
    for _ in range(DEEPEST):
        if node is None:
            return ""
        kind = str(node.kind())
        if kind in ("object_creation_expression", "cast_expression"):
            told = describe_type(node.field("type"))
            return f":{told}" if told else ""
        if kind == "array_creation_expression":
            return f":{ARRAY}<{describe_type(node.field('type')) or UNKNOWN}>"
        if kind != "parenthesized_expression":
            break
        node = _first(node)
    told = walk.expression(node)
    return "" if UNKNOWN in told else f"={told}"


def visit_scoped_type(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
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
    before = ""
    for number, each in enumerate(parts):
        walk.refer(each, within, role if number == len(parts) - 1 else TYPE, before)
        before = f"{before}.{each.text()}" if before else str(each.text())


def _first(node: Any) -> Any:
    return next(iter(node.named_children()), None)


def unfold_scoped(node: Any) -> tuple[Any, str]:
    """`a.b` where a type is asked for."""
    first, *rest = node.named_children()
    return first, f".{rest[-1].text()}" if rest else ""


BLOCKS = frozenset((
    "block", "constructor_body", "switch_block_statement_group", "switch_rule", "lambda_expression", "for_statement",
    "enhanced_for_statement", "try_with_resources_statement", "catch_clause", "class_body", "method_declaration",
))  # fmt: skip


def visit_local(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`Foo a = b, c;` in a method."""
    declared = node.field("type")
    visible = find_visible_lines(node, BLOCKS)
    told = describe_type(declared)
    for each in node.named_children():
        if each.kind() == "variable_declarator":
            name = each.field("name")
            value = each.field("value")
            if name is not None:
                walk.define(
                    name,
                    LOCAL,
                    within,
                    told=describe_declared_type(told, each) or describe_value(walk, value),
                    visible=visible,
                )
            walk.go(value, within)
        else:
            walk.go(each, within, TYPE)


def describe_declared_type(told: str, declarator: Any) -> str:
    """What a declared type says of one of its names, which may be an array of it."""
    if not told:
        return ""
    return f":{ARRAY}<{told}>" if declarator.field("dimensions") is not None else f":{told}"


def visit_for_each(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`for (Foo a : b)`."""
    declared = node.field("type")
    name = node.field("name")
    value = node.field("value")
    told = describe_type(declared)
    whole = walk.expression(value)
    given = describe_element(told, whole)
    if name is not None:
        walk.define(name, LOCAL, within, told=given, visible=find_lines(node))
    walk.go(declared, within, TYPE)
    walk.go(value, within)
    walk.go(node.field("body"), within)


def visit_named(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A name with its type on some lines: what is caught, a resource, a pattern."""
    name = node.field("name")
    value = node.field("value")
    parts = list(node.named_children())
    if name is None and len(parts) > 1 and parts[-1].kind() == "identifier":
        name = parts[-1]
    declared = next((each for each in parts if each.kind() not in ("modifiers", "identifier")), None)
    told = describe_type(declared)
    if name is not None:
        walk.define(
            name,
            LOCAL,
            within,
            told=f":{told}" if told else describe_value(walk, value),
            visible=find_visible_lines(node, BLOCKS),
        )
    walk.go(declared, within, TYPE)
    walk.go(value, within)


def visit_instance(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`a instanceof Foo b`: seen to the end of the block, since a guard may come before."""
    name = node.field("name")
    declared = node.field("right")
    told = describe_type(declared)
    if name is not None:
        walk.define(name, LOCAL, within, told=f":{told}" if told else "", visible=find_visible_lines(node, BLOCKS))
    walk.go(node.field("left"), within)
    walk.go(declared, within, TYPE)
    walk.go(node.field("pattern"), within, TYPE)


def visit_lambda(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A function without a name: a parameter without a type is likely an element of what it is given to."""
    given = node.field("parameters")
    visible = find_lines(node)
    if given is not None and given.kind() == "formal_parameters":
        bind_parameters(walk, given, within, visible)
    elif given is not None:
        names = [given] if given.kind() == "identifier" else list(given.named_children())
        told = _owner_of(walk, node)
        for each in names:
            walk.define(each, PARAMETER, within, told=f"={told}[]" if told and len(names) == 1 else "", visible=visible)
    walk.go(node.field("body"), within)


def _owner_of(walk: "SyntaxWalk", node: Any) -> str:
    arguments = node.parent()
    call = arguments.parent() if arguments is not None and arguments.kind() == "argument_list" else None
    whole = call.field("object") if call is not None and call.kind() == "method_invocation" else None
    told = walk.expression(whole) if whole is not None else UNKNOWN
    return "" if UNKNOWN in told else told


def bind_parameters(walk: "SyntaxWalk", node: Any, place: int, visible: tuple[int, int] = (0, 0)) -> None:
    """The parameters of a method, or of a function without a name."""
    for each in node.named_children() if node is not None else ():
        name, told = _parameter(each)
        if name is not None:
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "", visible=visible)
        for part in each.named_children():
            if part.kind() not in ("identifier", "variable_declarator"):
                walk.go(part, place, TYPE)


def _parameter(node: Any) -> tuple[Any, str]:
    """The name of a parameter, and its type as an expression; of several (`T...`) an array."""
    parts = [part for part in node.named_children() if part.kind() != "modifiers"]
    told = describe_type(node.field("type") or (parts[0] if parts else None))
    if node.kind() != "spread_parameter" or not parts:
        return node.field("name"), told
    return parts[-1].field("name"), f"{ARRAY}<{told}>" if told else ""


def visit_made(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`new Foo(…)`: a use of the class; with a body it is a class of its own, without a name."""
    declared = node.field("type")
    body = None
    for each in node.named_children():
        if each.kind() == "class_body":
            body = each
        else:
            is_class = declared is not None and each.range() == declared.range()
            walk.go(each, within, CALL if is_class else READ)
    if body is not None:
        walk.go(body, define_anonymous_class(walk, node, describe_type(declared), within))


def define_anonymous_class(walk: "SyntaxWalk", node: Any, told: str, within: int) -> int:
    """A class without a name."""
    span = node.range()
    line = span.start.line + 1
    end = span.end.line + 1
    name = f"new {told.partition('<')[0] or 'class'}"
    made = SymbolDefinition(
        name, CLASS, within, line, span.start.column, end, bases=(told,) if told else (), scope=within
    )
    return walk.add(made)


def visit_method_reference(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`Foo::bar`, `Foo::new`."""
    parts = [each for each in node.children() if each.kind() not in ("::", "type_arguments")]
    if not parts:
        return
    whole = parts[0]
    last = parts[-1]
    is_type = whole.kind() not in ("identifier", "field_access")
    walk.go(whole, within, TYPE if is_type else READ)
    if last.kind() == "identifier" and len(parts) > 1:
        before = describe_type(whole) or walk.expression(whole)
        walk.refer(last, within, CALL, before.partition("<")[0] if is_type else before)


def visit_assignment(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`a.b = c`."""
    walk.go(node.field("left"), within, WRITE)
    walk.go(node.field("right"), within)


def visit_update(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`a++`."""
    walk.go_below(node, within, WRITE)


def visit_switch(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A switch: a bare name in a case is a constant of what is looked at."""
    subject = node.field("condition")
    body = node.field("body")
    walk.go(subject, within)
    told = walk.expression(subject)
    for rule in body.named_children() if body is not None else ():
        for each in rule.named_children():
            if each.kind() != "switch_label":
                walk.go(each, within)
                continue
            for one in each.named_children():
                if one.kind() == "identifier" and UNKNOWN not in told:
                    walk.refer(one, within, READ, told)
                else:
                    walk.go(one, within)


CONSTRUCTOR = "new"
KINDS = {
    "class_declaration": CLASS, "record_declaration": CLASS, "interface_declaration": INTERFACE,
    "annotation_type_declaration": INTERFACE, "enum_declaration": ENUM,
}  # fmt: skip


def visit_class(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A class, an interface, an enumeration, a record or an annotation."""
    name = node.field("name")
    body = node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    types = _inherited(node)
    place = walk.define(
        name, KINDS[node.kind()], within, whole=node, body=body, doc=read_doc(node),
        bases=[*filter(None, map(describe_type, types))],
    )  # fmt: skip
    _bounds(walk, node.field("type_parameters"), place)
    _modifiers(walk, node, within)
    for each in types:
        walk.go(each, place, INHERIT)
    for each in node.named_children():
        if each.kind() == "formal_parameters":
            _components(walk, each, place)
        elif each.kind() == "permits":
            walk.go_below(each, within, TYPE)
    walk.go(body, place)


def _inherited(node: Any) -> list[Any]:
    """The types that a class extends or implements, or that an interface extends."""
    above = [node.field("superclass"), node.field("interfaces")]
    above += [each for each in node.named_children() if each.kind() == "extends_interfaces"]
    return [each for part in above if part is not None for each in _types(part)]


def _types(node: Any) -> list[Any]:
    found = list(node.named_children())
    return list(found[0].named_children()) if found and found[0].kind() == "type_list" else found


def _bounds(walk: SyntaxWalk, node: Any, place: int) -> None:
    """`<T extends Foo>`: what is of that type has what Foo has."""
    for each in node.named_children() if node is not None else ():
        parts = list(each.named_children())
        bound = next((part for part in parts if part.kind() == "type_bound"), None)
        name = next((part for part in parts if part.kind() in ("type_identifier", "identifier")), None)
        told = describe_type(bound)
        if name is not None:
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")
        walk.go(bound, place, TYPE)


def _modifiers(walk: SyntaxWalk, node: Any, within: int) -> Any:
    found = next((each for each in node.named_children() if each.kind() == "modifiers"), None)
    walk.go(found, within, TYPE)
    return found


def _components(walk: SyntaxWalk, node: Any, place: int) -> None:
    """What a record holds: a field, and a method that reads it."""
    for each in node.named_children():
        name = each.field("name")
        declared = each.field("type")
        if name is not None:
            told = describe_type(declared)
            given = f":{told}" if told else ""
            line = name.range().start.line + 1
            walk.define(name, FIELD, place, whole=each, told=given)
            walk.add(SymbolDefinition(str(name.text()), OPERATOR, place, line, 0, line, type=given, scope=place))
        walk.go(declared, place, TYPE)
        _modifiers(walk, each, place)


def visit_method(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A method, or an element of an annotation."""
    name = node.field("name")
    body = node.field("body")
    returned = node.field("type")
    if name is None:
        walk.go_below(node, within)
        return
    told = describe_type(returned)
    place = walk.define(name, METHOD, within, whole=node, body=body, doc=read_doc(node))
    walk.retype(place, f":{told}" if told else "", place)  # which may be one of its own type parameters
    define_routes(walk, node, within)
    _inside(walk, node, place)
    walk.go(returned, place, TYPE)
    walk.go(node.field("value"), place)
    walk.go(body, place)


def visit_constructor(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A constructor: who calls it names the class, so it has the name that `Foo::new` gives it."""
    name = node.field("name")
    span = node.range()
    body = node.field("body")
    if name is None:
        walk.go_below(node, within)
        return
    start = name.range().start
    place = walk.add(SymbolDefinition(
        CONSTRUCTOR, METHOD, within, start.line + 1, start.column, span.end.line + 1, walk.signature(node, body),
        read_doc(node), scope=within,
    ))  # fmt: skip
    _inside(walk, node, place)
    walk.go(body, place)


def _inside(walk: SyntaxWalk, node: Any, place: int) -> None:
    _bounds(walk, node.field("type_parameters"), place)
    _modifiers(walk, node, walk.definitions[place].parent)
    bind_parameters(walk, node.field("parameters"), place)
    for each in node.named_children():
        if each.kind() == "throws":
            walk.go_below(each, place, TYPE)


def visit_field(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Fields of a class; one that is static and final is a constant."""
    declared = node.field("type")
    words = str((_modifiers(walk, node, within) or node).text()).split()
    is_constant = (STATIC in words and "final" in words) or node.kind() == "constant_declaration"
    told = describe_type(declared)
    for each in node.named_children():
        if each.kind() == "variable_declarator" and (name := each.field("name")) is not None:
            value = each.field("value")
            given = describe_declared_type(told, each) or describe_value(walk, value)
            walk.define(
                name,
                CONSTANT if is_constant else FIELD,
                within,
                whole=node,
                body=value,
                doc=read_doc(node),
                told=given,
            )
            walk.go(value, within)
    walk.go(declared, within, TYPE)


def visit_constant(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A constant of an enumeration, which may have a body of its own."""
    name = node.field("name")
    body = node.field("body")
    owner = walk.definitions[within].name if within >= 0 else ""
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node, body=body, doc=read_doc(node), told=f":{owner}")
    _modifiers(walk, node, within)
    walk.go(node.field("arguments"), within)
    if body is not None:
        walk.go(body, define_anonymous_class(walk, node, owner, within))


def visit_generic(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`Foo<Bar>`: only Foo is used as the whole is."""
    whole, *rest = node.named_children()
    walk.go(whole, within, role)
    for each in rest:
        walk.go_below(each, within, TYPE)


def visit_annotation(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`@Foo(bar = 1)`: each key is an element of it."""
    name = node.field("name")
    given = node.field("arguments")
    walk.go(name, within, TYPE)
    for each in given.named_children() if given is not None else ():
        if each.kind() == "element_value_pair":
            if (key := each.field("key")) is not None:
                walk.refer(key, within, CALL, "".join(str(name.text()).split()))
            walk.go(each.field("value"), within, READ)
        else:
            walk.go(each, within, READ)


def read_doc(node: Any) -> str:
    """The first paragraph of the comment right above a declaration."""
    above = node.prev()
    if above is None or above.kind() not in ("block_comment", "multiline_comment"):
        return ""
    lines = [line.strip().lstrip("*").strip() for line in str(above.text())[:2000].strip("/*").split("\n")]
    return " ".join(" ".join(lines).split()).partition(" @")[0].partition("<p>")[0].strip()


LANGUAGE = LanguageTable(
    "java",
    visits={
        "annotation": visit_annotation,
        "annotation_type_declaration": visit_class,
        "annotation_type_element_declaration": visit_method,
        "assignment_expression": visit_assignment,
        "catch_formal_parameter": visit_named,
        "class_declaration": visit_class,
        "compact_constructor_declaration": visit_constructor,
        "constant_declaration": visit_field,
        "constructor_declaration": visit_constructor,
        "enhanced_for_statement": visit_for_each,
        "enum_constant": visit_constant,
        "enum_declaration": visit_class,
        "field_declaration": visit_field,
        "generic_type": visit_generic,
        "import_declaration": visit_import,
        "instanceof_expression": visit_instance,
        "interface_declaration": visit_class,
        "lambda_expression": visit_lambda,
        "local_variable_declaration": visit_local,
        "marker_annotation": visit_annotation,
        "method_declaration": visit_method,
        "method_reference": visit_method_reference,
        "object_creation_expression": visit_made,
        "package_declaration": visit_package,
        "record_declaration": visit_class,
        "record_pattern_component": visit_named,
        "resource": visit_named,
        "scoped_type_identifier": visit_scoped_type,
        "switch_expression": visit_switch,
        "type_pattern": visit_named,
        "update_expression": visit_update,
    },
    names=frozenset(("identifier", "type_identifier")),
    members={"field_access": ("object", "field"), "scoped_identifier": ("scope", "name")},
    invocations={"method_invocation": ("object", "name")},
    elements={"array_access": "array"},
    wrappers={"parenthesized_expression": "", "generic_type": ""},
    endings={"object_creation_expression": ("type", "()"), "cast_expression": ("type", "()")},
    unfolded={"scoped_type_identifier": unfold_scoped},
    words={"this": "self", "super": "super()"},
    skipped=frozenset((
        "line_comment", "block_comment", "string_literal", "character_literal", "decimal_integer_literal",
        "integral_type", "void_type", "boolean_type", "floating_point_type", "break_statement", "continue_statement",
        "module_declaration",
    )),
    has_calls_apart=True,
)  # fmt: skip
