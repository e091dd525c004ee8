"""`read_file`: a file of the project as it is, some lines of it, and the files that it imports."""

import json
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.discoveries.sessions import utc_timestamp
from fieldguide.document_formats.byte_lines import ByteLines
from fieldguide.document_formats.kinds import is_extracted
from fieldguide.document_formats.lines import count_lines, readable_text, split_lines
from fieldguide.errors import FieldguideError, NotFound, PathEscape, Unreadable
from fieldguide.project_text.extraction import cited_text
from fieldguide.sensitive_files import SensitiveFiles
from fieldguide.source_code.languages import language_of
from fieldguide.spine.answers.citations import Citation, cited, hash_of, read_citation
from fieldguide.spine.answers.line_ranges import Cite, LineRange, lines_from, reading_on, still_cited
from fieldguide.spine.answers.near_names import near_names
from fieldguide.spine.answers.tokens import MOST_TOKENS, count_tokens, fits
from fieldguide.spine.foreign_text.text_warnings import text_warnings
from fieldguide.toolsets.context.dependencies import LARGEST_BYTES, NO_DEPENDENCIES, Dependencies
from fieldguide.toolsets.context.project_model import known_model

SENSITIVE = "Access to sensitive paths denied"
LARGEST_CITED_BYTES = 16 << 20  # as large as a file that is searched: its citations must open
OTHER_TOKENS = 600  # for all that an answer holds beside texts
DEPENDENCIES_SHARE = 4  # a file that does not fit leaves this part of the room to what it imports


class Opened(NamedTuple):
    """A file that was asked for, with the lines of it that are meant, if only some are."""

    path: str
    content: bytes
    modified: datetime
    citation: Citation | None = None


def read_file(
    project: ConfinedFolder,
    path: str,
    dependencies: Dependencies | None = None,
    *,
    most: int = MOST_TOKENS,
    names: Callable[[], Sequence[str]] = tuple,
) -> dict[str, Any]:
    """The file, what the project's model says of it, and what it imports if somebody is given to find that out."""
    opened = _opened(project, path, names)
    text = _decoded(opened, path)
    relative = os.path.normpath(opened.path)
    language = language_of(relative)
    room = most - OTHER_TOKENS
    try:
        shown = _shown(text, opened.citation, room * (DEPENDENCIES_SHARE - bool(dependencies)) // DEPENDENCIES_SHARE)
    except NotFound as error:
        raise NotFound("Lines not found", path=path, details=error.message) from error
    file: dict[str, Any] = {
        "path": relative,
        "content": text if shown is None else shown.text,
        "size": len(opened.content),
        "lines": count_lines(text),
        "language": language or "text",
        **_told(_citing(opened, relative, text), text, shown, opened.citation, most),
    }
    room -= count_tokens(json.dumps(file, ensure_ascii=False, indent=2))
    imported = dependencies.of(relative, text, language, room) if dependencies else NO_DEPENDENCIES
    place = known_model(project).place_of(relative)
    warnings = text_warnings([file["content"], *(each.get("content", "") for each in imported["dependencies"])])
    return {
        "file": file,
        **imported,
        "metadata": {"module": place.module, "role": place.role, "lastModified": utc_timestamp(opened.modified)},
        **({"warnings": warnings} if warnings else {}),
    }


def _shown(text: str, citation: Citation | None, room: int) -> LineRange | None:
    """The lines that are given where it is not the whole file."""
    if citation is not None:
        return lines_from(split_lines(text), citation.start_line, citation.end_line, room)
    return (
        None if fits(json.dumps(text, ensure_ascii=False), room) else lines_from(split_lines(text), 1, len(text), room)
    )


def _citing(opened: Opened, path: str, text: str) -> Cite:
    """Gives the citations of a file's lines: by its bytes, where they are not those of a text that was taken out."""
    lines = ByteLines(text.encode() if _is_taken_out(opened) else opened.content)
    return lambda start_line, end_line: cited(path, start_line, end_line, hash_of(lines.between(start_line, end_line)))


def _told(cite: Cite, text: str, shown: LineRange | None, citation: Citation | None, most: int) -> dict[str, Any]:
    """Which lines are given, and how to read on."""
    last = max(count_lines(text), 1)
    if shown is None:
        return {"citation": cite(1, last)}
    until = last if citation is None else min(citation.end_line, last)
    numbered = shown.numbered(most // 4) if citation is not None else {}
    place = {"citation": cite(shown.start_line, shown.end_line), **still_cited(citation, cite)}
    return {**shown.told(), **numbered, **place, **reading_on(cite, shown, until=until, most=most)}


def _opened(project: ConfinedFolder, path: str, names: Callable[[], Sequence[str]]) -> Opened:
    """The file of this very name; where there is none, the one whose lines the name cites."""
    _check_path(path, path, project.sensitive)
    try:
        return Opened(path, *_read(project, path, path, LARGEST_BYTES))
    except NotFound:
        citation = read_citation(path)
        if citation is None:
            raise _missing(path, path, names) from None
    _check_path(citation.path, path, project.sensitive)
    try:
        return Opened(citation.path, *_read(project, citation.path, path, LARGEST_CITED_BYTES), citation)
    except NotFound:
        raise _missing(path, citation.path, names) from None


def _missing(path: str, wanted: str, names: Callable[[], Sequence[str]]) -> NotFound:
    """The refusal, with names that are near where some are."""
    try:
        near = near_names(wanted, names())
    except FieldguideError:  # no list of the files, no names
        near = []
    return NotFound("File not found", path=path, **({"didYouMean": near} if near else {}))


def _check_path(path: str, given: str, sensitive: SensitiveFiles) -> None:
    """The path as it is written, in the order of the specification; what it leads to is judged when it is opened."""
    if path.startswith("/"):
        raise PathEscape("Absolute paths not allowed", path=given)
    if "../" in path or path == "..":
        raise PathEscape("Path traversal not allowed", path=given)
    names = [name for name in path.split("/") if name not in ("", ".")]
    if names and sensitive.refuses(names):
        raise Unreadable("Permission denied", path=given, details=SENSITIVE)


def _read(project: ConfinedFolder, path: str, given: str, largest: int) -> tuple[bytes, datetime]:
    """The bytes of a file, and when it was last changed; refusals in the words of the specification."""
    try:
        content, status = project.read_with_status(path, limit_bytes=largest)
    except PathEscape as error:
        raise PathEscape(error.message, path=given) from error
    except Unreadable as error:
        raise _unreadable(error, given, largest) from error
    return content, datetime.fromtimestamp(status.st_mtime, UTC)


def _unreadable(error: Unreadable, path: str, largest: int) -> Unreadable:
    if error.message.startswith("Permission denied"):
        return Unreadable("Permission denied", path=path, details=SENSITIVE)
    if error.message.startswith("File too large"):
        return Unreadable("File too large", path=path, details=f"The limit is {largest} bytes")
    return Unreadable("Not a readable file", path=path, details=error.message)


def _is_taken_out(opened: Opened) -> bool:
    """Whether the lines of a PDF or a Word document are meant as its text has them, and not as `grep_codebase` does."""
    cites = opened.citation
    if cites is None or not is_extracted(opened.path):
        return False
    return hash_of(ByteLines(opened.content).between(cites.start_line, cites.end_line)) != cites.hash


def _decoded(opened: Opened, path: str) -> str:
    """The text of a file; of lines that were cited, what can be read of them."""
    if opened.citation is not None:
        return cited_text(opened.path, opened.content) if _is_taken_out(opened) else readable_text(opened.content)
    try:
        return opened.content.decode("utf-8")
    except UnicodeDecodeError as error:
        said = f"Not UTF-8 text: byte {error.start} can't be decoded"
        raise Unreadable("Not a text file", path=path, details=said) from error
