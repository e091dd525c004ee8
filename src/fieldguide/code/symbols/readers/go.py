"""Reads symbols of Go: packages, types, methods by receiver, local variables, routes and commands."""

from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import READ, TYPE, UNKNOWN, ImportedSymbol, SymbolDefinition
from fieldguide.code.symbols.readers.table import (
    LanguageTable,
    Parts,
    TypeTable,
    find_lines,
    find_part,
    kind_of,
    list_comments_above,
    select,
)
from fieldguide.code.symbols.readers.walk import SyntaxWalk

ROUTING = frozenset((
    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "Any", "Handle", "HandleFunc", "Get", "Post", "Put",
    "Patch", "Delete", "Head", "Options", "Method",
))  # fmt: skip
STRINGS = frozenset(("interpreted_string_literal", "raw_string_literal"))
COMMANDS = "Command"
USE = "Use"


def define_route(walk: SyntaxWalk, called: Any, arguments: Any) -> None:
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
        walk.define(path, facts.ROUTE, -1, whole=arguments, told="" if UNKNOWN in handler else f"={handler}")


def define_command(walk: SyntaxWalk, node: Any) -> None:
    """The command that a literal declares: `cobra.Command{Use: "x"}`."""
    declared = node.field("type")
    body = node.field("body")
    if declared is None or body is None or walk.expression(declared).rpartition(".")[2] != COMMANDS:
        return
    for each in body.named_children():
        sides = list(each.named_children()) if each.kind() == "keyed_element" else []
        if len(sides) == 2 and str(sides[0].text()) == USE:
            words = _content(find_part(sides[1], "0"))
            if words is not None and (first := str(words.text()).split(" ")[0]):
                start = words.range().start
                end = node.range().end.line + 1
                walk.add(
                    SymbolDefinition(
                        first, facts.COMMAND, -1, start.line + 1, start.column, end, walk.signature(node, body)
                    )
                )


def _content(node: Any) -> Any:
    if node is None or node.kind() not in STRINGS:
        return None
    return find_part(node, "0")


MAKERS = frozenset(("new", "make"))
TYPED = frozenset(("composite_literal", "type_assertion_expression", "type_conversion_expression"))
RECEIVING = "<-"
DEEPEST = 8
TYPES = TypeTable(
    paths=frozenset(("type_identifier", "qualified_type", "identifier", "selector_expression")),
    generic={"generic_type": ("type", "type_arguments/*")},
    holders={
        **dict.fromkeys(("slice_type", "array_type", "implicit_length_array_type"), ("map", "element")),
        "map_type": ("map", "key", "value"),
        "channel_type": ("chan", "value"),
    },
    inner=dict.fromkeys(("pointer_type", "parenthesized_type", "type_elem", "literal_element", "expression_list"), "0"),
    most_arguments=20,
)


def describe_result(walk: SyntaxWalk, node: Any) -> str:
    """What a function returns, as `:T`; of several the first."""
    if node is not None and node.kind() == "parameter_list":
        first = find_part(node, "0")
        node = first.field("type") if first is not None else None
    return TYPES.tell(walk, node)


def describe_value(walk: SyntaxWalk, node: Any) -> str:
    """A value as what a definition's type says: `=f()`, `:T` for a new T; nothing where it is not plain."""
    node = _unwrapped(node)
    kind = kind_of(node)
    if kind in TYPED:
        return TYPES.tell(walk, node.field("type"))
    if kind == "call_expression" and _called(node) in MAKERS:
        return TYPES.tell(walk, find_part(node, "arguments/0"))
    is_received = kind == "unary_expression" and _is_received(node)
    told = walk.expression(node.field("operand") if is_received else node)
    if UNKNOWN in told:
        return ""
    return f"={told}[]" if is_received else f"={told}"


def _unwrapped(node: Any) -> Any:
    """What has the type of a value: what is in brackets or behind a sign, what is appended to."""
    for _ in range(DEEPEST):
        kind = kind_of(node)
        if kind == "unary_expression" and not _is_received(node):
            node = node.field("operand")
        elif kind == "parenthesized_expression":
            node = find_part(node, "0")
        elif kind == "call_expression" and _called(node) == "append":
            node = find_part(node, "arguments/0")
        else:
            break
    return node


def _is_received(node: Any) -> bool:
    sign = node.field("operator")
    return sign is not None and str(sign.text()) == RECEIVING


def _called(node: Any) -> str:
    return str(node.field("function").text())


def take_element(told: str) -> str:
    """What a type holds, where its expression says it: `Foo` of `map<string,Foo>`."""
    if not told.startswith(("map<", "chan<")) or not told.endswith(">"):
        return ""
    depth = 0
    start = told.index("<") + 1
    for at in range(start, len(told) - 1):
        depth += (told[at] == "<") - (told[at] == ">")
        if told[at] == "," and not depth:
            start = at + 1
    inner = told[start:-1]
    return inner if inner != UNKNOWN else ""


BLOCKS = frozenset(("block", "type_case", "expression_case", "communication_case", "default_case", "func_literal"))
HEADS = frozenset((
    "if_statement", "for_statement", "for_clause", "range_clause", "expression_switch_statement",
    "type_switch_statement", "communication_case", "receive_statement",
))  # fmt: skip
MOST_UP = 8
NOBODY = "_"


def visit_short(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a, b := f()`: seen from the next line on, or at once in the head of a statement."""
    left = node.field("left")
    right = node.field("right")
    _bind(walk, left, right, within, node)
    walk.go(right, within)


def visit_range(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`for i, x := range xs`: the last name is an element."""
    left = node.field("left")
    right = node.field("right")
    walk.go(right, within)
    if left is None:
        return
    names = list(left.named_children())
    told = walk.expression(right)
    if any(each.text() == "=" for each in node.children()):
        walk.go(left, within, facts.WRITE)
        return
    for number, each in enumerate(names):
        is_element = number == 1 or len(names) == 1
        value = f"={told}[]" if is_element and UNKNOWN not in told else ""
        _local(walk, each, within, value, find_seen_lines(node))


def visit_receive(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`case x := <-ch`."""
    left = node.field("left")
    right = node.field("right")
    walk.go(right, within)
    if left is not None:
        _bind(walk, left, right, within, node)


def visit_type_switch(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`switch x := y.(type)`: in each case it is of that case's type."""
    alias = node.field("alias")
    name = find_part(alias, "0")
    told = walk.expression(node.field("value"))
    for each in node.named_children():
        if each.kind() in ("type_case", "default_case"):
            _case(walk, each, name, f"={told}" if UNKNOWN not in told else "", within)
        elif alias is None or each.range() != alias.range():
            walk.go(each, within)


def _case(walk: SyntaxWalk, node: Any, name: Any, given: str, within: int) -> None:
    """A case for one type binds the name with that type; another one with what is looked at."""
    types = list(node.field_children("type"))
    known = TYPES.describe(walk, types[0]) if len(types) == 1 else ""
    if name is not None:
        _local(walk, name, within, f":{known}" if known else given, find_lines(node))
    for each in node.named_children():
        walk.go(each, within, TYPE if any(each.range() == kind.range() for kind in types) else READ)


def visit_value(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`var a, b T = f()`, `const c = 1`: the file's, or a function's own."""
    kind = facts.CONSTANT if node.kind() == "const_spec" else facts.VARIABLE
    declared = node.field("type")
    value = node.field("value")
    values = list(select(value, "*"))
    names = [each for each in node.field_children("name") if each.kind() == "identifier"]
    told = TYPES.tell(walk, declared)
    for number, each in enumerate(names):
        given = told or _value(walk, values, number, len(names))
        if within >= 0:
            _local(walk, each, within, given, find_seen_lines(node))
        elif each.text() != NOBODY:
            walk.define(each, kind, -1, whole=node, told=given, scope=-1)
    walk.go(declared, within, TYPE)
    walk.go(value, within)


def _bind(walk: SyntaxWalk, left: Any, right: Any, within: int, node: Any) -> None:
    values = [right]
    if right is not None and right.kind() == "expression_list":
        values = list(right.named_children())
    names = list(left.named_children())
    for number, each in enumerate(names):
        _local(walk, each, within, _value(walk, values, number, len(names)), find_seen_lines(node))


def _value(walk: SyntaxWalk, values: list[Any], number: int, names: int) -> str:
    """The value of one name of several; of a call that returns several, only the first is known."""
    if len(values) == names:
        return describe_value(walk, values[number])
    return describe_value(walk, values[0]) if values and not number else ""


def _local(walk: SyntaxWalk, name: Any, within: int, told: str, visible: tuple[int, int]) -> None:
    if name.kind() == "identifier" and name.text() != NOBODY:
        walk.define(name, facts.LOCAL, within, told=told, visible=visible)


def find_seen_lines(node: Any) -> tuple[int, int]:
    """The lines that see what a statement binds: to the end of its block."""
    around = node.parent()
    is_head = False
    for _ in range(MOST_UP):
        if around is None or around.kind() in BLOCKS:
            break
        if around.kind() in HEADS:
            is_head = True
            break
        around = around.parent()
    is_head = is_head or node.kind() in HEADS
    span = node.range()
    first = span.start.line + 1 if is_head else span.end.line + 2
    return first, max(first, around.range().end.line + 1 if around is not None else first)


def visit_literal(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`T{A: 1}`: the keys are fields of T; what is in braces alone is of the type that the whole holds."""
    declared = node.field("type")
    walk.go(declared, within, facts.CALL if declared is not None and declared.kind() != "struct_type" else TYPE)
    pending = [(node.field("body"), TYPES.describe(walk, declared))]
    while pending:
        body, told = pending.pop()
        inner = take_element(told)
        for each in select(body, "*"):
            key, value = _parts(each)
            _key(walk, key, told, within)
            if value is not None and value.kind() == "literal_value":
                pending.append((value, inner))
            else:
                walk.go(value, within)


def _key(walk: SyntaxWalk, key: Any, told: str, within: int) -> None:
    """A key is a field that is written to, but not in a map."""
    if key is not None and key.kind() == "identifier" and not told.startswith("map<"):
        walk.refer(key, within, facts.WRITE, f"{told.partition('<')[0]}()" if told else UNKNOWN)
    else:
        walk.go(key, within)


def _parts(node: Any) -> tuple[Any, Any]:
    if node.kind() != "keyed_element":
        return None, find_part(node, "0") if node.kind() == "literal_element" else node
    sides = [find_part(each, "0") for each in node.named_children()]
    return (sides[0], sides[1]) if len(sides) == 2 else (None, None)


ELEMENT = "[]"
RESULT = "()"
ALONE = frozenset(("type_declaration", "const_declaration", "var_declaration"))
MOST_COMMENTS = 10
KINDS = {"struct_type": facts.CLASS, "interface_type": facts.INTERFACE}


def visit_type(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`type X struct {…}`, `type X Y`, `type X = Y`."""
    name = node.field("name")
    declared = node.field("type")
    if name is None or declared is None:
        walk.go_below(node, within)
        return
    kind = KINDS.get(declared.kind(), facts.ALIAS)
    told = TYPES.describe(walk, declared)
    is_other_name = node.kind() == "type_alias"
    place = walk.define(
        name, kind, within, whole=node, body=declared if kind != facts.ALIAS else None, doc=read_doc(node),
        told=f":{told}" if is_other_name and told else "",
        bases=_embedded(walk, declared) if is_other_name or not _is_base(told) else [told], scope=within,
    )  # fmt: skip
    bind_type_parameters(walk, node.field("type_parameters"), place)
    element = "" if is_other_name else take_element(told)
    _operator(walk, ELEMENT, place, f":{element}" if element else "")
    if declared.kind() == "function_type":
        _operator(walk, RESULT, place, describe_result(walk, declared.field("result")))
    walk.go(declared, place, TYPE)


def _is_base(told: str) -> bool:
    """Whether a type that another one is declared as has members that it could take over."""
    return bool(told) and not told.startswith("map<") and not take_element(told)


def _operator(walk: SyntaxWalk, name: str, place: int, told: str) -> None:
    """What an element or a call of a type gives, where that is known."""
    if told:
        line = walk.definitions[place].line
        walk.add(SymbolDefinition(name, facts.OPERATOR, place, line, 0, line, type=told))


def _embedded(walk: SyntaxWalk, declared: Any) -> list[str]:
    """What a struct or an interface embeds."""
    types: list[Any] = []
    if declared.kind() == "interface_type":
        types = [each for each in declared.named_children() if _is_alone(each)]
    elif declared.kind() == "struct_type":
        types = [each.field("type") for each in _fields(declared) if each.field("name") is None]
    described = [TYPES.describe(walk, each) for each in types]
    return [each for each in described if each]


def _is_alone(node: Any) -> bool:
    """Whether an element of an interface is one type, not a choice between some."""
    return bool(node.kind() == "type_elem" and len(node.named_children()) == 1)


def _fields(struct: Any) -> list[Any]:
    fields = find_part(struct, "0")
    return [] if fields is None else [each for each in fields.named_children() if each.kind() == "field_declaration"]


def visit_field(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Fields of a struct; one without a name is embedded, and called as its type is."""
    declared = node.field("type")
    names = [each for each in node.field_children("name") if each.kind() == "field_identifier"]
    place = _define_fields(walk, node, names, within)
    is_nested = declared is not None and "struct_type" in (declared.kind(), *_inner_kinds(declared))
    walk.go(declared, place if is_nested else within, facts.INHERIT if not names else TYPE)


def _define_fields(walk: SyntaxWalk, node: Any, names: list[Any], within: int) -> int:
    """The place of the last field that has a name; that of what they are in where none has."""
    given = TYPES.tell(walk, node.field("type"))
    around = walk.definitions[within].kind if within >= 0 else ""
    place = within
    for each in names if around in facts.TYPES or around == facts.FIELD else ():
        place = walk.define(each, facts.FIELD, within, whole=node, told=given, scope=-1)
    embedded = _embedded_name(node.field("type")) if not names and around in facts.TYPES else None
    if embedded is not None:
        walk.define(embedded, facts.FIELD, within, whole=node, told=given, scope=-1)
    return place


def _embedded_name(declared: Any) -> Any:
    """What an embedded type is called as a field: `T` of `*T`, and of `a.T`."""
    if declared is None or declared.kind() != "qualified_type":
        return find_owner(declared)
    return (list(declared.named_children()) or [declared])[-1]


def _inner_kinds(node: Any) -> list[str]:
    return [str(each.kind()) for each in node.named_children()]


def visit_interface_method(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A method that an interface asks for."""
    name = node.field("name")
    if name is not None:
        told = describe_result(walk, node.field("result"))
        walk.define(name, facts.METHOD, within, whole=node, doc=read_doc(node), told=told, scope=-1)
    visit_function_type(walk, node, within, role)


def visit_embedded(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """What an interface embeds; elsewhere an argument of a type."""
    parent = node.parent()
    is_embedded = parent is not None and parent.kind() == "interface_type"
    walk.go_below(node, within, facts.INHERIT if is_embedded else TYPE)


def visit_function_type(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """The type of a function: the names of its parameters bind nothing."""
    for field in ("parameters", "result"):
        part = node.field(field)
        if part is not None and part.kind() == "parameter_list":
            for each in part.named_children():
                walk.go(each.field("type"), within, TYPE)
        else:
            walk.go(part, within, TYPE)


def define_extension(walk: SyntaxWalk, owner: Any) -> int:
    """What stands for a type in a file that has methods of it."""
    name = str(owner.text())
    line = owner.range().start.line + 1
    key = f"{facts.EXTENSION} {name}"
    known = walk.bound(-1, key)
    made = SymbolDefinition(name, facts.EXTENSION, -1, line, 0, line, type=f":{name}")
    return known if known is not None else walk.add(made, key)


def find_owner(node: Any) -> Any:
    """The name of the type of a receiver, or of what is embedded."""
    for _ in range(4):
        if node is None or node.kind() == "type_identifier":
            return node
        node = node.field("type") or find_part(node, "0")
    return None


def bind_type_parameters(walk: SyntaxWalk, node: Any, place: int) -> None:
    """`[K comparable]`: names of types that a type or a function is given."""
    for each in select(node, "*"):
        told = TYPES.tell(walk, each.field("type"))
        for name in each.field_children("name"):
            if name.kind() == "identifier":
                walk.define(name, facts.PARAMETER, place, told=told)
        walk.go(each.field("type"), place, TYPE)


def read_doc(node: Any) -> str:
    """The comment right above a declaration."""
    around = node.parent()
    above = node.prev()
    if kind_of(around) in ALONE and (above is None or not above.is_named()):
        node = around
    return " ".join(each.strip("/* \t\n") for each in list_comments_above(node, MOST_COMMENTS))


PACKAGE = "package"
PREDECLARED = (
    "any append bool byte cap complex64 complex128 error false float32 float64 int int8 int16 int32 int64 iota len "
    "make nil panic recover rune string true uint uint8 uint16 uint32 uint64 uintptr _"
)


def visit_package(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """The package that the file is a part of."""
    name = find_part(node, "0")
    if name is not None:
        walk.imports(ImportedSymbol(str(name.text()), node.range().start.line + 1, keyword=PACKAGE))


def visit_import(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`import m "a/b"`; without a name of its own it is called as the last part says."""
    path = node.field("path")
    name = node.field("name")
    text = str(path.text()).strip('"`') if path is not None else ""
    span = node.range()
    line = span.start.line + 1
    one = ImportedSymbol(text, line, is_relative=text.startswith("."))
    if not text or (name is not None and name.text() == NOBODY):
        return
    if name is not None and name.kind() == "dot":
        walk.imports(one._replace(name=facts.EVERYTHING))
    elif name is not None:
        walk.define(name, facts.IMPORTED, -1, told=walk.imports(one))
    else:
        told = walk.imports(one)
        walk.add(
            SymbolDefinition(guess_package_name(text), facts.IMPORTED, -1, line, span.start.column, line, type=told)
        )


def guess_package_name(text: str) -> str:
    """What a package is likely called: the last part of its path that is no version."""
    parts = [each for each in text.split("/") if each]
    if len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit():
        parts.pop()
    last = parts[-1] if parts else text
    stem, dot, version = last.partition(".v")
    last = stem if dot and version.isdigit() else last
    return last.removeprefix("go-").removesuffix("-go").replace("-", "_")


def visit_function(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function, or a method: it belongs to the type of its receiver, wherever in the package that is."""
    name = node.field("name")
    receiver = node.field("receiver")
    owner = find_owner(find_part(receiver, "0/type"))
    is_method = node.kind() == "method_declaration"
    if name is None or (is_method and owner is None):
        walk.go_below(node, within)
        return
    parent = define_extension(walk, owner) if is_method else -1
    place = walk.define(
        name, facts.METHOD if is_method else facts.FUNCTION, parent, whole=node, body=node.field("body"),
        doc=read_doc(node), told=describe_result(walk, node.field("result")), scope=-1,
    )  # fmt: skip
    _parameters(walk, receiver, place, (0, 0))
    bind_type_parameters(walk, node.field("type_parameters"), place)
    _parameters(walk, node.field("parameters"), place, (0, 0))
    result = node.field("result")
    if result is not None and result.kind() == "parameter_list":
        _parameters(walk, result, place, (0, 0))
    else:
        walk.go(result, place, TYPE)
    walk.go(node.field("body"), place)


def _parameters(walk: SyntaxWalk, node: Any, place: int, visible: tuple[int, int]) -> None:
    for each in select(node, "*"):
        declared = each.field("type")
        told = TYPES.describe(walk, each.field("type"))
        told = f"map<{told}>" if told and each.kind() == "variadic_parameter_declaration" else told
        for name in each.field_children("name"):
            if name.kind() == "identifier" and name.text() != NOBODY:
                walk.define(name, facts.PARAMETER, place, told=f":{told}" if told else "", visible=visible)
        walk.go(declared, place, TYPE)


def visit_function_literal(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    lines = find_lines(node)
    for field in ("parameters", "result"):
        part = node.field(field)
        if part is not None and part.kind() == "parameter_list":
            _parameters(walk, part, within, lines)
        else:
            walk.go(part, within, TYPE)
    walk.go(node.field("body"), within)


def visit_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A call; it may declare a route."""
    called = node.field("function")
    arguments = node.field("arguments")
    walk.go(called, within, facts.CALL)
    walk.go(node.field("type_arguments"), within, TYPE)
    walk.go(arguments, within, READ)
    define_route(walk, called, arguments)


def visit_made(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A literal with its type; it may declare a command."""
    visit_literal(walk, node, within, role)
    define_command(walk, node)


def attach_methods(walk: SyntaxWalk) -> None:
    """Methods whose type is in the same file belong to its definition."""
    for place, each in enumerate(walk.definitions):
        if each.kind == facts.METHOD and each.parent >= 0 and walk.definitions[each.parent].kind == facts.EXTENSION:
            owner = walk.bound(-1, walk.definitions[each.parent].name)
            if owner is not None and walk.definitions[owner].kind in facts.TYPES:
                walk.definitions[place] = each._replace(parent=owner)


LANGUAGE = LanguageTable(
    "go",
    visits={
        "assignment_statement": Parts("left:write right"),
        "call_expression": visit_call,
        "composite_literal": visit_made,
        "const_spec": visit_value,
        "dec_statement": Parts("*:write"),
        "field_declaration": visit_field,
        "func_literal": visit_function_literal,
        "function_declaration": visit_function,
        "function_type": visit_function_type,
        "import_spec": visit_import,
        "inc_statement": Parts("*:write"),
        "method_declaration": visit_function,
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
    finish=attach_methods,
)  # fmt: skip
