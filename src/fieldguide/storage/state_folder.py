"""Locates and creates the folder that holds a project's state, labelled with its path.

Inside a project it could not be made safe: a checkout overwrites ignored files without a word, and an opened database
acts on the files beside it. A `.fieldguide/` that comes with a clone is never opened.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple, cast

from fieldguide.files.file_system import PRIVATE_FILE, PRIVATE_FOLDER, STATE_VARIABLE, find_state_root, replace_file
from fieldguide.storage.database import DATABASE_FILE, SERVICE_FILE
from fieldguide.text.errors import StorageFailed

OLD_FOLDER = ".fieldguide"
LABEL = "project.json"
LONGEST_NAME = 40
HASH_CHARACTERS = 12
MOST_LABEL_BYTES = 64 << 10
TENANTS = "projects"
DATABASE_FILES = (DATABASE_FILE, SERVICE_FILE)
UNWRITABLE = f"Your state folder can't be written to: set {STATE_VARIABLE} to one that can (`fieldguide doctor`)."


class StateLabel(NamedTuple):
    """What a state folder says of itself: the project it belongs to."""

    folder: str
    project: str
    device: int
    inode: int

    @property
    def is_orphan(self) -> bool:
        """Whether its project is not where it was."""
        return not os.path.isdir(self.project)


def find_expected_folder(project: str) -> str:
    """The folder that a server of this project uses, without making it."""
    from hashlib import sha256  # 3 ms with the library below it, which `find_known_folder` saves

    place = os.path.realpath(project)
    digest = sha256(os.fsencode(place)).hexdigest()[:HASH_CHARACTERS]
    return os.path.join(find_state_root(), f"{_plain_name(place)}-{digest}")


def find_known_folder(project: str) -> str | None:
    """The folder that was made for this project, found by its label; None where there is none yet."""
    place = os.path.realpath(project)
    root = find_state_root()
    with suppress(OSError, StorageFailed):
        for name in os.listdir(root):
            if name.rpartition("-")[0] == _plain_name(place):
                label = read_label(os.path.join(root, name))
                if label is not None and label.project == place:
                    return _checked(label.folder)
    return None


def _plain_name(place: str) -> str:
    plain = "".join(each if each.isalnum() or each in "._-" else "_" for each in os.path.basename(place))
    return plain[:LONGEST_NAME] or "root"


def make_state_folder(project: str) -> str:
    """The project's folder, made if need be: for its owner alone, and labelled with the project's path."""
    folder = find_expected_folder(project)
    if os.path.lexists(os.path.join(folder, LABEL)):
        return _checked(folder)
    try:
        os.makedirs(os.path.dirname(folder), mode=PRIVATE_FOLDER, exist_ok=True)
        with suppress(FileExistsError):
            os.mkdir(folder, PRIVATE_FOLDER)
        status = os.stat(project)
        write_label(StateLabel(_checked(folder), os.path.realpath(project), status.st_dev, status.st_ino))
    except OSError as error:
        raise StorageFailed(UNWRITABLE) from error
    return folder


def make_private_folder(*names: str) -> str:
    """A folder below the state root, made if need be, that is ours alone."""
    folder = os.path.join(find_state_root(), *names)
    try:
        os.makedirs(folder, mode=PRIVATE_FOLDER, exist_ok=True)
    except OSError as error:
        raise StorageFailed(UNWRITABLE) from error
    return _checked(folder)


def make_tenant_folder(tenant: str) -> str:
    """The folder of one project of a service, made if need be: its files may lie where others have theirs."""
    return make_private_folder(TENANTS, tenant)


def read_label(folder: str) -> StateLabel | None:
    """What a state folder says of itself; None when it says nothing legible."""
    try:
        with open(os.path.join(folder, LABEL), "rb") as file:
            said: Any = json.loads(file.read(MOST_LABEL_BYTES))
        entry = cast("dict[str, Any]", said)
        return StateLabel(folder, str(entry["project"]), int(entry["device"]), int(entry["inode"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def write_label(label: StateLabel) -> None:
    """Write what a state folder says of itself, whole or not at all."""
    said = {name: value for name, value in label._asdict().items() if name != "folder"}
    with replace_file(os.path.join(label.folder, LABEL), PRIVATE_FILE) as file:
        file.write(json.dumps(said, indent=2).encode())


def list_labels() -> Iterator[StateLabel]:
    """Every project that something is kept of, by name."""
    root = find_state_root()
    try:
        names = sorted(os.listdir(root))
    except OSError:
        return
    for name in names:
        if label := read_label(os.path.join(root, name)):
            yield label


def list_database_files() -> Iterator[str]:
    """The SQLite files below the state root that something was kept in: of projects, of tenants and of a service."""
    root = find_state_root()
    for folder in (root, os.path.join(root, TENANTS)):
        with suppress(OSError):
            for name in sorted(os.listdir(folder)):
                for file in DATABASE_FILES:
                    path = os.path.join(folder, name, file)
                    if os.path.isfile(path) and not os.path.islink(os.path.dirname(path)):
                        yield path


def find_left_behind(project: str) -> StateLabel | None:
    """The state of this very folder from before it was moved or renamed; None when nothing of the kind is left.

    A folder keeps its inode when it is renamed. One that was copied has another, but mostly its name.
    """
    orphans = [label for label in list_labels() if label.is_orphan]
    try:
        status = os.stat(project)
    except OSError:
        return None
    same = [each for each in orphans if (each.device, each.inode) == (status.st_dev, status.st_ino)]
    name = os.path.basename(os.path.realpath(project))
    alike = [each for each in orphans if os.path.basename(each.project) == name]
    found = same or alike
    return found[0] if len(found) == 1 else None


def can_write_below(folder: str) -> bool:
    """Whether a folder is there and can be written to, or can be made."""
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)


def _checked(folder: str) -> str:
    """A state folder that is a folder, and ours: a link or somebody else's would lead our writes elsewhere."""
    status = os.lstat(folder)
    if not os.path.isdir(folder) or os.path.islink(folder) or status.st_uid not in (os.geteuid(), 0):
        raise StorageFailed("The state folder is a link, or belongs to somebody else: nothing is kept there.")
    return folder
