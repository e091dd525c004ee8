"""A record as a page: what a person sees of it, its front matter, and its sections with what each is for.

A section's purpose is told by its heading or by where it stands. A line in bold that stands alone is a heading too, if
it says what one says; so are "**Decision**: …", "Decision: …" and a row `| Decision | … |`, where no heading says so.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fieldguide import linear_regex as re
from fieldguide.decisions.reading.prose import visible_lines
from fieldguide.decisions.reading.record import Passage
from fieldguide.decisions.reading.vocabulary import PRINTED, Kind, kind_of
from fieldguide.document_formats.document import Heading, ReadDocument
from fieldguide.document_formats.kinds import format_of
from fieldguide.document_formats.markdown import BYTE_ORDER_MARK, front_matter_lines
from fieldguide.document_formats.readers import read_document as read_any

KEY = re.compile(r"([A-Za-z][\w -]{0,40}?)\s*[:=]\s*(.*)")
FRONT_LINE = re.compile(r"[A-Za-z][\w -]{0,40}?\s*[:=].*|[ \t]+\S.*")
VALUE_END = re.compile(r"\s#\s|^(?:---|\+\+\+)$|^[>|][-+]?$")
BOLD_LINE = re.compile(r"\s*(?:\*\*|__)([^*_]{3,60}?)(?:\*\*|__)\s*:?\s*")
LABEL = re.compile(r"[\s|*_+-]*([A-Za-z][A-Za-z &/-]{2,40}?)[*_]{0,2}\s*[:|][*_]{0,2}(?:\s+|$)")
LABELLED: tuple[Kind, ...] = ("context", "decision", "consequences", "options", "discarded")
PSEUDO_LEVEL = 6
MOST_FRONT_LINES = 200
MOST_HEADINGS = 1_000


class Chapter(NamedTuple):
    """The text below one heading, up to the next that is as high or that has a purpose of its own."""

    kind: Kind
    heading: Heading
    passage: Passage


class Page(NamedTuple):
    """A record's document, its visible lines, its front matter by key with its number of lines, and its sections."""

    document: ReadDocument
    lines: Sequence[str]
    front: Mapping[str, Passage]
    front_lines: int
    sections: Sequence[Chapter]

    def of(self, kind: Kind) -> tuple[Passage, ...]:
        """What the sections of a kind say."""
        return tuple(each.passage for each in self.sections if each.kind == kind and each.passage.text.strip())

    def between(self, start: int, end: int) -> Passage:
        """The lines from `start` (counted from 1) to before `end`, without blank ones around them."""
        while start < end and not self.lines[start - 1].strip():
            start += 1
        while end > start and not self.lines[end - 2].strip():
            end -= 1
        return Passage("\n".join(self.lines[start - 1 : end - 1]), start, max(start, end - 1))


def read_document(path: str, text: str) -> ReadDocument:
    """A record's document by its format: Markdown unless its name says otherwise."""
    return read_any(path if format_of(path) else f"{path}.md", text)


def read_page(path: str, text: str) -> Page:
    """Read a record's text; any text is one."""
    document = read_document(path, text)
    front, taken = _front_matter(document.lines)
    page = Page(document, _visible(document), front, taken, ())
    return page._replace(sections=[*_sections(page)])


def _front_matter(lines: list[str]) -> tuple[Mapping[str, Passage], int]:
    """The keys, in lower case with hyphens, and how many lines they take; without a fence, one must be the title.

    No YAML parser sees it, because front matter is often not quite YAML and sometimes made to hurt one.
    """
    opening = [line.removeprefix(BYTE_ORDER_MARK).rstrip() for line in lines[:MOST_FRONT_LINES]]
    fenced = front_matter_lines(opening)
    taken = fenced or next((n for n, line in enumerate(opening) if not FRONT_LINE.fullmatch(line)), len(opening))
    values: dict[str, Passage] = {"": Passage("", 0, 0)}
    key = ""
    for number, line in enumerate(opening[:taken], start=1):
        match = KEY.fullmatch(line)
        if match:
            key = re.sub(r"[\s_]+", "-", match.group(1).lower())
            values[key] = Passage("", number, number)
        said = VALUE_END.split(match.group(2) if match else line.strip().removeprefix("- "), maxsplit=1)[0]
        joined = ", ".join(filter(None, (values[key].text, said.strip("\"'{} "))))
        values[key] = values[key]._replace(text=joined)
    return (values, taken) if fenced or "title" in values else ({}, 0)


def _visible(document: ReadDocument) -> list[str]:
    """The lines of a document without their ends; those of code and comments are empty, headings as in Markdown."""
    lines = [""] * len(document.lines)
    for block in document.blocks:
        if not block.is_code and block.heading is None:
            seen = [line.rstrip() for line in document.searched_lines[block.start : block.end]]
            lines[block.start : block.end] = visible_lines("\n".join(seen))
    for heading in document.headings:
        lines[heading.line - 1] = f"{'#' * heading.level} {heading.text}"
    return lines


def _sections(page: Page) -> Iterator[Chapter]:
    headings = sorted((*page.document.headings, *_bold_headings(page)), key=lambda each: each.line)
    headings = [each for each in headings if each.line > page.front_lines][:MOST_HEADINGS]
    labels: set[int] = set()
    if all(kind_of(each.text) != "decision" for each in page.document.headings[:MOST_HEADINGS]):
        found = _labels(page, {each.line for each in headings})
        labels = {each.line for each in found}
        headings = sorted((*headings, *found), key=lambda each: each.line)
    kinds = _with_guess(headings, [kind_of(heading.text) for heading in headings])
    for number, heading in enumerate(headings):
        start = heading.line + (heading.line not in labels)
        passage = page.between(start, _end(headings, kinds, number, len(page.lines)))
        if heading.line in labels:
            passage = passage._replace(text=LABEL.sub("", passage.text, count=1).rstrip(" |"))
        yield Chapter(kinds[number], heading, passage)


def _bold_headings(page: Page) -> Iterator[Heading]:
    for number, line in enumerate(page.lines, start=1):
        match = BOLD_LINE.fullmatch(line) if "**" in line or "__" in line else None
        if match and kind_of(match.group(1)) != "other":
            yield Heading(PSEUDO_LEVEL, match.group(1), number)


def _labels(page: Page, taken: set[int]) -> list[Heading]:
    """The lines that open with a purpose and go on with the text; none unless one of them is the decision."""
    lines = enumerate(page.lines[page.front_lines :], start=page.front_lines + 1)
    found = [Heading(PSEUDO_LEVEL, match.group(1), n) for n, line in lines if (match := LABEL.match(line))]
    kept = [each for each in found if each.line not in taken and kind_of(each.text) in LABELLED]
    return kept if any(kind_of(each.text) == "decision" for each in kept) else []


def _with_guess(headings: Sequence[Heading], kinds: list[Kind]) -> list[Kind]:
    """The kinds; where none is the decision, the one section between context and consequences is."""
    if "decision" in kinds or "context" not in kinds:
        return kinds
    start = kinds.index("context")
    end = next((n for n in range(start, len(kinds)) if kinds[n] == "consequences"), start)
    level = headings[start].level
    between = [n for n in range(start + 1, end) if headings[n].level == level and kinds[n] in ("other", "proposal")]
    return [("decision" if between == [n] else kind) for n, kind in enumerate(kinds)]


def _end(headings: Sequence[Heading], kinds: Sequence[Kind], number: int, lines: int) -> int:
    """The line after a section; a heading with a purpose ends one with another, however deep it stands."""
    own = kinds[number]
    ending = ("decision", "status") if own == "options" else {*PRINTED, "discarded"} - {own}
    for later in range(number + 1, len(headings)):
        if headings[later].level <= headings[number].level or kinds[later] in ending:
            return headings[later].line
    return lines + 1
