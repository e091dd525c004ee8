"""Fieldguide: a field guide to a project, for the AI agents that work on it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from fieldguide.cli.console.in_process import DocumentFunctions, TaskFunctions

__version__ = "0.1.0"
__all__ = ["__version__", "documents_for", "tasks_for"]


def tasks_for(user_id: str, *, project: "str | os.PathLike[str]" = ".", database: str | None = None) -> "TaskFunctions":
    """The task tools as plain functions that act for this user and no other, with their schemas for a model.

    They use the database that a server of this project uses, unless `database` names another (a postgresql:// address).
    """
    from fieldguide.cli.console.in_process import (
        open_tasks,  # the whole app; whoever wants the version only does not pay for it
    )

    return open_tasks(user_id, project=project, database=database)


def documents_for(project: "str | os.PathLike[str]" = ".") -> "DocumentFunctions":
    """The document tools as plain functions over a project's collections, whose index is brought up to date first.

    Nothing is fetched: collections from git or the web are as `fieldguide documents sync` left them.
    """
    from fieldguide.cli.console.in_process import open_documents

    return open_documents(project=project)
