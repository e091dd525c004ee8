"""Reading commits from `git log`: only those that can be reached from HEAD, and of those only what is not known yet."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, NamedTuple

from fieldguide.errors import Unreadable
from fieldguide.project_history.change import Change
from fieldguide.project_history.git_program import CHUNK_BYTES, GitProgram, Running

MOST_COMMITS = 6000
MOST_FILES = 100
MOST_OUTPUT_BYTES = 64 << 20
LONGEST_SUBJECT = 200
LONGEST_AUTHOR = 100
START = b"\x01"
FORMAT = "--format=%x01%H%x00%P%x00%at%x00%aN%x00%s%x00"
LOG = ("log", "-z", "--name-status", "--no-walk=unsorted", "--root", "--no-color", "--encoding=UTF-8", FORMAT)
RENAMES = (("-M", "-l100"), ("--no-renames",))  # the second where a clone lacks the contents that tell


class Head(NamedTuple):
    """The commit that is checked out, where the project lies in its repository, and whether old commits are cut off."""

    id: str
    below: str
    is_shallow: bool


def read_head(git: GitProgram) -> Head | None:
    """What is checked out; None where there is no repository, or no commit in it."""
    try:
        said = git.ask("rev-parse", "--is-shallow-repository", "--show-prefix", "HEAD").split(b"\n")
    except Unreadable:
        return None
    return Head(said[-2].decode("ascii"), _text(said[1]), said[0] == b"true")


def read_changes(git: GitProgram, head: Head, known: Mapping[str, Change]) -> list[Change]:
    """The latest commits that HEAD reaches, without merges, newest first; what is known already is not read again."""
    place = ("--", ".") if head.below else ("--",)
    listed = git.ask("rev-list", "--no-merges", f"--max-count={MOST_COMMITS}", head.id, *place)
    ids = listed.decode("ascii").split()
    missing = [each for each in ids if each not in known]
    new = {each.id: each for each in _read(git, head, missing)} if missing else {}
    found = (known.get(each) or new.get(each) for each in ids)
    return [each for each in found if each is not None]


def _read(git: GitProgram, head: Head, ids: Sequence[str]) -> list[Change]:
    for renames in RENAMES:
        with suppress(Unreadable):
            return _logged(git, head, ids, renames)
    return []


def _logged(git: GitProgram, head: Head, ids: Sequence[str], renames: Sequence[str]) -> list[Change]:
    place = ("--relative", "--stdin", "--", ".") if head.below else ("--stdin", "--")
    with git.started(*LOG, *renames, *place) as running:
        _give(running, ids)
        found = list(_changes(running.process.stdout, is_shallow=head.is_shallow))
        git.check(running)
    return found


def _give(running: Running, ids: Sequence[str]) -> None:
    """Git reads all of its input before it prints, so this can't wait for ever."""
    asked = running.process.stdin
    if asked is None:
        return
    with suppress(BrokenPipeError):
        asked.write("".join(f"{each}\n" for each in ids).encode("ascii"))
        asked.close()


def _changes(stream: IO[bytes] | None, *, is_shallow: bool) -> Iterator[Change]:
    """Each commit as `LOG` prints it: five fields, then a status and one or two paths for each file."""
    fields = _fields(stream)
    field = next(fields, None)
    while field is not None:
        if not field.lstrip(b"\n").startswith(START):
            field = next(fields, None)
            continue
        identity = field.lstrip(b"\n")[1:].decode("ascii", "replace")
        parents, seconds, author, subject = (next(fields, b"") for _ in range(4))
        files = _Files()
        field = next(fields, None)
        while field is not None and not field.lstrip(b"\n").startswith(START):
            files.add(field.strip(b"\n"), fields)
            field = next(fields, None)
        # Git shows the oldest commit of a shallow clone as if it had added every file there is.
        told = _Files() if is_shallow and not parents else files
        author_name, title = _text(author)[:LONGEST_AUTHOR], _text(subject)[:LONGEST_SUBJECT]
        yield Change(identity, _number(seconds), author_name, title, *told.kept())


class _Files:
    """The files of one commit while they are read."""

    def __init__(self) -> None:
        self._files: list[str] = []
        self._gone: list[str] = []
        self._renamed: list[tuple[str, str]] = []

    def add(self, status: bytes, fields: Iterator[bytes]) -> None:
        """Take what follows a status: a path, or two where a file was renamed or copied."""
        kind = status[:1]
        if not kind:
            return
        path = _text(next(fields, b""))
        if kind == b"D":
            self._gone.append(path)
        elif kind in (b"R", b"C"):
            new = _text(next(fields, b""))
            self._files.append(new)
            if kind == b"R":
                self._renamed.append((path, new))
        else:
            self._files.append(path)

    def kept(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...]]:
        """What is kept of them; of a commit of very many files only what became of names."""
        is_large = len(self._files) + len(self._gone) > MOST_FILES
        return () if is_large else tuple(self._files), tuple(self._gone), tuple(self._renamed)


def _fields(stream: IO[bytes] | None) -> Iterator[bytes]:
    rest, size = b"", 0
    while stream is not None and size < MOST_OUTPUT_BYTES and (chunk := stream.read(CHUNK_BYTES)):
        size += len(chunk)
        *complete, rest = (rest + chunk).split(b"\0")
        yield from complete


def _number(raw: bytes) -> int:
    return int(raw) if raw.isdigit() and len(raw) < 16 else 0


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
