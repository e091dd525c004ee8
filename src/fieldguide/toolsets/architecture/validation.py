"""`validate-against-pattern`: the document that a name means, its rules, and what they find in some code."""

from difflib import get_close_matches
from typing import Any

from fieldguide.errors import InvalidArguments
from fieldguide.toolsets.architecture.addresses import found_at, named
from fieldguide.toolsets.architecture.library import Document, Library, Shelf
from fieldguide.toolsets.architecture.paths import check_resource_path
from fieldguide.toolsets.architecture.resources import SCHEME
from fieldguide.toolsets.architecture.roots import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules import Breach, Pattern, check_code, read_pattern

ALIKE = 0.6  # what difflib itself takes for a close match
LONGEST_NAME = 200


class Patterns:
    """The patterns of a project, each read once for as long as its text stays."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._read: dict[str, tuple[str, Pattern]] = {}

    def validated(self, pattern_name: str, code: str, language: str | None) -> dict[str, Any]:
        """Whether code follows a pattern, where it does not, and what to do about it."""
        document = find_pattern(self._library.shelf(), pattern_name)
        report = check_code(self._pattern(document), code, language)
        return {
            "compliant": report.checked > 0 and not report.findings,
            "pattern": document.name,
            "violations": [_violation(finding, document) for finding in report.findings],
            "suggestions": list(report.suggestions),
            "checked": report.checked,
            "not_checked": list(report.not_checked),
        }

    def all(self) -> list[tuple[Document, Pattern]]:
        """Every pattern document with what was read in it."""
        return [(document, self._pattern(document)) for document in self._library.shelf().of(PATTERNS)]

    def _pattern(self, document: Document) -> Pattern:
        checksum, pattern = self._read.get(document.path, ("", None))
        if pattern is None or checksum != document.checksum:
            pattern = read_pattern(document.name, document.text)
            self._read[document.path] = (document.checksum, pattern)
        return pattern


def find_pattern(shelf: Shelf, name: str) -> Document:
    """The pattern that a name means: its path inside the patterns, its last part, its title, or its URI."""
    if name.startswith(f"{SCHEME}://"):
        document = found_at(shelf, name)
        if document.category != PATTERNS:
            raise _unknown(shelf, name)
        return document
    is_whole = name.startswith(f"{RESOURCES}/")
    check_resource_path(name if is_whole else f"{RESOURCES}/{PATTERNS}/{name}")
    wanted = name.removeprefix(f"{RESOURCES}/{PATTERNS}/")
    found = named(shelf, PATTERNS, wanted)
    if found is None:
        same = [each for each in shelf.of(PATTERNS) if _folded(wanted) in _names(each)]
        found = same[0] if len(same) == 1 else None
    if found is None:
        raise _unknown(shelf, name)
    return found


def _names(document: Document) -> set[str]:
    return {_folded(each) for each in (document.name, document.name.rpartition("/")[2], document.title)}


def _folded(name: str) -> str:
    return "-".join(name.removesuffix(".md").casefold().replace("_", " ").replace("-", " ").split())


def _unknown(shelf: Shelf, name: str) -> InvalidArguments:
    available = [document.name for document in shelf.of(PATTERNS)]
    alike = get_close_matches(name, available, n=3, cutoff=ALIKE)
    told: dict[str, Any] = {"available": available, **({"suggestions": alike} if alike else {})}
    return InvalidArguments(f"pattern not found: {_cut(name)}", **told)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"


def _violation(finding: Breach, document: Document) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "description": finding.description,
        "severity": finding.severity,
        "line": finding.line,
        "document_line": finding.document_line,
        **({"citation": document.cited(*[finding.document_line] * 2)} if finding.document_line else {}),
    }
