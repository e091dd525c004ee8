"""The reader of scripts: a flat syntax tree, its expressions, expected types, and the facts collected so far.

Asking the parser for all nodes at once costs a tenth of walking from node to node, and nothing here recurses.

Beside what `facts` says of expressions, these have: `@n` the module of an import; `(:T)` something of a type, in the
language's own words; `~n` the parameter n of what is before it; `[n]` one of its elements; `!` an object whose members
are written in the definition itself; `+` a list of it; `#line:column` a function or parameter without a name. A call
has what it is given between its brackets.
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import proxy

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import ImportedSymbol
from fieldguide.text import regex as re

MOST_TREE_NODES = 300_000
WORDS_TOO = frozenset(("class", "module", "string", "object", "number", "unique symbol"))
"""Kinds that a word of the language has too."""
NOT_LOOKED_AT = frozenset(("comment", "html_comment"))


class FlatTree:
    """The nodes of one text by their number. Punctuation is left out, words of the language are kept."""

    def __init__(self, text: str, root: Any) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.parents: list[int] = []
        self.children: list[list[int]] = []
        self.comments: dict[int, int] = {}
        """The start of every comment by its end."""
        self._lines = [0]
        for line in text.split("\n")[:-1]:
            self._lines.append(self._lines[-1] + len(line) + 1)
        self._read(root)

    def _read(self, root: Any) -> None:
        kinds = self.kinds
        starts = self.starts
        ends = self.ends
        parents = self.parents
        children = self.children
        open_nodes: list[int] = []
        for node in root.find_all({"rule": {"not": {"kind": "string_fragment"}}})[:MOST_TREE_NODES]:
            kind = node.kind()
            if not kind[0].isalpha() or (kind in WORDS_TOO and not node.is_named()):
                continue
            span = node.range()
            start = span.start.index
            end = span.end.index
            if kind in NOT_LOOKED_AT:
                self.comments[end] = start
                continue
            while open_nodes and ends[open_nodes[-1]] < end:
                open_nodes.pop()
            place = len(kinds)
            parent = open_nodes[-1] if open_nodes else -1
            kinds.append(kind)
            starts.append(start)
            ends.append(end)
            parents.append(parent)
            children.append([])
            if parent >= 0:
                children[parent].append(place)
            open_nodes.append(place)

    def words(self, node: int) -> str:
        """The text of a node."""
        return self.text[self.starts[node] : self.ends[node]]

    def child(self, node: int, *kinds: str) -> int:
        """The first child of some kinds; -1 where there is none."""
        return next((each for each in self.children[node] if self.kinds[each] in kinds), -1)

    def kind_above(self, node: int) -> str:
        """The kind of a node's parent."""
        parent = self.parents[node]
        return self.kinds[parent] if parent >= 0 else ""

    def line(self, offset: int) -> int:
        """The line of a character, counted from 1."""
        return bisect_right(self._lines, offset)

    def column(self, offset: int) -> int:
        """The column of a character, counted from 0."""
        return offset - self._lines[bisect_right(self._lines, offset) - 1]


LONGEST = 240
LONGEST_TYPE = 500
MOST_STEPS = 40
MOST_NODES = 2_000
BLANKS = re.compile(r"\s+")
PASSED_ON = frozenset(("parenthesized_expression", "non_null_expression", "await_expression", "sequence_expression"))
FUNCTIONS = frozenset(
    ("arrow_function", "function_expression", "function_declaration", "generator_function",
     "generator_function_declaration", "method_definition")
)  # fmt: skip
FUNCTION_VALUES = frozenset(("arrow_function", "function_expression", "generator_function"))
MOST_GIVEN = 4
LONGEST_GIVEN = 60
OBJECT = "!"
LITERALS = {
    "string": "(:string)", "template_string": "(:string)", "number": "(:number)", "true": "(:boolean)",
    "false": "(:boolean)", "regex": "(:RegExp)", "this": "self", "super": "super()",
}  # fmt: skip
CASTS = frozenset(("as_expression", "satisfies_expression", "type_assertion"))
CHOSEN_SIDES = {"||": 0, "??": 0, "&&": -1}
"""Which side of a sign has the type of the whole; of all others it is a boolean."""
NOTHING = frozenset(("null", "undefined"))
TAGS = frozenset(("jsx_opening_element", "jsx_self_closing_element"))


class ScriptExpressions:
    """The expressions of one tree."""

    def __init__(self, tree: FlatTree, imported: Callable[[int], str]) -> None:
        self.tree = tree
        self._imported = imported
        """What imports a module, by the node of an `import(…)` or `require(…)`; empty for any other call."""
        self._is_given = False

    def value(self, node: int) -> str:
        """What a value is."""
        tail = ""
        for _ in range(MOST_STEPS):
            if node < 0 or len(tail) > LONGEST:
                return facts.UNKNOWN
            step = self._step(node)
            if isinstance(step, str):
                return step + tail
            node = step[0]
            tail = step[1] + tail
        return facts.UNKNOWN

    def _step(self, node: int) -> "str | tuple[int, str]":
        """A whole expression, or the node that it goes on with and what follows that."""
        tree = self.tree
        kind = tree.kinds[node]
        below = tree.children[node]
        if kind in ("identifier", "shorthand_property_identifier"):
            return tree.words(node)
        if kind in LITERALS:
            return LITERALS[kind]
        if kind == "object":
            return OBJECT
        if kind in FUNCTION_VALUES:
            return self.nameless(node)
        if not below:
            return facts.UNKNOWN
        if kind == "member_expression":
            return below[0], f".{tree.words(below[-1])}"
        if kind in ("call_expression", "new_expression"):
            return self._called(node, kind)
        if kind == "subscript_expression":
            return below[0], self._element(below[-1])
        if kind in PASSED_ON:
            return below[-1], ""
        return self._chosen(node, kind)

    def nameless(self, node: int) -> str:
        """What is defined without a name, by its place."""
        start = self.tree.starts[node]
        return f"#{self.tree.line(start)}:{self.tree.column(start)}"

    def _called(self, node: int, kind: str) -> "str | tuple[int, str]":
        module = self._imported(node)
        if module:
            return module
        called, types = self.called(node)
        return (called[0], f"{types}({self._given(node)})") if called else facts.UNKNOWN

    def called(self, call: int) -> tuple[list[int], str]:
        """What is called, and what follows it; and the types that it is given, as a step."""
        tree = self.tree
        called = [each for each in tree.children[call] if tree.kinds[each] not in ("new", "await")]
        given = tree.child(call, "type_arguments")
        return called, f"<{self.type(given)[1:-1]}>" if given >= 0 else ""

    def _given(self, call: int) -> str:
        """What a call is given, as far as it is short enough to tell; values only, one level deep."""
        tree = self.tree
        listed = tree.child(call, "arguments")
        if listed < 0 or self._is_given:
            return ""
        self._is_given = True
        try:
            given = [self.value(each) for each in tree.children[listed][:MOST_GIVEN]]
        finally:
            self._is_given = False
        told = ["" if len(each) > LONGEST_GIVEN or each.startswith(("!", "?")) else each for each in given]
        return ",".join(told).rstrip(",")

    def _chosen(self, node: int, kind: str) -> "str | tuple[int, str]":
        tree = self.tree
        below = tree.children[node]
        if kind in CASTS:
            return self._cast(below, is_first=kind == "type_assertion")
        if kind == "ternary_expression":
            return next((each for each in below[1:] if tree.kinds[each] not in NOTHING), below[-1]), ""
        if kind == "binary_expression":
            side = CHOSEN_SIDES.get(tree.text[tree.ends[below[0]] : tree.starts[below[-1]]].strip())
            return "(:boolean)" if side is None else (below[side], "")
        if kind == "array" and tree.kinds[below[0]] != "spread_element":
            return below[0], "+"
        if kind in ("assignment_expression", "augmented_assignment_expression"):
            return below[-1], ""
        return facts.UNKNOWN

    def _cast(self, below: list[int], *, is_first: bool) -> "str | tuple[int, str]":
        """`a as T`, or `<T>a` where the type comes first; `as const` says nothing."""
        kept = [each for each in below if self.tree.kinds[each] not in ("as", "satisfies", "const")]
        if len(kept) < 2:
            return kept[0], ""
        return f"(:{self.type(kept[0] if is_first else kept[-1])})"

    def _element(self, index: int) -> str:
        tree = self.tree
        words = tree.words(index)
        if tree.kinds[index] == "string" and words[1:-1].isidentifier():
            return f".{words[1:-1]}"
        return f"[{words}]" if tree.kinds[index] == "number" and len(words) < 3 else "[]"

    def type(self, node: int) -> str:
        """A type in its own words, on one line; the members of an object that is written out are the definition's."""
        tree = self.tree
        start = tree.starts[node]
        end = tree.ends[node]
        parts: list[str] = []
        pending = [node]
        for _ in range(MOST_NODES):
            if not pending:
                break
            each = pending.pop()
            kind = tree.kinds[each]
            if kind == "object_type" and tree.child(each, "index_signature") < 0:
                parts += [tree.text[start : tree.starts[each]], OBJECT]
                start = tree.ends[each]
            elif kind == "call_expression" and (module := self._imported(each)):
                parts += [tree.text[start : tree.starts[each]], module]
                start = tree.ends[each]
            else:
                pending += reversed(tree.children[each])
        parts.append(tree.text[start:end])
        if sum(map(len, parts)) > 4 * LONGEST_TYPE:
            return facts.UNKNOWN
        told = BLANKS.sub(" ", "".join(parts)).strip().removeprefix(":").strip()
        return told if len(told) <= LONGEST_TYPE else facts.UNKNOWN

    def annotation(self, node: int) -> str:
        """The type that is declared among the children of a node; empty where none is."""
        note = self.tree.child(node, "type_annotation", "asserts_annotation", "type_predicate_annotation")
        if note < 0:
            return ""
        return self.type(note) if self.tree.kinds[note] == "type_annotation" else "boolean"

    def declared(self, node: int) -> str:
        """The same as an expression for a value of the type."""
        told = self.annotation(node)
        return f"(:{told})" if told else ""


PASSED = PASSED_ON | {"binary_expression"}


class ExpectedTypes:
    """Asks upwards from a node for the type that is expected of it."""

    def __init__(self, expressions: ScriptExpressions) -> None:
        self.tree = expressions.tree
        self.expressions = expressions

    def expected(self, node: int) -> str:
        """The type that a value is written for, as an expression; empty where nothing says."""
        tail = ""
        for _ in range(MOST_STEPS):
            step = self._step(node)
            if step is None or len(tail) > LONGEST:
                return ""
            above, more = step
            tail = more + tail
            if isinstance(above, str):
                return above + tail if above and not above.startswith(facts.UNKNOWN) else ""
            node = above
        return ""

    def _step(self, node: int) -> tuple[int | str, str] | None:
        tree = self.tree
        parent = tree.parents[node]
        if parent < 0:
            return None
        kind = tree.kinds[parent]
        if kind in PASSED or (kind == "ternary_expression" and tree.children[parent][0] != node):
            return parent, ""
        if kind in ("as_expression", "satisfies_expression"):
            return self._cast(parent), ""
        if kind in ("pair", "pair_pattern"):
            key = tree.words(tree.children[parent][0]).strip("'\"")
            return tree.parents[parent], f".{key}"
        if kind == "spread_element":
            return (tree.parents[parent], "") if tree.kind_above(parent) == "object" else None
        if kind == "array":
            return parent, "[]"
        return self._declared(node, parent, kind)

    def _cast(self, node: int) -> int | str:
        """The type that a value is said to be of; the node itself where it says none (`as const`)."""
        told = self.expressions.value(node) if len(self.tree.children[node]) > 2 else ""
        return told if told.startswith("(:") else node

    def _declared(self, node: int, parent: int, kind: str) -> tuple[int | str, str] | None:
        tree = self.tree
        if kind in ("variable_declarator", "public_field_definition", "required_parameter", "optional_parameter"):
            declared = self.expressions.declared(parent)
            name = tree.child(parent, "identifier")
            is_written_out = OBJECT in declared and name >= 0  # its members are the variable's
            return tree.words(name) if is_written_out else declared, ""
        if kind == "assignment_expression":
            left = tree.children[parent][0]
            told = self.expressions.value(left) if left != node else ""
            return "" if told.startswith(("exports", "module.exports")) else told, ""
        if kind == "arguments":
            called, types = self.expressions.called(tree.parents[parent])
            return self.expressions.value(called[0]), f"{types}~{tree.children[parent].index(node)}"
        is_body = kind == "arrow_function" and tree.children[parent][-1] == node
        if kind == "return_statement" or is_body:
            return self.returned(parent)
        if kind == "jsx_expression" and tree.kind_above(parent) == "jsx_attribute":
            attribute = tree.parents[parent]
            return self.properties(tree.parents[attribute]), f".{tree.words(tree.children[attribute][0])}"
        if kind == "object" and tree.kinds[node] == "method_definition":
            return parent, f".{tree.words(self.name_of(node))}"
        return None

    def returned(self, node: int) -> tuple[int | str, str] | None:
        """What the function around a return must give."""
        tree = self.tree
        steps = 0
        while node >= 0 and tree.kinds[node] not in FUNCTIONS and steps < MOST_STEPS:
            node = tree.parents[node]
            steps += 1
        if node < 0 or tree.kinds[node] not in FUNCTIONS:
            return None
        declared = self.expressions.declared(node)
        name = tree.child(node, "identifier") if tree.kinds[node] == "function_declaration" else -1
        if OBJECT in declared and name >= 0:
            return tree.words(name), "()"
        return (declared, "") if declared else (node, "()")

    def properties(self, tag: int) -> str:
        """The type of the properties that a component takes, by its tag."""
        tree = self.tree
        if tree.kinds[tag] not in TAGS or not tree.children[tag]:
            return ""
        name = tree.children[tag][0]
        is_component = tree.kinds[name] == "member_expression" or not tree.words(name)[:1].islower()
        return f"{self.expressions.value(name)}~0" if is_component else ""

    def name_of(self, node: int) -> int:
        """The node of the name in a member's node; the node itself where it has none."""
        found = self.tree.child(
            node, "property_identifier", "private_property_identifier", "string", "number", "computed_property_name"
        )
        return found if found >= 0 else node

    def taken_apart(self, pattern: int) -> str:
        """What a destructuring pattern takes apart, as an expression; empty where nothing says."""
        tree = self.tree
        tail = ""
        for _ in range(MOST_STEPS):
            parent = tree.parents[pattern]
            if parent < 0 or len(tail) > LONGEST:
                return ""
            kind = tree.kinds[parent]
            if kind == "pair_pattern":
                pattern = tree.parents[parent]
                tail = f".{tree.words(tree.children[parent][0])}{tail}"
            elif kind == "array_pattern":
                tail = f"[{tree.children[parent].index(pattern)}]{tail}"
                pattern = parent
            elif kind in ("object_assignment_pattern", "assignment_pattern", "rest_pattern", "object_pattern"):
                pattern = parent
            else:
                whole = self._whole(pattern, parent, kind)
                return whole + tail if whole and not whole.startswith(facts.UNKNOWN) else ""
        return ""

    def _whole(self, pattern: int, parent: int, kind: str) -> str:
        tree = self.tree
        if kind == "for_in_statement":  # the keys that `in` gives say nothing
            right = [each for each in tree.children[parent] if each > pattern and tree.kinds[each] not in ("of", "in")]
            return f"{self.expressions.value(right[0])}[]" if right and tree.child(parent, "of") >= 0 else ""
        if kind in ("required_parameter", "optional_parameter", "formal_parameters"):
            return self.parameter(parent if kind != "formal_parameters" else pattern)
        if kind not in ("variable_declarator", "assignment_expression"):
            return ""
        declared = self.expressions.declared(parent)
        value = tree.children[parent][-1]
        return declared or (self.expressions.value(value) if value != pattern else "")

    def parameter(self, node: int) -> str:
        """The type of a parameter: declared, or what is expected of its function, or its default."""
        tree = self.tree
        declared = self.expressions.declared(node)
        pattern = tree.child(node, "object_pattern")
        if OBJECT in declared and pattern >= 0:
            return self.expressions.nameless(pattern)
        told = declared or self._expected_parameter(node)
        if told or len(tree.children[node]) < 2:
            return told
        return self.expressions.value(tree.children[node][-1])

    def _expected_parameter(self, node: int) -> str:
        """What is expected of the function around a parameter says of it."""
        tree = self.tree
        function = tree.parents[node]
        position = 0
        if tree.kinds[function] == "formal_parameters":
            siblings = [each for each in tree.children[function] if tree.child(each, "this") < 0]
            position = siblings.index(node) if node in siblings else 0
            function = tree.parents[function]
        expected = self.expected(function) if tree.kinds[function] in FUNCTIONS else ""
        return f"{expected}~{position}" if expected else ""


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
class DefinitionDraft:
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
class ReferenceDraft:
    """A reference in the making."""

    name: str
    start: int
    within: int
    role: str
    receiver: str


class ScriptReader:
    """The state of reading one text."""

    def __init__(self, tree: FlatTree, *, is_typed: bool) -> None:
        self.tree = tree
        self.is_typed = is_typed
        reader = proxy(self)  # no cycle, which would keep trees in memory until garbage is collected
        self.expressions = ScriptExpressions(tree, lambda node: reader.module(node))
        self._modules: dict[int, str] = {}
        self.contexts = ExpectedTypes(self.expressions)
        self.drafts: list[DefinitionDraft] = []
        self.uses: list[ReferenceDraft] = []
        self.imports: list[ImportedSymbol] = []
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
        self,
        name: int,
        kind: str,
        parent: int,
        *,
        node: int = -1,
        told: str = "",
        text: str | None = None,
        scope: tuple[int, int] = (0, 0),
    ) -> int:
        """A new definition by the node of its name; its place in the list, or its parent's when that is full."""
        word = self.tree.words(name) if text is None else text
        if len(self.drafts) >= MOST_DEFINITIONS or len(word) > LONGEST_NAME:
            return parent
        start = self.tree.starts[name]
        if self.tree.kinds[name] == "string":
            word = word.strip("'\"`")
            start = start + 1
        self.settled.add(name)
        self.named.add((parent, word))
        told = told if len(told) <= 2 * LONGEST_TYPE else ""
        self.drafts.append(DefinitionDraft(word, kind, parent, start, node, told, scope=scope))
        return len(self.drafts) - 1

    def refer(self, node: int, role: str, receiver: str = "") -> None:
        """A name that is used, by its node."""
        text = self.tree.words(node)
        start = self.tree.starts[node]
        if self.tree.kinds[node] == "string":
            text = text.strip("'\"`")
            start = start + 1
        self.refer_to(text, start, self.around(node), role, receiver)

    def around(self, node: int) -> int:
        """The definition around a node."""
        if node <= self.current:
            return self.within[node]
        return self.opened.get(self.current, self.within[self.current])

    def refer_to(self, name: str, start: int, within: int, role: str, receiver: str = "") -> None:
        """A name that is used at a place."""
        if name and len(name) <= LONGEST_NAME and len(self.uses) < MOST_REFERENCES and len(receiver) <= LONGEST:
            self.uses.append(ReferenceDraft(name, start, within, role, receiver))

    def imported(self, text: str, start: int, name: str, keyword: str = "import") -> str:
        """A name that is imported: what the type of its definition says."""
        self.imports.append(ImportedSymbol(text, self.tree.line(start), name, text.startswith("."), keyword))
        return f"@{len(self.imports) - 1}"

    def module(self, node: int) -> str:
        """The module that `import("…")` or `require("…")` gives, as an expression; empty for any other call."""
        if node not in self._modules:
            tree = self.tree
            first = self.given_text(node)
            told = ""
            if first >= 0:
                called = tree.children[node][0]
                text = tree.words(first).strip("'\"`")
                if tree.kinds[called] == "import":
                    told = self.imported(text, tree.starts[node], facts.EVERYTHING, "import")
                elif tree.words(called) == "require":
                    told = self.imported(text, tree.starts[node], WHOLE, "require")
            self._modules[node] = told
        return self._modules[node]

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
            if draft.kind in facts.INNER or draft.kind in (facts.FUNCTION, "method"):
                return True
            place = draft.parent
        return True

    def nameless(self, node: int) -> int:
        """A definition without a name: a scope for what is inside a function or an object that nothing is called."""
        return self.define(node, facts.LOCAL, self.around(node), node=node, text="")

    def signature(self, draft: DefinitionDraft) -> str:
        """The text of a definition up to its body, on one line."""
        tree = self.tree
        node = draft.node
        if node < 0 or draft.kind in facts.INNER or draft.kind in (facts.IMPORTED, facts.EXPORTED):
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

    def doc(self, draft: DefinitionDraft) -> str:
        """The comment right before a definition."""
        end = self.comment_before(draft) if draft.kind not in facts.INNER else -1
        comment = self.tree.text[self.tree.comments[end] : end][: 4 * LONGEST_DOC] if end >= 0 else ""
        lines = (line.strip().strip("/*").strip() for line in comment.splitlines())
        return " ".join(line for line in lines if line)[:LONGEST_DOC]

    def comment_before(self, draft: DefinitionDraft) -> int:
        """Where the comment right before a definition ends; -1 where there is none."""
        tree = self.tree
        node = draft.node
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


def as_known(expression: str) -> str:
    """An expression behind its `=`; empty where it says nothing."""
    return f"={expression}" if expression and not expression.startswith(facts.UNKNOWN) else ""
