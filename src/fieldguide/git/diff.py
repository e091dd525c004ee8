"""Reads from `git log` and `git diff` what commits did to files: renames, removals and hunks of changed lines.

Along first parents only. What every commit touched is read first, which takes git next to nothing; then hunks, only of
files in which somebody follows lines, under whichever names they had.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import NamedTuple

from fieldguide.git.program import GitProgram, RunningGit
from fieldguide.text.errors import Unreadable

MOST_OUTPUT_BYTES = 64 << 20
MOST_PATHS = 2000
MOST_PATH_BYTES = 512 << 10
PIPE_BYTES = 16 << 10  # fewer are taken at once, whoever waits for whom
MARK = "\x01"
PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "-O/dev/null", "--relative")
WALK = ("log", "--first-parent", "--diff-merges=first-parent", "--reverse", "--root", "-M", *PLAIN)
NAMES = ("-z", "--name-status", "--format=%x01%H%x00%P%x00")
PATCH = ("-p", "-U0", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")

Hunk = tuple[int, int, int, int]
"""The first line and the number of lines before and after, as `@@` gives them."""


class FileStep(NamedTuple):
    """What one commit did to a file: its name afterwards (empty: it is gone), and the hunks."""

    path: str
    hunks: Sequence[Hunk] = ()


class TouchedFiles(NamedTuple):
    """A commit, its first parent, the files that it left changed, and those it renamed or took away."""

    commit: str
    parent: str
    changed: frozenset[str]
    renamed: Mapping[str, str]


def read_touched_since(git: GitProgram, base: str, head: str) -> list[TouchedFiles]:
    """What each commit after one of them touched, up to another, the oldest first."""
    said = _asked(git, *WALK, *NAMES, f"{base}..{head}", "--", ".")
    return [*_touched(said.decode("utf-8", "replace").split("\0"))]


def read_file_steps(
    git: GitProgram, steps: Iterable[TouchedFiles], paths: Iterable[str]
) -> dict[str, dict[str, FileStep]]:
    """What some commits did to some files, by commit; all the names must be given that a file had."""
    asked = "".join(f"{each.commit} {each.parent}\n" for each in steps).encode()
    words = ("diff-tree", "--stdin", "-r", "-M", "--format=%x01%H", *PLAIN, *PATCH)
    said = _asked(git, "-c", "core.quotepath=off", *words, *_specs(paths), said=asked)
    return {commit: files for commit, files in _patches(said.decode("utf-8", "replace").split("\n")) if commit}


def read_step_between(git: GitProgram, base: str, head: str, paths: Iterable[str] = ()) -> dict[str, FileStep]:
    """What became of some files from one commit to another, whatever lies between them."""
    words = ("diff-tree", "-r", "-M", *PLAIN, *PATCH, base, head)
    said = _asked(git, "-c", "core.quotepath=off", *words, *_specs(paths))
    return {
        old: step for _, files in _patches(said.decode("utf-8", "replace").split("\n")) for old, step in files.items()
    }


def carry_line(line: int, hunks: Sequence[Hunk]) -> int:
    """The number of a line after some hunks; 0 when it was taken away or replaced."""
    shift = 0
    for start, count, _, added in hunks:
        if count == 0:
            if line <= start:
                break
            shift += added
        elif line < start:
            break
        elif line < start + count:
            return 0
        else:
            shift += added - count
    return line + shift


def _specs(paths: Iterable[str]) -> list[str]:
    """Paths for git, as they are; all files where there are too many to name."""
    named = sorted(paths)
    if len(named) > MOST_PATHS or sum(map(len, named)) > MOST_PATH_BYTES:
        return ["--", "."]
    return ["--", *(f":(literal){path}" for path in named)] if named else ["--", "."]


def _asked(git: GitProgram, *words: str, said: bytes = b"") -> bytes:
    with git.started(*words) as running:
        if len(said) > PIPE_BYTES:
            Thread(target=_give, args=(running, said), daemon=True).start()
        else:
            _give(running, said)
        stream = running.process.stdout
        answer = b"" if stream is None else stream.read(MOST_OUTPUT_BYTES + 1)
        if len(answer) > MOST_OUTPUT_BYTES:
            raise Unreadable("The history since then is too long to be followed.")
        git.check(running)
    return answer


def _give(running: RunningGit, said: bytes) -> None:
    """Hand git its input while its answer is read, so that neither waits for the other."""
    stream = running.process.stdin
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.write(said)
            stream.close()


def _touched(fields: Sequence[str]) -> Iterator[TouchedFiles]:
    at = 0
    last = len(fields)
    while at < last:
        field = fields[at].lstrip("\n")
        at += 1
        if not field.startswith(MARK) or at >= last:
            continue
        parent = fields[at].partition(" ")[0]
        changed: set[str] = set()
        renamed: dict[str, str] = {}
        at = _read_names(fields, at + 1, changed, renamed)
        yield TouchedFiles(field[1:], parent, frozenset(changed), renamed)


def _read_names(fields: Sequence[str], at: int, changed: set[str], renamed: dict[str, str]) -> int:
    """Put down the files of one commit; where the next begins."""
    last = len(fields)
    while at < last and not fields[at].lstrip("\n").startswith(MARK):
        status = fields[at].strip("\n")[:1]
        at += 1
        if not status or at >= last:
            continue
        if status in "RC":
            old = fields[at]
            new = fields[at + 1] if at + 1 < last else ""
            at += 1
            changed.add(new)
            if status == "R":
                renamed[old] = new
        elif status == "D":
            renamed[fields[at]] = ""
        else:
            changed.add(fields[at])
        at += 1
    return at


def _patches(lines: Sequence[str]) -> Iterator[tuple[str, dict[str, FileStep]]]:
    """Each commit with what it did to each file; the bodies of hunks are passed over by their length."""
    commit = ""
    files = dict[str, FileStep]()
    reading = _Patch()
    at = 0
    last = len(lines)
    while at < last:
        line = lines[at]
        at += 1
        if line.startswith("@@ "):
            hunk = _hunk(line)
            if hunk is not None:
                reading.hunks.append(hunk)
                at += hunk[1] + hunk[3]
        elif line.startswith(MARK):
            reading.close(files)
            yield commit, files
            commit = line[1:]
            files = {}
            reading = _Patch()
        elif line.startswith("diff --git "):
            reading.close(files)
            reading = _Patch()
        else:
            reading.take(line)
    reading.close(files)
    yield commit, files


class _Patch:
    """The head of one file's patch while it is read."""

    def __init__(self) -> None:
        self.old = self.new = ""
        self.is_new = self.is_gone = False
        self.hunks: list[Hunk] = []

    def take(self, line: str) -> None:
        """Read a line of the head; what follows it is passed over."""
        if line.startswith("rename from "):
            self.old = _unquoted(line[12:])
        elif line.startswith("rename to "):
            self.new = _unquoted(line[10:])
        elif line.startswith("new file"):
            self.is_new = True
        elif line.startswith("deleted file"):
            self.is_gone = True
        elif line.startswith("--- ") and not self.old:
            self.old = _named(line[4:], "a/")
        elif line.startswith("+++ ") and not self.new:
            self.new = _named(line[4:], "b/")

    def close(self, files: dict[str, FileStep]) -> None:
        """Put down what was read; a file that is new has no lines that could be followed."""
        if self.old and not self.is_new:
            files[self.old] = FileStep("" if self.is_gone else self.new or self.old, tuple(self.hunks))


def _hunk(line: str) -> Hunk | None:
    words = line.split(" ", 3)
    try:
        before, after = (words[place][1:].partition(",") for place in (1, 2))
        return int(before[0]), int(before[2] or 1), int(after[0]), int(after[2] or 1)
    except (ValueError, IndexError):
        return None


def _named(field: str, prefix: str) -> str:
    name = _unquoted(field.rstrip("\t"))
    return name[len(prefix) :] if name.startswith(prefix) else ""


def _unquoted(name: str) -> str:
    r"""A name as git writes it: one with a quote, a tab or a line feed stands in quotes, with C's escapes."""
    if len(name) < 2 or not name.startswith('"') or not name.endswith('"'):
        return name
    raw = name[1:-1].encode("utf-8", "surrogateescape")
    return raw.decode("unicode_escape", "replace").encode("latin-1", "replace").decode("utf-8", "replace")
