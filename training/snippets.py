"""Code that nobody described in full: the lines under a comment, and functions that only have a telling name."""

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from training.functions import LONGEST_CODE, SHORTEST_CODE, definitions, parsed, words_of

COMMENT = re.compile(r"^\s*#\s*([A-Za-z].*)$")
MOST_LINES = 12
FEWEST_WORDS, MOST_WORDS = 3, 16
NOT_SAID = re.compile(
    r"noqa|type:|pylint|pragma|todo|fixme|xxx|https?:|copyright|licen[sc]e|[=(){}\[\]<>]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Snippet:
    """Some lines of code and the words that stand for them."""

    words: str
    code: str
    is_comment: bool


def python_snippets(source: str) -> Iterator[Snippet]:
    """Every snippet of a Python file."""
    tree = parsed(source)
    if tree is not None:
        lines = source.splitlines()
        yield from _commented(lines)
        yield from _named(tree, lines)


def _commented(lines: list[str]) -> Iterator[Snippet]:
    """A comment of one or two lines of its own, and the lines below it up to a blank one or the next comment."""
    number = 0
    while number < len(lines):
        words: list[str] = []
        while number < len(lines) and (match := COMMENT.match(lines[number])):
            words.append(match[1].strip())
            number += 1
        if not words:
            number += 1
            continue
        code: list[str] = []
        while (
            number < len(lines)
            and len(code) < MOST_LINES
            and lines[number].strip()
            and not COMMENT.match(lines[number])
        ):
            code.append(lines[number])
            number += 1
        said, body = " ".join(words), textwrap.dedent("\n".join(code))
        if len(words) < 3 and len(code) > 1 and len(body) >= SHORTEST_CODE and _is_telling(said):
            yield Snippet(said.rstrip(".:"), body[:LONGEST_CODE], is_comment=True)


def _is_telling(words: str) -> bool:
    return words.isascii() and FEWEST_WORDS <= len(words.split()) <= MOST_WORDS and not NOT_SAID.search(words)


def _named(tree: ast.Module, lines: list[str]) -> Iterator[Snippet]:
    for _, node in definitions(tree):
        words = words_of(node.name)
        if len(words.split()) < 2 or node.name.startswith(("__", "test")) or ast.get_docstring(node):
            continue
        code = textwrap.dedent("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        if len(code) >= 2 * SHORTEST_CODE:
            yield Snippet(words, code.replace(node.name, "f")[:LONGEST_CODE], is_comment=False)
