"""Writes the default files of a `directive/` folder, and never over an existing file."""

import os
from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

from fieldguide.files.project_files import write_into
from fieldguide.toolsets.directive.folder import CONTEXT, NAME, PROCEDURE, TEMPLATES

FILES = (PROCEDURE, CONTEXT, *(f"templates/{name}" for name in TEMPLATES))


class ScaffoldResult(NamedTuple):
    """What a run created and what it found and kept, as paths of the project."""

    created: tuple[str, ...]
    kept: tuple[str, ...]


def read_default(name: str) -> str:
    """The text of a default file, by its path below `directive/`."""
    return files("fieldguide.toolsets.directive").joinpath("defaults", *name.split("/")).read_text(encoding="utf-8")


def create_folder(project: str) -> ScaffoldResult:
    """Write every default file that is not there yet: to `reference/` where the project keeps its files there."""
    newer = os.path.join(project, NAME, "reference")
    older = os.path.join(project, NAME, PROCEDURE)
    layout = "reference/" if os.path.isdir(newer) and not os.path.exists(older) else ""
    return write_missing(project, {f"{NAME}/{layout}{name}": read_default(name) for name in FILES})


def write_missing(project: str, texts: Mapping[str, str]) -> ScaffoldResult:
    """Write these texts to their paths in the project, and never over an existing file."""
    created: list[str] = []
    kept: list[str] = []
    for path, text in texts.items():
        is_new = write_into(project, path, text)
        (created if is_new else kept).append(path)
    return ScaffoldResult(tuple(created), tuple(kept))
