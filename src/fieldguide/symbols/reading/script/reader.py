"""What is found while a flat tree is read from its first node to its last: definitions, uses and imports."""

from dataclasses import dataclass, field

from fieldguide.symbols.facts import EVERYTHING, EXPORTED, FUNCTION, IMPORTED, INNER, LOCAL, UNKNOWN, Imported
from fieldguide.symbols.reading.script.contexts import Contexts
from fieldguide.symbols.reading.script.expressions import (
    BLANKS,
    FUNCTIONS,
    LONGEST,
    LONGEST_TYPE,
    MOST_STEPS,
    Expressions,
)
from fieldguide.symbols.reading.script.tree import Tree

WHOLE = "export="
"""What `module.exports = …` gives out, as a name."""
MOST_DEFINITIONS = 10_000
MOST_REFERENCES = 50_000
LONGEST_NAME = 120
LONGEST_SIGNATURE = 200
LONGEST_DOC = 300
BLOCKS = FUNCTIONS | {
    "statement_block", "for_statement", "for_in_statement", "catch_clause", "switch_body", "class_body", "program",
}  # fmt: skip
DECLARING = frozenset(
    ("export_statement", "lexical_declaration", "ambient_declaration", "variable_declarator", "variable_declaration",
     "expression_statement")
)  # fmt: skip
BODIES = frozenset(("statement_block", "class_body", "interface_body", "enum_body", "object"))


@dataclass(slots=True)
class Draft:
    """A definition in the making. Places are offsets in the text."""

    name: str
    kind: str
    parent: int
    start: int
    node: int
    """All of it; -1 where there is no such node."""
    type: str = ""
    bases: list[str] = field(default_factory=list[str])
    scope: tuple[int, int] = (0, 0)
    """Where it is seen, if that is less than its parent."""


@dataclass(frozen=True, slots=True)
class Use:
    """A reference in the making."""

    name: str
    start: int
    within: int
    role: str
    receiver: str


class Reader:
    """The state of reading one text."""

    def __init__(self, tree: Tree, *, is_typed: bool) -> None:
        self.tree = tree
        self.is_typed = is_typed
        self.expressions = Expressions(tree, self.module)
        self._modules: dict[int, str] = {}
        self.contexts = Contexts(self.expressions)
        self.drafts: list[Draft] = []
        self.uses: list[Use] = []
        self.imports: list[Imported] = []
        self.within = [-1] * len(tree.kinds)
        """The definition around each node."""
        self.opened: dict[int, int] = {}
        """The definition that begins with a node and holds everything below it."""
        self.named: set[tuple[int, str]] = set()
        """The names that each definition has in it."""
        self.current = 0
        """The node that is being read; what has a higher number is below it and was not seen yet."""
        self.settled: set[int] = set()
        """Names that were read already as what they define."""

    def define(
        self, name: int, kind: str, parent: int, *, node: int = -1, told: str = "", text: str | None = None
    ) -> int:
        """A new definition by the node of its name; its place in the list, or its parent's when that is full."""
        word = self.tree.words(name) if text is None else text
        if len(self.drafts) >= MOST_DEFINITIONS or len(word) > LONGEST_NAME:
            return parent
        start = self.tree.starts[name]
        if self.tree.kinds[name] == "string":
            word, start = word.strip("'\"`"), start + 1
        self.settled.add(name)
        self.named.add((parent, word))
        self.drafts.append(Draft(word, kind, parent, start, node, told if len(told) <= 2 * LONGEST_TYPE else ""))
        return len(self.drafts) - 1

    def refer(self, node: int, role: str, receiver: str = "") -> None:
        """A name that is used, by its node."""
        text, start = self.tree.words(node), self.tree.starts[node]
        if self.tree.kinds[node] == "string":
            text, start = text.strip("'\"`"), start + 1
        self.refer_to(text, start, self.around(node), role, receiver)

    def around(self, node: int) -> int:
        """The definition around a node."""
        if node <= self.current:
            return self.within[node]
        return self.opened.get(self.current, self.within[self.current])

    def refer_to(self, name: str, start: int, within: int, role: str, receiver: str = "") -> None:
        """A name that is used at a place."""
        if name and len(name) <= LONGEST_NAME and len(self.uses) < MOST_REFERENCES and len(receiver) <= LONGEST:
            self.uses.append(Use(name, start, within, role, receiver))

    def imported(self, text: str, start: int, name: str, keyword: str = "import") -> str:
        """A name that is imported: what the type of its definition says."""
        self.imports.append(Imported(text, self.tree.line(start), name, text.startswith("."), keyword))
        return f"@{len(self.imports) - 1}"

    def module(self, node: int) -> str:
        """The module that `import("…")` or `require("…")` gives, as an expression; empty for any other call."""
        if node not in self._modules:
            self._modules[node] = self._required(node)
        return self._modules[node]

    def _required(self, node: int) -> str:
        tree, first = self.tree, self.given_text(node)
        called = tree.children[node][0] if first >= 0 else -1
        is_import = first >= 0 and tree.kinds[called] == "import"
        if first < 0 or not (is_import or tree.words(called) == "require"):
            return ""
        name, keyword = (EVERYTHING, "import") if is_import else (WHOLE, "require")
        return self.imported(tree.words(first).strip("'\"`"), tree.starts[node], name, keyword)

    def given_text(self, call: int) -> int:
        """The string that a call is given first; -1 where there is none."""
        tree = self.tree
        listed = tree.child(call, "arguments")
        given = tree.children[listed] if listed >= 0 else []
        return given[0] if given and tree.kinds[given[0]] == "string" else -1

    def scope_of(self, node: int) -> tuple[int, int]:
        """From where to where the block reaches that a node is in; nothing where that is a whole definition."""
        tree = self.tree
        for _ in range(MOST_STEPS):
            node = tree.parents[node]
            if node < 0 or tree.kinds[node] == "program":
                return (0, 0)
            if tree.kinds[node] in BLOCKS:
                is_body = node in self.opened or tree.parents[node] in self.opened
                return (0, 0) if is_body else (tree.starts[node], tree.ends[node])
        return (0, 0)

    def is_inside(self, place: int) -> bool:
        """Whether a definition is in a function, so that what it holds is nobody else's."""
        for _ in range(MOST_STEPS):
            if place < 0:
                return False
            draft = self.drafts[place]
            if draft.kind in INNER or draft.kind in (FUNCTION, "method"):
                return True
            place = draft.parent
        return True

    def nameless(self, node: int) -> int:
        """A definition without a name: a scope for what is inside a function or an object that nothing is called."""
        return self.define(node, LOCAL, self.around(node), node=node, text="")

    def signature(self, draft: Draft) -> str:
        """The text of a definition up to its body, on one line."""
        tree, node = self.tree, draft.node
        if node < 0 or draft.kind in INNER or draft.kind in (IMPORTED, EXPORTED):
            return ""
        end = tree.ends[node]
        pending = [node]
        for _ in range(3):
            pending = [below for each in pending for below in tree.children[each]]
            bodies = [tree.starts[each] for each in pending if tree.kinds[each] in BODIES]
            if bodies:
                end = min(end, bodies[0])
                break
        head = self.tree.text[tree.starts[node] : min(end, tree.starts[node] + 4 * LONGEST_SIGNATURE)]
        return str(BLANKS.sub(" ", head).strip().rstrip("{=>,").rstrip()[:LONGEST_SIGNATURE])

    def doc(self, draft: Draft) -> str:
        """The comment right before a definition."""
        end = self.comment_before(draft) if draft.kind not in INNER else -1
        return _plain(self.tree.text[self.tree.comments[end] : end]) if end >= 0 else ""

    def comment_before(self, draft: Draft) -> int:
        """Where the comment right before a definition ends; -1 where there is none."""
        tree, node = self.tree, draft.node
        for _ in range(4):
            if node < 0:
                break
            before = tree.text[max(0, tree.starts[node] - 200) : tree.starts[node]]
            end = tree.starts[node] - len(before) + len(before.rstrip())
            if end in tree.comments:
                return end
            node = tree.parents[node]
            if node >= 0 and tree.kinds[node] not in DECLARING:
                break
        return -1


def _plain(comment: str) -> str:
    lines = (line.strip().strip("/*").strip() for line in comment[: 4 * LONGEST_DOC].splitlines())
    return " ".join(line for line in lines if line)[:LONGEST_DOC]


def known(expression: str) -> str:
    """An expression behind its `=`; empty where it says nothing."""
    return f"={expression}" if expression and not expression.startswith(UNKNOWN) else ""
