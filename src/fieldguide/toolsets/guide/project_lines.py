"""The lines of a project's files as they are now, each file read once for an answer; secrets in them are taken out."""

from fieldguide.confinement import ConfinedFolder
from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.document_formats.lines import readable_text, split_lines
from fieldguide.errors import Refusal
from fieldguide.secret_values import without_secret_values
from fieldguide.spine.answers.citations import hash_of

LARGEST_BYTES = 2 << 20
KEY_MARK = b"PRIVATE KEY"
WIDEST_LINE = 500  # characters; what is longer is data, and a budget is for reading
CUT = " …"


class ProjectLines:
    """The files that one answer is made from; one that may not be read, or is gone, has no lines."""

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._files: dict[str, ByteLines | None] = {}
        self._clean: dict[str, list[str]] = {}

    def count(self, path: str) -> int:
        """How many lines a file has; none where it can't be read."""
        lines = self._lines(path)
        return 0 if lines is None else len(lines)

    def hash(self, path: str, start: int, end: int) -> str:
        """The hash of some lines, as a citation carries it."""
        lines = self._lines(path)
        return "" if lines is None else hash_of(lines.between(start, end))

    def shown(self, path: str, start: int, end: int) -> list[str]:
        """Some lines without their ends, as they may be told; one that nobody reads is cut."""
        lines = self._lines(path)
        if lines is None:
            return []
        if path in self._clean:
            told = self._clean[path][start - 1 : end]
        else:
            told = _split(without_secret_values(readable_text(lines.between(start, end))))
        return [line if len(line) <= WIDEST_LINE else f"{line[:WIDEST_LINE]}{CUT}" for line in told]

    def _lines(self, path: str) -> ByteLines | None:
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> ByteLines | None:
        try:
            content = self._project.read(path, limit_bytes=LARGEST_BYTES)
        except Refusal:
            return None
        if KEY_MARK in content:  # of a key a few lines could be shown, in which nothing tells that it is one
            self._clean[path] = _split(without_secret_values(readable_text(content)))
        return (
            None
            if b"\0" in content[:1024] and not content.startswith((b"\xff\xfe", b"\xfe\xff"))
            else ByteLines(content)
        )


def _split(text: str) -> list[str]:
    return [line.rstrip("\r\n") for line in split_lines(text)]
