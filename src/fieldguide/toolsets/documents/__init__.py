"""The documents toolset: collections of documents that can be listed, outlined, read by section and searched."""

from fieldguide.toolsets.documents.tools import toolset

__all__ = ["toolset"]
