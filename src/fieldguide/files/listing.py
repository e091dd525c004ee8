"""Lists the project's files with ripgrep.

A listing that broke off is a failure, never a short list: an index that believed it would forget files. Where ripgrep
goes to the end and could not read a folder, the list says that it is not whole.
"""

import os
import select
import subprocess
import sys
import tempfile
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import filterfalse
from shutil import which
from time import monotonic
from typing import IO, NamedTuple, cast

from fieldguide.files.confined_folder import ConfinedFolder
from fieldguide.files.secrets import ENDINGS, FILES, FOLDERS, SensitiveFiles
from fieldguide.text.errors import ToolFailed
from fieldguide.text.globs import compile_globs

LARGEST_FILE = "8M"
NOT_OURS = ("dist/", "build/", ".next/", ".context/", ".fieldguide/")
PACKAGES = ("node_modules", ".git")
SECRETS = (f"{{{','.join(sorted(FOLDERS | FILES))}}}", f"*{{{','.join(ENDINGS)}}}", ".env", ".env[!a-z0-9]*")
FLAGS = ("--no-config", "--no-messages", "--hidden", "--no-require-git")
SEARCH_FLAGS = ("--max-filesize", LARGEST_FILE)  # not to list files: it would ask for the size of each
NOTHING_FOUND = 1
FAILED = 2
LONGEST_REASON = 200


def make_listing_flags(sensitive: SensitiveFiles) -> list[str]:
    """The options that leave out what is not the project's, and most of what is never served.

    The rest of that is left out of what comes back. Where a person excepts something, all of it is: a glob that takes
    away can't be taken back.
    """
    excluded = (*NOT_OURS, *(PACKAGES if sensitive.excepted else SECRETS))
    return [*FLAGS, *(word for name in excluded for word in ("--iglob", f"!{name}"))]


def find_ripgrep(project: str) -> str:
    """The `rg` that was installed with us, or the first on the PATH that does not come from the project itself."""
    beside = os.path.join(os.path.dirname(sys.executable), "rg")
    if os.access(beside, os.X_OK):
        return beside
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        is_inside = f"{os.path.realpath(folder)}{os.sep}".startswith(os.path.realpath(project) + os.sep)
        found = which("rg", path=folder) if os.path.isabs(folder) and not is_inside else None
        if found:
            return found
    raise ToolFailed("ripgrep is not installed: install the package `ripgrep`, or put `rg` on the PATH.")


def start_ripgrep(
    command: Sequence[str], folder: str, said: int | IO[bytes] = subprocess.PIPE
) -> "subprocess.Popen[bytes]":
    """ripgrep at work in a folder, with no options but ours; it says a sentence at most, none of single files."""
    own = {name: value for name, value in os.environ.items() if name != "RIPGREP_CONFIG_PATH"}
    read = subprocess.PIPE
    try:
        return subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=read, stderr=said, env=own)
    except OSError as error:
        raise ToolFailed(f"ripgrep can't be run here: {error}.") from error


def explain_ripgrep_end(code: int, said: bytes) -> str:
    """How ripgrep ended, in words, with the first line of what it said."""
    if code < 0:
        return f"was ended by signal {-code}"
    line = said.decode("utf-8", errors="replace").strip().partition("\n")[0]
    return f"ended with {code}{f' ({line[:LONGEST_REASON]})' if line else ''}"


SILENCE_SECONDS = 60.0
LONGEST_SECONDS = 900.0
READ_BYTES = 1 << 16
MOST_SAID_BYTES = 4096


class TreeListing(NamedTuple):
    """The paths of the project's files, sorted; not all of them where a part of the folder could not be read."""

    paths: tuple[str, ...]
    is_whole: bool


def list_files(project: ConfinedFolder, folders: Sequence[str] = ()) -> TreeListing:
    """What ripgrep would search in a project, sorted: no ignored, excluded or secret files.

    Of some folders only the files that lie directly in them; a folder that is itself ignored must not be among them.
    """
    told, is_whole = _told(_command(project, folders), project.root)
    return TreeListing(tuple(sorted(_served(_names(told), project.sensitive))), is_whole)


def count_files(project: ConfinedFolder, wanted: Callable[[str], bool] | None) -> int:
    """How many files ripgrep would search in a project, of those that are wanted: they are neither judged nor kept."""
    told, _ = _told(_command(project), project.root)
    return told.count(b"\0") if wanted is None else sum(map(wanted, _names(told)))


def _command(project: ConfinedFolder, folders: Sequence[str] = ()) -> list[str]:
    command = [find_ripgrep(project.root), "--files", "--null", *make_listing_flags(project.sensitive)]
    if folders:
        command += ["--max-depth", "1", "--", *(f"./{folder}" for folder in folders)]
    return command


def _told(command: Sequence[str], folder: str) -> tuple[bytes, bool]:
    """What ripgrep tells, and whether that is everything; ToolFailed when it does not come to its end."""
    with tempfile.TemporaryFile() as said:
        told, code = _run(command, folder, said)
        said.seek(0)
        reason = explain_ripgrep_end(code, said.read(MOST_SAID_BYTES))
    if code not in (0, NOTHING_FOUND, FAILED) or (code == FAILED and not told):
        raise _failed(reason)
    if told and not told.endswith(b"\0"):
        raise _failed("broke off")
    return told, code != FAILED


def _run(command: Sequence[str], folder: str, said: IO[bytes]) -> tuple[bytes, int]:
    with start_ripgrep(command, folder, said) as child:
        try:
            return b"".join(_read(cast("IO[bytes]", child.stdout))), child.wait(SILENCE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise _failed("did not come to an end") from error
        finally:
            child.kill()


def _read(told: IO[bytes]) -> Iterator[bytes]:
    """What comes, as it comes."""
    until = monotonic() + LONGEST_SECONDS
    while monotonic() < until:
        if not select.select([told], [], [], SILENCE_SECONDS)[0]:
            raise _failed(f"has told nothing for {SILENCE_SECONDS:.0f} seconds")
        data = os.read(told.fileno(), READ_BYTES)
        if not data:
            return
        yield data
    raise _failed(f"took longer than {LONGEST_SECONDS:.0f} seconds")


def _failed(why: str) -> ToolFailed:
    return ToolFailed(f"The files could not be listed: ripgrep {why}.")


def _names(told: bytes) -> Iterator[str]:
    return (name.removeprefix("./") for name in told.decode("utf-8", errors="replace").split("\0") if name)


def _served(names: Iterable[str], sensitive: SensitiveFiles) -> Iterator[str]:
    """The names that are not on the list of what is never served; every folder is judged once."""
    folders: dict[str, tuple[str, ...] | None] = {"": ()}
    for name in names:
        folder, _, last = name.rpartition("/")
        parents = folders[folder] if folder in folders else _judge(folder, folders, sensitive)
        if parents is not None and not sensitive.refuses_entry(parents, last, is_folder=False):
            yield name


def _judge(folder: str, known: dict[str, tuple[str, ...] | None], sensitive: SensitiveFiles) -> tuple[str, ...] | None:
    """The names on a folder's path; None when it is never served, or one that it lies in. What was found is kept."""
    parents: tuple[str, ...] | None = ()
    at = ""
    for name in folder.split("/"):
        at = f"{at}/{name}" if at else name
        if at not in known:
            is_refused = parents is None or sensitive.refuses_entry(parents, name, is_folder=True)
            known[at] = None if is_refused or parents is None else (*parents, name)
        parents = known[at]
    return parents


MOST_FOLDERS = 100  # with new files in more of them, everything is listed
MOST_COUNTED = 1000


class FileList:
    """The paths of the project's files; while somebody watches the folder, they are listed only after a change.

    `searched_bytes` is what the last search of all of them read, and `has_large` that some are too large for one.
    """

    def __init__(self, project: ConfinedFolder) -> None:
        self._project = project
        self._lock = threading.Lock()
        self._listing: TreeListing | None = None
        self._followed: TreeListing | None = None
        self._counts: dict[str, int] = {}
        self.is_watched = False
        self.searched_bytes: int | None = None
        self.has_large = False
        self.last = TreeListing((), is_whole=True)

    def paths(self) -> tuple[str, ...]:
        """Every path, sorted; ToolFailed when they could not be listed."""
        return self.listing().paths

    def listing(self) -> TreeListing:
        """Every path, and whether they are all."""
        with self._lock:
            listing = self._listing if self.is_watched else None
            if listing is None:
                listing = self.last = self._listing = list_files(self._project)
                self._counts = {}
            if self.is_watched:
                self._followed = listing
            return listing

    def count(self, file_pattern: str | None, *, searched: int = 0, may_be_old: bool = False) -> int:
        """How many of them a caller's pattern means; where they are not listed, their names are only counted.

        Without a pattern those that ripgrep has just `searched` are counted then. What was listed last will do where
        it `may_be_old`: in a large tree another walk takes seconds.
        """
        listing = self._listing if self.is_watched else None
        if listing is None and searched and not file_pattern:
            return searched
        if listing is None and may_be_old and self.last.paths:
            listing = self.last
        if listing is None:
            return count_files(self._project, matches_pattern(file_pattern) if file_pattern else None)
        if not file_pattern:
            return len(listing.paths)
        counts = self._counts  # another thread may begin new ones meanwhile
        if len(counts) >= MOST_COUNTED:
            counts.clear()
        found = counts.get(file_pattern)
        if found is None:
            counts[file_pattern] = found = sum(map(matches_pattern(file_pattern), listing.paths))
        return found

    def folders(self) -> list[str]:
        """The folders that hold them, and those above; "" is the project's own."""
        holding = {path.rpartition("/")[0] for path in self.paths()}
        found = {""}
        for folder in holding:
            while folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return sorted(found)

    def listed(self, paths: Iterable[str]) -> set[str]:
        """Which of these paths are the project's files."""
        known = self.paths()
        return {path for path in paths if _holds(known, path)}

    def follow(self, paths: Sequence[str]) -> list[str]:
        """Take in that these paths have come, changed or gone; those that are, or were, the project's files.

        Whether a new file is one, or is ignored, only ripgrep can tell: it is asked about the folders of new files.
        """
        before = self._followed or self.listing()  # not as somebody may have listed them since
        known = {path for path in paths if _holds(before.paths, path)}
        new = [path for path in paths if path not in known and self._is_file(path)]
        folders = sorted({path.rpartition("/")[0] for path in new})
        if len(folders) > MOST_FOLDERS:
            self.forget()
            return sorted(known | self.listed(new))
        found = list_files(self._project, folders) if new else TreeListing((), is_whole=True)
        came = set(found.paths) & set(new)
        gone = set(filterfalse(self._is_file, known))
        with self._lock:
            if self._listing is not None and (gone or came or not found.is_whole):
                paths, was_whole = self._listing
                changed = tuple(sorted({*paths} - gone | came)) if gone or came else paths
                listing = TreeListing(changed, is_whole=was_whole and found.is_whole)
                self.last = self._followed = self._listing = listing
                self._counts = {}
        return sorted(known | came)

    def _is_file(self, path: str) -> bool:
        whole = os.path.join(self._project.root, path)
        return os.path.isfile(whole) and not os.path.islink(whole)

    def forget(self) -> None:
        """Something changed: list them again when somebody asks."""
        with self._lock:
            self._listing = None


def matches_pattern(file_pattern: str | None) -> Callable[[str], bool]:
    """Whether a path fits a caller's pattern; without a folder in it, it means a name in any folder."""
    if not file_pattern:
        return lambda path: True
    if file_pattern.startswith("!"):
        return compile_globs(("**", file_pattern if "/" in file_pattern else f"!**/{file_pattern[1:]}"))
    return compile_globs((file_pattern if "/" in file_pattern else f"**/{file_pattern}",))


def _holds(paths: Sequence[str], path: str) -> bool:
    at = bisect_left(paths, path)
    return at < len(paths) and paths[at] == path
