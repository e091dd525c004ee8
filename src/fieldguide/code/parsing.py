"""Parses source text into syntax trees with ast-grep, measures broken trees, lists tokens, finds lines to skip.

Nothing can stop a grammar once it has a text: `run_in_child` of `files/parser_process.py` is the way here from
everywhere else.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
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
