"""Writes a project's `directive/` folder from our defaults, and never over what is there."""

import os
from dataclasses import dataclass
from importlib.resources import files

from fieldguide.errors import NotFound
from fieldguide.project_writing import write_into
from fieldguide.toolsets.directive.folder import CONTEXT, NAME, PROCEDURE, TEMPLATES

FILES = (PROCEDURE, CONTEXT, *(f"templates/{name}" for name in TEMPLATES))


@dataclass(frozen=True, slots=True)
class Written:
    """What a run created and what it found and kept, as paths of the project."""

    created: tuple[str, ...]
    kept: tuple[str, ...]


def init(project: str) -> Written:
    """Create the folder with every default file that is not there yet."""
    return _fill(project, layout=_layout(project))


def update(project: str) -> Written:
    """Add the default files that an existing folder lacks, in the layout that it uses."""
    if not os.path.isdir(os.path.join(project, NAME)):
        raise NotFound("directive/ directory not found. Run 'directive init' to create it.")
    return _fill(project, layout=_layout(project))


def default_text(name: str) -> str:
    """The text of a default file, by its path below `directive/`."""
    return files("fieldguide.toolsets.directive").joinpath("defaults", *name.split("/")).read_text(encoding="utf-8")


def _layout(project: str) -> str:
    """`reference/` where the project keeps its files there, else the top of the folder."""
    newer = os.path.join(project, NAME, "reference")
    older = os.path.join(project, NAME, PROCEDURE)
    return "reference/" if os.path.isdir(newer) and not os.path.exists(older) else ""


def _fill(project: str, *, layout: str) -> Written:
    created: list[str] = []
    kept: list[str] = []
    for name in FILES:
        path = f"{NAME}/{layout}{name}"
        (created if write_into(project, path, default_text(name)) else kept).append(path)
    return Written(tuple(created), tuple(kept))
