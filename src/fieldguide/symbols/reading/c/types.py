"""Types and declarators of C and C++: what a declaration says about the names in it."""

from typing import Any

from fieldguide.symbols.facts import UNKNOWN
from fieldguide.symbols.reading.walk import Walk, kind_of

DEEPEST = 6
MOST_DECLARATORS = 30
MOST_ARGUMENTS = 6
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


def told_type(walk: Walk, node: Any, depth: int = 0) -> str:
    """A type as an expression, without pointers; empty where it says nothing."""
    kind = kind_of(node)
    if depth > DEEPEST:
        return ""
    if kind == "type_identifier":
        return str(node.text())
    if kind in SPECIFIERS:
        return told_type(walk, node.field("name"), depth + 1)
    if kind == "type_descriptor":
        return told_type(walk, node.field("type"), depth + 1)
    if kind == "qualified_identifier":
        return _qualified(walk, node, depth)
    if kind == "template_type":
        return _template(walk, node, depth)
    return ""


def _qualified(walk: Walk, node: Any, depth: int) -> str:
    scope, name = node.field("scope"), told_type(walk, node.field("name"), depth + 1)
    above = str(scope.text()) if scope is not None else ""
    if name.partition("<")[0] in POINTERS or above == "std":
        return name
    return f"{above.replace('::', '.')}.{name}" if above.isidentifier() and name else name


def _template(walk: Walk, node: Any, depth: int) -> str:
    name, given = node.field("name"), node.field("arguments")
    inside = [told_type(walk, each, depth + 1) for each in (given.named_children() if given is not None else ())]
    whole = str(name.text()) if name is not None else ""
    if whole in POINTERS and inside:
        return inside[0]
    return f"{whole}<{','.join(each or UNKNOWN for each in inside[:MOST_ARGUMENTS])}>" if inside else whole


def declared(node: Any) -> tuple[Any, Any]:
    """The name in a declarator, and the innermost function declarator around it, if it declares a function."""
    function, is_pointed = None, False
    for _ in range(MOST_DECLARATORS):
        kind = kind_of(node)
        if kind in DECLARED:
            return node, None if is_pointed else function
        if kind not in WRAPPED:
            return None, None
        if kind == "function_declarator":
            function, is_pointed = node, False
        elif kind in ("pointer_declarator", "reference_declarator"):
            is_pointed = function is not None
        node = _inner(node)
    return None, None


def _inner(node: Any) -> Any:
    """The declarator in another one."""
    inner = node.field("declarator")
    return inner if inner is not None else next((each for each in node.named_children() if _is_declarator(each)), None)


def _is_declarator(node: Any) -> bool:
    kind = str(node.kind())
    return kind in NAMES or kind in WRAPPED or kind == "qualified_identifier"
