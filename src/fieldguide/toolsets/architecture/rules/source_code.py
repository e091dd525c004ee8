"""Parses a text once, and gives its imports, calls, definitions and comments to the checks."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from fieldguide.code.imports.reader import ImportedName, read_aliases, read_imported
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


Span = tuple[int, int]
LINE = re.compile(r"[^\r\n]+")
OPENING = re.compile(r"""[A-Za-z@$#]*("{3,}|'{3}|["'`]|)""")
QUOTE = "[\"'`]"
SCANNERS = {
    "#": re.compile(rf"(?P<comment>#[^\r\n]*)|{QUOTE}"),
    "--": re.compile(rf"(?P<comment>--[^\r\n]*)|{QUOTE}"),
    "//": re.compile(rf"(?P<comment>//[^\r\n]*|/\*(?s:.*?)(?:\*/|\Z))|{QUOTE}"),
}
HASH_LANGUAGES = frozenset(
    (
        "elixir",
        "julia",
        "makefile",
        "nim",
        "perl",
        "powershell",
        "r",
        "toml",
        "yaml",
        "hcl",
        "dockerfile",
        "python",
        "ruby",
        "shell",
        "nix",
    )
)
DASH_LANGUAGES = frozenset(("sql", "haskell", "elm", "lua"))


def find_quiet_spans(
    text: str, nodes: "Mapping[str, list[SgNode]]", kinds: SyntaxKinds
) -> tuple[list[Span], list[Span]]:
    """The comments and the insides of strings by the tree; a string that stands alone is a comment, as a docstring."""
    comments = [_span(node) for kind in kinds.comments for node in nodes.get(kind, ())]
    holes = sorted(_span(node) for kind in kinds.holes for node in nodes.get(kind, ()))
    strings: list[Span] = []
    for kind in kinds.strings:
        for node in nodes.get(kind, ()):
            if _stands_alone(node):
                comments.append(_span(node))
            else:
                strings += _without(_inside(text, _span(node)), holes)
    return comments, strings


def scan_quiet_spans(text: str, language: str | None) -> tuple[list[Span], list[Span]]:
    """The same for a language without a tree, by the marks that most languages have."""
    mark = "#" if language in HASH_LANGUAGES else "--" if language in DASH_LANGUAGES else "//"
    comments: list[Span] = []
    strings: list[Span] = []
    ends = list(accumulate(map(len, split_lines(text))))
    unclosed = dict.fromkeys("\"'`", 0)
    matches = SCANNERS[mark].finditer(text)
    match = next(matches, None)
    while match is not None:
        start = match.start()
        goes_on = None
        if match.group("comment") is not None:
            comments.append(match.span())
        elif start >= unclosed[match.group()]:
            line_end = ends[bisect_right(ends, start)]
            end, is_closed = _closing(text, start, line_end)
            if is_closed:
                strings.append((start + 1, end))
                goes_on = end + 1
            else:  # nor is any that opens before this place, so that nothing is read again and again
                unclosed[match.group()] = end
        match = _following(matches, goes_on)
    return comments, strings


def blank_spans(text: str, spans: list[Span]) -> str:
    """A text with some of its parts blanked, so that positions stay."""
    return _turned(text, spans, lambda kept: kept, _spaces_for)


def blank_other_spans(text: str, spans: list[Span]) -> str:
    """A text with all but some of its parts blanked, so that positions stay."""
    return _turned(text, spans, _spaces_for, lambda kept: kept)


def _turned(text: str, spans: list[Span], outside: Callable[[str], str], inside: Callable[[str], str]) -> str:
    pieces: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if stop > end:
            pieces += [outside(text[end : max(start, end)]), inside(text[max(start, end) : stop])]
            end = stop
    return "".join([*pieces, outside(text[end:])])


def _spaces_for(text: str) -> str:
    """As many spaces, in lines that end where they did."""
    return LINE.sub(lambda line: " " * len(line.group()), text)


def _following(matches: Generator[re.Match[str], int | None, None], place: int | None) -> re.Match[str] | None:
    try:
        return matches.send(place)
    except StopIteration:
        return None


def _closing(text: str, start: int, line_end: int) -> tuple[int, bool]:
    """Where the quote that opens here is closed, and whether it is; or up to where it is not."""
    quote = text[start]
    limit = len(text) if quote == "`" else line_end
    at = start + 1
    end = start
    while True:
        if end < at:
            end = text.find(quote, at, limit)
        escape = text.find("\\", at, limit if end < 0 else end)
        if escape < 0 or text[escape + 1 : escape + 2] in ("\n", ""):
            return (limit, False) if end < 0 else (end, True) if escape < 0 else (escape, False)
        at = escape + 2
        if end < 0:
            return limit, False


def _span(node: "SgNode") -> Span:
    place = node.range()
    return place.start.index, place.end.index


def _stands_alone(node: "SgNode") -> bool:
    parent = node.parent()
    return parent is not None and parent.kind() == "expression_statement" and len(parent.children()) == 1


def _inside(text: str, span: Span) -> Span:
    """What stands between the quotes."""
    opening = OPENING.match(text[span[0] : span[1]])
    quotes = len(opening.group(1)) if opening else 0
    start = span[0] + opening.end() if opening and quotes else span[0]
    return start, max(start, span[1] - quotes)


def _without(span: Span, holes: list[Span]) -> Iterator[Span]:
    start, end = span
    for hole_start, hole_end in holes[bisect_left(holes, (start, 0)) : bisect_left(holes, (end, 0))]:
        if start <= hole_start and hole_end <= end:
            yield start, hole_start
            start = hole_end
    yield start, end


FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.-]*)[^\r\n`]*")
BYTE_ORDER_MARK = "\ufeff"
HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*|@@(?: .*)?")
DIFF_HEADER = re.compile(
    r"(?:diff --git |index [0-9a-f]+\.\.|--- |\+\+\+ |new file mode |deleted file mode |@@|\\ No newline)"
)
WORDS = re.compile(r"[A-Z][\w'’,/-]*(?: [\w'’,/`.()-]+){1,30}[.:!]?")
MOST_INTRODUCTION = 5


class CodeSnippet(NamedTuple):
    """The code itself, and the language that its fence names."""

    text: str
    language: str | None = None


def unwrap_snippet(code: str) -> CodeSnippet:
    """A text with a fence behind a few words is what stands in its fences, a diff what it leaves.

    Every line keeps its number.
    """
    lines = split_lines(code.removeprefix(BYTE_ORDER_MARK))
    opening = _opening(lines)
    language = opening.group(2) if opening else None
    kept = _inside_fences(lines, opening.group(1)) if opening else lines
    if language == "diff" or any(HUNK.fullmatch(line.rstrip()) for line in kept):
        return CodeSnippet("".join(map(_left_by_diff, kept)), None if language == "diff" else language or None)
    return CodeSnippet("".join(kept), language or None)


def _opening(lines: list[str]) -> re.Match[str] | None:
    """The first fence, when nothing but a few sentences stands before it."""
    said = [line.strip() for line in lines if line.strip()][: MOST_INTRODUCTION + 1]
    for line in said:
        opening = FENCE.fullmatch(line)
        if opening or not WORDS.fullmatch(line):
            return opening
    return None


def _left_by_diff(line: str) -> str:
    """A line as a diff leaves it: what it takes away, and what it says of itself, is empty."""
    end = line[len(line.rstrip("\r\n")) :]
    if line.startswith("-") or DIFF_HEADER.match(line):
        return end
    return f" {line[1:]}" if line.startswith("+") else line


def prepare_snippet(text: str, language: str | None) -> str:
    """A text as its parser wants it."""
    if language == "php" and "<?" not in text:
        return f"<?php {text}"
    first = next((line for line in split_lines(text) if line.strip()), "")
    return dedent(text) if language == "python" and first[:1] in " \t" else text


def _inside_fences(lines: list[str], fence: str) -> list[str]:
    kept: list[str] = []
    is_inside = False
    for line in lines:
        if line.strip().startswith(fence) and (not is_inside or not line.strip().strip(fence[0])):
            is_inside = not is_inside
            kept.append(line[len(line.rstrip("\r\n")) :] or "\n")
        else:
            kept.append(line if is_inside else line[len(line.rstrip("\r\n")) :])
    return kept


PATH_COMMENT = re.compile(r"\A\s*(?:#|//|/\*+|--)\s*(?:file(?:name)?:\s*)?([\w./\\-]+\.\w{1,5})\b")
MOST_OPENING = 2_000
OTHER_GRAMMARS = {"javascript": ("tsx",), "typescript": ("tsx",)}
WEAK_GRAMMARS = frozenset(("kotlin", "swift", "scala", "ruby", "dart", "haskell", "elixir", "shell", "lua", "zig"))
LONG_LINE = 4_000  # a place in a line is found by counting from its start: 25 µs in a line of 50,000 characters
MOST_NODES_IN_LONG_LINES = 800
MOST_BROKEN_SHARE = 0.2  # above it, an error of a weak grammar is believed


class CodePosition(NamedTuple):
    """A place in the text, counted from 1."""

    line: int
    column: int


class SourceCode:
    """One text in one language, and what its tree says; without a tree only its text can be asked."""

    def __init__(self, text: str, language: str | None, path: str | None = None) -> None:
        self.text = text
        self.path = path
        self.language = language
        self.grammar = language
        self.root = parse_tree(text, language)
        self._shown: dict[tuple[Part, ...], list[str]] = {}
        self._settle_grammar()

    def _settle_grammar(self) -> None:
        """Types in JavaScript and tags in TypeScript are common; a grammar that takes them is tried then."""
        if self.root is None or self.broken_line is None or not self._may_have_tags_or_types():
            return
        for other in OTHER_GRAMMARS.get(self.language or "", ()):
            root = parse_tree(self.text, other)
            if root is not None and find_broken_node(root) is None:
                self.root = root
                self.grammar = other
                del self.broken_line

    def _may_have_tags_or_types(self) -> bool:
        """A second parse of 50,000 characters takes 15 ms; TypeScript needs it only for tags."""
        return self.language != "typescript" or "</" in self.text or "/>" in self.text

    @cached_property
    def broken_line(self) -> int | None:
        """The first line that the parser could not make sense of."""
        node = find_broken_node(self.root) if self.root else None
        if node is None or self.root is None:
            return None
        if self.language in WEAK_GRAMMARS and measure_broken_share(self.root) < MOST_BROKEN_SHARE:
            return None
        return node.range().start.line + 1

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in it; such code breaks nothing that is forbidden, in whatever language."""
        return not self.text.strip()

    @cached_property
    def kinds(self) -> SyntaxKinds | None:
        """How the grammar calls things."""
        return load_syntax_kinds().get(self.grammar or "")

    @cached_property
    def nodes(self) -> "dict[str, list[SgNode]]":
        """Every node that a rule may speak of, by its kind, in the order of the text."""
        found: dict[str, list[SgNode]] = {}
        if self.root and self.kinds:
            nodes = self.root.find_all(any=cast(Any, self.kinds.rules))
            for node in nodes[:MOST_NODES_IN_LONG_LINES] if self.has_long_lines else nodes:
                found.setdefault(node.kind(), []).append(node)
        return found

    @cached_property
    def has_long_lines(self) -> bool:
        """Whether a line is so long that only its beginning can be checked in time, as in code made by a minifier."""
        return max(map(len, self.lines), default=0) > LONG_LINE

    @cached_property
    def imports(self) -> list[ImportedName]:
        """What is imported."""
        return read_imported(self.text, self.grammar, self.root)

    @cached_property
    def calls(self) -> list[CalledName]:
        """What is called, in the order of the text."""
        aliases = read_aliases(self.text, self.grammar, self.root)
        return read_calls(self.nodes, self.kinds, aliases) if self.kinds else []

    @cached_property
    def definitions(self) -> list[DefinedName]:
        """What is defined, in the order of the text."""
        return read_definitions(self.nodes, self.kinds, self.grammar) if self.kinds else []

    @cached_property
    def enclosures(self) -> Enclosures:
        """What lies in what."""
        return Enclosures(self.definitions)

    @cached_property
    def _quiet(self) -> tuple[list[Span], list[Span]]:
        """The comments, and the insides of the strings."""
        if self.kinds is None:
            return scan_quiet_spans(self.text, self.language)
        return find_quiet_spans(self.text, self.nodes, self.kinds)

    def lines_of(self, parts: tuple[Part, ...]) -> list[str]:
        """The lines of the text with all but some parts of it blanked, so that positions stay."""
        known = self._shown.get(parts)
        if known is None:
            known = self._shown[parts] = self._lines_of(parts)
        return known

    def _lines_of(self, parts: tuple[Part, ...]) -> list[str]:
        if len(set(parts)) == 3:
            return self.lines
        comments, strings = self._quiet
        quiet = [span for part, spans in (("comments", comments), ("strings", strings)) for span in spans
                 if (part in parts) != ("code" in parts)]  # fmt: skip
        shown = blank_spans(self.text, quiet) if "code" in parts else blank_other_spans(self.text, quiet)
        return [strip_line_end(line) for line in split_lines(shown)]

    @cached_property
    def known_path(self) -> str | None:
        """Where the file lies: as was told, or as its first comment says."""
        said = PATH_COMMENT.findall(self.text[:MOST_OPENING])
        return self.path or (str(said[0]) if said else None)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        return [strip_line_end(line) for line in split_lines(self.text)]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(line) for line in split_lines(self.text))]

    def position(self, index: int) -> CodePosition:
        """The line and column of a place in the text."""
        line = bisect_right(self._starts, index) - 1
        return CodePosition(line + 1, index - self._starts[line] + 1)

    def start_of_line(self, line: int) -> int:
        """Where a line begins, counted from 1; a line beyond the end begins at the end."""
        return self._starts[min(line, len(self._starts)) - 1]
