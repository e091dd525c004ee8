"""What of a project's collections is watched: the files that name them, the folders that hold them."""

import os
from collections.abc import Iterable, Iterator

from fieldguide.consents import Consents
from fieldguide.project_text.git_index import index_place
from fieldguide.search.syncing import Part
from fieldguide.toolsets.documents.collections import DEFAULT_FOLDER, PROJECT_FILE, Collection, global_path, local_path
from fieldguide.toolsets.documents.locations import BUNDLES, is_remote
from fieldguide.watching import Place, Seen

MOST_FOLDERS = 500  # of the folders with texts among the code, so many are watched


def setting_places(project: str) -> Iterator[Place]:
    """The files that say which collections there are, and the folder that is one when nothing is said."""
    yield Place(os.path.join(project, PROJECT_FILE), "file", project)
    yield Place(os.path.join(project, DEFAULT_FOLDER), "presence", project)
    for path in (global_path(), Consents(project).path):
        for each in dict.fromkeys((path, os.path.realpath(path))):
            yield Place(each, "file")


def found_places(project: str, collections: Iterable[Collection]) -> Iterator[Place]:
    """Where other documents may come up than those that were found: the project's own folder, and git's index."""
    if not all(each.names is not None for each in collections if each.origin != "global"):
        return
    yield Place(project, "folder", project)
    place = index_place(project)
    if place is not None:
        yield Place(os.path.realpath(place.folder), "folder", _top(place.folder, project))


def collection_places(project: str, collections: Iterable[Collection]) -> Iterator[Place]:
    """The folders and bundles of the collections on this machine; a link, and where it leads to."""
    for collection in collections:
        if is_remote(collection.source):
            continue
        named = local_path(collection.source, collection.base)
        real = os.path.realpath(named)
        if named != real:
            yield Place(named, "presence", _top(named, project))
        if collection.names is not None and real == project:
            folders = sorted({name.rpartition("/")[0] for name in collection.names})
            yield from (Place(os.path.join(real, each), "folder", project) for each in folders[:MOST_FOLDERS] if each)
        elif named.endswith(BUNDLES):
            yield Place(real, "file", _top(real, project))
        else:
            folder = watched_folder(collection)
            yield Place(folder, "tree", _top(folder, project))


def watched_folder(collection: Collection) -> str:
    """The folder whose files are the documents of a collection that is no bundle."""
    path = local_path(collection.source, collection.base)
    return os.path.realpath(os.path.dirname(path) if path.endswith(".json") else path)


def part_of(collection: Collection, seen: Seen) -> Part | None:
    """What was seen to change of a collection; None when nothing was."""
    if is_remote(collection.source) or local_path(collection.source, collection.base).endswith(BUNDLES):
        return None
    above = f"{watched_folder(collection)}{os.sep}"
    part = Part(_below(above, seen.files), _below(above, seen.folders))
    if collection.names is not None:
        part = Part(_touched(collection.names, part), frozenset())
    return part if part.names or part.folders else None


def _below(above: str, paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path[len(above) :] for path in paths if path.startswith(above))


def _touched(names: frozenset[str], part: Part) -> frozenset[str]:
    """Those of these names that are in a part, by themselves or in a folder of it."""
    held = names.intersection(part.names)
    inside = tuple(f"{folder}/" for folder in part.folders)
    return held.union(name for name in names if name.startswith(inside)) if inside else held


def _top(path: str, project: str) -> str:
    return project if path.startswith(f"{project}{os.sep}") else ""
