"""Reads what `let`, parameters, patterns, loops and closures of Rust bind, and Rust's types."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fieldguide.code.symbols.facts import LOCAL, PARAMETER, READ, TYPE, UNKNOWN
from fieldguide.code.symbols.readers.rust_macros import PARTS
from fieldguide.code.symbols.readers.table import kind_of
from fieldguide.code.symbols.readers.walk import SyntaxWalk

DEEPEST = 6
MOST_ARGUMENTS = 6
NAMES = frozenset(("type_identifier", "primitive_type", "identifier"))
SEEN_THROUGH = frozenset(
    ("Arc", "Box", "Pin", "Rc", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard")
)
"""Types of the standard library whose methods are rarely meant where a dot follows."""
INNER_FIELDS = {
    "abstract_type": "trait", "bracketed_type": "", "bounded_type": "", "dynamic_type": "trait", "pointer_type": "type",
    "qualified_type": "type", "reference_type": "type", "higher_ranked_trait_bound": "type",
}  # fmt: skip
SEQUENCES = frozenset(("array_type", "slice_type"))


def describe_type(walk: SyntaxWalk, node: Any, depth: int = 0) -> str:
    """A type as an expression; empty where it says nothing."""
    node = _pointed_at(node)
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind in NAMES:
        return str(node.text())
    if kind == "scoped_type_identifier":
        told = walk.expression(node)
        return "" if "?" in told else told
    if kind == "generic_type":
        return _generic(walk, node, depth)
    if kind == "tuple_type":
        return f"tuple<{_listed(walk, node.named_children(), depth)}>"
    if kind in SEQUENCES:
        inside = describe_type(walk, node.field("element"), depth + 1)
        return f"Vec<{inside or '?'}>"
    return ""


def _pointed_at(node: Any) -> Any:
    """The type behind references, pointers and brackets."""
    for _ in range(4 * DEEPEST):
        kind = kind_of(node)
        if kind not in INNER_FIELDS:
            return node
        inner = INNER_FIELDS[kind]
        node = node.field(inner) if inner else next(iter(node.named_children()), None)
    return None


def _generic(walk: SyntaxWalk, node: Any, depth: int) -> str:
    whole = describe_type(walk, node.field("type"), depth + 1)
    arguments = node.field("type_arguments")
    given = [each for each in arguments.named_children() if each.kind() != "lifetime"] if arguments is not None else []
    if whole.rpartition(".")[2] in SEEN_THROUGH and given:
        return describe_type(walk, given[0], depth + 1)
    if whole == "Cow" and given:
        return describe_type(walk, given[-1], depth + 1)
    return f"{whole}<{_listed(walk, given, depth)}>" if given and whole else whole


def _listed(walk: SyntaxWalk, nodes: Any, depth: int) -> str:
    return ",".join(describe_type(walk, each, depth + 1) or "?" for each in nodes[:MOST_ARGUMENTS])


MOST_PATTERNS = 200
HOLDERS = frozenset(("Some", "Ok"))
OVER_ELEMENTS = frozenset((
    "all", "and_then", "any", "filter", "filter_map", "find", "find_map", "flat_map", "for_each", "inspect",
    "is_some_and", "map", "map_or", "map_or_else", "max_by_key", "min_by_key", "partition", "position", "retain",
    "skip_while", "sort_by_key", "take_while", "then", "try_for_each",
))  # fmt: skip
"""Methods of the standard library that give a closure what is in the receiver."""

Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Binding:
    """What the names of a pattern become."""

    walk: SyntaxWalk
    parent: int
    visible: Lines
    kind: str

    def define(self, name: Any, told: str) -> None:
        """A name is bound."""
        self.walk.define(name, self.kind, self.parent, told=told, visible=self.visible)


Told = list[tuple[Any, str]]
"""Patterns with what is told of what each is given."""


def bind_pattern(walk: SyntaxWalk, pattern: Any, parent: int, told: str, *, visible: Lines, kind: str = LOCAL) -> None:
    """The names that a pattern binds, and those that it uses."""
    binding = _Binding(walk, parent, visible, kind)
    pending = [(pattern, told)]
    for _ in range(MOST_PATTERNS):
        if not pending:
            return
        node, told = pending.pop()
        if node is not None:
            pending += reversed(PATTERNS.get(node.kind(), _used)(binding, node, told))


def _used(binding: _Binding, node: Any, told: str) -> Told:
    """Nothing that binds."""
    binding.walk.go(node, binding.parent)
    return []


def _name(binding: _Binding, node: Any, told: str) -> Told:
    if not _is_new(str(node.text())):
        return _used(binding, node, told)
    binding.define(node, told)
    return []


def _captured(binding: _Binding, node: Any, told: str) -> Told:
    """`a @ …`."""
    name, *rest = node.named_children()
    binding.define(name, told)
    return [(each, told) for each in rest]


def _tuple(binding: _Binding, node: Any, told: str) -> Told:
    return [(each, _part(told, str(n))) for n, each in enumerate(node.named_children())]


def _inner(binding: _Binding, node: Any, told: str) -> Told:
    """What is given to the patterns in it as it is."""
    return [(each, told) for each in node.named_children() if each.kind() != "mutable_specifier"]


def _matched(binding: _Binding, node: Any, told: str) -> Told:
    """A pattern that may have a guard."""
    guard = node.field("condition")
    binding.walk.go(guard, binding.parent)
    inside = _inner(binding, node, told)
    return inside if guard is None else inside[:1]


def _tuple_struct(binding: _Binding, node: Any, told: str) -> Told:
    made = node.field("type")
    binding.walk.go(made, binding.parent)
    name = binding.walk.expression(made)
    inside = node.named_children()[1:]
    if name in HOLDERS:
        return [(each, _part(told, "unwrap()")) for each in inside]
    return [(each, f"={name}.{n}") for n, each in enumerate(inside)]


def _struct(binding: _Binding, node: Any, told: str) -> Told:
    made = node.field("type")
    binding.walk.go(made, binding.parent)
    name = binding.walk.expression(made)
    inside: Told = []
    for each in node.named_children():
        field = each.field("name") if each.kind() == "field_pattern" else None
        if field is not None:
            binding.walk.refer(field, binding.parent, READ, f"{name}.{PARTS}")
            inside.append((each.field("pattern") or field, f"={name}.{field.text()}"))
    return inside


PATTERNS: dict[str, Callable[[_Binding, Any, str], Told]] = {
    "captured_pattern": _captured,
    "identifier": _name,
    "match_pattern": _matched,
    "shorthand_field_identifier": _name,
    "struct_pattern": _struct,
    "tuple_pattern": _tuple,
    "tuple_struct_pattern": _tuple_struct,
    **dict.fromkeys(("mut_pattern", "ref_pattern", "reference_pattern", "or_pattern", "slice_pattern"), _inner),
}
"""What each kind of pattern binds, and the patterns in it."""


def _is_new(name: str) -> bool:
    """By custom, what begins small in a pattern is bound by it, and all else names something."""
    return name[0].islower() or (name[0] == "_" and name.lower() == name)


def _part(told: str, part: str) -> str:
    """What is told of a part of what is told."""
    return f"={told[1:]}.{part}" if told.startswith("=") and UNKNOWN not in told else ""


def visit_let(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`let a: T = b else { … };`; it is seen from the next line on."""
    value = node.field("value")
    annotation = node.field("type")
    block = node.parent()
    walk.go(annotation, within, TYPE)
    walk.go(value, within)
    walk.go(node.field("alternative"), within)
    declared = describe_type(walk, annotation)
    told = f":{declared}" if declared and declared != "_" else describe_value(walk, value)
    last = (block or node).range().end.line + 1
    bind_pattern(walk, node.field("pattern"), within, told, visible=(node.range().end.line + 2, last))


def describe_value(walk: SyntaxWalk, node: Any) -> str:
    """What a value says of its type."""
    if node is None:
        return ""
    if node.kind() == "type_cast_expression":
        return f":{describe_type(walk, node.field('type'))}"
    told = walk.expression(node)
    return f"={told}" if UNKNOWN not in told else ""


def visit_condition(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`if let P = v`, `while let P = v`: seen to the end of the whole."""
    value = node.field("value")
    above = node.parent()
    while above is not None and above.kind() == "let_chain":
        above = above.parent()
    visible = (node.range().start.line + 1, (above or node).range().end.line + 1)
    bind_pattern(walk, node.field("pattern"), within, describe_value(walk, value), visible=visible)
    walk.go(value, within)


def visit_match(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`match v { P => … }`: every arm binds what its pattern says."""
    value = node.field("value")
    block = node.field("body")
    walk.go(value, within)
    told = describe_value(walk, value)
    for arm in block.named_children() if block is not None else ():
        if arm.kind() == "match_arm":
            bind_pattern(walk, arm.field("pattern"), within, told, visible=find_lines(arm))
            walk.go(arm.field("value"), within)


def visit_for(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`for P in v { … }`."""
    value = node.field("value")
    walk.go(value, within)
    told = describe_value(walk, value)
    bind_pattern(walk, node.field("pattern"), within, f"{told}[]" if told else "", visible=find_lines(node))
    walk.go(node.field("body"), within)


def visit_closure(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`|a, b: T| …`."""
    bind_closure(walk, node, within, "")


def bind_closure(walk: SyntaxWalk, node: Any, within: int, told: str) -> None:
    """The parameters of a closure that is given values of a type."""
    given = node.field("parameters")
    for each in given.named_children() if given is not None else ():
        if each.kind() == "parameter":
            bind_parameter(walk, each, within, within, find_lines(node))
        else:
            bind_pattern(walk, each, within, told, visible=find_lines(node), kind=PARAMETER)
    walk.go(node.field("return_type"), within, TYPE)
    walk.go(node.field("body"), within)


def bind_parameter(walk: SyntaxWalk, node: Any, place: int, within: int, visible: Lines = (0, 0)) -> None:
    """One parameter with its type."""
    annotation = node.field("type")
    walk.go(annotation, within, TYPE)
    told = describe_type(walk, annotation)
    bind_pattern(walk, node.field("pattern"), place, f":{told}" if told else "", visible=visible, kind=PARAMETER)


def describe_closure_argument(walk: SyntaxWalk, called: Any) -> str:
    """What a method gives to its closure: what is in the receiver, for methods that are known."""
    if called is None or called.kind() != "field_expression":
        return ""
    name = called.field("field")
    whole = called.field("value")
    if name is None or name.text() not in OVER_ELEMENTS:
        return ""
    told = walk.expression(whole)
    return f"={told}[]" if UNKNOWN not in told else ""


def find_lines(node: Any) -> Lines:
    """The lines of a node, counted from 1."""
    span = node.range()
    return span.start.line + 1, span.end.line + 1
