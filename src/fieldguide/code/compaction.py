"""Finds the lines of a file that a quick reader skips: documentation in the code, logging and tracing."""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from fieldguide.code.parsing import GRAMMARS, MOST_PARSED, parse_tree
from fieldguide.files.parser_process import run_in_child
from fieldguide.text import regex as re

if TYPE_CHECKING:
    from ast_grep_py import SgNode

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
    children = [child for child in node.children() if child.is_named()]
    if len(children) == 1 and str(children[0].kind()) == "string":
        return True
    found = LOGGING.match(written)
    return found is not None and not (found["level"] or "").lower().startswith(ENDS_THE_PROGRAM)


def _whole_lines(node: "SgNode", lines: list[str]) -> Iterator[int]:
    """The lines of a node, unless something else stands on them too."""
    place = node.range()
    first, last = place.start.line, place.end.line
    if place.end.column == 0 and last > first:
        last -= 1  # a comment that holds the end of its line
    before = lines[first][: place.start.column].strip()
    after = lines[last][place.end.column :].strip(" \t\r;") if last == place.end.line else ""
    if not before and not after:
        yield from range(first + 1, last + 2)
