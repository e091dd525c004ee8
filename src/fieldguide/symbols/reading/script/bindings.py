"""Variables, parameters and what is taken apart into them."""

from collections.abc import Callable, Iterator

from fieldguide.symbols.facts import CONSTANT, FIELD, LOCAL, PARAMETER, READ, VARIABLE
from fieldguide.symbols.reading.script.declarations import give
from fieldguide.symbols.reading.script.expressions import FUNCTIONS
from fieldguide.symbols.reading.script.modules import read_required
from fieldguide.symbols.reading.script.reader import Reader, known
from fieldguide.symbols.reading.script.tree import Tree

PATTERNS = frozenset(("object_pattern", "array_pattern"))
BOUND = frozenset(("identifier", "shorthand_property_identifier_pattern"))
MOST_BOUND = 500
REST = "..."
"""What stands in place of bases at a parameter that takes all that is left."""


def read_variable(reader: Reader, node: int) -> None:
    """One variable of a `const`, `let` or `var`, or several that a pattern takes out of a value."""
    tree = reader.tree
    if not tree.children[node] or read_required(reader, node):
        return
    name, value = tree.children[node][0], tree.children[node][-1]
    kind = _variable_kind(reader, node)
    if tree.kinds[name] in PATTERNS:
        bind_pattern(reader, name, kind, node)
        return
    told = reader.expressions.annotation(node)
    place = reader.define(name, kind, reader.within[node], node=node, told=f":{told}" if told else "")
    reader.drafts[place].scope = reader.scope_of(node)
    note = tree.child(node, "type_annotation")
    if note >= 0:
        reader.opened[note] = place
    if value not in (name, note):
        give(reader, value, place)
    elif tree.kind_above(tree.parents[node]) == "for_in_statement":
        reader.drafts[place].type = known(reader.contexts.taken_apart(node))


def _variable_kind(reader: Reader, node: int) -> str:
    if reader.is_inside(reader.within[node]):
        return LOCAL
    return CONSTANT if reader.tree.child(reader.tree.parents[node], "const") >= 0 else VARIABLE


def bind_pattern(reader: Reader, pattern: int, kind: str, whole: int) -> None:
    """Every name that a pattern binds, with what it is taken out of; keys refer to what they take."""
    for name in _bound(reader, pattern):
        source = reader.contexts.taken_apart(name)
        tree = reader.tree
        place = reader.define(name, kind, reader.around(name), node=whole if kind != LOCAL else -1)
        draft = reader.drafts[place]
        if kind in (LOCAL, PARAMETER):
            draft.kind = LOCAL
            draft.scope = reader.scope_of(whole) if tree.kinds[whole] not in FUNCTIONS else (0, 0)
        if tree.kinds[name] == "identifier":
            draft.type = known(source)
        else:
            draft.type = known(f"{source}.{tree.words(name)}" if source else "")
            if source:
                reader.refer(name, READ, source)


def _bound(reader: Reader, pattern: int) -> Iterator[int]:
    """The names that a pattern binds, in their order."""
    tree = reader.tree
    pending = [pattern]
    for _ in range(MOST_BOUND):
        if not pending:
            return
        node = pending.pop()
        kind, below = tree.kinds[node], tree.children[node]
        if kind in BOUND:
            yield node
        elif kind == "pair_pattern":
            pending.append(below[-1])
        elif kind in ("assignment_pattern", "object_assignment_pattern") and below:
            pending.append(below[0])
        elif kind in PATTERNS or kind == "rest_pattern":
            pending += reversed(below)


def read_key_taken(reader: Reader, node: int) -> None:
    """The key in `{ key: name }` of a pattern: it is read from what is taken apart."""
    key = reader.tree.children[node][0]
    if reader.tree.kinds[key] == "property_identifier" and key not in reader.settled:
        source = reader.contexts.taken_apart(reader.tree.children[node][-1])
        source = source.rpartition(".")[0] if source else ""
        if source:
            reader.refer(key, READ, source)


def read_parameters(reader: Reader, node: int) -> None:
    """The parameters of a function that has a body, or of a signature; those of a function's type bind nothing."""
    tree = reader.tree
    function = tree.parents[node]
    if function not in reader.opened:
        for each in tree.children[node]:
            inner = tree.children[each][0] if tree.children[each] else each
            reader.settled.update(_bound(reader, inner))
        return
    for each in tree.children[node]:
        _parameter(reader, each, reader.opened[function])


def _parameter(reader: Reader, node: int, function: int) -> None:
    tree = reader.tree
    bound = node if _is_bound(tree.kinds[node]) else next(_bound_below(tree, node), -1)
    if bound < 0:
        _declare_this(reader, node, function)
        return
    name, told = _without_dots(tree, bound), reader.expressions.annotation(node)
    is_pattern = tree.kinds[name] in PATTERNS
    type_ = f":{told}" if told else known(reader.contexts.parameter(node))
    place = reader.define(name, PARAMETER, function, told=type_, text="" if is_pattern else None)
    reader.drafts[place].bases = [REST] if tree.kinds[bound] == "rest_pattern" else []
    note = tree.child(node, "type_annotation")
    if note >= 0:
        reader.opened[note] = place
    if is_pattern:
        bind_pattern(reader, name, PARAMETER, tree.parents[tree.parents[node]])
    elif tree.child(node, "accessibility_modifier", "readonly", "override_modifier") >= 0:
        owner = reader.drafts[function].parent
        reader.define(name, FIELD, owner, node=node, told=type_)


def _declare_this(reader: Reader, node: int, function: int) -> None:
    """A parameter that only says what `this` is."""
    this = reader.tree.child(node, "this")
    if this >= 0:
        reader.define(this, LOCAL, function, told=f":{reader.expressions.annotation(node)}")


def _without_dots(tree: Tree, node: int) -> int:
    """What takes the rest: `name` in `...name`."""
    while tree.kinds[node] == "rest_pattern" and tree.children[node]:
        node = tree.children[node][-1]
    return node


def _bound_below(tree: Tree, node: int) -> Iterator[int]:
    return (each for each in tree.children[node] if _is_bound(tree.kinds[each]))


def _is_bound(kind: str) -> bool:
    return kind in BOUND or kind in PATTERNS or kind == "rest_pattern"


def read_arrow(reader: Reader, node: int) -> None:
    """The one parameter of `x => …`."""
    tree = reader.tree
    name = tree.child(node, "identifier")
    if name >= 0 and name != tree.children[node][-1] and tree.child(node, "formal_parameters") < 0:
        place = reader.define(name, PARAMETER, reader.opened[node])
        expected = reader.contexts.expected(node)
        reader.drafts[place].type = known(f"{expected}~0" if expected else "")


def read_catch(reader: Reader, node: int) -> None:
    """What a `catch` catches."""
    name = reader.tree.child(node, "identifier", *PATTERNS)
    if name >= 0 and reader.tree.kinds[name] == "identifier":
        place = reader.define(name, LOCAL, reader.within[node])
        reader.drafts[place].scope = (reader.tree.starts[node], reader.tree.ends[node])
    elif name >= 0:
        bind_pattern(reader, name, LOCAL, name)


def read_loop(reader: Reader, node: int) -> None:
    """The variable of `for (const x of …)`."""
    tree = reader.tree
    if tree.child(node, "const", "let", "var") < 0:
        return
    name = tree.child(node, "identifier", *PATTERNS)
    scope = (tree.starts[node], tree.ends[node])
    if name >= 0 and tree.kinds[name] in PATTERNS:
        before = len(reader.drafts)
        bind_pattern(reader, name, LOCAL, name)
        for draft in reader.drafts[before:]:
            draft.scope = scope
    elif name >= 0:
        place = reader.define(name, LOCAL, reader.within[node], told=known(reader.contexts.taken_apart(name)))
        reader.drafts[place].scope = scope


def read_type_parameter(reader: Reader, node: int) -> None:
    """A type parameter, or what stands for a type inside one."""
    tree = reader.tree
    name = tree.child(node, "type_identifier")
    if name < 0:
        return
    constraint = tree.child(node, "constraint")
    told = f":{reader.expressions.type(tree.children[constraint][-1])}" if constraint >= 0 else ""
    reader.define(name, LOCAL, reader.within[node], told=told)


def read_assignment(reader: Reader, node: int) -> None:
    """`this.x = …` in JavaScript, which declares no fields."""
    tree = reader.tree
    if reader.is_typed or not tree.children[node]:
        return
    left = tree.children[node][0]
    if tree.kinds[left] != "member_expression" or tree.kinds[tree.children[left][0]] != "this":
        return
    owner = reader.within[node]
    while owner >= 0 and reader.drafts[owner].kind != "class":
        owner = reader.drafts[owner].parent
    name = tree.children[left][-1]
    if owner < 0 or (owner, tree.words(name)) in reader.named:
        return
    place = reader.define(name, FIELD, owner, node=node)
    if tree.kinds[tree.children[node][-1]] != "object":
        reader.drafts[place].type = known(reader.expressions.value(tree.children[node][-1]))


def read_tuple(reader: Reader, node: int) -> None:
    """`[first: A, second: B]`: these names bind nothing."""
    for each in reader.tree.children[node]:
        if reader.tree.kinds[each].endswith("_parameter"):
            reader.settled.update(reader.tree.children[each][:1])


BINDINGS: dict[str, Callable[[Reader, int], None]] = {
    "tuple_type": read_tuple,
    "variable_declarator": read_variable,
    "pair_pattern": read_key_taken,
    "formal_parameters": read_parameters,
    "catch_clause": read_catch,
    "for_in_statement": read_loop,
    "type_parameter": read_type_parameter,
    "infer_type": read_type_parameter,
    "mapped_type_clause": read_type_parameter,
}
