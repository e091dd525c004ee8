"""Resolves paths as a person types them to the names that the project gives its files."""

import os
from collections.abc import Iterator, Sequence

from fieldguide.text.citation import read_citation
from fieldguide.text.errors import Misconfiguration


def resolve_existing_path(root: str, given: str, listing: Sequence[str] = ()) -> str:
    """What the project calls a file or folder that is there; refused where it is outside, or nowhere."""
    outside = False
    for place in _places(root, given):
        if not os.path.lexists(place):
            continue
        inner = _inside(root, place)
        if inner is not None:
            return inner
        outside = True
    if outside or _is_outside(root, given):
        raise Misconfiguration(f"{given!r} is outside of the project {root}.")
    from fieldguide.text.near_names import suggest_paths

    raise Misconfiguration(f"There is no file or folder {given!r}.{suggest_paths(given, listing)}")


def resolve_new_path(root: str, given: str) -> str:
    """What the project calls a file that need not be there yet: it is meant in the current folder."""
    for place in _places(root, given):
        inner = _inside(root, place)
        if inner is not None and os.path.isdir(os.path.dirname(place)):
            return inner
    if _is_outside(root, given):
        raise Misconfiguration(f"{given!r} is outside of the project {root}.")
    return os.path.normpath(given)


def resolve_place(root: str, given: str) -> str:
    """What the project calls a file, or some lines of one; anything that is no path of a file stays as it is."""
    if "://" in given or "\n" in given or "\0" in given:
        return given
    citation = read_citation(given)
    for path in (given, *([citation.path] if citation else [])):
        if any(map(os.path.lexists, _places(root, path))):
            return given.replace(path, resolve_existing_path(root, path), 1)
    if os.path.isabs(given) or given.startswith(("./", "../")):
        return resolve_new_path(root, given)
    return given


def _places(root: str, given: str) -> Iterator[str]:
    """Where a path may lie, in the order in which it is looked for."""
    yield os.path.abspath(given)
    if not os.path.isabs(given):
        yield os.path.normpath(os.path.join(root, given))


def _inside(root: str, place: str) -> str | None:
    """A place as the project writes it; None outside. Of a file the last name may be a link, which stays one."""
    folder, name = os.path.split(place)
    real = os.path.realpath(place) if os.path.isdir(place) else os.path.join(os.path.realpath(folder), name)
    inner = os.path.relpath(real, root)
    return None if inner == ".." or inner.startswith("../") else inner


def _is_outside(root: str, given: str) -> bool:
    return all(_inside(root, place) is None for place in _places(root, given))
