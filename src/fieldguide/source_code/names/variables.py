"""The names in a text that get a value: variables, constants and parameters."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.source_code.names.syntax_kinds import SyntaxKinds

if TYPE_CHECKING:
    from ast_grep_py import SgNode

FUNCTION_VALUES = frozenset(("arrow_function", "function_expression", "function", "generator_function"))
LITERALS = frozenset((
    "string", "integer", "float", "true", "false", "none", "number", "null", "regex", "tuple", "concatenated_string",
    "unary_operator", "unary_expression", "template_string", "frozenset",
))  # fmt: skip
NAMES = frozenset(("identifier", "simple_identifier", "constant", "property_identifier"))
SEVERAL_NAMES = frozenset((
    "pattern_list", "expression_list", "tuple_pattern", "identifier_list", "mut_pattern", "variable_name",
    "left_assignment_list", "shorthand_property_identifier",
))  # fmt: skip
STATIC_FINAL = re.compile(r"\b(?:static\s+(?:\w+\s+)*?final|final\s+(?:\w+\s+)*?static|const)\b")
DECLARED_CONSTANT = frozenset(("java", "csharp", "kotlin"))
SCRIPTS = frozenset(("javascript", "typescript", "tsx"))
LONGEST_NAME = 200


class Variable(NamedTuple):
    """A name that gets a value; `start` and `end` are those of the whole statement."""

    kind: str
    name: str
    start: int
    end: int
    name_start: int


def read_variables(
    nodes: "Mapping[str, list[SgNode]]",
    kinds: SyntaxKinds,
    grammar: str | None,
    is_local: Callable[[int], bool],
) -> Iterator[Variable]:
    """Variables, constants and parameters; what gets a plain literal once, outside of functions, is a constant."""
    for node, at in _of(nodes, kinds.constants):
        yield from _named(node, "constant", at)
    for node, at in _of(nodes, kinds.parameters):
        yield from _parameters(node, at)
    found = [each for node, at in _of(nodes, kinds.variables) for each in _variable(node, at, grammar)]
    counts = Counter(each.name for each in found)
    for each in found:
        is_settled = counts[each.name] == 1 and not is_local(each.start)
        yield each._replace(kind="constant" if is_settled else "variable") if each.kind == "literal" else each


def _of(nodes: "Mapping[str, list[SgNode]]", fields: Mapping[str, str | None]) -> "Iterator[tuple[SgNode, str | None]]":
    return ((node, at) for kind, at in fields.items() for node in nodes.get(kind, ()))


def _variable(node: "SgNode", at: str | None, grammar: str | None) -> Iterator[Variable]:
    value = node.field("value") or node.field("right")
    is_function = value is not None and value.kind() in FUNCTION_VALUES
    return _named(node, "function" if is_function else _kind(node, value, grammar), at)


def _kind(node: "SgNode", value: "SgNode | None", grammar: str | None) -> str:
    """Whether a name is said to be constant, or might be one because its value is a literal."""
    above = node.parent()
    if above is None or (grammar in SCRIPTS and not _is_const(above)):
        return "variable"
    if grammar in DECLARED_CONSTANT:
        outer = above.parent() if grammar == "csharp" else above
        return "constant" if outer and STATIC_FINAL.search(outer.text()[:LONGEST_NAME]) else "variable"
    return "literal" if value is not None and value.kind() in LITERALS else "variable"


def _is_const(declaration: "SgNode") -> bool:
    first = declaration.child(0)
    return first is not None and first.kind() == "const"


def _named(node: "SgNode", kind: str, at: str | None) -> Iterator[Variable]:
    """The names in a field of a node, or of its first child that is a name."""
    place = node.range()
    for name in node.field_children(at) if at else node.children():
        for each in _identifiers(name):
            start = each.range().start.index
            yield Variable(kind, each.text()[:LONGEST_NAME], place.start.index, place.end.index, start)
        if not at and name.kind().endswith("identifier"):
            return


def _identifiers(node: "SgNode") -> "Iterator[SgNode]":
    if node.kind() in NAMES:
        yield node
    elif node.kind() in SEVERAL_NAMES:
        for child in node.children():
            yield from _identifiers(child)


def _parameters(node: "SgNode", at: str | None) -> Iterator[Variable]:
    if at or node.kind() in ("parameter", "class_parameter"):
        yield from () if _is_receiver(node) else _named(node, "parameter", at)
        return
    for child in node.children():
        name = _parameter_name(child)
        if name is not None and name.text() not in ("self", "cls"):
            place = name.range()
            yield Variable("parameter", name.text(), place.start.index, place.end.index, place.start.index)


def _parameter_name(parameter: "SgNode") -> "SgNode | None":
    within = [parameter, *parameter.children()[:1]]
    return parameter.field("name") or next((each for each in within if each.kind() == "identifier"), None)


def _is_receiver(node: "SgNode") -> bool:
    """Whether a parameter of Go is what a method belongs to."""
    above = node.parent()
    method = above.parent() if above else None
    if above is None or method is None or method.kind() != "method_declaration":
        return False
    receiver = method.field("receiver")
    return receiver is not None and receiver.range().start.index == above.range().start.index
