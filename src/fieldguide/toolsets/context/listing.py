"""The listing of the project's files by ripgrep, taken as it comes: a large tree may take its time, silence may not.

A listing that broke off is a failure, never a short list: an index that believed it would forget files.
"""

import os
import select
import signal
import subprocess
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import IO, cast

from fieldguide.confinement import ConfinedFolder
from fieldguide.errors import ToolFailed
from fieldguide.toolsets.context.ripgrep import environment, find_ripgrep, listing_flags

SILENCE_SECONDS = 60.0
LONGEST_SECONDS = 900.0
READ_BYTES = 1 << 16
FAILED = 2  # also when ripgrep could not look into some folder


def list_files(project: ConfinedFolder, folders: Sequence[str] = ()) -> tuple[str, ...]:
    """What ripgrep would search in a project, sorted: no ignored, excluded or secret files.

    Of some folders only the files that lie directly in them; a folder that is itself ignored must not be among them.
    """
    command = [find_ripgrep(project.root), "--files", "--null", *listing_flags(project.sensitive)]
    if folders:
        command += ["--max-depth", "1", "--", *(f"./{folder}" for folder in folders)]
    names = (name.removeprefix("./") for name in _told(command, project.root))
    return tuple(sorted(name for name in names if not project.sensitive.refuses(name.split("/"))))


def _told(command: Sequence[str], folder: str) -> Iterator[str]:
    """Each path that ripgrep tells; ToolFailed when it does not come to an end."""
    count, rest = 0, b""
    with subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as child:
        try:
            for data in _read(cast("IO[bytes]", child.stdout)):
                *names, rest = (rest + data).split(b"\0")
                count += len(names)
                yield from (name.decode("utf-8", errors="replace") for name in names)
            code = child.wait(SILENCE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise _failed("it did not come to an end") from error
        finally:
            child.kill()
    if code < 0:
        raise _failed(f"it was ended by {signal.Signals(-code).name}")
    if rest or (code == FAILED and not count):
        raise _failed("it broke off")


def _read(told: IO[bytes]) -> Iterator[bytes]:
    """What comes, as it comes."""
    until = monotonic() + LONGEST_SECONDS
    while monotonic() < until:
        if not select.select([told], [], [], SILENCE_SECONDS)[0]:
            raise _failed(f"it has told nothing for {SILENCE_SECONDS:.0f} seconds")
        data = os.read(told.fileno(), READ_BYTES)
        if not data:
            return
        yield data
    raise _failed(f"it took longer than {LONGEST_SECONDS:.0f} seconds")


def _failed(why: str) -> ToolFailed:
    return ToolFailed(f"The project's files could not be listed by ripgrep: {why}.")
