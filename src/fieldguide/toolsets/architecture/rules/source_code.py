"""Prepares code for the checks: detects its language, unwraps a snippet, parses it, and finds comments and strings."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.code.imports.languages import ImportedName, read_aliases, read_imported
from fieldguide.code.names import (
    CalledName,
    DefinedName,
    Enclosures,
    SyntaxKinds,
    load_syntax_kinds,
    read_calls,
    read_definitions,
)
from fieldguide.code.parsing import find_broken_node, measure_broken_share, parse_tree
from fieldguide.text import regex as re
from fieldguide.text.windows import split_lines, strip_line_end
from fieldguide.toolsets.architecture.rules.pattern import Part

if TYPE_CHECKING:
    from ast_grep_py import SgNode


FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\r\n`]*")
BYTE_ORDER_MARK = "\ufeff"
HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*|@@(?: .*)?")
DIFF_HEADER = re.compile(
    r"(?:diff --git |index [0-9a-f]+\.\.|--- |\+\+\+ |new file mode |deleted file mode |@@|\\ No newline)"
)
SENTENCE = re.compile(r"[A-Z][\w'’,/-]*(?: [\w'’,/`.()-]+){1,30}[.:!]?")
MOST_INTRODUCTION = 5


class CodeSnippet(NamedTuple):
    """The code itself, and the language that its fence names."""

    text: str
    language: str | None = None


def unwrap_snippet(code: str) -> CodeSnippet:
    """Take the code out of its fences and apply a diff; every line keeps its number."""
    lines = split_lines(code.removeprefix(BYTE_ORDER_MARK))
    language = None
    opening = _find_opening_fence(lines)
    if opening:
        language = opening.group(2) or None
        lines = _blank_outside_fences(lines, opening.group(1))
    if language == "diff" or any(HUNK.fullmatch(line.rstrip()) for line in lines):
        lines = [_apply_diff(line) for line in lines]
    return CodeSnippet("".join(lines), None if language == "diff" else language)


def _find_opening_fence(lines: list[str]) -> re.Match[str] | None:
    """The first fence, if only a few sentences precede it."""
    filled = [line.strip() for line in lines if line.strip()]
    for line in filled[: MOST_INTRODUCTION + 1]:
        opening = FENCE.fullmatch(line)
        if opening or not SENTENCE.fullmatch(line):
            return opening
    return None


def _blank_outside_fences(lines: list[str], fence: str) -> list[str]:
    kept: list[str] = []
    is_inside = False
    for line in lines:
        stripped = line.strip()
        if stripped.startswith(fence) and (not is_inside or not stripped.strip(fence[0])):
            is_inside = not is_inside
            kept.append(_line_end(line) or "\n")
        elif is_inside:
            kept.append(line)
        else:
            kept.append(_line_end(line))
    return kept


def _apply_diff(line: str) -> str:
    """A line as the diff leaves it; removed lines and headers become empty."""
    if line.startswith("-") or DIFF_HEADER.match(line):
        return _line_end(line)
    if line.startswith("+"):
        return f" {line[1:]}"
    return line


def _line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def prepare_snippet(text: str, language: str | None) -> str:
    """Add the opening tag that PHP needs, and remove the indentation that Python refuses."""
    if language == "php" and "<?" not in text:
        return f"<?php {text}"
    first = next((line for line in split_lines(text) if line.strip()), "")
    if language == "python" and first[:1] in " \t":
        return dedent(text)
    return text


PATH_COMMENT = re.compile(r"\A\s*(?:#|//|/\*+|--)\s*(?:file(?:name)?:\s*)?([\w./\\-]+\.\w{1,5})\b")
MOST_OPENING = 2_000
WEAK_GRAMMARS = frozenset(("kotlin", "swift", "scala", "ruby", "dart", "haskell", "elixir", "shell", "lua", "zig"))
LONG_LINE = 4_000  # a place in a line is found by counting from its start: 25 µs in a line of 50,000 characters
MOST_NODES_IN_LONG_LINES = 800
MOST_BROKEN_SHARE = 0.2  # above it, an error of a weak grammar is believed

Span = tuple[int, int]


class CodePosition(NamedTuple):
    """A line and a column, counted from 1."""

    line: int
    column: int


class SourceCode:
    """A text in one language with its syntax tree; without a tree only the text can be checked."""

    def __init__(self, text: str, language: str | None, path: str | None = None) -> None:
        self.text = text
        self.path = path
        self.language = language
        self.grammar = language
        self.root = parse_tree(text, language)
        self._lines_of: dict[tuple[Part, ...], list[str]] = {}
        self._try_tsx()

    def _try_tsx(self) -> None:
        """Parse with the grammar of TSX what has types in JavaScript, or tags in TypeScript."""
        if self.language not in ("javascript", "typescript") or self.broken_line is None:
            return
        if self.language == "typescript" and "</" not in self.text and "/>" not in self.text:
            return  # without tags it would not help, and a second parse of 50,000 characters takes 15 ms
        root = parse_tree(self.text, "tsx")
        if root is not None and find_broken_node(root) is None:
            self.root = root
            self.grammar = "tsx"
            del self.broken_line

    @cached_property
    def broken_line(self) -> int | None:
        """The first line that could not be parsed."""
        if self.root is None:
            return None
        node = find_broken_node(self.root)
        if node is None:
            return None
        if self.language in WEAK_GRAMMARS and measure_broken_share(self.root) < MOST_BROKEN_SHARE:
            return None
        return node.range().start.line + 1

    @property
    def is_blank(self) -> bool:
        """Whether the text is empty; such code breaks no ban, in any language."""
        return not self.text.strip()

    @cached_property
    def kinds(self) -> SyntaxKinds | None:
        """The names that the grammar has for imports, calls, definitions and the like."""
        return load_syntax_kinds().get(self.grammar or "")

    @cached_property
    def nodes(self) -> "dict[str, list[SgNode]]":
        """The nodes that rules are about, by kind, in the order of the text."""
        found: dict[str, list[SgNode]] = {}
        if self.root and self.kinds:
            nodes = self.root.find_all(any=cast(Any, self.kinds.rules))
            if self.has_long_lines:
                nodes = nodes[:MOST_NODES_IN_LONG_LINES]
            for node in nodes:
                found.setdefault(node.kind(), []).append(node)
        return found

    @cached_property
    def has_long_lines(self) -> bool:
        """Whether a line is so long, as in minified code, that only its beginning can be checked in time."""
        return max(map(len, self.lines), default=0) > LONG_LINE

    @cached_property
    def imports(self) -> list[ImportedName]:
        """The imports."""
        return read_imported(self.text, self.grammar, self.root)

    @cached_property
    def calls(self) -> list[CalledName]:
        """The calls, in the order of the text."""
        if not self.kinds:
            return []
        return read_calls(self.nodes, self.kinds, read_aliases(self.text, self.grammar, self.root))

    @cached_property
    def definitions(self) -> list[DefinedName]:
        """The definitions, in the order of the text."""
        return read_definitions(self.nodes, self.kinds, self.grammar) if self.kinds else []

    @cached_property
    def enclosures(self) -> Enclosures:
        """The definitions by the places that they enclose."""
        return Enclosures(self.definitions)

    @cached_property
    def _comments_and_strings(self) -> tuple[list[Span], list[Span]]:
        if self.kinds is None:  # without a grammar all of it counts as code
            return [], []
        return _find_comments_and_strings(self.text, self.nodes, self.kinds)

    def lines_of(self, parts: tuple[Part, ...]) -> list[str]:
        """The lines of the text with everything but these parts blanked, so that positions stay."""
        if parts not in self._lines_of:
            self._lines_of[parts] = self._show_parts(parts)
        return self._lines_of[parts]

    def _show_parts(self, parts: tuple[Part, ...]) -> list[str]:
        if len(set(parts)) == 3:
            return self.lines
        comments, strings = self._comments_and_strings
        spans: list[Span] = []
        if ("comments" in parts) != ("code" in parts):
            spans += comments
        if ("strings" in parts) != ("code" in parts):
            spans += strings
        if "code" not in parts:
            spans = list(_find_gaps(spans, len(self.text)))
        return [strip_line_end(line) for line in split_lines(_blank(self.text, spans))]

    @cached_property
    def known_path(self) -> str | None:
        """The path of the file: as given, or as its first comment says."""
        if self.path:
            return self.path
        comment = PATH_COMMENT.match(self.text[:MOST_OPENING])
        return comment.group(1) if comment else None

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return [strip_line_end(line) for line in split_lines(self.text)]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(map(len, split_lines(self.text)))]

    def position(self, index: int) -> CodePosition:
        """The line and column of an index of the text."""
        line = bisect_right(self._starts, index) - 1
        return CodePosition(line + 1, index - self._starts[line] + 1)

    def start_of_line(self, line: int) -> int:
        """The index at which a line begins; a line beyond the end begins at the end."""
        return self._starts[min(line, len(self._starts)) - 1]


LINE = re.compile(r"[^\r\n]+")
OPENING = re.compile(r"""[A-Za-z@$#]*("{3,}|'{3}|["'`]|)""")


def _find_comments_and_strings(
    text: str, nodes: "Mapping[str, list[SgNode]]", kinds: SyntaxKinds
) -> tuple[list[Span], list[Span]]:
    """The comments and the insides of strings; a string that is a whole statement, as a docstring, is a comment."""
    comments = _spans(nodes, kinds.comments)
    holes = sorted(_spans(nodes, kinds.holes))
    strings: list[Span] = []
    for kind in kinds.strings:
        for node in nodes.get(kind, ()):
            parent = node.parent()
            if parent is not None and parent.kind() == "expression_statement" and len(parent.children()) == 1:
                comments.append(_span(node))
            else:
                strings += _without_holes(_inside_quotes(text, _span(node)), holes)
    return comments, strings


def _spans(nodes: "Mapping[str, list[SgNode]]", kinds: Iterable[str]) -> list[Span]:
    return [_span(node) for kind in kinds for node in nodes.get(kind, ())]


def _span(node: "SgNode") -> Span:
    place = node.range()
    return place.start.index, place.end.index


def _inside_quotes(text: str, span: Span) -> Span:
    start, end = span
    opening = OPENING.match(text[start:end])
    if not opening or not opening.group(1):
        return span
    start += opening.end()
    return start, max(start, end - len(opening.group(1)))


def _without_holes(span: Span, holes: list[Span]) -> Iterator[Span]:
    start, end = span
    for hole_start, hole_end in holes[bisect_left(holes, (start, 0)) : bisect_left(holes, (end, 0))]:
        if start <= hole_start and hole_end <= end:
            yield start, hole_start
            start = hole_end
    yield start, end


def _find_gaps(spans: list[Span], length: int) -> Iterator[Span]:
    """The parts of a text between some spans."""
    end = 0
    for start, stop in sorted(spans):
        if start > end:
            yield end, start
        end = max(end, stop)
    yield end, length


def _blank(text: str, spans: list[Span]) -> str:
    """The text with spaces in place of the spans; line ends stay."""
    pieces: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if stop > end:
            start = max(start, end)
            pieces.append(text[end:start])
            pieces.append(LINE.sub(lambda line: " " * len(line.group()), text[start:stop]))
            end = stop
    return "".join([*pieces, text[end:]])


MOST_LOOKED_AT = 20_000
MOST_PARSED = 4_000
CLOSE = 1  # languages whose signs weigh this much less are tried as well
STRICT = ("python", "javascript", "go", "java", "csharp", "rust")
"""Languages whose parsers refuse what is not theirs; those of Ruby or Kotlin take nearly any words."""


class Sign(NamedTuple):
    """Something that a text in some languages has, and how much it tells."""

    languages: tuple[str, ...]
    weight: int
    expression: re.Pattern[str]


def _sign(languages: str, weight: int, expression: str) -> Sign:
    return Sign(tuple(languages.split()), weight, re.compile(expression, re.MULTILINE))


SCRIPTS = "javascript typescript"
SIGNS = (
    _sign("python", 2, r"^[ \t]*(?:async[ \t]+)?def[ \t]+\w+\("),
    _sign("python", 2, r"^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]|^[ \t]*class[ \t]+\w+[ \t]*(?:\([^\n]*\))?:"),
    _sign("python", 1, r"^import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:,[ \t]*\w+)*[ \t]*$"),
    _sign("python", 1, r"\bself\.\w|\bNone\b|\bTrue\b|\bprint\("),
    _sign("go", 4, r"^package[ \t]+\w+[ \t]*$"),
    _sign("go", 4, r"^func[ \t]+(?:\([^\n)]*\)[ \t]*)?\w+[ \t]*(?:\[[^\n]*\])?\([^\n]*\{?[ \t]*$"),
    _sign("go", 3, r":=|^type[ \t]+\w+[ \t]+(?:struct|interface)\b"),
    _sign("java", 3, r"^[ \t]*import[ \t]+(?:static[ \t]+)?[a-z][\w.]*\.[\w*]+;|^package[ \t]+[\w.]+;"),
    _sign(
        "java csharp",
        2,
        r"\b(?:public|private|protected)[ \t]+(?:static[ \t]+|final[ \t]+|abstract[ \t]+)*"
        r"(?:class|interface|enum|void|int|long|boolean|bool|[A-Z]\w*(?:<[^\n>]*>)?)[ \t]+\w+",
    ),
    _sign("java", 2, r"@Override\b|\bSystem\.out\.|\bthrows[ \t]+\w|\bfinal[ \t]+\w+"),
    _sign("csharp", 4, r"^using[ \t]+[A-Z][\w.]*;|^namespace[ \t]+[A-Z][\w.]*|\{[ \t]*get;"),
    _sign("kotlin", 3, r"^[ \t]*(?:(?:private|override|suspend|internal|public|open)[ \t]+)*fun[ \t]+[\w.<> ]+\("),
    _sign("kotlin", 2, r"^[ \t]*(?:private[ \t]+|override[ \t]+)*va[lr][ \t]+\w+[^\n;]*$|\bdata class\b"),
    _sign("rust", 3, r"^[ \t]*(?:pub(?:\([^\n)]*\))?[ \t]+)?(?:async[ \t]+)?fn[ \t]+\w+[^\n]*[({]"),
    _sign("rust", 3, r"\blet[ \t]+mut\b|^[ \t]*use[ \t]+[\w:]+(?:::\{[^\n]*)?;|^impl\b|#\[\w"),
    _sign("ruby", 3, r"^[ \t]*def[ \t]+[\w.?!]+(?:[ \t]*\([^\n]*\))?[ \t]*$"),
    _sign("ruby", 3, r"^[ \t]*end[ \t]*$"),
    _sign("php", 6, r"<\?php"),
    _sign("php", 3, r"\$this->|^[ \t]*\$\w+[ \t]*="),
    _sign(SCRIPTS, 3, r"^[ \t]*(?:export[ \t]+)?(?:const|let)[ \t]+[\w${\[][^\n]*="),
    _sign(SCRIPTS, 3, r"""^[ \t]*(?:import|export)\b[^\n]*\bfrom[ \t]+["']|\brequire\(["']"""),
    _sign(SCRIPTS, 2, r"=>[ \t]*[\w{(\[]|\bfunction\b[ \t]*\w*[ \t]*\(|\bconsole\.\w+\(|===|!=="),
    _sign(
        "typescript",
        3,
        r"[\w)?][ \t]*:[ \t]*(?:string|number|boolean|void|any|unknown|never|Promise<|Record<|Array<|\w+\[\])"
        r"|^[ \t]*(?:export[ \t]+)?(?:interface[ \t]+\w+[^\n]*\{|type[ \t]+\w+[^\n=]*=)",
    ),
    _sign("typescript", 2, r"\b(?:private|public|readonly)[ \t]+\w+[?!]?[ \t]*[:(]|\bas[ \t]+[A-Z]|import type\b"),
    _sign("typescript", 2, r"\(\s*\w+\??:[ \t]*[A-Z]\w*|\):[ \t]*[A-Z]\w*|\bconst \w+: \w"),
    _sign("shell", 5, r"^#!.*\b(?:ba|z|k)?sh\b"),
    _sign("swift", 3, r"\bguard let\b|\bimport (?:UIKit|Foundation|SwiftUI)\b"),
    _sign("cpp", 4, r"^[ \t]*#include[ \t]*[<\"]|\bstd::\w|^using namespace\b"),
    _sign("scala", 3, r"^[ \t]*(?:case class|object|trait)[ \t]+\w+"),
    _sign("sql", 3, r"^(?i:SELECT|INSERT INTO|CREATE TABLE|UPDATE|DELETE FROM)\b[^\n]*$"),
)
TAGS = re.compile(r"(?:return|=>|\(|&&|\?)\s*<(?:[A-Z]\w*|div|span|p|ul|li|h\d|button|form|input|main|section)?[\s/>]")


def detect_language(code: str) -> str | None:
    """What a text is written in; None when that is anybody's guess."""
    text = code[:MOST_LOOKED_AT]
    scores: dict[str, int] = {}
    for sign in SIGNS:
        if sign.expression.search(text):
            for language in sign.languages:
                scores[language] = scores.get(language, 0) + sign.weight
    if not scores:
        return _only_parsed(text)
    least = max(scores.values()) - CLOSE
    close = sorted((each for each, score in scores.items() if score >= least), key=lambda each: -scores[each])
    chosen = min(close, key=lambda each: _broken(text, each)) if len(close) > 1 else close[0]
    return _script(text, scores) if chosen in ("javascript", "typescript") else chosen


def _script(text: str, scores: dict[str, int]) -> str:
    """Which of the three scripts: types make it TypeScript, tags as well TSX."""
    if scores.get("typescript", 0) <= scores.get("javascript", 0):
        return "javascript"
    return "tsx" if TAGS.search(text) else "typescript"


def _only_parsed(text: str) -> str | None:
    """The one language that a text without any sign is whole in."""
    whole = [language for language in STRICT if any(map(text.__contains__, "(=")) and not _broken(text, language)]
    return whole[0] if len(whole) == 1 else None


def _broken(text: str, language: str) -> int:
    """How many characters of a text a parser can make nothing of."""
    root = parse_tree(text[:MOST_PARSED], "tsx" if language in ("javascript", "typescript") else language)
    if root is None:
        return MOST_PARSED
    places = [node.range() for node in root.find_all(kind="ERROR")]
    return sum(place.end.index - place.start.index for place in places)
