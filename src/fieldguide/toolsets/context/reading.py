"""`read_file`: a file of the project as it is, and the files that it imports."""

import os
from datetime import UTC, datetime
from typing import Any

from fieldguide.confinement import ConfinedFolder
from fieldguide.discoveries.sessions import utc_timestamp
from fieldguide.errors import NotFound, PathEscape, Unreadable
from fieldguide.search.lines import count_lines
from fieldguide.sensitive_files import SensitiveFiles
from fieldguide.source_code.languages import language_of
from fieldguide.spine.text_warnings import text_warnings
from fieldguide.toolsets.context.dependencies import LARGEST_BYTES, NO_DEPENDENCIES, Dependencies
from fieldguide.toolsets.context.project_model import known_model

SENSITIVE = "Access to sensitive paths denied"


def read_file(project: ConfinedFolder, path: str, dependencies: Dependencies | None) -> dict[str, Any]:
    """The file, what the project's model says of it, and what it imports if somebody is given to find that out."""
    _check_path(path, project.sensitive)
    content, modified = _read(project, path)
    text = _decoded(content, path)
    relative = os.path.normpath(path)
    language = language_of(relative)
    imported = dependencies.of(relative, text, language) if dependencies else NO_DEPENDENCIES
    place = known_model(project).place_of(relative)
    warnings = text_warnings([text, *(each.get("content", "") for each in imported["dependencies"])])
    return {
        "file": {
            "path": relative,
            "content": text,
            "size": len(content),
            "lines": count_lines(text),
            "language": language or "text",
        },
        **imported,
        "metadata": {"module": place.module, "role": place.role, "lastModified": utc_timestamp(modified)},
        **({"warnings": warnings} if warnings else {}),
    }


def _check_path(path: str, sensitive: SensitiveFiles) -> None:
    """The path as it is written, in the order of the specification; what it leads to is judged when it is opened."""
    if path.startswith("/"):
        raise PathEscape("Absolute paths not allowed", path=path)
    if "../" in path or path == "..":
        raise PathEscape("Path traversal not allowed", path=path)
    names = [name for name in path.split("/") if name not in ("", ".")]
    if names and sensitive.refuses(names):
        raise Unreadable("Permission denied", path=path, details=SENSITIVE)


def _read(project: ConfinedFolder, path: str) -> tuple[bytes, datetime]:
    """The bytes of a file, and when it was last changed; refusals in the words of the specification."""
    try:
        content, status = project.read_with_status(path, limit_bytes=LARGEST_BYTES)
    except NotFound as error:
        raise NotFound("File not found", path=path) from error
    except PathEscape as error:
        raise PathEscape(error.message, path=path) from error
    except Unreadable as error:
        raise _unreadable(error, path) from error
    return content, datetime.fromtimestamp(status.st_mtime, UTC)


def _unreadable(error: Unreadable, path: str) -> Unreadable:
    if error.message.startswith("Permission denied"):
        return Unreadable("Permission denied", path=path, details=SENSITIVE)
    if error.message.startswith("File too large"):
        return Unreadable("File too large", path=path, details=f"The limit is {LARGEST_BYTES} bytes")
    return Unreadable("Not a readable file", path=path, details=error.message)


def _decoded(content: bytes, path: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        said = f"Not UTF-8 text: byte {error.start} can't be decoded"
        raise Unreadable("Not a text file", path=path, details=said) from error
