"""Cuts source code into chunks along its definitions.

A node may define something itself (`class_declaration`), hold what does (`export_statement`, `decorated_definition`),
give a name to a value that is worth one (`Reply.prototype.send = function …`) or be a test with a title.

What stands at the margin and opens a brace is a definition, up to the brace at the margin that closes it. Macros break
a tree; they do not break this.

The grammars are tree-sitter's, through ast-grep. A language without one is cut between lines.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide.code.parsing import GRAMMARS, MOST_PARSED, parse_tree
from fieldguide.files.parser_process import run_in_child
from fieldguide.search.chunking import AIM, MOST
from fieldguide.search.types import Chunk
from fieldguide.text import regex as re
from fieldguide.text.windows import split_lines, strip_line_end

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
TEST_WORDS = frozenset(("describe", "context", "suite", "it", "test", "specify", "scenario", "feature", "RSpec"))
TITLES = frozenset(("string", "template_string", "constant", "scope_resolution"))
TEST_BODIES = frozenset(("arrow_function", "function_expression", "function", "do_block", "block"))
LONGEST_TITLE = 80
LOCAL_VALUES = frozenset(("call_expression", "object", "expression_list"))  # a step of a test, not worth a name there
FIRST_WORD = re.compile(r"\w+")
DEFINING_WORDS = ("def", "defp", "defmodule", "defmacro", "defprotocol", "defimpl", "defstruct")  # Elixir's are calls


class NodeDefinition(NamedTuple):
    """What a node defines: the names that lead to it from where it stands, and the node that holds its body."""

    names: tuple[str, ...]
    core: Any
    is_test: bool = False


def read_definition(node: Any) -> NodeDefinition | None:
    """What a node defines; None where it defines nothing that is worth a chunk of its own."""
    kind = node.kind()
    if kind in DEFINITIONS:
        return _defined(node)
    if kind in HOLDERS:
        return _held(node)
    if kind in NAMING_VALUES:
        return _named_value(node)
    if kind in ("call", "call_expression"):
        return _called(node) or _titled_test(node)
    return _block(node) if kind == "block" else None


def _defined(node: Any) -> NodeDefinition:
    inner = next((child for child in node.children() if child.kind() in DEFINITIONS), None)
    if node.kind() == "decorated_definition" and inner is not None:
        return _defined(inner)
    receiver = node.field("receiver") if node.kind() == "method_declaration" else None
    owner = _receiver_name(receiver) if receiver is not None else ()
    return NodeDefinition((*owner, *_name_of(node)), node)


def _held(node: Any) -> NodeDefinition | None:
    """What the first child that defines something does; `const a = …, b = …` is told by its first."""
    for child in node.children():
        if child.is_named() and (found := read_definition(child)) is not None:
            return found
    return None


def _named_value(node: Any) -> NodeDefinition | None:
    value = node.field("value") or node.field("right")
    span = node.range()
    if value is None or value.kind() not in VALUES or span.end.line - span.start.line + 1 < LEAST_LINES:
        return None
    left = node.field("name") or node.field("left") or node.field("key")
    names = _written_parts(left) or _written_parts(value.field("name"))
    return NodeDefinition(names, value) if names else None


def _written_parts(node: Any) -> tuple[str, ...]:
    return _parts(str(node.text())) if node is not None else ()


def _called(node: Any) -> NodeDefinition | None:
    """Elixir's definitions, which are calls: `def name(…) do`."""
    target = node.field("target")
    if target is None or str(target.text()) not in DEFINING_WORDS:
        return None
    arguments = next((child for child in node.children() if child.kind() == "arguments"), None)
    first = next((child for child in arguments.children() if child.is_named()), None) if arguments else None
    if first is None:
        return None
    named = first.field("target") or first
    return NodeDefinition(_parts(str(named.text())), node)


def _titled_test(node: Any) -> NodeDefinition | None:
    """A test, or a group of tests, that is a call with a title: `it("sends", () => …)`, `describe "a queue" do`."""
    parts = [child for child in node.children() if child.is_named()]
    word = FIRST_WORD.match(str(parts[0].text())) if parts else None
    if word is None or word.group() not in TEST_WORDS:
        return None
    arguments = next((child for child in parts if child.kind() in ("arguments", "argument_list")), None)
    given = [child for child in arguments.children() if child.is_named()] if arguments is not None else []
    body = next((child for child in (*given, *parts) if child.kind() in TEST_BODIES), None)
    if body is None or not given or given[0].kind() not in TITLES:
        return None
    written = str(given[0].text())
    title = " ".join((written[1:-1] if written[:1] in "\"'`" else written).split())
    return NodeDefinition((title[:LONGEST_TITLE],), body, is_test=True) if title else None


def _block(node: Any) -> NodeDefinition | None:
    """Terraform's blocks: `resource "kind" "name" {`."""
    words = [child for child in node.children() if child.kind() in ("identifier", "string_lit")]
    if not any(child.kind() == "block_start" for child in node.children()):
        return None
    return NodeDefinition((".".join(str(child.text()).strip('"') for child in words),), node)


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


BRACED = frozenset(("c", "cpp", "cuda", "objective-c", "protobuf", "groovy", "graphql", "prisma", "r", "perl"))
MOST_HEAD_LINES = 12  # between the margin and its brace; more is no head of a definition
CALLED = re.compile(r"([A-Za-z_~][\w~]*(?:::[\w~]+)*)\s*\(")
TYPED = re.compile(
    r"\b(?:class|struct|union|enum|namespace|interface|message|service|type|input|model|package)\s+"
    r"(?:class\s+)?([A-Za-z_][\w:]*)"
)
MACRO = re.compile(r"#\s*define\s+(\w+)")
KEYWORD = re.compile(
    r"\s{0,8}(?:export\s+|public\s+|async\s+|pub\s+|local\s+)*"
    r"(?:def|fn|func|function|sub|proc|class|module|macro|procedure|defun|rule|create\s+(?:or\s+replace\s+)?"
    r"(?:table|view|function|procedure|index))\s+([A-Za-z_][\w.:!?-]*)",
    re.IGNORECASE,
)
CLOSED_NAME = re.compile(r"\}\s*(\w+)\s*;")
NO_NAMES = frozenset(("if", "for", "while", "switch", "return", "sizeof", "defined", "extern", "else", "do"))


class CodePiece(NamedTuple):
    """Some lines, counted from 0, and the names of the definitions that they belong to."""

    start: int
    end: int
    names: tuple[str, ...]


def find_flat_definitions(lines: Sequence[str], language: str | None) -> list[CodePiece]:
    """The definitions in these lines, in their order."""
    return list(_braced(lines)) if language in BRACED else list(_opened_by_words(lines))


def _braced(lines: Sequence[str]) -> Iterator[CodePiece]:
    closing = [number for number, line in enumerate(lines) if line.startswith("}")]
    at = 0
    while at < len(lines):
        end = _macro_end(lines, at) if lines[at].startswith("#") else None
        if end is not None:
            found = MACRO.match(lines[at])
            if found and end - at > 2:
                yield CodePiece(at, end, (found.group(1),))
            at = end
            continue
        brace = _brace_of(lines, at)
        if brace is None:
            at += 1
            continue
        end = _end_of(lines, brace, closing)
        names = _names(" ".join(lines[at : brace + 1]), lines[end - 1])
        if names:
            yield CodePiece(at, end, names)
            at = end
        else:
            at = brace + 1  # `extern "C" {` and bare namespaces: what is in them stands at the margin again


def _macro_end(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and lines[at].rstrip().endswith("\\"):
        at += 1
    return min(at + 1, len(lines))


def _brace_of(lines: Sequence[str], at: int) -> int | None:
    """The line with the brace that a head at the margin opens; None where no definition begins here."""
    if not (lines[at][:1].isalpha() or lines[at][:1] in "_~"):
        return None
    for number in range(at, min(at + MOST_HEAD_LINES, len(lines))):
        line = lines[number].rstrip()
        if "{" in line:
            return None if line.endswith(("};", ";")) and number == at else number
        if not line or line.endswith((";", "*/")) or line.startswith(("#", "}")):
            return None
    return None


def _end_of(lines: Sequence[str], brace: int, closing: Sequence[int]) -> int:
    """The line after the brace at the margin that closes; a body on one line closes itself."""
    line = lines[brace].rstrip()
    if line.endswith("}") and not line.startswith("{"):
        return brace + 1
    place = bisect_right(closing, brace)
    return closing[place] + 1 if place < len(closing) else len(lines)


def _names(head: str, last: str) -> tuple[str, ...]:
    """What a head defines: a function by the name before its first bracket, a type by its word."""
    before = head.partition("{")[0].partition("=")[0]
    typed = TYPED.search(before)
    called = [each for each in CALLED.findall(before) if each not in NO_NAMES]
    if called and not (typed and "(" not in before):
        return tuple(filter(None, _unwrapped(called, before).split("::")))
    if typed:
        return () if before.lstrip().startswith("namespace") else tuple(filter(None, typed.group(1).split("::")))
    return _value_names(head, before, last)


def _value_names(head: str, before: str, last: str) -> tuple[str, ...]:
    """What a value in braces is called: after its last brace, or before its `=`."""
    closed = CLOSED_NAME.match(last)
    if closed:
        return (closed.group(1),)
    words = re.findall(r"[A-Za-z_]\w*", before)
    return (words[-1],) if "=" in head and words else ()


def _unwrapped(called: Sequence[str], head: str) -> str:
    """`UV_UNUSED(static int name(…))` names what is within: a name in capitals is a macro around the real one."""
    return called[1] if len(called) > 1 and called[0].isupper() and f"{called[0]}(" in head else called[0]


def _opened_by_words(lines: Sequence[str]) -> Iterator[CodePiece]:
    """A definition begins at a word such as `def` or `create table` and ends where the next one begins."""
    start = 0
    name = ""
    for number, line in enumerate(lines):
        found = KEYWORD.match(line)
        if found:
            if name:
                yield CodePiece(start, number, (name,))
            start = number
            name = found.group(1)
    if name:
        yield CodePiece(start, len(lines), (name,))


WORD = re.compile(r"\w")
COMMENTS = ("//", "#", "*", "/*", "--", "@", ";")
MODULE_LINES = 3  # fewer lines between two definitions are told by their neighbours
TRANSPARENT = (
    "block", "body", "body_statement", "singleton_class", "declaration_list", "_module", "statements", "_expression",
    "arrow_function", "object",
)  # fmt: skip
FUNCTIONS = ("function", "method", "singleton_method", "arrow", "constructor", "generator", "init")
OPENED = 700  # characters of a class with several methods; a smaller one is read at a glance, and stays whole
ASSIGNED = re.compile(
    r"(?:(?:export|pub|static|final|const|let|var|val|local|constexpr|define) +)*([A-Za-z_$][\w$]*) *(?::[^=]*)?=[^=>]"
)
IMPORTING = ("require(", "import ", "import(")


def chunk_code(
    text: str, language: str | None, read_pieces: "Callable[[str, str | None], list[CodePiece]] | None" = None
) -> list[Chunk]:
    """The chunks of a source file in its order; a parser process reads the pieces itself, by `parse_pieces`."""
    lines = split_lines(text)
    pieces = (read_pieces or _pieces_of)(text, language) or _flat_pieces(lines, language)
    chunks: list[Chunk] = []
    for piece in pieces:
        for start, end in (trim_blank_lines(*each, lines) for each in _cut(piece, lines)):
            content = strip_line_end("".join(lines[start:end]))
            if WORD.search(content):
                chunks.append(Chunk(content, piece.names or _assigned(lines[start:end]), start + 1, end))
    return chunks


def _flat_pieces(lines: list[str], language: str | None) -> list[CodePiece]:
    return list(_gathered(find_flat_definitions(lines, language), 0, len(lines), (), lines))


def _assigned(lines: Sequence[str]) -> tuple[str, ...]:
    """The first name that lines outside every definition give to something; what is imported is no such thing."""
    for line in lines:
        found = None if line[:1].isspace() else ASSIGNED.match(line)
        if found and not any(word in line for word in IMPORTING):
            return (found.group(1),)
    return ()


def trim_blank_lines(start: int, end: int, lines: Sequence[str]) -> tuple[int, int]:
    """The same lines without blank ones at either end."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


def parse_pieces(text: str, language: str | None) -> list[CodePiece]:
    """The pieces that a text's tree cuts it into; none without a tree. For a parser process."""
    root = parse_tree(text, language) if language in GRAMMARS else None
    lines = split_lines(text)
    return list(_gathered(_walk(root, (), lines), 0, len(lines), (), lines)) if root else []


def _pieces_of(text: str, language: str | None) -> list[CodePiece]:
    has_tree = language in GRAMMARS and len(text) <= MOST_PARSED
    told = run_in_child(f"{__name__}:parse_pieces", text, language) if has_tree else None
    return [CodePiece(start, end, tuple(names)) for start, end, names in told or ()]


def _walk(node: Any, names: tuple[str, ...], lines: list[str], *, is_in_test: bool = False) -> Iterator[CodePiece]:
    """The definitions below a node; one that is too long is opened, and what is in it takes its place."""
    for child in node.children():
        if not child.is_named():
            continue
        found = read_definition(child)
        if found is not None and is_in_test and found.core.kind() in LOCAL_VALUES:
            continue
        if found is not None:
            span = child.range()
            start = span.start.line
            end = min(span.end.line + 1, len(lines))  # a broken definition may end below the last line
            path = (*names, *found.names)
            inner = _inner(found, path, lines, sum(map(len, lines[start:end])))
            yield from _gathered(inner, start, end, path, lines) if inner else [CodePiece(start, end, path)]
        elif child.kind().endswith(TRANSPARENT):
            yield from _walk(child, names, lines, is_in_test=is_in_test)


def _inner(found: NodeDefinition, path: tuple[str, ...], lines: list[str], size: int) -> list[CodePiece]:
    """What a definition is opened into: one that is too long, and a class that has several methods."""
    if size <= OPENED:
        return []
    inner = list(_walk(found.core, path, lines, is_in_test=found.is_test))
    is_function = found.core.kind().startswith(FUNCTIONS)
    return inner if size > MOST or (len(inner) > 1 and not is_function) else []


def _gathered(
    pieces: Iterable[CodePiece], start: int, end: int, names: tuple[str, ...], lines: list[str]
) -> Iterator[CodePiece]:
    """Every line from `start` to `end` in one piece: definitions with the comments above them, and what is between."""
    at = start
    for piece in pieces:
        if piece.start < at:
            continue
        first = piece.start
        while first > at and lines[first - 1].lstrip().startswith(COMMENTS):
            first -= 1
        if first - at >= MODULE_LINES:
            yield CodePiece(at, first, names)
            at = first
        yield CodePiece(at, piece.end, piece.names)
        at = piece.end
    if at < end:
        yield CodePiece(at, end, names)


def _cut(piece: CodePiece, lines: list[str]) -> Iterator[tuple[int, int]]:
    """The parts of a piece: as long as they may be; outside of definitions each begins with a statement.

    The parts of a definition are joined again before somebody sees them.
    """
    start = piece.start
    sizes = [len(line) for line in lines[piece.start : piece.end]]
    if sum(sizes) <= MOST:
        yield piece.start, piece.end
        return
    size = 0
    for number, length in enumerate(sizes, piece.start):
        if size and size + length > AIM:
            end = number if piece.names else _find_break(lines, start, number)
            yield start, end
            size = sum(sizes[end - piece.start : number - piece.start])
            start = end
        size += length
    yield start, piece.end


CONTINUED = re.compile(
    r"""\s*(?:[)\]}"'`,.|&?:+]|(?:else|elif|elsif|except|rescue|finally|ensure|catch|end|then|do)\b|$)"""
)


def _find_break(lines: list[str], start: int, end: int) -> int:
    """The last line of the second half that stands least to the right and begins something; `end` where none does."""
    best = end
    least = AIM
    half = start + (end - start) // 2
    for number in range(end, half, -1):
        line = lines[number]
        if CONTINUED.match(line) is None:
            indent = len(line) - len(line.lstrip())
            if indent < least:
                best = number
                least = indent
    while best - 1 > half and lines[best - 1].lstrip().startswith(COMMENTS):
        best -= 1
    return best
