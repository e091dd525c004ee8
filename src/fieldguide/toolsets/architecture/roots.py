"""Where a project keeps its guidelines, patterns and decisions: the folders of its own, and those that teams use."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.decisions.names import NO_DECISIONS, SUFFIXES, is_template, without_suffix
from fieldguide.errors import Misconfiguration

RESOURCES = "mcp/resources"
PROMPTS = "mcp/prompts"
GUIDELINES = "guidelines"
PATTERNS = "patterns"
ADR = "adr"
CATEGORIES = (GUIDELINES, PATTERNS, ADR)
DECISION_FOLDERS = (
    "docs/adr",
    "docs/adrs",
    "docs/decisions",
    "docs/architecture/decisions",
    "docs/architecture/adr",
    "doc/adr",
    "doc/adrs",
    "doc/decisions",
    "doc/architecture/decisions",
    "architecture/decisions",
    "adr",
    "adrs",
)


class Root(NamedTuple):
    """A folder whose markdown files are documents of one category; in one that was only found, some are not."""

    category: str
    folder: str
    is_found: bool = False


class Placed(NamedTuple):
    """A file of a root: the category, the path inside the root, and the path in the project."""

    category: str
    inner: str
    path: str


def roots_of(settings: Mapping[str, Any]) -> tuple[Root, ...]:
    """Every folder that may hold documents: first our own, then those that the settings name, then the usual ones."""
    own = [Root(category, f"{RESOURCES}/{category}") for category in CATEGORIES]
    named = [Root(category, folder) for category in CATEGORIES for folder in _named(settings, category)]
    usual = [Root(ADR, folder, is_found=True) for folder in DECISION_FOLDERS]
    found: dict[str, Root] = {}
    for root in (*own, *named, *usual):
        found.setdefault(root.folder, root)
    return tuple(found.values())


def listed(project: ConfinedFolder, roots: Sequence[Root]) -> Iterator[tuple[Placed, os.stat_result]]:
    """Every document of every root with its status; a file belongs to the innermost of the folders that it lies in."""
    seen: set[str] = set()
    for root in _inner_first(roots):
        for inner, status in project.folder(root.folder).entries():
            path = inner if root.folder == "." else f"{root.folder}/{inner}"
            if path in seen:
                continue
            seen.add(path)
            if _is_document(inner, root):
                yield Placed(root.category, inner, path), status


def found(project: ConfinedFolder, roots: Sequence[Root], path: str) -> tuple[Placed, os.stat_result] | None:
    """The document at a path of the project with its status; None when no root has one there."""
    for root in _inner_first(roots):
        if root.folder != "." and not path.startswith(f"{root.folder}/"):
            continue
        inner = path if root.folder == "." else path[len(root.folder) + 1 :]
        status = project.folder(root.folder).entry(inner) if _is_document(inner, root) else None
        return None if status is None else (Placed(root.category, inner, path), status)
    return None


def _inner_first(roots: Sequence[Root]) -> list[Root]:
    return sorted(roots, key=lambda root: 0 if root.folder == "." else -root.folder.count("/") - 1)


def _is_document(inner: str, root: Root) -> bool:
    names = inner.split("/")
    if not inner.endswith(SUFFIXES if root.category == ADR else ".md") or any(name.startswith(".") for name in names):
        return False
    if ".." in inner or "\\" in inner:  # no URI may hold these
        return False
    stem = without_suffix(names[-1]).lower()
    return not (root.is_found and len(names) == 1 and (stem in NO_DECISIONS or is_template(stem)))


def _named(settings: Mapping[str, Any], category: str) -> Iterator[str]:
    value: Any = settings.get(category, [])
    folders: Any = [value] if isinstance(value, str) else value
    if not isinstance(folders, list) or not all(isinstance(each, str) for each in cast("list[object]", folders)):
        raise Misconfiguration(f"`{category}` in [architecture] must be a list of folders.")
    for folder in cast("list[str]", folders):
        path = os.path.normpath(folder).replace(os.sep, "/")
        if path.startswith(("/", "..")):
            raise Misconfiguration(f"`{category}` in [architecture] must name folders inside the project: {folder}.")
        yield path
