"""What the nodes of a syntax tree define, and under which name: the same questions for every grammar.

A node may define something itself (`class_declaration`), hold what does (`export_statement`, `decorated_definition`)
or give a name to a value that is worth one (`Reply.prototype.send = function …`).
"""

from typing import Any, NamedTuple

from fieldguide import linear_regex as re

# fmt: off
DEFINITIONS = frozenset((
    "function_definition", "class_definition", "decorated_definition",                                  # Python, PHP
    "function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration",
    "method_definition", "interface_declaration", "type_alias_declaration", "enum_declaration",         # JavaScript …
    "internal_module",
    "method_declaration", "type_declaration", "const_declaration", "var_declaration",                   # Go
    "function_item", "impl_item", "struct_item", "enum_item", "trait_item", "mod_item", "macro_definition",  # Rust
    "constructor_declaration", "record_declaration", "object_declaration", "property_declaration",      # Java, Kotlin
    "companion_object", "annotation_type_declaration",
    "class_specifier", "struct_specifier", "namespace_definition", "template_declaration",              # C++
    "namespace_declaration", "struct_declaration",                                                      # C#
    "method", "singleton_method", "class", "module",                                                    # Ruby
    "trait_declaration",                                                                                # PHP
    "protocol_declaration", "init_declaration", "deinit_declaration",                                   # Swift
    "object_definition", "trait_definition", "enum_definition",                                         # Scala
    "extension_declaration", "mixin_declaration",                                                       # Dart
    "contract_declaration", "library_declaration", "modifier_definition", "event_definition",           # Solidity
))
HOLDERS = frozenset((
    "export_statement", "ambient_declaration", "expression_statement", "lexical_declaration", "variable_declaration",
    "class_member", "declaration", "local_variable_declaration",
))
NAMING_VALUES = frozenset((
    "variable_declarator", "assignment_expression", "pair", "public_field_definition", "field_definition",
    "assignment_statement",
))
VALUES = frozenset((
    "arrow_function", "function_expression", "function", "generator_function", "class", "object", "function_definition",
    "table_constructor", "expression_list", "call_expression", "struct_declaration", "anonymous_struct_declaration",
))
NAMES = frozenset((
    "identifier", "type_identifier", "property_identifier", "private_property_identifier", "field_identifier",
    "constant", "name", "simple_identifier", "namespace_name", "qualified_name", "scoped_identifier", "word",
    "dot_index_expression", "method_index_expression", "user_type", "generic_type", "setter", "operator",
))
TELLING = frozenset((
    "function_declarator", "type_spec", "const_spec", "var_spec", "var_spec_list", "function_signature",
    "method_signature", "constructor_signature",
))
# fmt: on
LEAST_LINES = 3  # of a value that is worth a name; a shorter one is told by what is around it
DOTTED = re.compile(r"[\w$#]+(?:(?:\.|::|:|\\)[\w$#]+)*")
APART = re.compile(r"::|[.:\\]")
PLUMBING = frozenset(("module", "exports", "prototype", "this", "self"))
DEFINING_WORDS = ("def", "defp", "defmodule", "defmacro", "defprotocol", "defimpl", "defstruct")  # Elixir's are calls


class Definition(NamedTuple):
    """What a node defines: the names that lead to it from where it stands, and the node that holds its body."""

    names: tuple[str, ...]
    core: Any


def definition_of(node: Any) -> Definition | None:
    """What a node defines; None where it defines nothing that is worth a chunk of its own."""
    kind = node.kind()
    if kind in DEFINITIONS:
        return _defined(node)
    if kind in HOLDERS:
        return _held(node)
    if kind in NAMING_VALUES:
        return _named_value(node)
    if kind == "call":
        return _called(node)
    return _block(node) if kind == "block" else None


def _defined(node: Any) -> Definition:
    inner = next((child for child in node.children() if child.kind() in DEFINITIONS), None)
    if node.kind() == "decorated_definition" and inner is not None:
        return _defined(inner)
    receiver = node.field("receiver") if node.kind() == "method_declaration" else None
    owner = _receiver_name(receiver) if receiver is not None else ()
    return Definition((*owner, *_name_of(node)), node)


def _held(node: Any) -> Definition | None:
    """What the first child that defines something does; `const a = …, b = …` is told by its first."""
    for child in node.children():
        if child.is_named() and (found := definition_of(child)) is not None:
            return found
    return None


def _named_value(node: Any) -> Definition | None:
    value = node.field("value") or node.field("right")
    span = node.range()
    if value is None or value.kind() not in VALUES or span.end.line - span.start.line + 1 < LEAST_LINES:
        return None
    left = node.field("name") or node.field("left") or node.field("key")
    names = _written_parts(left) or _written_parts(value.field("name"))
    return Definition(names, value) if names else None


def _written_parts(node: Any) -> tuple[str, ...]:
    return _parts(str(node.text())) if node is not None else ()


def _called(node: Any) -> Definition | None:
    """Elixir's definitions, which are calls: `def name(…) do`."""
    target = node.field("target")
    if target is None or str(target.text()) not in DEFINING_WORDS:
        return None
    arguments = next((child for child in node.children() if child.kind() == "arguments"), None)
    first = next((child for child in arguments.children() if child.is_named()), None) if arguments else None
    if first is None:
        return None
    named = first.field("target") or first
    return Definition(_parts(str(named.text())), node)


def _block(node: Any) -> Definition | None:
    """Terraform's blocks: `resource "kind" "name" {`."""
    words = [child for child in node.children() if child.kind() in ("identifier", "string_lit")]
    if not any(child.kind() == "block_start" for child in node.children()):
        return None
    return Definition((".".join(str(child.text()).strip('"') for child in words),), node)


def _name_of(node: Any) -> tuple[str, ...]:
    named = node.field("name") or node.field("declarator") or node.field("type")
    if named is not None and named.kind() in NAMES:
        return _parts(str(named.text()))
    for child in node.children():
        if child.kind() in NAMES:
            return _parts(str(child.text()))
        if child.kind() in TELLING:
            return _name_of(child)
    return ()


def _receiver_name(receiver: Any) -> tuple[str, ...]:
    """The type that a method of Go belongs to: `(n *node[T])` is node's."""
    words = DOTTED.findall(str(receiver.text()).partition("[")[0])
    return (words[-1],) if words else ()


def _parts(text: str) -> tuple[str, ...]:
    """The names in a dotted name, without those that only say where it is put; none where it is no plain name."""
    plain = text.partition("<")[0].strip()
    if not DOTTED.fullmatch(plain):
        return ()
    return tuple(part for part in APART.split(plain) if part and part not in PLUMBING)
