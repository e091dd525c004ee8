"""The documents toolset: collections of documents that an agent can list, outline, read by section and search."""

from fieldguide.toolsets.documents.tools import toolset

__all__ = ["toolset"]
