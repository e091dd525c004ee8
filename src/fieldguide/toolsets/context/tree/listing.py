"""The listing of the project's files by ripgrep, taken as it comes: a large tree may take its time, silence may not.

A listing that broke off is a failure, never a short list: an index that believed it would forget files. Where ripgrep
goes to the end and could not read a folder, the list says that it is not whole.
"""

import os
import select
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import IO, NamedTuple, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import ToolFailed
from fieldguide.sensitive_files import SensitiveFiles
from fieldguide.toolsets.context.tree.ripgrep import (
    FAILED,
    NOTHING_FOUND,
    environment,
    find_ripgrep,
    listing_flags,
    reason_of_end,
)

SILENCE_SECONDS = 60.0
LONGEST_SECONDS = 900.0
READ_BYTES = 1 << 16
MOST_SAID_BYTES = 4096


class Listing(NamedTuple):
    """The paths of the project's files, sorted; not all of them where a part of the folder could not be read."""

    paths: tuple[str, ...]
    is_whole: bool


def list_files(project: ConfinedFolder, folders: Sequence[str] = ()) -> Listing:
    """What ripgrep would search in a project, sorted: no ignored, excluded or secret files.

    Of some folders only the files that lie directly in them; a folder that is itself ignored must not be among them.
    """
    told, is_whole = _told(_command(project, folders), project.root)
    return Listing(tuple(sorted(_served(_names(told), project.sensitive))), is_whole)


def count_names(project: ConfinedFolder, wanted: Callable[[str], bool] | None) -> int:
    """How many files ripgrep would search in a project, of those that are wanted: they are neither judged nor kept."""
    told, _ = _told(_command(project), project.root)
    return told.count(b"\0") if wanted is None else sum(map(wanted, _names(told)))


def _command(project: ConfinedFolder, folders: Sequence[str] = ()) -> list[str]:
    command = [find_ripgrep(project.root), "--files", "--null", *listing_flags(project.sensitive)]
    if folders:
        command += ["--max-depth", "1", "--", *(f"./{folder}" for folder in folders)]
    return command


def _told(command: Sequence[str], folder: str) -> tuple[bytes, bool]:
    """What ripgrep tells, and whether that is everything; ToolFailed when it does not come to its end."""
    try:
        with tempfile.TemporaryFile() as said:
            told, code = _run(command, folder, said)
            said.seek(0)
            reason = reason_of_end(code, said.read(MOST_SAID_BYTES))
    except OSError as error:
        raise ToolFailed(f"The files could not be listed: {error}.") from error
    if code not in (0, NOTHING_FOUND, FAILED) or (code == FAILED and not told):
        raise _failed(reason)
    if told and not told.endswith(b"\0"):
        raise _failed("broke off")
    return told, code != FAILED


def _run(command: Sequence[str], folder: str, said: IO[bytes]) -> tuple[bytes, int]:
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=said,
        env=environment(),
    ) as child:
        try:
            return b"".join(_read(cast("IO[bytes]", child.stdout))), child.wait(SILENCE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise _failed("did not come to an end") from error
        finally:
            child.kill()


def _read(told: IO[bytes]) -> Iterator[bytes]:
    """What comes, as it comes."""
    until = monotonic() + LONGEST_SECONDS
    while monotonic() < until:
        if not select.select([told], [], [], SILENCE_SECONDS)[0]:
            raise _failed(f"has told nothing for {SILENCE_SECONDS:.0f} seconds")
        data = os.read(told.fileno(), READ_BYTES)
        if not data:
            return
        yield data
    raise _failed(f"took longer than {LONGEST_SECONDS:.0f} seconds")


def _failed(why: str) -> ToolFailed:
    return ToolFailed(f"The files could not be listed: ripgrep {why}.")


def _names(told: bytes) -> Iterator[str]:
    return (name.removeprefix("./") for name in told.decode("utf-8", errors="replace").split("\0") if name)


def _served(names: Iterable[str], sensitive: SensitiveFiles) -> Iterator[str]:
    """The names that are not on the list of what is never served; every folder is judged once."""
    folders: dict[str, tuple[str, ...] | None] = {"": ()}
    for name in names:
        folder, _, last = name.rpartition("/")
        parents = folders[folder] if folder in folders else _judge(folder, folders, sensitive)
        if parents is not None and not sensitive.refuses_entry(parents, last, is_folder=False):
            yield name


def _judge(folder: str, known: dict[str, tuple[str, ...] | None], sensitive: SensitiveFiles) -> tuple[str, ...] | None:
    """The names on a folder's path; None when it is never served, or one that it lies in. What was found is kept."""
    parents: tuple[str, ...] | None = ()
    at = ""
    for name in folder.split("/"):
        at = f"{at}/{name}" if at else name
        if at not in known:
            is_refused = parents is None or sensitive.refuses_entry(parents, name, is_folder=True)
            known[at] = None if is_refused or parents is None else (*parents, name)
        parents = known[at]
    return parents
