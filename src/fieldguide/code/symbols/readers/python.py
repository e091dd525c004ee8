"""Reads symbols of Python: definitions, assignments, annotations, imports, routes and commands."""

from collections.abc import Sequence
from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import LOCAL, READ, TYPE, UNKNOWN, ImportedSymbol
from fieldguide.code.symbols.readers.nodes import find_lines, find_part, kind_of, select
from fieldguide.code.symbols.readers.table import Declares, LanguageTable, Parts, TypeTable, describe_plain
from fieldguide.code.symbols.readers.walk import SyntaxWalk
from fieldguide.text import regex as re

DEEPEST = 9
MOST_ARGUMENTS = 4
MOST_ALTERNATIVES = 4
NOTHING = frozenset(("none", "NoReturn", "Never"))
WRAPPING = frozenset(
    ("Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "Unpack", "InitVar")
)
LITERAL = "Literal"
PLAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*")
NAME = re.compile(r"[A-Za-z_]\w*")


def describe_type(walk: SyntaxWalk, node: Any, depth: int = 0) -> str:
    """An annotation as an expression; nothing where it says nothing."""
    kind = kind_of(node)
    if node is None or depth > DEEPEST:
        return ""
    if kind in ("type", "parenthesized_expression"):
        return describe_type(walk, find_part(node, "0"), depth + 1)
    if kind == "string":
        plain = [each.strip() for each in str(node.text()).strip("rbuRBU").strip("\"'").split("|")]
        return "|".join(each for each in plain if each != "None" and PLAIN.fullmatch(each))
    if kind in ("union_type", "binary_operator"):
        sides = [describe_type(walk, each, depth + 1) for each in node.named_children()]
        return "|".join([each for each in sides if each][:MOST_ALTERNATIVES])
    if kind in ("generic_type", "subscript"):
        return _generic(walk, node, depth)
    if kind == "none" or str(node.text()) in NOTHING:
        return ""
    return describe_plain(walk, node)


def _generic(walk: SyntaxWalk, node: Any, depth: int) -> str:
    whole, *rest = node.named_children()
    name = describe_type(walk, whole, depth + 1)
    last = name.rpartition(".")[2]
    if last == LITERAL or not name:
        return ""
    given: list[Any] = []
    for part in rest:
        given += part.named_children() if part.kind() == "type_parameter" else (part,)
    if last in WRAPPING:
        return describe_type(walk, given[0], depth + 1) if given else ""
    inner = [describe_type(walk, each, depth + 1) for each in given[:MOST_ARGUMENTS]]
    if last == "Union":
        return "|".join(filter(None, inner))
    return f"{name}<{','.join(each.partition('|')[0] or UNKNOWN for each in inner)}>"


ALL = "__all__"
MOST_TARGETS = 50
MOST_EXPORTS = 2_000
TARGET = "as_pattern_target"
SEVERAL = frozenset((
    "pattern_list", "tuple_pattern", "list_pattern", "expression_list", "tuple", "list", "list_splat_pattern",
    "dictionary_splat_pattern", "list_splat", TARGET,
))  # fmt: skip
"""Kinds of targets that hold others."""
SHOUTED = re.compile(r"[A-Z][A-Z0-9_]*|__\w+__")
BLOCKS = frozenset(("block", "module"))
OWNERS = frozenset((facts.FUNCTION, facts.METHOD, facts.FIELD))
LITERALS = {
    "concatenated_string": "str()", "dictionary": "dict()", "dictionary_comprehension": "dict()", "false": "bool()",
    "float": "float()", "integer": "int()", "list": "list()", "list_comprehension": "list()", "set": "set()",
    "set_comprehension": "set()", "string": "str()", "true": "bool()", "tuple": "tuple()",
}  # fmt: skip


def visit_assignment(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a = b`, `a: T = b`, `a: T`; what `__all__` is given names what others may take."""
    left = node.field("left")
    right = node.field("right")
    annotation = node.field("type")
    if left is not None and str(left.text()) == ALL:
        for each in select(right, "#string/#string_content")[:MOST_EXPORTS]:
            walk.refer(each, within, READ)
    told = describe_type(walk, annotation)
    given = f":{told}" if told else describe_value(walk, right)
    walk.go(annotation, within, TYPE)
    pairs = _pairs(left, right)
    for target, value in pairs:
        bind_targets(walk, target, within, describe_value(walk, value), whole=node)
    if not pairs:
        bind_targets(walk, left, within, given, whole=node)
    walk.go(right, within, TYPE if told.endswith("TypeAlias") else READ)


def describe_value(walk: SyntaxWalk, node: Any) -> str:
    """What a value says of its type."""
    kind = kind_of(node)
    if node is None:
        return ""
    if kind == "assignment":  # a = b = c
        return describe_value(walk, node.field("right"))
    if kind in ("conditional_expression", "boolean_operator"):  # a if b else c, a or c
        sides = node.named_children()
        told = [walk.expression(each) for each in (sides[0], sides[-1])]
        return "=" + "|".join(each for each in told if UNKNOWN not in each)
    if kind == "subscript" and (told_types := describe_type(walk, node)) and "<" not in told_types:
        return f"={told_types}"  # a name for types: `Name = Optional[Other]`
    return walk.tell_value(node)


def _pairs(left: Any, right: Any) -> list[tuple[Any, Any]]:
    if kind_of(left) != "pattern_list" or kind_of(right) != "expression_list":
        return []
    targets = left.named_children()
    values = right.named_children()
    return list(zip(targets, values, strict=True)) if len(targets) == len(values) <= MOST_TARGETS else []


def bind_targets(
    walk: SyntaxWalk,
    target: Any,
    within: int,
    given: str,
    *,
    whole: Any = None,
    kind: str = "",
    visible: tuple[int, int] = (0, 0),
) -> None:
    """Give a target its value: a name, a field of `self`, or several of them."""
    pending = [(target, given)]
    for _ in range(MOST_TARGETS):
        if not pending:
            return
        node, told = pending.pop()
        if node is None:
            continue
        of_kind = str(node.kind())
        if of_kind in SEVERAL:
            inner = told if of_kind == TARGET else ""
            pending += [(each, inner) for each in reversed(node.named_children())]
        elif of_kind == "identifier":
            _bind_name(walk, node, within, told, whole=whole, kind=kind, visible=visible)
        elif of_kind == "attribute":
            _bind_field(walk, node, within, told, whole)
        else:
            walk.go(node, within)


def _bind_name(
    walk: SyntaxWalk, node: Any, within: int, given: str, *, whole: Any, kind: str, visible: tuple[int, int]
) -> None:
    name = str(node.text())
    if (within, name) in walk.marks:
        if walk.bound(-1, name) is None:
            walk.define(node, facts.VARIABLE, -1, whole=whole, told=given, scope=within)
        else:
            walk.refer(node, within, facts.WRITE)
        return
    if not kind and within >= 0:
        kind = facts.FIELD if walk.definitions[within].kind == facts.CLASS else LOCAL
    elif not kind:
        kind = facts.CONSTANT if SHOUTED.fullmatch(name) else facts.VARIABLE
    if visible[0] or (kind == LOCAL and walk.bound(within, name) is not None):
        walk.define(node, LOCAL, within, told=given, visible=visible, whole=find_block(node))
    else:
        whole = find_block(node) if kind == LOCAL else whole
        walk.bind(node, kind, within, within=within, whole=whole, told=given)


def _bind_field(walk: SyntaxWalk, node: Any, within: int, given: str, whole: Any) -> None:
    before = node.field("object")
    name = node.field("attribute")
    if before is None or name is None:
        return
    method = walk.around(within, OWNERS)
    owner = walk.definitions[method].parent if method >= 0 else -1
    is_own = walk.expression(before) in ("self", "Self") and owner >= 0 and walk.definitions[owner].kind == facts.CLASS
    known = walk.bound(owner, str(name.text())) if is_own else None
    if is_own and known is None:
        walk.define(name, facts.FIELD, owner, whole=whole, told=given, scope=within)
        return
    if known is not None:
        walk.add_type(known, given, within)
    walk.go(before, within)
    walk.refer(name, within, facts.WRITE, walk.expression(before))


def visit_augmented(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`a += b`: a name of a function is its own, unless it says otherwise."""
    bind_targets(walk, node.field("left"), within, "", whole=node)
    walk.go(node.field("right"), within)


def visit_for(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A loop, or the loop of a comprehension: what it counts with is seen there alone."""
    parent = node.parent()
    is_inner = node.kind() == "for_in_clause" and parent is not None
    visible = find_lines(parent) if is_inner else (0, 0)
    bind_targets(walk, node.field("left"), within, walk.tell_value(node.field("right"), "[]"), visible=visible)
    walk.read(node, "1-", within)


def visit_pattern_target(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`with a as b`, `except A as b`."""
    value, *rest = node.named_children()
    is_error = "except" in kind_of(node.parent())
    given = walk.tell_value(value, "()" if is_error else ".__enter__()")
    for each in rest:
        bind_targets(walk, each, within, given)
    walk.go(value, within)


def visit_named(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`(a := b)`."""
    bind_targets(walk, node.field("name"), within, describe_value(walk, node.field("value")))
    walk.read(node, "value", within)


def find_block(node: Any) -> Any:
    """The block that a node stands in: what it is given holds there, and may hold after it."""
    return next((each for each in node.ancestors() if each.kind() in BLOCKS), node)


def visit_import(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`import a.b as c`; without another name it binds the first part."""
    line = node.range().start.line + 1
    for each in node.field_children("name"):
        if each.kind() == "aliased_import":
            text = _plain(each.field("name"))
            walk.define(each.field("alias"), facts.IMPORTED, within, told=walk.imports(ImportedSymbol(text, line)))
        else:
            first = next(iter(each.named_children()), each)
            told = walk.imports(ImportedSymbol(str(first.text()), line))
            walk.bind(first, facts.IMPORTED, within, within=within, told=told)


def visit_from(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`from a import b as c`: each name is used here, and bound."""
    module = node.field("module_name")
    if module is None:
        return
    text = _plain(module)
    line = node.range().start.line + 1
    one = ImportedSymbol(text, line, "", text.startswith("."), "from")
    if find_part(node, "#wildcard_import") is not None:
        walk.imports(one._replace(name=facts.EVERYTHING))
        return
    for each in node.field_children("name"):
        alias = each.field("alias") if each.kind() == "aliased_import" else None
        name = find_part(each, "0" if alias is None else "name/0")
        if name is None:
            continue
        kept = walk.imports(one._replace(name=str(name.text())))
        walk.refer(name, within, facts.IMPORT, kept)
        if alias is not None and alias.text() == name.text():  # `a as a` is another use of it
            walk.refer(alias, within, facts.IMPORT, kept)
        walk.define(alias or name, facts.IMPORTED, within, told=kept)


def _plain(node: Any) -> str:
    return "".join(node.text().split())


COMMANDS = frozenset(("command", "group"))
FIRST_STRING = "0[string]/#string_content"


def define_decorated(walk: SyntaxWalk, decorators: Sequence[Any], defined: Any, within: int) -> None:
    """The route or command that a decorator declares: `@app.route("/x")`, `@click.command("x")`."""
    for call in (each for decorator in decorators for each in select(decorator, "0[call]")):
        called = walk.expression(call.field("function")).rpartition(".")
        name = find_part(call.field("arguments"), FIRST_STRING)
        if name is None or not called[1]:
            continue
        is_route = name.text().startswith("/")
        if is_route or called[2] in COMMANDS:
            kind = facts.ROUTE if is_route else facts.COMMAND
            handler = defined.field("name")
            told = f"={handler.text()}" if handler is not None else ""
            walk.define(name, kind, within, whole=defined, body=defined.field("body"), told=told)


MOST_RETURNS = 3
PARAMETER_KINDS = frozenset(("default_parameter", "typed_parameter", "typed_default_parameter"))
SPLATS = {"list_splat_pattern": "tuple", "dictionary_splat_pattern": "dict"}


def visit_decorated(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function or class with decorators: those may say that it is a property, a route or a command."""
    defined = node.field("definition")
    decorators = select(node, "#decorator")
    for each in decorators:
        walk.go_below(each, within)
    if kind_of(defined) == "class_definition":
        CLASS(walk, defined, within, role)
    elif defined is not None:
        FUNCTION(walk, defined, within, role)
        define_decorated(walk, decorators, defined, within)


def choose_function(walk: SyntaxWalk, node: Any, within: int) -> str:
    """The kind of a function; in a class a method, or a property if a decorator says so."""
    if within < 0 or walk.definitions[within].kind != facts.CLASS:
        return facts.FUNCTION
    texts = [str(each.text())[:80] for each in select(node.parent(), "#decorator")]
    is_property = any("property" in text or text.endswith((".setter", ".deleter", ".getter")) for text in texts)
    return facts.FIELD if is_property else facts.METHOD


def read_parameters(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """The parameters of a function; without an annotation its returns say what it returns."""
    if node.field("return_type") is None:
        walk.marks.add((place, "return"))
    _parameters(walk, node.field("parameters"), place, within)


def _parameters(walk: SyntaxWalk, node: Any, place: int, within: int, visible: tuple[int, int] = (0, 0)) -> None:
    for each in select(node, "*"):
        kind = str(each.kind())
        if kind == "identifier" and each.text() not in walk.language.words:
            walk.define(each, facts.PARAMETER, place, visible=visible)
        elif kind in PARAMETER_KINDS:
            _parameter(walk, each, place, within, visible)
        elif kind != "identifier":
            bind_targets(walk, each, place, "", kind=facts.PARAMETER)


def _parameter(walk: SyntaxWalk, node: Any, place: int, within: int, visible: tuple[int, int]) -> None:
    name = node.field("name") or next(iter(node.named_children()))
    annotation = node.field("type")
    value = node.field("value")
    told = describe_type(walk, annotation)
    if str(name.kind()) in SPLATS:
        told = f"{SPLATS[name.kind()]}<{'str,' if 'dict' in name.kind() else ''}{told}>" if told else ""
        name = next(iter(name.named_children()), name)
    given = f":{told}" if told else ""
    if not told and value is not None:
        given = f"={walk.expression(value)}"
    walk.define(name, facts.PARAMETER, place, told=given, scope=within, visible=visible)
    walk.go(annotation, within, TYPE)
    walk.go(value, within)


def visit_lambda(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    _parameters(walk, node.field("parameters"), within, within, find_lines(node))
    walk.go(node.field("body"), within)


def visit_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A call: what it names by keyword may be a field of what is made."""
    called = node.field("function")
    arguments = node.field("arguments")
    walk.go(called, within, facts.CALL)
    path = walk.expression(called)
    is_cast = path.rpartition(".")[2] == "cast"
    for number, each in enumerate(arguments.named_children() if arguments is not None else ()):
        if each.kind() == "keyword_argument":
            name = each.field("name")
            walk.refer(name, within, facts.WRITE, f"{path}{{}}")
            walk.go(each.field("value"), within)
        else:
            walk.go(each, within, TYPE if is_cast and not number else READ)
    name = find_part(arguments, FIRST_STRING)
    if path.endswith(".add_parser") and name is not None:  # commands.add_parser("x")
        walk.define(name, facts.COMMAND, -1, whole=arguments)


def visit_return(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """What a function without an annotation returns, where that is plain."""
    value = find_part(node, "0")
    walk.go(value, within)
    place = walk.around(within, OWNERS)
    if value is None or place < 0 or (place, "return") not in walk.marks or value.kind() == "none":
        return
    told = walk.expression(value)
    known = walk.definitions[place].type
    if "?" not in told and known.count("|") < MOST_RETURNS - 1 and told not in known[1:].split("|"):
        walk.retype(place, f"{known}|{told}" if known else f"={told}", place)


LEAVING = frozenset(("return_statement", "raise_statement", "continue_statement", "break_statement"))


def narrow_types(walk: SyntaxWalk, node: Any, within: int) -> None:
    """What `isinstance` says of a name: in the block of an `if`, after an `assert` or an `if not` that leaves."""
    condition = find_part(node, "condition|0")
    block = node.field("consequence")
    visible = find_lines(node if block is None else block)
    if block is None or kind_of(condition) == "not_operator":
        visible = (node.range().end.line + 2, node.parent().range().end.line + 1)
    if kind_of(condition) == "not_operator":
        statements = select(block, "*")
        is_left = bool(statements) and statements[-1].kind() in LEAVING
        condition = find_part(condition, "0") if is_left else None
    pending: list[Any] = [condition]
    while pending:
        each: Any = pending.pop()
        is_both = kind_of(each) == "boolean_operator" and kind_of(each.field("operator")) == "and"
        if is_both or kind_of(each) == "parenthesized_expression":
            pending += each.named_children()
        elif kind_of(each) == "call" and each.field("function").text() == "isinstance":
            _narrow(walk, select(each, "arguments/*"), within, visible)


def _narrow(walk: SyntaxWalk, given: Sequence[Any], within: int, visible: tuple[int, int]) -> None:
    """Say on some lines that a parameter or local is of one of the types that `isinstance` is given."""
    known = walk.bound(within, str(given[0].text())) if len(given) == 2 else None
    if known is not None and walk.definitions[known].kind in facts.INNER and visible[0] <= visible[1]:
        told = "|".join(filter(None, [describe_type(walk, each) for each in select(given[1], ".[tuple]/*|.")]))
        if told:
            walk.define(given[0], LOCAL, within, told=f":{told}", visible=visible)


def visit_global(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """Names of a function that are the file's, or of a function around it."""
    for each in node.named_children():
        walk.marks.add((within, str(each.text())))
        walk.refer(each, within, READ)


def read_doc(node: Any) -> str:
    """The first paragraph of the string that a body begins with."""
    first = find_part(node, "body/0")
    text = find_part(first, "0")
    if kind_of(first) != "expression_statement" or kind_of(text) != "string":
        return ""
    told: str = text.text().strip("rbuRBU").strip("\"'").strip()
    return told.partition("\n\n")[0].replace("\n", " ")


TITLE = re.compile(r"[A-Z]+[a-z]\w*")


def visit_string(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A string is looked into where it stands for a type, and for what its braces hold."""
    text = str(node.text())
    if role != TYPE:
        if "{" in text and "f" in text[:3].lower():
            walk.go_below(node, within)
        return
    if "\n" in text or len(text) > 500:
        return
    start = node.range().start
    for dotted in DOTTED.finditer(text):
        if dotted.start() and text[dotted.start() - 1] not in "\"'([ ,|":
            continue
        before = ""
        for match in NAME.finditer(dotted.group()):
            column = start.column + dotted.start() + match.start()
            walk.refer_at(match.group(), start.line + 1, column, within, TYPE, before)
            before = f"{before}.{match.group()}" if before else match.group()


def visit_subscript(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """What a type takes are types, also in quotes; what `Literal[…]` holds names none."""
    name = str(find_part(node, "0").text()).rpartition(".")[2]
    is_type = role in (TYPE, facts.INHERIT)
    inner = TYPE if name != LITERAL and (is_type or TITLE.fullmatch(name)) else READ
    walk.read(node, "0:=", within, role if is_type else READ)
    walk.read(node, "1-:=", within, inner)


def visit_type_alias(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`type X = …`."""
    left, *rest = node.named_children()
    name = next(iter(left.named_children()), left)
    if name.kind() == "identifier":
        walk.define(name, facts.ALIAS, within, whole=node, told=TYPES.tell(walk, rest[-1]) if rest else "")
    walk.read(node, "1-:type", within)


def visit_dotted(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A name with dots in a pattern; alone and small, it is given what it matches."""
    parts = node.named_children()
    if len(parts) == 1 and kind_of(node.parent()) == "case_pattern":
        bind_targets(walk, parts[0], within, "")
    else:
        walk.refer_path(parts, within, TYPE)


NARROWING = Parts("*", narrow_types)
TYPES = TypeTable(other=describe_type)
CLASS = Declares(
    facts.CLASS,
    "^superclasses/#keyword_argument/value ^superclasses/~keyword_argument:inherit body",
    bases="superclasses/~keyword_argument",
)
FUNCTION = Declares(choose_function, "^return_type:type body", declared="return_type", then=read_parameters)
LANGUAGE = LanguageTable(
    "python",
    visits={
        "assert_statement": NARROWING,
        "assignment": visit_assignment,
        "as_pattern": visit_pattern_target,
        "augmented_assignment": visit_augmented,
        "call": visit_call,
        "class_definition": CLASS,
        "decorated_definition": visit_decorated,
        "dotted_name": visit_dotted,
        "elif_clause": NARROWING,
        "for_in_clause": visit_for,
        "for_statement": visit_for,
        "function_definition": FUNCTION,
        "generic_type": visit_subscript,
        "global_statement": visit_global,
        "boolean_operator": Parts("*"),
        "if_statement": NARROWING,
        "import_from_statement": visit_from,
        "import_statement": visit_import,
        "lambda": visit_lambda,
        "named_expression": visit_named,
        "nonlocal_statement": visit_global,
        "return_statement": visit_return,
        "string": visit_string,
        "subscript": visit_subscript,
        "type": Parts("*:type"),
        "type_alias_statement": visit_type_alias,
    },
    members={"attribute": ("object", "attribute")},
    calls={"call": "function"},
    elements={"subscript": "value"},
    wrappers={"parenthesized_expression": "", "await": "", "type": ""},
    words={"self": "self", "cls": "Self"},
    types=TYPES,
    read_doc=read_doc,
    literals=LITERALS,
    skipped=frozenset(("comment", "future_import_statement")),
)
