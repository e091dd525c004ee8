"""The collections of a project that names none: its own text, found wherever it lies, under names a person would give.

`settings` reads what a person corrects, `grouping` makes collections of what was found, `tongues` tells the language of
a question.
"""

from fieldguide.project_text.tongues import is_asked_in
from fieldguide.toolsets.documents.discovery.grouping import PROJECT, Group, grouped
from fieldguide.toolsets.documents.discovery.settings import Corrections, read_corrections

__all__ = ["PROJECT", "Corrections", "Group", "grouped", "is_asked_in", "read_corrections"]
