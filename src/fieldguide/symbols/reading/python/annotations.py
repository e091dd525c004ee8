"""Python's annotations as expressions, and the names in those that stand in quotes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import TYPE, UNKNOWN

if TYPE_CHECKING:
    from fieldguide.symbols.reading.walk import Walk

DEEPEST = 9
MOST_ARGUMENTS = 4
MOST_ALTERNATIVES = 4
NOTHING = frozenset(("none", "NoReturn", "Never"))
WRAPPING = frozenset(
    ("Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "Unpack", "InitVar")
)
LITERAL = "Literal"
PLAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*")
CLASS_LIKE = re.compile(r"(?:\w+\.)*_*[A-Z]\w*[a-z]\w*")
NAME = re.compile(r"[A-Za-z_]\w*")


def told_type(walk: "Walk", node: Any, depth: int = 0) -> str:
    """An annotation as an expression; nothing where it says nothing."""
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind in ("type", "parenthesized_expression"):
        return told_type(walk, next(iter(node.named_children()), None), depth + 1)
    if kind == "string":
        return _quoted(str(node.text()))
    if kind in ("union_type", "binary_operator"):
        return _union(walk, node, depth)
    if kind in ("generic_type", "subscript"):
        return _generic(walk, node, depth)
    if kind == "none" or str(node.text()) in NOTHING:
        return ""
    told = walk.expression(node)
    return "" if UNKNOWN in told else told


def _quoted(text: str) -> str:
    plain = [each.strip() for each in text.strip("rbuRBU").strip("\"'").split("|")]
    return "|".join(each for each in plain if each != "None" and PLAIN.fullmatch(each))


def _union(walk: "Walk", node: Any, depth: int) -> str:
    sides = [told_type(walk, each, depth + 1) for each in node.named_children()]
    return "|".join([each for each in sides if each][:MOST_ALTERNATIVES])


def _generic(walk: "Walk", node: Any, depth: int) -> str:
    whole, *rest = node.named_children()
    name = told_type(walk, whole, depth + 1)
    last = name.rpartition(".")[2]
    if last == LITERAL or not name:
        return ""
    given = list(_arguments(rest))
    if last in WRAPPING:
        return told_type(walk, given[0], depth + 1) if given else ""
    inner = [told_type(walk, each, depth + 1) for each in given[:MOST_ARGUMENTS]]
    if last == "Union":
        return "|".join(filter(None, inner))
    return f"{name}<{','.join(each.partition('|')[0] or UNKNOWN for each in inner)}>"


def _arguments(parts: list[Any]) -> Iterator[Any]:
    """What a type is given, as a type (`list[int]`) or as an element of something."""
    for part in parts:
        yield from part.named_children() if part.kind() == "type_parameter" else (part,)


def given_class(call: Any) -> Any:
    """The first argument of a call where that is named like a class."""
    arguments = call.field("arguments")
    first = next(iter(arguments.named_children()), None) if arguments is not None else None
    if first is None or first.kind() not in ("identifier", "attribute", "string"):
        return None
    if first.kind() == "string":
        first = next((each for each in first.named_children() if each.kind() == "string_content"), first)
    return first if CLASS_LIKE.fullmatch(str(first.text())) else None


def refer_in_quotes(walk: "Walk", node: Any, within: int) -> None:
    """The names in an annotation that stands in quotes."""
    text = str(node.text())
    if "\n" in text or len(text) > 500:
        return
    start = node.range().start
    for dotted in DOTTED.finditer(text):
        if dotted.start() and text[dotted.start() - 1] not in "\"'([ ,|":
            continue
        for name, before, column in _parts(dotted.group(), dotted.start()):
            walk.refer_at(name, start.line + 1, start.column + column, within, TYPE, before)


def _parts(dotted: str, start: int) -> Iterator[tuple[str, str, int]]:
    before: list[str] = []
    for match in NAME.finditer(dotted):
        yield match.group(), ".".join(before), start + match.start()
        before.append(match.group())
