"""Provides the `architecture://` resources, and finds the folders that hold guidelines, patterns and decisions."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.spine.resources import Resource, ResourceContents, ResourceTemplate
from fieldguide.text.errors import Misconfiguration

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.library import DocumentLibrary

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


Origin = Literal["own", "named", "usual", "found"]


class ArchitectureRoot(NamedTuple):
    """A folder whose markdown files are documents of one category: our own, named by the settings, or a usual one."""

    category: str
    folder: str
    origin: Origin = "own"


class PlacedDocument(NamedTuple):
    """A file of a root: the category, the path inside the root, the path in the project, and why it was looked at."""

    category: str
    inner: str
    path: str
    origin: Origin = "own"


def read_roots(settings: Mapping[str, Any]) -> tuple[ArchitectureRoot, ...]:
    """Every folder that may hold documents: first our own, then those that the settings name, then the usual ones."""
    own = [ArchitectureRoot(category, f"{RESOURCES}/{category}") for category in CATEGORIES]
    named = [
        ArchitectureRoot(category, folder, "named") for category in CATEGORIES for folder in _named(settings, category)
    ]
    usual = [ArchitectureRoot(ADR, folder, "usual") for folder in DECISION_FOLDERS]
    found: dict[str, ArchitectureRoot] = {}
    for root in (*own, *named, *usual):
        found.setdefault(root.folder, root)
    return tuple(found.values())


def list_documents(
    project: ConfinedFolder, roots: Sequence[ArchitectureRoot]
) -> Iterator[tuple[PlacedDocument, os.stat_result]]:
    """Every document of every root with its status; a file belongs to the innermost of the folders that it lies in."""
    seen: set[str] = set()
    for root in _inner_first(roots):
        for inner, status in project.folder(root.folder).entries():
            path = inner if root.folder == "." else f"{root.folder}/{inner}"
            if path in seen:
                continue
            seen.add(path)
            if _is_document(inner, root):
                yield PlacedDocument(root.category, inner, path, root.origin), status


def _inner_first(roots: Sequence[ArchitectureRoot]) -> list[ArchitectureRoot]:
    return sorted(roots, key=lambda root: 0 if root.folder == "." else -root.folder.count("/") - 1)


def _is_document(inner: str, root: ArchitectureRoot) -> bool:
    from fieldguide.files.kinds import MARKED_UP_SUFFIXES  # a start looks at no file

    has_suffix = inner.lower().endswith(MARKED_UP_SUFFIXES) if root.category == ADR else inner.endswith(".md")
    if not has_suffix or any(name.startswith(".") for name in inner.split("/")):
        return False
    return ".." not in inner and "\\" not in inner  # no URI may hold these


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


MARKDOWN = "text/markdown"
SCHEME = "architecture"


class ArchitectureResources:
    """Every guideline, pattern and decision as a resource."""

    scheme = SCHEME

    def __init__(self, library: "Callable[[], DocumentLibrary]") -> None:
        self._library = library

    def list(self) -> Sequence[Resource]:
        """Every document, with what tells whether it has changed."""
        from fieldguide.toolsets.architecture.library import describe_resource

        return [describe_resource(document) for document in self._library().shelf().documents]

    def templates(self) -> Sequence[ResourceTemplate]:
        """One family for each category."""
        return [
            ResourceTemplate(f"{SCHEME}://{GUIDELINES}/{{path}}", "guideline", "Guideline", mime_type=MARKDOWN),
            ResourceTemplate(f"{SCHEME}://{PATTERNS}/{{path}}", "pattern", "Pattern", mime_type=MARKDOWN),
            ResourceTemplate(f"{SCHEME}://{ADR}/{{id}}", "adr", "Architecture decision", mime_type=MARKDOWN),
        ]

    def read(self, uri: str) -> Sequence[ResourceContents]:
        """The text of a document as it stands in its file."""
        from fieldguide.text.display import warn_of_text
        from fieldguide.toolsets.architecture.library import find_by_uri

        document = find_by_uri(self._library().shelf(), uri)
        warnings = warn_of_text([document.text])
        meta = {"fieldguide/warnings": warnings} if warnings else None
        return [ResourceContents(uri, MARKDOWN, document.text, meta=meta)]
