"""Python: definitions, what binds names, and imports."""

from typing import Any

from fieldguide.symbols.facts import (
    CALL,
    CLASS,
    FIELD,
    FUNCTION,
    INHERIT,
    METHOD,
    PARAMETER,
    READ,
    TYPE,
    WRITE,
)
from fieldguide.symbols.reading.python.annotations import told_type
from fieldguide.symbols.reading.python.binding import (
    bind_targets,
    copied,
    lines_of,
)
from fieldguide.symbols.reading.python.routes import tell_command, tell_decorated
from fieldguide.symbols.reading.walk import Walk

MOST_RETURNS = 3
FUNCTIONS = frozenset((FUNCTION, METHOD, FIELD))
PARAMETER_KINDS = frozenset(("default_parameter", "typed_parameter", "typed_default_parameter"))
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
    told, known = walk.expression(copied(value)), walk.definitions[place].type
    if "?" not in told and known.count("|") < MOST_RETURNS - 1 and told not in known[1:].split("|"):
        walk.retype(place, f"{known}|{told}" if known else f"={told}", place)


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
