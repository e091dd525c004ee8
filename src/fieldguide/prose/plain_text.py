"""Reads plain text: paragraphs, and headings where they are plain to see.

A heading is a line of its own that is underlined, or in capitals, or numbered as chapters are. What could as well be
an item, a sentence or a row of a table is none: a heading that is missed costs less than one that is not there.
"""

from fieldguide.prose.document import DocumentOutline, ReadDocument
from fieldguide.prose.rst import is_adornment
from fieldguide.text import regex as re
from fieldguide.text.windows import split_lines

BYTE_ORDER_MARK = "\ufeff"
UNDERLINES = frozenset("=-~*^#+_")
LEAST_UNDERLINE = 3
LONGEST_HEADING = 80
LEAST_CAPITALS = 4
NUMBERED = re.compile(r"(?:(?i:chapter|section|appendix|part)\s+)?((?:\d{1,3}|[A-Z])(?:\.\d{1,3})*)([.):]?)\s+\S.*")


def read_plain_text(text: str) -> ReadDocument:
    """Read a text; any text is one."""
    lines = split_lines(text)
    bare = [line.rstrip() for line in lines]
    if bare:
        bare[0] = bare[0].removeprefix(BYTE_ORDER_MARK)
    outline = DocumentOutline()
    styles: list[str] = []
    at = 0
    count = len(bare)
    while at < count:
        if not bare[at]:
            at += 1
            continue
        start = at
        style, text_line = _heading_at(bare, at)
        if style is not None:
            if style not in styles:
                styles.append(style)
            at = _end_of_heading(bare, at, text_line)
            outline.add_heading(styles.index(style) + 1, bare[text_line].strip(), start=start, end=at)
            continue
        while at < count and bare[at]:
            at += 1
        outline.add(start, at)
    return outline.document(lines, None)


def _heading_at(bare: list[str], at: int) -> tuple[str | None, int]:
    """The kind of the heading that begins on a line, None when none does, and the line of its text."""
    line = bare[at]
    following = _line(bare, at + 1)
    if is_adornment(line):
        return _framed(bare, at)
    if len(line) > LONGEST_HEADING or line[0] in " \t":
        return None, at
    if _underlines(following, line) and _can_be_heading(line):
        return following[0], at
    if following and not following.startswith((" ", "\t")):
        return None, at
    if _is_in_capitals(line):
        return "capitals", at
    return (None if following else _chapter(bare, at)), at


def _line(bare: list[str], at: int) -> str:
    return bare[at] if at < len(bare) else ""


def _framed(bare: list[str], at: int) -> tuple[str | None, int]:
    """The heading that stands between a line of marks and the same one again."""
    line = bare[at]
    title = _line(bare, at + 1).strip()
    is_framed = _line(bare, at + 2) == line and len(line) >= LEAST_UNDERLINE and _can_be_heading(title)
    return (line[0] * 2, at + 1) if is_framed else (None, at)


def _end_of_heading(bare: list[str], start: int, text_line: int) -> int:
    """The line after a heading, its underline included."""
    is_underlined = text_line > start or _underlines(_line(bare, text_line + 1), bare[text_line])
    return text_line + 2 if is_underlined else text_line + 1


def _underlines(line: str, title: str) -> bool:
    """Whether a line of marks stands under a title, and is about as long as it or longer."""
    return line[:1] in UNDERLINES and is_adornment(line) and len(line) >= max(LEAST_UNDERLINE, len(title) * 2 // 3)


def _can_be_heading(text: str) -> bool:
    return 0 < len(text) <= LONGEST_HEADING and any(map(str.isalpha, text)) and text[-1] not in ",;"


def _is_in_capitals(line: str) -> bool:
    letters = [each for each in line if each.isalpha()]
    is_mostly_letters = len(letters) * 3 >= 2 * len(line.replace(" ", ""))
    is_word = len(letters) >= LEAST_CAPITALS and all(map(str.isupper, letters)) and is_mostly_letters
    return is_word and line[-1] not in ".,;=" and not line.startswith(("-", "*", "|"))


def _chapter(bare: list[str], at: int) -> str | None:
    """The kind of a heading such as `2.1 Scope`; a list of numbered sentences or items is none."""
    number = _number(bare[at])
    if not number:
        return None
    above = _neighbour(bare, range(at - 1, max(at - 4, -1), -1))
    below = _neighbour(bare, range(at + 1, min(at + 4, len(bare))))
    is_item = any(each and _depth(each) == number.count(".") for each in (above, below))
    return None if is_item or not below else f"chapter {number.count('.')}"


def _number(line: str) -> str:
    """The number of a chapter that a line begins with; empty where it begins a sentence or an item."""
    found = NUMBERED.fullmatch(line) if line[0].isalnum() else None
    if found is None or line[-1] in ".,;:?!" or (found.group(2) == ")" and "." not in found.group(1)):
        return ""
    number = str(found.group(1))
    is_article = not number[0].isdecimal() and not found.group(2) and line.startswith(number)  # "A thing"
    return "" if is_article else number


def _neighbour(bare: list[str], lines: range) -> str:
    """The nearest line that says anything."""
    return next((bare[line] for line in lines if bare[line]), "")


def _depth(line: str) -> int | None:
    """How deep a numbered line is, from 0; None when it has no number."""
    found = NUMBERED.fullmatch(line) if line[0].isalnum() else None
    return found.group(1).count(".") if found else None
