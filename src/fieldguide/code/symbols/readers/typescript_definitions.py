"""Reads what scripts define: functions, types and members, variables and parameters, imports and exports."""

from collections.abc import Callable, Iterator

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import CLASS, EVERYTHING, EXPORTED, FIELD, FUNCTION, IMPORT, LOCAL, METHOD
from fieldguide.code.symbols.readers.typescript_reader import (
    FUNCTION_VALUES,
    FUNCTIONS,
    OBJECT,
    WHOLE,
    ScriptReader,
    as_known,
)

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


DEFAULT = "default"


def read_import(reader: ScriptReader, node: int) -> None:
    """An `import` statement."""
    tree = reader.tree
    source = tree.child(node, "string")
    required = tree.child(node, "import_require_clause")
    if required >= 0:
        text = _quoted(reader, tree.child(required, "string"))
        _bind(reader, tree.child(required, "identifier"), text, WHOLE, "require")
        return
    clause = tree.child(node, "import_clause")
    if source < 0 or clause < 0:
        return
    text = _quoted(reader, source)
    for each in tree.children[clause]:
        kind = tree.kinds[each]
        if kind == "identifier":
            _bind(reader, each, text, DEFAULT)
        elif kind == "namespace_import":
            _bind(reader, tree.child(each, "identifier"), text, EVERYTHING)
        elif kind == "named_imports":
            for specifier in tree.children[each]:
                _specifier(reader, specifier, text)


def _quoted(reader: ScriptReader, node: int) -> str:
    return reader.tree.words(node).strip("'\"`") if node >= 0 else ""


def _names(reader: ScriptReader, specifier: int, kind: str) -> list[int]:
    """The names in a specifier of a kind: the one inside the module, and the one outside."""
    tree = reader.tree
    below = tree.children[specifier] if tree.kinds[specifier] == kind else []
    return [each for each in below if tree.kinds[each] in ("identifier", "string", DEFAULT)]


def _specifier(reader: ScriptReader, specifier: int, text: str) -> None:
    names = _names(reader, specifier, "import_specifier")
    if not names:
        return
    _bind(reader, names[-1], text, reader.tree.words(names[0]).strip("'\""))
    if len(names) > 1:
        reader.settled.add(names[0])
        if reader.tree.words(names[0]) != DEFAULT:
            reader.refer(names[0], IMPORT, reader.drafts[-1].type)


def _bind(reader: ScriptReader, local: int, text: str, name: str, keyword: str = "import") -> None:
    """A local name for what is imported: a definition for scopes, and a use of what it stands for."""
    if local < 0 or not text:
        return
    told = reader.imported(text, reader.tree.starts[local], name, keyword)
    reader.define(local, facts.IMPORTED, reader.around(local), told=told)
    reader.refer(local, IMPORT, told)
    if name in (DEFAULT, WHOLE):
        reader.refer_to(name_unnamed(name, text), reader.tree.starts[local], reader.around(local), IMPORT, told)


def name_unnamed(name: str, module: str) -> str:
    """How uses are kept of what has no name of its own outside its module: by the last part of the module's."""
    last = module.rstrip("/").rpartition("/")[2]
    return f"{name}:{last.partition('.')[0]}"


def read_export(reader: ScriptReader, node: int) -> None:
    """An `export` that declares nothing: names of this module or another one."""
    tree = reader.tree
    source = tree.child(node, "string")
    clause = tree.child(node, "export_clause")
    text = _quoted(reader, source) if source >= 0 and source == tree.children[node][-1] else ""
    if clause >= 0:
        for specifier in tree.children[clause]:
            _given(reader, specifier, text)
    elif text and tree.child(node, "namespace_export") >= 0:
        name = tree.children[tree.child(node, "namespace_export")][-1]
        told = reader.imported(text, tree.starts[name], EVERYTHING, "export")
        reader.define(name, EXPORTED, reader.within[node], told=told)
    elif text:
        told = reader.imported(text, tree.starts[node], EVERYTHING, "export")
        reader.define(source, EXPORTED, reader.within[node], told=told, text=EVERYTHING)
    elif tree.child(node, DEFAULT) >= 0 or tree.kinds[tree.children[node][-1]] == "identifier":
        _given_alone(reader, node)


def _given(reader: ScriptReader, specifier: int, text: str) -> None:
    tree = reader.tree
    names = _names(reader, specifier, "export_specifier")
    if not names:
        return
    first = names[0]
    last = names[-1]
    inside = tree.words(first).strip("'\"")
    told = reader.imported(text, tree.starts[first], inside, "export") if text else f"={inside}"
    reader.define(last, EXPORTED, reader.around(specifier), told=told)
    reader.settled.add(first)
    if text and inside == DEFAULT:
        reader.refer_to(name_unnamed(DEFAULT, text), tree.starts[first], reader.around(first), IMPORT, told)
    elif inside != DEFAULT:
        reader.refer(first, IMPORT, told if text else "")
    if first != last:
        reader.refer(last, IMPORT, told)


def _given_alone(reader: ScriptReader, node: int) -> None:
    """`export default value`, `export = value`, and `export default function name() {}`, which has a name too."""
    tree = reader.tree
    value = tree.children[node][-1]
    kind = tree.kinds[value]
    default = tree.child(node, DEFAULT)
    if kind in ("decorator", DEFAULT, "object", "class", *FUNCTION_VALUES) or "declaration" in kind:
        name = tree.child(value, "identifier", "type_identifier")
        if name >= 0 and default >= 0:
            reader.define(default, EXPORTED, reader.within[node], told=f"={tree.words(name)}", text=DEFAULT)
        return
    told = as_known(reader.expressions.value(value))
    name, text = (default, DEFAULT) if default >= 0 else (value, WHOLE)
    before = set(reader.settled)
    reader.define(name, EXPORTED, reader.within[node], node=node, told=told, text=text)
    reader.settled = before


def read_required(reader: ScriptReader, node: int) -> bool:
    """`const { a, b: c } = require("…")`, which imports like an import; whether it is one."""
    tree = reader.tree
    name = tree.children[node][0]
    value = tree.children[node][-1]
    if tree.kinds[value] != "call_expression" or tree.words(tree.children[value][0]) != "require":
        return False
    given = reader.given_text(value)
    if given < 0 or tree.kinds[name] not in ("identifier", "object_pattern"):
        return False
    text = _quoted(reader, given)
    if tree.kinds[name] == "identifier":
        _bind(reader, name, text, WHOLE, "require")
        return True
    for each in tree.children[name]:
        if tree.kinds[each] == "shorthand_property_identifier_pattern":  # `a`
            _bind(reader, each, text, tree.words(each), "require")
        elif tree.kinds[each] == "pair_pattern" and tree.kinds[tree.children[each][-1]] == "identifier":  # `b: c`
            key = tree.children[each][0]
            _bind(reader, tree.children[each][-1], text, tree.words(key), "require")
            reader.refer(key, IMPORT, reader.drafts[-1].type)
            reader.settled.add(key)
    return True


def read_common(reader: ScriptReader, node: int) -> None:
    """`module.exports = …`, `exports.x = …`."""
    tree = reader.tree
    left = tree.children[node][0]
    value = tree.children[node][-1]
    told = tree.words(left) if tree.ends[left] - tree.starts[left] < 200 else ""
    if told == "module.exports":
        place = reader.define(left, EXPORTED, -1, node=node, text=WHOLE)
        assign_value(reader, value, place)
        return
    before, _, name = told.rpartition(".")
    if before not in ("exports", "module.exports") or not name.isidentifier():
        return
    if tree.kinds[value] == "identifier":
        reader.define(left, EXPORTED, -1, told=f"={tree.words(value)}", text=name)
    else:
        place = reader.define(tree.children[left][-1], facts.CONSTANT, -1, node=node)
        assign_value(reader, value, place)


def read_shorthand(reader: ScriptReader, node: int) -> None:
    """`{ a }`: a use of the variable, and of the member that is expected here."""
    reader.refer(node, facts.READ)
    parent = reader.tree.parents[node]
    expected = reader.contexts.expected(parent)
    if expected:
        reader.refer(node, facts.READ, expected)
    if parent in reader.opened:
        owner = reader.opened[parent]
        is_module = owner >= 0 and reader.drafts[owner].name == WHOLE
        reader.define(node, EXPORTED if is_module else facts.FIELD, owner, told=f"={reader.tree.words(node)}")


MODULES: dict[str, Callable[[ScriptReader, int], None]] = {
    "import_statement": read_import,
    "export_statement": read_export,
    "assignment_expression": read_common,
    "shorthand_property_identifier": read_shorthand,
}


PATTERNS = frozenset(("object_pattern", "array_pattern"))
BOUND = frozenset(("identifier", "shorthand_property_identifier_pattern"))
BINDING = BOUND | PATTERNS | {"rest_pattern"}
MOST_BOUND = 500
REST = "..."
"""What stands in place of bases at a parameter that takes all that is left."""


def read_variable(reader: ScriptReader, node: int) -> None:
    """One variable of a `const`, `let` or `var`, or several that a pattern takes out of a value."""
    tree = reader.tree
    if not tree.children[node] or read_required(reader, node):
        return
    name = tree.children[node][0]
    value = tree.children[node][-1]
    kind = facts.CONSTANT if tree.child(tree.parents[node], "const") >= 0 else facts.VARIABLE
    if reader.is_inside(reader.within[node]):
        kind = LOCAL
    if tree.kinds[name] in PATTERNS:
        bind_pattern(reader, name, kind, node)
        return
    told = reader.expressions.annotation(node)
    told = f":{told}" if told else ""
    place = reader.define(name, kind, reader.within[node], node=node, told=told, scope=reader.scope_of(node))
    note = tree.child(node, "type_annotation")
    if note >= 0:
        reader.opened[note] = place
    if value not in (name, note):
        assign_value(reader, value, place)
    elif tree.kind_above(tree.parents[node]) == "for_in_statement":
        reader.drafts[place].type = as_known(reader.contexts.taken_apart(node))


def bind_pattern(reader: ScriptReader, pattern: int, kind: str, whole: int) -> None:
    """Every name that a pattern binds, with what it is taken out of; keys refer to what they take."""
    for name in _bound(reader, pattern):
        source = reader.contexts.taken_apart(name)
        tree = reader.tree
        place = reader.define(name, kind, reader.around(name), node=whole if kind != LOCAL else -1)
        draft = reader.drafts[place]
        if kind in (LOCAL, facts.PARAMETER):
            draft.kind = LOCAL
            draft.scope = reader.scope_of(whole) if tree.kinds[whole] not in FUNCTIONS else (0, 0)
        if source and tree.kinds[name] != "identifier":
            reader.refer(name, facts.READ, source)
            source = f"{source}.{tree.words(name)}"
        draft.type = as_known(source)


def _bound(reader: ScriptReader, pattern: int) -> Iterator[int]:
    """The names that a pattern binds, in their order."""
    tree = reader.tree
    pending = [pattern]
    for _ in range(MOST_BOUND):
        if not pending:
            return
        node = pending.pop()
        kind = tree.kinds[node]
        below = tree.children[node]
        if kind in BOUND:
            yield node
        elif kind == "pair_pattern":
            pending.append(below[-1])
        elif kind in ("assignment_pattern", "object_assignment_pattern") and below:
            pending.append(below[0])
        elif kind in PATTERNS or kind == "rest_pattern":
            pending += reversed(below)


def read_key_taken(reader: ScriptReader, node: int) -> None:
    """The key in `{ key: name }` of a pattern: it is read from what is taken apart."""
    key = reader.tree.children[node][0]
    if reader.tree.kinds[key] == "property_identifier" and key not in reader.settled:
        source = reader.contexts.taken_apart(reader.tree.children[node][-1])
        source = source.rpartition(".")[0] if source else ""
        if source:
            reader.refer(key, facts.READ, source)


def read_parameters(reader: ScriptReader, node: int) -> None:
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


def _parameter(reader: ScriptReader, node: int, function: int) -> None:
    tree = reader.tree
    bound = node if tree.kinds[node] in BINDING else tree.child(node, *BINDING)
    if bound < 0:
        this = tree.child(node, "this")
        if this >= 0:  # a parameter that only says what `this` is
            reader.define(this, LOCAL, function, told=f":{reader.expressions.annotation(node)}")
        return
    name = bound
    while tree.kinds[name] == "rest_pattern" and tree.children[name]:  # `name` in `...name`
        name = tree.children[name][-1]
    told = reader.expressions.annotation(node)
    is_pattern = tree.kinds[name] in PATTERNS
    type_ = f":{told}" if told else as_known(reader.contexts.parameter(node))
    place = reader.define(name, facts.PARAMETER, function, told=type_, text="" if is_pattern else None)
    reader.drafts[place].bases = [REST] if tree.kinds[bound] == "rest_pattern" else []
    note = tree.child(node, "type_annotation")
    if note >= 0:
        reader.opened[note] = place
    if is_pattern:
        bind_pattern(reader, name, facts.PARAMETER, tree.parents[tree.parents[node]])
    elif tree.child(node, "accessibility_modifier", "readonly", "override_modifier") >= 0:
        owner = reader.drafts[function].parent
        reader.define(name, facts.FIELD, owner, node=node, told=type_)


def read_arrow(reader: ScriptReader, node: int) -> None:
    """The one parameter of `x => …`."""
    tree = reader.tree
    name = tree.child(node, "identifier")
    if name >= 0 and name != tree.children[node][-1] and tree.child(node, "formal_parameters") < 0:
        expected = reader.contexts.expected(node)
        told = as_known(f"{expected}~0" if expected else "")
        reader.define(name, facts.PARAMETER, reader.opened[node], told=told)


def read_catch(reader: ScriptReader, node: int) -> None:
    """What a `catch` catches."""
    name = reader.tree.child(node, "identifier", *PATTERNS)
    if name >= 0 and reader.tree.kinds[name] == "identifier":
        scope = (reader.tree.starts[node], reader.tree.ends[node])
        reader.define(name, LOCAL, reader.within[node], scope=scope)
    elif name >= 0:
        bind_pattern(reader, name, LOCAL, name)


def read_loop(reader: ScriptReader, node: int) -> None:
    """The variable of `for (const x of …)`."""
    tree = reader.tree
    name = tree.child(node, "identifier", *PATTERNS) if tree.child(node, "const", "let", "var") >= 0 else -1
    scope = (tree.starts[node], tree.ends[node])
    if name >= 0 and tree.kinds[name] in PATTERNS:
        before = len(reader.drafts)
        bind_pattern(reader, name, LOCAL, name)
        for draft in reader.drafts[before:]:
            draft.scope = scope
    elif name >= 0:
        told = as_known(reader.contexts.taken_apart(name))
        reader.define(name, LOCAL, reader.within[node], told=told, scope=scope)


def read_type_parameter(reader: ScriptReader, node: int) -> None:
    """A type parameter, or what stands for a type inside one."""
    tree = reader.tree
    name = tree.child(node, "type_identifier")
    if name < 0:
        return
    constraint = tree.child(node, "constraint")
    told = f":{reader.expressions.type(tree.children[constraint][-1])}" if constraint >= 0 else ""
    reader.define(name, LOCAL, reader.within[node], told=told)


def read_assignment(reader: ScriptReader, node: int) -> None:
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
    place = reader.define(name, facts.FIELD, owner, node=node)
    if tree.kinds[tree.children[node][-1]] != "object":
        reader.drafts[place].type = as_known(reader.expressions.value(tree.children[node][-1]))


def read_tuple(reader: ScriptReader, node: int) -> None:
    """`[first: A, second: B]`: these names bind nothing."""
    for each in reader.tree.children[node]:
        if reader.tree.kinds[each].endswith("_parameter"):
            reader.settled.update(reader.tree.children[each][:1])


BINDINGS: dict[str, Callable[[ScriptReader, int], None]] = {
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
