"""What `doctor` and `status` tell of a project's state: where it may lie instead of where it is looked for."""

from typing import NamedTuple

from fieldguide.storage.state_folder import found_in_project, left_behind


class StateFinding(NamedTuple):
    """One thing to know, and the command that mends it."""

    said: str
    mend: str


def state_findings(project: str) -> list[StateFinding]:
    """The state that a moved project has left behind, and what lies in the project from an earlier version."""
    found: list[StateFinding] = []
    if (old := left_behind(project)) is not None:
        said = f"Tasks and findings of {old.project} are kept, and that folder is gone: it may be this one, moved."
        found.append(StateFinding(said, f"`fieldguide state move {old.project}` brings them here."))
    if found_in_project(project) is not None:
        said = "There is a .fieldguide/ in the project, which may have come with it: it is not opened."
        found.append(StateFinding(said, "`fieldguide state adopt` takes over what an earlier version kept there."))
    return found
