"""Where git keeps what it knows of a project: only a folder that is the project's own, never one that it points to.

An archive or a shared folder may bring a `.git` that leads into another repository of the same person. So a link
counts as none, and a file that names a folder counts where that folder names the project too.
"""

import os
from collections.abc import Iterator

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import Refusal
from fieldguide.sensitive_files import SensitiveFiles

GIT = ".git"
LARGEST_POINTER_BYTES = 4096
LARGEST_CONFIG_BYTES = 1 << 20
MOST_ENTRIES = 100_000
CONFIGS = ("config.worktree", "config")
STORES = ("objects", os.path.join("objects", "info"), os.path.join("objects", "pack"))
HISTORY = ("HEAD", "refs", "packed-refs", *STORES)


def own_git_folder(root: str) -> str | None:
    """The folder of git for the work tree whose top this is; None where there is none that is the project's own.

    In a linked work tree and in a submodule `.git` is a file that names it.
    """
    top = os.path.realpath(root)
    inner = os.path.join(top, GIT)
    if os.path.islink(inner):
        return None
    if os.path.isdir(inner):
        return inner if is_owned(inner, top) else None
    git = _named_folder(top)
    return git if git and is_owned(git, top) and _names_back(git, top) else None


def keeps_own_history(root: str) -> bool:
    """Whether all commits that git would tell of lie in the project's own repository, and none are borrowed."""
    git = own_git_folder(root)
    common = _common_folder(git) if git else None
    if git is None or common is None or os.path.lexists(os.path.join(common, STORES[1], "alternates")):
        return False
    return not any(map(os.path.islink, (*_history(git), *_history(common))))


def is_owned(git: str, project: str) -> bool:
    """Whether a folder of git belongs to the owner of the project, or to whoever runs this."""
    try:
        return os.stat(git).st_uid in (os.stat(project).st_uid, os.getuid())
    except OSError:
        return False


def _named_folder(top: str) -> str | None:
    """The folder that the file `.git` names."""
    mark, _, path = _said(ConfinedFolder(top, sensitive=SensitiveFiles(excepted=(GIT,))), GIT).partition(": ")
    return os.path.realpath(os.path.join(top, path)) if mark == "gitdir" and path else None


def _names_back(git: str, top: str) -> bool:
    """Whether git's folder says whose it is: that of a linked work tree by a file, that of a submodule by a setting."""
    folder = ConfinedFolder(git)
    if said := _said(folder, "gitdir"):
        return os.path.realpath(os.path.join(git, said)) == os.path.join(top, GIT)
    trees = (tree for name in CONFIGS for tree in _work_trees(_said(folder, name, LARGEST_CONFIG_BYTES)))
    return any(os.path.realpath(os.path.join(git, tree)) == top for tree in trees)


def _work_trees(config: str) -> Iterator[str]:
    """What a file of settings gives for `core.worktree`."""
    section = ""
    for line in config.splitlines():
        name, _, value = (part.strip() for part in line.partition("="))
        if name.startswith("["):
            section = name.lower()
        elif section == "[core]" and name.lower() == "worktree" and value:
            yield value.strip('"')


def _common_folder(git: str) -> str | None:
    """The folder that holds the commits: this one, or that of the repository which a linked work tree belongs to."""
    if not os.path.lexists(os.path.join(git, "commondir")):
        return git
    above, kind = os.path.split(os.path.dirname(git))
    said = _said(ConfinedFolder(git), "commondir")
    is_linked = kind == "worktrees" and os.path.basename(git) != GIT and bool(said)
    return above if is_linked and os.path.realpath(os.path.join(git, said)) == above else None


def _history(git: str) -> Iterator[str]:
    """The paths by which git reads commits: where one is a link, they may be another repository's."""
    yield from (os.path.join(git, name) for name in HISTORY)
    for name in STORES:
        try:
            with os.scandir(os.path.join(git, name)) as entries:
                yield from (entry.path for entry, _ in zip(entries, range(MOST_ENTRIES), strict=False))
        except OSError:  # a linked work tree has none
            continue


def _said(folder: ConfinedFolder, name: str, limit_bytes: int = LARGEST_POINTER_BYTES) -> str:
    """The text of a small file; nothing where it can't be read, or could not be a path."""
    try:
        said = folder.read(name, limit_bytes=limit_bytes).decode("utf-8")
    except (Refusal, UnicodeDecodeError):
        return ""
    return "" if "\0" in said else said.strip()
