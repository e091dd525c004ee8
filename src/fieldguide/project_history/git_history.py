"""The history of a project as the `git` program tells it: commits with author, date, files and message."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import IO, NamedTuple

from fieldguide import linear_regex as re
from fieldguide.errors import InvalidArguments, Unreadable
from fieldguide.project_history.git_program import CHUNK_BYTES, GitProgram

MOST_CHARACTERS = 64 * 1024
MOST_FILES = 2000
LARGEST_BLOB_BYTES = 1024 * 1024
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
        self._git = GitProgram(folder)
        self._prefix = os.fsdecode(self._git.ask("rev-parse", "--show-prefix").removesuffix(b"\n"))

    def commits(self, *, since: str | None = None, limit: int) -> Iterator[Commit]:
        """The latest commits, newest first, without merges; none where nothing has been committed yet."""
        if self._commit_named("HEAD") is None:
            return
        is_shallow = self._git.ask("rev-parse", "--is-shallow-repository").strip() == b"true"
        place = ("--relative", "HEAD", "--", ".") if self._prefix else ("HEAD", "--")
        with self._git.started(*LOG, "--root", f"--max-count={limit}", *self._from(since), *place) as running:
            for parents, commit in _commits(running.process.stdout):
                # Git shows the oldest commit of a shallow clone as if it had added every file there is.
                yield commit._replace(changes=()) if is_shallow and not parents else commit
            self._git.check(running)

    def folders(self, path: str) -> list[str]:
        """The names of the folders that a folder of the latest commit holds; none if it is not there."""
        try:
            listed = self._git.ask("ls-tree", "-d", "-z", "--name-only", "HEAD", "--", f"{path}/")
        except Unreadable:
            return []
        return [_text(each).rpartition("/")[2] for each in listed.split(b"\0") if each]

    def contents(self, blobs: Sequence[str]) -> dict[str, str]:
        """The texts of some files by their ids; those that are missing, large or not text are left out."""
        found: dict[str, str] = {}
        if not blobs:
            return found
        with self._git.started("cat-file", "--batch") as running:
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
            return self._git.ask("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").decode().strip()
        except (Unreadable, ValueError):  # no such commit; a name with a NUL
            return None


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
