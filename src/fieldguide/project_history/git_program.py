"""The `git` program, started so that it only reads.

No hook, pager, filter, signature check or network fetch that a repository may ask for is started.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import IO, NamedTuple, cast

from fieldguide.errors import Unreadable

READ_SECONDS = 120.0
CHUNK_BYTES = 64 * 1024
KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES")
READ_ONLY = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
SAFE = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false")


class Running(NamedTuple):
    """A command of git and where it writes its complaints: a file, which can't fill up as a pipe can."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]


class GitProgram:
    """Commands of git in one folder, each for so many seconds at most."""

    def __init__(self, folder: str, seconds: float | None = None) -> None:
        self.folder = folder
        self._seconds = READ_SECONDS if seconds is None else seconds

    def ask(self, *arguments: str, said: bytes | None = None) -> bytes:
        """What a command prints, given this on its standard input; Unreadable with what git said when it failed."""
        with self.started(*arguments) as running:
            output, _ = running.process.communicate(said)
            self.check(running)
        return output

    def check(self, running: Running) -> None:
        """Raise what git said when it failed, also when it was ended because it took too long."""
        if running.process.wait() == 0:
            return
        running.errors.seek(0)
        raise self._refused(running.errors.read(CHUNK_BYTES).decode(errors="replace"))

    def _refused(self, said: str) -> Unreadable:
        if "dubious ownership" in said:
            trust = f"`git config --global --add safe.directory {self.folder}` says that you trust it"
            return Unreadable(f"git does not read {self.folder} because it belongs to another user; {trust}.")
        if "not a git repository" in said:
            return Unreadable(f"{self.folder} is not in a git repository, so there is no history to learn from.")
        lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in said.splitlines() if line.strip()]
        reason = lines[-1].rstrip(".") if lines else f"it took longer than {self._seconds:.0f} seconds; try a --limit"
        return Unreadable(f"git could not read the history of {self.folder}: {reason}.")

    @contextmanager
    def started(self, *arguments: str) -> Generator[Running]:
        """A command of git while the block runs, for so long as it may take; what it started ends with the block."""
        with _complaints() as errors, self._opened(arguments, errors) as process:
            limit = threading.Timer(self._seconds, _end, [process])
            limit.daemon = True
            limit.start()
            try:
                yield Running(process, errors)
            finally:
                limit.cancel()
                _end(process)

    def _opened(self, arguments: Sequence[str], errors: IO[bytes]) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(
                ["git", *SAFE, *arguments],  # noqa: S607  the user's own git, wherever it is
                cwd=self.folder,
                env={key: value for key, value in os.environ.items() if _is_kept(key)} | READ_ONLY,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise Unreadable("Learning from history needs the `git` program, which is not installed.") from error


def _is_kept(variable: str) -> bool:
    """Whether a variable of ours is none that could lead git elsewhere."""
    return not variable.startswith("GIT_") or variable in KEPT


def _complaints() -> IO[bytes]:
    """A file without a name, in memory where the system has such: that saves the import of what makes others."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("complaints"), "w+b")
    from tempfile import TemporaryFile

    return cast("IO[bytes]", TemporaryFile())


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
