"""The tools as plain functions, for a program that lives in one process with us."""

from fieldguide.in_process.documents import DocumentFunctions, open_documents
from fieldguide.in_process.tasks import TaskFunctions, open_tasks

__all__ = ["DocumentFunctions", "TaskFunctions", "open_documents", "open_tasks"]
