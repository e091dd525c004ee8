"""How Rust is read: its nodes and what reads them."""

from fieldguide.symbols.reading.language import Language
from fieldguide.symbols.reading.rust.binding import visit_closure, visit_condition, visit_for, visit_let, visit_match
from fieldguide.symbols.reading.rust.expressions import (
    visit_argument,
    visit_assignment,
    visit_call,
    visit_generic,
    visit_made,
    visit_name,
    visit_path,
)
from fieldguide.symbols.reading.rust.items import (
    visit_alias,
    visit_constant,
    visit_enum,
    visit_field,
    visit_function,
    visit_impl,
    visit_macro,
    visit_module,
    visit_ordered,
    visit_struct,
    visit_trait,
    visit_variant,
)
from fieldguide.symbols.reading.rust.macros import open_item_macros, visit_invocation
from fieldguide.symbols.reading.rust.uses import visit_extern, visit_use

LANGUAGE = Language(
    "rust",
    visits={
        "assignment_expression": visit_assignment,
        "associated_type": visit_alias,
        "call_expression": visit_call,
        "closure_expression": visit_closure,
        "compound_assignment_expr": visit_assignment,
        "const_item": visit_constant,
        "enum_item": visit_enum,
        "enum_variant": visit_variant,
        "extern_crate_declaration": visit_extern,
        "field_declaration": visit_field,
        "for_expression": visit_for,
        "function_item": visit_function,
        "function_signature_item": visit_function,
        "generic_function": visit_generic,
        "generic_type": visit_generic,
        "generic_type_with_turbofish": visit_generic,
        "identifier": visit_name,
        "impl_item": visit_impl,
        "let_condition": visit_condition,
        "let_declaration": visit_let,
        "macro_definition": visit_macro,
        "macro_invocation": visit_invocation,
        "match_expression": visit_match,
        "mod_item": visit_module,
        "ordered_field_declaration_list": visit_ordered,
        "scoped_identifier": visit_path,
        "scoped_type_identifier": visit_path,
        "static_item": visit_constant,
        "struct_expression": visit_made,
        "struct_item": visit_struct,
        "trait_item": visit_trait,
        "type_binding": visit_argument,
        "type_identifier": visit_name,
        "type_item": visit_alias,
        "union_item": visit_struct,
        "use_declaration": visit_use,
    },
    names=frozenset(("identifier", "type_identifier")),
    members={
        "field_expression": ("value", "field"),
        "scoped_identifier": ("path", "name"),
        "scoped_type_identifier": ("path", "name"),
    },
    calls={"call_expression": "function"},
    endings={
        "index_expression": ("", "[]"),
        "struct_expression": ("name", "()"),
        "try_expression": ("", ".unwrap()"),
    },
    wrappers={
        "await_expression": "", "bracketed_type": "", "generic_function": "function", "generic_type": "type",
        "generic_type_with_turbofish": "type", "parenthesized_expression": "", "qualified_type": "type",
        "reference_expression": "value", "unary_expression": "",
    },
    words={"crate": "crate", "self": "self", "super": "super"},
    skipped=frozenset((
        "attribute_item", "block_comment", "crate", "inner_attribute_item", "label", "lifetime", "line_comment",
        "primitive_type", "self", "string_literal", "super", "visibility_modifier",
    )),
    prepare=open_item_macros,
)  # fmt: skip
