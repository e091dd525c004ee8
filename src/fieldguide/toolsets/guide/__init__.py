"""The guide toolset: tools over everything that one server knows of a project."""

from fieldguide.toolsets.guide.tools import toolset

__all__ = ["toolset"]
