"""What a text calls: each callee as it is written, and as it is known where it was imported from."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.source_code.names.syntax_kinds import SyntaxKinds

if TYPE_CHECKING:
    from ast_grep_py import SgNode

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
    found = [
        CalledName(tuple(dict.fromkeys(_names(callee, aliases))), *_span(node))
        for node, callee in _callees(nodes, kinds)
        if callee
    ]
    return sorted(found, key=lambda call: call.start)


def callee_name(written: str) -> str:
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
        return callee_name(node.text()[:LONGEST_CALLEE])
    if ending and ending[0] == "=":
        return ending[1:]
    if ending == "name":
        return callee_name(_before_arguments(node)[-LONGEST_CALLEE:])
    last = node.field(ending) if ending else node.child(0)
    if last is None:
        return ""
    receiver = node.field("receiver") if ending == "method" else None
    written = f"{receiver.text()[-LONGEST_CALLEE:]}.{last.text()}" if receiver else last.text()[-LONGEST_CALLEE:]
    return callee_name(written) + ("!" if node.kind() == "macro_invocation" else "")


def _before_arguments(call: "SgNode") -> str:
    """A call whose callee begins before its name, with the object, without the arguments that follow."""
    arguments, whole = call.field("arguments"), call.text()
    return whole[: len(whole) - len(arguments.text())] if arguments else whole


def _created(node: "SgNode", ending: str | None) -> str:
    made = node.field(ending) if ending and ending[0] != "=" else node.child(1)
    name = callee_name(made.text()[:LONGEST_CALLEE]) if made else ""
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


def _span(node: "SgNode") -> tuple[int, int]:
    place = node.range()
    return place.start.index, place.end.index
