"""The tasks toolset: the tasks of each user, kept in the database and seen by nobody else."""

from fieldguide.toolsets.tasks.tools import toolset

__all__ = ["toolset"]
