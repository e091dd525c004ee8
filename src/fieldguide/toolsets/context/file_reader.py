"""Runs `read_file`: reads a file or some lines of it, and finds the files that it imports.

Each is given with its content while the whole answer fits its budget, and by its outline beyond that.
"""

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.kinds import is_extracted, language_of
from fieldguide.files.listing import FileList
from fieldguide.files.secrets import SensitiveFiles
from fieldguide.knowledge.findings.sessions import format_utc_timestamp
from fieldguide.prose.readers import extract_cited_text
from fieldguide.text.citation import Citation, format_citation, hash_lines, hash_text, read_citation
from fieldguide.text.display import warn_of_masking, warn_of_text
from fieldguide.text.errors import FieldguideError, NotFound, PathEscape, Refusal, Unreadable
from fieldguide.text.near_names import find_near_names
from fieldguide.text.secrets import mask_address_secrets_of_file
from fieldguide.text.tokens import MOST_TOKENS, count_thirds, count_tokens, fits
from fieldguide.text.windows import (
    ByteLines,
    Cite,
    LineRange,
    count_lines,
    decode_readable,
    describe_change,
    describe_rest,
    select_lines,
    split_lines,
    strip_line_end,
)
from fieldguide.toolsets.context.overview import read_model_or_empty

if TYPE_CHECKING:
    from fieldguide.code.imports.languages import ImportReader
    from fieldguide.code.imports.project_files import ConfinedFiles

LARGEST_BYTES = 1 << 20
MOST_DEPENDENCIES = 50
MOST_IMPORTS = 20_000  # no file that people write has so many
OUTLINE_TOKENS = 300  # kept free for each dependency that comes after one with its content
NOTE_TOKENS = 100  # for what is said about names that are left out
NO_DEPENDENCIES: Mapping[str, Any] = {"dependencies": []}


class Dependencies:
    """Finds the imports of files; the parser is imported by the first call that asks for them."""

    def __init__(self, project: ConfinedFolder, files: FileList) -> None:
        self._project = project
        self._files = files
        self._lock = threading.Lock()
        self._made: tuple[ImportReader, ConfinedFiles] | None = None

    def of(self, path: str, text: str, language: str | None, most: int) -> Mapping[str, Any]:
        """The project's files that a file imports, in so many tokens, and what lies outside of the project."""
        if language is None:
            return NO_DEPENDENCIES
        from fieldguide.code.imports.languages import resolve_imports
        from fieldguide.code.parsing import SyntaxProblem

        reader, files = self._ready()
        try:
            imports = reader.read(text, language)
        except SyntaxProblem as error:
            details = f"Syntax error at line {error.line}"
            raise Refusal("Failed to parse imports", path=path, details=details) from error
        resolution = resolve_imports(path, imports[:MOST_IMPORTS], language, files)
        external = _external(resolution.external, most // 2 if resolution.internal else most)
        notes = _left_out(external, len(resolution.external), len(imports))
        left = most - count_tokens(_written({**external, **notes}))
        return {**self._listed(resolution.internal[:MOST_DEPENDENCIES], left), **external, **notes}

    def _ready(self) -> "tuple[ImportReader, ConfinedFiles]":
        with self._lock:
            if self._made is None:
                from fieldguide.code.imports.languages import ImportReader
                from fieldguide.code.imports.project_files import ConfinedFiles

                self._made = ImportReader(), ConfinedFiles(self._project, self._files.paths)
            return self._made

    def _listed(self, paths: Sequence[str], left: int) -> dict[str, Any]:
        """Every dependency: with its content where that leaves room for the others, else with its outline."""
        items: list[Mapping[str, Any]] = []
        outlined = 0
        for number, path in enumerate(paths):
            others = len(paths) - number - 1
            item: Mapping[str, Any] = {"path": path, "type": "import", "level": 1}
            text = self._text(path)
            if text is not None:
                citation = format_citation(path, 1, max(count_lines(text), 1), hash_text(strip_line_end(text)))
                item = {**item, "citation": citation}
                whole = {**item, "content": text}
                is_given = fits(_written(whole), left - others * OUTLINE_TOKENS)
                item = whole if is_given else {**item, **_outline(path, text, left // (others + 1))}
                outlined += not is_given
            left -= count_tokens(_written(item))
            items.append(item)
        if not outlined:
            return {"dependencies": items}
        note = (
            f"{outlined} of {len(paths)} dependencies do not fit with their content: they have their `outline` "
            "instead. Read one by its path, or some of its lines as `path#L30-L39`."
        )
        return {"dependencies": items, "dependenciesNote": note}

    def _text(self, path: str) -> str | None:
        try:
            text = self._project.read(path, limit_bytes=LARGEST_BYTES).decode("utf-8")
        except (Refusal, UnicodeDecodeError):
            return None
        return mask_address_secrets_of_file(path, text)


def _outline(path: str, text: str, most: int) -> dict[str, Any]:
    """What a file declares, as much of it as fits."""
    from fieldguide.code.names import read_outline

    declared = read_outline(text, language_of(path))
    kept: list[str] = []
    for each in declared:
        line = f"L{each.line}-L{each.end_line}: {each.signature}"
        most -= count_tokens(_written([line]))
        if most < 0:
            break
        kept.append(line)
    left_out = len(declared) - len(kept)
    return {"outline": kept, "outlineOmitted": left_out} if left_out else {"outline": kept}


def _external(names: Sequence[str], most: int) -> dict[str, Any]:
    """The first names of what lies outside of the project, as many as fit."""
    kept: list[str] = []
    thirds = 3 * (most - NOTE_TOKENS)
    for name in names:
        thirds -= count_thirds(f"      {json.dumps(name, ensure_ascii=False)},\n")
        if thirds < 0:
            break
        kept.append(name)
    return {"external": kept} if kept else {}


def _left_out(external: Mapping[str, Any], named: int, imports: int) -> dict[str, Any]:
    """What is said where not every import was looked up, or not every name outside of the project is given."""
    given = len(external.get("external", ()))
    said: list[str] = []
    if given < named:
        said.append(f"The first {given:,} of {named:,} imports that lead outside of the project are given.")
    if imports > MOST_IMPORTS:
        said.append(f"Only the first {MOST_IMPORTS:,} of {imports:,} imports were looked up.")
    return {"externalNote": " ".join(said)} if said else {}


def _written(value: Any) -> str:
    """A part of the answer as it is written there, with what it is indented by."""
    return "    ".join(json.dumps(value, ensure_ascii=False, indent=2).splitlines(keepends=True))


SENSITIVE = "Access to sensitive paths denied"
LARGEST_CITED_BYTES = 16 << 20  # as large as a file that is searched: its citations must open
OTHER_TOKENS = 600  # for all that an answer holds beside texts and names
TIMES_NAMED = 4  # `path`, `citation`, `next`, and the note that repeats it
DEPENDENCIES_SHARE = 4  # a file that does not fit leaves this part of the room to what it imports


class RequestedFile(NamedTuple):
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
    relative = os.path.normpath(opened.path)
    written = _decoded(opened, path)
    text = mask_address_secrets_of_file(relative, written)
    language = language_of(relative)
    names_tokens = TIMES_NAMED * count_tokens(json.dumps(relative, ensure_ascii=False))
    room = max(most - OTHER_TOKENS - names_tokens, most // 4)
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
        **_told(_citing(opened, relative, written), text, shown, opened.citation, most),
    }
    room -= count_tokens(json.dumps(file, ensure_ascii=False, indent=2))
    imported = dependencies.of(relative, text, language, room) if dependencies else NO_DEPENDENCIES
    place = read_model_or_empty(project).place_of(relative)
    given = [file["content"], *(each.get("content", "") for each in imported["dependencies"])]
    warnings = [*warn_of_text(given), *warn_of_masking(given)]
    return {
        "file": file,
        **imported,
        "metadata": {"module": place.module, "role": place.role, "lastModified": format_utc_timestamp(opened.modified)},
        **({"warnings": warnings} if warnings else {}),
    }


def _shown(text: str, citation: Citation | None, room: int) -> LineRange | None:
    """The lines that are given where it is not the whole file."""
    if citation is not None:
        lines = split_lines(text)
        return select_lines(lines, citation.start_line, citation.end_line, room, citation.start_column)
    if fits(json.dumps(text, ensure_ascii=False), room):
        return None
    return select_lines(split_lines(text), 1, len(text), room)


def _citing(opened: RequestedFile, path: str, text: str) -> Cite:
    """Gives the citations of a file's lines: by its bytes, where they are not those of a text that was taken out."""
    lines = ByteLines(text.encode() if _is_taken_out(opened) else opened.content)
    return lambda start_line, end_line: format_citation(
        path, start_line, end_line, hash_lines(lines.between(start_line, end_line))
    )


def _told(cite: Cite, text: str, shown: LineRange | None, citation: Citation | None, most: int) -> dict[str, Any]:
    """Which lines are given, and how to read on."""
    last = max(count_lines(text), 1)
    if shown is None:
        return {"citation": cite(1, last)}
    until = last if citation is None else min(citation.end_line, last)
    numbered = shown.numbered(most // 4) if citation is not None else {}
    place = {"citation": cite(shown.start_line, shown.end_line), **describe_change(citation, cite)}
    return {**shown.told(), **numbered, **place, **describe_rest(cite, shown, until=until, most=most)}


def _opened(project: ConfinedFolder, path: str, names: Callable[[], Sequence[str]]) -> RequestedFile:
    """The file of this very name; where there is none, the one whose lines the name cites."""
    _check_path(path, path, project.sensitive)
    try:
        return RequestedFile(path, *_read(project, path, path, LARGEST_BYTES))
    except NotFound:
        citation = read_citation(path)
        if citation is None:
            raise _missing(path, path, names) from None
    _check_path(citation.path, path, project.sensitive)
    try:
        return RequestedFile(citation.path, *_read(project, citation.path, path, LARGEST_CITED_BYTES), citation)
    except NotFound:
        raise _missing(path, citation.path, names) from None


def _missing(path: str, wanted: str, names: Callable[[], Sequence[str]]) -> NotFound:
    """The refusal, with names that are near where some are."""
    details: dict[str, Any] = {}
    with suppress(FieldguideError):  # no list of the files, no names
        if near := find_near_names(wanted, names()):
            details["didYouMean"] = near
    return NotFound("File not found", path=path, **details)


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
    if not error.message.startswith("File too large"):
        return Unreadable("Not a readable file", path=path, details=error.message)
    details = f"The limit is {largest} bytes"
    if largest < LARGEST_CITED_BYTES:
        details += f"; cite some of its lines, such as {path}#L1-L200"
    return Unreadable("File too large", path=path, details=details)


def _is_taken_out(opened: RequestedFile) -> bool:
    """Whether the lines of a PDF are meant as its text has them, and not as `grep_codebase` does."""
    cites = opened.citation
    if cites is None or not is_extracted(opened.path):
        return False
    return hash_lines(ByteLines(opened.content).between(cites.start_line, cites.end_line)) != cites.hash


def _decoded(opened: RequestedFile, path: str) -> str:
    """The text of a file; of lines that were cited, what can be read of them."""
    if _is_taken_out(opened):
        return extract_cited_text(opened.path, opened.content)
    if opened.citation is not None:
        return decode_readable(opened.content)
    try:
        return opened.content.decode("utf-8")
    except UnicodeDecodeError as error:
        said = f"Not UTF-8 text: byte {error.start} can't be decoded"
        raise Unreadable("Not a text file", path=path, details=said) from error
