"""The context toolset: the project's code, and what earlier work found out about it."""

from fieldguide.toolsets.context.tools import toolset

__all__ = ["toolset"]
