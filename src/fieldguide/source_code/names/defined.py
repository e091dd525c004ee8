"""What a text defines: classes and functions, what they extend and how they are decorated, and variables."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.source_code.names.syntax_kinds import SyntaxKinds
from fieldguide.source_code.names.variables import FUNCTION_VALUES, LONGEST_NAME, read_variables

if TYPE_CHECKING:
    from ast_grep_py import SgNode

CONTAINERS = ("class", "interface", "enum", "scope")
CALLABLES = ("function", "method", "constructor")
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
    whole = [(node, meaning) for kind, meaning in kinds.definitions.items() for node in nodes.get(kind, ())]
    found = [each for node, meaning in whole for each in _definition(node, meaning)]
    found = _with_methods(sorted(found, key=lambda each: (each.start, -each.end)))
    local = CONTAINERS + CALLABLES if grammar == "python" else CALLABLES
    inside = Enclosures([each for each in found if each.kind in local])
    named = [Definition(*each) for each in read_variables(nodes, kinds, grammar, lambda at: any(inside.around(at)))]
    return sorted([*found, *named], key=lambda each: each.start)


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
        if child.kind() in BASES:
            written = TYPE_ARGUMENTS.sub("", child.text().strip("()")).split(",")
            yield from (name for base in written if "=" not in base for name in BASE_NAME.findall(_bare(base)))
    if node.kind() == "impl_item":
        trait = node.field("trait")
        yield from [TYPE_ARGUMENTS.sub("", trait.text())] if trait else []
    elif (of := node.field("type")) is not None and of.kind() == "struct_type":
        yield from _embedded(of)


def _bare(base: str) -> str:
    return BASE_WORDS.sub(" ", base)


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
