"""Reads symbols of Go: packages, types, methods by receiver, local variables, routes and commands."""

from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import READ, TYPE, UNKNOWN, ImportedSymbol, SymbolDefinition
from fieldguide.code.symbols.readers.nodes import find_lines, find_part, kind_of, list_comments_above, select
from fieldguide.code.symbols.readers.table import Declares, LanguageTable, Package, Parts, TypeTable
from fieldguide.code.symbols.readers.walk import SyntaxWalk

ROUTING = frozenset((
    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "Any", "Handle", "HandleFunc", "Get", "Post", "Put",
    "Patch", "Delete", "Head", "Options", "Method",
))  # fmt: skip
CONTENT = "0[interpreted_string_literal,raw_string_literal]/0"
COMMANDS = "Command"
USE = "Use"


def define_route(walk: SyntaxWalk, node: Any, within: int) -> None:
    """The route that a call declares with its handler: `r.GET("/x", show)`."""
    called = node.field("function")
    if kind_of(called) != "selector_expression" or str(called.field("field").text()) not in ROUTING:
        return
    given = select(node, "arguments/*")
    path = find_part(node, f"arguments/{CONTENT}") if len(given) > 1 else None
    if path is not None and str(path.text()).startswith("/"):
        walk.define(path, facts.ROUTE, -1, whole=node.field("arguments"), told=walk.tell_value(given[-1]))


def define_command(walk: SyntaxWalk, node: Any) -> None:
    """The command that a literal declares: `cobra.Command{Use: "x"}`."""
    declared = node.field("type")
    body = node.field("body")
    if declared is None or walk.expression(declared).rpartition(".")[2] != COMMANDS:
        return
    for each in select(body, "#keyed_element"):
        sides = list(each.named_children())
        words = find_part(sides[1], CONTENT) if len(sides) == 2 and str(sides[0].text()) == USE else None
        if words is not None and (first := str(words.text()).split(" ")[0]):
            start = words.range().start
            end = node.range().end.line + 1
            head = walk.signature(node, body)
            walk.add(SymbolDefinition(first, facts.COMMAND, -1, start.line + 1, start.column, end, head))


MAKERS = frozenset(("new", "make"))
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
    values=dict.fromkeys(("composite_literal", "type_assertion_expression", "type_conversion_expression"), "type"),
    most_arguments=20,
)


RETURNED = "result[parameter_list]/0/type|result"
"""What a function returns; of several the first."""


def describe_value(walk: SyntaxWalk, node: Any) -> str:
    """A value as what a definition's type says: `=f()`, `:T` for a new T; nothing where it is not plain."""
    node = _unwrapped(node)
    kind = kind_of(node)
    if kind in TYPES.values:
        return TYPES.tell(walk, node.field("type"))
    if kind == "call_expression" and _called(node) in MAKERS:
        return TYPES.tell(walk, find_part(node, "arguments/0"))
    if kind == "unary_expression" and _is_received(node):
        return walk.tell_value(node.field("operand"), "[]")
    return walk.tell_value(node)


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
    """`a, b := f()`, `case x := <-ch`: seen from the next line on, or at once in the head of a statement."""
    walk.read(node, "right", within)
    values = list(select(node, "right[expression_list]/*|right"))
    names = select(node, "left/*")
    visible = find_seen_lines(node)
    for number, each in enumerate(names):
        _local(walk, each, within, _value(walk, values, number, len(names)), visible)


def visit_range(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`for i, x := range xs`: the last name is an element."""
    walk.read(node, "right", within)
    if any(each.text() == "=" for each in node.children()):
        walk.read(node, "left:write", within)
        return
    names = select(node, "left/*")
    told = walk.tell_value(node.field("right"), "[]")
    visible = find_seen_lines(node)
    for number, each in enumerate(names):
        is_element = number == 1 or len(names) == 1
        _local(walk, each, within, told if is_element else "", visible)


def visit_type_switch(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`switch x := y.(type)`: in each case it is of that case's type, or as what is looked at where it has several."""
    name = find_part(node, "alias/0")
    told = walk.tell_value(node.field("value"))
    for case in select(node, "!alias"):
        if case.kind() not in ("type_case", "default_case"):
            walk.go(case, within)
            continue
        types = list(case.field_children("type"))
        known = TYPES.tell(walk, types[0]) if len(types) == 1 else ""
        if name is not None:
            _local(walk, name, within, known or told, find_lines(case))
        spans = [each.range() for each in types]
        for each in case.named_children():
            walk.go(each, within, TYPE if each.range() in spans else READ)


def visit_value(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`var a, b T = f()`, `const c = 1`: the file's, or a function's own."""
    kind = facts.CONSTANT if node.kind() == "const_spec" else facts.VARIABLE
    values = list(select(node, "value/*"))
    names = [each for each in node.field_children("name") if each.kind() == "identifier"]
    told = TYPES.tell(walk, node.field("type"))
    for number, each in enumerate(names):
        given = told or _value(walk, values, number, len(names))
        if within >= 0:
            _local(walk, each, within, given, find_seen_lines(node))
        elif each.text() != NOBODY:
            walk.define(each, kind, -1, whole=node, told=given, scope=-1)
    walk.read(node, "type:type value", within)


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
            key = None
            value = find_part(each, "0") if each.kind() == "literal_element" else each
            if each.kind() == "keyed_element":
                sides = [find_part(side, "0") for side in each.named_children()]
                key, value = sides if len(sides) == 2 else (None, None)
            if kind_of(key) == "identifier" and not told.startswith("map<"):  # a field, but not in a map
                walk.refer(key, within, facts.WRITE, f"{told.partition('<')[0]}()" if told else UNKNOWN)
            else:
                walk.go(key, within)
            if kind_of(value) == "literal_value":
                pending.append((value, inner))
            else:
                walk.go(value, within)
    define_command(walk, node)


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
    element = take_element(told)
    is_base = bool(told) and not told.startswith("map<") and not element  # it has members that can be taken over
    place = walk.define(
        name, kind, within, whole=node, body=declared if kind != facts.ALIAS else None, doc=read_doc(node),
        told=f":{told}" if is_other_name and told else "",
        bases=_embedded(walk, declared) if is_other_name or not is_base else [told], scope=within,
    )  # fmt: skip
    walk.go(node.field("type_parameters"), place)
    if element and not is_other_name:
        _operator(walk, ELEMENT, place, f":{element}")
    if declared.kind() == "function_type":
        _operator(walk, RESULT, place, TYPES.tell(walk, find_part(declared, RETURNED)))
    walk.go(declared, place, TYPE)


def _operator(walk: SyntaxWalk, name: str, place: int, told: str) -> None:
    """What an element or a call of a type gives, where that is known."""
    if told:
        line = walk.definitions[place].line
        walk.add(SymbolDefinition(name, facts.OPERATOR, place, line, 0, line, type=told))


def _embedded(walk: SyntaxWalk, declared: Any) -> list[str]:
    """What a struct or an interface embeds."""
    types: list[Any] = []
    if declared.kind() == "interface_type":  # a choice between types embeds none
        types = [each for each in select(declared, "#type_elem") if len(each.named_children()) == 1]
    elif declared.kind() == "struct_type":
        fields = select(find_part(declared, "0"), "#field_declaration")
        types = [each.field("type") for each in fields if each.field("name") is None]
    return list(filter(None, [TYPES.describe(walk, each) for each in types]))


def visit_field(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Fields of a struct; one without a name is embedded, and called as its type is."""
    declared = node.field("type")
    names = [each for each in node.field_children("name") if each.kind() == "field_identifier"]
    given = TYPES.tell(walk, declared)
    around = walk.definitions[within].kind if within >= 0 else ""
    place = within
    for each in names if around in facts.TYPES or around == facts.FIELD else ():
        place = walk.define(each, facts.FIELD, within, whole=node, told=given, scope=-1)
    if not names and around in facts.TYPES:  # `T` of `*T`, and of `a.T`
        embedded = find_part(declared, "name") if kind_of(declared) == "qualified_type" else find_owner(declared)
        walk.define(embedded, facts.FIELD, within, whole=node, told=given, scope=-1)
    is_nested = kind_of(declared) == "struct_type" or find_part(declared, "#struct_type") is not None
    walk.go(declared, place if is_nested else within, facts.INHERIT if not names else TYPE)


def visit_function_type(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """The type of a function, or a method that an interface asks for: the names of its parameters bind nothing."""
    if node.kind() == "method_elem":
        told = TYPES.tell(walk, find_part(node, RETURNED))
        walk.define(node.field("name"), facts.METHOD, within, whole=node, doc=read_doc(node), told=told, scope=-1)
    walk.read(node, "parameters/*/type:type result[parameter_list]/*/type|result:type", within)


def visit_embedded(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """What an interface embeds; elsewhere an argument of a type."""
    is_embedded = kind_of(node.parent()) == "interface_type"
    walk.go_below(node, within, facts.INHERIT if is_embedded else TYPE)


def find_owner(node: Any) -> Any:
    """The name of the type of a receiver, or of what is embedded."""
    for _ in range(4):
        if node is None or node.kind() == "type_identifier":
            return node
        node = node.field("type") or find_part(node, "0")
    return None


def read_doc(node: Any) -> str:
    """The comment right above a declaration."""
    around = node.parent()
    above = node.prev()
    if kind_of(around) in ALONE and (above is None or not above.is_named()):
        node = around
    return " ".join(each.strip("/* \t\n") for each in list_comments_above(node, MOST_COMMENTS))


PREDECLARED = (
    "any append bool byte cap complex64 complex128 error false float32 float64 int int8 int16 int32 int64 iota len "
    "make nil panic recover rune string true uint uint8 uint16 uint32 uint64 uintptr _"
)


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


def find_extension(walk: SyntaxWalk, node: Any, within: int) -> int:
    """What stands for the type of a method's receiver in a file, wherever in the package that type is."""
    owner = find_owner(find_part(node, "receiver/0/type"))
    if owner is None:
        return -1
    name = str(owner.text())
    line = owner.range().start.line + 1
    key = f"{facts.EXTENSION} {name}"
    known = walk.bound(-1, key)
    made = SymbolDefinition(name, facts.EXTENSION, -1, line, 0, line, type=f":{name}")
    return known if known is not None else walk.add(made, key)


def describe_several(walk: SyntaxWalk, node: Any, one: Any, within: int) -> str:
    """The type of a parameter that takes several arguments: `more ...Foo`."""
    told = TYPES.describe(walk, node.field("type"))
    return f":map<{told}>" if told else ""


def attach_methods(walk: SyntaxWalk) -> None:
    """Methods whose type is in the same file belong to its definition."""
    for place, each in enumerate(walk.definitions):
        if each.kind == facts.METHOD and each.parent >= 0 and walk.definitions[each.parent].kind == facts.EXTENSION:
            owner = walk.bound(-1, walk.definitions[each.parent].name)
            if owner is not None and walk.definitions[owner].kind in facts.TYPES:
                walk.definitions[place] = each._replace(parent=owner)


HEAD = "parameters:type result:type body"
FUNCTION_PARTS = f"receiver type_parameters {HEAD}"
PARAMETER = Declares(facts.PARAMETER, "type:type", each="#identifier", name=".", declared="type", visible="closure")
LANGUAGE = LanguageTable(
    "go",
    visits={
        "assignment_statement": Parts("left:write right"),
        "call_expression": Parts("function:call type_arguments:type arguments", define_route),
        "composite_literal": visit_literal,
        "const_spec": visit_value,
        "dec_statement": Parts("*:write"),
        "field_declaration": visit_field,
        "func_literal": Parts(HEAD),
        "function_declaration": Declares(facts.FUNCTION, FUNCTION_PARTS, declared=RETURNED),
        "function_type": visit_function_type,
        "import_spec": visit_import,
        "inc_statement": Parts("*:write"),
        "method_declaration": Declares(
            facts.METHOD, FUNCTION_PARTS, declared=RETURNED, parent=find_extension
        ),
        "method_elem": visit_function_type,
        "package_clause": Package("0"),
        "parameter_declaration": PARAMETER,
        "range_clause": visit_range,
        "receive_statement": visit_short,
        "short_var_declaration": visit_short,
        "type_alias": visit_type,
        "type_elem": visit_embedded,
        "type_parameter_declaration": PARAMETER,
        "type_spec": visit_type,
        "type_switch_statement": visit_type_switch,
        "var_spec": visit_value,
        "variadic_parameter_declaration": Declares(
            facts.PARAMETER, "type:type", each="#identifier", name=".", told=describe_several, visible="closure"
        ),
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
    types=TYPES,
    read_doc=read_doc,
    closures=frozenset(("func_literal",)),
    nameless=frozenset((NOBODY,)),
    finish=attach_methods,
)  # fmt: skip
