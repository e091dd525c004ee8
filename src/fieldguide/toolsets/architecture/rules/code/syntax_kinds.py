"""How each grammar calls the things that rules speak of: calls, definitions, names, comments, strings."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

Fields = Mapping[str, str | None]


@dataclass(frozen=True)
class SyntaxKinds:
    """The node kinds of one grammar."""

    comments: tuple[str, ...] = ("comment",)
    strings: tuple[str, ...] = ("string",)
    holes: tuple[str, ...] = ()
    """Code inside a string: `{x}` in an f-string."""
    calls: Fields = field(default_factory=dict[str, str | None])
    """A call, and the field with which its callee ends; None for its first child, `=x` for a callee that is `x`."""
    creations: Fields = field(default_factory=dict[str, str | None])
    """A constructor's call, and the field of its type."""
    definitions: Mapping[str, str] = field(default_factory=dict[str, str])
    """A definition, and what it is: class, interface, function, method, constructor, or `maybe` of a function."""
    variables: Fields = field(default_factory=dict[str, str | None])
    """Where names get a value, and the field of the names."""
    constants: Fields = field(default_factory=dict[str, str | None])
    parameters: Fields = field(default_factory=dict[str, str | None])

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        """What to ask the parser for: every node whose kind is named here."""
        groups = (self.comments, self.strings, self.holes, self.calls, self.creations, self.definitions,
                  self.variables, self.constants, self.parameters)  # fmt: skip
        return [{"kind": kind} for kind in dict.fromkeys(kind for group in groups for kind in group)]


PYTHON = SyntaxKinds(
    holes=("interpolation",),
    calls={"call": "function"},
    definitions={"class_definition": "class", "function_definition": "function"},
    variables={"assignment": "left", "named_expression": "name"},
    parameters={"parameters": None, "lambda_parameters": None},
)
JAVASCRIPT = SyntaxKinds(
    strings=("string", "template_string", "jsx_text"),
    holes=("template_substitution",),
    calls={"call_expression": "function"},
    creations={"new_expression": "constructor"},
    definitions={
        "class_declaration": "class", "class": "class", "function_declaration": "function",
        "generator_function_declaration": "function", "method_definition": "method", "field_definition": "maybe",
        "pair": "maybe",
    },
    variables={"variable_declarator": "name"},
    parameters={"formal_parameters": None},
)  # fmt: skip
TYPESCRIPT = SyntaxKinds(
    strings=("string", "template_string"),
    holes=("template_substitution",),
    calls={"call_expression": "function"},
    creations={"new_expression": "constructor"},
    definitions={
        "class_declaration": "class", "abstract_class_declaration": "class", "class": "class",
        "interface_declaration": "interface", "function_declaration": "function",
        "generator_function_declaration": "function", "method_definition": "method",
        "public_field_definition": "maybe", "pair": "maybe", "method_signature": "method",
    },
    variables={"variable_declarator": "name"},
    parameters={"required_parameter": "pattern", "optional_parameter": "pattern"},
)  # fmt: skip
TSX = replace(TYPESCRIPT, strings=("string", "template_string", "jsx_text"))
GO = SyntaxKinds(
    strings=("interpreted_string_literal", "raw_string_literal", "rune_literal"),
    calls={"call_expression": "function"},
    definitions={"type_spec": "maybe", "function_declaration": "function", "method_declaration": "method"},
    variables={"short_var_declaration": "left", "var_spec": "name"},
    constants={"const_spec": "name"},
    parameters={"parameter_declaration": "name"},
)
JAVA = SyntaxKinds(
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "character_literal"),
    calls={"method_invocation": "name", "method_reference": "=reference"},
    creations={"object_creation_expression": "type"},
    definitions={
        "class_declaration": "class", "record_declaration": "class", "enum_declaration": "enum",
        "interface_declaration": "interface", "method_declaration": "method", "constructor_declaration": "constructor",
    },
    variables={"variable_declarator": "name"},
    parameters={"formal_parameter": "name"},
)  # fmt: skip
CSHARP = SyntaxKinds(
    strings=("string_literal", "verbatim_string_literal", "raw_string_literal", "interpolated_string_expression",
             "character_literal"),
    holes=("interpolation",),
    calls={"invocation_expression": "function"},
    creations={"object_creation_expression": "type"},
    definitions={
        "class_declaration": "class", "record_declaration": "class", "struct_declaration": "class",
        "interface_declaration": "interface", "enum_declaration": "enum", "method_declaration": "method",
        "local_function_statement": "function", "constructor_declaration": "constructor",
    },
    variables={"variable_declarator": "name"},
    parameters={"parameter": "name"},
)  # fmt: skip
KOTLIN = SyntaxKinds(
    comments=("line_comment", "multiline_comment"),
    strings=("string_literal", "character_literal"),
    holes=("interpolated_expression", "interpolated_identifier"),
    calls={"call_expression": None},
    definitions={"class_declaration": "class", "object_declaration": "class", "function_declaration": "function"},
    variables={"variable_declaration": None},
    parameters={"parameter": None, "class_parameter": None},
)
RUBY = SyntaxKinds(
    strings=("string", "subshell", "heredoc_body", "regex"),
    holes=("interpolation",),
    calls={"call": "method"},
    definitions={"class": "class", "module": "class", "method": "function", "singleton_method": "function"},
    variables={"assignment": "left"},
    parameters={"method_parameters": None},
)
PHP = SyntaxKinds(
    strings=("string", "encapsed_string", "heredoc", "nowdoc"),
    holes=("variable_name",),
    calls={
        "function_call_expression": "function", "member_call_expression": "name",
        "nullsafe_member_call_expression": "name", "scoped_call_expression": "name",
        "echo_statement": "=echo", "print_intrinsic": "=print", "exit_statement": "=exit",
    },
    creations={"object_creation_expression": "=new"},
    definitions={
        "class_declaration": "class", "trait_declaration": "class", "interface_declaration": "interface",
        "function_definition": "function", "method_declaration": "method",
    },
    parameters={"simple_parameter": "name"},
)  # fmt: skip
RUST = SyntaxKinds(
    comments=("line_comment", "block_comment"),
    strings=("string_literal", "raw_string_literal", "char_literal"),
    calls={"call_expression": "function", "macro_invocation": "macro"},
    definitions={
        "struct_item": "class", "enum_item": "enum", "trait_item": "interface", "impl_item": "scope",
        "function_item": "function", "function_signature_item": "function",
    },
    variables={"let_declaration": "pattern"},
    constants={"const_item": "name", "static_item": "name"},
    parameters={"parameter": "pattern"},
)  # fmt: skip
SHELL = SyntaxKinds(strings=("string", "raw_string"), calls={"command": "name"}, definitions={
    "function_definition": "function",
})  # fmt: skip
LUA = SyntaxKinds(calls={"function_call": "name"}, definitions={"function_declaration": "function"})
SWIFT = SyntaxKinds(
    comments=("comment", "multiline_comment"),
    strings=("line_string_literal", "multi_line_string_literal"),
    holes=("interpolated_expression",),
    calls={"call_expression": None},
    definitions={
        "class_declaration": "class", "protocol_declaration": "interface", "function_declaration": "function",
    },
)  # fmt: skip
SCALA = SyntaxKinds(
    comments=("comment", "block_comment"),
    strings=("string", "interpolated_string_expression"),
    calls={"call_expression": "function"},
    creations={"instance_expression": None},
    definitions={
        "class_definition": "class", "object_definition": "class", "trait_definition": "interface",
        "function_definition": "function",
    },
)  # fmt: skip

KINDS: dict[str, SyntaxKinds] = {
    "csharp": CSHARP, "go": GO, "java": JAVA, "javascript": JAVASCRIPT, "kotlin": KOTLIN, "lua": LUA, "php": PHP,
    "python": PYTHON, "ruby": RUBY, "rust": RUST, "scala": SCALA, "shell": SHELL, "swift": SWIFT, "tsx": TSX,
    "typescript": TYPESCRIPT,
}  # fmt: skip
