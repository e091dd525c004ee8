"""The architecture toolset: patterns that can be executed, and decisions that can be contradicted."""

from fieldguide.toolsets.architecture.tools import toolset

__all__ = ["toolset"]
