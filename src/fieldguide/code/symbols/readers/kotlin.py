"""Reads symbols of Kotlin: packages, classes, functions, properties, local variables and imports."""

from typing import Any

from fieldguide.code.symbols.facts import (
    ALIAS,
    CALL,
    CLASS,
    CONSTANT,
    ENUM,
    EVERYTHING,
    FIELD,
    FUNCTION,
    IMPORT,
    IMPORTED,
    INHERIT,
    INTERFACE,
    LOCAL,
    METHOD,
    PARAMETER,
    READ,
    ROUTE,
    TYPE,
    TYPES,
    UNKNOWN,
    VARIABLE,
    WRITE,
    ImportedSymbol,
    SymbolDefinition,
)
from fieldguide.code.symbols.readers.java import CONSTRUCTOR, PACKAGE, find_strings, is_route
from fieldguide.code.symbols.readers.java import read_doc as doc_of
from fieldguide.code.symbols.readers.walk import LanguageTable, SyntaxWalk, find_lines, find_visible_lines

DEEPEST = 8
MOST_ARGUMENTS = 4
INNER_TYPES = frozenset(("nullable_type", "parenthesized_type", "type_projection", "receiver_type"))
TYPE_KINDS = INNER_TYPES | {"user_type", "function_type", "not_nullable_type"}


def find_child(node: Any, *kinds: str) -> Any:
    """The first child of some kinds."""
    if node is None:
        return None
    return next((each for each in node.named_children() if each.kind() in kinds), None)


def find_children(node: Any, *kinds: str) -> list[Any]:
    """The children of some kinds."""
    return [] if node is None else [each for each in node.named_children() if each.kind() in kinds]


def take_first_child(node: Any) -> Any:
    """The first child."""
    return None if node is None else next(iter(node.named_children()), None)


def find_type(node: Any) -> Any:
    """The type that a declaration says."""
    return find_child(node, *TYPE_KINDS)


def find_value(node: Any) -> Any:
    """The value after `=` of a declaration."""
    is_after = False
    for each in node.children():
        if is_after and each.is_named() and "comment" not in each.kind():
            return each
        is_after = is_after or each.text() == "="
    return None


def describe_type(node: Any, depth: int = 0) -> str:
    """A type as an expression; nothing where it says nothing."""
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind in INNER_TYPES:
        return describe_type(find_type(node), depth + 1)
    if kind != "user_type":
        return ""
    name = ".".join(str(each.text()) for each in find_children(node, "type_identifier"))
    given = find_children(find_child(node, "type_arguments"), "type_projection")[:MOST_ARGUMENTS]
    inner = [describe_type(each, depth + 1) or UNKNOWN for each in given]
    return f"{name}<{','.join(inner)}>" if name and inner else name


def unfold_navigation(node: Any) -> tuple[Any, str]:
    """`a.b`."""
    name = find_child(find_child(node, "navigation_suffix"), "simple_identifier")
    return take_first_child(node), f".{name.text()}" if name is not None else f".{UNKNOWN}"


def unfold_call(node: Any) -> tuple[Any, str]:
    """`a(b)`."""
    return take_first_child(node), "()"


def unfold_index(node: Any) -> tuple[Any, str]:
    """`a[b]`."""
    return take_first_child(node), "[]"


def unfold_cast(node: Any) -> tuple[Any, str]:
    """`a as B`."""
    return find_child(find_type(node), "type_identifier"), "()"


IT = "it"
MOST_ABOVE = 5  # nodes between a function and the call that it is given to
ITSELF = frozenset(("let", "also", "takeIf", "takeUnless"))
BLOCKS = frozenset((
    "function_body", "control_structure_body", "lambda_literal", "catch_block", "when_entry", "getter", "setter",
    "anonymous_initializer", "finally_block", "try_expression",
))  # fmt: skip


def bind_local(walk: "SyntaxWalk", node: Any, within: int) -> None:
    """`val x: Foo = …` in a function."""
    value = find_value(node)
    declared = find_child(node, "variable_declaration")
    visible = find_visible_lines(node, BLOCKS)
    if declared is not None:
        _variable(walk, declared, within, describe_value(walk, value), visible)
    for each in find_children(find_child(node, "multi_variable_declaration"), "variable_declaration"):
        _variable(walk, each, within, "", visible)
    walk.go(find_child(node, "modifiers"), within, TYPE)
    walk.go(value, within)
    walk.go(find_child(node, "property_delegate"), within)


def _variable(
    walk: "SyntaxWalk", node: Any, within: int, told: str, visible: tuple[int, int], kind: str = LOCAL
) -> None:
    name = find_child(node, "simple_identifier")
    declared = find_type(node)
    said = describe_type(declared)
    if name is not None:
        walk.define(name, kind, within, told=f":{said}" if said else told, visible=visible)
    walk.go(declared, within, TYPE)


def describe_value(walk: "SyntaxWalk", node: Any) -> str:
    """A value as what a definition's type says; nothing where it is not plain."""
    told = walk.expression(node) if node is not None else UNKNOWN
    return "" if UNKNOWN in told else f"={told}"


def visit_for(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`for (x in xs)`."""
    children = list(node.named_children())
    whole = next((each for each in children[1:] if each.kind() != "control_structure_body"), None)
    told = describe_value(walk, whole)
    declared = find_child(node, "variable_declaration")
    if declared is not None:
        _variable(walk, declared, within, f"{told}[]" if told else "", find_lines(node))
    for each in find_children(find_child(node, "multi_variable_declaration"), "variable_declaration"):
        _variable(walk, each, within, "", find_lines(node))
    walk.go(whole, within)
    walk.go(find_child(node, "control_structure_body"), within)


def visit_lambda(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`{ x -> … }`: one parameter is likely an element of what the function is given to; without any it is `it`."""
    told = _owner_of(walk, node)
    visible = find_lines(node)
    given = find_child(node, "lambda_parameters")
    names = find_children(given, "variable_declaration")
    for each in names:
        _variable(walk, each, within, told if len(names) == 1 else "", visible, PARAMETER)
    for each in find_children(given, "multi_variable_declaration"):
        for one in find_children(each, "variable_declaration"):
            _variable(walk, one, within, "", visible, PARAMETER)
    if given is None:
        line, last = visible
        walk.add(
            SymbolDefinition(IT, PARAMETER, within, line, 0, last, type=told, scope=within, visible=visible),
            f"{IT} {line}",
        )
    for each in node.named_children():
        if each.kind() != "lambda_parameters":
            walk.go(each, within)


def _owner_of(walk: "SyntaxWalk", node: Any) -> str:
    """What the object of a call says of the parameter of a function that is given to it."""
    call = _call_around(node)
    called = None if call is None else take_first_child(call)
    if called is None or called.kind() != "navigation_expression":
        return ""
    path = walk.expression(called)
    before, _, name = path.rpartition(".")
    if UNKNOWN in path or not before:
        return ""
    return f"={before}" if name in ITSELF else f"={before}[]"


def _call_around(node: Any) -> Any:
    """The call that a function without a name is given to."""
    above = node.parent()
    for _ in range(MOST_ABOVE):
        if above is None or above.kind() == "call_expression":
            return above
        above = above.parent()
    return None


def visit_catch(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`catch (e: Problem)`."""
    _variable(walk, node, within, "", find_lines(node))
    walk.go(find_child(node, "statements"), within)


def visit_call(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A call; the number of its arguments tells overloads apart."""
    called = take_first_child(node)
    suffix = find_child(node, "call_suffix")
    values = find_child(suffix, "value_arguments")
    count = len(find_children(values, "value_argument")) + len(find_children(suffix, "annotated_lambda"))
    refer_called(walk, called, within, count)
    walk.go(find_child(suffix, "type_arguments"), within, TYPE)
    for each in find_children(values, "value_argument"):
        _argument(walk, each, within)
    for each in find_children(suffix, "annotated_lambda"):
        walk.go(each, within)


def refer_called(walk: "SyntaxWalk", called: Any, within: int, count: int) -> None:
    """What is called, by its name."""
    kind = None if called is None else called.kind()
    if kind == "simple_identifier":
        walk.refer(called, within, CALL)
        walk.count_arguments(count)
    elif kind == "navigation_expression":
        name = find_child(find_child(called, "navigation_suffix"), "simple_identifier")
        walk.go(take_first_child(called), within)
        if name is not None:
            walk.refer(name, within, CALL, walk.expression(take_first_child(called)))
            walk.count_arguments(count)
    else:
        walk.go(called, within, CALL)


def _argument(walk: "SyntaxWalk", node: Any, within: int) -> None:
    """`x = 1` among arguments names a parameter, which nobody asks for."""
    children = list(node.named_children())
    is_named = len(children) > 1 and any(each.text() == "=" for each in node.children())
    for each in children[1:] if is_named else children:
        walk.go(each, within)


def visit_navigation(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`a.b`."""
    name = find_child(find_child(node, "navigation_suffix"), "simple_identifier")
    before = take_first_child(node)
    walk.go(before, within, READ)
    if name is not None:
        walk.refer(name, within, role, walk.expression(before))


def visit_assignment(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`a.b = c`."""
    left, *rest = node.named_children()
    suffix = find_child(left, "navigation_suffix")
    whole = take_first_child(left)
    name = find_child(suffix, "simple_identifier")
    if name is not None:
        walk.go(whole, within)
        walk.refer(name, within, WRITE, walk.expression(whole))
    else:
        walk.go(left, within, WRITE)
    for each in rest:
        walk.go(each, within)


def visit_callable(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`Foo::bar`."""
    children = list(node.named_children())
    whole, name = (children[0], children[-1]) if len(children) > 1 else (None, children[0] if children else None)
    walk.go(whole, within, READ)
    if name is not None and name.kind() == "simple_identifier":
        walk.refer(name, within, CALL, "" if whole is None else walk.expression(whole))


def visit_function(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """A function; one that extends a type says so by what it has as a base."""
    name = find_child(node, "simple_identifier")
    body = find_child(node, "function_body")
    if name is None:
        walk.go_below(node, within)
        return
    in_class = within >= 0 and walk.definitions[within].kind in TYPES
    receiver = find_child(node, "receiver_type")
    returned = _returned(node)
    extended = describe_type(receiver)
    place = walk.define(
        name, METHOD if in_class else FUNCTION, within, whole=node, body=body, doc=doc_of(node),
        bases=[extended] if extended else (),
    )  # fmt: skip
    _tell_routes(walk, node, name, within)
    told = describe_type(returned)
    value = find_value(body) if body is not None else None
    if told:
        result = f":{told}"
    else:
        expression = walk.expression(value) if value is not None else UNKNOWN
        result = "" if UNKNOWN in expression else f"={expression}"
    walk.retype(place, result, place)
    bind_types(walk, node, place)
    walk.go(find_child(node, "modifiers"), within, TYPE)
    walk.go(receiver, place, TYPE)
    _parameters(walk, find_child(node, "function_value_parameters"), place)
    walk.go(returned, place, TYPE)
    walk.go(body, place)


def _returned(node: Any) -> Any:
    is_after = False
    for each in node.named_children():
        if is_after and each.kind() in ("user_type", "nullable_type", "function_type", "parenthesized_type"):
            return each
        is_after = is_after or each.kind() == "function_value_parameters"
    return None


def _parameters(walk: "SyntaxWalk", node: Any, place: int) -> None:
    is_several = False
    for each in node.named_children() if node is not None else ():
        if each.kind() != "parameter":
            is_several = "vararg" in str(each.text())
            walk.go(each, place)
            continue
        name = find_child(each, "simple_identifier")
        declared = find_type(each)
        told = describe_type(declared)
        told = f"Array<{told}>" if told and is_several else told
        if name is not None:
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")
        walk.go(declared, place, TYPE)
        is_several = False


def _tell_routes(walk: "SyntaxWalk", node: Any, name: Any, within: int) -> None:
    for each in find_children(find_child(node, "modifiers"), "annotation"):
        made = find_child(each, "constructor_invocation")
        if made is not None and is_route(describe_type(find_type(made))):
            for path in find_strings(made):
                walk.define(
                    path, ROUTE, within, whole=node, body=find_child(node, "function_body"), told=f"={name.text()}"
                )


def visit_constructor(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """Another constructor."""
    span = node.range()
    line = span.start.line + 1
    end = span.end.line + 1
    made = SymbolDefinition(
        CONSTRUCTOR, METHOD, within, line, span.start.column, end, walk.signature(node), scope=within
    )
    place = walk.add(made)
    _parameters(walk, find_child(node, "function_value_parameters"), place)
    for each in node.named_children():
        if each.kind() != "function_value_parameters":
            walk.go(each, place)


def bind_types(walk: "SyntaxWalk", node: Any, place: int) -> None:
    """`<T : Foo>`: what is of that type has what Foo has."""
    for each in find_children(find_child(node, "type_parameters"), "type_parameter"):
        name = find_child(each, "type_identifier")
        told = describe_type(find_type(each))
        if name is not None:
            walk.define(name, PARAMETER, place, told=f":{told}" if told else "")
        walk.go(find_type(each), place, TYPE)


def visit_package(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """The package of the file."""
    name = find_child(node, "identifier")
    if name is not None:
        walk.imports(ImportedSymbol(str(name.text()).replace("`", ""), node.range().start.line + 1, keyword=PACKAGE))


def visit_import(walk: "SyntaxWalk", node: Any, within: int, role: str) -> None:
    """`import a.B as C`."""
    names = find_children(find_child(node, "identifier"), "simple_identifier")
    texts = [str(each.text()).strip("`") for each in names]
    line = node.range().start.line + 1
    if not names:
        return
    if find_child(node, "wildcard_import") is not None:
        walk.imports(ImportedSymbol(f"{'.'.join(texts)}.*", line, EVERYTHING))
        return
    told = walk.imports(ImportedSymbol(".".join(texts), line))
    walk.refer(names[-1], -1, IMPORT, told)
    alias = take_first_child(find_child(node, "import_alias"))
    walk.define(alias if alias is not None else names[-1], IMPORTED, -1, told=told)


def visit_class(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A class, an interface, an enumeration or an object."""
    name = find_child(node, "type_identifier")
    body = find_child(node, "class_body", "enum_class_body")
    if name is None:
        walk.go_below(node, within)
        return
    words = {str(each.text()) for each in node.children()}
    kind = CLASS
    if "interface" in words:
        kind = INTERFACE
    elif "enum" in words:
        kind = ENUM
    above = find_children(node, "delegation_specifier")
    place = walk.define(
        name, kind, within, whole=node, body=body, doc=doc_of(node),
        bases=_describe_bases(above),
    )  # fmt: skip
    bind_types(walk, node, place)
    walk.go(find_child(node, "modifiers"), within, TYPE)
    _constructor(walk, find_child(node, "primary_constructor"), place)
    for each in above:
        walk.go(each, place, INHERIT)
    walk.go(body, place)


def _base(node: Any) -> Any:
    made = find_child(node, "constructor_invocation", "explicit_delegation")
    return find_type(made if made is not None else node)


def _constructor(walk: SyntaxWalk, node: Any, place: int) -> None:
    """What a class is made with: with `val` or `var` it is a property too."""
    for each in find_children(node, "class_parameter"):
        name = find_child(each, "simple_identifier")
        declared = find_type(each)
        told = describe_type(declared)
        is_property = find_child(each, "binding_pattern_kind") is not None
        if name is not None:
            given = f":{told}" if told else ""
            walk.define(name, FIELD if is_property else LOCAL, place, whole=each, told=given)
        walk.go(find_child(each, "modifiers"), place, TYPE)
        walk.go(declared, place, TYPE)
        walk.go(find_value(each), place)


def visit_companion(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """What is in a companion is named as what is in its class."""
    for each in find_children(node, "delegation_specifier"):
        walk.go(each, within, TYPE)
    walk.go(find_child(node, "class_body"), within)


def visit_made(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A class that is inherited from with arguments, or an annotation with some."""
    walk.go(find_type(node), within, role)
    walk.go(find_child(node, "value_arguments"), within)


def visit_user_type(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A type: each part of its name may be a class."""
    names = find_children(node, "type_identifier")
    before = ""
    for number, each in enumerate(names):
        walk.refer(each, within, role if number == len(names) - 1 and role != "read" else TYPE, before)
        before = f"{before}.{each.text()}" if before else str(each.text())
    for each in find_children(node, "type_arguments"):
        walk.go_below(each, within, TYPE)


def visit_object(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """An object of a class without a name."""
    walk.go(find_child(node, "class_body"), _anonymous(walk, node, within))


def _describe_bases(specifiers: list[Any]) -> tuple[str, ...]:
    described = [describe_type(_base(each)) for each in specifiers]
    return tuple(each for each in described if each)


def _anonymous(walk: SyntaxWalk, node: Any, within: int) -> int:
    above = find_children(node, "delegation_specifier")
    span = node.range()
    bases = _describe_bases(above)
    line = span.start.line + 1
    end = span.end.line + 1
    name = f"object {bases[0].partition('<')[0]}" if bases else "object"
    place = walk.add(SymbolDefinition(name, CLASS, within, line, span.start.column, end, bases=bases, scope=within))
    for each in above:
        walk.go(each, within, INHERIT)
    return place


def visit_call_or_object(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A call; the grammar takes the body of an object without a name for a function that it is called with."""
    called = take_first_child(node)
    if called is not None and called.kind() == "object_literal":
        walk.go_below(find_child(find_child(node, "call_suffix"), "annotated_lambda"), _anonymous(walk, called, within))
        return
    visit_call(walk, node, within, role)


def visit_property(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`val x: Foo = …`: of a class, of the file, or of a function alone."""
    if within >= 0 and walk.definitions[within].kind not in TYPES:
        bind_local(walk, node, within)
        return
    declared = find_child(node, "variable_declaration")
    value = find_value(node)
    name = find_child(declared, "simple_identifier")
    place = within if name is None else _define_property(walk, node, name, within)
    for each in (find_child(node, "modifiers"), find_child(node, "receiver_type"), find_type(declared)):
        walk.go(each, within, TYPE)
    for each in (value, find_child(node, "property_delegate"), find_child(node, "getter"), find_child(node, "setter")):
        walk.go(each, place)


def _define_property(walk: SyntaxWalk, node: Any, name: Any, within: int) -> int:
    kind = FIELD if within >= 0 else VARIABLE
    if "const " in str((find_child(node, "modifiers") or node).text())[:80] + " ":
        kind = CONSTANT
    value = find_value(node)
    told = describe_type(find_type(find_child(node, "variable_declaration")))
    extended = describe_type(find_child(node, "receiver_type"))
    return walk.define(
        name, kind, within, whole=node, body=value, doc=doc_of(node),
        told=f":{told}" if told else describe_value(walk, value), bases=[extended] if extended else (),
    )  # fmt: skip


def visit_entry(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A constant of an enumeration."""
    name = find_child(node, "simple_identifier")
    owner = walk.definitions[within].name if within >= 0 else ""
    if name is not None:
        walk.define(name, CONSTANT, within, whole=node, doc=doc_of(node), told=f":{owner}" if owner else "")
    walk.go(find_child(node, "value_arguments"), within)
    walk.go(find_child(node, "class_body"), within)


def visit_alias(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`typealias X = Y`."""
    name = find_child(node, "type_identifier")
    declared = find_type(node)
    told = describe_type(declared)
    if name is not None:
        walk.define(name, ALIAS, within, whole=node, doc=doc_of(node), told=f":{told}" if told else "")
    walk.go(declared, within, TYPE)


def visit_infix(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a go b`: the name between is called."""
    children = list(node.named_children())
    for number, each in enumerate(children):
        if number == 1 and each.kind() == "simple_identifier":
            walk.refer(each, within, "call", walk.expression(children[0]))
            walk.count_arguments(1)
        else:
            walk.go(each, within)


LANGUAGE = LanguageTable(
    "kotlin",
    visits={
        "assignment": visit_assignment,
        "call_expression": visit_call_or_object,
        "callable_reference": visit_callable,
        "catch_block": visit_catch,
        "class_declaration": visit_class,
        "companion_object": visit_companion,
        "constructor_invocation": visit_made,
        "enum_entry": visit_entry,
        "for_statement": visit_for,
        "function_declaration": visit_function,
        "import_header": visit_import,
        "infix_expression": visit_infix,
        "lambda_literal": visit_lambda,
        "navigation_expression": visit_navigation,
        "object_declaration": visit_class,
        "object_literal": visit_object,
        "package_header": visit_package,
        "property_declaration": visit_property,
        "secondary_constructor": visit_constructor,
        "type_alias": visit_alias,
        "user_type": visit_user_type,
    },
    names=frozenset(("simple_identifier", "type_identifier")),
    wrappers={"parenthesized_expression": "", "postfix_expression": "", "elvis_expression": ""},
    unfolded={
        "navigation_expression": unfold_navigation,
        "call_expression": unfold_call,
        "indexing_expression": unfold_index,
        "as_expression": unfold_cast,
    },
    words={
        "this_expression": "self", "super_expression": "super()", "this": "self", "super": "super()", "field": "field",
    },
    skipped=frozenset((
        "line_comment", "multiline_comment", "string_content", "integer_literal", "label", "binding_pattern_kind",
        "class_modifier", "member_modifier", "visibility_modifier", "function_modifier", "property_modifier",
        "inheritance_modifier", "parameter_modifier", "variance_modifier",
    )),
)  # fmt: skip
