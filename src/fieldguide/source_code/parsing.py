"""Source text to a syntax tree, by tree-sitter's grammars through ast-grep. Only a parser process does this.

Nothing can stop a grammar once it has a text: `parser_process.in_child` is the way here from everywhere else.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from fieldguide.source_code.nesting import refuse_deep_nesting
from fieldguide.source_code.syntax_problem import SyntaxProblem

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MOST_PARSED = 400_000
HAS_TREES = ContextVar("HAS_TREES", default=True)
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


def parsed(text: str, language: str | None) -> "SgNode | None":
    """The root of a text's tree; None for a language without a grammar, and for a text that is not fit for one."""
    grammar = GRAMMARS.get(language or "") or ONLY_FOR_NAMES.get(language or "")
    if grammar is None or len(text) > MOST_PARSED or not HAS_TREES.get():
        return None
    from ast_grep_py import SgRoot

    try:
        refuse_deep_nesting(text)
        return SgRoot(text, grammar).root()
    except (SyntaxProblem, RuntimeError, ValueError):
        return None


@contextmanager
def without_trees() -> Generator[None]:
    """Take every language for one without a grammar: a text that a parser had to be killed for is asked about so."""
    before = HAS_TREES.set(False)
    try:
        yield
    finally:
        HAS_TREES.reset(before)
