"""A folder outside of the project that holds the files of any of its commits, with a history that ends there.

Nothing is checked out: git only reads objects, and the files are written here, so no hook, filter or attribute that the
repository names is obeyed. The repository itself is not written to; its objects are borrowed by their path.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO, NamedTuple

from fieldguide.cli.proving.places import Place, changed_places
from fieldguide.errors import Refusal, Unreadable
from fieldguide.platform_files import flag
from fieldguide.project_history.git_program import GitProgram

LARGEST_FILE_BYTES = 1 << 20
MOST_BYTES = 1 << 30
MOST_FILES = 100_000
REGULAR = (b"100644", b"100755")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | flag("O_NOFOLLOW") | flag("O_CLOEXEC")


class Change(NamedTuple):
    """A path that is other in one commit than in another; `blob` is its content there, if it is a file there."""

    path: str
    blob: str | None


class Stage:
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

    def changed(self, before: str, after: str, paths: Iterable[str]) -> list[Place]:
        """The places of some files that are other in one commit than in another."""
        return [place for path in paths for place in changed_places(self._git, before, after, path, self._prefix)]

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

    def _changes(self, commit: str) -> list[Change]:
        place = ("--", self._prefix) if self._prefix else ()
        raw = self._git.ask(
            "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", self._at, commit, *place
        ).split(b"\0")
        found = [_change(about, os.fsdecode(path)) for about, path in zip(raw[::2], raw[1::2], strict=False)]
        return [change for change in found if is_plain(change.path)]

    def _write(self, changes: Iterable[Change]) -> None:
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


def is_plain(path: str) -> bool:
    """Whether a path stays in its folder and out of git's own: a tree that was made by hand may hold any name."""
    return not any(name.casefold().rstrip(" .") in ("", ".git", "git~1") for name in path.split("/"))


def _change(about: bytes, path: str) -> Change:
    """A line of `--raw`: two modes, two ids, one letter."""
    _, mode, _, blob, _ = about.split()
    return Change(path, blob.decode() if mode in REGULAR else None)


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
