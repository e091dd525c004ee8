"""What `doctor` and `status` tell of a project's state: where it may lie instead of where it is looked for."""

import os
from typing import NamedTuple

from fieldguide.app import DATABASE_FILE
from fieldguide.storage.health import rows_in
from fieldguide.storage.state_folder import expected_folder, found_in_project, left_behind

PRECIOUS = ("task", "discovery")


class StateFinding(NamedTuple):
    """One thing to know, and the command that mends it."""

    said: str
    mend: str
    command: str = ""


def has_own_state(project: str) -> bool:
    """Whether somebody has written something worth keeping here: tasks, or findings."""
    return rows_in(os.path.join(expected_folder(project), DATABASE_FILE), PRECIOUS) > 0


def state_findings(project: str) -> list[StateFinding]:
    """The state that a moved project has left behind, and what lies in the project from an earlier version."""
    found: list[StateFinding] = []
    if not has_own_state(project) and (old := left_behind(project)) is not None:
        said = f"Tasks and findings of {old.project} are kept, and that folder is gone: it may be this one, moved."
        command = f"fieldguide state move {old.project}"
        found.append(StateFinding(said, f"`{command}` brings them here.", command))
    if found_in_project(project) is not None:
        said = "There is a .fieldguide/ in the project, which may have come with it: it is not opened."
        found.append(StateFinding(said, *_about_old_folder(project)))
    return found


def _about_old_folder(project: str) -> tuple[str, str]:
    """What to do with it, and the command for that: nothing is taken over on top of what is kept already."""
    if has_own_state(project):
        return "What is kept of this project lies elsewhere; remove that folder when you need nothing of it.", ""
    return "`fieldguide state adopt` takes over what an earlier version kept there.", "fieldguide state adopt"
