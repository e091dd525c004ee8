"""Reads symbols of Kotlin: packages, classes, functions, properties, local variables and imports."""

from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import CALL, PARAMETER, READ, TYPE, UNKNOWN, WRITE, ImportedSymbol, SymbolDefinition
from fieldguide.code.symbols.readers.java import CONSTRUCTOR, define_unnamed, find_strings, is_route, read_doc
from fieldguide.code.symbols.readers.nodes import (
    find_above,
    find_assigned,
    find_lines,
    find_part,
    find_visible_lines,
    kind_of,
    select,
)
from fieldguide.code.symbols.readers.table import (
    Declares,
    LanguageTable,
    Package,
    Parts,
    Takes,
    TypeTable,
    choose_method,
    describe_owner,
)
from fieldguide.code.symbols.readers.walk import SyntaxWalk

TYPED = "#nullable_type,parenthesized_type,type_projection,receiver_type,user_type,function_type,not_nullable_type"
RETURNED = "#user_type,nullable_type,function_type,parenthesized_type"
NAVIGATED = "#navigation_suffix/#simple_identifier"
NAVIGATION = Takes("0", NAVIGATED)
IT = "it"
MOST_ABOVE = 5  # nodes between a function and the call that it is given to
ITSELF = frozenset(("let", "also", "takeIf", "takeUnless"))
BLOCKS = frozenset((
    "function_body", "control_structure_body", "lambda_literal", "catch_block", "when_entry", "getter", "setter",
    "anonymous_initializer", "finally_block", "try_expression",
))  # fmt: skip


def _describe_user_type(walk: SyntaxWalk, node: Any, depth: int) -> str:
    """`a.Foo<B>`."""
    name = ".".join(str(each.text()) for each in select(node, "#type_identifier"))
    return TYPES.give(walk, name, select(node, "#type_arguments/#type_projection"), depth)


def unfold_navigation(node: Any) -> tuple[Any, str]:
    """`a.b`."""
    name = find_part(node, NAVIGATED)
    return find_part(node, "0"), f".{name.text()}" if name is not None else f".{UNKNOWN}"


def _variables(
    walk: SyntaxWalk, node: Any, within: int, told: str, visible: tuple[int, int], kind: str = facts.LOCAL
) -> None:
    """The names that are declared in a node: with what is told where it is one, or taken out of that."""
    names = select(node, "#variable_declaration")
    told_each = told if len(names) == 1 else ""
    taken = select(node, "#multi_variable_declaration/#variable_declaration")
    for each, given in (*((one, told_each) for one in names), *((one, "") for one in taken)):
        name = find_part(each, "#simple_identifier")
        declared = find_part(each, TYPED)
        walk.define(name, kind, within, told=TYPES.tell(walk, declared) or given, visible=visible)
        walk.go(declared, within, TYPE)


def visit_for(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`for (x in xs)`."""
    whole = next((each for each in select(node, "1-") if each.kind() != "control_structure_body"), None)
    told = walk.describe_value(whole)
    _variables(walk, node, within, f"{told}[]" if told else "", find_lines(node))
    walk.go(whole, within)
    walk.read(node, "#control_structure_body", within)


def visit_lambda(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`{ x -> … }`: one parameter is likely an element of what the function is given to; without any it is `it`."""
    told = _owner_of(walk, node)
    visible = find_lines(node)
    given = find_part(node, "#lambda_parameters")
    if given is None:
        line, last = visible
        walk.add(
            SymbolDefinition(IT, PARAMETER, within, line, 0, last, type=told, scope=within, visible=visible),
            f"{IT} {line}",
        )
    else:
        _variables(walk, given, within, told, visible, PARAMETER)
    walk.read(node, "~lambda_parameters", within)


def _owner_of(walk: SyntaxWalk, node: Any) -> str:
    """What the object of a call says of the parameter of a function that is given to it."""
    called = find_part(find_above(node, ("call_expression",), MOST_ABOVE), "0")
    if kind_of(called) != "navigation_expression":
        return ""
    path = walk.expression(called)
    before, _, name = path.rpartition(".")
    if UNKNOWN in path or not before:
        return ""
    return f"={before}" if name in ITSELF else f"={before}[]"


def visit_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A call; the number of its arguments tells overloads apart.

    The grammar takes the body of an object without a name for a function that it is called with.
    """
    called = find_part(node, "0")
    if kind_of(called) == "object_literal":
        walk.go_below(find_part(node, "#call_suffix/#annotated_lambda"), _anonymous(walk, called, within))
        return
    suffix = find_part(node, "#call_suffix")
    given = select(suffix, "#value_arguments/#value_argument")
    refer_called(walk, called, within, len(given) + len(select(suffix, "#annotated_lambda")))
    walk.read(suffix, "#type_arguments:type", within)
    for each in given:
        children = list(each.named_children())
        is_named = len(children) > 1 and any(part.text() == "=" for part in each.children())
        for part in children[1:] if is_named else children:  # the name of a parameter, which nobody asks for
            walk.go(part, within)
    walk.read(suffix, "#annotated_lambda", within)


def refer_called(walk: SyntaxWalk, called: Any, within: int, count: int) -> None:
    """What is called, by its name."""
    name = find_part(called, NAVIGATED)
    if kind_of(called) == "simple_identifier":
        walk.refer(called, within, CALL)
        walk.count_arguments(count)
    elif kind_of(called) != "navigation_expression":
        walk.go(called, within, CALL)
    else:
        NAVIGATION(walk, called, within, CALL)
        if name is not None:
            walk.count_arguments(count)


def visit_assignment(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a.b = c`."""
    left = find_part(node, "0")
    if find_part(left, NAVIGATED) is not None:
        NAVIGATION(walk, left, within, WRITE)
    else:
        walk.go(left, within, WRITE)
    walk.read(node, "1-", within)


def visit_callable(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`Foo::bar`."""
    *before, name = node.named_children() or [None]
    whole = before[0] if before else None
    walk.go(whole, within)
    if kind_of(name) == "simple_identifier":
        walk.refer(name, within, CALL, "" if whole is None else walk.expression(whole))


def read_function(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """The routes and parameters of a function."""
    name = find_part(node, "#simple_identifier")
    for made in select(node, "#modifiers/#annotation/#constructor_invocation"):
        if is_route(TYPES.describe(walk, find_part(made, TYPED))):
            for path in find_strings(made):
                body = find_part(node, "#function_body")
                walk.define(path, facts.ROUTE, within, whole=node, body=body, told=f"={name.text()}")
    read_parameters(walk, node, place, within)


def describe_result(walk: SyntaxWalk, node: Any, one: Any, within: int) -> str:
    """What a function returns: as it says, or as its only expression does."""
    return TYPES.tell(walk, find_part(node, RETURNED)) or walk.describe_value(find_part(node, "#function_body/="))


def read_parameters(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """The parameters of a function or of another constructor."""
    for each in select(node, "#function_value_parameters"):
        PARAMETERS(walk, each, place, READ)


def describe_parameter(walk: SyntaxWalk, node: Any, one: Any, within: int) -> str:
    """The type of a parameter, which may take several arguments."""
    told = TYPES.describe(walk, find_part(one, TYPED))
    before = one.prev()
    is_several = kind_of(before) == "parameter_modifiers" and "vararg" in str(before.text())
    return f":Array<{told}>" if told and is_several else TYPES.tell(walk, find_part(one, TYPED))


def visit_import(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`import a.B as C`."""
    names = select(node, "#identifier/#simple_identifier")
    texts = [str(each.text()).strip("`") for each in names]
    line = node.range().start.line + 1
    if not names:
        return
    if find_part(node, "#wildcard_import") is not None:
        walk.imports(ImportedSymbol(f"{'.'.join(texts)}.*", line, facts.EVERYTHING))
        return
    told = walk.imports(ImportedSymbol(".".join(texts), line))
    walk.refer(names[-1], -1, facts.IMPORT, told)
    alias = find_part(node, "#import_alias/0")
    walk.define(alias if alias is not None else names[-1], facts.IMPORTED, -1, told=told)


def choose_class(walk: SyntaxWalk, node: Any, within: int) -> str:
    """The kind of a class, an interface, an enumeration or an object."""
    words = {str(each.text()) for each in node.children()}
    if "interface" in words:
        return facts.INTERFACE
    return facts.ENUM if "enum" in words else facts.CLASS


def read_components(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """What a class is made with: with `val` or `var` it is a property too."""
    for each in select(node, "#primary_constructor/#class_parameter"):
        kind = facts.FIELD if find_part(each, "#binding_pattern_kind") is not None else facts.LOCAL
        told = TYPES.tell(walk, find_part(each, TYPED))
        walk.define(find_part(each, "#simple_identifier"), kind, place, whole=each, told=told)
        walk.go(find_part(each, "#modifiers"), place, TYPE)
        walk.go(find_part(each, TYPED), place, TYPE)
        walk.go(find_assigned(each), place)


def visit_user_type(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A type: each part of its name may be a class."""
    walk.refer_path(select(node, "#type_identifier"), within, TYPE if role == READ else role)
    walk.read(node, "#type_arguments/*:type", within)


def visit_object(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """An object of a class without a name."""
    walk.go(find_part(node, "#class_body"), _anonymous(walk, node, within))


def _anonymous(walk: SyntaxWalk, node: Any, within: int) -> int:
    bases = list(filter(None, [TYPES.describe(walk, each) for each in select(node, "#delegation_specifier")]))
    walk.read(node, "#delegation_specifier:inherit", within)
    return define_unnamed(walk, node, f"object {bases[0].partition('<')[0]}" if bases else "object", bases, within)


def visit_property(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`val x: Foo = …`: of a class, of the file, or of a function alone."""
    value = find_assigned(node)
    if within >= 0 and walk.definitions[within].kind not in facts.TYPES:
        _variables(walk, node, within, walk.describe_value(value), find_visible_lines(node, BLOCKS))
        walk.read(node, "#modifiers:type = #property_delegate", within)
        return
    name = find_part(node, "#variable_declaration/#simple_identifier")
    place = within if name is None else _define_property(walk, node, name, within)
    walk.read(node, f"#modifiers:type #receiver_type:type #variable_declaration/{TYPED}:type", within)
    walk.read(node, "= #property_delegate #getter #setter", place)


def _define_property(walk: SyntaxWalk, node: Any, name: Any, within: int) -> int:
    kind = facts.FIELD if within >= 0 else facts.VARIABLE
    if "const " in str((find_part(node, "#modifiers") or node).text())[:80] + " ":
        kind = facts.CONSTANT
    value = find_assigned(node)
    told = TYPES.tell(walk, find_part(find_part(node, "#variable_declaration"), TYPED)) or walk.describe_value(value)
    extended = TYPES.describe(walk, find_part(node, "#receiver_type"))
    bases = [extended] if extended else ()
    return walk.define(name, kind, within, whole=node, body=value, doc=read_doc(node), told=told, bases=bases)


def visit_infix(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a go b`: the name between is called."""
    for number, each in enumerate(node.named_children()):
        if number == 1 and each.kind() == "simple_identifier":
            walk.refer(each, within, CALL, walk.expression(find_part(node, "0")))
            walk.count_arguments(1)
        else:
            walk.go(each, within)


TYPES = TypeTable(
    inner={
        **dict.fromkeys(("nullable_type", "parenthesized_type", "type_projection", "receiver_type"), TYPED),
        "delegation_specifier": f"#constructor_invocation,explicit_delegation/{TYPED}|{TYPED}",
    },
    special={"user_type": _describe_user_type},
)
PARAMETERS = Declares(
    PARAMETER, f"~parameter #parameter/{TYPED}:type", each="#parameter", name="#simple_identifier",
    told=describe_parameter,
)  # fmt: skip
CLASS = Declares(
    choose_class,
    "#type_parameters ^#modifiers:type #delegation_specifier:inherit #class_body,enum_class_body",
    name="#type_identifier", bases="#delegation_specifier", body="#class_body,enum_class_body", then=read_components,
)  # fmt: skip
LANGUAGE = LanguageTable(
    "kotlin",
    visits={
        "assignment": visit_assignment,
        "call_expression": visit_call,
        "callable_reference": visit_callable,
        "catch_block": Declares(
            facts.LOCAL, f"{TYPED}:type #statements", name="#simple_identifier", declared=TYPED, visible="lines"
        ),
        "class_declaration": CLASS,
        "companion_object": Parts("#delegation_specifier:type #class_body"),
        "constructor_invocation": Parts(f"{TYPED}:= #value_arguments"),
        "enum_entry": Declares(
            facts.CONSTANT, "^#value_arguments ^#class_body", name="#simple_identifier", told=describe_owner,
            is_optional=True,
        ),
        "for_statement": visit_for,
        "function_declaration": Declares(
            choose_method, f"#type_parameters ^#modifiers:type #receiver_type:type {RETURNED}:type #function_body",
            name="#simple_identifier", told=describe_result, bases="#receiver_type", body="#function_body",
            has_own_types=True, then=read_function,
        ),
        "import_header": visit_import,
        "infix_expression": visit_infix,
        "lambda_literal": visit_lambda,
        "navigation_expression": NAVIGATION,
        "object_declaration": CLASS,
        "object_literal": visit_object,
        "package_header": Package("#identifier"),
        "property_declaration": visit_property,
        "secondary_constructor": Declares(
            facts.METHOD, "~function_value_parameters", name=".", called=CONSTRUCTOR, has_doc=False,
            then=read_parameters,
        ),
        "type_alias": Declares(
            facts.ALIAS, f"^{TYPED}:type", name="#type_identifier", declared=TYPED, is_optional=True
        ),
        "type_parameter": Declares(PARAMETER, f"{TYPED}:type", name="#type_identifier", declared=TYPED),
        "user_type": visit_user_type,
    },
    names=frozenset(("simple_identifier", "type_identifier")),
    wrappers={"parenthesized_expression": "", "postfix_expression": "", "elvis_expression": ""},
    endings={
        "as_expression": (f"{TYPED}/#type_identifier", "()"),
        "call_expression": ("", "()"),
        "indexing_expression": ("", "[]"),
    },
    unfolded={"navigation_expression": unfold_navigation},
    types=TYPES,
    read_doc=read_doc,
    blocks=BLOCKS,
    words={
        "this_expression": "self", "super_expression": "super()", "this": "self", "super": "super()", "field": "field",
    },
    skipped=frozenset((
        "line_comment", "multiline_comment", "string_content", "integer_literal", "label", "binding_pattern_kind",
        "class_modifier", "member_modifier", "visibility_modifier", "function_modifier", "property_modifier",
        "inheritance_modifier", "parameter_modifier", "variance_modifier",
    )),
)  # fmt: skip
