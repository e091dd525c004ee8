"""The text of a file that is no text itself (PDF, DOCX): its lines with headings marked as `## Page 3`.

Whoever extracts it writes it with `ExtractedText`, so that no line of the content is taken for a heading.
"""

from fieldguide.document_formats.document import DEEPEST, Outline, ReadDocument
from fieldguide.document_formats.lines import split_lines

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
    outline = Outline()
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
