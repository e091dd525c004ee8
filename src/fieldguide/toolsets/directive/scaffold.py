"""Writes the default `directive/` folder, and never over an existing file."""

import os
from dataclasses import dataclass
from importlib.resources import files

from fieldguide.files.project_files import write_into
from fieldguide.text.errors import NotFound
from fieldguide.toolsets.directive.folder import CONTEXT, NAME, PROCEDURE, TEMPLATES

FILES = (PROCEDURE, CONTEXT, *(f"templates/{name}" for name in TEMPLATES))


@dataclass(frozen=True, slots=True)
class ScaffoldResult:
    """What a run created and what it found and kept, as paths of the project."""

    created: tuple[str, ...]
    kept: tuple[str, ...]


def create_folder(project: str) -> ScaffoldResult:
    """Create the folder with every default file that is not there yet."""
    return _fill(project, layout=_layout(project))


def add_missing_files(project: str) -> ScaffoldResult:
    """Add the default files that an existing folder lacks, in the layout that it uses."""
    if not os.path.isdir(os.path.join(project, NAME)):
        raise NotFound("directive/ directory not found. Run 'directive init' to create it.")
    return _fill(project, layout=_layout(project))


def read_default(name: str) -> str:
    """The text of a default file, by its path below `directive/`."""
    return files("fieldguide.toolsets.directive").joinpath("defaults", *name.split("/")).read_text(encoding="utf-8")


def _layout(project: str) -> str:
    """`reference/` where the project keeps its files there, else the top of the folder."""
    newer = os.path.join(project, NAME, "reference")
    older = os.path.join(project, NAME, PROCEDURE)
    return "reference/" if os.path.isdir(newer) and not os.path.exists(older) else ""


def _fill(project: str, *, layout: str) -> ScaffoldResult:
    created: list[str] = []
    kept: list[str] = []
    for name in FILES:
        path = f"{NAME}/{layout}{name}"
        (created if write_into(project, path, read_default(name)) else kept).append(path)
    return ScaffoldResult(tuple(created), tuple(kept))
