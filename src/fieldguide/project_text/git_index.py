"""What git tracks, read from its index: no program is started, so nothing that a repository configures is obeyed.

The index is a list of paths with the status that each file had (versions 2, 3 and 4 of its format). One that can't be
read, or that is shared with another file, counts as no index: then the folder is walked.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.project_text.git_place import GIT, is_owned, own_git_folder

LARGEST_BYTES = 256 << 20
MOST_FOLDERS_ABOVE = 40
MOST_ENTRIES = 1_000_000
LONGEST_NAME_BYTES = 4096
MOST_NAMES_BYTES = 64 << 20  # an entry of version 4 says a long name again with a few bytes
HEADER_BYTES = 12
STATUS_BYTES = 40
MODE_AT = 24
HASH_BYTES = (20, 32)
EXTENDED, REGULAR = 0x4000, 0o100000
KINDS = (0o100000, 0o120000, 0o160000, 0o040000)  # a file, a link, a submodule, a folder of a sparse index


class IndexPlace(NamedTuple):
    """Where the index of a project lies, and the path of the project below the top of its repository."""

    folder: str
    below: str

    @property
    def path(self) -> str:
        """The file itself."""
        return os.path.join(self.folder, "index")

    def stamp(self) -> tuple[int, ...] | None:
        """What changes with every change of the index; None where there is none that its owner may give us."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return (found.st_mtime_ns, found.st_size, found.st_ino)


def index_place(project: str) -> IndexPlace | None:
    """The index of the repository that a project is, or lies in; only of one that belongs to the project's owner."""
    below: list[str] = []
    folder = os.path.realpath(project)
    for _ in range(MOST_FOLDERS_ABOVE):
        if os.path.lexists(os.path.join(folder, GIT)):
            git = own_git_folder(folder)
            return IndexPlace(git, "/".join(reversed(below))) if git and is_owned(git, project) else None
        above, name = os.path.split(folder)
        if above == folder:
            return None
        below.append(name)
        folder = above
    return None


def tracked_paths(place: IndexPlace) -> list[str] | None:
    """The files below the project that git tracks, as paths in the project; None where that can't be told."""
    try:
        content = ConfinedFolder(place.folder).read("index", limit_bytes=LARGEST_BYTES)
    except Refusal:
        return None
    for size in HASH_BYTES:
        try:
            found = dict.fromkeys(_names(content, size))
        except (ValueError, IndexError):
            continue
        above = f"{place.below}/" if place.below else ""
        return [path[len(above) :] for path in found if path.startswith(above)]
    return None


def _names(content: bytes, hash_bytes: int) -> Iterator[str]:
    """The paths of the regular files; ValueError or IndexError where the content is something else."""
    version, count = _header(content)
    at, name, left = HEADER_BYTES, b"", MOST_NAMES_BYTES
    flags_at = STATUS_BYTES + hash_bytes
    for _ in range(count):
        mode = int.from_bytes(content[at + MODE_AT : at + MODE_AT + 4], "big")
        if mode & 0o170000 not in KINDS:
            raise ValueError("no index with hashes of this size")
        flags = content[at + flags_at] << 8 | content[at + flags_at + 1]
        first = at + flags_at + (4 if flags & EXTENDED and version > 2 else 2)
        kept, first = _kept(content, first, name) if version == 4 else (b"", first)
        end = content.index(b"\0", first)
        left -= len(kept) + end - first
        if len(kept) + end - first > LONGEST_NAME_BYTES or left < 0:
            raise ValueError("names that no project has")
        name = kept + content[first:end]
        at = end + 1 if version == 4 else at + ((end - at + 8) & ~7)
        if mode & 0o170000 == REGULAR:
            yield os.fsdecode(name)
    _refuse_part(content, at)


def _header(content: bytes) -> tuple[int, int]:
    """The version of an index, and how many entries it has."""
    version, count = int.from_bytes(content[4:8], "big"), int.from_bytes(content[8:12], "big")
    if content[:4] != b"DIRC" or version not in (2, 3, 4) or count > MOST_ENTRIES:
        raise ValueError("no index that we know")
    return version, count


def _refuse_part(content: bytes, end: int) -> None:
    """An index whose entries are shared says so right behind its own."""
    if content[end : end + 4] == b"link":
        raise ValueError("the rest is in another file")


def _kept(content: bytes, at: int, before: bytes) -> tuple[bytes, int]:
    """What an entry of version 4 keeps of the name before it, and where the rest of its own begins."""
    byte = content[at]
    dropped, at = byte & 127, at + 1
    while byte & 128:
        byte = content[at]
        dropped, at = (dropped + 1) << 7 | byte & 127, at + 1
        if dropped > len(before):
            raise ValueError("a name that drops more than there is")
    return before[: len(before) - dropped], at
