"""Makes citations of a project's files with the hash of the lines that were read.

Who names a place has seen its lines in a file, or in what the index keeps of it. The file is read again, and where its
lines are still those, the hash is of its bytes. Where they are not, because it has changed since, the hash is of what
was seen: whoever opens the citation is told what became of it. Of a PDF or a Word document the lines are those of the
text that was taken out of it, in UTF-8.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import is_extracted
from fieldguide.text.citation import Citation, format_citation, hash_lines, hash_text
from fieldguide.text.errors import Refusal
from fieldguide.text.lines import ByteLines, strip_line_end
from fieldguide.text.secrets import MARK

LARGEST_BYTES = 16 << 20  # as large as a file that is searched

Read = Callable[[str], tuple[bytes, os.stat_result]]
"""Gives the bytes and the status of a file."""
Kept = Callable[[], Sequence[str]]
"""Gives the lines of a whole file as they were when some of them were seen; none where nobody kept them."""
REPLACED = "\N{REPLACEMENT CHARACTER}".encode()


class CitedFiles:
    """The citations of one answer: each file is read once, by a function that refuses what it may not."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._opened: dict[str, tuple[bytes, os.stat_result] | None] = {}
        self._split: dict[str, ByteLines] = {}

    def status(self, path: str) -> os.stat_result | None:
        """The status of a file as it was read; None where it can't be."""
        found = self._open(path)
        return None if found is None else found[1]

    def stands(self, path: str, text: str) -> bool:
        """Whether a file is there and says this; where a secret was taken out, or its bytes are other, that it is."""
        found = self._open(path)
        said = text.encode(errors="replace")
        is_exact = MARK not in text and REPLACED not in said and (found is None or b"\r" not in found[0])
        return found is not None and (said in found[0] or not is_exact)

    def cited(self, path: str, start_line: int, end_line: int, text: str | None = None, kept: Kept = tuple) -> str:
        """The citation of some lines.

        `text` is what was seen of them, where it may be just what they say.
        """
        return format_citation(path, start_line, end_line, self._hash(path, start_line, end_line, text, kept))

    def cited_again(self, given: Citation) -> str | None:
        """A citation that somebody wrote down, with the hash of its lines as they are now; None where they are not.

        One that has its hash stays as it is, and so does one of a text that would have to be taken out of its file.
        """
        if given.hash or is_extracted(given.path):
            return str(given)
        found = self._open(given.path)
        if found is None:
            return None
        lines = self._cut(given.path, found[0])
        if given.start_line > len(lines):
            return None
        end_line = min(given.end_line, len(lines))
        return format_citation(
            given.path, given.start_line, end_line, hash_lines(lines.between(given.start_line, end_line))
        )

    def _hash(self, path: str, start_line: int, end_line: int, text: str | None, kept: Kept) -> str:
        found = None if is_extracted(path) else self._open(path)
        if found is None:
            return _hash_of_seen(slice_lines(kept(), start_line, end_line), text)
        said = None if text is None else text.encode(errors="replace")
        if said and _stands(said, found[0], start_line):
            return hash_lines(said)
        lines = self._cut(path, found[0])
        now = lines.between(start_line, end_line)
        if now == said:
            return hash_lines(now)
        seen = slice_lines(kept(), start_line, end_line)
        if seen is None or _is_said_by(seen, now, lines):
            return hash_lines(now)
        return hash_text(seen)

    def _cut(self, path: str, content: bytes) -> ByteLines:
        if path not in self._split:
            self._split[path] = ByteLines(content)
        return self._split[path]

    def _open(self, path: str) -> tuple[bytes, os.stat_result] | None:
        if path not in self._opened:
            try:
                self._opened[path] = self._read(path)
            except Refusal:
                self._opened[path] = None
        return self._opened[path]


def open_cited_files(project: ConfinedFolder) -> CitedFiles:
    """The citations of a project's files as they are now."""
    return CitedFiles(partial(project.read_with_status, limit_bytes=LARGEST_BYTES))


def slice_lines(kept: Sequence[str], start_line: int, end_line: int) -> str | None:
    """Some of these lines, without the end of the last one; None where there are no such lines."""
    lines = kept[start_line - 1 : end_line]
    return strip_line_end("".join(lines)) if lines else None


def _hash_of_seen(kept: str | None, text: str | None) -> str:
    """The hash of what was seen of a file that can't be read now: what was kept of it, or what is said of it."""
    return hash_text(text or "" if kept is None else kept)


def _stands(lines: bytes, content: bytes, start_line: int) -> bool:
    """Whether lines are the first of their kind in a file, and where they are looked for: cheaper than cutting it."""
    at = content.find(lines)
    if at < 0 or b"\r" in content or content[max(at - 1, 0) : at].strip(b"\n"):
        return False
    end = at + len(lines)
    return content.count(b"\n", 0, at) == start_line - 1 and content[end : end + 1] in (b"", b"\n")


def _is_said_by(seen: str, now: bytes, lines: ByteLines) -> bool:
    """Whether bytes say what was seen of them, in whichever encoding; where a secret was taken out, nobody can tell."""
    if MARK in seen or seen in (lines.text(now), now.decode("latin-1")):
        return True
    return seen == now.decode("cp1252", errors="replace")
