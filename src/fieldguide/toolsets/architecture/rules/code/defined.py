"""What a text defines: classes, functions, variables, parameters; what they extend and how they are decorated."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.source_code.syntax_kinds import SyntaxKinds

if TYPE_CHECKING:
    from ast_grep_py import SgNode

CONTAINERS = ("class", "interface", "enum", "scope")
CALLABLES = ("function", "method", "constructor")
FUNCTION_VALUES = frozenset(("arrow_function", "function_expression", "function", "generator_function"))
LITERALS = frozenset((
    "string", "integer", "float", "true", "false", "none", "number", "null", "regex", "tuple", "concatenated_string",
    "unary_operator", "unary_expression", "template_string", "frozenset",
))  # fmt: skip
BASES = frozenset((
    "argument_list", "class_heritage", "extends_clause", "implements_clause", "extends_type_clause", "superclass",
    "super_interfaces", "extends_interfaces", "base_list", "delegation_specifier", "base_clause",
    "class_interface_clause", "inheritance_specifier",
))  # fmt: skip
DECORATIONS = frozenset(("decorator", "modifiers", "attribute_list", "attribute_item"))
DECORATION = re.compile(r"[@\[(,#]\s*\[?\s*([A-Za-z_][\w.]*)")
TYPE_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)")
BASE_WORDS = re.compile(r"\b(?:extends|implements|with|public|virtual|override)\b|[:<(){}]")
BASE_NAME = re.compile(r"[\w.$\\]+")
ABSTRACT = frozenset(("ABC", "abc.ABC", "Protocol", "typing.Protocol", "ABCMeta"))
STATIC_FINAL = re.compile(r"\b(?:static\s+(?:\w+\s+)*?final|final\s+(?:\w+\s+)*?static|const)\b")
LONGEST_NAME = 200


class Definition(NamedTuple):
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


def read_definitions(nodes: "Mapping[str, list[SgNode]]", kinds: SyntaxKinds, grammar: str | None) -> list[Definition]:
    """Every definition, in the order of the text."""
    found = [
        each
        for kind, meaning in kinds.definitions.items()
        for node in nodes.get(kind, ())
        for each in _definition(node, meaning)
    ]
    found = _with_methods(sorted(found, key=lambda each: (each.start, -each.end)))
    found += [each for kind, at in kinds.constants.items() for node in nodes.get(kind, ())
              for each in _named(node, "constant", at)]  # fmt: skip
    found += _variables(nodes, kinds, grammar, found)
    found += [each for kind, at in kinds.parameters.items() for node in nodes.get(kind, ())
              for each in _parameters(node, at)]  # fmt: skip
    return sorted(found, key=lambda each: each.start)


class Enclosures:
    """Which classes and functions a place lies in."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
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

    def around(self, index: int) -> Iterator[Definition]:
        """The definitions around a place, the innermost first."""
        number = bisect_right(self._starts, index) - 1
        while number >= 0:
            if index < self._known[number].end:
                yield self._known[number]
            number = self._outer[number]


def _definition(node: "SgNode", meaning: str) -> Iterator[Definition]:
    name = node.field("type") if meaning == "scope" else _name_node(node)
    kind = _kind(node, meaning)
    if name is None or kind is None:
        return
    extends = tuple(_bases(node))
    if kind == "class" and not ABSTRACT.isdisjoint(extends):
        kind = "interface"
    place, named = node.range(), name.range()
    text = TYPE_ARGUMENTS.sub("", name.text()[:LONGEST_NAME])
    decorators = tuple(_decorators(node))
    yield Definition(
        kind, text, place.start.index, place.end.index, named.start.index, extends, decorators, _receiver(node)
    )


def _name_node(node: "SgNode") -> "SgNode | None":
    name = node.field("name") or node.field("property") or node.field("key")
    if name is not None:
        return name
    return next((child for child in node.children() if child.kind().endswith("identifier")), None)


def _kind(node: "SgNode", meaning: str) -> str | None:
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
        if child.kind() not in BASES:
            continue
        for base in TYPE_ARGUMENTS.sub("", child.text().strip("()")).split(","):
            said = BASE_WORDS.sub(" ", base)
            if "=" not in said:
                yield from BASE_NAME.findall(said)
    of = node.field("trait") if node.kind() == "impl_item" else node.field("type")
    if of is not None and node.kind() == "impl_item":
        yield TYPE_ARGUMENTS.sub("", of.text())
    if of is not None and of.kind() == "struct_type":
        for member in of.find_all(kind="field_declaration"):
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
    words = re.findall(r"\w+", receiver.text()) if receiver else []
    return words[1] if len(words) > 1 else words[0] if words else ""


def _with_methods(found: list[Definition]) -> list[Definition]:
    """A function that stands right inside a class is a method."""
    around: list[Definition] = []
    known: list[Definition] = []
    for each in found:
        while around and around[-1].end <= each.start:
            around.pop()
        is_method = each.kind == "function" and around and around[-1].kind in CONTAINERS
        around.append(each._replace(kind="method") if is_method else each)
        known.append(around[-1])
    return known


def _named(node: "SgNode", kind: str, at: str | None) -> Iterator[Definition]:
    """The names in a field of a node, or of its first child that is a name."""
    place = node.range()
    for name in node.field_children(at) if at else node.children():
        for each in _identifiers(name):
            start = each.range().start.index
            yield Definition(kind, each.text()[:LONGEST_NAME], place.start.index, place.end.index, start)
        if not at and name.kind().endswith("identifier"):
            return


def _identifiers(node: "SgNode") -> "Iterator[SgNode]":
    if node.kind() in ("identifier", "simple_identifier", "constant", "property_identifier"):
        yield node
    elif node.kind() in ("pattern_list", "expression_list", "tuple_pattern", "identifier_list", "mut_pattern",
                         "variable_name", "left_assignment_list", "shorthand_property_identifier"):  # fmt: skip
        for child in node.children():
            yield from _identifiers(child)


def _variables(
    nodes: "Mapping[str, list[SgNode]]", kinds: SyntaxKinds, grammar: str | None, found: list[Definition]
) -> list[Definition]:
    """Names that get a value; one that gets a plain literal once, outside of functions, is a constant."""
    variables: list[Definition] = []
    for kind, at in kinds.variables.items():
        for node in nodes.get(kind, ()):
            value = node.field("value") or node.field("right")
            if value is not None and value.kind() in FUNCTION_VALUES:
                variables += [each._replace(kind="function") for each in _named(node, "function", at)]
            else:
                variables += _named(node, _kind_of_variable(node, value, grammar), at)
    local = CONTAINERS + CALLABLES if grammar == "python" else CALLABLES
    inside = Enclosures([each for each in found if each.kind in local])
    counts = Counter(each.name for each in variables)
    return [
        each._replace(kind="variable" if counts[each.name] > 1 or any(inside.around(each.start)) else "constant")
        if each.kind == "literal"
        else each
        for each in variables
    ]


def _kind_of_variable(node: "SgNode", value: "SgNode | None", grammar: str | None) -> str:
    """Whether a name is said to be constant, or might be one because its value is a literal."""
    above = node.parent()
    if above is None:
        return "variable"
    if grammar in ("java", "csharp", "kotlin"):
        outer = above.parent() if grammar == "csharp" else above
        return "constant" if outer and STATIC_FINAL.search(outer.text()[:LONGEST_NAME]) else "variable"
    if grammar in ("javascript", "typescript", "tsx") and not above.text().startswith("const"):
        return "variable"
    return "literal" if value is not None and value.kind() in LITERALS else "variable"


def _parameters(node: "SgNode", at: str | None) -> Iterator[Definition]:
    if node.kind() == "parameter_declaration" and _is_receiver(node):
        return
    if at or node.kind() in ("parameter", "class_parameter"):
        yield from _named(node, "parameter", at)
        return
    for child in node.children():
        name = child.field("name") or next((each for each in [child, *child.children()][:2] if _is_name(each)), None)
        if name is not None and name.text() not in ("self", "cls"):
            start = name.range().start.index
            yield Definition("parameter", name.text(), start, name.range().end.index, start)


def _is_name(node: "SgNode") -> bool:
    return node.kind() == "identifier"


def _is_receiver(node: "SgNode") -> bool:
    above = node.parent()
    method = above.parent() if above else None
    receiver = method.field("receiver") if method and method.kind() == "method_declaration" else None
    return bool(receiver and above and receiver.range().start.index == above.range().start.index)
