"""Turns past commits into tasks, and checks out the state before each in a folder outside the project.

Nothing is checked out: git only reads objects, and the files are written here, so no hook, filter or attribute that the
repository names is obeyed. The repository itself is not written to; its objects are borrowed by their path.

The names of files are taken out of the words: with them, finding the files would be no feat.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import IO, NamedTuple

from fieldguide.files.confined_folder import find_open_flag
from fieldguide.git.log import GitHistory, LoggedCommit
from fieldguide.git.program import GitProgram
from fieldguide.knowledge.findings.commit_message import MACHINE, PEOPLE, TICKET, parse_message
from fieldguide.text import regex as re
from fieldguide.text.errors import Refusal, Unreadable

DIFF = ("diff-tree", "-p", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)


class CommitPlace(NamedTuple):
    """Some lines of a file, the last one included."""

    path: str
    start: int
    end: int

    def holds_some_of(self, other: "CommitPlace") -> bool:
        """Whether another place has a line of this one."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


def find_changed_places(git: GitProgram, before: str, after: str, path: str, prefix: str) -> list[CommitPlace]:
    """The places of a file that were changed; what was only put in counts for the lines around it."""
    raw = git.ask(*DIFF, before, after, "--", f":(top,literal){prefix}{path}").decode("latin-1")
    found: list[CommitPlace] = []
    for match in HUNK.finditer(raw):
        start = int(match[1])
        lines = int(match[2]) if match[2] else 1
        found.append(CommitPlace(path, start, start + (lines - 1 if lines else 1)))
    return found


def count_found_places(wanted: Iterable[CommitPlace], told: Sequence[CommitPlace]) -> int:
    """How many places are among those that are told, at least in part."""
    return sum(any(place.holds_some_of(other) for other in told) for place in wanted)


LARGEST_FILE_BYTES = 1 << 20
MOST_BYTES = 1 << 30
MOST_FILES = 100_000
REGULAR = (b"100644", b"100755")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | find_open_flag("O_NOFOLLOW") | find_open_flag("O_CLOEXEC")


class TreeChange(NamedTuple):
    """A path that is other in one commit than in another; `blob` is its content there, if it is a file there."""

    path: str
    blob: str | None


class CommitStage:
    """The files of one commit at a time, each time with only what is other written anew."""

    def __init__(self, folder: str, project: str) -> None:
        source = GitProgram(project)
        self._folder = folder
        self._git = GitProgram(folder)
        self._prefix = os.fsdecode(source.ask("rev-parse", "--show-prefix").removesuffix(b"\n"))
        self._borrow(source)
        self._at = self._git.ask("mktree", said=b"").decode().strip()
        self._files = 0

    @property
    def project(self) -> str:
        """The folder that stands for the project: in a repository of which it is a part, the same part."""
        return os.path.join(self._folder, self._prefix).rstrip("/")

    def changed(self, before: str, after: str, paths: Iterable[str]) -> list[CommitPlace]:
        """The places of some files that are other in one commit than in another."""
        return [place for path in paths for place in find_changed_places(self._git, before, after, path, self._prefix)]

    def move_to(self, commit: str) -> None:
        """Have the files of a commit, and a history that ends with it."""
        changes = self._changes(commit)
        for change in changes:
            self._remove(change.path)
        self._write([change for change in changes if change.blob is not None])
        self._git.ask("read-tree", commit)
        _replace(os.path.join(self._folder, ".git", "HEAD"), f"{commit}\n")
        os.makedirs(self.project, exist_ok=True)
        self._at = commit

    def _borrow(self, source: GitProgram) -> None:
        """A repository without refs that finds the objects of another."""
        form = source.ask("rev-parse", "--show-object-format").decode().strip()
        self._git.ask("init", "--quiet", "--template=", f"--object-format={form}")
        objects, shallow = (
            os.path.join(source.folder, os.fsdecode(source.ask("rev-parse", "--git-path", each).removesuffix(b"\n")))
            for each in ("objects", "shallow")
        )
        own = os.path.join(self._folder, ".git")
        os.makedirs(os.path.join(own, "objects", "info"), exist_ok=True)
        _replace(os.path.join(own, "objects", "info", "alternates"), f"{os.path.abspath(objects)}\n")
        with suppress(FileNotFoundError), open(shallow, encoding="ascii") as file:
            _replace(os.path.join(own, "shallow"), file.read(MOST_BYTES))

    def _changes(self, commit: str) -> list[TreeChange]:
        place = ("--", self._prefix) if self._prefix else ()
        raw = self._git.ask(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", self._at, commit, *place
        ).split(b"\0")
        found = [_change(about, os.fsdecode(path)) for about, path in zip(raw[::2], raw[1::2], strict=False)]
        return [change for change in found if is_plain_path(change.path)]

    def _write(self, changes: Iterable[TreeChange]) -> None:
        """Write what is no larger than what is indexed anyway; all of it within bounds."""
        by_path = {change.path: change.blob for change in changes if change.blob is not None}
        sizes = self._sizes(by_path.values())
        wanted = {path: blob for path, blob in by_path.items() if sizes.get(blob, MOST_BYTES) <= LARGEST_FILE_BYTES}
        self._files += len(wanted)
        if self._files > MOST_FILES or sum(sizes[blob] for blob in wanted.values()) > MOST_BYTES:
            raise Refusal("This repository is too large to be laid out beside itself.")
        with self._git.started("cat-file", "--batch") as running:
            for path, blob in wanted.items():
                content = _content(running.process.stdin, running.process.stdout, blob)
                if content is not None:
                    self._put(path, content)

    def _sizes(self, blobs: Iterable[str]) -> dict[str, int]:
        asked = "".join(f"{blob}\n" for blob in dict.fromkeys(blobs)).encode()
        lines = self._git.ask("cat-file", "--batch-check", "--buffer", said=asked).decode().splitlines()
        parts = [line.split() for line in lines]
        return {each[0]: int(each[2]) for each in parts if len(each) == 3 and each[1] == "blob"}

    def _put(self, path: str, content: bytes) -> None:
        place = os.path.join(self._folder, path)
        with suppress(OSError):  # a name that this system can't hold, or one that is there in another case
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(os.open(place, _NEW, 0o600), "wb") as file:
                file.write(content)

    def _remove(self, path: str) -> None:
        """Take a file away, and the folders that are empty then."""
        with suppress(OSError):
            os.unlink(os.path.join(self._folder, path))
            self._files -= 1
            for folder in _above(path):
                os.rmdir(os.path.join(self._folder, folder))


def is_plain_path(path: str) -> bool:
    """Whether a path stays in its folder and out of git's own: a tree that was made by hand may hold any name."""
    return not any(name.casefold().rstrip(" .") in ("", ".git", "git~1") for name in path.split("/"))


def _change(about: bytes, path: str) -> TreeChange:
    """A line of `--raw`: two modes, two ids, one letter."""
    _, mode, _, blob, _ = about.split()
    return TreeChange(path, blob.decode() if mode in REGULAR else None)


def _content(asked: IO[bytes] | None, answers: IO[bytes] | None, blob: str) -> bytes | None:
    """What `cat-file --batch` answers for an id; None where it is missing."""
    if asked is None or answers is None:
        raise Unreadable("git can't be asked.")
    asked.write(f"{blob}\n".encode())
    asked.flush()
    words = answers.readline().split()
    return answers.read(int(words[2]) + 1)[:-1] if len(words) == 3 else None


def _above(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _replace(path: str, text: str) -> None:
    """Write a file whole, so that whoever follows it sees that it is another."""
    draft = f"{path}.new"
    with open(draft, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(draft, path)


MOST_LOOKED_AT = 2_000
MOST_TASK_FILES = 25
LEAST_WORDS = 6
NO_TASKS = frozenset({"release", "revert", "style", "deps"})
LINK = re.compile(r"<?https?://[^\s>]+>?")
NUMBER = re.compile(r"\(?(?:#|GH-|!)\d+\)?")
PATH = re.compile(r"`?[\w.@~+-]*(?:/[\w.@~+-]+)+\.\w+`?")
WORD = re.compile(r"[^\W\d_]{2,}")
BY_A_PROGRAM = re.compile(r"\[bot\]|\bbot\b|^(?:dependabot|renovate|github-actions)", re.IGNORECASE)
SAYS_NOTHING = re.compile(r"(?:merge|revert|bump|release|fixup!|squash!|prepare release|v?\d+\.\d+)\b", re.IGNORECASE)
NOT_WRITTEN = re.compile(
    r"(?:^|/)(?:changelog|changes|history|news|authors)[^/]*$|\.(?:lock|sum|snap)$|-lock\.\w+$|\.min\.\w+$"
    r"|(?:^|/)(?:node_modules|vendor|dist|third_party|__snapshots__)/",
    re.IGNORECASE,
)


class CommitTask(NamedTuple):
    """What was to be done, the state before it was, and the files that were there and were changed."""

    commit: str
    before: str
    words: str
    files: tuple[str, ...]


def list_commit_tasks(project: str, limit: int) -> list[CommitTask]:
    """The latest commits that tell what they do, oldest first; Unreadable where there is no git."""
    git = GitProgram(project)
    found = list[CommitTask]()
    for commit in GitHistory(project).commits(limit=MOST_LOOKED_AT):
        task = _task(git, commit)
        if task is not None:
            found.append(task)
        if len(found) >= limit:
            break
    return found[::-1]


def clean_message(message: str, files: tuple[str, ...]) -> str:
    """A message without what is for machines, without links and numbers, and without the names of the files."""
    lines = [line for line in message.splitlines() if not any(each.match(line) for each in (PEOPLE, MACHINE, TICKET))]
    text = "\n".join(lines)
    for pattern in (LINK, NUMBER, PATH):
        text = pattern.sub(" ", text)
    for name in sorted({*files, *map(os.path.basename, files)}, key=len, reverse=True):
        text = text.replace(name, " ")
    return "\n".join(" ".join(line.split()) for line in text.splitlines()).strip()


def _task(git: GitProgram, commit: LoggedCommit) -> CommitTask | None:
    files = tuple(change.path for change in commit.changes if change.before and not NOT_WRITTEN.search(change.path))
    if not files or len(commit.changes) > MOST_TASK_FILES or not _is_meant(commit):
        return None
    words = clean_message(commit.message, tuple(change.path for change in commit.changes))
    if len([*_words(words)]) < LEAST_WORDS:
        return None
    try:
        before = git.ask("rev-parse", "--verify", "--end-of-options", f"{commit.id}^1^{{commit}}").decode().strip()
    except Unreadable:  # the first commit, or the oldest of a shallow clone
        return None
    return CommitTask(commit.id, before, words, files)


def _is_meant(commit: LoggedCommit) -> bool:
    """Whether somebody did something and said what."""
    message = parse_message(commit.message)
    is_task = message.kind not in NO_TASKS and message.scope != "deps" and not message.reverts
    return is_task and not BY_A_PROGRAM.search(commit.author) and not SAYS_NOTHING.match(commit.message.lstrip())


def _words(text: str) -> Iterator[str]:
    yield from WORD.findall(text)
