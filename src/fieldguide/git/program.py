"""Asks git about one folder: commands with a time limit, earlier files, and what git said when it failed."""

import os
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple, cast

from fieldguide.files.git_index import keeps_own_history
from fieldguide.files.git_process import GitReach, start_git
from fieldguide.text.errors import Unreadable

READ_SECONDS = 120.0
CHUNK_BYTES = 64 * 1024
TOLD_BYTES = 1 << 16
PIPE_BYTES = 16 << 10  # so many a pipe takes at once
FIELDS = 3
READING = GitReach("Learning from history")


def read_last_words(errors: IO[bytes], hide: Callable[[str], str]) -> str:
    """The sentence with which git says why it failed; `hide` masks what an address must not show."""
    errors.seek(max(0, os.fstat(errors.fileno()).st_size - TOLD_BYTES))
    lines = [line for line in errors.read(TOLD_BYTES).decode(errors="replace").splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[-1] if lines else "")
    words = " ".join(hide(word) for word in said.removeprefix("fatal: ").removeprefix("error: ").split())
    return f"{words.rstrip('.')}." if words else "it said nothing."


def measure_folder(folder: str, most_files: float = float("inf")) -> int | None:
    """How many bytes a folder holds by now, None with too many files; what goes away meanwhile does not count."""
    size = 0
    files = 0
    pending = [folder]
    while pending and files <= most_files:
        with suppress(OSError), os.scandir(pending.pop()) as listing:
            for entry in listing:
                files += 1
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    with suppress(OSError):
                        size += entry.stat(follow_symlinks=False).st_size
    return size if files <= most_files else None


class RunningGit(NamedTuple):
    """A command of git and where it writes its complaints: a file, which can't fill up as a pipe can."""

    process: subprocess.Popen[bytes]
    errors: IO[bytes]

    def give(self, said: bytes) -> None:
        """Hand git its whole input, on a thread where a pipe does not take it at once: git may print meanwhile."""
        if len(said) > PIPE_BYTES:
            threading.Thread(target=self._write, args=(said,), daemon=True).start()
        else:
            self._write(said)

    def _write(self, said: bytes) -> None:
        stream = self.process.stdin
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.write(said)
                stream.close()


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

    def resolve(self, name: str) -> str:
        """The id of a commit, a tag or a branch; Unreadable where there is none."""
        said = self.ask("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        return said.decode("ascii", "replace").strip()

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
            return Unreadable(f"{self.folder} is not in a git repository, so there is no history to read.")
        lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in said.splitlines() if line.strip()]
        reason = lines[-1].rstrip(".") if lines else f"it took longer than {self._seconds:.0f} seconds; try a --limit"
        return Unreadable(f"git could not read the history of {self.folder}: {reason}.")

    @contextmanager
    def started(self, *arguments: str) -> Generator[RunningGit]:
        """A command of git while the block runs, for so long as it may take; what it started ends with the block."""
        with (
            _complaints() as errors,
            start_git(arguments, self.folder, self._seconds, reach=READING, errors=errors) as process,
        ):
            yield RunningGit(process, errors)


def _complaints() -> IO[bytes]:
    """A file without a name, in memory where the system has such: that saves the import of what makes others."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("complaints"), "w+b")
    from tempfile import TemporaryFile

    return cast("IO[bytes]", TemporaryFile())


MOST_COMMITS = 40
LARGEST_BYTES = 1 << 20
EARLIER_FILES_SECONDS = 5.0


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
