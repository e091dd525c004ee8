"""What a bad example has and its good counterpart has not, as an ast-grep pattern: its own names become variables.

The difference of the two is looked for first; where it says too little to be known again, the statement around it
must be met as a whole.
"""

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.pattern import SyntaxCheck
from fieldguide.toolsets.architecture.rules.prose.examples import Example

if TYPE_CHECKING:
    from ast_grep_py import SgNode

IDENTIFIER = re.compile(r".*identifier.*|name|constant")
VALUE = re.compile(r".*(?:string|number|integer|float|int_literal).*")
KEPT_UNDER = re.compile(r".*(?:call|invocation|new_expression|creation).*")
MEMBER = re.compile(r".*(?:member|attribute|selector|field|access|scoped|navigation).*")
VARIABLES = [f"${letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
MOST_LEAVES = 400
WORD = re.compile(r"\w+")
FEWEST_KNOWN = 3
MANY_GOOD = 20
FEWEST_LEAVES = 12  # a statement of fewer tokens is met everywhere: `return x;`, `i = i + 1`


class Difference(NamedTuple):
    """A pattern, and what it keeps of its example."""

    check: SyntaxCheck
    leaves: int
    names: tuple[str, ...]
    repeats: bool
    """Whether a variable stands in it twice: `$A = $A || {}`."""

    @property
    def is_short(self) -> bool:
        """Whether it has so few tokens that much other code has the same."""
        return self.leaves < FEWEST_LEAVES

    def is_known(self, spans: Sequence[str], good: int) -> bool:
        """Whether even a short one says enough: by a name in a code span of its section, or one that is known to all.

        The second needs many good examples that do without it.
        """
        words = {word for span in spans for word in WORD.findall(span)}
        if self.leaves < FEWEST_KNOWN or not words.isdisjoint(self.names):
            return self.leaves >= FEWEST_KNOWN
        return good >= MANY_GOOD and (self.repeats or any(map(_is_capital, self.names)))


def differences(bad: Example, good: Sequence[Example]) -> Iterator[Difference]:
    """The patterns that might tell a bad example from the good ones, the most general one first."""
    root, language = bad.source.root, bad.source.grammar
    if root is None or language is None or bad.source.broken_line is not None:
        return
    leaves = _leaves(root)
    spans = [span for each in good if each.source.root and (span := _changed(leaves, _leaves(each.source.root)))]
    if not spans or len(leaves) > MOST_LEAVES:
        return
    first, last = min(spans, key=lambda span: span[1] - span[0])
    own = {each.name for each in bad.source.definitions}
    node = _around(leaves[first], leaves[last - 1])
    while node is not None and node.parent() is not None:
        found = _difference(node, language, own)
        if found and node.is_named():
            yield found
        node = node.parent()


def _difference(node: "SgNode", language: str, own: set[str]) -> Difference | None:
    """The text of a node with variables for the names and the values that are the example's own."""
    start = node.range().start
    whole, place = node.text(), 0
    pieces: list[str] = []
    variables: dict[str, str] = {}
    names: list[str] = []
    repeats = False
    leaves = _leaves(node)
    for leaf in leaves:
        text, span = leaf.text(), leaf.range()
        if _is_own(leaf, own):
            if len(variables) >= len(VARIABLES):
                return None
            repeats = repeats or text in variables
            text = variables.setdefault(text, VARIABLES[len(variables)])
        elif IDENTIFIER.fullmatch(leaf.kind()):
            names.append(text)
        between = whole[place : span.start.index - start.index]
        pieces += [between if not between.strip() else "\n" if "\n" in between else " ", text]
        place = span.end.index - start.index
    pattern = "".join(pieces).replace(f"\n{_indentation(node)}", "\n")
    return Difference(SyntaxCheck({language: {"rule": {"pattern": pattern}}}), len(leaves), tuple(names), repeats)


def _indentation(node: "SgNode") -> str:
    """The space before the line in which a node begins."""
    line = node.get_root().root().text().split("\n")[node.range().start.line]
    return line[: len(line) - len(line.lstrip())]


def _is_capital(name: str) -> bool:
    return name[:1].isupper() and not name.isupper()


def _is_own(leaf: "SgNode", own: set[str]) -> bool:
    """Whether a leaf is a name or a value that other code would have another for."""
    kind, text, parent = leaf.kind(), leaf.text(), leaf.parent()
    if VALUE.fullmatch(kind):
        return True
    if parent is None or not IDENTIFIER.fullmatch(kind):
        return False
    is_first = parent.child(0) == leaf
    if KEPT_UNDER.fullmatch(parent.kind()) or (MEMBER.fullmatch(parent.kind()) and not is_first):
        return text in own
    return text in own or not text[:1].isupper()


def _leaves(root: "SgNode") -> "list[SgNode]":
    """The tokens of a tree without its comments; a text in quotes is one."""
    found: list[SgNode] = []
    waiting = [root]
    while waiting and len(found) <= MOST_LEAVES:
        node = waiting.pop()
        kind, children = node.kind(), node.children()
        if "comment" in kind:
            continue
        if children and not ("string" in kind and "template" not in kind):
            waiting += reversed(children)
        elif node.text().strip():
            found.append(node)
    return found


def _changed(bad: "list[SgNode]", good: "list[SgNode]") -> tuple[int, int] | None:
    """Which tokens of the bad example are others in the good one: one run of them, or none."""
    ours, theirs = [leaf.text() for leaf in bad], [leaf.text() for leaf in good]
    before = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
    most = min(len(ours), len(theirs)) - before
    pairs = zip(reversed(ours), reversed(theirs), strict=False)
    after = min(most, sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return (before, len(ours) - after) if before < len(ours) - after else None


def _around(first: "SgNode", last: "SgNode") -> "SgNode | None":
    """The smallest node that holds both."""
    end = last.range().end.index
    node: SgNode | None = first
    while node is not None and node.range().end.index < end:
        node = node.parent()
    return node
