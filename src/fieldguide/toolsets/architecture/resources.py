"""The provider of `architecture://`, over the document cache that the tools use too; imports nothing before a call."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fieldguide.spine.resources import Contents, Resource, ResourceTemplate
from fieldguide.toolsets.architecture.roots import ADR, GUIDELINES, PATTERNS

if TYPE_CHECKING:
    from fieldguide.toolsets.architecture.library import Library

MARKDOWN = "text/markdown"
SCHEME = "architecture"


class ArchitectureResources:
    """Every guideline, pattern and decision as a resource."""

    scheme = SCHEME

    def __init__(self, library: "Callable[[], Library]") -> None:
        self._library = library

    def list(self) -> Sequence[Resource]:
        """Every document, with what tells whether it has changed."""
        from fieldguide.toolsets.architecture.addresses import listed_resource

        return [listed_resource(document) for document in self._library().shelf().documents]

    def templates(self) -> Sequence[ResourceTemplate]:
        """One family for each category."""
        return [
            ResourceTemplate(f"{SCHEME}://{GUIDELINES}/{{path}}", "guideline", "Guideline", mime_type=MARKDOWN),
            ResourceTemplate(f"{SCHEME}://{PATTERNS}/{{path}}", "pattern", "Pattern", mime_type=MARKDOWN),
            ResourceTemplate(f"{SCHEME}://{ADR}/{{id}}", "adr", "Architecture decision", mime_type=MARKDOWN),
        ]

    def read(self, uri: str) -> Sequence[Contents]:
        """The text of a document as it stands in its file."""
        from fieldguide.spine.foreign_text.text_warnings import text_warnings
        from fieldguide.toolsets.architecture.addresses import found_at

        document = found_at(self._library().shelf(), uri)
        warnings = text_warnings([document.text])
        meta = {"fieldguide/warnings": warnings} if warnings else None
        return [Contents(uri, MARKDOWN, document.text, meta=meta)]
