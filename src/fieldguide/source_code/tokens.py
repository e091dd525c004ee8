"""The tokens of a tree, and which of them are others in another tree."""

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from fieldguide import linear_regex as re
from fieldguide.source_code.parsing import GRAMMARS, parsed

if TYPE_CHECKING:
    from ast_grep_py import SgNode


def tokens_of(root: "SgNode", most: int) -> "list[SgNode]":
    """The tokens of a tree, or the first of them, without its comments; a text in quotes is one."""
    found: list[SgNode] = []
    waiting = [root]
    while waiting and len(found) < most:
        node = waiting.pop()
        kind, children = node.kind(), node.children()
        if children and ("string" not in kind or "template" in kind):
            waiting += reversed(children)
        elif "comment" not in kind and node.text().strip():
            found.append(node)
    return found


def is_keyword(word: str, languages: Sequence[str]) -> bool:
    """Whether a word means something to a language itself; without languages, to any."""
    for language in languages or GRAMMARS:
        for form in ("{}", "a {} b", "let a: {} = b"):
            root = parsed(form.format(word), language)
            found = root.find_all(regex=f"^{re.escape(word)}$") if root else []
            if any(node.is_leaf() and not node.is_named() for node in found):
                return True
    return False


def changed_tokens(ours: "Sequence[SgNode]", theirs: "Sequence[SgNode]") -> range:
    """Which of our tokens are others over there: what is left when the same beginning and the same end are off."""
    left, right = [token.text() for token in ours], [token.text() for token in theirs]
    before = _same(left, right)
    after = min(_same(left[::-1], right[::-1]), min(len(left), len(right)) - before)
    return range(before, len(left) - after)


def _same(ours: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
