"""What a place in a script expects: the declared type that an object, a function or a pattern is written for."""

from fieldguide.symbols.facts import UNKNOWN
from fieldguide.symbols.reading.script.expressions import (
    FUNCTIONS,
    LONGEST,
    MOST_STEPS,
    OBJECT,
    PASSED_ON,
    TAGS,
    Expressions,
)

PASSED = PASSED_ON | {"binary_expression"}


class Contexts:
    """Asks upwards from a node for the type that is expected of it."""

    def __init__(self, expressions: Expressions) -> None:
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
                return above + tail if above and not above.startswith(UNKNOWN) else ""
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
            return self._declared_here(parent), ""
        if kind == "assignment_expression":
            return self._assigned(node, parent), ""
        if kind == "arguments":
            return self._argument(node, parent)
        if kind == "return_statement" or self._is_arrow_body(node, parent):
            return self.returned(parent)
        if kind == "jsx_expression" and tree.kind_above(parent) == "jsx_attribute":
            attribute = tree.parents[parent]
            return self.properties(tree.parents[attribute]), f".{tree.words(tree.children[attribute][0])}"
        if kind == "object" and tree.kinds[node] == "method_definition":
            return parent, f".{tree.words(self.name_of(node))}"
        return None

    def _is_arrow_body(self, node: int, parent: int) -> bool:
        return self.tree.kinds[parent] == "arrow_function" and self.tree.children[parent][-1] == node

    def _assigned(self, node: int, assignment: int) -> str:
        """What a value is written to; what a module gives out says nothing of it."""
        left = self.tree.children[assignment][0]
        told = self.expressions.value(left) if left != node else ""
        return "" if told.startswith(("exports", "module.exports")) else told

    def _declared_here(self, node: int) -> str:
        """The type that a variable is declared with; the variable itself where members are written out there."""
        declared = self.expressions.declared(node)
        name = self.tree.child(node, "identifier")
        return self.tree.words(name) if OBJECT in declared and name >= 0 else declared

    def _argument(self, node: int, parent: int) -> tuple[str, str]:
        tree = self.tree
        call = tree.parents[parent]
        called = [each for each in tree.children[call] if tree.kinds[each] not in ("new", "await")]
        types = tree.child(call, "type_arguments")
        told = f"<{self.expressions.type(types)[1:-1]}>" if types >= 0 else ""
        return self.expressions.value(called[0]), f"{told}~{tree.children[parent].index(node)}"

    def returned(self, node: int) -> tuple[int | str, str] | None:
        """What the function around a return must give."""
        tree = self.tree
        for _ in range(MOST_STEPS):
            if node < 0 or tree.kinds[node] in FUNCTIONS:
                break
            node = tree.parents[node]
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
                pattern, tail = tree.parents[parent], f".{tree.words(tree.children[parent][0])}{tail}"
            elif kind == "array_pattern":
                pattern, tail = parent, f"[{tree.children[parent].index(pattern)}]{tail}"
            elif kind in ("object_assignment_pattern", "assignment_pattern", "rest_pattern", "object_pattern"):
                pattern = parent
            else:
                whole = self._whole(pattern, parent, kind)
                return whole + tail if whole and not whole.startswith(UNKNOWN) else ""
        return ""

    def _whole(self, pattern: int, parent: int, kind: str) -> str:
        tree = self.tree
        if kind == "for_in_statement":
            return self._looped_over(pattern, parent)
        if kind in ("required_parameter", "optional_parameter", "formal_parameters"):
            return self.parameter(parent if kind != "formal_parameters" else pattern)
        if kind not in ("variable_declarator", "assignment_expression"):
            return ""
        declared = self.expressions.declared(parent)
        value = tree.children[parent][-1]
        return declared or (self.expressions.value(value) if value != pattern else "")

    def _looped_over(self, pattern: int, loop: int) -> str:
        """An element of what comes after `of`; the keys that `in` gives say nothing."""
        tree = self.tree
        if tree.child(loop, "of") < 0:
            return ""
        right = [each for each in tree.children[loop] if each > pattern and tree.kinds[each] not in ("of", "in")]
        return f"{self.expressions.value(right[0])}[]" if right else ""

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
        function, position = tree.parents[node], 0
        if tree.kinds[function] == "formal_parameters":
            siblings = [each for each in tree.children[function] if tree.child(each, "this") < 0]
            position = siblings.index(node) if node in siblings else 0
            function = tree.parents[function]
        expected = self.expected(function) if tree.kinds[function] in FUNCTIONS else ""
        return f"{expected}~{position}" if expected else ""
