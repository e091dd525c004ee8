"""Source text to a syntax tree, by tree-sitter's grammars through ast-grep, where that can be done without harm."""

from typing import TYPE_CHECKING

from fieldguide.source_code.parse_guard import is_safe_to_parse

if TYPE_CHECKING:
    from ast_grep_py import SgNode

MOST_PARSED = 400_000
# C and C++ are left out: a few kilobytes of nonsense can keep their grammars busy for many seconds. A name that
# ast-grep does not know ends in a panic, so these are all that it is ever asked for.
# fmt: off
GRAMMARS = {
    **{name: name for name in (
        "csharp", "dart", "elixir", "go", "haskell", "hcl", "java", "javascript", "kotlin", "lua", "nix", "php",
        "python", "ruby", "rust", "scala", "solidity", "swift", "tsx", "typescript", "zig",
    )},
    "shell": "bash",
}
# fmt: on


def parsed(text: str, language: str | None) -> "SgNode | None":
    """The root of a text's tree; None for a language without a grammar, and for a text that would hurt the parser."""
    grammar = GRAMMARS.get(language or "")
    if grammar is None or len(text) > MOST_PARSED:
        return None
    try:
        if not is_safe_to_parse(text, grammar):
            return None
        from ast_grep_py import SgRoot

        return SgRoot(text, grammar).root()
    except (RuntimeError, ValueError):
        return None
