"""Reads AsciiDoc: section titles and blocks.

A reader of our own: the only real parser is written in Ruby. Delimited blocks are skipped as a whole, up to the line
that repeats their first one, as Asciidoctor does; a title counts only where a block can begin, and not where
`[discrete]` takes it out of the outline.
"""

from fieldguide.prose.document import DocumentOutline, ReadDocument
from fieldguide.text import regex as re
from fieldguide.text.windows import split_lines

BYTE_ORDER_MARK = "\ufeff"
DELIMITERS = frozenset("-.=*_+/`~")
VERBATIM = frozenset("-.+/`")
TABLES = frozenset(("|===", ",===", ":===", "!==="))
UNDERLINES = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
DISCRETE = ("discrete", "float")
CONDITIONS = ("ifdef::", "ifndef::", "ifeval::", "endif::")
SETTING = re.compile(r":[^:]+:(?: |$)")
SURE_LENGTH = 4


def read_asciidoc(text: str) -> ReadDocument:
    """Read a document; any text is one."""
    lines = split_lines(text)
    reader = _Reader([line.rstrip() for line in lines])
    reader.read()
    return reader.outline.document(lines, None)


class _Reader:
    """One walk over the blocks of a document."""

    def __init__(self, bare: list[str]) -> None:
        self.outline = DocumentOutline()
        self._bare = bare
        self._count = len(bare)
        self._offset = 0
        self._is_discrete = False
        if bare:
            bare[0] = bare[0].removeprefix(BYTE_ORDER_MARK)

    def read(self) -> None:
        """Find every heading and block."""
        at = 0
        while at < self._count:
            line = self._bare[at]
            if not line:
                at += 1
                continue
            at = self._delimited(at) or self._attribute(at) or self._title(at) or self._paragraph(at)

    def _delimited(self, at: int) -> int | None:
        """A block between two equal lines, or to the end where the second is missing; None when none begins here."""
        line = self._bare[at]
        if not is_delimiter(line):
            return None
        closing = line if line[0] != "`" else "```"
        end = at + 1
        while end < self._count and self._bare[end] != closing:
            end += 1
        end = min(end + 1, self._count)
        if line[0] != "/":
            self.outline.add(at, end, is_code=line[0] in VERBATIM)
        self._is_discrete = False
        return end

    def _attribute(self, at: int) -> int | None:
        """A line that belongs to what follows it, or sets something: attributes, block titles, comments, conditions."""
        line = self._bare[at]
        if _is_unseen(line):
            return at + 1
        if line[0] == "[" and line[-1] == "]":
            self._set_style(line[1:-1])
        elif SETTING.match(line):
            if line.startswith(":leveloffset:"):
                self._set_offset(line.removeprefix(":leveloffset:").strip())
        elif line[0] != "." or line[1:2] in ("", " ", "."):
            return None
        self.outline.add(at, at + 1)
        return at + 1

    def _set_style(self, attributes: str) -> None:
        """What the attributes of a block say of its title: whether it is taken out of the outline."""
        name = attributes.split(",", 1)[0].split("#", 1)[0].split(".", 1)[0].strip()
        if name and name[0] != "[" and "=" not in name:
            self._is_discrete = name in DISCRETE

    def _set_offset(self, value: str) -> None:
        number = value.lstrip("+-")
        if len(number) == 1 and number.isdecimal():
            step = -int(number) if value.startswith("-") else int(number)
            self._offset = self._offset + step if value[0] in "+-" else step
        elif not value:
            self._offset = 0

    def _title(self, at: int) -> int | None:
        """A title of one line, or of two; None when none stands here."""
        line = self._bare[at]
        found = parse_title(line)
        end = at + 1
        if found is None and (level := self._two_line_level(at)) is not None:
            found = (level, line)
            end = at + 2
        if found is None:
            return None
        level, text = found
        if self._is_discrete:
            self.outline.add(at, end)
        else:
            self.outline.add_heading(level + self._offset, text, start=at, end=end)
        self._is_discrete = False
        return end

    def _two_line_level(self, at: int) -> int | None:
        line = self._bare[at]
        under = self._bare[at + 1] if at + 1 < self._count else ""
        if not under or under[0] not in UNDERLINES or under.count(under[0]) != len(under) or line[0] in ".":
            return None
        is_long = abs(len(line) - len(under)) < 2 and any(map(str.isalnum, line))
        return UNDERLINES[under[0]] if is_long and line[0] not in " \t" else None

    def _paragraph(self, at: int) -> int:
        """Lines up to a blank one, or to where a delimited block begins."""
        end = at + 1
        while end < self._count and self._bare[end] and not _breaks(self._bare[end]):
            end += 1
        self.outline.add(at, end)
        self._is_discrete = False
        return end


def _is_unseen(line: str) -> bool:
    """Whether a line is a comment or a condition."""
    if line.startswith("//"):
        return not line.startswith("///")
    return line.startswith(CONDITIONS) and line[-1] == "]"


def is_delimiter(line: str) -> bool:
    """Whether a line, without blanks at its end, begins or ends a block."""
    first = line[0]
    if first in DELIMITERS:
        if line == "--":
            return True
        if first == "`":
            return line.startswith("```") and "`" not in line[3:] and " " not in line.strip()
        return len(line) >= SURE_LENGTH and line.count(first) == len(line)
    return line in TABLES


def parse_title(line: str) -> tuple[int, str] | None:
    """The level, from 1, and the text of a title of one line, as `== Title`; None when it is none."""
    mark = line[0]
    if mark not in "=#":
        return None
    text = line.lstrip(mark)
    level = len(line) - len(text)
    if level > 6 or text[:1] not in (" ", "\t") or not text.strip():
        return None
    said = text.strip()
    closing = f" {mark * level}"
    return level, said.removesuffix(closing).rstrip() if said.endswith(closing) else said


def _breaks(line: str) -> bool:
    """Whether a line ends the paragraph before it: a delimiter, attributes of a block, or what joins a block."""
    if line == "+" or is_delimiter(line):
        return True
    if line[0] != "[" or line[-1] != "]":
        return False
    inside = line[1:-1]
    return not inside or inside[0] in "[.#%\"',{_" or inside[0].isalpha()
