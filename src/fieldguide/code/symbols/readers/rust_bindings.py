"""Reads what `let`, parameters, patterns, loops and closures of Rust bind, and Rust's types."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fieldguide.code.symbols.facts import CALL, LOCAL, PARAMETER, READ, TYPE, UNKNOWN, WRITE
from fieldguide.code.symbols.readers.walk import LONGEST_EXPRESSION, SyntaxWalk, kind_of
from fieldguide.text import regex as re

LITERAL = (
    r"//[^\n]*|/\*(?:[^*]|\*+[^*/])*\*+/"
    r'|b?r#+"(?:[^"]|"[^#])*"#+|b?r"[^"]*"|b?"(?:[^"\\]|\\(?s:.))*"'
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
MARK = "!"
"""What stands in place of a receiver where a macro is called: macros have names of their own."""
PARTS = "{}"
"""The step to the fields of a struct: `Foo { name: … }`."""
QUOTES = "\"'"
ROLES = {"(": CALL, "!": CALL, "::": TYPE}
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
    made = list[tuple[int, int, str]]()
    nested: list[bool] = []
    for match in BRACES.finditer(text):
        word = match.group()
        if match.group("open") is not None:
            nested.append(word[-2].isspace() and _holds_items(text, match.end()))
            if nested[-1]:
                made.append((match.end() - 2, match.end(), "{}"))
        elif word == "{":
            nested.append(False)
        elif word == "}" and nested and nested.pop():
            made.append((match.start(), match.end(), " "))
    return _with(text, made)


def _holds_items(text: str, start: int) -> bool:
    return ITEMS.match(text[start : start + LONGEST_OPENING]) is not None


def _with(text: str, changes: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, new in changes:
        parts += (text[done:start], new)
        done = end
    return "".join((*parts, text[done:]))


@dataclass(slots=True)
class _Bracket:
    """An open bracket: what stood before it, and whether that makes a struct of it."""

    before: str
    word: str
    made: str = ""


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
    brackets: list[_Bracket] = field(default_factory=list[_Bracket])
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
        walk.refer(called, within, CALL, MARK)
    else:
        walk.go(called, within, CALL)
    for body in node.named_children():
        if body.kind() == "token_tree":
            read_tokens(walk, body, within)


def read_tokens(walk: SyntaxWalk, body: Any, within: int, *, is_foreign: bool = False) -> None:
    """What the tokens of a bracket use."""
    span = body.range()
    text = walk.text[span.start.index + 1 : span.end.index - 1]
    tokens = _Tokens(walk, within, span.start.line + 1, span.start.column + 1, is_foreign=is_foreign)
    found = [(match.group(), match.start()) for match in TOKEN.finditer(text)]
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
    read = SIGNS.get(word)
    if read is not None:
        read(tokens, word)
    elif _is_literal(word):
        tokens.end(UNKNOWN)
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


def _join(tokens: _Tokens, word: str) -> None:
    """A dot, or `::`."""
    tokens.joined = bool(tokens.told) or word == "."
    tokens.told = tokens.told or (UNKNOWN if word == "." else "")


def _unwrap(tokens: _Tokens, word: str) -> None:
    if tokens.told:
        tokens.told += ".unwrap()"
    else:
        tokens.joined = False


def _open(tokens: _Tokens, word: str) -> None:
    tokens.brackets.append(_Bracket(tokens.told, word))
    tokens.end("")


def _close(tokens: _Tokens, word: str) -> None:
    bracket = tokens.brackets.pop() if tokens.brackets else _Bracket("", "")
    ending = "[]" if bracket.word == "[" else "()"
    tokens.end(f"{bracket.before}{ending}" if bracket.before else UNKNOWN)
    if len(tokens.told) > LONGEST_EXPRESSION:
        tokens.told = UNKNOWN


SIGNS: dict[str, Callable[[_Tokens, str], None]] = {
    **dict.fromkeys((".", "::"), _join),
    **dict.fromkeys("([{", _open),
    **dict.fromkeys(")]}", _close),
    "?": _unwrap,
}


def _read_name(tokens: _Tokens, name: str, column: int, following: str) -> None:
    if name in KEYWORDS:
        tokens.end(tokens.told if name == "await" else "")
        return
    before = tokens.told if tokens.joined else ""
    tokens.end(f"{before}.{name}" if before else name)
    if name not in ("self", "crate", "super"):
        _refer(tokens, name, before, (tokens.line, column, tokens.within), following)


def _refer(tokens: _Tokens, name: str, before: str, place: tuple[int, int, int], following: str) -> None:
    """What a name, with the expression before it, is used for at a place."""
    if following == "!" and not before:
        tokens.walk.refer_at(name, *place, CALL, MARK)
        tokens.told = ""
    elif name == "Self":
        refer_to_own_type(tokens.walk, *place)
    elif not before and _is_part(tokens, following):
        tokens.walk.refer_at(name, *place, WRITE, f"{tokens.brackets[-1].before}.{PARTS}")
    else:
        tokens.walk.refer_at(name, *place, ROLES.get(following, READ), UNKNOWN if tokens.is_foreign else before)


def _is_part(tokens: _Tokens, following: str) -> bool:
    """Whether a name is that of a field: `Foo { name: … }`."""
    if not tokens.brackets or tokens.brackets[-1].word != "{" or following not in (":", ",", ""):
        return False
    made = tokens.brackets[-1].before.rpartition(".")[2]
    return made[:1].isupper()


OWNERS = frozenset(("extension", "class", "enum"))


def refer_to_own_type(walk: SyntaxWalk, line: int, column: int, within: int) -> None:
    """`Self`: the type that the place belongs to, by its name."""
    place = walk.around(within, OWNERS)
    if place < 0:
        return
    owner = walk.definitions[place]
    told = owner.type[1:].partition("<")[0] if owner.type else owner.name
    before, _, name = told.rpartition(".")
    walk.refer_at(name, line, column, within, TYPE, before)


DEEPEST = 6
MOST_ARGUMENTS = 6
NAMES = frozenset(("type_identifier", "primitive_type", "identifier"))
SEEN_THROUGH = frozenset(
    ("Arc", "Box", "Pin", "Rc", "Ref", "RefMut", "MutexGuard", "RwLockReadGuard", "RwLockWriteGuard")
)
"""Types of the standard library whose methods are rarely meant where a dot follows."""
INNER_FIELDS = {
    "abstract_type": "trait", "bracketed_type": "", "bounded_type": "", "dynamic_type": "trait", "pointer_type": "type",
    "qualified_type": "type", "reference_type": "type", "higher_ranked_trait_bound": "type",
}  # fmt: skip
SEQUENCES = frozenset(("array_type", "slice_type"))


def describe_type(walk: SyntaxWalk, node: Any, depth: int = 0) -> str:
    """A type as an expression; empty where it says nothing."""
    node = _pointed_at(node)
    if node is None or depth > DEEPEST:
        return ""
    kind = str(node.kind())
    if kind in NAMES:
        return str(node.text())
    if kind == "scoped_type_identifier":
        told = walk.expression(node)
        return "" if "?" in told else told
    if kind == "generic_type":
        return _generic(walk, node, depth)
    if kind == "tuple_type":
        return f"tuple<{_listed(walk, node.named_children(), depth)}>"
    if kind in SEQUENCES:
        inside = describe_type(walk, node.field("element"), depth + 1)
        return f"Vec<{inside or '?'}>"
    return ""


def _pointed_at(node: Any) -> Any:
    """The type behind references, pointers and brackets."""
    for _ in range(4 * DEEPEST):
        kind = kind_of(node)
        if kind not in INNER_FIELDS:
            return node
        inner = INNER_FIELDS[kind]
        node = node.field(inner) if inner else next(iter(node.named_children()), None)
    return None


def _generic(walk: SyntaxWalk, node: Any, depth: int) -> str:
    whole = describe_type(walk, node.field("type"), depth + 1)
    arguments = node.field("type_arguments")
    given = [each for each in arguments.named_children() if each.kind() != "lifetime"] if arguments is not None else []
    if whole.rpartition(".")[2] in SEEN_THROUGH and given:
        return describe_type(walk, given[0], depth + 1)
    if whole == "Cow" and given:
        return describe_type(walk, given[-1], depth + 1)
    return f"{whole}<{_listed(walk, given, depth)}>" if given and whole else whole


def _listed(walk: SyntaxWalk, nodes: Any, depth: int) -> str:
    return ",".join(describe_type(walk, each, depth + 1) or "?" for each in nodes[:MOST_ARGUMENTS])


MOST_PATTERNS = 200
HOLDERS = frozenset(("Some", "Ok"))
OVER_ELEMENTS = frozenset((
    "all", "and_then", "any", "filter", "filter_map", "find", "find_map", "flat_map", "for_each", "inspect",
    "is_some_and", "map", "map_or", "map_or_else", "max_by_key", "min_by_key", "partition", "position", "retain",
    "skip_while", "sort_by_key", "take_while", "then", "try_for_each",
))  # fmt: skip
"""Methods of the standard library that give a closure what is in the receiver."""

Lines = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Binding:
    """What the names of a pattern become."""

    walk: SyntaxWalk
    parent: int
    visible: Lines
    kind: str

    def define(self, name: Any, told: str) -> None:
        """A name is bound."""
        self.walk.define(name, self.kind, self.parent, told=told, visible=self.visible)


Told = list[tuple[Any, str]]
"""Patterns with what is told of what each is given."""


def bind_pattern(walk: SyntaxWalk, pattern: Any, parent: int, told: str, *, visible: Lines, kind: str = LOCAL) -> None:
    """The names that a pattern binds, and those that it uses."""
    binding = _Binding(walk, parent, visible, kind)
    pending = [(pattern, told)]
    for _ in range(MOST_PATTERNS):
        if not pending:
            return
        node, told = pending.pop()
        if node is not None:
            pending += reversed(PATTERNS.get(node.kind(), _used)(binding, node, told))


def _used(binding: _Binding, node: Any, told: str) -> Told:
    """Nothing that binds."""
    binding.walk.go(node, binding.parent)
    return []


def _name(binding: _Binding, node: Any, told: str) -> Told:
    if not _is_new(str(node.text())):
        return _used(binding, node, told)
    binding.define(node, told)
    return []


def _captured(binding: _Binding, node: Any, told: str) -> Told:
    """`a @ …`."""
    name, *rest = node.named_children()
    binding.define(name, told)
    return [(each, told) for each in rest]


def _tuple(binding: _Binding, node: Any, told: str) -> Told:
    return [(each, _part(told, str(n))) for n, each in enumerate(node.named_children())]


def _inner(binding: _Binding, node: Any, told: str) -> Told:
    """What is given to the patterns in it as it is."""
    return [(each, told) for each in node.named_children() if each.kind() != "mutable_specifier"]


def _matched(binding: _Binding, node: Any, told: str) -> Told:
    """A pattern that may have a guard."""
    guard = node.field("condition")
    binding.walk.go(guard, binding.parent)
    inside = _inner(binding, node, told)
    return inside if guard is None else inside[:1]


def _tuple_struct(binding: _Binding, node: Any, told: str) -> Told:
    made = node.field("type")
    binding.walk.go(made, binding.parent)
    name = binding.walk.expression(made)
    inside = node.named_children()[1:]
    if name in HOLDERS:
        return [(each, _part(told, "unwrap()")) for each in inside]
    return [(each, f"={name}.{n}") for n, each in enumerate(inside)]


def _struct(binding: _Binding, node: Any, told: str) -> Told:
    made = node.field("type")
    binding.walk.go(made, binding.parent)
    name = binding.walk.expression(made)
    inside: Told = []
    for each in node.named_children():
        field = each.field("name") if each.kind() == "field_pattern" else None
        if field is not None:
            binding.walk.refer(field, binding.parent, READ, f"{name}.{PARTS}")
            inside.append((each.field("pattern") or field, f"={name}.{field.text()}"))
    return inside


PATTERNS: dict[str, Callable[[_Binding, Any, str], Told]] = {
    "captured_pattern": _captured,
    "identifier": _name,
    "match_pattern": _matched,
    "shorthand_field_identifier": _name,
    "struct_pattern": _struct,
    "tuple_pattern": _tuple,
    "tuple_struct_pattern": _tuple_struct,
    **dict.fromkeys(("mut_pattern", "ref_pattern", "reference_pattern", "or_pattern", "slice_pattern"), _inner),
}
"""What each kind of pattern binds, and the patterns in it."""


def _is_new(name: str) -> bool:
    """By custom, what begins small in a pattern is bound by it, and all else names something."""
    return name[0].islower() or (name[0] == "_" and name.lower() == name)


def _part(told: str, part: str) -> str:
    """What is told of a part of what is told."""
    return f"={told[1:]}.{part}" if told.startswith("=") and UNKNOWN not in told else ""


def visit_let(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`let a: T = b else { … };`; it is seen from the next line on."""
    value = node.field("value")
    annotation = node.field("type")
    block = node.parent()
    walk.go(annotation, within, TYPE)
    walk.go(value, within)
    walk.go(node.field("alternative"), within)
    declared = describe_type(walk, annotation)
    told = f":{declared}" if declared and declared != "_" else describe_value(walk, value)
    last = (block or node).range().end.line + 1
    bind_pattern(walk, node.field("pattern"), within, told, visible=(node.range().end.line + 2, last))


def describe_value(walk: SyntaxWalk, node: Any) -> str:
    """What a value says of its type."""
    if node is None:
        return ""
    if node.kind() == "type_cast_expression":
        return f":{describe_type(walk, node.field('type'))}"
    told = walk.expression(node)
    return f"={told}" if UNKNOWN not in told else ""


def visit_condition(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`if let P = v`, `while let P = v`: seen to the end of the whole."""
    value = node.field("value")
    above = node.parent()
    while above is not None and above.kind() == "let_chain":
        above = above.parent()
    visible = (node.range().start.line + 1, (above or node).range().end.line + 1)
    bind_pattern(walk, node.field("pattern"), within, describe_value(walk, value), visible=visible)
    walk.go(value, within)


def visit_match(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`match v { P => … }`: every arm binds what its pattern says."""
    value = node.field("value")
    block = node.field("body")
    walk.go(value, within)
    told = describe_value(walk, value)
    for arm in block.named_children() if block is not None else ():
        if arm.kind() == "match_arm":
            bind_pattern(walk, arm.field("pattern"), within, told, visible=find_lines(arm))
            walk.go(arm.field("value"), within)


def visit_for(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`for P in v { … }`."""
    value = node.field("value")
    walk.go(value, within)
    told = describe_value(walk, value)
    bind_pattern(walk, node.field("pattern"), within, f"{told}[]" if told else "", visible=find_lines(node))
    walk.go(node.field("body"), within)


def visit_closure(walk: SyntaxWalk, node: Any, within: int, role: str) -> None:
    """`|a, b: T| …`."""
    bind_closure(walk, node, within, "")


def bind_closure(walk: SyntaxWalk, node: Any, within: int, told: str) -> None:
    """The parameters of a closure that is given values of a type."""
    given = node.field("parameters")
    for each in given.named_children() if given is not None else ():
        if each.kind() == "parameter":
            bind_parameter(walk, each, within, within, find_lines(node))
        else:
            bind_pattern(walk, each, within, told, visible=find_lines(node), kind=PARAMETER)
    walk.go(node.field("return_type"), within, TYPE)
    walk.go(node.field("body"), within)


def bind_parameter(walk: SyntaxWalk, node: Any, place: int, within: int, visible: Lines = (0, 0)) -> None:
    """One parameter with its type."""
    annotation = node.field("type")
    walk.go(annotation, within, TYPE)
    told = describe_type(walk, annotation)
    bind_pattern(walk, node.field("pattern"), place, f":{told}" if told else "", visible=visible, kind=PARAMETER)


def describe_closure_argument(walk: SyntaxWalk, called: Any) -> str:
    """What a method gives to its closure: what is in the receiver, for methods that are known."""
    if called is None or called.kind() != "field_expression":
        return ""
    name = called.field("field")
    whole = called.field("value")
    if name is None or name.text() not in OVER_ELEMENTS:
        return ""
    told = walk.expression(whole)
    return f"={told}[]" if UNKNOWN not in told else ""


def find_lines(node: Any) -> Lines:
    """The lines of a node, counted from 1."""
    span = node.range()
    return span.start.line + 1, span.end.line + 1
