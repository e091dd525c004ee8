"""Where a project of a service comes from: a folder of this machine, or a git address."""

import os
from typing import NamedTuple

from fieldguide.errors import Misconfiguration
from fieldguide.places import config_folder, state_root
from fieldguide.teams.projects.addresses import checked_address, is_address
from fieldguide.teams.projects.names import checked_branch


class Source(NamedTuple):
    """One of the two: a folder, or an address with the branch that is wanted (None: the usual one)."""

    root: str | None = None
    address: str | None = None
    branch: str | None = None


def read_source(text: str, branch: str | None) -> Source:
    """What a person means; a sentence says why it can't be a project."""
    if is_address(text) or text.startswith("-"):
        return Source(None, checked_address(text), None if branch is None else checked_branch(branch))
    if branch is not None:
        raise Misconfiguration("A folder is served as it is checked out: --branch goes with a git address.")
    return Source(_checked_folder(text))


def _checked_folder(text: str) -> str:
    """A folder that may be served to a team: one that is there, and holds nothing of the service's own."""
    folder = os.path.realpath(os.path.expanduser(text))
    if not os.path.isdir(folder):
        raise Misconfiguration(f"There is no folder {folder!r}; name one that is there, or a git address.")
    for own in (state_root(), config_folder()):
        place = os.path.realpath(own)
        if os.path.commonpath((place, folder)) in (place, folder):
            raise Misconfiguration(
                f"{folder!r} can't be a project: the service keeps its own state or settings in {place!r}."
            )
    return folder
