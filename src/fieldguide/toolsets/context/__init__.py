"""The context toolset: the project's code, and earlier findings about it."""

from fieldguide.toolsets.context.tools import toolset

__all__ = ["toolset"]
