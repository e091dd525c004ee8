"""Splits source text into tokens for highlighting, by a table of each language's comments, strings and keywords.

There is no syntax tree: an excerpt may begin in the middle of a statement, and grammars may only see foreign text in a
child process, whose start takes longer than an answer. Every pattern takes linear time, and a comment or string that
has no end takes the rest of the text, or of its line.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldguide.text import regex as re

PLAIN = ""
COMMENT = "comment"
STRING = "string"
NUMBER = "number"
KEYWORD = "keyword"
CONSTANT = "constant"
FUNCTION = "function"
TYPE = "type"
NAME = "name"
"""A key, an attribute, a tag, a decorator or a heading."""
KINDS = (COMMENT, STRING, NUMBER, KEYWORD, CONSTANT, FUNCTION, TYPE, NAME)
LONGEST_TEXT = 1_000_000  # characters; what is longer stays plain


class CodeToken(NamedTuple):
    """A piece of a text, and one of `KINDS`, or `PLAIN`."""

    kind: str
    text: str


class LanguageSyntax(NamedTuple):
    """The pattern of a language, and its words that are no names."""

    pattern: re.Pattern[str]
    keywords: frozenset[str]
    constants: frozenset[str]
    has_keys: bool
    """Whether a string before a colon is a key."""


def tokenize_code(language: str | None, text: str) -> Iterator[CodeToken]:
    """The tokens of a text; together they are the text. In an unknown language it is one plain token.

    The language is one that `files.kinds.language_of` gives.
    """
    syntax = SYNTAXES.get(ALIASES.get(language or "", language or ""))
    if syntax is None or len(text) > LONGEST_TEXT:
        yield CodeToken(PLAIN, text)
        return
    end = 0
    for match in syntax.pattern.finditer(text):
        kind = next(name for name in GROUPS if match.start(name) >= 0)
        if kind == "word":
            kind = _classify_word(syntax, text, match.start(), match.end())
        elif kind == STRING and syntax.has_keys and text[match.end() : match.end() + 4].lstrip().startswith(":"):
            kind = NAME
        if kind == PLAIN:
            continue
        if match.start() > end:
            yield CodeToken(PLAIN, text[end : match.start()])
        yield CodeToken(kind, match.group())
        end = match.end()
    if end < len(text):
        yield CodeToken(PLAIN, text[end:])


def tokenize_lines(language: str | None, lines: Sequence[str]) -> list[list[CodeToken]]:
    """The tokens of each line of an excerpt; a token that goes over several lines is split at their ends."""
    found: list[list[CodeToken]] = [[]]
    for token in tokenize_code(language, "\n".join(lines)):
        first, *others = token.text.split("\n")
        if first:
            found[-1].append(token._replace(text=first))
        found += [[token._replace(text=other)] if other else [] for other in others]
    return found


def _classify_word(syntax: LanguageSyntax, text: str, start: int, end: int) -> str:
    word = text[start:end]
    if word in syntax.keywords:
        return KEYWORD
    if word in syntax.constants:
        return CONSTANT
    if text[end : end + 1] == "(" or text[end : end + 2] == "!(":
        return FUNCTION
    is_type = word[0].isupper() and not word.isupper()
    return TYPE if is_type else PLAIN


GROUPS = (COMMENT, STRING, NUMBER, NAME, "word")
NOTHING = r"\x00"  # for a group that a language has no use for
SLASHES = r"//[^\n]*|/\*(?s:.)*?(?:\*/|\Z)"
HASH = r"#[^\n]*"
DASHES = r"--[^\n]*"
DOUBLE = r'"(?:[^"\\\n]|\\.)*"?'
SINGLE = r"'(?:[^'\\\n]|\\.)*'?"
CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,8}?)'"
BACKTICK = r"`(?:[^`\\]|\\(?s:.))*`?"
RAW_BACKTICK = r"`[^`]*`?"
TRIPLE_DOUBLE = r'"""(?s:.)*?(?:"""|\Z)'
TRIPLE_SINGLE = r"'''(?s:.)*?(?:'''|\Z)"
OVER_LINES = r'"(?:[^"\\]|\\(?s:.))*"?' + r"|'[^']*'?"
NUMBERS = r"(?:0[xX][0-9a-fA-F_]+|[0-9][0-9_]*(?:\.[0-9_]+)?(?:[eE][+-]?[0-9]+)?)\w*"
DECORATOR = r"@[A-Za-z_][\w.]*"
WORDS = r"[\w$]+"
C_WORDS = "break case const continue default do else enum extern for goto if return sizeof static struct switch while"
OBJECT_WORDS = (
    "abstract as async await break case catch class const continue default do else enum export extends final finally "
    "for if implements import in instanceof interface is new override package private protected public return static "
    "super switch this throw throws try var void while yield"
)
SQL_WORDS = (
    "add all alter and as asc begin between by case check column commit constraint create cross default delete desc "
    "distinct drop else end exists foreign from full group having if in index inner insert int integer into is join "
    "key left like limit not null offset on or order outer primary references returning right rollback select set "
    "table text then transaction trigger union unique update using values varchar view when where with"
)
TRUTHS = "true false null nil none None True False undefined NULL nullptr"


def _make_syntax(
    *,
    comments: str = NOTHING,
    strings: str = f"{DOUBLE}|{SINGLE}",
    names: str = NOTHING,
    keywords: str = "",
    numbers: str = NUMBERS,
    words: str = WORDS,
    has_keys: bool = False,
) -> LanguageSyntax:
    """The syntax of a language; what comes first wins: comments, strings, names, numbers, words."""
    groups = {COMMENT: comments, STRING: strings, NAME: names, NUMBER: numbers, "word": words}
    pattern = "|".join(f"(?P<{name}>{expression})" for name, expression in groups.items())
    return LanguageSyntax(re.compile(pattern), frozenset(keywords.split()), frozenset(TRUTHS.split()), has_keys)


SYNTAXES = {
    "python": _make_syntax(
        comments=HASH,
        strings=f"[bBfFrRuU]{{0,2}}(?:{TRIPLE_DOUBLE}|{TRIPLE_SINGLE}|{DOUBLE}|{SINGLE})",
        names=DECORATOR,
        keywords="and as assert async await break case class continue def del elif else except finally for from global "
        "if import in is lambda match nonlocal not or pass raise return self cls try type while with yield",
    ),
    "javascript": _make_syntax(
        comments=SLASHES,
        strings=f"{BACKTICK}|{DOUBLE}|{SINGLE}",
        names=DECORATOR,
        keywords=f"{OBJECT_WORDS} any boolean debugger declare function from delete get keyof let module "
        "namespace never number object of readonly require satisfies set string symbol type typeof unknown with",
    ),
    "java": _make_syntax(
        comments=SLASHES,
        strings=f"{TRIPLE_DOUBLE}|{DOUBLE}|{CHARACTER}",
        names=DECORATOR,
        keywords=f"{OBJECT_WORDS} actual annotation boolean byte by char checked companion constructor data decimal "
        "def delegate double dynamic event expect explicit extension factory float foreach fun get given implicit "
        "infix init inline inner int internal lateinit lazy long match mixin namespace native object of open operator "
        "out readonly record ref required reified sealed set short string struct suspend synchronized tailrec trait "
        "transient typealias unsafe using val vararg virtual volatile when where with",
    ),
    "c": _make_syntax(
        comments=SLASHES,
        strings=f"{DOUBLE}|{CHARACTER}",
        names=r"#[ \t]*[a-z]+",
        keywords=f"{C_WORDS} auto bool catch char class concept constexpr delete double explicit export final float "
        "friend inline int long mutable namespace new noexcept operator override private protected public register "
        "requires restrict short signed template this throw try typedef typename union unsigned using virtual void "
        "volatile co_await co_return co_yield id self nonatomic strong weak assign",
    ),
    "go": _make_syntax(
        comments=SLASHES,
        strings=f"{RAW_BACKTICK}|{DOUBLE}|{CHARACTER}",
        keywords="any bool break byte case chan const continue default defer else error fallthrough float32 float64 "
        "for func go goto if import int int32 int64 interface iota map package range return rune select string struct "
        "switch type uint uint32 uint64 uint8 uintptr var",
    ),
    "rust": _make_syntax(
        comments=SLASHES,
        strings=rf'b?r"[^"]*"?|b?r#"(?s:.)*?(?:"#|\Z)|b?{DOUBLE}|{CHARACTER}',
        names=r"#!?\[[^\]\n]*\]?",
        keywords="as async await bool break char const continue crate dyn else enum extern f32 f64 fn for i16 i32 i64 "
        "i8 if impl in isize let loop match mod move mut pub ref return self Self static str struct super trait type "
        "u16 u32 u64 u8 union unsafe use usize where while",
    ),
    "swift": _make_syntax(
        comments=SLASHES,
        strings=f"{TRIPLE_DOUBLE}|{DOUBLE}",
        names=rf"{DECORATOR}|#[a-z]+",
        keywords="actor any as associatedtype async await break case catch class continue convenience default defer "
        "deinit do dynamic else enum extension fallthrough fileprivate final for func get guard if import in indirect "
        "init inout internal is lazy let mutating nonisolated open operator override private protocol public repeat "
        "required rethrows return self Self set some static struct subscript super switch throw throws try typealias "
        "unowned var weak where while willSet didSet",
    ),
    "ruby": _make_syntax(
        comments=HASH,
        strings=f"{OVER_LINES}|{BACKTICK}",
        names=r":[A-Za-z_]\w*|@{1,2}[A-Za-z_]\w*",
        keywords="alias and attr_accessor attr_reader begin break case class def defined do else elsif end ensure for "
        "if in include module next not or private protected public redo require rescue retry return self super then "
        "undef unless until when while yield",
    ),
    "php": _make_syntax(
        comments=f"{SLASHES}|#[^\\[\n][^\n]*",
        strings=OVER_LINES,
        names=r"\$[A-Za-z_]\w*",
        keywords=f"{OBJECT_WORDS} and array callable clone declare echo elseif empty endforeach endif endwhile fn "
        "foreach function global include insteadof int bool string float isset list match mixed namespace or print "
        "readonly require require_once self trait unset use xor",
    ),
    "shell": _make_syntax(
        comments=HASH,
        strings=OVER_LINES,
        names=r"\$\{?[A-Za-z_0-9@#?*!]+\}?",
        keywords="case do done elif else end esac export fi for function if in local readonly return select set source "
        "then unset until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM LABEL RUN USER VOLUME WORKDIR ifeq ifneq "
        "endif endfunction endmacro include define",
        words=r"[A-Za-z_][\w-]*",
    ),
    "sql": _make_syntax(
        comments=rf"{DASHES}|/\*(?s:.)*?(?:\*/|\Z)",
        strings=f"'[^']*'?|{DOUBLE}",
        keywords=f"{SQL_WORDS} {SQL_WORDS.upper()}",
    ),
    "lua": _make_syntax(
        comments=rf"--\[\[(?s:.)*?(?:\]\]|\Z)|\{{-(?s:.)*?(?:-\}}|\Z)|{DASHES}",
        strings=rf"\[\[(?s:.)*?(?:\]\]|\Z)|{DOUBLE}|{CHARACTER}|{SINGLE}",
        keywords="and as break case class data deriving do else elseif end exposing for function goto if import in "
        "infixl infixr instance let local module newtype not of or port qualified repeat return then type until where "
        "while",
    ),
    "elixir": _make_syntax(
        comments=HASH,
        strings=f"{TRIPLE_DOUBLE}|{TRIPLE_SINGLE}|{OVER_LINES}",
        names=rf":[A-Za-z_]\w*|{DECORATOR}|\$[A-Za-z_]\w*",
        keywords="after alias and baremodule begin catch cond def default defimpl defmacro defmodule defp defprotocol "
        "defstruct do else elsif end export fn foreach for function global if import in library let macro module "
        "mutable my next not or our package param proc quote raise receive repeat require rescue return struct sub "
        "then try unless until unquote use using var when where while with",
    ),
    "json": _make_syntax(comments=SLASHES, strings=DOUBLE, has_keys=True),
    "yaml": _make_syntax(
        comments=r"#[^\n]*",
        names=r"(?m:^)[ \t]*(?:- )?[\w./$@-]+:",
        keywords="yes no on off",
        words=r"[A-Za-z_][\w./-]*",
    ),
    "toml": _make_syntax(
        comments=r"(?:#|;)[^\n]*",
        strings=f"{TRIPLE_DOUBLE}|{TRIPLE_SINGLE}|{DOUBLE}|{SINGLE}",
        names=r"(?m:^)[ \t]*(?:\[[^\n]*|[\w.-]+[ \t]*=)",
        words=r"[A-Za-z_][\w./-]*",
    ),
    "css": _make_syntax(
        comments=SLASHES,
        names=r"[.#@&$-][A-Za-z_-][\w-]*|[A-Za-z-]+:",
        words=r"[A-Za-z_-][\w-]*",
    ),
    "html": _make_syntax(
        comments=r"<!--(?s:.)*?(?:-->|\Z)",
        strings=DOUBLE,
        names=r"</?[A-Za-z][\w:.-]*|/?>",
        words=r"[A-Za-z_][\w-]*",
    ),
    "markdown": _make_syntax(
        comments=r"<!--(?s:.)*?(?:-->|\Z)",
        strings=r"```(?s:.)*?(?:```|\Z)|`[^`\n]*`?",
        names=r"(?m:^)#{1,6} [^\n]*|(?m:^)(?:=|-|~|\^){3,}$|\*\*[^*\n]*(?:\*\*)?",
        numbers=NOTHING,
        words=NOTHING,
    ),
    "protobuf": _make_syntax(
        comments=f"{SLASHES}|{HASH}",
        names=DECORATOR,
        keywords="bool bytes double enum extend float fragment fixed32 fixed64 input int32 int64 interface map message "
        "mutation on oneof option optional package query repeated required reserved returns rpc scalar schema service "
        "stream string subscription syntax type uint32 uint64 union data locals module output provider resource "
        "terraform variable for in if model generator datasource",
    ),
}
"""Languages by their name; one that has no entry and no alias is not highlighted."""
ALIASES = {
    **dict.fromkeys(("typescript", "tsx", "vue", "svelte", "astro"), "javascript"),
    **dict.fromkeys(("kotlin", "scala", "csharp", "dart", "groovy", "solidity", "fsharp", "vb"), "java"),
    **dict.fromkeys(("cpp", "cuda", "objective-c", "zig"), "c"),
    **dict.fromkeys(("cython", "starlark", "nim"), "python"),
    **dict.fromkeys(("fish", "dockerfile", "makefile", "cmake", "just", "powershell"), "shell"),
    **dict.fromkeys(("perl", "r", "julia", "nix"), "elixir"),
    **dict.fromkeys(("haskell", "elm"), "lua"),
    **dict.fromkeys(("scss", "sass", "less"), "css"),
    **dict.fromkeys(("xml", "erb"), "html"),
    **dict.fromkeys(("mdx", "restructuredtext", "asciidoc"), "markdown"),
    **dict.fromkeys(("hcl", "graphql", "prisma"), "protobuf"),
    **dict.fromkeys(("ini", "properties"), "toml"),
    "go-mod": "go",
}
"""Languages that are near enough to another for its table."""
