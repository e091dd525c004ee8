"""Reads the starter patterns of the package."""

from importlib.resources import files

FOLDER = files("fieldguide.toolsets.architecture").joinpath("starters")
SUFFIX = ".md"


def list_starters() -> tuple[str, ...]:
    """The names of the documents, sorted."""
    return tuple(sorted(each.name.removesuffix(SUFFIX) for each in FOLDER.iterdir() if each.name.endswith(SUFFIX)))


def read_starter(name: str) -> str:
    """Returns the text of a starter pattern; KeyError if `list_starters` does not list the name."""
    if name not in list_starters():
        raise KeyError(name)
    return FOLDER.joinpath(f"{name}{SUFFIX}").read_text(encoding="utf-8")
