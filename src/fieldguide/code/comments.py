"""Finds comments and the insides of strings in source text, and blanks them."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING

from fieldguide.code.names import SyntaxKinds
from fieldguide.text import regex as re
from fieldguide.text.lines import split_lines

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
