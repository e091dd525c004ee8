"""Names that a script uses, with what stands before them and what they are used for."""

from collections.abc import Callable

from fieldguide.symbols.facts import CALL, COMMAND, INHERIT, READ, ROUTE, TYPE, WRITE
from fieldguide.symbols.reading.script.expressions import FUNCTION_VALUES, TAGS
from fieldguide.symbols.reading.script.reader import Reader
from fieldguide.symbols.reading.script.tree import Tree

VERBS = frozenset(("all", "delete", "get", "head", "options", "patch", "post", "put", "route"))
SERVERS = frozenset(("app", "router", "server", "fastify", "api", "routes"))
MOST_STEPS = 5


def role_of(reader: Reader, node: int) -> str:
    """What a name, or what ends in it, is used for."""
    tree = reader.tree
    for _ in range(MOST_STEPS):
        parent = tree.parents[node]
        tell = ROLES.get(tree.kinds[parent]) if parent >= 0 else _read
        if tell is not None:
            return tell(tree, parent, node)
        if not _is_passed_on(tree, parent, node):
            return TYPE if tree.kinds[node] in ("type_identifier", "nested_type_identifier") else READ
        node = parent
    return READ


def _read(tree: Tree, parent: int, node: int) -> str:
    return READ


def _called(tree: Tree, parent: int, node: int) -> str:
    called = next(each for each in tree.children[parent] if tree.kinds[each] != "new")
    return CALL if called == node else READ


def _assigned(tree: Tree, parent: int, node: int) -> str:
    return WRITE if tree.children[parent][0] == node else READ


def _updated(tree: Tree, parent: int, node: int) -> str:
    return WRITE


def _inherited(tree: Tree, parent: int, node: int) -> str:
    return INHERIT


ROLES: dict[str, Callable[[Tree, int, int], str]] = {
    **dict.fromkeys(("call_expression", "new_expression", *TAGS), _called),
    **dict.fromkeys(("assignment_expression", "augmented_assignment_expression"), _assigned),
    "update_expression": _updated,
    **dict.fromkeys(("extends_clause", "implements_clause", "extends_type_clause", "class_heritage"), _inherited),
}
"""What a name is used for, by the kind of the node around it: the tree, that node and the name's."""


def _is_passed_on(tree: Tree, parent: int, node: int) -> bool:
    """Whether what is around a node is used for what the node is: `(a)`, `a!`, `x.a`, the `A` of `A<T>`."""
    kind = tree.kinds[parent]
    if kind in ("non_null_expression", "parenthesized_expression"):
        return True
    is_last = tree.children[parent][-1] == node
    return (
        not is_last if kind == "generic_type" else is_last and kind in ("member_expression", "nested_type_identifier")
    )


def read_name(reader: Reader, node: int) -> None:
    """A bare name."""
    tree = reader.tree
    if node in reader.settled:
        return
    above = tree.kind_above(node)
    if above == "index_signature" or (
        (above in TAGS or above == "jsx_closing_element") and tree.words(node)[:1].islower()
    ):
        return
    reader.refer(node, role_of(reader, node))


def read_type_name(reader: Reader, node: int) -> None:
    """The name of a type."""
    tree = reader.tree
    if node in reader.settled:
        return
    role = role_of(reader, node)
    receiver = ""
    if tree.kind_above(node) == "nested_type_identifier":
        receiver = tree.words(tree.children[tree.parents[node]][0])
    reader.refer(node, role if role == INHERIT else TYPE, receiver)


def read_property(reader: Reader, node: int) -> None:
    """A name behind a dot, a key of an object that is written for a type, or a property of a tag."""
    tree = reader.tree
    parent = tree.parents[node]
    kind = tree.kinds[parent]
    if kind == "member_expression":
        receiver = reader.expressions.value(tree.children[parent][0])
        reader.refer(node, role_of(reader, node), receiver)
    elif kind in ("pair", "method_definition") and tree.kind_above(parent) == "object":
        if tree.children[parent][0] == node or kind == "method_definition":
            _refer_expected(reader, node, reader.contexts.expected(tree.parents[parent]))
    elif kind == "jsx_attribute":
        _refer_expected(reader, node, reader.contexts.properties(tree.parents[parent]))


def _refer_expected(reader: Reader, node: int, expected: str) -> None:
    if expected:
        reader.refer(node, WRITE, expected)


def read_string(reader: Reader, node: int) -> None:
    """A member that is named by a string: `a["b"]`, `T["b"]`, `{ "b": 1 }`."""
    tree = reader.tree
    parent = tree.parents[node]
    kind = tree.kinds[parent]
    if kind == "subscript_expression":
        reader.refer(node, role_of(reader, parent), reader.expressions.value(tree.children[parent][0]))
    elif kind == "literal_type" and tree.kind_above(parent) == "lookup_type":
        whole = tree.children[tree.parents[parent]][0]
        reader.refer(node, TYPE, f"(:{reader.expressions.type(whole)})")
    elif kind == "pair" and tree.children[parent][0] == node:
        read_property(reader, node)


def read_declared_call(reader: Reader, node: int) -> None:
    """Routes and commands that a call declares: `app.get("/x", …)`, `program.command("x")`."""
    tree, first = reader.tree, reader.given_text(node)
    called = tree.children[node][0] if first >= 0 else -1
    if called < 0 or tree.kinds[called] != "member_expression":
        return
    verb, text = tree.words(tree.children[called][-1]), tree.words(first)[1:-1]
    if verb == "command" and text.strip():
        reader.define(first, COMMAND, -1, node=node, text=text.split()[0])
    elif verb in VERBS and text.startswith("/") and _is_route(reader, called, tree.parents[first]):
        last = tree.children[tree.parents[first]][-1]
        handler = f"={tree.words(last)}" if tree.kinds[last] == "identifier" else ""
        reader.define(first, ROUTE, -1, node=node, text=text, told=handler)


def _is_route(reader: Reader, called: int, given: int) -> bool:
    tree = reader.tree
    if any(tree.kinds[each] in FUNCTION_VALUES for each in tree.children[given][1:]):
        return True
    before = tree.words(tree.children[called][0])[-40:].rpartition(".")[2]
    return before.lower() in SERVERS and len(tree.children[given]) > 1


USES: dict[str, Callable[[Reader, int], None]] = {
    "identifier": read_name,
    "type_identifier": read_type_name,
    "property_identifier": read_property,
    "private_property_identifier": read_property,
    "string": read_string,
}
