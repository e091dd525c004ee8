"""Reads from `git log` and `git diff` what commits did to files: renames, removals and hunks of changed lines.

Along first parents only. What every commit touched is read first, which takes git next to nothing; then hunks, only of
files in which somebody follows lines, under whichever names they had.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import IO, NamedTuple

from fieldguide.git.log import START, Hunk, parse_statuses
from fieldguide.git.program import GitProgram
from fieldguide.text.errors import Unreadable

MOST_OUTPUT_BYTES = 64 << 20
MOST_PATHS = 2000
MOST_PATH_BYTES = 512 << 10
PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "-O/dev/null", "--relative")
WALK = ("log", "--first-parent", "--diff-merges=first-parent", "--reverse", "--root", "-M", *PLAIN)
NAMES = ("-z", "--name-status", "--format=%x01%H%x00%P%x00")
PATCH = ("-p", "-U0", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")


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
    touched: list[TouchedFiles] = []
    for (commit, parents), files in parse_statuses(said.decode("utf-8", "replace").split("\0"), 2):
        changed = frozenset(each.now for each in files if each.status != "D")
        renamed = {each.path: each.new for each in files if each.status in "RD"}
        touched.append(TouchedFiles(commit, parents.partition(" ")[0], changed, renamed))
    return touched


def read_file_steps(
    git: GitProgram, steps: Iterable[TouchedFiles], paths: Iterable[str]
) -> dict[str, dict[str, FileStep]]:
    """What some commits did to some files, by commit; all the names must be given that a file had."""
    asked = "".join(f"{each.commit} {each.parent}\n" for each in steps).encode()
    words = ("diff-tree", "--stdin", "-r", "-M", "--format=%x01%H", *PLAIN, *PATCH)
    said = _asked(git, "-c", "core.quotepath=off", *words, *_specs(paths), said=asked)
    return {commit: _to_steps(patches) for commit, patches in _patches(said) if commit}


def read_step_between(git: GitProgram, base: str, head: str, paths: Iterable[str] = ()) -> dict[str, FileStep]:
    """What became of some files from one commit to another, whatever lies between them."""
    words = ("diff-tree", "-r", "-M", *PLAIN, *PATCH, base, head)
    said = _asked(git, "-c", "core.quotepath=off", *words, *_specs(paths))
    steps: dict[str, FileStep] = {}
    for _, patches in _patches(said):
        steps |= _to_steps(patches)
    return steps


def read_patches(git: GitProgram, command: Sequence[str], *words: str) -> list["FilePatch"]:
    """The patches that `diff`, or `diff-tree` of two commits, shows for these words, without lines around a change."""
    said = git.ask("-c", "core.quotepath=off", *command, *PLAIN, *PATCH, *words)
    return [patch for _, patches in _patches(said) for patch in patches]


HUNK_BATCH = 150  # commits
MOST_COMMIT_HUNKS = 400
# written by programs: these make the longest diffs, and nobody looks for a definition in them
UNREAD = tuple(
    f":(exclude,glob)**/{name}"
    for name in ("*.lock", "*-lock.json", "*-lock.yaml", "*.sum", "*.snap", "*.svg", "*.min.*", "dist/**", "vendor/**")
)


def read_commit_hunks(git: GitProgram, commits: Sequence[str]) -> dict[str, dict[str, Sequence[Hunk]]]:
    """The changed lines of every file that each commit modified; a commit that git can't read has none."""
    words = ("diff-tree", "--stdin", "-r", "--no-renames", "--diff-filter=M", "--format=%x01%H", *PLAIN, *PATCH)
    found: dict[str, dict[str, Sequence[Hunk]]] = {}
    for start in range(0, len(commits), HUNK_BATCH):
        asked = "".join(f"{each}\n" for each in commits[start : start + HUNK_BATCH]).encode("ascii")
        with suppress(Unreadable):
            said = _asked(git, "-c", "core.quotepath=off", *words, "--", ".", *UNREAD, said=asked)
            for commit, patches in _patches(said):
                if sum(len(each.hunks) for each in patches) <= MOST_COMMIT_HUNKS:
                    found[commit] = {each.new: each.hunks for each in patches if each.new}
    return found


def carry_back(lines: Sequence[int], hunks: Sequence[Hunk]) -> tuple[list[int], set[int]]:
    """Steps from the lines of a file after some hunks to those before, and gives the lines that the hunks touched.

    `lines` has for every line of the file its number in the newest version. A line that was replaced later gets the
    number of what replaced it, and one that was removed that of the line above it.
    """
    before: list[int] = []
    touched: set[int] = set()
    at = 0
    for _, removed, first, added in hunks:
        begin = first - 1 if added else first
        if begin < at or begin > len(lines):
            break  # not the hunks of this file
        before += lines[at:begin]
        at = begin + added
        replacement = lines[begin:at] or lines[max(begin - 1, 0) : begin + 1][:1]
        touched.update(replacement)
        before += [replacement[number * len(replacement) // removed] for number in range(removed) if replacement]
    return [*before, *lines[at:]], touched


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
        running.give(said)
        stream = running.process.stdout
        answer = b"" if stream is None else stream.read(MOST_OUTPUT_BYTES + 1)
        if len(answer) > MOST_OUTPUT_BYTES:
            raise Unreadable("The history since then is too long to be followed.")
        git.check(running)
    return answer


def _patches(said: bytes) -> Iterator[tuple[str, list["FilePatch"]]]:
    """Each commit with the patches of its files; the bodies of hunks are passed over by their length."""
    lines = said.decode("utf-8", "replace").split("\n")
    commit = ""
    patches = [FilePatch()]
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("@@ "):
            hunk = _hunk(line)
            if hunk is not None:
                patches[-1].hunks.append(hunk)
                at += hunk[1] + hunk[3]
        elif line.startswith(START):
            yield commit, patches
            commit = line[1:]
            patches = [FilePatch()]
        elif line.startswith("diff --git "):
            patches.append(FilePatch())
        else:
            patches[-1].take(line)
    yield commit, patches


def _to_steps(patches: Iterable["FilePatch"]) -> dict[str, FileStep]:
    """The steps by old path; a file that is new has no lines that could be followed."""
    steps: dict[str, FileStep] = {}
    for each in patches:
        if each.old and not each.is_new:
            steps[each.old] = FileStep("" if each.is_gone else each.new or each.old, tuple(each.hunks))
    return steps


class FilePatch:
    """The hunks of one file in a diff, with its names before and after; both are empty in front of the first."""

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


LONGEST_DIFF_LINE = 4_096
MOST_COMMIT_BYTES = 16 << 20
COMMIT_MARK = b"\x01"
COMMIT_FORMAT = "--format=%x01%H%x00%ct%x00%s"
COMMIT_FIELDS = 3
LONGEST_SUBJECT = 120
LONGEST_SECONDS = 16
MOST_COMMITS = 40_000
WALK_SECONDS = 90.0
BATCH = 2_000
LOG = (
    "log", "-p", "-U0", "--no-walk=unsorted", "--stdin", "--no-merges", "--no-renames", "--no-color", "--no-ext-diff",
    "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--encoding=UTF-8", "--relative", COMMIT_FORMAT, "--",
)  # fmt: skip


class CommitLine(NamedTuple):
    """A commit as it is told: its id, when it was made, and the first line of its message."""

    id: str
    seconds: int
    subject: str


@dataclass(slots=True)
class RemovedLines:
    """Lines of one file that were removed, and those that replace them."""

    path: str
    removed: list[bytes] = field(default_factory=list[bytes])
    added: list[bytes] = field(default_factory=list[bytes])


@dataclass(slots=True)
class CommitDiff:
    """A commit with its hunks; a very large commit has none."""

    commit: CommitLine
    hunks: list[RemovedLines] = field(default_factory=list[RemovedLines])
    size: int = 0

    @property
    def is_large(self) -> bool:
        """Whether more was changed than is looked at."""
        return self.size > MOST_COMMIT_BYTES


def read_diffs(stream: IO[bytes], wants: Callable[[str], bool]) -> Iterator[CommitDiff]:
    """Read each commit as git prints it, with the hunks of the wanted files."""
    reader = _DiffReader(wants)
    while line := stream.readline(LONGEST_DIFF_LINE):
        whole = line
        while whole and not whole.endswith(b"\n"):
            whole = stream.readline(LONGEST_DIFF_LINE)
        finished = reader.take(line)
        if finished is not None:
            yield finished
    if reader.current is not None:
        yield reader.current


class _DiffReader:
    """The state of the stream: the current commit, file and hunk."""

    def __init__(self, wants: Callable[[str], bool]) -> None:
        self.current: CommitDiff | None = None
        self._wants = wants
        self._path = ""
        self._hunk: RemovedLines | None = None
        self._in_head = True

    def take(self, line: bytes) -> CommitDiff | None:
        """Read one line; return the previous commit if another begins with it."""
        first = line[:1]
        if first == COMMIT_MARK:
            finished, self.current = self.current, CommitDiff(_commit_line(line))
            self._hunk = None
            return finished
        if line.startswith(b"diff --git "):
            self._path = ""
            self._hunk = None
            self._in_head = True
        elif self._in_head:
            self._head(line)
        elif first == b"@":
            self._begin()
        elif self._hunk is not None and self.current is not None and not self.current.is_large:
            if first == b"-":
                self._hunk.removed.append(line[1:])
            elif first == b"+":
                self._hunk.added.append(line[1:])
            self.current.size += len(line)
            if self.current.is_large:
                self.current.hunks.clear()
        return None

    def _head(self, line: bytes) -> None:
        if line.startswith((b"--- a/", b'--- "a/')):
            self._path = _diff_path(line)
        elif line.startswith((b"+++ b/", b'+++ "b/')):
            self._path = _diff_path(line) or self._path
        elif line.startswith(b"@@"):
            self._in_head = False
            self._begin()

    def _begin(self) -> None:
        self._hunk = None
        if self.current is not None and self._path and self._wants(self._path):
            self._hunk = RemovedLines(self._path)
            self.current.hunks.append(self._hunk)


def _commit_line(line: bytes) -> CommitLine:
    fields = line[1:].rstrip(b"\n").split(b"\0")
    if len(fields) < COMMIT_FIELDS:
        return CommitLine("", 0, "")
    subject = fields[2].decode(errors="replace")[:LONGEST_SUBJECT]
    return CommitLine(fields[0].decode("ascii", "replace"), _to_seconds(fields[1]), subject)


def _to_seconds(said: bytes) -> int:
    return int(said) if said.isdigit() and len(said) < LONGEST_SECONDS else 0


def _diff_path(line: bytes) -> str:
    return line[6:].strip().strip(b'"').decode(errors="replace")


def read_commit_seconds(git: GitProgram, commit: str) -> int:
    """When a commit was made, in seconds; 0 if git's answer is no such number."""
    return _to_seconds(git.ask("show", "-s", "--format=%ct", commit, "--").strip())


def list_commits_between(git: GitProgram, newest: str, oldest: str = "", most: int = MOST_COMMITS) -> list[str]:
    """List the commits that `newest` reaches and `oldest` does not, newest first, without merges."""
    without = (f"^{oldest}",) if oldest else ()
    said = git.ask("rev-list", "--no-merges", f"--max-count={most}", newest, *without, "--", ".")
    return said.decode("ascii").split()


def read_commit_diffs(
    git: GitProgram, commits: Sequence[str], wants: Callable[[str], bool], places: Sequence[str]
) -> Iterator[CommitDiff]:
    """Read what these commits did to the wanted files, except commits that git can't read, as in a partial clone.

    `places` are pathspecs, so that git makes no diffs of what is not wanted.
    """
    end = monotonic() + WALK_SECONDS
    for start in range(0, len(commits), BATCH):
        left = list(commits[start : start + BATCH])
        while left and monotonic() < end:
            done = 0
            with suppress(Unreadable):
                for diff in _read_batch(git, left, wants, places):
                    with suppress(ValueError):
                        done = left.index(diff.commit.id, done)
                    yield diff
                    if monotonic() > end:
                        return
                break
            left = left[done + 1 :]


def _read_batch(
    git: GitProgram, commits: Iterable[str], wants: Callable[[str], bool], places: Sequence[str]
) -> Iterator[CommitDiff]:
    with git.started(*LOG, *places) as running:
        running.give("".join(f"{each}\n" for each in commits).encode("ascii"))
        stream = running.process.stdout
        if stream is not None:
            yield from read_diffs(stream, wants)
        git.check(running)
