"""Reads reStructuredText: titles by their adornments, and blocks.

docutils reads half a megabyte a second, so this is a reader of our own. It walks the blocks at the left margin as
docutils' body states do, because only there a title can stand: what is indented (literal blocks, the content of
directives, comments, items) is skipped as a whole.
"""

from unicodedata import east_asian_width

from fieldguide.prose.document import DocumentOutline, ReadDocument
from fieldguide.text.windows import split_lines

BYTE_ORDER_MARK = "\ufeff"
ADORNMENTS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
SURE_LENGTH = 4  # a shorter adornment counts only where it is as long as its title
BULLETS = ("*", "-", "+", "\u2022", "\u2023", "\u2043")
CODE_DIRECTIVES = frozenset(
    ("code", "code-block", "sourcecode", "parsed-literal", "literalinclude", "math", "doctest", "testcode", "raw",
     "testoutput", "prompt", "console", "productionlist", "graphviz", "digraph", "mermaid", "ipython",
     "jupyter-execute")
)  # fmt: skip


def read_rst(text: str) -> ReadDocument:
    """Read a document; any text is one."""
    lines = split_lines(text)
    reader = _Reader([line.rstrip() for line in lines])
    reader.read()
    return reader.outline.document(lines, None)


def is_adornment(line: str) -> bool:
    """Whether a line, without blanks at its end, is one mark of ASCII again and again."""
    return line[:1] in ADORNMENTS and line.count(line[0]) == len(line)


def count_columns(text: str) -> int:
    """How many columns a text takes; wide characters take two."""
    return len(text) if text.isascii() else len(text) + sum(east_asian_width(each) in "WF" for each in text)


class _Reader:
    """One walk over the blocks at the left margin of a document."""

    def __init__(self, bare: list[str]) -> None:
        self.outline = DocumentOutline()
        self._bare = bare
        self._count = len(bare)
        self._styles: list[str] = []
        if bare:
            bare[0] = bare[0].removeprefix(BYTE_ORDER_MARK)

    def read(self) -> None:
        """Find every heading and block."""
        at = 0
        while at < self._count:
            line = self._bare[at]
            if not line:
                at += 1
            elif line[0] in " \t\f\v":
                at = self._indented(at)
            elif line[0] in ADORNMENTS:
                at = self._marked(at)
            else:
                at = self._text(at)

    def _line(self, at: int) -> str:
        return self._bare[at] if at < self._count else ""

    def _marked(self, at: int) -> int:
        """A block that begins with a mark: an item, a directive, a table, a title with an overline, or text."""
        line = self._bare[at]
        if _is_item(line):
            return self._item(at)
        if line.startswith((".. ", "__ ")) or line in ("..", "__"):
            return self._explicit(at)
        if line[0] == "=" and " " in line and not line.strip("= "):
            return self._table(at)
        if is_adornment(line):
            return self._overline(at)
        return self._text(at)

    def _overline(self, at: int) -> int:
        """A line of marks: over a title, between two parts, or only the beginning of a text."""
        line = self._bare[at]
        title = self._line(at + 1)
        under = self._line(at + 2)
        if len(line) < SURE_LENGTH and (line != under or count_columns(title) > len(line) or not title):
            return self._text(at)
        if not title:
            self.outline.add(at, at + 1)
            return at + 1
        if line == under and not is_adornment(title):
            self._heading(title.strip(), line[0] * 2, start=at, end=at + 3)
        else:
            self.outline.add(at, min(at + (2 if is_adornment(title) else 3), self._count))
        return min(at + (2 if is_adornment(title) else 3), self._count)

    def _text(self, at: int) -> int:
        """A title with its underline, a term with its definition, or a paragraph."""
        line = self._bare[at]
        under = self._line(at + 1)
        if under and is_adornment(under) and (len(under) >= SURE_LENGTH or count_columns(line) <= len(under)):
            self._heading(line, under[0], start=at, end=at + 2)
            return at + 2
        if under[:1] in (" ", "\t"):
            return self._item(at)
        end = at + 1
        while end < self._count and self._bare[end] and self._bare[end][0] not in " \t":
            end += 1
        if self._bare[end - 1].endswith("::"):
            return self._literal(at, end)
        self.outline.add(at, end)
        return end

    def _literal(self, start: int, end: int) -> int:
        """A paragraph that announces a literal block: what is indented, or lines that begin with one mark."""
        at = end
        while at < self._count and not self._bare[at]:
            at += 1
        mark = self._line(at)[:1]
        if mark in ADORNMENTS and at > end:
            while self._line(at)[:1] == mark:
                at += 1
            self.outline.add(start, at, is_code=True)
            return at
        after = self._end_of_indented(end)
        self.outline.add(start, after, is_code=after > end)
        return after

    def _heading(self, text: str, style: str, *, start: int, end: int) -> None:
        """A title; each new kind of adornment is one level deeper."""
        if style not in self._styles:
            self._styles.append(style)
        self.outline.add_heading(self._styles.index(style) + 1, text, start=start, end=end)

    def _item(self, at: int) -> int:
        end = self._end_of_indented(at + 1)
        self._split(at, end)
        return end

    def _indented(self, at: int) -> int:
        end = self._end_of_indented(at)
        self._split(at, end)
        return end

    def _explicit(self, at: int) -> int:
        end = self._end_of_indented(at + 1)
        if _is_code(self._bare[at]):
            self.outline.add(at, end, is_code=True)
        else:
            self._split(at, end)
        return end

    def _end_of_indented(self, at: int) -> int:
        """The line after the last that is indented, from here on; blank ones between them belong to them."""
        end = at
        while at < self._count and (not self._bare[at] or self._bare[at][0] in " \t\f\v"):
            at += 1
            if self._bare[at - 1]:
                end = at
        return end

    def _split(self, start: int, end: int) -> None:
        """What is indented as blocks: paragraphs, and literal blocks whole."""
        at = start
        while at < end:
            if not self._bare[at]:
                at += 1
                continue
            begin = at
            head = self._bare[at].lstrip()
            while at < end and self._bare[at]:
                at += 1
            is_code = _is_code(head) or (self._bare[at - 1].endswith("::") and not head.startswith(".. "))
            if is_code:
                at = self._end_of_deeper(at, end, len(self._bare[begin]) - len(head))
            self.outline.add(begin, at, is_code=is_code)

    def _end_of_deeper(self, at: int, end: int, indent: int) -> int:
        last = at
        while at < end:
            line = self._bare[at]
            if line:
                if len(line) - len(line.lstrip()) <= indent:
                    break
                last = at + 1
            at += 1
        return last

    def _table(self, at: int) -> int:
        """A simple table, from its first border to the last: the second, or one with nothing below it."""
        borders = 0
        for end in range(at + 1, self._count):
            line = self._bare[end]
            if line.startswith("=") and not line.strip("= "):
                borders += 1
                if borders == 2 or not self._line(end + 1):
                    self.outline.add(at, end + 1)
                    return end + 1
        end = at + 1  # never closed: no table
        while end < self._count and self._bare[end]:
            end += 1
        self.outline.add(at, end)
        return end


def _is_item(line: str) -> bool:
    """Whether a line begins an item of a list, or a field."""
    return _is_field(line) if line[0] == ":" else line.startswith(BULLETS) and line[1:2] in ("", " ")


def _is_field(line: str) -> bool:
    """Whether a line begins a field, as `:Author: somebody`; a role, as :ref:`name`, begins a text."""
    end = line.find(":", 1)
    while end > 0 and line[end + 1 : end + 2] not in ("", " "):
        end = line.find(":", end + 1)
    return end > 1 and line[1] not in ": " and line[end - 1] != " "


def _is_code(line: str) -> bool:
    """Whether a line is a directive whose content is code."""
    if not line.startswith(".. "):
        return False
    name, mark, _ = line[3:].partition("::")
    return bool(mark) and name.strip().rpartition(":")[2] in CODE_DIRECTIVES
