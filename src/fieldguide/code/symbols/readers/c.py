"""Reads symbols of C (functions, types, fields, constants, macros, preprocessor conditions), and what C++ adds.

Conditions go. Of branches that do not close the braces they open (`#if … if (a) { #else if (b) { #endif`), the first
stays. So does the text of all others: who asks who uses a name asks for every system. A word in capitals before a
declaration's type (`UV_EXTERN int f(void);`) goes as well.
"""

from itertools import accumulate, islice, pairwise
from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import READ, TYPE, UNKNOWN, ImportedSymbol
from fieldguide.code.symbols.readers.nodes import find_lines, find_part, kind_of, list_comments_above, select
from fieldguide.code.symbols.readers.table import Declares, LanguageTable, Parts, Takes, TypeTable, Visit
from fieldguide.code.symbols.readers.walk import SyntaxWalk
from fieldguide.text import regex as re

CONDITION = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(.*)")
MARK = re.compile(
    r"^(?:extern[ \t]+)?([A-Z][A-Z0-9_]{2,})(?:[ \t]*\([^()\n]*\))?[ \t]+(?:const[ \t]+|struct[ \t]+|unsigned[ \t]+)*"
    r"[a-zA-Z_][\w:]*[ \t*&]+[a-zA-Z_*]"
)
NAME = re.compile(r"[A-Za-z_]\w*")
QUOTED = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
BRACKET = re.compile(r"[{}()]")
MOST_CONDITIONS = 20_000


def blank_conditions(text: str) -> str:
    """The text as the grammar gets it, every character in its place."""
    lines = text.split("\n")
    drop = _dropped(lines) if "#" in text else set[int]()
    for number, line in enumerate(lines):
        if number in drop:
            lines[number] = " " * len(line)
        elif line[:1].isupper() or line.startswith("extern "):
            mark = MARK.match(line)
            if mark is not None:
                start = mark.start(1)
                end = mark.end(1)
                lines[number] = f"{line[:start]}{' ' * (end - start)}{line[end:]}"
    return "\n".join(lines)


def _dropped(lines: list[str]) -> set[int]:
    """The lines of conditions, and of branches that would leave the braces open."""
    drop: set[int] = set()
    groups: list[list[int]] = []
    depths = _depths(lines)
    unkept = [0] * (len(lines) + 1)
    for number, line in enumerate(lines):
        found = CONDITION.match(line) if "#" in line else None
        if found is None:
            continue
        last = number
        while lines[last].endswith("\\") and last + 1 < len(lines):
            last += 1
        drop.update(range(number, last + 1))
        word = found.group(1)
        if word.startswith("if"):
            groups.append([number])
        elif groups:
            groups[-1].append(number)
            if word == "endif":
                marks = groups.pop()
                branches = list(pairwise(marks))
                if len(branches) > 1 and any(depths[start + 1] != depths[end] for start, end in branches):
                    unkept[marks[1]] += 1  # all branches but the first, if one does not close what it opens
                    unkept[marks[-1]] -= 1
    return drop.union(number for number, depth in enumerate(accumulate(unkept[:-1])) if depth)


def _depths(lines: list[str]) -> list[int]:
    """How many brackets are open before each line."""
    found = [0]
    for line in lines:
        depth = found[-1]
        if BRACKET.search(line) is not None:
            bare = QUOTED.sub("", line)
            depth += bare.count("{") - bare.count("}") + bare.count("(") - bare.count(")")
        found.append(depth)
    return found


def refer_to_conditions(walk: SyntaxWalk) -> None:
    """The names in what was blanked are used too: by conditions, and as marks of declarations."""
    found = 0
    for number, line in enumerate(walk.text.split("\n"), 1):
        condition = CONDITION.match(line) if "#" in line else None
        if condition is not None and found < MOST_CONDITIONS:
            found += 1
            start = condition.start(2)
            for match in NAME.finditer(QUOTED.sub(lambda quoted: " " * len(quoted.group()), condition.group(2))):
                if match.group() != "defined":
                    walk.refer_at(match.group(), number, start + match.start(), -1, READ)
        elif line[:1].isupper() or line.startswith("extern "):
            mark = MARK.match(line)
            if mark is not None:
                walk.refer_at(mark.group(1), number, mark.start(1), -1, READ)


MOST_DECLARATORS = 30
SPECIFIERS = frozenset(("struct_specifier", "union_specifier", "enum_specifier", "class_specifier"))
NAMES = frozenset(("identifier", "field_identifier", "type_identifier", "destructor_name", "operator_name"))
DECLARED = NAMES | {"qualified_identifier", "template_function"}
WRAPPED = frozenset((
    "array_declarator", "attributed_declarator", "function_declarator", "init_declarator", "parenthesized_declarator",
    "pointer_declarator", "reference_declarator",
))  # fmt: skip
POINTERS = frozenset(
    ("shared_ptr", "unique_ptr", "weak_ptr", "QPointer", "QScopedPointer", "QSharedPointer", "optional")
)
"""Types of libraries that a dot or an arrow looks through."""


def _describe_qualified(walk: SyntaxWalk, node: Any, depth: int) -> str:
    scope = node.field("scope")
    name = TYPES.describe(walk, node.field("name"), depth)
    above = str(scope.text()) if scope is not None else ""
    if name.partition("<")[0] in POINTERS or above == "std":
        return name
    return f"{above.replace('::', '.')}.{name}" if above.isidentifier() and name else name


def _describe_template(walk: SyntaxWalk, node: Any, depth: int) -> str:
    name = node.field("name")
    given = select(node, "arguments/*")
    whole = str(name.text()) if name is not None else ""
    if whole in POINTERS and given:
        return TYPES.describe(walk, given[0], depth)
    return TYPES.give(walk, whole, given, depth)


TYPES = TypeTable(
    names=frozenset(("type_identifier",)),
    inner=dict.fromkeys((*SPECIFIERS, "type_descriptor"), "type|name"),
    special={"qualified_identifier": _describe_qualified, "template_type": _describe_template},
    values={"new_expression": "type"},
    most_arguments=6,
    deepest=6,
)
"""Without pointers."""


def find_declared_name(node: Any) -> tuple[Any, Any]:
    """The name in a declarator, and the innermost function declarator around it, if it declares a function."""
    function = None
    is_pointed = False
    for _ in range(MOST_DECLARATORS):
        kind = kind_of(node)
        if kind in DECLARED:
            return node, None if is_pointed else function
        if kind not in WRAPPED:
            return None, None
        if kind == "function_declarator":
            function = node
            is_pointed = False
        elif kind in ("pointer_declarator", "reference_declarator"):
            is_pointed = function is not None
        inner = node.field("declarator")
        node = inner if inner is not None else find_part(node, f"#{','.join(sorted(DECLARED | WRAPPED))}")
    return None, None


MOST_MACRO_TOKENS = 2_000
MOST_COMMENTS = 20
MOST_LISTS = 4
TOKEN = re.compile(r"""//.*|/\*|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|->|[A-Za-z_]\w*|[^\s\w]|\n""")


def visit_macro(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`#define NAME …`: the names in it are used where it is."""
    name = node.field("name")
    value = node.field("value")
    if name is None:
        return
    place = walk.define(name, facts.MACRO, -1, whole=node, body=value, doc=read_doc(node))
    for each in select(node, "parameters/*"):
        walk.define(each, facts.PARAMETER, place)
    if value is None:
        return
    span = value.range()
    line = span.start.line + 1
    begun = -span.start.column
    before = ""
    for match in islice(TOKEN.finditer(walk.text[span.start.index : span.end.index]), MOST_MACRO_TOKENS):
        word = match.group()
        if word == "\n":
            line += 1
            begun = match.end()
        elif word[0].isalpha() or word[0] == "_":
            receiver = UNKNOWN if before in (".", "->") else ""
            walk.refer_at(word, line, match.start() - begun, place, READ, receiver)
        before = word


def visit_initializers(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`{ .a = 1 }`: the fields of what is declared."""
    told = ""
    for each in node.named_children():
        designator = each.field("designator") if each.kind() == "initializer_pair" else None
        name = find_part(designator, "0")
        if name is not None and name.kind() == "field_identifier":
            told = told or _initialized(walk, node)
            walk.refer(name, within, facts.WRITE, told)
            walk.go(each.field("value"), within)
        else:
            walk.go(each, within)


def _initialized(walk: SyntaxWalk, node: Any) -> str:
    """The type of what a list of values is given to."""
    for _ in range(MOST_LISTS):
        node = node.parent()
        kind = kind_of(node)
        if kind in ("declaration", "compound_literal_expression"):
            return TYPES.describe(walk, node.field("type")) or UNKNOWN
        if kind not in ("initializer_list", "init_declarator"):
            break
    return UNKNOWN


def read_doc(node: Any) -> str:
    """The comment right before a definition."""
    texts = [each.strip("/*! \n") for each in list_comments_above(node, MOST_COMMENTS)]
    return " ".join(each.strip(" *\t") for text in texts for each in text.split("\n")).strip()


DECLARATORS = frozenset((
    "array_declarator", "field_identifier", "function_declarator", "identifier", "init_declarator",
    "parenthesized_declarator", "pointer_declarator", "qualified_identifier", "reference_declarator", "type_identifier",
))  # fmt: skip
OWNERS = frozenset((facts.FUNCTION, facts.METHOD))


def visit_function(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function with its body."""
    name, function = find_declared_name(node.field("declarator"))
    body = node.field("body")
    if name is None or function is None:
        walk.go_below(node, within)
        return
    place = define_function(walk, node, name, function, within, body)
    walk.read(node, "type:type", within)
    walk.read(node, "#field_initializer_list body", place)


def define_function(walk: SyntaxWalk, node: Any, name: Any, function: Any, within: int, body: Any = None) -> int:
    """A function or a method, here or elsewhere, with its parameters."""
    told = TYPES.tell(walk, node.field("type"))
    in_type = within >= 0 and walk.definitions[within].kind in facts.TYPES | {"extension"}
    kind = facts.METHOD if in_type else facts.FUNCTION
    place = walk.define(name, kind, within, whole=node, body=body, doc=read_doc(node), told=told)
    for each in select(function, "parameters/*"):
        name, _ = find_declared_name(each.field("declarator"))
        walk.read(each, "type:type default_value", within)
        if kind_of(name) == "identifier":
            walk.define(name, facts.PARAMETER, place, told=TYPES.tell(walk, each.field("type")), scope=within)
    return place


def visit_declaration(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Variables and functions that are declared together: `int a, *b = c, f(void);`."""
    walk.read(node, "type:type", within)
    told = TYPES.tell(walk, node.field("type"))
    for each in select(node, "!type"):
        if each.kind() not in DECLARATORS:
            continue
        name, function = find_declared_name(each)
        value = each.field("value") if each.kind() == "init_declarator" else None
        if kind_of(name) != "identifier":
            walk.go(each, within)
        elif function is not None:
            define_function(walk, node, name, function, within)
        else:
            given = told or walk.describe_value(value)
            if walk.around(within, OWNERS) >= 0:
                visible = (node.range().start.line + 1, (node.parent() or node).range().end.line + 1)
                walk.define(name, facts.LOCAL, within, told=given, visible=visible)
            else:
                walk.define(name, facts.VARIABLE, within, whole=node, doc=read_doc(node), told=given)
            _sizes(walk, each, within)
        walk.go(value, within)


def _sizes(walk: SyntaxWalk, node: Any, within: int) -> None:
    """The sizes of arrays: `int a[MAX]`."""
    for _ in range(8):
        if node is None:
            return
        if node.kind() == "array_declarator":
            walk.go(node.field("size"), within)
        node = node.field("declarator")


def visit_type_definition(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`typedef struct { … } a, *b;`: a struct without a name of its own has the first."""
    meant = node.field("type")
    names = [find_declared_name(each)[0] for each in node.field_children("declarator")]
    names = [each for each in names if each is not None]
    is_nameless = meant is not None and meant.kind() in SPECIFIERS and meant.field("name") is None
    if is_nameless and names:
        _type(walk, meant, names.pop(0), node, within)
    else:
        walk.go(meant, within, TYPE)
    told = TYPES.tell(walk, meant)
    for name in names:
        walk.define(name, facts.ALIAS, within, whole=node, doc=read_doc(node), told=told)


def visit_specifier(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A struct, a union, an enum or a class: its definition, or a use of its name."""
    if node.field("body") is not None:
        _type(walk, node, node.field("name"), node, within)
    else:
        walk.read(node, "name:type", within)


def _type(walk: SyntaxWalk, node: Any, name: Any, whole: Any, within: int) -> None:
    body = node.field("body")
    kind = facts.ENUM if node.kind() == "enum_specifier" else facts.CLASS
    above = select(node, "#base_class_clause/#type_identifier,qualified_identifier,template_type")
    bases = list(filter(None, [TYPES.describe(walk, each) for each in above]))
    place = within
    if kind_of(name) == "type_identifier":
        place = walk.define(name, kind, within, whole=whole, body=body, doc=read_doc(whole), bases=bases)
    else:
        walk.go(name, within, TYPE)
    for each in above:
        walk.go(each, within, facts.INHERIT)
    walk.go_below(body, place)


def visit_field(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Fields of a struct, and in C++ methods that are only declared."""
    walk.read(node, "type:type default_value", within)
    told = TYPES.tell(walk, node.field("type"))
    for each in node.field_children("declarator"):
        name, function = find_declared_name(each)
        if name is None or name.kind() not in ("field_identifier", "identifier"):
            continue
        if function is not None:
            define_function(walk, node, name, function, within)
        else:
            walk.define(name, facts.FIELD, within, whole=node, doc=read_doc(node), told=told)
            _sizes(walk, each, within)


def visit_enumerator(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A constant of an enum: its name is seen where the enum's is."""
    around = walk.definitions[within] if within >= 0 else None
    is_plain = around is not None and around.kind == facts.ENUM and "enum class" not in around.signature
    outer = around.parent if around is not None and is_plain else within
    walk.define(node.field("name"), facts.CONSTANT, outer, whole=node, doc=read_doc(node))
    walk.read(node, "value", within)


def visit_include(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`#include "a.h"`: all of it is seen from here."""
    written = node.field("path")
    text = str(written.text()) if written is not None else ""
    if len(text) > 2 and text[0] in '"<':
        keyword = "include"
        walk.imports(ImportedSymbol(text[1:-1], node.range().start.line + 1, facts.EVERYTHING, text[0] == '"', keyword))


def visit_type_name(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """The name of a type."""
    walk.refer(node, within, TYPE if role == READ else role)


VISITS: dict[str, Visit] = {
    "assignment_expression": Parts("left:write right"),
    "cast_expression": Parts("type:type value"),
    "declaration": visit_declaration,
    "enum_specifier": visit_specifier,
    "enumerator": visit_enumerator,
    "field_declaration": visit_field,
    "function_definition": visit_function,
    "initializer_list": visit_initializers,
    "preproc_def": visit_macro,
    "preproc_function_def": visit_macro,
    "preproc_include": visit_include,
    "struct_specifier": visit_specifier,
    "type_definition": visit_type_definition,
    "type_identifier": visit_type_name,
    "union_specifier": visit_specifier,
}

WRAPPERS = {
    "cast_expression": "type", "compound_literal_expression": "type", "parenthesized_expression": "",
    "pointer_expression": "argument", "struct_specifier": "name", "type_descriptor": "type", "union_specifier": "name",
    "update_expression": "argument",
}  # fmt: skip
"""What is cast has what the type has."""

C = LanguageTable(
    "c for names",
    visits=VISITS,
    names=frozenset(("identifier", "type_identifier")),
    members={"field_expression": ("argument", "field")},
    calls={"call_expression": "function"},
    elements={"subscript_expression": "argument"},
    wrappers=WRAPPERS,
    skipped=frozenset(("comment", "primitive_type", "statement_identifier", "string_literal", "system_lib_string")),
    types=TYPES,
    read_doc=read_doc,
    prepare=blank_conditions,
    finish=refer_to_conditions,
)


MOST_SCOPES = 12


def visit_namespace(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`namespace a::b { … }`; what is in one without a name is seen around it."""
    name = node.field("name")
    body = node.field("body")
    place = within
    parts = name.named_children() if name is not None and name.kind() == "nested_namespace_specifier" else [name]
    for each in parts:
        if each is not None:
            place = walk.define(each, facts.MODULE, place, whole=node, body=body)
    walk.go(body, place)


def visit_member_function(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function; `void Foo::go() { … }` is a part of a class that is defined elsewhere."""
    qualified, function = find_declared_name(node.field("declarator"))
    if function is None or kind_of(qualified) != "qualified_identifier":
        visit_function(walk, node, within, role)
        return
    scopes, name = _taken_apart(qualified)
    if name is None or scopes[-1] is None:
        walk.go_below(node, within)
        return
    texts = [str(each.text()).partition("<")[0] for each in scopes if each is not None]
    extension = walk.define(scopes[-1], facts.EXTENSION, within, whole=node, told=f":{'.'.join(texts)}", scope=within)
    for number, each in enumerate(scopes):
        walk.refer(each, within, TYPE, ".".join(texts[:number]))
    place = define_function(walk, node, name, function, extension, node.field("body"))
    walk.read(node, "type:type", within)
    walk.read(node, "#field_initializer_list,compound_statement", place)


def _taken_apart(name: Any) -> tuple[list[Any], Any]:
    """The scopes of `a::b::c`, and what is named in them."""
    scopes: list[Any] = []
    while kind_of(name) == "qualified_identifier" and len(scopes) < MOST_SCOPES:
        scopes.append(name.field("scope"))
        name = name.field("name")
    return scopes, name


def visit_qualified(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a::b::c`."""
    scopes, name = _taken_apart(node)
    before: list[str] = []
    for scope in scopes:
        if kind_of(scope) == "template_type":
            walk.go(scope, within, TYPE)
        elif scope is not None:
            walk.refer(scope, within, READ, ".".join(before))
        before += filter(None, [str(scope.text()).partition("<")[0] if scope is not None else ""])
    leaf = find_part(name, "name") if kind_of(name) in ("template_function", "template_type") else name
    if leaf is not None:
        is_type = role == READ and leaf.kind() == "type_identifier"
        walk.refer(leaf, within, TYPE if is_type else role, ".".join(before))
    walk.go(find_part(name, "arguments"), within, TYPE)


def visit_range(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`for (auto& a : b) …`."""
    name, _ = find_declared_name(node.field("declarator"))
    if kind_of(name) == "identifier":
        told = TYPES.tell(walk, node.field("type")) or walk.tell_value(node.field("right"), "[]")
        walk.define(name, facts.LOCAL, within, told=told, visible=find_lines(node))
    walk.read(node, "type:type right body", within)


def visit_lambda(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    for each in select(node, "declarator/parameters/*"):
        name, _ = find_declared_name(each.field("declarator"))
        walk.go(each.field("type"), within, TYPE)
        if kind_of(name) == "identifier":
            told = TYPES.tell(walk, each.field("type"))
            walk.define(name, facts.PARAMETER, within, told=told, visible=find_lines(node))
    walk.read(node, "captures body", within)


def visit_template_parameter(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`typename T`: nobody else's."""
    name = find_part(node, "#type_identifier")
    above = node.parent()
    whole = above.parent() if above is not None else None
    if name is not None and whole is not None:
        walk.define(name, facts.LOCAL, within, visible=find_lines(whole))


TEMPLATE = Parts("name:= arguments:type")
CPP_VISITS: dict[str, Visit] = {
    **VISITS,
    "alias_declaration": Declares(facts.ALIAS, "^type:type", declared="type", has_doc=False, body="", is_optional=True),
    "class_specifier": visit_specifier,
    "field_expression": Takes("argument", "field[template_method]/name|field", "field[template_method]/arguments:type"),
    "field_initializer": Takes("", "0[field_identifier]", "1-", role=facts.WRITE, alone="self"),  # `: amount_(1)`
    "for_range_loop": visit_range,
    "function_definition": visit_member_function,
    "lambda_expression": visit_lambda,
    "namespace_definition": visit_namespace,
    "new_expression": Parts("type:call arguments"),
    "qualified_identifier": visit_qualified,
    "template_function": TEMPLATE,
    "template_method": TEMPLATE,
    "template_type": TEMPLATE,
    "type_parameter_declaration": visit_template_parameter,
    "using_declaration": Parts("*"),
}

CPP = LanguageTable(
    "cpp for names",
    visits=CPP_VISITS,
    names=frozenset(("identifier", "type_identifier", "namespace_identifier")),
    members={"field_expression": ("argument", "field"), "qualified_identifier": ("scope", "name")},
    calls={"call_expression": "function"},
    elements={"subscript_expression": "argument"},
    wrappers={**WRAPPERS, "template_function": "name", "template_method": "name", "template_type": "name"},
    words={"this": "self"},
    skipped=C.skipped | {"access_specifier", "destructor_name", "operator_name", "raw_string_literal", "this"},
    types=TYPES,
    read_doc=read_doc,
    prepare=C.prepare,
    finish=C.finish,
)
TABLES = {"c": C, "cpp": CPP}
