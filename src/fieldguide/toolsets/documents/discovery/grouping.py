"""What was found, as a few collections: one for each folder of documentation, one for each translation, one for what
lies among the code.

A folder is called by its name where no other has it. Of many folders, such as those of the packages of a large
repository, those in one place are put together; a very large one is parted along its own folders.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from fieldguide.project_text.finding import FoundDocument, FoundText
from fieldguide.project_text.translations import code_of_folder

KEPT = 8
PROJECT = "project"
HERE = "."
WHOLE = frozenset(("docs", "doc", "documentation"))
MOST_ROOTS = 8
LEAST_TOGETHER = 3
LEAST_OF_ITS_OWN = 3  # a folder of fewer documents is no collection of its own
LARGE = 500
LEAST_PARTED = 100


class Group(NamedTuple):
    """Documents that make a collection: its name and folder, the paths of its files, their language, and why."""

    alias: str
    folder: str
    paths: frozenset[str]
    language: str = ""
    why: str = ""

    @property
    def names(self) -> frozenset[str]:
        """The paths, as they are in the folder."""
        return self.paths if self.folder == HERE else frozenset(path[len(self.folder) + 1 :] for path in self.paths)


@lru_cache(maxsize=KEPT)
def grouped(found: FoundText) -> tuple[Group, ...]:
    """The collections of what was found; names and folders are told apart."""
    homes = _homes([each for each in found.documents if not each.language], found)
    main = [*_parted(homes, found)]
    return tuple(_named([*main, *_translations([each for each in found.documents if each.language])]))


def _homes(documents: Sequence[FoundDocument], found: FoundText) -> dict[str, list[str]]:
    """The documents of the main language by the folder that becomes a collection; "" has those among the code."""
    by_root: dict[str, list[str]] = defaultdict(list)
    for each in documents:
        by_root[each.root].append(each.path)
    small = {root for root, paths in by_root.items() if root and "/" in root and len(paths) < LEAST_OF_ITS_OWN}
    roots = [root for root in by_root if root and root not in small]
    homes = dict.fromkeys(small, "") | _together(roots)
    by_home: dict[str, list[str]] = defaultdict(list)
    for root, paths in by_root.items():
        by_home[homes.get(root, "")] += paths
    return by_home


def _together(roots: Sequence[str]) -> dict[str, str]:
    """The folder that each folder of documentation belongs to: itself, or where there are many, their common place."""
    if len(roots) <= MOST_ROOTS:
        return {root: root for root in roots}
    tops: dict[str, list[str]] = defaultdict(list)
    for root in roots:
        tops[root.partition("/")[0]].append(root)
    return {
        root: root if "/" not in root else top if len(inner) >= LEAST_TOGETHER else ""
        for top, inner in tops.items()
        for root in inner
    }


def _parted(homes: Mapping[str, Sequence[str]], found: FoundText) -> Iterator[Group]:
    for home, paths in homes.items():
        if not home:
            yield Group(PROJECT, HERE, frozenset(paths), why="texts of the project that lie beside its code")
            continue
        why = found.roots[home].why if home in found.roots else "the documents of several packages"
        folder = _language_folder(home, paths)
        name = folder.rpartition("/")[2]
        inner = _inner(folder, paths) if len(paths) > LARGE and name.lower() not in WHOLE else {folder: paths}
        for each, own in inner.items():
            yield Group("", each, frozenset(own), why=why)


def _language_folder(home: str, paths: Sequence[str]) -> str:
    """The folder of the main language, where all documents of a folder lie in it."""
    folders = paths[0].split("/")[:-1]
    for at in range(home.count("/") + 1, len(folders)):
        above = "/".join(folders[: at + 1])
        if not all(path.startswith(f"{above}/") for path in paths):
            break
        if code_of_folder(folders[at]):
            return above
    return home


def _inner(folder: str, paths: Iterable[str]) -> dict[str, list[str]]:
    """The large folders of a very large one, and the rest under its own name."""
    by_child: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        child, slash, _ = path[len(folder) + 1 :].partition("/")
        by_child[f"{folder}/{child}" if slash else folder].append(path)
    parts: dict[str, list[str]] = defaultdict(list)
    for child, own in by_child.items():
        parts[child if len(own) >= LEAST_PARTED else folder] += own
    return parts


def _translations(documents: Sequence[FoundDocument]) -> Iterator[Group]:
    """A collection for each language of each folder of documentation."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in documents:
        groups[each.root, each.language].append(each.path)
    for (root, language), paths in groups.items():
        folder = _common(paths, language) or root or HERE
        yield Group("", folder, frozenset(paths), language, f"a translation ({language}) of other documents")


def _common(paths: Sequence[str], language: str) -> str:
    """The folder of a language that all of these lie in; empty where there is none."""
    folders = paths[0].split("/")[:-1]
    for at, name in enumerate(folders):
        if code_of_folder(name) == language:
            above = "/".join(folders[: at + 1])
            return above if all(path.startswith(f"{above}/") for path in paths) else ""
    return ""


def _named(groups: Sequence[Group]) -> list[Group]:
    """The groups with names: the last name of a folder where only one has it, else all of them."""
    taken: set[str] = set()
    found: list[Group] = []
    for group in sorted(groups, key=lambda each: (bool(each.language), each.folder.count("/"), each.folder)):
        alias = next(each for each in _names(group) if each not in taken)
        taken.add(alias)
        found.append(group._replace(alias=alias))
    return found


def _names(group: Group) -> Iterator[str]:
    """The names that a collection may have, the best first."""
    if group.language:
        yield from _translated_names(group)
    elif group.alias:
        yield group.alias
    else:
        names = [name for name in group.folder.split("/") if not code_of_folder(name)] or [group.folder]
        yield names[-1]
        yield "-".join(names)
        yield group.folder.replace("/", "-")
    number = 2
    while True:
        yield f"{group.alias or group.folder.replace('/', '-')}-{group.language or number}-{number}"
        number += 1


def _translated_names(group: Group) -> Iterator[str]:
    """The names of a translation: what it is of, or where it lies, with its language."""
    is_here = group.folder == HERE
    place = "" if is_here else group.folder.replace("/", "-")
    yield f"{PROJECT if is_here else 'docs'}-{group.language}"
    yield place if place.lower().endswith(group.language) else f"{place}-{group.language}"
