"""The history of a project as the `git` program tells it: commits with author, date, files and message.

Git only reads here. No hook, pager, filter, signature check or network fetch that a repository may ask for is started.
"""

import os
import signal
import subprocess
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.errors import InvalidArguments, Unreadable

READ_SECONDS = 120.0
MOST_CHARACTERS = 64 * 1024
MOST_FILES = 2000
LARGEST_BLOB_BYTES = 1024 * 1024
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
FORMAT = "--format=%H%x00%P%x00%aN%x00%at%x00%B%x00"
LOG = ("log", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-merges", "--no-color", "--encoding=UTF-8", FORMAT)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?|\d+ (?:day|week|month|year)s? ago")


class FileChange(NamedTuple):
    """A file that a commit added, changed or deleted, and where its content is before and after."""

    path: str
    before: str | None
    after: str | None


class Commit(NamedTuple):
    """A commit as its author wrote it."""

    id: str
    author: str
    date: datetime
    message: str
    changes: Sequence[FileChange] = ()


class GitHistory:
    """The commits of the repository that a folder is in; in a subfolder, those that touch it."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._prefix = os.fsdecode(self._ask("rev-parse", "--show-prefix").removesuffix(b"\n"))

    def commits(self, *, since: str | None = None, limit: int) -> Iterator[Commit]:
        """The latest commits, newest first, without merges; none where nothing has been committed yet."""
        if self._commit_named("HEAD") is None:
            return
        is_shallow = self._ask("rev-parse", "--is-shallow-repository").strip() == b"true"
        place = ("--relative", "HEAD", "--", ".") if self._prefix else ("HEAD", "--")
        with self._started(*LOG, "--root", f"--max-count={limit}", *self._from(since), *place) as running:
            for parents, commit in _commits(running.process.stdout):
                # Git shows the oldest commit of a shallow clone as if it had added every file there is.
                yield commit._replace(changes=()) if is_shallow and not parents else commit
            self._check(running)

    def folders(self, path: str) -> list[str]:
        """The names of the folders that a folder of the latest commit holds; none if it is not there."""
        try:
            listed = self._ask("ls-tree", "-d", "-z", "--name-only", "HEAD", "--", f"{path}/")
        except Unreadable:
            return []
        return [_text(each).rpartition("/")[2] for each in listed.split(b"\0") if each]

    def contents(self, blobs: Sequence[str]) -> dict[str, str]:
        """The texts of some files by their ids; those that are missing, large or not text are left out."""
        found: dict[str, str] = {}
        if not blobs:
            return found
        with self._started("cat-file", "--batch") as running:
            for blob in dict.fromkeys(blobs):
                content = _blob(running.process, blob)
                if content is not None and b"\0" not in content:
                    found[blob] = _text(content)
        return found

    def _from(self, since: str | None) -> tuple[str, ...]:
        """The option that leaves out what is older than a commit, a tag, a branch or a date."""
        if since is None:
            return ()
        if commit := self._commit_named(since):
            return (f"^{commit}",)
        if DATE.fullmatch(since):  # git takes the hour of now for a date without one
            return (f"--since={since}{' 00:00:00' if len(since) == len('2026-01-31') else ''}",)
        raise InvalidArguments(f"{since!r} is neither a commit, a tag or a branch here, nor a date such as 2026-01-31.")

    def _commit_named(self, name: str) -> str | None:
        try:
            return self._ask("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").decode().strip()
        except (Unreadable, ValueError):  # no such commit; a name with a NUL
            return None

    def _ask(self, *arguments: str) -> bytes:
        with self._started(*arguments) as running:
            output, _ = running.process.communicate()
            self._check(running)
        return output

    def _check(self, running: "_Running") -> None:
        """Raise what git said when it failed, also when it was ended because it took too long."""
        if running.process.wait() == 0:
            return
        running.errors.seek(0)
        raise self._refused(running.errors.read(CHUNK_BYTES).decode(errors="replace"))

    def _refused(self, said: str) -> Unreadable:
        if "dubious ownership" in said:
            trust = f"`git config --global --add safe.directory {self._folder}` says that you trust it"
            return Unreadable(f"git does not read {self._folder} because it belongs to another user; {trust}.")
        if "not a git repository" in said:
            return Unreadable(f"{self._folder} is not in a git repository, so there is no history to learn from.")
        lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in said.splitlines() if line.strip()]
        reason = lines[-1].rstrip(".") if lines else f"it took longer than {READ_SECONDS:.0f} seconds; try a --limit"
        return Unreadable(f"git could not read the history of {self._folder}: {reason}.")

    @contextmanager
    def _started(self, *arguments: str) -> "Generator[_Running]":
        """A command of git while the block runs, for so long as it may take; what it started ends with the block."""
        with TemporaryFile() as errors, self._opened(arguments, errors) as process:
            limit = threading.Timer(READ_SECONDS, _end, [process])
            limit.daemon = True
            limit.start()
            try:
                yield _Running(process, errors)
            finally:
                limit.cancel()
                _end(process)

    def _opened(self, arguments: Sequence[str], errors: IO[bytes]) -> "subprocess.Popen[bytes]":
        try:
            return subprocess.Popen(
                ["git", *SAFE, *arguments],  # noqa: S607  the user's own git, wherever it is
                cwd=self._folder,
                env={key: value for key, value in os.environ.items() if _is_kept(key)} | READ_ONLY,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise Unreadable("Learning from history needs the `git` program, which is not installed.") from error


class _Running(NamedTuple):
    """A command of git and where it writes its complaints: a file, which can't fill up as a pipe can."""

    process: "subprocess.Popen[bytes]"
    errors: IO[bytes]


def _is_kept(variable: str) -> bool:
    """Whether a variable of ours is none that could lead git elsewhere."""
    return not variable.startswith("GIT_") or variable in KEPT


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def _commits(stream: IO[bytes] | None) -> Iterator[tuple[bytes, Commit]]:
    """Each commit with its parents, as `LOG` prints them: five fields, an empty one, then a pair for each file."""
    fields = _fields(stream)
    following = next(fields, None)
    while following:
        identity = following.decode()
        parents, author, seconds, message = (next(fields, b"") for _ in range(4))
        following = next(fields, None)
        changes: list[FileChange] = []
        while following is not None and (not following or following.lstrip(b"\n").startswith(b":")):
            if following:
                changes.append(_change(following, next(fields, b"")))
            following = next(fields, None)
        text = _text(message)[:MOST_CHARACTERS]
        yield parents, Commit(identity, _text(author), _moment(seconds), text, tuple(changes[:MOST_FILES]))


def _fields(stream: IO[bytes] | None) -> Iterator[bytes]:
    rest = b""
    while stream is not None and (chunk := stream.read(CHUNK_BYTES)):
        *complete, rest = (rest + chunk).split(b"\0")
        yield from complete


def _change(about: bytes, path: bytes) -> FileChange:
    """A line of `--raw`: two modes, two ids, one letter."""
    _, _, before, after, _ = about.decode().split()
    return FileChange(_text(path), before if before.strip("0") else None, after if after.strip("0") else None)


def _moment(seconds: bytes) -> datetime:
    """When a commit was written; the beginning of time for a date that no calendar has."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _text(raw: bytes) -> str:
    """Bytes as text: UTF-8, else Latin-1, which is what old messages without a declared encoding mostly are."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _blob(process: "subprocess.Popen[bytes]", blob: str) -> bytes | None:
    """What `cat-file --batch` answers for an id; None for what is not there, or is no file, or is too large."""
    asked, answers = process.stdin, process.stdout
    if asked is None or answers is None or process.poll() is not None:
        return None
    try:
        asked.write(blob.encode() + b"\n")
        asked.flush()
    except BrokenPipeError:
        return None
    words = answers.readline().split()
    if len(words) != 3:
        return None
    content = answers.read(int(words[2]) + 1)[:-1]
    return content if words[1] == b"blob" and len(content) <= LARGEST_BLOB_BYTES else None
