"""Where a text says nothing to the machine: its comments and the insides of its strings."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from fieldguide import linear_regex as re
from fieldguide.toolsets.architecture.rules.syntax_kinds import SyntaxKinds

if TYPE_CHECKING:
    from ast_grep_py import SgNode

Span = tuple[int, int]
OPENING = re.compile(r"""[A-Za-z@$#]*("{3,}|'{3}|["'`]|)""")
SLASH_COMMENTS = r"//[^\r\n]*|/\*(?s:.*?)(?:\*/|\Z)"
HASH_COMMENTS = r"#[^\r\n]*"
DASH_COMMENTS = r"--[^\r\n]*"
QUOTED = r""""(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
SCANNERS = {
    "#": re.compile(f"(?P<comment>{HASH_COMMENTS})|(?P<string>{QUOTED})"),
    "--": re.compile(f"(?P<comment>{DASH_COMMENTS})|(?P<string>{QUOTED})"),
    "//": re.compile(f"(?P<comment>{SLASH_COMMENTS})|(?P<string>{QUOTED})"),
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


def quiet_spans(text: str, nodes: "Mapping[str, list[SgNode]]", kinds: SyntaxKinds) -> tuple[list[Span], list[Span]]:
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


def scanned_spans(text: str, language: str | None) -> tuple[list[Span], list[Span]]:
    """The same for a language without a tree, by the marks that most languages have."""
    mark = "#" if language in HASH_LANGUAGES else "--" if language in DASH_LANGUAGES else "//"
    comments: list[Span] = []
    strings: list[Span] = []
    for match in SCANNERS[mark].finditer(text):
        if match.lastgroup == "comment":
            comments.append(match.span())
        else:
            strings.append((match.start() + 1, match.end() - 1))
    return comments, strings


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
