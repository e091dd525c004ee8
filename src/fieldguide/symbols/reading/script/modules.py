"""What a script imports and what it gives out: `import`, `export`, `require` and `module.exports`."""

from collections.abc import Callable

from fieldguide.symbols.facts import CONSTANT, EVERYTHING, EXPORTED, FIELD, IMPORT, IMPORTED, READ
from fieldguide.symbols.reading.script.declarations import give
from fieldguide.symbols.reading.script.expressions import FUNCTION_VALUES, OBJECT
from fieldguide.symbols.reading.script.reader import WHOLE, Reader, known

DEFAULT = "default"


def read_import(reader: Reader, node: int) -> None:
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


def _quoted(reader: Reader, node: int) -> str:
    return reader.tree.words(node).strip("'\"`") if node >= 0 else ""


def _names(reader: Reader, specifier: int) -> list[int]:
    tree = reader.tree
    return [each for each in tree.children[specifier] if tree.kinds[each] in ("identifier", "string", DEFAULT)]


def _specifier(reader: Reader, specifier: int, text: str) -> None:
    if reader.tree.kinds[specifier] != "import_specifier":
        return
    names = _names(reader, specifier)
    if not names:
        return
    _bind(reader, names[-1], text, reader.tree.words(names[0]).strip("'\""))
    if len(names) > 1:
        reader.settled.add(names[0])
        if reader.tree.words(names[0]) != DEFAULT:
            reader.refer(names[0], IMPORT, reader.drafts[-1].type)


def _bind(reader: Reader, local: int, text: str, name: str, keyword: str = "import") -> None:
    """A local name for what is imported: a definition for scopes, and a use of what it stands for."""
    if local < 0 or not text:
        return
    told = reader.imported(text, reader.tree.starts[local], name, keyword)
    reader.define(local, IMPORTED, reader.around(local), told=told)
    reader.refer(local, IMPORT, told)
    if name in (DEFAULT, WHOLE):
        reader.refer_to(unnamed(name, text), reader.tree.starts[local], reader.around(local), IMPORT, told)


def unnamed(name: str, module: str) -> str:
    """How uses are kept of what has no name of its own outside its module: by the last part of the module's."""
    last = module.rstrip("/").rpartition("/")[2]
    return f"{name}:{last.partition('.')[0]}"


def read_export(reader: Reader, node: int) -> None:
    """An `export` that declares nothing: names of this module or another one."""
    tree = reader.tree
    source, clause = tree.child(node, "string"), tree.child(node, "export_clause")
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


def _given(reader: Reader, specifier: int, text: str) -> None:
    tree = reader.tree
    if tree.kinds[specifier] != "export_specifier":
        return
    names = _names(reader, specifier)
    if not names:
        return
    first, last = names[0], names[-1]
    inside = tree.words(first).strip("'\"")
    told = reader.imported(text, tree.starts[first], inside, "export") if text else f"={inside}"
    reader.define(last, EXPORTED, reader.around(specifier), told=told)
    reader.settled.add(first)
    if text and inside == DEFAULT:
        reader.refer_to(unnamed(DEFAULT, text), tree.starts[first], reader.around(first), IMPORT, told)
    elif inside != DEFAULT:
        reader.refer(first, IMPORT, told if text else "")
    if first != last:
        reader.refer(last, IMPORT, told)


def _given_alone(reader: Reader, node: int) -> None:
    """`export default value` and `export = value`."""
    tree = reader.tree
    value = tree.children[node][-1]
    if (
        tree.kinds[value] in ("decorator", DEFAULT, "object", "class", *FUNCTION_VALUES)
        or "declaration" in tree.kinds[value]
    ):
        _given_declared(reader, node, value)
        return
    told = known(reader.expressions.value(value))
    is_default = tree.child(node, DEFAULT) >= 0
    place = tree.child(node, DEFAULT) if is_default else value
    before = set(reader.settled)
    reader.define(place, EXPORTED, reader.within[node], node=node, told=told, text=DEFAULT if is_default else WHOLE)
    reader.settled = before


def _given_declared(reader: Reader, node: int, value: int) -> None:
    """`export default function name() {}`: the name is given out as the default too."""
    tree = reader.tree
    name = tree.child(value, "identifier", "type_identifier")
    word = tree.child(node, DEFAULT)
    if name >= 0 and word >= 0:
        reader.define(word, EXPORTED, reader.within[node], told=f"={tree.words(name)}", text=DEFAULT)


def read_required(reader: Reader, node: int) -> bool:
    """`const { a, b: c } = require("…")`, which imports like an import; whether it is one."""
    tree = reader.tree
    name, value = tree.children[node][0], tree.children[node][-1]
    if tree.kinds[value] != "call_expression" or tree.words(tree.children[value][0]) != "require":
        return False
    given = reader.given_text(value)
    if given < 0 or tree.kinds[name] not in ("identifier", "object_pattern"):
        return False
    text = _quoted(reader, given)
    if tree.kinds[name] == "identifier":
        _bind(reader, name, text, WHOLE, "require")
    else:
        for each in tree.children[name]:
            _bind_key(reader, each, text)
    return True


def _bind_key(reader: Reader, node: int, text: str) -> None:
    """`a`, or `b: c`, out of what a module gives."""
    tree = reader.tree
    if tree.kinds[node] == "shorthand_property_identifier_pattern":
        _bind(reader, node, text, tree.words(node), "require")
    elif tree.kinds[node] == "pair_pattern" and tree.kinds[tree.children[node][-1]] == "identifier":
        key, local = tree.children[node][0], tree.children[node][-1]
        _bind(reader, local, text, tree.words(key), "require")
        reader.refer(key, IMPORT, reader.drafts[-1].type)
        reader.settled.add(key)


def read_common(reader: Reader, node: int) -> None:
    """`module.exports = …`, `exports.x = …`."""
    tree = reader.tree
    left, value = tree.children[node][0], tree.children[node][-1]
    told = tree.words(left) if tree.ends[left] - tree.starts[left] < 200 else ""
    if told == "module.exports":
        place = reader.define(left, EXPORTED, -1, node=node, text=WHOLE)
        _give(reader, value, place)
        return
    before, _, name = told.rpartition(".")
    if before not in ("exports", "module.exports") or not name.isidentifier():
        return
    if tree.kinds[value] == "identifier":
        reader.define(left, EXPORTED, -1, told=f"={tree.words(value)}", text=name)
    else:
        place = reader.define(tree.children[left][-1], CONSTANT, -1, node=node)
        give(reader, value, place)


def _give(reader: Reader, value: int, place: int) -> None:
    kind = reader.tree.kinds[value]
    if kind == "object":
        reader.opened[value] = place
        reader.drafts[place].type = f"={OBJECT}"
    elif kind in FUNCTION_VALUES or kind == "class":
        give(reader, value, place)
    else:
        reader.drafts[place].type = known(reader.expressions.value(value))


def read_shorthand(reader: Reader, node: int) -> None:
    """`{ a }`: a use of the variable, and of the member that is expected here."""
    reader.refer(node, READ)
    parent = reader.tree.parents[node]
    expected = reader.contexts.expected(parent)
    if expected:
        reader.refer(node, READ, expected)
    if parent in reader.opened:
        owner = reader.opened[parent]
        is_module = owner >= 0 and reader.drafts[owner].name == WHOLE
        reader.define(node, EXPORTED if is_module else FIELD, owner, told=f"={reader.tree.words(node)}")


MODULES: dict[str, Callable[[Reader, int], None]] = {
    "import_statement": read_import,
    "export_statement": read_export,
    "assignment_expression": read_common,
    "shorthand_property_identifier": read_shorthand,
}
