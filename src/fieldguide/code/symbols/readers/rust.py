"""Reads symbols of Rust: items, members, paths, calls, `use` declarations, types, and what patterns bind.

A macro that stands where items do and holds items (`cfg_net! { … }`) is opened before parsing: its braces are taken
away, so that the grammar sees what is in it. The tokens of all others are followed as paths: `a::b(c).d`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fieldguide.code.symbols import facts
from fieldguide.code.symbols.facts import ImportedSymbol, SymbolDefinition
from fieldguide.code.symbols.readers.nodes import find_lines, find_part, kind_of, select
from fieldguide.code.symbols.readers.table import LONGEST_EXPRESSION, Declares, LanguageTable, Parts, Takes, TypeTable
from fieldguide.code.symbols.readers.walk import SyntaxWalk
from fieldguide.text import regex as re

# What is not closed goes on to the end: without `\Z` every opening would be followed to the end, and then given up.
LITERAL = (
    r"//[^\n]*|/\*(?:[^*]|\*+[^*/])*(?:\*+/|\**\Z)"
    r'|b?r#+"(?:[^"]|"[^#])*(?:"#+|"?\Z)|b?r"[^"]*"|b?"(?:[^"\\]|\\(?s:.))*"'
    r"|b?'(?:[^'\\\n]|\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F_]+\}|[^\n]))'|'\w+"
)
BRACES = re.compile(rf"{LITERAL}|(?P<open>^[ \t]*[a-z_][a-z0-9_]*!\s*\{{)|[{{}}]", re.MULTILINE)
ITEMS = re.compile(
    r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*+[^*/])*\*+/|#!?\[[^\]]*\])*"
    r"(?:pub\b(?:\([^)]*\))?\s*|default\s+|async\s+|unsafe\s+|extern\s+(?:\"[^\"]*\"\s*)?|const\s+)*"
    r"(?:fn\s+\w|struct\s+\w|enum\s+\w|union\s+\w+\s*\{|trait\s+\w|impl\b|use\s+[\w:{]|mod\s+\w|type\s+\w|const\s+\w+\s*:"
    r"|static\s+\w|extern\s+crate|macro_rules!|[a-z_][a-z0-9_]*!\s*\{)"
)
LONGEST_OPENING = 1_500  # characters of comments and attributes before an item

TOKEN = re.compile(rf"{LITERAL}|\$?(?:r#)?[A-Za-z_]\w*|\d\w*|::|[=!<>]=|=>|->|\.\.=?|[^\s\w]|\n")
MARK = "!"  # in place of a receiver where a macro is called: macros have names of their own
PARTS = "{}"
"""The step to the fields of a struct: `Foo { name: … }`."""
QUOTES = "\"'"
ROLES = {"(": facts.CALL, "!": facts.CALL, "::": facts.TYPE}
"""What a name is used for, by the token after it."""
KEYWORDS = frozenset((
    "as", "async", "await", "box", "break", "const", "continue", "dyn", "else", "enum", "extern", "false", "fn", "for",
    "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "static", "struct",
    "trait", "true", "type", "unsafe", "use", "where", "while",
))  # fmt: skip


def open_item_macros(text: str) -> str:
    """The text with `name! {` … `}` around items made `name!{}` … ` `, every character in its place."""
    if "! {" not in text:
        return text
    parts: list[str] = []
    done = 0
    nested: list[bool] = []
    for match in BRACES.finditer(text):
        word = match.group()
        if match.group("open") is not None:
            opening = text[match.end() : match.end() + LONGEST_OPENING]
            nested.append(word[-2].isspace() and ITEMS.match(opening) is not None)
            if nested[-1]:
                parts += (text[done : match.end() - 2], "{}")
                done = match.end()
        elif word == "{":
            nested.append(False)
        elif word == "}" and nested and nested.pop():
            parts += (text[done : match.start()], " ")
            done = match.end()
    return "".join((*parts, text[done:]))


@dataclass(slots=True)
class _Tokens:
    """The tokens of a macro's body, followed from the first to the last."""

    walk: SyntaxWalk
    within: int
    line: int
    column: int
    told: str = ""
    """The expression that ended just now; empty where none did."""
    joined: bool = False
    """Whether a dot or `::` came after it."""
    brackets: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Those that are open: what stood before each, and the bracket itself."""
    is_foreign: bool = False
    """Whether it is the body of a definition, whose names are meant where it is used."""

    def end(self, told: str) -> None:
        """An expression ended just now; an empty one where something else did."""
        self.told = told
        self.joined = False


def visit_invocation(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`name!(…)`: the macro is called, and the names in it are used."""
    called = node.field("macro")
    if called is not None and called.kind() == "identifier":
        walk.refer(called, within, facts.CALL, MARK)
    else:
        walk.go(called, within, facts.CALL)
    for body in node.named_children():
        if body.kind() == "token_tree":
            read_tokens(walk, body, within)


def read_tokens(walk: SyntaxWalk, body: Any, within: int, *, is_foreign: bool = False) -> None:
    """What the tokens of a bracket use."""
    span = body.range()
    text = walk.text[span.start.index + 1 : span.end.index - 1]
    tokens = _Tokens(walk, within, span.start.line + 1, span.start.column + 1, is_foreign=is_foreign)
    found = [(text[start:end], start) for start, end in TOKEN.spans(text)]
    begun = 0
    for number, (word, start) in enumerate(found):
        if word == "\n":
            tokens.line = tokens.line + 1
            tokens.column = 0
            begun = start + 1
            continue
        following = found[number + 1][0] if number + 1 < len(found) else ""
        _read_token(tokens, word, tokens.column + start - begun, following)
        breaks = word.count("\n")
        if breaks:
            tokens.line += breaks
            tokens.column = 0
            begun = start + word.rfind("\n") + 1


def _read_token(tokens: _Tokens, word: str, column: int, following: str) -> None:
    if word in (".", "::"):
        tokens.joined = bool(tokens.told) or word == "."
        tokens.told = tokens.told or (facts.UNKNOWN if word == "." else "")
    elif word == "?" and tokens.told:
        tokens.told += ".unwrap()"
    elif word in "([{":
        tokens.brackets.append((tokens.told, word))
        tokens.end("")
    elif word in ")]}":
        before, bracket = tokens.brackets.pop() if tokens.brackets else ("", "")
        told = f"{before}{'[]' if bracket == '[' else '()'}" if before else facts.UNKNOWN
        tokens.end(told if len(told) <= LONGEST_EXPRESSION else facts.UNKNOWN)
    elif _is_literal(word):
        tokens.end(facts.UNKNOWN)
    elif word[0].isalpha() or word[0] == "_":
        _read_name(tokens, word.removeprefix("r#"), column, following)
    elif word[0].isdigit() and tokens.joined:
        tokens.end(f"{tokens.told}.{word}")
    else:
        tokens.end("")


def _is_literal(word: str) -> bool:
    """Whether a token is a string or a character: `b"a"`, `'a'`; not the lifetime `'a`."""
    if len(word) == 1:
        return False
    if word[0] in QUOTES:
        return not word[1:].isidentifier()
    return word[-1] in QUOTES and (word[0].isalpha() or word[0] == "_")


def _read_name(tokens: _Tokens, name: str, column: int, following: str) -> None:
    """What a name, with the expression before it, is used for at a place."""
    if name in KEYWORDS:
        tokens.end(tokens.told if name == "await" else "")
        return
    before = tokens.told if tokens.joined else ""
    tokens.end(f"{before}.{name}" if before else name)
    place = (tokens.line, column, tokens.within)
    opened, bracket = tokens.brackets[-1] if tokens.brackets else ("", "")
    is_made = bracket == "{" and opened.rpartition(".")[2][:1].isupper()
    if name in ("self", "crate", "super"):
        return
    if following == "!" and not before:
        tokens.walk.refer_at(name, *place, facts.CALL, MARK)
        tokens.told = ""
    elif name == "Self":
        refer_to_own_type(tokens.walk, *place)
    elif not before and is_made and following in (":", ",", ""):  # a field: `Foo { name: … }`
        tokens.walk.refer_at(name, *place, facts.WRITE, f"{opened}.{PARTS}")
    else:
        tokens.walk.refer_at(
            name, *place, ROLES.get(following, facts.READ), facts.UNKNOWN if tokens.is_foreign else before
        )


MACRO_OWNERS = frozenset(("extension", "class", "enum"))


def refer_to_own_type(walk: SyntaxWalk, line: int, column: int, within: int) -> None:
    """`Self`: the type that the place belongs to, by its name."""
    place = walk.around(within, MACRO_OWNERS)
    if place < 0:
        return
    owner = walk.definitions[place]
    told = owner.type[1:].partition("<")[0] if owner.type else owner.name
    before, _, name = told.rpartition(".")
    walk.refer_at(name, line, column, within, facts.TYPE, before)


SEEN_THROUGH = frozenset(
    ("Arc", "Box", "Pin", "Rc", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard")
)
"""Types of the standard library whose methods are rarely meant where a dot follows."""


def _describe_generic(walk: SyntaxWalk, node: Any, depth: int) -> str:
    whole = TYPES.describe(walk, node.field("type"), depth)
    given = select(node, "type_arguments/~lifetime")
    if whole.rpartition(".")[2] in SEEN_THROUGH and given:
        return TYPES.describe(walk, given[0], depth)
    if whole == "Cow" and given:
        return TYPES.describe(walk, given[-1], depth)
    return TYPES.give(walk, whole, given, depth)


TYPES = TypeTable(
    names=frozenset(("type_identifier", "primitive_type", "identifier")),
    paths=frozenset(("scoped_type_identifier",)),
    holders={"tuple_type": ("tuple", "*"), "array_type": ("Vec", "element"), "slice_type": ("Vec", "element")},
    inner={
        "abstract_type": "trait", "bracketed_type": "0", "bounded_type": "0", "dynamic_type": "trait",
        "pointer_type": "type", "qualified_type": "type", "reference_type": "type",
        "higher_ranked_trait_bound": "type",
    },
    special={"generic_type": _describe_generic},
    values={"type_cast_expression": "type"},
    most_arguments=6,
    deepest=6,
)  # fmt: skip
MOST_PATTERNS = 200
HOLDERS = frozenset(("Some", "Ok"))
OVER_ELEMENTS = frozenset((
    "all", "and_then", "any", "filter", "filter_map", "find", "find_map", "flat_map", "for_each", "inspect",
    "is_some_and", "map", "map_or", "map_or_else", "max_by_key", "min_by_key", "partition", "position", "retain",
    "skip_while", "sort_by_key", "take_while", "then", "try_for_each",
))  # fmt: skip
"""Methods of the standard library that give a closure what is in the receiver."""

Lines = tuple[int, int]


Told = list[tuple[Any, str]]
"""Patterns with what is told of what each is given."""


def bind_pattern(
    walk: SyntaxWalk, pattern: Any, parent: int, told: str, *, visible: Lines, kind: str = facts.LOCAL
) -> None:
    """The names that a pattern binds, and those that it uses."""
    pending = [(pattern, told)]
    for _ in range(MOST_PATTERNS):
        if not pending:
            return
        node, told = pending.pop()
        of_kind = kind_of(node)
        if of_kind in ("identifier", "shorthand_field_identifier") and _is_new(str(node.text())):
            walk.define(node, kind, parent, told=told, visible=visible)
        elif of_kind == "captured_pattern":  # a @ …
            name, *rest = node.named_children()
            walk.define(name, kind, parent, told=told, visible=visible)
            pending += [(each, told) for each in reversed(rest)]
        elif of_kind == "tuple_pattern":
            parts = [(each, _part(told, str(n))) for n, each in enumerate(node.named_children())]
            pending += reversed(parts)
        elif of_kind in PATTERNS:
            pending += reversed(PATTERNS[of_kind](walk, node, parent, told))
        else:
            walk.go(node, parent)


def _open_inner(walk: SyntaxWalk, node: Any, parent: int, told: str) -> Told:
    """What is given to the patterns in it as it is."""
    return [(each, told) for each in select(node, "~mutable_specifier")]


def _open_matched(walk: SyntaxWalk, node: Any, parent: int, told: str) -> Told:
    """A pattern that may have a guard."""
    guard = node.field("condition")
    walk.go(guard, parent)
    inside = _open_inner(walk, node, parent, told)
    return inside if guard is None else inside[:1]


def _open_tuple_struct(walk: SyntaxWalk, node: Any, parent: int, told: str) -> Told:
    made = node.field("type")
    walk.go(made, parent)
    name = walk.expression(made)
    inside = node.named_children()[1:]
    if name in HOLDERS:
        return [(each, _part(told, "unwrap()")) for each in inside]
    return [(each, f"={name}.{n}") for n, each in enumerate(inside)]


def _open_struct(walk: SyntaxWalk, node: Any, parent: int, told: str) -> Told:
    made = node.field("type")
    walk.go(made, parent)
    name = walk.expression(made)
    inside: Told = []
    for each in select(node, "#field_pattern"):
        field = each.field("name")
        if field is not None:
            walk.refer(field, parent, facts.READ, f"{name}.{PARTS}")
            inside.append((each.field("pattern") or field, f"={name}.{field.text()}"))
    return inside


PATTERNS: dict[str, Callable[[SyntaxWalk, Any, int, str], Told]] = {
    "match_pattern": _open_matched,
    "struct_pattern": _open_struct,
    "tuple_struct_pattern": _open_tuple_struct,
    **dict.fromkeys(("mut_pattern", "ref_pattern", "reference_pattern", "or_pattern", "slice_pattern"), _open_inner),
}
"""The patterns in a pattern, by its kind."""


def _is_new(name: str) -> bool:
    """By custom, what begins small in a pattern is bound by it, and all else names something."""
    return name[0].islower() or (name[0] == "_" and name.lower() == name)


def _part(told: str, part: str) -> str:
    """What is told of a part of what is told."""
    return f"={told[1:]}.{part}" if told.startswith("=") and facts.UNKNOWN not in told else ""


def visit_let(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`let a: T = b else { … };`; it is seen from the next line on."""
    walk.read(node, "type:type value alternative", within)
    declared = TYPES.tell(walk, node.field("type"))
    told = declared if declared and declared != ":_" else walk.describe_value(node.field("value"))
    last = (node.parent() or node).range().end.line + 1
    bind_pattern(walk, node.field("pattern"), within, told, visible=(node.range().end.line + 2, last))


def visit_condition(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`if let P = v`, `while let P = v`: seen to the end of the whole."""
    above = node.parent()
    while above is not None and above.kind() == "let_chain":
        above = above.parent()
    visible = (node.range().start.line + 1, (above or node).range().end.line + 1)
    told = walk.describe_value(node.field("value"))
    bind_pattern(walk, node.field("pattern"), within, told, visible=visible)
    walk.read(node, "value", within)


def visit_match(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`match v { P => … }`: every arm binds what its pattern says."""
    walk.read(node, "value", within)
    told = walk.describe_value(node.field("value"))
    for arm in select(node, "body/#match_arm"):
        bind_pattern(walk, arm.field("pattern"), within, told, visible=find_lines(arm))
        walk.go(arm.field("value"), within)


def visit_for(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`for P in v { … }`."""
    told = walk.describe_value(node.field("value"))
    bind_pattern(walk, node.field("pattern"), within, f"{told}[]" if told else "", visible=find_lines(node))
    walk.read(node, "value body", within)


def visit_closure(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`|a, b: T| …`."""
    bind_closure(walk, node, within, "")


def bind_closure(walk: SyntaxWalk, node: Any, within: int, told: str) -> None:
    """The parameters of a closure that is given values of a type."""
    for each in select(node, "parameters/*"):
        if each.kind() == "parameter":
            bind_parameter(walk, each, within, within, find_lines(node))
        else:
            bind_pattern(walk, each, within, told, visible=find_lines(node), kind=facts.PARAMETER)
    walk.read(node, "return_type:type body", within)


def bind_parameter(walk: SyntaxWalk, node: Any, place: int, within: int, visible: Lines = (0, 0)) -> None:
    """One parameter with its type."""
    annotation = node.field("type")
    walk.go(annotation, within, facts.TYPE)
    told = TYPES.tell(walk, annotation)
    bind_pattern(walk, node.field("pattern"), place, told, visible=visible, kind=facts.PARAMETER)


def describe_closure_argument(walk: SyntaxWalk, called: Any) -> str:
    """What a method gives to its closure: what is in the receiver, for methods that are known."""
    name = find_part(called, "field") if kind_of(called) == "field_expression" else None
    return walk.tell_value(called.field("value"), "[]") if name is not None and name.text() in OVER_ELEMENTS else ""


def visit_name(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A bare name; `Self` is the type around it."""
    if node.text() == "Self":
        start = node.range().start
        refer_to_own_type(walk, start.line + 1, start.column, within)
        return
    walk.refer(node, within, role)


def visit_call(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A call; a closure that it is given may be given what is in the receiver."""
    called = node.field("function")
    walk.go(called, within, facts.CALL)
    for each in select(node, "arguments/*"):
        if each.kind() == "closure_expression":
            bind_closure(walk, each, within, describe_closure_argument(walk, called))
        else:
            walk.go(each, within)


def visit_made(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`Foo { a: b, c }`: its fields are written to."""
    walk.read(node, "name:call", within)
    told = walk.expression(node.field("name"))
    for each in select(node, "body/*"):
        is_short = each.kind() == "shorthand_field_initializer"
        field = find_part(each, "#identifier" if is_short else "field")
        walk.refer(field, within, facts.WRITE, f"{told}.{PARTS}")
        walk.read(each, "value" if each.kind() == "field_initializer" else "*", within)


MOST_PATHS = 2_000
MOST_MODULES = 50
WORDS = frozenset(("self", "super", "crate"))
PathParts = tuple[str, ...]


def visit_use(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`use a::{b as c, d::*};`."""
    line = node.range().start.line + 1
    pending: list[tuple[PathParts, Any]] = [((), node.field("argument"))]
    for _ in range(MOST_PATHS):
        if not pending:
            return
        before, tree = pending.pop()
        kind = kind_of(tree)
        if kind in ("use_list", "scoped_use_list"):
            inner = tree
            if kind == "scoped_use_list":
                before = before + _path(walk, tree.field("path"), within, before, is_last=False)
                inner = tree.field("list")
            pending += [(before, each) for each in reversed(select(inner, "*"))]
        elif kind == "use_as_clause":
            path = before + _path(walk, tree.field("path"), within, before)
            _bind(walk, tree.field("alias"), path, within, line)
        elif kind == "use_wildcard":
            path = before + _path(walk, find_part(tree, "0"), within, before, is_last=False)
            _note_import(walk, "::".join(path), line, facts.EVERYTHING, within)
        elif kind and "comment" not in kind:
            path = before + _path(walk, tree, within, before)
            _bind(walk, tree.field("name") or tree, path, within, line)


def _note_import(walk: SyntaxWalk, text: str, line: int, name: str, within: int, keyword: str = "use") -> str:
    """A name that is taken out of a path, in the modules of the file around a place."""
    modules: list[str] = []
    while within >= 0 and len(modules) < MOST_MODULES:
        if walk.definitions[within].kind == facts.MODULE:
            modules.append(walk.definitions[within].name)
        within = walk.definitions[within].parent
    scope = "::".join(reversed(modules))
    return walk.imports(ImportedSymbol(text, line, name, keyword == "mod", keyword, scope))


def visit_extern(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`extern crate a as b;`."""
    name = node.field("name")
    if name is not None:
        told = _note_import(walk, "", node.range().start.line + 1, str(name.text()), within, "extern")
        walk.define(node.field("alias") or name, facts.IMPORTED, within, told=told)


def _path(walk: SyntaxWalk, node: Any, within: int, before: PathParts, *, is_last: bool = True) -> PathParts:
    """The parts of a path, each of which is used here."""
    found: list[Any] = []
    while node is not None and len(found) < 50:
        kind = str(node.kind())
        found.append(node.field("name") if kind == "scoped_identifier" else node)
        node = node.field("path") if kind == "scoped_identifier" else None
    parts = before
    for each in reversed(found):
        name = str(each.text()).removeprefix("r#")
        if name not in WORDS:
            walk.refer(each, within, facts.IMPORT if is_last and each is found[0] else facts.TYPE, ".".join(parts))
        parts = (*parts, name)
    return parts[len(before) :]


def _bind(walk: SyntaxWalk, name: Any, path: PathParts, within: int, line: int) -> None:
    if path and path[-1] == "self":  # a::{self}
        path = path[:-1]
    if not path or name is None or name.text() == "_":
        return
    told = _note_import(walk, "::".join(path[:-1]), line, path[-1], within)
    if name.text() == "self":
        start = name.range().start
        walk.definitions.append(
            SymbolDefinition(path[-1], facts.IMPORTED, within, start.line + 1, start.column, start.line + 1, type=told)
        )
    else:
        walk.define(name, facts.IMPORTED, within, told=told)


OWNERS = frozenset((facts.EXTENSION, facts.INTERFACE))
MOST_COMMENTS = 30


def choose_function(walk: SyntaxWalk, node: Any, within: int) -> str:
    """The kind of a function; in an `impl` or a trait a method."""
    return facts.METHOD if within >= 0 and walk.definitions[within].kind in OWNERS else facts.FUNCTION


def read_parameters(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """The types that a function takes, and its parameters."""
    bind_types(walk, node, place, within)
    for each in select(node, "parameters/#parameter"):
        bind_parameter(walk, each, place, place)


def visit_impl(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """A part of a type that is defined elsewhere; with a trait, what the type is besides."""
    told = TYPES.tell(walk, node.field("type"))
    inherited = TYPES.describe(walk, node.field("trait"))
    name = _last_name(node.field("type"))
    body = node.field("body")
    if not told or name is None:
        walk.go_below(node, within)
        return
    bases = [inherited] if inherited else ()
    place = walk.define(name, facts.EXTENSION, within, whole=node, body=body, told=told, bases=bases, scope=within)
    bind_types(walk, node, place, within)
    walk.read(node, "trait:inherit type:type body", place)


def _last_name(node: Any) -> Any:
    for _ in range(8):
        if node is None or node.kind() in ("type_identifier", "primitive_type"):
            return node
        kind = str(node.kind())
        field = {"scoped_type_identifier": "name", "generic_type": "type", "reference_type": "type"}.get(kind)
        node = node.field(field) if field else None
    return None


def bind_types(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """`<T: Bound>` and `where T: Bound`: what is of that type has what the bound has."""
    where = find_part(node, "#where_clause")
    bounds: dict[str, str] = {}
    for each in select(where, "*"):
        left = each.field("left")
        if kind_of(left) == "type_identifier":
            bounds.setdefault(str(left.text()), _bound(walk, each.field("bounds")))
    for each in select(node, "type_parameters/#type_parameter"):
        name = each.field("name")
        if name is None:
            continue
        told = _bound(walk, each.field("bounds")) or bounds.get(str(name.text()), "")
        walk.define(name, facts.LOCAL, place, told=f":{told}" if told else "", scope=walk.definitions[place].parent)
        walk.read(each, "bounds:type default_type:type", place)
    walk.go(where, place, facts.TYPE)


def _bound(walk: SyntaxWalk, node: Any) -> str:
    return "|".join(filter(None, [TYPES.describe(walk, each) for each in select(node, "*")]))


def visit_ordered(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """The fields without names of a struct or of a variant: known by their numbers."""
    types = select(node, "~visibility_modifier,attribute_item")
    told = [TYPES.describe(walk, each) or facts.UNKNOWN for each in types if "comment" not in each.kind()]
    walk.retype(within, f":tuple<{','.join(told)}>", within)
    walk.read(node, "~visibility_modifier,attribute_item:type", within)


def describe_alias(walk: SyntaxWalk, node: Any, one: Any, within: int) -> str:
    """The type that another name means, or what a trait asks of it."""
    told = TYPES.describe(walk, node.field("type")) or _bound(walk, node.field("bounds"))
    return f":{told}" if told else ""


def describe_module(walk: SyntaxWalk, node: Any, one: Any, within: int) -> str:
    """What leads to a module in a file of its own."""
    if node.field("body") is not None:
        return ""
    return _note_import(walk, str(node.field("name").text()), node.range().start.line + 1, "", within, "mod")


def read_rules(walk: SyntaxWalk, node: Any, place: int, within: int) -> None:
    """`macro_rules! name { … }`: what it will use is only known where it is used."""
    for right in select(node, "#macro_rule/right"):
        read_tokens(walk, right, place, is_foreign=True)


def read_doc(node: Any) -> str:
    """The first paragraph of the comment before an item that is written for readers of its documentation."""
    lines: list[str] = []
    before = node.prev()
    for _ in range(MOST_COMMENTS):
        kind = kind_of(before)
        if kind == "line_comment" and before.text().startswith("///"):
            lines.append(before.text().removeprefix("///").strip())
        elif kind != "attribute_item" and kind != "line_comment":
            break
        before = before.prev()
    return "\n".join(reversed(lines)).strip().partition("\n\n")[0].replace("\n", " ")


CONSTANT_PARTS = "^type:type ^value"
STRUCT = Declares(facts.CLASS, "body", then=bind_types)
ALIAS = Declares(facts.ALIAS, "type:type bounds:type", told=describe_alias, body="", then=bind_types)
FUNCTION = Declares(choose_function, "return_type:type body", declared="return_type", then=read_parameters)
PATH = Takes("path", "name", role_before=facts.TYPE, alone="crate")
GENERIC = Parts("function|type:= type_arguments:type")
LANGUAGE = LanguageTable(
    "rust",
    visits={
        "assignment_expression": Parts("left:write right"),
        "associated_type": ALIAS,
        "call_expression": visit_call,
        "closure_expression": visit_closure,
        "compound_assignment_expr": Parts("left:write right"),
        "const_item": Declares(facts.CONSTANT, CONSTANT_PARTS, declared="type", body="value", is_optional=True),
        "enum_item": Declares(facts.ENUM, "body", then=bind_types),
        "enum_variant": Declares(facts.CONSTANT, "body ^value", body=""),
        "extern_crate_declaration": visit_extern,
        "field_declaration": Declares(facts.FIELD, "^type:type", declared="type", is_optional=True),
        "for_expression": visit_for,
        "function_item": FUNCTION,
        "function_signature_item": FUNCTION,
        "generic_function": GENERIC,
        "generic_type": GENERIC,
        "generic_type_with_turbofish": GENERIC,
        "identifier": visit_name,
        "impl_item": visit_impl,
        "let_condition": visit_condition,
        "let_declaration": visit_let,
        "macro_definition": Declares(facts.MACRO, body="", then=read_rules),
        "macro_invocation": visit_invocation,
        "match_expression": visit_match,
        "mod_item": Declares(facts.MODULE, "body", told=describe_module),
        "ordered_field_declaration_list": visit_ordered,
        "scoped_identifier": PATH,
        "scoped_type_identifier": PATH,
        "static_item": Declares(facts.VARIABLE, CONSTANT_PARTS, declared="type", body="value", is_optional=True),
        "struct_expression": visit_made,
        "struct_item": STRUCT,
        "trait_item": Declares(facts.INTERFACE, "^bounds/*:inherit body", bases="bounds/*", then=bind_types),
        "type_binding": Parts("type:type"),
        "type_identifier": visit_name,
        "type_item": ALIAS,
        "union_item": STRUCT,
        "use_declaration": visit_use,
    },
    names=frozenset(("identifier", "type_identifier")),
    members={
        "field_expression": ("value", "field"),
        "scoped_identifier": ("path", "name"),
        "scoped_type_identifier": ("path", "name"),
    },
    calls={"call_expression": "function"},
    endings={
        "index_expression": ("", "[]"),
        "struct_expression": ("name", "()"),
        "try_expression": ("", ".unwrap()"),
    },
    wrappers={
        "await_expression": "", "bracketed_type": "", "generic_function": "function", "generic_type": "type",
        "generic_type_with_turbofish": "type", "parenthesized_expression": "", "qualified_type": "type",
        "reference_expression": "value", "unary_expression": "",
    },
    types=TYPES,
    read_doc=read_doc,
    words={"crate": "crate", "self": "self", "super": "super"},
    skipped=frozenset((
        "attribute_item", "block_comment", "crate", "inner_attribute_item", "label", "lifetime", "line_comment",
        "primitive_type", "self", "string_literal", "super", "visibility_modifier",
    )),
    prepare=open_item_macros,
)  # fmt: skip
