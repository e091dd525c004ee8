"""The directive toolset: a project's way of working, its context and its templates, read-only."""

from fieldguide.toolsets.directive.tools import toolset

__all__ = ["toolset"]
