"""The tasks toolset: what each user means to do, kept in the database, seen by nobody else."""

from fieldguide.toolsets.tasks.tools import toolset

__all__ = ["toolset"]
