"""The table of Python: how each kind of node is read."""

from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.python.annotations import given_class
from fieldguide.symbols.reading.python.binding import (
    LITERALS,
    visit_augmented,
    visit_for,
    visit_named,
    visit_pattern_target,
)
from fieldguide.symbols.reading.python.declarations import (
    visit_call,
    visit_class,
    visit_decorated,
    visit_function,
    visit_global,
    visit_lambda,
    visit_return,
)
from fieldguide.symbols.reading.python.imports import visit_exports, visit_from, visit_import
from fieldguide.symbols.reading.python.narrowing import visit_assert, visit_both, visit_if
from fieldguide.symbols.reading.python.types import (
    visit_dotted,
    visit_string,
    visit_subscript,
    visit_type,
    visit_type_alias,
)

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
