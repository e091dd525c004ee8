"""Runs git read-only, without hooks, pagers, filters or network, and reads files of earlier commits.

No hook, pager, filter, signature check or network fetch that a repository may ask for is started.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, NamedTuple, cast

from fieldguide.files.git_index import keeps_own_history
from fieldguide.text.errors import Unreadable

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


class RunningGit(NamedTuple):
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

    def check(self, running: RunningGit) -> None:
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
    def started(self, *arguments: str) -> Generator[RunningGit]:
        """A command of git while the block runs, for so long as it may take; what it started ends with the block."""
        with _complaints() as errors, self._opened(arguments, errors) as process:
            limit = threading.Timer(self._seconds, _end, [process])
            limit.daemon = True
            limit.start()
            try:
                yield RunningGit(process, errors)
            finally:
                limit.cancel()
                _end(process)

    def _opened(self, arguments: Sequence[str], errors: IO[bytes]) -> "subprocess.Popen[bytes]":
        # no variable that could lead git elsewhere
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in KEPT}
        try:
            return subprocess.Popen(
                ["git", *SAFE, *arguments],  # noqa: S607  the user's own git, wherever it is
                cwd=self.folder,
                env=kept | READ_ONLY,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise Unreadable("Learning from history needs the `git` program, which is not installed.") from error


def _complaints() -> IO[bytes]:
    """A file without a name, in memory where the system has such: that saves the import of what makes others."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("complaints"), "w+b")
    from tempfile import TemporaryFile

    return cast("IO[bytes]", TemporaryFile())


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


MOST_COMMITS = 40
LARGEST_BYTES = 1 << 20
EARLIER_FILES_SECONDS = 5.0
FIELDS = 3


class EarlierFile(NamedTuple):
    """A file as a commit left it, and the commit; `content` is None where it took the file away."""

    commit: str
    subject: str
    content: bytes | None
    id: str = ""


def read_earlier_files(project: str, path: str) -> list[EarlierFile]:
    """The latest versions of a file that HEAD reaches, newest first; none without git, or where it can't be read."""
    if "\n" in path or "\0" in path or not keeps_own_history(project):
        return []
    git = GitProgram(project, EARLIER_FILES_SECONDS)
    try:
        commits = [*_commits(git, path)]
        contents = read_git_files(git, [f"{commit}:./{path}" for commit, _, _ in commits])
    except (Unreadable, ValueError):
        return []
    versions = zip(commits, contents, strict=False)
    return [EarlierFile(short, subject, content, identity) for (identity, short, subject), content in versions]


def read_git_files(git: GitProgram, names: list[str]) -> list[bytes | None]:
    """The bytes of files by their names, such as `HEAD:./a.py`, in their order; None for what is missing or large."""
    blobs = _blobs(git, names) if names else []
    contents = _contents(git, dict.fromkeys(blob for blob in blobs if blob))
    return [contents.get(blob) if blob else None for blob in blobs]


def _commits(git: GitProgram, path: str) -> Iterator[tuple[str, str, str]]:
    told = ("--format=%H%x00%h%x00%s", f"--max-count={MOST_COMMITS}", "--no-color", "--encoding=UTF-8", "HEAD")
    for line in git.ask("log", *told, "--", f":(literal){path}").decode(errors="replace").split("\n"):
        fields = line.split("\0")
        if len(fields) == FIELDS:
            yield fields[0], fields[1], fields[2]


def _blobs(git: GitProgram, names: list[str]) -> list[str]:
    """The ids of files in commits; empty where there is none, or one that is too large."""
    asked = "".join(f"{name}\n" for name in names).encode()
    lines = git.ask("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", said=asked).split(b"\n")
    blobs: list[str] = []
    for line in lines[: len(names)]:
        words = line.split()
        is_blob = len(words) == FIELDS and words[1] == b"blob" and int(words[2]) <= LARGEST_BYTES
        blobs.append(words[0].decode() if is_blob else "")
    return blobs


def _contents(git: GitProgram, blobs: dict[str, None]) -> dict[str, bytes]:
    output = git.ask("cat-file", "--batch", said="".join(f"{blob}\n" for blob in blobs).encode()) if blobs else b""
    found: dict[str, bytes] = {}
    at = 0
    for blob in blobs:
        end = output.index(b"\n", at) + 1
        size = int(output[at:end].split()[2])
        found[blob] = output[end : end + size]
        at = end + size + 1
    return found
