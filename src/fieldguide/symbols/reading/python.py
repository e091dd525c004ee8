"""Python: definitions, what binds names, and imports."""

from typing import Any

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import (
    ALIAS,
    CALL,
    CLASS,
    EVERYTHING,
    FIELD,
    FUNCTION,
    IMPORT,
    IMPORTED,
    INHERIT,
    METHOD,
    PARAMETER,
    READ,
    TYPE,
    WRITE,
    Imported,
)
from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.python_binding import (
    ALL,
    LITERALS,
    bind_targets,
    export_names,
    lines_of,
    visit_assignment,
    visit_augmented,
    visit_for,
    visit_named,
    visit_pattern_target,
)
from fieldguide.symbols.reading.python_narrowing import visit_assert, visit_both, visit_if
from fieldguide.symbols.reading.python_routes import tell_command, tell_decorated
from fieldguide.symbols.reading.python_types import LITERAL, given_class, refer_in_quotes, told_type
from fieldguide.symbols.reading.walk import Walk

MOST_RETURNS = 3
FUNCTIONS = frozenset((FUNCTION, METHOD, FIELD))
PARAMETER_KINDS = frozenset(("default_parameter", "typed_parameter", "typed_default_parameter"))
TITLE = re.compile(r"[A-Z]+[a-z]\w*")
SPLATS = {"list_splat_pattern": "tuple", "dictionary_splat_pattern": "dict"}


def visit_decorated(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function or class with decorators: those may say that it is a property, a route or a command."""
    defined = node.field("definition")
    decorators = [each for each in node.named_children() if each.kind() == "decorator"]
    for each in decorators:
        walk.go_below(each, within)
    if defined is None:
        return
    texts = [str(each.text())[:80] for each in decorators]
    if defined.kind() == "class_definition":
        visit_class(walk, defined, within, role)
        return
    is_property = any("property" in text or text.endswith((".setter", ".deleter", ".getter")) for text in texts)
    _function(walk, defined, within, is_property=is_property)
    tell_decorated(walk, decorators, defined, within)


def visit_function(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function or a method, with its parameters."""
    _function(walk, node, within, is_property=False)


def _function(walk: Walk, node: Any, within: int, *, is_property: bool) -> None:
    name, body, returned = node.field("name"), node.field("body"), node.field("return_type")
    if name is None:
        walk.go_below(node, within)
        return
    in_class = within >= 0 and walk.definitions[within].kind == CLASS
    kind = FUNCTION if not in_class else FIELD if is_property else METHOD
    told = told_type(walk, returned)
    place = walk.define(
        name, kind, within, whole=node, body=body, doc=_doc(body), told=f":{told}" if told else "",
    )  # fmt: skip
    if returned is None:
        walk.marks.add((place, "return"))
    _parameters(walk, node.field("parameters"), place, within)
    walk.go(returned, within, TYPE)
    walk.go(body, place)


def _parameters(walk: Walk, node: Any, place: int, within: int, visible: tuple[int, int] = (0, 0)) -> None:
    for each in node.named_children() if node is not None else ():
        kind = str(each.kind())
        if kind == "identifier" and each.text() not in walk.language.words:
            walk.define(each, PARAMETER, place, visible=visible)
        elif kind in PARAMETER_KINDS:
            _parameter(walk, each, place, within, visible)
        elif kind != "identifier":
            bind_targets(walk, each, place, "", kind=PARAMETER)


def _parameter(walk: Walk, node: Any, place: int, within: int, visible: tuple[int, int]) -> None:
    name = node.field("name") or next(iter(node.named_children()))
    annotation, value = node.field("type"), node.field("value")
    told, is_splat = told_type(walk, annotation), str(name.kind()) in SPLATS
    if is_splat:
        told = f"{SPLATS[name.kind()]}<{'str,' if 'dict' in name.kind() else ''}{told}>" if told else ""
        name = next(iter(name.named_children()), name)
    given = f":{told}" if told else f"={walk.expression(value)}" if value is not None else ""
    walk.define(name, PARAMETER, place, told=given, scope=within, visible=visible)
    walk.go(annotation, within, TYPE)
    walk.go(value, within)


def visit_lambda(walk: Walk, node: Any, within: int, role: str) -> None:
    """A function without a name: its parameters are seen on its lines."""
    _parameters(walk, node.field("parameters"), within, within, lines_of(node))
    walk.go(node.field("body"), within)


def visit_class(walk: Walk, node: Any, within: int, role: str) -> None:
    """A class, with what it inherits from."""
    name, body, above = node.field("name"), node.field("body"), node.field("superclasses")
    if name is None:
        walk.go_below(node, within)
        return
    given = list(above.named_children()) if above is not None else []
    bases = [told_type(walk, each) for each in given if each.kind() != "keyword_argument"]
    place = walk.define(
        name, CLASS, within, whole=node, body=body, doc=_doc(body), bases=[each for each in bases if each]
    )
    for each in given:
        if each.kind() == "keyword_argument":
            walk.go(each.field("value"), within)
        else:
            walk.go(each, within, INHERIT)
    walk.go(body, place)


def visit_call(walk: Walk, node: Any, within: int, role: str) -> None:
    """A call: what it names by keyword may be a field of what is made."""
    called, arguments = node.field("function"), node.field("arguments")
    walk.go(called, within, CALL)
    path = walk.expression(called)
    is_cast = path.rpartition(".")[2] == "cast"
    for number, each in enumerate(arguments.named_children() if arguments is not None else ()):
        if each.kind() == "keyword_argument":
            name = each.field("name")
            if name is not None:
                walk.refer(name, within, WRITE, f"{path}{{}}")
            walk.go(each.field("value"), within)
        else:
            walk.go(each, within, TYPE if is_cast and not number else READ)
    tell_command(walk, path, arguments, within)


def visit_return(walk: Walk, node: Any, within: int, role: str) -> None:
    """What a function without an annotation returns, where that is plain."""
    value = next(iter(node.named_children()), None)
    walk.go(value, within)
    place = walk.around(within, FUNCTIONS)
    if value is None or place < 0 or (place, "return") not in walk.marks or value.kind() == "none":
        return
    told, known = walk.expression(value), walk.definitions[place].type
    if "?" not in told and known.count("|") < MOST_RETURNS - 1 and told not in known[1:].split("|"):
        walk.retype(place, f"{known}|{told}" if known else f"={told}", place)


def visit_import(walk: Walk, node: Any, within: int, role: str) -> None:
    """`import a.b as c`; without another name it binds the first part."""
    line = node.range().start.line + 1
    for each in node.field_children("name"):
        if each.kind() == "aliased_import":
            text = _plain(each.field("name"))
            walk.define(each.field("alias"), IMPORTED, within, told=walk.imports(Imported(text, line)))
        else:
            first = next(iter(each.named_children()), each)
            walk.bind(first, IMPORTED, within, within=within, told=walk.imports(Imported(str(first.text()), line)))


def visit_from(walk: Walk, node: Any, within: int, role: str) -> None:
    """`from a import b as c`: each name is used here, and bound."""
    module = node.field("module_name")
    if module is None:
        return
    text, line = _plain(module), node.range().start.line + 1
    one = Imported(text, line, "", text.startswith("."), "from")
    if any(each.kind() == "wildcard_import" for each in node.named_children()):
        walk.imports(one._replace(name=EVERYTHING))
        return
    for each in node.field_children("name"):
        is_renamed = each.kind() == "aliased_import"
        name = next(iter((each.field("name") if is_renamed else each).named_children()), None)
        if name is None:
            continue
        kept = walk.imports(one._replace(name=str(name.text())))
        walk.refer(name, within, IMPORT, kept)
        alias = each.field("alias") if is_renamed else None
        if alias is not None and alias.text() == name.text():
            walk.refer(alias, within, IMPORT, kept)
        walk.define(alias or name, IMPORTED, within, told=kept)


def visit_string(walk: Walk, node: Any, within: int, role: str) -> None:
    """A string is looked into where it stands for a type, and for what its braces hold."""
    if role == TYPE:
        refer_in_quotes(walk, node, within)
    elif "{" in (text := str(node.text())) and "f" in text[:3].lower():
        walk.go_below(node, within)


def visit_subscript(walk: Walk, node: Any, within: int, role: str) -> None:
    """What a type takes are types, also in quotes; what `Literal[…]` holds names none."""
    whole, *rest = node.named_children()
    name = str(whole.text()).rpartition(".")[2]
    is_type = role in (TYPE, INHERIT)
    walk.go(whole, within, role if is_type else READ)
    inner = TYPE if name != LITERAL and (is_type or TITLE.fullmatch(name)) else READ
    for each in rest:
        walk.go(each, within, inner)


def visit_type_alias(walk: Walk, node: Any, within: int, role: str) -> None:
    """`type X = …`."""
    left, *rest = node.named_children()
    name = next(iter(left.named_children()), left)
    if name.kind() == "identifier":
        told = told_type(walk, rest[-1]) if rest else ""
        walk.define(name, ALIAS, within, whole=node, told=f":{told}" if told else "")
    for each in rest:
        walk.go(each, within, TYPE)


def visit_type(walk: Walk, node: Any, within: int, role: str) -> None:
    """An annotation."""
    walk.go_below(node, within, TYPE)


def visit_dotted(walk: Walk, node: Any, within: int, role: str) -> None:
    """A name with dots in a pattern; alone and small, it is given what it matches."""
    parts = node.named_children()
    parent = node.parent()
    if len(parts) == 1 and parent is not None and parent.kind() == "case_pattern":
        bind_targets(walk, parts[0], within, "")
        return
    before = ""
    for each in parts:
        walk.refer(each, within, TYPE, before)
        before = f"{before}.{each.text()}" if before else str(each.text())


def visit_global(walk: Walk, node: Any, within: int, role: str) -> None:
    """Names of a function that are the file's, or of a function around it."""
    for each in node.named_children():
        walk.marks.add((within, str(each.text())))
        walk.refer(each, within, READ)


def _doc(body: Any) -> str:
    first = next(iter(body.named_children()), None) if body is not None else None
    text = next(iter(first.named_children()), None) if first is not None else None
    if first is None or text is None or first.kind() != "expression_statement" or text.kind() != "string":
        return ""
    told: str = text.text().strip("rbuRBU").strip("\"'").strip()
    return told.partition("\n\n")[0].replace("\n", " ")


def _plain(node: Any) -> str:
    return "".join(node.text().split())


def visit_exports(walk: Walk, node: Any, within: int, role: str) -> None:
    """An assignment; to `__all__` it names what others may take."""
    left = node.field("left")
    if left is not None and str(left.text()) == ALL:
        export_names(walk, node.field("right"), within)
    visit_assignment(walk, node, within, role)


LANGUAGE = Language(
    "python",
    visits={
        "assignment": visit_exports,
        "as_pattern": visit_pattern_target,
        "augmented_assignment": visit_augmented,
        "call": visit_call,
        "class_definition": visit_class,
        "decorated_definition": visit_decorated,
        "dotted_name": visit_dotted,
        "for_in_clause": visit_for,
        "for_statement": visit_for,
        "function_definition": visit_function,
        "generic_type": visit_subscript,
        "global_statement": visit_global,
        "assert_statement": visit_assert,
        "boolean_operator": visit_both,
        "elif_clause": visit_if,
        "if_statement": visit_if,
        "import_from_statement": visit_from,
        "import_statement": visit_import,
        "lambda": visit_lambda,
        "named_expression": visit_named,
        "nonlocal_statement": visit_global,
        "return_statement": visit_return,
        "string": visit_string,
        "subscript": visit_subscript,
        "type": visit_type,
        "type_alias_statement": visit_type_alias,
    },
    members={"attribute": ("object", "attribute")},
    calls={"call": "function"},
    given=given_class,
    elements={"subscript": "value"},
    wrappers={"parenthesized_expression": "", "await": "", "type": ""},
    words={"self": "self", "cls": "Self"},
    literals=LITERALS,
    skipped=frozenset(("comment", "future_import_statement")),
)
