"""Something that has lines and can be cited: a file of the project, a document from elsewhere, a finding, a task."""

from typing import NamedTuple

from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.document_formats.encoding import decoded
from fieldguide.document_formats.kinds import is_extracted
from fieldguide.document_formats.lines import readable_text, split_lines, without_end
from fieldguide.errors import Unreadable
from fieldguide.project_text.extraction import cited_text
from fieldguide.spine.answers.citations import Citation, hash_of, hash_of_text

WIDE = (b"\xff\xfe", b"\xfe\xff")


class Page(NamedTuple):
    """The lines of something, each with its end, by the path that citations of it begin with.

    `lines_of_bytes` are those of its file; what lies in no file, or is no text there, is hashed by what it says.
    """

    path: str
    kind: str
    lines: list[str]
    lines_of_bytes: ByteLines | None = None

    @property
    def last(self) -> int:
        """The number of its last line; what is empty has one that is."""
        return max(len(self.lines), 1)

    def text(self, start: int, end: int) -> str:
        """Some lines as they stand there, without the end of the last one."""
        return without_end("".join(self.lines[start - 1 : end]))

    def hash(self, start: int, end: int) -> str:
        """The hash of some lines, as a citation carries it."""
        if self.lines_of_bytes is None:
            return hash_of_text(self.text(start, end))
        return hash_of(self.lines_of_bytes.between(start, end))

    def holds(self, citation: Citation) -> bool:
        """Whether the lines that a citation names are those that its hash is of."""
        return citation.end_line <= self.last and self.hash(citation.start_line, citation.end_line) == citation.hash


def page_of_text(path: str, kind: str, text: str) -> Page:
    """What lies in no file of the project."""
    return Page(path, kind, split_lines(text))


def page_of_file(path: str, kind: str, content: bytes, meant: Citation | None = None) -> Page:
    """A file of the project: its own lines, or those of the text that is taken out of it.

    Whoever greps finds lines of the file where others find those of its text: the hash tells which are meant.
    """
    if is_extracted(path):
        raw = Page(path, kind, split_lines(readable_text(content)), ByteLines(content))
        return raw if meant is not None and raw.holds(meant) else page_of_text(path, kind, cited_text(path, content))
    if content.startswith(WIDE):
        return Page(path, kind, split_lines(readable_text(content)), ByteLines(content))
    if b"\0" in content and not _is_utf8(content):
        raise Unreadable("Not a text file", path=path)
    return Page(path, kind, split_lines(decoded(content)), ByteLines(content))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
