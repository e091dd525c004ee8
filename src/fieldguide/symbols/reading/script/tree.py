"""A syntax tree as plain lists: every node with its kind, its place and its parent, parents before children.

Asking the parser for all nodes at once costs a tenth of walking from node to node, and nothing here recurses.
"""

from bisect import bisect_right
from typing import Any

MOST_NODES = 300_000
WORDS_TOO = frozenset(("class", "module", "string", "object", "number", "unique symbol"))
"""Kinds that a word of the language has too."""
NOT_LOOKED_AT = frozenset(("comment", "html_comment"))


class Tree:
    """The nodes of one text by their number. Punctuation is left out, words of the language are kept."""

    def __init__(self, text: str, root: Any) -> None:
        self.text = text
        self.kinds: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.parents: list[int] = []
        self.children: list[list[int]] = []
        self.comments: dict[int, int] = {}
        """The start of every comment by its end."""
        self._lines = [0]
        for line in text.split("\n")[:-1]:
            self._lines.append(self._lines[-1] + len(line) + 1)
        self._read(root)

    def _read(self, root: Any) -> None:
        kinds, starts, ends, parents, children = self.kinds, self.starts, self.ends, self.parents, self.children
        open_nodes: list[int] = []
        for node in root.find_all({"rule": {"not": {"kind": "string_fragment"}}})[:MOST_NODES]:
            kind = node.kind()
            if not kind[0].isalpha() or (kind in WORDS_TOO and not node.is_named()):
                continue
            span = node.range()
            start, end = span.start.index, span.end.index
            if kind in NOT_LOOKED_AT:
                self.comments[end] = start
                continue
            while open_nodes and ends[open_nodes[-1]] < end:
                open_nodes.pop()
            place = len(kinds)
            parent = open_nodes[-1] if open_nodes else -1
            kinds.append(kind)
            starts.append(start)
            ends.append(end)
            parents.append(parent)
            children.append([])
            if parent >= 0:
                children[parent].append(place)
            open_nodes.append(place)

    def words(self, node: int) -> str:
        """The text of a node."""
        return self.text[self.starts[node] : self.ends[node]]

    def child(self, node: int, *kinds: str) -> int:
        """The first child of some kinds; -1 where there is none."""
        return next((each for each in self.children[node] if self.kinds[each] in kinds), -1)

    def kind_above(self, node: int) -> str:
        """The kind of a node's parent."""
        parent = self.parents[node]
        return self.kinds[parent] if parent >= 0 else ""

    def line(self, offset: int) -> int:
        """The line of a character, counted from 1."""
        return bisect_right(self._lines, offset)

    def column(self, offset: int) -> int:
        """The column of a character, counted from 0."""
        return offset - self._lines[bisect_right(self._lines, offset) - 1]
