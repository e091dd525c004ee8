"""Parses source text into syntax trees with ast-grep, measures broken trees, lists tokens, finds lines to skip.

Nothing can stop a grammar once it has a text: `parser_process.in_child` is the way here from everywhere else.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from fieldguide.files.parser_worker import HAS_TREES
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MOST_ERRORS = 200


def find_broken_node(root: "SgNode") -> "SgNode | None":
    """The innermost beginning of the first error, or a token that the parser made up to go on."""
    error = _innermost(root.find_all(kind="ERROR")[:MOST_ERRORS])
    made_up = next((node for node in root.find_all(regex="^$") if node.is_leaf() and not node.is_named()), None)
    both = [node for node in (error, made_up) if node is not None]
    return min(both, key=lambda node: node.range().start.index, default=None)


def _innermost(errors: "list[SgNode]") -> "SgNode | None":
    """Of the first error the part in which it really lies; errors come from the outside in."""
    if not errors:
        return None
    found = errors[0]
    place = errors[0].range()
    for each in errors[1:]:
        inner = each.range()
        if inner.start.index >= place.end.index:
            break
        if inner.start.index > place.start.index:
            found = each
            place = inner
    return found


def measure_broken_share(root: "SgNode") -> float:
    """How much of a text the parser could make nothing of."""
    broken = sum(_length(node) for node in root.find_all(kind="ERROR"))
    return broken / max(1, _length(root))


def _length(node: "SgNode") -> int:
    place = node.range()
    return place.end.index - place.start.index


class SyntaxProblem(Refusal):
    """A file so broken that its imports can't be trusted; the message is `Syntax error at line N`."""

    def __init__(self, line: int) -> None:
        super().__init__(f"Syntax error at line {line}", line=line)
        self.line = line


MAX_NESTING = 2_000
OPENING = b"([{"
BRACKETS = b"()[]{}"
OTHERS = bytes(set(range(256)) - set(BRACKETS))
_BRACKET = re.compile(r"[()\[\]{}]")


def refuse_deep_nesting(text: str) -> None:
    """Raise a SyntaxProblem for brackets so deep that the parser's stack would overflow; ask before every parse.

    Its process would end of them and the next text get another, but only this tells the line.
    """
    if sum(map(text.count, "([{")) <= MAX_NESTING:
        return
    depth = 0
    for number, bracket in enumerate(text.encode("ascii", "replace").translate(None, OTHERS)):
        depth = depth + 1 if bracket in OPENING else max(0, depth - 1)
        if depth > MAX_NESTING:
            found = next(islice(_BRACKET.finditer(text), number, None))
            raise SyntaxProblem(text.count("\n", 0, found.start()) + 1)


MOST_PARSED = 800_000
# C and C++ are left out, but for the names in them: their macros break the trees, and no rule and no cut was ever tried
# on them. A name that ast-grep does not know ends in a panic, so these are all that it is ever asked for.
# fmt: off
GRAMMARS = {
    **{name: name for name in (
        "csharp", "dart", "elixir", "go", "haskell", "hcl", "java", "javascript", "kotlin", "lua", "nix", "php",
        "python", "ruby", "rust", "scala", "solidity", "swift", "tsx", "typescript", "zig",
    )},
    "shell": "bash",
}
ONLY_FOR_NAMES = {"c for names": "c", "cpp for names": "cpp"}
# fmt: on
SHARED: ContextVar[dict[tuple[str, str], Any] | None] = ContextVar("SHARED", default=None)


@contextmanager
def share_trees() -> Generator[None]:
    """Parse the same text only once while the block runs: chunks, imports and symbols are read from one tree."""
    before = SHARED.set({})
    try:
        yield
    finally:
        SHARED.reset(before)


def parse_tree(text: str, language: str | None) -> "SgNode | None":
    """The root of a text's tree; None for a language without a grammar, and for a text that is not fit for one."""
    grammar = GRAMMARS.get(language or "") or ONLY_FOR_NAMES.get(language or "")
    if grammar is None or len(text) > MOST_PARSED or not HAS_TREES.get():
        return None
    shared = SHARED.get()
    if shared is None:
        return _parse(text, grammar)
    key = (grammar, text)
    if key not in shared:
        shared[key] = _parse(text, grammar)
    root: SgNode | None = shared[key]
    return root


def _parse(text: str, grammar: str) -> "SgNode | None":
    from ast_grep_py import SgRoot

    try:
        refuse_deep_nesting(text)
        return SgRoot(text, grammar).root()
    except (SyntaxProblem, RuntimeError, ValueError):
        return None


def is_keyword(word: str, languages: Sequence[str]) -> bool:
    """Whether a word means something to a language itself; without languages, to any."""
    for language in languages or GRAMMARS:
        for form in ("{}", "a {} b", "let a: {} = b"):
            root = parse_tree(form.format(word), language)
            found = root.find_all(regex=f"^{re.escape(word)}$") if root else []
            if any(node.is_leaf() and not node.is_named() for node in found):
                return True
    return False


DOCUMENTATION = ("/**", "///", "//!", "/*!")
COMMENT_KINDS = ("comment", "line_comment", "block_comment", "multiline_comment")
LOGGING = re.compile(
    r"(?:\w+(?:\.|::))*_?(?:log|logger|logging|slog|klog|LOG|LOGGER|Log|console|tracing|tracer|span)\.(?P<level>\w+)\("
    r"|(?:tracing::|log::)?(?:trace|debug|info|warn|error)!\("
)
ENDS_THE_PROGRAM = ("fatal", "panic", "exit")


def find_skippable_lines(text: str, language: str | None) -> frozenset[int]:
    """The numbers of these lines, counted from 1; none where there is no grammar for the language."""
    if language not in GRAMMARS or len(text) > MOST_PARSED:
        return frozenset()
    from fieldguide.files.parser_process import run_in_child  # nothing of a child needs it

    return frozenset(run_in_child(f"{__name__}:parse_skippable_lines", text, language) or ())


def parse_skippable_lines(text: str, language: str | None) -> list[int]:
    """That, as plain data. For a parser process."""
    root = parse_tree(text, language)
    if root is None:
        return []
    lines = text.split("\n")
    found = chain.from_iterable(_find_nodes(root, kind) for kind in (*COMMENT_KINDS, "expression_statement"))
    return [*chain.from_iterable(_whole_lines(node, lines) for node in found if _is_skippable(node))]


def _find_nodes(root: "SgNode", kind: str) -> "list[SgNode]":
    """The nodes of a kind; none where the grammar has no such kind."""
    try:
        return root.find_all(kind=kind)
    except RuntimeError:
        return []


def _is_skippable(node: "SgNode") -> bool:
    written = node.text()
    if str(node.kind()) in COMMENT_KINDS:
        return written.startswith(DOCUMENTATION)
    children = node.named_children()
    if len(children) == 1 and str(children[0].kind()) == "string":
        return True
    found = LOGGING.match(written)
    return found is not None and not (found["level"] or "").lower().startswith(ENDS_THE_PROGRAM)


def _whole_lines(node: "SgNode", lines: list[str]) -> Iterator[int]:
    """The lines of a node, unless something else stands on them too."""
    place = node.range()
    first = place.start.line
    last = place.end.line
    if place.end.column == 0 and last > first:
        last -= 1  # a comment that holds the end of its line
    before = lines[first][: place.start.column].strip()
    after = lines[last][place.end.column :].strip(" \t\r;") if last == place.end.line else ""
    if not before and not after:
        yield from range(first + 1, last + 2)
