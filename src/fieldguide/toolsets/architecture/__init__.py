"""The architecture toolset: patterns that can be executed, decisions that can be contradicted."""

from fieldguide.toolsets.architecture.tools import toolset

__all__ = ["toolset"]
