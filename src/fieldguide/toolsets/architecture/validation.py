"""`validate-against-pattern`: the document that a name means, its rules, and what they find in some code."""

from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from fieldguide.errors import InvalidArguments
from fieldguide.toolsets.architecture.addresses import found_at, named
from fieldguide.toolsets.architecture.library import SCHEME, Document, Shelf
from fieldguide.toolsets.architecture.paths import check_resource_path
from fieldguide.toolsets.architecture.roots import PATTERNS, RESOURCES
from fieldguide.toolsets.architecture.rules import Finding, Pattern, check_code, read_pattern

ALIKE = 0.6


def validated(shelf: Shelf, pattern_name: str, code: str, language: str | None) -> dict[str, Any]:
    """Whether code follows a pattern, where it does not, and what to do about it."""
    document = find_pattern(shelf, pattern_name)
    report = check_code(pattern_of(document.name, document.text), code, language)
    return {
        "compliant": not report.findings,
        "pattern": document.name,
        "violations": [_violation(finding) for finding in report.findings],
        "suggestions": list(report.suggestions),
    }


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


@lru_cache(maxsize=256)
def pattern_of(name: str, text: str) -> Pattern:
    """A document's rules, read once for each text."""
    return read_pattern(name, text)


def _names(document: Document) -> set[str]:
    return {_folded(each) for each in (document.name, document.name.rpartition("/")[2], document.title)}


def _folded(name: str) -> str:
    return "-".join(name.removesuffix(".md").casefold().replace("_", " ").replace("-", " ").split())


def _unknown(shelf: Shelf, name: str) -> InvalidArguments:
    available = [document.name for document in shelf.of(PATTERNS)]
    alike = get_close_matches(name, available, n=3, cutoff=ALIKE)
    told: dict[str, Any] = {"available": available, **({"suggestions": alike} if alike else {})}
    return InvalidArguments(f"pattern not found: {name}", **told)


def _violation(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "description": finding.description,
        "severity": finding.severity,
        "line": finding.line,
        "document_line": finding.document_line,
    }
