"""Starts git: the only place that does, with one table of settings that switch off what a repository may ask for.

No hook, pager, monitor, signature check or submodule is run, and no network is used, unless a `GitReach` allows one
protocol. Commands that show or blame contents also need `--no-ext-diff` and `--no-textconv`: no setting does that.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import MappingProxyType
from typing import IO, NamedTuple, cast

from fieldguide.files.git_index import keeps_own_history
from fieldguide.text.errors import Unreadable

READ_SECONDS = 120.0
CHUNK_BYTES = 64 * 1024
TOLD_BYTES = 1 << 16
PIPE_BYTES = 16 << 10  # so many a pipe takes at once
FIELDS = 3
KEPT_VARIABLES = (
    "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES",
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "GIT_ASKPASS",
)  # fmt: skip
SAFE_VARIABLES = {
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "LC_ALL": "C",
}
SAFE_SETTINGS = {
    "core.bigFileThreshold": "16m",  # larger objects pass through git's memory piece by piece
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "diff.submodule": "short",  # another value runs git in a submodule, which obeys that one's settings
    "fetch.recurseSubmodules": "false",
    "fetch.unpackLimit": "1",  # one pack, not a file for each object
    "fetch.uriProtocols": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
    "filter.lfs.smudge": "",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "transfer.bundleURI": "false",
}
NOTHING: Mapping[str, str] = MappingProxyType({})


class GitReach(NamedTuple):
    """What needs git, and what git may use beyond its folder: a protocol, more settings, more variables."""

    need: str
    protocol: str = "none"
    settings: Mapping[str, str] = NOTHING
    variables: Mapping[str, str] = NOTHING


READING = GitReach("Learning from history")


@contextmanager
def start_git(
    arguments: Sequence[str],
    folder: str,
    seconds: float,
    *,
    reach: GitReach,
    output: IO[bytes] | int = subprocess.PIPE,
    errors: IO[bytes] | int = subprocess.DEVNULL,
) -> "Generator[subprocess.Popen[bytes]]":
    """A command of git while the block runs; it and all that it started end with the block, or with the time."""
    settings = [word for pair in {**SAFE_SETTINGS, **reach.settings}.items() for word in ("-c", "=".join(pair))]
    # no variable that could lead git elsewhere
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_") or key in KEPT_VARIABLES}
    try:
        process = subprocess.Popen(
            ["git", "--no-pager", *settings, *arguments],  # noqa: S607  the user's own git, wherever it is
            cwd=folder,
            env={**kept, **SAFE_VARIABLES, "GIT_ALLOW_PROTOCOL": reach.protocol, **reach.variables},
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        raise Unreadable(f"{reach.need} needs the `git` program, which is not installed.") from error
    limit = threading.Timer(seconds, end_git, [process])
    limit.daemon = True
    limit.start()
    with process:
        try:
            yield process
        finally:
            limit.cancel()
            limit.join()
            end_git(process)


def end_git(process: "subprocess.Popen[bytes]") -> None:
    """End a command of git and whatever it started."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


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

    def read_object(self, name: str) -> bytes | None:
        """The content that `cat-file --batch` answers for a name; None where there is no such file."""
        asked = self.process.stdin
        answers = self.process.stdout
        if asked is None or answers is None:
            raise Unreadable("git can't be asked.")
        asked.write(f"{name}\n".encode())
        asked.flush()
        words = answers.readline().split()
        if len(words) != FIELDS or not words[2].isdigit():
            return None
        content = answers.read(int(words[2]) + 1)[:-1]
        return content if words[1] == b"blob" else None

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
