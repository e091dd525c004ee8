"""Reads commits from `git log`: who changed which files when, bounded in size."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, NamedTuple, cast

from fieldguide.files.git_index import keeps_own_history
from fieldguide.git.program import CHUNK_BYTES, GitProgram, read_git_files
from fieldguide.text.errors import Unreadable

Hunk = tuple[int, int, int, int]
"""The first line and the number of lines before and after, as `@@` gives them."""


class HistoryCommit(NamedTuple):
    """A commit: its id, date and author, the files that it left changed or removed, and what it renamed.

    `files` is empty for a commit of very many files: those say nothing about each other.
    """

    id: str
    seconds: int
    author: str
    subject: str
    files: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


def serialize_changes(changes: Iterable[HistoryCommit]) -> str:
    """Changes as text, for the database."""
    return json.dumps([list(each) for each in changes], ensure_ascii=False, separators=(",", ":"))


def parse_changes(text: str) -> list[HistoryCommit]:
    """What was written; nothing where it is not legible, so that it is read from git again."""
    try:
        return [_parse_change(row) for row in cast("list[list[Any]]", json.loads(text))]
    except (ValueError, TypeError, RecursionError):
        return []


def _parse_change(row: list[Any]) -> HistoryCommit:
    identity, seconds, author, subject, files, gone, renamed = row
    pairs = tuple((str(old), str(new)) for old, new in renamed)
    about = (str(identity), int(seconds), str(author), str(subject))
    return HistoryCommit(*about, tuple(files), tuple(gone), pairs)


def split_fields(stream: IO[bytes] | None, most_bytes: float = float("inf")) -> Iterator[bytes]:
    """The fields that git ends with NUL; reading stops after so many bytes."""
    rest = b""
    size = 0
    while stream is not None and size < most_bytes:
        chunk = stream.read(CHUNK_BYTES)
        if not chunk:
            return
        size += len(chunk)
        *complete, rest = (rest + chunk).split(b"\0")
        yield from complete


MOST_COMMITS = 6000
MOST_CHANGED_FILES = 100
MOST_OUTPUT_BYTES = 64 << 20
LONGEST_SUBJECT = 200
LONGEST_AUTHOR = 100
START = "\x01"
CHANGES_FORMAT = "--format=%x01%H%x00%P%x00%at%x00%aN%x00%s%x00"
CHANGES_FIELDS = 5
SMALL = ("-c", "core.deltaBaseCacheLimit=16m", "-c", "core.packedGitWindowSize=1m", "-c", "core.packedGitLimit=16m")
"""What git keeps in memory while it makes diffs or looks for renames; with more, it is not quicker."""
CHANGES_LOG = (
    *SMALL, "log", "-z", "--name-status", "--no-walk=unsorted", "--root", "--no-color", "--encoding=UTF-8",
    CHANGES_FORMAT,
)  # fmt: skip
RENAMES = (("-M", "-l100"), ("--no-renames",))  # the second where a clone lacks the contents that tell


class GitHead(NamedTuple):
    """The commit that is checked out, where the project lies in its repository, and whether old commits are cut off."""

    id: str
    below: str
    is_shallow: bool


def read_head(git: GitProgram) -> GitHead | None:
    """What is checked out; None where there is no repository, or no commit in it."""
    try:
        said = git.ask("rev-parse", "--is-shallow-repository", "--show-prefix", "HEAD").split(b"\n")
    except Unreadable:
        return None
    return GitHead(said[-2].decode("ascii"), _decode_field(said[1]), said[0] == b"true")


def read_changes(git: GitProgram, head: GitHead, known: Mapping[str, HistoryCommit]) -> list[HistoryCommit]:
    """The latest commits that HEAD reaches, without merges, newest first; what is known already is not read again."""
    place = ("--", ".") if head.below else ("--",)
    listed = git.ask("rev-list", "--no-merges", f"--max-count={MOST_COMMITS}", head.id, *place)
    ids = listed.decode("ascii").split()
    missing = [each for each in ids if each not in known]
    new = {each.id: each for each in _read(git, head, missing)} if missing else {}
    found = (known.get(each) or new.get(each) for each in ids)
    return [each for each in found if each is not None]


def _read(git: GitProgram, head: GitHead, ids: Sequence[str]) -> list[HistoryCommit]:
    place = ("--relative", "--stdin", "--", ".") if head.below else ("--stdin", "--")
    for renames in RENAMES:
        with suppress(Unreadable):
            with git.started(*CHANGES_LOG, *renames, *place) as running:
                running.give("".join(f"{each}\n" for each in ids).encode("ascii"))
                found = list(_changes(running.process.stdout, is_shallow=head.is_shallow))
                git.check(running)
            return found
    return []


def _changes(stream: IO[bytes] | None, *, is_shallow: bool) -> Iterator[HistoryCommit]:
    fields = map(_decode_field, split_fields(stream, MOST_OUTPUT_BYTES))
    for (identity, parents, seconds, author, subject), files in parse_statuses(fields, CHANGES_FIELDS):
        # Git shows the oldest commit of a shallow clone as if it had added every file there is.
        changes = [] if is_shallow and not parents else files
        gone = tuple(each.path for each in changes if each.status == "D")
        left = () if len(changes) > MOST_CHANGED_FILES else tuple(each.now for each in changes if each.status != "D")
        renamed = tuple((each.path, each.new) for each in changes if each.status == "R")
        about = (identity, _number(seconds), author[:LONGEST_AUTHOR], subject[:LONGEST_SUBJECT])
        yield HistoryCommit(*about, left, gone, renamed)


class FileStatus(NamedTuple):
    """What a commit did to a file, by git's letter; `new` is the later name of one that it renamed or copied."""

    status: str
    path: str
    new: str = ""

    @property
    def now(self) -> str:
        """The name that the commit left it."""
        return self.new or self.path


def parse_statuses(fields: Iterable[str], heads: int) -> Iterator[tuple[list[str], list[FileStatus]]]:
    """Each commit of `log -z --name-status`: the fields of its format, which begins with START, and its files."""
    rest = iter(fields)
    head: list[str] = []
    files: list[FileStatus] = []
    for field in rest:
        text = field.strip("\n")
        if text.startswith(START):
            if head:
                yield head, files
            head = [text[1:], *(next(rest, "") for _ in range(heads - 1))]
            files = []
        elif text:
            path = next(rest, "")
            files.append(FileStatus(text[0], path, next(rest, "") if text[0] in "RC" else ""))
    if head:
        yield head, files


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _decode_field(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


LINE_SECONDS = 3.0
LINE_FORMAT = "--format=%H%x00%at%x00%aN%x00%s%x00"
LINE_FIELDS = 4
LINE_LOG = ("log", "-s", "--no-ext-diff", "--no-textconv", "--no-color", "--encoding=UTF-8", LINE_FORMAT)


def read_line_history(
    project: str, path: str, lines: tuple[int, int], content: bytes, most: int
) -> list[HistoryCommit]:
    """The latest commits that changed some lines of a file, newest first.

    None where `content`, in which the lines are counted, is not that of HEAD, or where git takes too long.
    """
    if "\n" in path or "\0" in path or not keeps_own_history(project):
        return []
    git = GitProgram(project, LINE_SECONDS)
    try:
        if read_git_files(git, [f"HEAD:./{path}"]) != [content]:
            return []
        said = git.ask(*LINE_LOG, f"--max-count={most}", f"-L{lines[0]},{lines[1]}:{path}", "HEAD")
    except Unreadable:
        return []
    fields = [_decode_field(each).strip("\n") for each in said.split(b"\0")]
    found: list[HistoryCommit] = []
    for at in range(0, len(fields) - LINE_FIELDS + 1, LINE_FIELDS):
        identity, seconds, author, subject = fields[at : at + LINE_FIELDS]
        found.append(HistoryCommit(identity, _number(seconds), author[:LONGEST_AUTHOR], subject[:LONGEST_SUBJECT]))
    return found
