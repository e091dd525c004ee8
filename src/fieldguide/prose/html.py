"""Reads HTML pages: headings, blocks and readable lines.

A scanner of our own, one step for each tag: `html.parser` alone takes 1.1 to 1.7 times the CPU of all of this (300
pages of the Rust documentation, CPython 3.11), before anything is made of its events. Scripts, styles, navigation and
what is hidden in templates are not read; the lines stay those of the file.
"""

from html import unescape
from itertools import accumulate

from fieldguide.prose.document import DocumentOutline, ReadDocument
from fieldguide.text.windows import split_lines

HEADINGS = {f"h{level}": level for level in range(1, 7)}
RAW = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))
UNREAD = frozenset(("nav", "template", "svg", "math", "noscript", "select", "button", "form"))
BLOCKS = frozenset(
    ("p", "div", "section", "article", "main", "header", "footer", "aside", "ul", "ol", "dl", "dt", "dd", "li", "table",
     "tr", "pre", "blockquote", "figure", "details", "summary", "hr", "body", "address", "fieldset", *HEADINGS)
)  # fmt: skip
OPENED = BLOCKS | UNREAD | RAW | {"br", "td", "th"}
CLOSED = UNREAD | {"pre", *HEADINGS}
LONGEST_NAME = 20
"""Longer than the name of any element that is looked for."""


def read_html(text: str) -> ReadDocument:
    """Read a page; any text is one. Front matter, as generators of sites have it, is no part of the page."""
    lines = split_lines(text)
    front, title = _front_matter(lines)
    scanner = _Scanner(text, lines)
    scanner.scan(sum(map(len, lines[:front])))
    return scanner.outline().document(lines, title or scanner.title, scanner.readable())


def _front_matter(lines: list[str]) -> tuple[int, str | None]:
    """How many lines of front matter there are, and the title in it."""
    if not lines or not lines[0].startswith(("---", "+++")):
        return 0, None
    from fieldguide.prose.markdown import count_front_matter_lines, read_front_matter_title

    front = count_front_matter_lines(lines)
    return front, read_front_matter_title(lines[1 : max(front - 1, 1)])


class _Scanner:
    """One pass over the tags of a page."""

    def __init__(self, text: str, lines: list[str]) -> None:
        self.title: str | None = None
        self._text = text
        self._count = len(lines)
        self._ends = [*accumulate(map(len, lines))]  # the place after each line
        self._line = 0  # of the place that was read last
        self._said: list[list[str]] = [[] for _ in lines]
        self._starts: set[int] = set()  # lines on which a block begins
        self._code: list[tuple[int, int]] = []
        self._headings: list[tuple[int, str, int, int]] = []
        self._heading: tuple[int, int, list[str]] | None = None
        self._unread = ""  # the element that is not read, and how many of its kind are open
        self._depth = 0
        self._pre = -1

    def scan(self, at: int) -> None:
        """Read every tag and the text between them, from a place on."""
        text = self._text
        length = len(self._text)
        while at < length:
            tag = text.find("<", at)
            if tag < 0:
                tag = length
            if tag > at:
                self._say(at, tag)
            if tag == length:
                break
            at = self._tag(tag)
        self._end_heading()

    def _tag(self, at: int) -> int:
        """A tag, a comment, or a mark that is only text; the place after it."""
        text = self._text
        following = text[at + 1 : at + 2]
        if following.isalpha():
            end = _end_of_tag(text, at + 1)
            name = _name(text[at + 1 : min(at + LONGEST_NAME, end)])
            if name in OPENED:
                self._open(name, at, is_closed=text[end - 2] == "/")
                return self._raw(name, end) if name in RAW else end
            return end
        if following == "/" and text[at + 2 : at + 3].isalpha():
            end = _end_of_tag(text, at + 2)
            name = _name(text[at + 2 : min(at + LONGEST_NAME, end)])
            if name in CLOSED:
                self._close(name, at)
            return end
        if following in ("!", "?"):
            return self._declaration(at)
        self._say(at, at + 1)
        return at + 1

    def _declaration(self, at: int) -> int:
        text = self._text
        if text.startswith("<!--", at):
            end = text.find("-->", at + 2)
            return len(text) if end < 0 else end + 3
        end = text.find(">", at)
        return len(text) if end < 0 else end + 1

    def _raw(self, name: str, at: int) -> int:
        """What stands in an element that holds no tags, up to its end."""
        end = self._text.find("</", at)
        while end >= 0 and self._text[end + 2 : end + 2 + len(name)].lower() != name:
            end = self._text.find("</", end + 2)
        end = len(self._text) if end < 0 else end
        if name == "title" and self.title is None and not self._unread:
            self.title = " ".join(unescape(self._text[at:end]).split()) or None
        return end

    def _open(self, name: str, at: int, *, is_closed: bool) -> None:
        if self._unread:
            self._depth += name == self._unread and not is_closed
        elif name in UNREAD:
            if not is_closed:
                self._unread = name
                self._depth = 1
        elif name in BLOCKS:
            line = self._line_of(at)
            self._starts.add(line)
            if name in HEADINGS:
                self._end_heading()
                self._heading = (HEADINGS[name], line, [])
            elif name == "pre" and self._pre < 0:
                self._pre = line
            if self._said[line]:
                self._said[line].append(" ")
        elif name in ("br", "td", "th"):
            self._said[self._line_of(at)].append(" ")

    def _close(self, name: str, at: int) -> None:
        if self._unread:
            self._depth -= name == self._unread
            if not self._depth:
                self._unread = ""
            return
        if name in HEADINGS:
            self._end_heading()
        elif name == "pre" and self._pre >= 0:
            self._code.append((self._pre, self._line_of(at) + 1))
            self._pre = -1

    def _end_heading(self) -> None:
        if self._heading is not None:
            level, line, said = self._heading
            self._headings.append((level, " ".join("".join(said).split()), line, self._line))
            self._heading = None

    def _say(self, start: int, end: int) -> None:
        """Keep the text between two tags, line by line."""
        line = self._line_of(start)
        if self._unread:
            return
        said = self._text[start:end]
        if "&" in said:
            said = unescape(said)
        if self._heading is not None:
            self._heading[2].append(said)
        if self._ends[line] >= end:
            self._said[line].append(said.rstrip("\r\n"))
            return
        for each in split_lines(self._text[start:end]):
            self._said[line].append(unescape(each.rstrip("\r\n")))
            line += 1

    def _line_of(self, at: int) -> int:
        """The line of a place; places are asked for in their order."""
        while self._line < self._count - 1 and self._ends[self._line] <= at:
            self._line += 1
        return self._line

    def readable(self) -> list[str]:
        """What each line says, without surrounding blanks outside of code; empty if there is nothing to read."""
        code: set[int] = set()
        for start, end in self._code:
            code.update(range(start, end))
        readable: list[str] = []
        for line, pieces in enumerate(self._said):
            said = "".join(pieces)
            said = said.rstrip() if line in code else " ".join(said.split())
            readable.append(f"{said}\n" if said.strip() else "")
        return readable

    def outline(self) -> DocumentOutline:
        """Headings, and blocks: each begins where an element of its kind begins; code is whole."""
        outline = DocumentOutline()
        code = dict(self._code)
        headings: dict[int, list[tuple[int, str, int, int]]] = {}
        for each in self._headings:
            if each[1]:
                headings.setdefault(each[2], []).append(each)
        starts = sorted({0, *self._starts, *code.values()})
        bounds = zip(starts, [*starts[1:], self._count], strict=True)
        for start, end in bounds:
            for level, text, line, last in headings.get(start, ()):
                outline.add_heading(level, text, start=line, end=last + 1)
            if any(self._said[start:end]):
                outline.add(start, code.get(start, end), is_code=start in code)
        return outline


def _end_of_tag(text: str, at: int) -> int:
    """The place after a tag: a `>` in quotes does not end it."""
    end = text.find(">", at)
    if end < 0:
        return len(text)
    if text.count('"', at, end) % 2 or text.find("'", at, end) >= 0:
        return _end_of_quoted_tag(text, at)
    return end + 1  # every quote is closed before it


def _end_of_quoted_tag(text: str, at: int) -> int:
    """The same for a tag with quotes; one whose quotes are never closed takes the rest."""
    end = double = single = -2  # where each is next: -1 not before `end`, less than `at` not known yet
    while True:
        if end < at:
            end = text.find(">", at)
            double = single = -2
        if end < 0:
            return len(text)
        double = _next(text, '="', double, at, end)
        single = _next(text, "='", single, at, end)
        if double < 0 and single < 0:
            return end + 1
        opening = min(each for each in (double, single) if each >= 0) + 1
        closing = text.find(text[opening], opening + 1)
        if closing < 0:
            return len(text)
        at = closing + 1


def _next(text: str, mark: str, known: int, at: int, end: int) -> int:
    """Where a mark is next; it is looked for again only behind where it was."""
    return known if known == -1 or known >= at else text.find(mark, at, end)


def _name(tag: str) -> str:
    """The name at the beginning of a tag, in small letters."""
    bare = tag[:-1] if tag.endswith(">") else tag
    if bare.isalnum():
        return bare.lower()
    return tag.split(">", 1)[0].split("/", 1)[0].split(None, 1)[0].lower()
