"""The guide toolset: what one server that holds everything can do."""

from fieldguide.toolsets.guide.tools import toolset

__all__ = ["toolset"]
