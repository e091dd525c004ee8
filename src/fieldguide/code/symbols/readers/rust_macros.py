"""Reads the tokens of Rust's macro invocations.

A macro that stands where items do and holds items (`cfg_net! { … }`) is opened before parsing: its braces are taken
away, so that the grammar sees what is in it. The tokens of all others are followed as paths: `a::b(c).d`.
"""

from dataclasses import dataclass, field
from typing import Any

from fieldguide.code.symbols.facts import CALL, READ, TYPE, UNKNOWN, WRITE
from fieldguide.code.symbols.readers.table import LONGEST_EXPRESSION
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
    if word in (".", "::"):
        tokens.joined = bool(tokens.told) or word == "."
        tokens.told = tokens.told or (UNKNOWN if word == "." else "")
    elif word == "?" and tokens.told:
        tokens.told += ".unwrap()"
    elif word in "([{":
        tokens.brackets.append((tokens.told, word))
        tokens.end("")
    elif word in ")]}":
        before, bracket = tokens.brackets.pop() if tokens.brackets else ("", "")
        told = f"{before}{'[]' if bracket == '[' else '()'}" if before else UNKNOWN
        tokens.end(told if len(told) <= LONGEST_EXPRESSION else UNKNOWN)
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
        tokens.walk.refer_at(name, *place, CALL, MARK)
        tokens.told = ""
    elif name == "Self":
        refer_to_own_type(tokens.walk, *place)
    elif not before and is_made and following in (":", ",", ""):  # a field: `Foo { name: … }`
        tokens.walk.refer_at(name, *place, WRITE, f"{opened}.{PARTS}")
    else:
        tokens.walk.refer_at(name, *place, ROLES.get(following, READ), UNKNOWN if tokens.is_foreign else before)


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
