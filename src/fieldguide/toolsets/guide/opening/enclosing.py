"""What encloses some lines: the section of a document, or the symbol of code."""

from itertools import islice
from typing import NamedTuple

from fieldguide.document_formats.document import DEEPEST
from fieldguide.document_formats.readers import read_document
from fieldguide.project_text.names import format_by_name
from fieldguide.source_code.languages import language_of
from fieldguide.source_code.outlines import enclosing_of
from fieldguide.toolsets.guide.opening.page import Page

LARGEST_CHARACTERS = 1 << 20
LONGEST_NAME = 120


class Enclosing(NamedTuple):
    """The lines around some, and the name of what they are."""

    start: int
    end: int
    name: str


def enclosing(page: Page, start: int, end: int) -> Enclosing | None:
    """The smallest section or symbol that holds these lines; None where nothing does, or the text is too long.

    A section is given without those below it, where that is enough.
    """
    text = "".join(page.lines)
    if len(text) > LARGEST_CHARACTERS:
        return None
    name = page.path.rpartition("/")[2]
    is_prose = format_by_name(name) is not None
    return _section(page, text, start, end) if is_prose else _symbol(page, text, start, end)


def _section(page: Page, text: str, start: int, end: int) -> Enclosing | None:
    headings = read_document(page.path, text).headings
    above: dict[int, int] = {}  # the last heading of each level before the lines, by its number
    for number, heading in enumerate(headings):
        if heading.line > start:
            break
        above = {level: each for level, each in above.items() if level < heading.level} | {heading.level: number}
    for level, number in sorted(above.items(), reverse=True):
        line, said = headings[number].line, headings[number].text[:LONGEST_NAME]
        for deepest in (DEEPEST, level):  # its own text, if that is enough; else with the sections below it
            following = (each.line for each in islice(headings, number + 1, None) if each.level <= deepest)
            last = max(next(following, page.last + 1) - 1, line)
            if last >= end:
                return Enclosing(line, last, said)
    return None


def _symbol(page: Page, text: str, start: int, end: int) -> Enclosing | None:
    found = enclosing_of(text, language_of(page.path), (start, end))
    if found is None:
        return None
    return Enclosing(min(found.line, start), max(found.end_line, end), found.name[:LONGEST_NAME])
