"""The outline of a document that was read (lines, headings, blocks and title), and the sections of an outline.

Every reader makes this one type. The lines are those of the file, so that every heading and block is a place that can
be opened; `readable` is what they say where the file itself is no text for people (HTML, notebooks).

Whoever extracts it writes it with `ExtractedText`, so that no line of the content is taken for a heading.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from fieldguide.text import regex as re
from fieldguide.text.near_names import find_near_names
from fieldguide.text.windows import Cite, describe_rest, select_lines, split_lines, strip_line_end

DEEPEST = 6


class Heading(NamedTuple):
    """A heading of the outline: its level, its text as written, and its line, counted from 1."""

    level: int
    text: str
    line: int


class Block(NamedTuple):
    """A top-level block: a heading (by its number in the outline) or anything else, and its lines counted from 0."""

    start: int
    end: int
    heading: int | None = None
    is_code: bool = False


class ReadDocument(NamedTuple):
    """A document that was read: every line with its end, so that joined lines are the document byte for byte.

    `readable`, where it is given, has one text for each line: what a person would read of it.
    """

    lines: list[str]
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    title: str | None
    readable: list[str] | None = None

    @property
    def searched_lines(self) -> list[str]:
        """What is searched of each line."""
        return self.lines if self.readable is None else self.readable

    def text_of(self, start: int, end: int) -> str:
        """The lines from `start` (counted from 0) to before `end`, without the end of the last one."""
        return strip_line_end("".join(self.searched_lines[start:end]))


class DocumentOutline:
    """Headings and blocks in the order of a document, as a reader finds them; no two blocks share a line."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self._end = 0

    def add_heading(self, level: int, text: str, *, start: int, end: int) -> None:
        """A heading on lines counted from 0."""
        self.headings.append(Heading(min(max(level, 1), DEEPEST), text, start + 1))
        self._add(Block(start, end, len(self.headings) - 1))

    def add(self, start: int, end: int, *, is_code: bool = False) -> None:
        """A block that is no heading."""
        self._add(Block(start, end, None, is_code))

    def _add(self, block: Block) -> None:
        start = max(block.start, self._end)
        if start < block.end:
            self.blocks.append(block._replace(start=start))
            self._end = block.end

    def document(self, lines: list[str], title: str | None, readable: list[str] | None = None) -> ReadDocument:
        """What was found, whole; the first heading of the first level is the title where there is no other."""
        said = title or find_title(self.headings)
        return ReadDocument(lines, tuple(self.headings), tuple(self.blocks), said, readable)


def find_title(headings: Iterable[Heading]) -> str | None:
    """The first heading of the first level that says anything."""
    return next((heading.text for heading in headings if heading.level == 1 and heading.text), None)


MARK = "#"
MOST_CHARACTERS = 8 << 20


class ExtractedText:
    """Writes headings and lines of an extracted document."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether there is as much text as is kept of one document."""
        return self._size >= MOST_CHARACTERS

    def add_heading(self, level: int, text: str) -> None:
        """A heading on a line of its own."""
        said = " ".join(text.split())
        if said:
            self._add(f"{MARK * min(max(level, 1), DEEPEST)} {said}\n\n")

    def add_text(self, text: str) -> None:
        """Lines, and a blank one after them."""
        lines = (line.rstrip() for line in text.splitlines())
        said = "\n".join(f"\\{line}" if line.startswith(MARK) else line for line in lines).strip("\n")
        if said:
            self._add(f"{said}\n\n")

    def _add(self, piece: str) -> None:
        if not self.is_full:
            self._pieces.append(piece)
            self._size += len(piece)

    def __str__(self) -> str:
        return "".join(self._pieces).replace("\0", "").encode(errors="replace").decode()


def read_extracted(text: str) -> ReadDocument:
    """Read an extracted text; the first heading of the first level is its title."""
    lines = split_lines(text)
    outline = DocumentOutline()
    start: int | None = None
    for at, line in enumerate(lines):
        level = len(line) - len(line.lstrip(MARK))
        if line.strip() and not level:
            start = at if start is None else start
            continue
        if start is not None:
            outline.add(start, at)
            start = None
        if 0 < level <= DEEPEST and line[level : level + 1] == " ":
            outline.add_heading(level, line[level:].strip(), start=at, end=at + 1)
    if start is not None:
        outline.add(start, len(lines))
    return outline.document(lines, None)


Outline = Sequence[tuple[int, str, int]]
PATH_MARK = " > "
MOST_SUGGESTED = 3
ALIKE = 0.5
LONGEST_HEADING = 300  # characters, as the path of every section below a heading has it
OWN_ANCHOR = re.compile(r"\{#([^}\s]+)[^}]*\}\s*")
NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


class DocumentSection(NamedTuple):
    """A section: its heading, and its lines counted from 1, the last one included."""

    heading: str
    level: int
    content: str
    start_line: int
    end_line: int


def find_section(text: str, outline: Outline, wanted: str, *, include_subsections: bool) -> DocumentSection | None:
    """The first section whose heading contains the wanted text, ignoring case; None when none does.

    Where a heading repeats, `Install > Linux` means the `Linux` below an `Install`, and `#linux-1` the second of that
    name, as in a link.
    """
    number = _find(outline, wanted)
    if number is None:
        return None
    level, heading, line = outline[number]
    lines = split_lines(text)
    deepest = level if include_subsections else 6
    following = (at for depth, _, at in outline[number + 1 :] if depth <= deepest)
    end = max(next(following, len(lines) + 1) - 1, line)  # two headings may share a line, as in a page of one line
    return DocumentSection(heading, level, strip_line_end("".join(lines[line - 1 : end])), line, end)


def list_heading_paths(outline: Outline) -> list[str]:
    """The path of headings that leads to each section."""
    short = [(level, text[:LONGEST_HEADING], line) for level, text, line in outline]
    return [PATH_MARK.join(headings) for headings in _heading_paths(short)]


def _heading_paths(outline: Outline) -> Iterator[list[str]]:
    """For each section the headings above it, and its own."""
    above: dict[int, str] = {}
    for level, text, _ in outline:
        above = {depth: each for depth, each in above.items() if depth < level}
        above[level] = text
        yield list(above.values())


def _find(outline: Outline, wanted: str) -> int | None:
    folded = wanted.casefold()
    for number, (_, text, _) in enumerate(outline):
        if folded in text.casefold():
            return number
    if wanted.startswith("#"):
        return number_anchors(outline).get(folded[1:])
    parts = [part.strip() for part in folded.split(PATH_MARK.strip())]
    if len(parts) < 2 or not all(parts):
        return None
    for number, (*above, own) in enumerate(_heading_paths(outline)):
        if parts[-1] in own.casefold() and _are_in_order(parts[:-1], [heading.casefold() for heading in above]):
            return number
    return None


def number_anchors(outline: Outline) -> dict[str, int]:
    """The number of each section by the anchor that links use: its own `{#name}`, or its words joined by hyphens."""
    found: dict[str, int] = {}
    times: dict[str, int] = {}
    for number, (_, text, _) in enumerate(outline):
        own = OWN_ANCHOR.fullmatch(text[max(text.rfind("{#"), 0) :])
        slug = NOT_IN_ANCHOR.sub("", text.casefold()).strip().replace(" ", "-")
        if own:
            slug = own.group(1).casefold()
        name = slug
        while name in found:
            times[slug] = times.get(slug, 0) + 1
            name = f"{slug}-{times[slug]}"
        found[name] = number
    return found


def _are_in_order(parts: Sequence[str], headings: Sequence[str]) -> bool:
    left = list(parts)
    for heading in headings:
        if left and left[0] in heading:
            del left[0]
    return not left


def find_alike_names(wanted: str, names: Sequence[str]) -> list[str]:
    """The names that look most like the wanted one; those that contain it first."""
    folded = wanted.casefold()
    holding = [name for name in names if folded and folded in name.casefold()]
    near = find_near_names(wanted, names, alike=ALIKE)
    return list(dict.fromkeys([*holding[:MOST_SUGGESTED], *near]))[:MOST_SUGGESTED]


def cut_section(section: DocumentSection, cite: Cite, most: int) -> dict[str, Any]:
    """The lines of a section, as many as fit, with their citation."""
    shown = select_lines(split_lines(section.content), 1, len(section.content) + 1, most)
    shown = shown._replace(start_line=section.start_line)
    is_whole = len(shown.text) == len(section.content)
    end = section.end_line if is_whole else shown.end_line
    return {
        "content": shown.text,
        "startLine": section.start_line,
        "endLine": end,
        "citation": cite(section.start_line, end),
        **({} if is_whole else describe_rest(cite, shown, until=section.end_line, most=most)),
    }
