"""What a person corrects in what was found: `folders` and `leave_out` under `[documents]`."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from fieldguide.errors import Misconfiguration


class Corrections(NamedTuple):
    """The folders that hold the documents (none: they are found), and globs of what is no document."""

    folders: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()


def read_corrections(settings: Mapping[str, Any]) -> Corrections:
    """The corrections in the settings of the toolset."""
    folders = tuple(os.path.normpath(each).replace(os.sep, "/") for each in _texts(settings, "folders"))
    for folder in folders:
        if folder.startswith(("/", "..")):
            raise Misconfiguration(f"`folders` in [documents] must name folders inside the project: {folder}.")
    return Corrections(folders, _texts(settings, "leave_out"))


def _texts(settings: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value: Any = settings.get(name, [])
    listed: Any = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(each, str) and each for each in cast("list[object]", listed)):
        raise Misconfiguration(f"`{name}` in [documents] must be a list of texts.")
    return tuple(cast("list[str]", listed))
