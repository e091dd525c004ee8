"""The addresses of documents: which document a URI or a name means, and how a document is listed under its own."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

from fieldguide.errors import InvalidArguments, NotFound
from fieldguide.spine.resources import Resource
from fieldguide.toolsets.architecture.library import Document, Shelf, uri_of
from fieldguide.toolsets.architecture.resources import MARKDOWN, SCHEME
from fieldguide.toolsets.architecture.roots import ADR, CATEGORIES, GUIDELINES, PATTERNS

LATEST_SECONDS = 253402300799  # the last one of the year 9999
SHOWN_CATEGORIES = {GUIDELINES: "Guidelines", PATTERNS: "Patterns", ADR: "ADR"}


def found_at(shelf: Shelf, uri: str) -> Document:
    """The document at an address; refused in the words of the specification where there is none."""
    category, path = _parted(uri)
    found = named(shelf, category, unquote(path))
    if found is None:
        alike = [each.uri for each in shelf.of(category) if each.adr_id and each.adr_id == path.removesuffix(".md")]
        told = _told("RESOURCE_NOT_FOUND", "resource", "medium", uri)
        raise NotFound("Resource not found", **told, **({"candidates": alike} if alike else {}))
    return found


def _parted(uri: str) -> tuple[str, str]:
    """The category and the path in an address."""
    if not uri.startswith(f"{SCHEME}://") or any("\ud800" <= character <= "\udfff" for character in uri):
        raise _invalid("Invalid resource URI", uri)
    category, _, path = uri.removeprefix(f"{SCHEME}://").partition("/")
    if not category or not path:
        raise _invalid("Invalid URI format, expected 'architecture://{category}/{path}'", uri)
    if ".." in unquote(uri) or "\\" in unquote(uri):
        raise _invalid("Path traversal attempt detected", uri)
    if category not in CATEGORIES:
        raise _invalid("unsupported resource category", uri)
    return category, path


def named(shelf: Shelf, category: str, name: str) -> Document | None:
    """The document of this name: its path, with or without `.md`; a decision also by its number, padded or not."""
    bare = name.removesuffix(".md")
    found = shelf.by_uri.get(uri_of(category, name)) or shelf.by_uri.get(uri_of(category, bare))
    if found is None and category == ADR and bare.isdecimal() and bare.isascii():
        same = [
            each for each in shelf.of(ADR) if each.adr_id.isdecimal() and each.adr_id.lstrip("0") == bare.lstrip("0")
        ]
        found = same[0] if len(same) == 1 else None
    return found


def listed_resource(document: Document) -> Resource:
    """A document as an entry of the resource list."""
    status = document.file.status
    seconds = min(max(int(status.st_mtime), 0), LATEST_SECONDS)
    modified = datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
    return Resource(
        uri=document.uri,
        name=document.title,
        description=f"{SHOWN_CATEGORIES[document.category]}: {document.title}",
        mime_type=MARKDOWN,
        size=len(document.file.content),
        annotations={
            "category": document.category,
            "path": document.path,
            "lastModified": modified,
            "size": len(document.file.content),
            "checksum": document.checksum,
        },
    )


def _invalid(message: str, uri: str) -> InvalidArguments:
    return InvalidArguments(message, **_told("INVALID_PARAMS", "validation", "low", uri))


def _told(code: str, category: str, severity: str, uri: str) -> dict[str, Any]:
    """What a program reads of a refusal."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"category": category, "code": code, "severity": severity, "timestamp": now, "context": {"uri": uri}}
