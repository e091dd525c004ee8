"""Reads the names that a text defines, assigns and calls, by the node kinds of each grammar.

The table is `syntax_kinds.json` beside it; each language has what its grammar's node kinds mean.
"""

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.code.parsing import GRAMMARS, MOST_PARSED, parse_tree
from fieldguide.files.parser_process import run_in_child
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode


Fields = Mapping[str, str | None]


@dataclass(frozen=True)
class SyntaxKinds:
    """The node kinds of one grammar."""

    comments: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
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
        return [{"kind": kind} for kind in dict.fromkeys(chain.from_iterable(groups))]


@cache
def load_syntax_kinds() -> Mapping[str, SyntaxKinds]:
    """The table, by the names of languages."""
    text = files("fieldguide.code").joinpath("syntax_kinds.json").read_text(encoding="utf-8")
    return {language: SyntaxKinds(**kinds) for language, kinds in json.loads(text).items()}


LONGEST_CALLEE = 150
ARROWS = re.compile(r"\?\.|!\.|\?->|->|::")
COMMENT_IN_CHAIN = re.compile(r"\s(?://|#)[^\n]*\n(?=\s*(?:\?\.|\.|::|->|//|#))")
SPACE = re.compile(r"\s+")
TYPE_ARGUMENTS = re.compile(r"<[^<>()]*>")
VARIABLE = re.compile(r"^\$(?=\w+\s*(?:->|\?->|::))")  # of PHP
BRACKETS = {"(": ")", "[": "]", "{": "}"}


class CalledName(NamedTuple):
    """A call: every name its callee may be known by, as written first, and its place in the text."""

    names: tuple[str, ...]
    start: int
    end: int


def read_calls(
    nodes: "Mapping[str, list[SgNode]]", kinds: SyntaxKinds, aliases: Mapping[str, tuple[str, ...]]
) -> list[CalledName]:
    """Every call and every creation of an object, in the order of the text."""
    found: list[CalledName] = []
    for node, callee in _callees(nodes, kinds):
        if callee:
            place = node.range()
            names = tuple(dict.fromkeys(_names(callee, aliases)))
            found.append(CalledName(names, place.start.index, place.end.index))
    return sorted(found, key=lambda call: call.start)


def normalize_callee(written: str) -> str:
    """A callee in one line, its chain joined with dots and without the arguments along the way."""
    bare = COMMENT_IN_CHAIN.sub("\n", written) if "\n" in written else written
    plain = ARROWS.sub(".", VARIABLE.sub("", SPACE.sub(" ", bare).removeprefix("await ")))
    plain = TYPE_ARGUMENTS.sub("", _without_arguments(plain)).replace(" ", "").replace("@", "")
    return plain.replace("..", ".").strip(".")


def _callees(nodes: "Mapping[str, list[SgNode]]", kinds: SyntaxKinds) -> "Iterator[tuple[SgNode, str]]":
    for kind, ending in kinds.calls.items():
        for node in nodes.get(kind, ()):
            yield node, _callee(node, ending)
    for kind, ending in kinds.creations.items():
        for node in nodes.get(kind, ()):
            yield node, _created(node, ending)


def _callee(node: "SgNode", ending: str | None) -> str:
    if ending == "=reference":
        return normalize_callee(node.text()[:LONGEST_CALLEE])
    if ending and ending[0] == "=":
        return ending[1:]
    if ending == "name":
        return normalize_callee(_before_arguments(node)[-LONGEST_CALLEE:])
    last = node.field(ending) if ending else node.child(0)
    if last is None:
        return ""
    receiver = node.field("receiver") if ending == "method" else None
    written = f"{receiver.text()[-LONGEST_CALLEE:]}.{last.text()}" if receiver else last.text()[-LONGEST_CALLEE:]
    return normalize_callee(written) + ("!" if node.kind() == "macro_invocation" else "")


def _before_arguments(call: "SgNode") -> str:
    """A call whose callee begins before its name, with the object, without the arguments that follow."""
    arguments = call.field("arguments")
    whole = call.text()
    return whole[: len(whole) - len(arguments.text())] if arguments else whole


def _created(node: "SgNode", ending: str | None) -> str:
    made = node.field(ending) if ending and ending[0] != "=" else node.child(1)
    name = normalize_callee(made.text()[:LONGEST_CALLEE]) if made else ""
    return f"new {name}" if name else ""


def _without_arguments(chain: str) -> str:
    """A chain of calls with nothing between its brackets: `a(b).c` is `a().c`."""
    if not any(bracket in chain for bracket in BRACKETS):
        return chain
    kept: list[str] = []
    open_brackets: list[str] = []
    for character in chain:
        if open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
        if not open_brackets:
            kept.append(character)
        if character in BRACKETS:
            open_brackets.append(BRACKETS[character])
    return "".join(kept)


def _names(callee: str, aliases: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    yield callee
    making, _, name = callee.rpartition(" ")
    before = f"{making} " if making else ""
    head, dot, rest = name.partition(".")
    if name.endswith("!"):  # a macro of Rust
        yield name[:-1]
    for origin in aliases.get(head, ()):
        yield f"{before}{origin}{dot}{rest}"


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
    found = [
        each for node, at in _of(nodes, kinds.variables) for each in _named(node, _variable_kind(node, grammar), at)
    ]
    counts = Counter(each.name for each in found)
    for each in found:
        is_settled = counts[each.name] == 1 and not is_local(each.start)
        yield each._replace(kind="constant" if is_settled else "variable") if each.kind == "literal" else each


def _of(nodes: "Mapping[str, list[SgNode]]", fields: Mapping[str, str | None]) -> "Iterator[tuple[SgNode, str | None]]":
    return ((node, at) for kind, at in fields.items() for node in nodes.get(kind, ()))


def _variable_kind(node: "SgNode", grammar: str | None) -> str:
    """Whether a name is a function, is said to be constant, or might be one because its value is a literal."""
    value = node.field("value") or node.field("right")
    if value is not None and value.kind() in FUNCTION_VALUES:
        return "function"
    above = node.parent()
    first = above.child(0) if above else None
    if above is None or (grammar in SCRIPTS and (first is None or first.kind() != "const")):
        return "variable"
    if grammar in DECLARED_CONSTANT:
        outer = above.parent() if grammar == "csharp" else above
        return "constant" if outer and STATIC_FINAL.search(outer.text()[:LONGEST_NAME]) else "variable"
    return "literal" if value is not None and value.kind() in LITERALS else "variable"


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


CONTAINERS = ("class", "interface", "enum", "scope")
CALLABLES = ("function", "method", "constructor")
BASES = frozenset((
    "argument_list", "class_heritage", "extends_clause", "implements_clause", "extends_type_clause", "superclass",
    "super_interfaces", "extends_interfaces", "base_list", "delegation_specifier", "base_clause",
    "class_interface_clause", "inheritance_specifier",
))  # fmt: skip
DECORATIONS = frozenset(("decorator", "modifiers", "attribute_list", "attribute_item"))
DECORATION = re.compile(r"[@\[(,#]\s*\[?\s*([A-Za-z_][\w.]*)")
BASE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)")
BASE_WORDS = re.compile(r"\b(?:extends|implements|with|public|virtual|override)\b|[:<(){}]")
BASE_NAME = re.compile(r"[\w.$\\]+")
ABSTRACT = frozenset(("ABC", "abc.ABC", "Protocol", "typing.Protocol", "ABCMeta"))


class DefinedName(NamedTuple):
    """A name that the text defines; `start` and `end` are those of the whole definition."""

    kind: str
    name: str
    start: int
    end: int
    name_start: int
    extends: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    owner: str = ""
    """The type that a method of Go belongs to, which is written elsewhere."""


def read_definitions(nodes: "Mapping[str, list[SgNode]]", kinds: SyntaxKinds, grammar: str | None) -> list[DefinedName]:
    """Every definition, in the order of the text."""
    whole = [(node, meaning) for kind, meaning in kinds.definitions.items() for node in nodes.get(kind, ())]
    found = [each for node, meaning in whole for each in _definition(node, meaning)]
    found = _with_methods(sorted(found, key=lambda each: (each.start, -each.end)))
    local = CONTAINERS + CALLABLES if grammar == "python" else CALLABLES
    inside = Enclosures([each for each in found if each.kind in local])
    named = [DefinedName(*each) for each in read_variables(nodes, kinds, grammar, lambda at: any(inside.around(at)))]
    return sorted([*found, *named], key=lambda each: each.start)


class Enclosures:
    """Which classes and functions a place lies in."""

    def __init__(self, definitions: Sequence[DefinedName]) -> None:
        kinds = CONTAINERS + CALLABLES
        self._known = sorted((each for each in definitions if each.kind in kinds), key=lambda at: (at.start, -at.end))
        self._starts = [each.start for each in self._known]
        self._outer: list[int] = []
        around: list[int] = []
        for number, each in enumerate(self._known):
            while around and self._known[around[-1]].end <= each.start:
                around.pop()
            self._outer.append(around[-1] if around else -1)
            around.append(number)

    def around(self, index: int) -> Iterator[DefinedName]:
        """The definitions around a place, the innermost first."""
        number = bisect_right(self._starts, index) - 1
        while number >= 0:
            if index < self._known[number].end:
                yield self._known[number]
            number = self._outer[number]


def _definition(node: "SgNode", meaning: str) -> Iterator[DefinedName]:
    name = node.field("type") if meaning == "scope" else _name_node(node)
    kind = _definition_kind(node, meaning)
    if name is None or kind is None:
        return
    extends = tuple(_bases(node))
    if kind == "class" and not ABSTRACT.isdisjoint(extends):
        kind = "interface"
    place = node.range()
    named = name.range()
    text = BASE_ARGUMENTS.sub("", name.text()[:LONGEST_NAME])
    decorators = tuple(_decorators(node))
    yield DefinedName(
        kind, text, place.start.index, place.end.index, named.start.index, extends, decorators, _receiver(node)
    )


def _name_node(node: "SgNode") -> "SgNode | None":
    name = node.field("name") or node.field("property") or node.field("key")
    if name is not None:
        return name
    return next((child for child in node.children() if child.kind().endswith("identifier")), None)


def _definition_kind(node: "SgNode", meaning: str) -> str | None:
    """What a definition is; a field of a class, or a member of an object, is a method when its value is a function."""
    if meaning == "class" and any(child.kind() == "interface" for child in node.children()):
        return "interface"
    if meaning != "maybe":
        return meaning
    kind = node.kind()
    if kind == "type_spec":
        of = node.field("type")
        return {"struct_type": "class", "interface_type": "interface"}.get(of.kind()) if of else None
    value = node.field("value")
    return "method" if value is not None and value.kind() in FUNCTION_VALUES else None


def _bases(node: "SgNode") -> Iterator[str]:
    for child in node.children():
        if child.kind() in BASES:
            written = BASE_ARGUMENTS.sub("", child.text().strip("()")).split(",")
            yield from (
                name for base in written if "=" not in base for name in BASE_NAME.findall(BASE_WORDS.sub(" ", base))
            )
    if node.kind() == "impl_item":
        trait = node.field("trait")
        yield from [BASE_ARGUMENTS.sub("", trait.text())] if trait else []
    elif (of := node.field("type")) is not None and of.kind() == "struct_type":
        yield from _embedded(of)


def _embedded(struct: "SgNode") -> Iterator[str]:
    """The types that a struct of Go takes in without a name."""
    for member in struct.find_all(kind="field_declaration"):
        if member.field("name") is None:
            yield member.text().strip().lstrip("*").split()[0].rpartition(".")[2]


def _decorators(node: "SgNode") -> Iterator[str]:
    above = node.parent()
    around = above.children() if above and above.kind() in ("decorated_definition", "export_statement") else []
    before: list[SgNode] = []
    sibling = node.prev()
    while sibling is not None and sibling.kind() in DECORATIONS | {"comment"}:
        before.append(sibling)
        sibling = sibling.prev()
    for each in [*around, *before, *node.children()]:
        if each.kind() in DECORATIONS:
            yield from DECORATION.findall(each.text()[: LONGEST_NAME * 5])


def _receiver(node: "SgNode") -> str:
    receiver = node.field("receiver") if node.kind() == "method_declaration" else None
    words: list[str] = re.findall(r"\w+", receiver.text()) if receiver else []
    if len(words) > 1:
        return words[1]
    return words[0] if words else ""


def _with_methods(found: list[DefinedName]) -> list[DefinedName]:
    """A function that stands right inside a class is a method."""
    around: list[DefinedName] = []
    known: list[DefinedName] = []
    for each in found:
        while around and around[-1].end <= each.start:
            around.pop()
        is_method = each.kind == "function" and around and around[-1].kind in CONTAINERS
        around.append(each._replace(kind="method") if is_method else each)
        known.append(around[-1])
    return known


MOST_ENTRIES = 400
LONGEST_SIGNATURE = 200
MOST_VISITED = 20_000
BLANKS = re.compile(r"\s+")
MARGIN = re.compile(r"[A-Za-z_.#$@<\[]")
COMMENTS = ("//", "#!", "# ", "/*", "*", "--", "<!--")
DECLARED = re.compile(
    r"(?:(?:generator_|abstract_|local_|async_)?function_(?:definition|declaration|item|signature|signature_item)"
    r"|(?:abstract_)?class(?:_definition|_declaration|_specifier)?"
    r"|(?:singleton_)?method(?:_definition|_declaration|_signature|_spec|_elem)?"
    r"|abstract_method_signature|constructor_declaration|constructor_signature|init_declaration"
    r"|interface_declaration|protocol_declaration|trait(?:_item|_declaration|_definition)"
    r"|struct(?:_item|_declaration|_specifier|_definition)|enum(?:_item|_declaration|_specifier|_definition)"
    r"|impl_item|mod_item|module|macro_definition|union_item|record_declaration|delegate_declaration"
    r"|object(?:_declaration|_definition)|type_alias(?:_declaration)?|type_item|type_spec|type_definition"
    r"|namespace(?:_declaration|_definition)|file_scoped_namespace_declaration|internal_module"
    r"|contract_declaration|library_declaration|extension_declaration|mixin_declaration"
    r"|const_item|static_item|property_declaration|lexical_declaration|modifier_definition|event_definition)"
)
FUNCTIONS = re.compile(r".*(?:function|method|constructor|init_declaration|signature|macro).*")
WRAPPING = ("decorated_definition", "export_statement")
BODIES = ("body", "block")


class OutlineItem(NamedTuple):
    """Something that a file declares: its lines, counted from 1, and its signature on one line."""

    line: int
    end_line: int
    signature: str


def read_outline(text: str, language: str | None) -> list[OutlineItem]:
    """What a file declares, in its order; the first few hundred."""
    has_tree = language in GRAMMARS and len(text) <= MOST_PARSED
    told = run_in_child(f"{__name__}:parse_outline", text, language) if has_tree else None
    return [OutlineItem(*each) for each in told] if told else list(_at_margin(text))


class EnclosingItem(NamedTuple):
    """What encloses some lines: its lines, counted from 1, and its name with those around it."""

    line: int
    end_line: int
    name: str


def find_enclosing(text: str, language: str | None, lines: tuple[int, int]) -> EnclosingItem | None:
    """The smallest thing that a file declares which holds these lines; comments above it may be among them."""
    if language not in GRAMMARS or len(text) > MOST_PARSED:
        return None
    told = run_in_child(f"{__name__}:parse_enclosing", text, language, *map(str, lines))
    return EnclosingItem(*told) if told else None


def parse_enclosing(text: str, language: str | None, start: str, end: str) -> list[Any]:
    """That, as plain data. For a parser process."""
    first, last = _trimmed(text.split("\n"), int(start) - 1, int(end) - 1)
    found: Any = None
    within: Any = parse_tree(text, language)
    names: list[str] = []
    while within is not None:
        within = next((each for each in within.named_children() if _holds(each, first, last)), None)
        kind = "" if within is None else str(within.kind())
        is_wrapper = kind in WRAPPING
        if within is not None and (is_wrapper or DECLARED.fullmatch(kind)):
            found = within
            inner: Any = _declared_child(within)
            names += [] if is_wrapper and _holds(inner, first, last) else _name(inner if is_wrapper else within, text)
    return [] if found is None else [found.range().start.line + 1, found.range().end.line + 1, ".".join(names)]


def _name(node: Any, text: str) -> list[str]:
    named = node.field("name")
    return [str(named.text())[:LONGEST_SIGNATURE]] if named is not None else [_signature(node, text, 0)]


def _declared_child(node: Any) -> Any:
    """What a node that wraps something wraps."""
    return next((each for each in node.children() if DECLARED.fullmatch(str(each.kind()))), node)


def _holds(node: Any, first: int, last: int) -> bool:
    span = node.range()
    return bool(span.start.line <= first and span.end.line >= last)


def _trimmed(lines: list[str], first: int, last: int) -> tuple[int, int]:
    """Some lines, counted from 0, without comments before them and blank ones at either end."""
    last = min(last, len(lines) - 1)
    while first < last and (not lines[first].strip() or lines[first].lstrip().startswith(COMMENTS)):
        first += 1
    while last > first and not lines[last].strip():
        last -= 1
    return first, last


def parse_outline(text: str, language: str | None) -> list[Any]:
    """The outline as plain data; none without a tree. For a parser process."""
    root = parse_tree(text, language)
    return [] if root is None else [[*each] for each in _declared(root, text)]


def _declared(root: Any, text: str) -> Iterator[OutlineItem]:
    """The declarations below a node, but not those inside of functions; the tree is walked without recursion."""
    pending: list[tuple[Any, int]] = [(child, 0) for child in reversed(root.children())]
    found = visited = last = 0
    while pending and found < MOST_ENTRIES and visited < MOST_VISITED:
        node, depth = pending.pop()
        visited += 1
        kind = str(node.kind())
        span = node.range()
        line = span.start.line + 1
        assigned = node.field("right") if kind == "assignment_expression" else None
        is_function = assigned is not None and FUNCTIONS.fullmatch(str(assigned.kind())) is not None
        is_declared = is_function or DECLARED.fullmatch(kind) is not None
        if is_declared and line != last:
            yield OutlineItem(line, span.end.line + 1, _signature(node, text, depth))
            found = found + 1
            last = line
        if not (is_declared and (is_function or _is_closed(kind))):
            pending += [(child, depth + is_declared) for child in reversed(node.named_children())]


def _is_closed(kind: str) -> bool:
    """Whether what a declaration declares in it is nobody else's."""
    return kind == "lexical_declaration" or FUNCTIONS.fullmatch(kind) is not None


def _signature(node: Any, text: str, depth: int) -> str:
    """A declaration up to its body, on one line, indented by what it stands in."""
    start = node.range().start.index
    end = node.range().end.index
    holder = node.field("right") or node  # a function that is assigned: `res.send = function (body) {…}`
    for name in BODIES:
        if (body := holder.field(name)) is not None:
            end = body.range().start.index
            break
    else:
        end = next((c.range().start.index for c in node.children() if str(c.kind()).endswith(BODIES)), end)
    head = BLANKS.sub(" ", text[start : min(end, start + 4 * LONGEST_SIGNATURE)]).strip().rstrip("{:=").rstrip()
    return f"{'  ' * min(depth, 8)}{head[:LONGEST_SIGNATURE]}"


def _at_margin(text: str) -> Iterator[OutlineItem]:
    """The lines that begin at the margin with a word and are no comments."""
    found = 0
    for number, line in enumerate(text.split("\n"), 1):
        if MARGIN.match(line) and not line.startswith(COMMENTS):
            yield OutlineItem(number, number, line.strip()[:LONGEST_SIGNATURE])
            found += 1
            if found >= MOST_ENTRIES:
                return
