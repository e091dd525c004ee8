"""Values and types of a script as expressions, and the type that a place expects of what is written there.

Beside what `facts` says of expressions, these have: `@n` the module of an import; `(:T)` something of a type, in the
language's own words; `~n` the parameter n of what is before it; `[n]` one of its elements; `!` an object whose members
are written in the definition itself; `+` a list of it; `#line:column` a function or parameter without a name. A call
has what it is given between its brackets.
"""

from collections.abc import Callable

from fieldguide import linear_regex as re
from fieldguide.symbols.facts import UNKNOWN
from fieldguide.symbols.reading.script.tree import Tree

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


class Expressions:
    """The expressions of one tree."""

    def __init__(self, tree: Tree, imported: Callable[[int], str]) -> None:
        self.tree = tree
        self._imported = imported
        """What imports a module, by the node of an `import(…)` or `require(…)`; empty for any other call."""
        self._is_given = False

    def value(self, node: int) -> str:
        """What a value is."""
        tail = ""
        for _ in range(MOST_STEPS):
            if node < 0 or len(tail) > LONGEST:
                return UNKNOWN
            step = self._step(node)
            if isinstance(step, str):
                return step + tail
            node, tail = step[0], step[1] + tail
        return UNKNOWN

    def _step(self, node: int) -> "str | tuple[int, str]":
        """A whole expression, or the node that it goes on with and what follows that."""
        tree = self.tree
        kind, below = tree.kinds[node], tree.children[node]
        if kind in ("identifier", "shorthand_property_identifier"):
            return tree.words(node)
        if kind in LITERALS:
            return LITERALS[kind]
        if kind == "object":
            return OBJECT
        if kind in FUNCTION_VALUES:
            return self.nameless(node)
        if not below:
            return UNKNOWN
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
        tree = self.tree
        module = self._imported(node)
        if module:
            return module
        called = [each for each in tree.children[node] if tree.kinds[each] not in ("new", "await")]
        given = tree.child(node, "type_arguments")
        types = f"<{self.type(given)[1:-1]}>" if given >= 0 else ""
        return (called[0], f"{types}({self._given(node)})") if called else UNKNOWN

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
        told = [each if len(each) <= LONGEST_GIVEN and each[0] not in "!?" else "" for each in given]
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
        return UNKNOWN

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
        start, end = tree.starts[node], tree.ends[node]
        parts: list[str] = []
        pending = [node]
        for _ in range(MOST_NODES):
            if not pending:
                break
            each = pending.pop()
            kind = tree.kinds[each]
            if kind == "object_type" and not self._is_map(each):
                parts += [tree.text[start : tree.starts[each]], OBJECT]
                start = tree.ends[each]
            elif kind == "call_expression" and (module := self._imported(each)):
                parts += [tree.text[start : tree.starts[each]], module]
                start = tree.ends[each]
            else:
                pending += reversed(tree.children[each])
        parts.append(tree.text[start:end])
        if sum(map(len, parts)) > 4 * LONGEST_TYPE:
            return UNKNOWN
        told = BLANKS.sub(" ", "".join(parts)).strip().removeprefix(":").strip()
        return told if len(told) <= LONGEST_TYPE else UNKNOWN

    def _is_map(self, node: int) -> bool:
        """Whether an object type is `{ [key in …]: … }` and has no members of its own."""
        return any(self.tree.kinds[each] == "index_signature" for each in self.tree.children[node])

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
