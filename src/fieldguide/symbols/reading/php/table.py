"""How PHP is read: its nodes and what reads them."""

from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.php.declarations import (
    visit_class,
    visit_closure,
    visit_constant,
    visit_function,
    visit_namespace,
    visit_property,
    visit_use,
)
from fieldguide.symbols.reading.php.expressions import (
    visit_assignment,
    visit_call,
    visit_constant_use,
    visit_each,
    visit_new,
    visit_qualified,
    visit_static_call,
    visit_static_field,
)

LANGUAGE = Language(
    "php",
    visits={
        "anonymous_function": visit_closure,
        "anonymous_function_creation_expression": visit_closure,
        "arrow_function": visit_closure,
        "assignment_expression": visit_assignment,
        "class_constant_access_expression": visit_constant_use,
        "class_declaration": visit_class,
        "const_element": visit_constant,
        "enum_case": visit_constant,
        "enum_declaration": visit_class,
        "foreach_statement": visit_each,
        "function_call_expression": visit_call,
        "function_definition": visit_function,
        "interface_declaration": visit_class,
        "method_declaration": visit_function,
        "namespace_definition": visit_namespace,
        "namespace_use_declaration": visit_use,
        "object_creation_expression": visit_new,
        "property_declaration": visit_property,
        "qualified_name": visit_qualified,
        "scoped_call_expression": visit_static_call,
        "scoped_property_access_expression": visit_static_field,
        "trait_declaration": visit_class,
    },
    names=frozenset(("name", "relative_scope", "variable_name")),
    members={
        "member_access_expression": ("object", "name"),
        "nullsafe_member_access_expression": ("object", "name"),
    },
    calls={"function_call_expression": "function"},
    invocations={
        "member_call_expression": ("object", "name"),
        "nullsafe_member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
    },
    endings={"object_creation_expression": ("", "()"), "subscript_expression": ("", "[]")},
    wrappers={"parenthesized_expression": ""},
    words={"$this": "self", "self": "Self", "static": "Self", "parent": "super"},
    skipped=frozenset(("comment", "primitive_type", "relative_scope", "string", "text", "variable_name")),
)
