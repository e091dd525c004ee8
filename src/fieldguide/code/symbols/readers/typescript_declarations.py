"""Reads functions, classes, interfaces, types, enums and namespaces of scripts."""

from collections.abc import Callable

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import CLASS, FIELD, FUNCTION, METHOD
from fieldguide.code.symbols.readers.typescript_reader import FUNCTION_VALUES, OBJECT, ScriptReader, as_known

NAMES = ("identifier", "type_identifier", "nested_identifier", "string")
MEMBER_NAMES = ("property_identifier", "private_property_identifier", "string", "number")
CALLED = "()"
"""The name of what an object gives when it is called."""
WRAPPED = frozenset(("parenthesized_expression", "as_expression", "satisfies_expression"))


def read_function(reader: ScriptReader, node: int) -> None:
    """A function that is declared."""
    name = reader.tree.child(node, "identifier")
    text = "default" if name < 0 else None
    place = reader.define(node if name < 0 else name, FUNCTION, reader.within[node], node=node, text=text)
    reader.opened[node] = place
    reader.drafts[place].type = _returned(reader, node)


def read_function_value(reader: ScriptReader, node: int) -> None:
    """A function as a value: what holds it has defined it already, or it has no name."""
    if node not in reader.opened:
        reader.opened[node] = _define_unnamed(reader, node, FUNCTION)
        own = reader.tree.child(node, "identifier") if reader.tree.kinds[node] != "arrow_function" else -1
        if own >= 0:
            reader.define(own, FUNCTION, reader.opened[node], node=node)
    draft = reader.drafts[reader.opened[node]]
    if not draft.type:
        draft.type = _returned(reader, node)


def _define_unnamed(reader: ScriptReader, node: int, kind: str) -> int:
    """What has no name: a module may give it out by default."""
    if reader.tree.kind_above(node) == "export_statement":
        return reader.define(node, kind, reader.within[node], node=node, text="default")
    return reader.nameless(node)


def _returned(reader: ScriptReader, node: int) -> str:
    """The type parameters of a function, and what it returns: as declared, or as its one expression says."""
    tree = reader.tree
    told = reader.expressions.annotation(node)
    parameters = describe_type_parameters(reader, node)
    if told:
        return f"{parameters}:{told}"
    last = tree.children[node][-1]
    if tree.kinds[node] == "arrow_function" and tree.kinds[last] != "statement_block":
        return parameters + as_known(reader.expressions.value(last))
    return parameters


def describe_type_parameters(reader: ScriptReader, node: int) -> str:
    """The names of type parameters, `<K,V>`."""
    tree = reader.tree
    listed = tree.child(node, "type_parameters")
    if listed < 0:
        return ""
    names = [tree.words(tree.children[each][0]) for each in tree.children[listed] if tree.children[each]]
    return f"<{','.join(names)}>" if all(map(str.isidentifier, names)) else ""


def read_return(reader: ScriptReader, node: int) -> None:
    """What a function without a declared type gives back, the first time that it tells."""
    tree = reader.tree
    place = reader.within[node]
    if place < 0 or not tree.children[node]:
        return
    draft = reader.drafts[place]
    has_told = draft.type.partition(">")[2] if draft.type.startswith("<") else draft.type
    if not has_told and draft.kind in (FUNCTION, METHOD, facts.LOCAL):
        draft.type += as_known(reader.expressions.value(tree.children[node][-1]))


def read_class(reader: ScriptReader, node: int) -> None:
    """A class, with a name or without."""
    tree = reader.tree
    if node not in reader.opened:
        name = tree.child(node, "type_identifier", "identifier")
        if name >= 0:
            reader.opened[node] = reader.define(name, CLASS, reader.within[node], node=node)
        else:
            reader.opened[node] = _define_unnamed(reader, node, CLASS)
    draft = reader.drafts[reader.opened[node]]
    draft.kind = CLASS
    draft.type = describe_type_parameters(reader, node)
    heritage = tree.child(node, "class_heritage")
    draft.bases = _bases(reader, heritage) if heritage >= 0 else []


def _bases(reader: ScriptReader, heritage: int) -> list[str]:
    tree = reader.tree
    clauses = [each for each in tree.children[heritage] if tree.kinds[each].endswith("_clause")]
    found: list[str] = []
    for clause in clauses or [heritage]:
        for each in tree.children[clause]:
            if tree.kinds[each] == "type_arguments" and found:
                found[-1] += reader.expressions.type(each)
            elif tree.kinds[each] not in ("extends", "implements"):
                found.append(reader.expressions.type(each))
    return found


def read_interface(reader: ScriptReader, node: int) -> None:
    """An interface."""
    tree = reader.tree
    name = tree.child(node, "type_identifier")
    if name < 0:
        return
    reader.opened[node] = reader.define(name, facts.INTERFACE, reader.within[node], node=node)
    draft = reader.drafts[reader.opened[node]]
    draft.type = describe_type_parameters(reader, node)
    clause = tree.child(node, "extends_type_clause", "extends_clause")
    if clause >= 0:
        draft.bases = [reader.expressions.type(each) for each in tree.children[clause] if tree.kinds[each] != "extends"]


def read_alias(reader: ScriptReader, node: int) -> None:
    """A type by another name."""
    tree = reader.tree
    name = tree.child(node, "type_identifier")
    if name >= 0:
        told = f"{describe_type_parameters(reader, node)}:{reader.expressions.type(tree.children[node][-1])}"
        reader.opened[node] = reader.define(name, facts.ALIAS, reader.within[node], node=node, told=told)


def read_enum(reader: ScriptReader, node: int) -> None:
    """An enumeration and its members."""
    tree = reader.tree
    name = tree.child(node, "identifier")
    body = tree.child(node, "enum_body")
    if name < 0 or body < 0:
        return
    place = reader.opened[node] = reader.define(name, facts.ENUM, reader.within[node], node=node)
    for each in tree.children[body]:
        member = tree.children[each][0] if tree.kinds[each] == "enum_assignment" else each
        if tree.kinds[member] in MEMBER_NAMES:
            reader.define(member, facts.CONSTANT, place, node=each)


def read_namespace(reader: ScriptReader, node: int) -> None:
    """A namespace, or more about a module."""
    tree = reader.tree
    name = tree.child(node, *NAMES)
    if name >= 0:
        reader.opened[node] = reader.define(name, facts.MODULE, reader.within[node], node=node)
        reader.settled.update(tree.children[name])


def read_member(reader: ScriptReader, node: int) -> None:
    """A method or a field, of a class, an interface, an object type or an object."""
    tree = reader.tree
    kind = tree.kinds[node]
    name = tree.child(node, *MEMBER_NAMES)
    is_method = "method" in kind
    if name < 0:
        if is_method:
            reader.opened[node] = reader.nameless(node)
        return
    place = reader.define(name, METHOD if is_method else FIELD, _owner(reader, node), node=node)
    reader.opened[node] = place
    draft = reader.drafts[place]
    told = reader.expressions.annotation(node)
    if is_method:
        draft.type = _returned(reader, node)
        if tree.child(node, "get") >= 0 or tree.child(node, "set") >= 0:
            draft.kind = FIELD
    elif told or tree.children[node][-1] != name:
        draft.type = f":{told}" if told else ""
        assign_value(reader, tree.children[node][-1], place)


def read_signature(reader: ScriptReader, node: int) -> None:
    """What calling an object gives, or making one: `(a: A): B` and `new (a: A): B` in an interface."""
    place = reader.define(node, facts.EXPORTED, reader.within[node], node=node, text=CALLED)
    reader.opened[node] = place
    reader.drafts[place].type = _returned(reader, node)


def _owner(reader: ScriptReader, node: int) -> int:
    """The definition that a member belongs to; one without a name for an object that nothing holds."""
    parent = reader.tree.parents[node]
    if reader.tree.kinds[parent] == "object" and parent not in reader.opened:
        reader.opened[parent] = reader.nameless(parent)
    return reader.opened.get(parent, reader.within[node])


def read_pair(reader: ScriptReader, node: int) -> None:
    """A key of an object: a definition where the object belongs to one or the value is a function."""
    tree = reader.tree
    name = tree.children[node][0]
    value = tree.children[node][-1]
    if tree.kinds[name] not in MEMBER_NAMES:
        return
    if tree.parents[node] in reader.opened or tree.kinds[value] in FUNCTION_VALUES:
        place = reader.define(name, FIELD, _owner(reader, node), node=node)
        assign_value(reader, value, place)


def assign_value(reader: ScriptReader, value: int, place: int) -> None:
    """Let a definition have a value: its type, its members, its kind."""
    draft = reader.drafts[place]
    tree = reader.tree
    inner = value
    while tree.kinds[inner] in WRAPPED and tree.children[inner]:
        inner = tree.children[inner][0]
    kind = tree.kinds[inner]
    if kind in FUNCTION_VALUES or kind in ("object", "class"):
        reader.opened[inner] = place  # what is below belongs to the definition
    if kind in FUNCTION_VALUES:
        draft.kind = METHOD if draft.kind == FIELD else FUNCTION
        draft.type = f"=({draft.type})()" if draft.type else ""
    elif kind == "class":
        draft.kind = CLASS
    elif not draft.type:
        draft.type = as_known(OBJECT if kind == "object" else reader.expressions.value(value))


def read_object(reader: ScriptReader, node: int) -> None:
    """An object that a function returns, or a module gives out."""
    tree = reader.tree
    if node in reader.opened:
        return
    above = tree.parents[node]
    while tree.kinds[above] in WRAPPED:
        above = tree.parents[above]
    kind = tree.kinds[above]
    within = reader.within[node]
    if kind == "return_statement" and within >= 0:
        reader.opened[node] = within
    elif kind == "arrow_function" and above in reader.opened:
        reader.opened[node] = reader.opened[above]
    elif kind == "export_statement":
        reader.opened[node] = reader.define(node, facts.EXPORTED, within, node=node, text="default", told=f"={OBJECT}")


DECLARATIONS: dict[str, Callable[[ScriptReader, int], None]] = {
    "function_declaration": read_function,
    "generator_function_declaration": read_function,
    "function_signature": read_function,
    "arrow_function": read_function_value,
    "function_expression": read_function_value,
    "generator_function": read_function_value,
    "return_statement": read_return,
    "class_declaration": read_class,
    "abstract_class_declaration": read_class,
    "class": read_class,
    "interface_declaration": read_interface,
    "type_alias_declaration": read_alias,
    "enum_declaration": read_enum,
    "internal_module": read_namespace,
    "module": read_namespace,
    "method_definition": read_member,
    "method_signature": read_member,
    "abstract_method_signature": read_member,
    "call_signature": read_signature,
    "construct_signature": read_signature,
    "public_field_definition": read_member,
    "field_definition": read_member,
    "property_signature": read_member,
    "pair": read_pair,
    "object": read_object,
}
