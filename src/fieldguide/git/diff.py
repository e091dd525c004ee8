"""Reads from `git log` and `git diff` what commits did to files: renames, removals and hunks of changed lines.

Along first parents only. What every commit touched is read first, which takes git next to nothing; then hunks, only of
files in which somebody follows lines, under whichever names they had.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import IO, NamedTuple

from fieldguide.git.log import SMALL, START, FileStatus, Hunk, parse_statuses, split_fields
from fieldguide.git.program import GitProgram
from fieldguide.text.errors import Unreadable

MOST_OUTPUT_BYTES = 64 << 20
MOST_PATHS = 2000
MOST_PATH_BYTES = 512 << 10
PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "-O/dev/null", "--relative")
WALK = ("log", "--first-parent", "--diff-merges=first-parent", "--reverse", "--root", "--no-renames", *PLAIN)
RENAMES = ("-M", "-l200")  # without comparing all that came with all that went: that takes git .7 s for 900 files
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
    gone: frozenset[str]


def read_touched_since(git: GitProgram, base: str, head: str) -> list[TouchedFiles]:
    """What each commit after one of them touched, up to another, the oldest first."""
    said = _asked(git, *WALK, *NAMES, f"{base}..{head}", "--", ".")
    touched: list[TouchedFiles] = []
    for (commit, parents), files in parse_statuses(said.decode("utf-8", "replace").split("\0"), 2):
        changed = frozenset(each.now for each in files if each.status != "D")
        gone = frozenset(each.path for each in files if each.status == "D")
        touched.append(TouchedFiles(commit, parents.partition(" ")[0], changed, gone))
    return touched


def read_renames(git: GitProgram, step: TouchedFiles) -> dict[str, str]:
    """The new name of each file that a commit renamed. Git reads all the files for it that came or went."""
    files = _compare_names(git, step.parent, step.commit, *RENAMES)
    return {path: each.new for path, each in files.items() if each.status == "R"}


def read_file_steps(
    git: GitProgram, steps: Iterable[TouchedFiles], paths: Iterable[str]
) -> dict[str, dict[str, FileStep]]:
    """What some commits did to some files, by commit; all the names must be given that a file had."""
    asked = "".join(f"{each.commit} {each.parent}\n" for each in steps).encode()
    words = ("diff-tree", "--stdin", "-r", "-M", "--format=%x01%H", *PLAIN, *PATCH)
    said = _asked(git, "-c", "core.quotepath=off", *words, *_specs(paths), said=asked)
    return {commit: _to_steps(patches) for commit, patches in _patches(said) if commit}


class StepBetween(NamedTuple):
    """The files that one commit has and another has not, or has otherwise, and what became of some files."""

    changed: set[str]
    steps: dict[str, FileStep]


def read_step_between(git: GitProgram, base: str, head: str, paths: Iterable[str]) -> StepBetween:
    """What became of some files from one commit to another, whatever lies between them.

    Of all others only their names are read, and renames are looked for only where one of the files is gone: between
    two distant commits both take git long.
    """
    files = _compare_names(git, base, head, "--no-renames")
    wanted = [path for path in paths if path in files]
    if any(files[path].status == "D" for path in wanted):
        files = _compare_names(git, base, head, *RENAMES)
    changed = {each.now for each in files.values() if each.status != "D"}
    names = {name for path in wanted for name in (path, files[path].now)}
    if not names:
        return StepBetween(changed, {})
    words = ("diff-tree", "-r", "-M", *PLAIN, *PATCH, base, head)
    said = _asked(git, "-c", "core.quotepath=off", *words, *_specs(names))
    steps: dict[str, FileStep] = {}
    for _, patches in _patches(said):
        steps |= _to_steps(patches)
    return StepBetween(changed, steps)


def _compare_names(git: GitProgram, base: str, head: str, *renames: str) -> dict[str, FileStatus]:
    """What became of each file between two commits, by its name in the first, or in the second if it is new."""
    said = _asked(git, "diff-tree", "-r", *renames, *PLAIN, "-z", "--name-status", base, head, "--", ".")
    statuses = parse_statuses([START, *said.decode("utf-8", "replace").split("\0")], 1)
    return {each.path: each for _, found in statuses for each in found}


def read_patches(git: GitProgram, command: Sequence[str], *words: str) -> list["FilePatch"]:
    """The patches that `diff`, or `diff-tree` of two commits, shows for these words, without lines around a change."""
    said = git.ask("-c", "core.quotepath=off", *command, *PLAIN, *PATCH, *words)
    return [patch for _, patches in _patches(said) for patch in patches]


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
READ_BYTES = 1 << 20
COMMIT_MARK = b"\x01"
FILE_MARK = b"\ndiff --git "
NO_LAST_NEWLINE = b"\n\\ No newline at end of file"
COMMIT_FORMAT = "--format=%x01%H%x00%ct%x00%s"
COMMIT_FIELDS = 3
LONGEST_SUBJECT = 120
LONGEST_SECONDS = 16
MOST_COMMITS = 40_000
WALK_SECONDS = 90.0
BATCH = 2_000
COMMITS = ("log", "--no-walk=unsorted", "--stdin", "--no-merges", "--no-renames", "--no-color", "--relative")
TOUCHED = (*COMMITS, "--raw", "-z", "--format=%x01%H")
DIFFS = (
    *COMMITS, "-p", "-U0", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--encoding=UTF-8",
    COMMIT_FORMAT, "--",
)  # fmt: skip
MOST_FOLDERS = 100
MOST_ENDINGS = 40
ADDED = b"A"
SEPARATORS = "._-/"
WILD = frozenset("*?[\\")


class CommitLine(NamedTuple):
    """A commit as it is told: its id, when it was made, and the first line of its message."""

    id: str
    seconds: int
    subject: str


class ReplacedText(NamedTuple):
    """Neighbouring lines of one file that a commit removed, and those that replace them, without their signs."""

    path: str
    removed: bytes
    added: bytes


@dataclass(slots=True)
class CommitDiff:
    """A commit with its hunks; a very large commit has none."""

    commit: CommitLine
    hunks: list[ReplacedText] = field(default_factory=list[ReplacedText])
    size: int = 0

    @property
    def is_large(self) -> bool:
        """Whether more was changed than is looked at."""
        return self.size > MOST_COMMIT_BYTES

    def take(self, section: bytes, wants: Callable[[str], bool]) -> None:
        """Read what `git log -p -U0` prints for one file, if it is wanted."""
        head, *hunks = section.split(b"\n@@ ")
        path = _diff_path(head)
        if not path or not wants(path):
            return
        for each in hunks:
            lines = each[each.find(b"\n") :].replace(NO_LAST_NEWLINE, b"")
            self.size += len(lines)
            if self.is_large:
                self.hunks.clear()
                return
            removed, plus, added = lines.partition(b"\n+")
            added = (plus + added).replace(b"\n+", b"\n")
            self.hunks.append(ReplacedText(path, removed.replace(b"\n-", b"\n")[1:], added[1:]))


def read_diffs(stream: IO[bytes], wants: Callable[[str], bool]) -> Iterator[CommitDiff]:
    """Read each commit as git prints it, with the hunks of the wanted files."""
    current: CommitDiff | None = None
    for section in _split_sections(stream):
        if section.startswith(COMMIT_MARK):
            if current is not None:
                yield current
            current = CommitDiff(_commit_line(section.partition(b"\n")[0]))
        elif current is not None:
            current.take(section, wants)
    if current is not None:
        yield current


def _split_sections(stream: IO[bytes]) -> Iterator[bytes]:
    """The heads of commits, and what follows `diff --git` for each file, both up to a size.

    A line of a file begins with a sign, so that neither mark can be a part of one.
    """
    parts: list[bytes] = []
    size = 0
    for lines in _read_lines(stream):
        first, *others = lines.replace(b"\n" + COMMIT_MARK, FILE_MARK + COMMIT_MARK).split(FILE_MARK)
        if size <= MOST_COMMIT_BYTES:
            parts.append(first)
            size += len(first)
        for section in others:
            yield b"".join(parts)
            parts = [section]
            size = len(section)
    yield b"".join(parts)


def _read_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Whole lines, many at a time, each behind its line feed; the ends of very long ones are left out."""
    rest = b""
    while chunk := stream.read(READ_BYTES):
        whole, newline, last = (rest + chunk).rpartition(b"\n")
        rest = last[:LONGEST_DIFF_LINE]
        if newline:
            yield _shorten_lines(b"\n" + whole)
    if rest:
        yield b"\n" + rest


def _shorten_lines(lines: bytes) -> bytes:
    split = lines.split(b"\n")
    if max(map(len, split)) < LONGEST_DIFF_LINE:
        return lines
    return b"\n".join(line[:LONGEST_DIFF_LINE] for line in split)


def _commit_line(line: bytes) -> CommitLine:
    fields = line[1:].split(b"\0")
    if len(fields) < COMMIT_FIELDS:
        return CommitLine("", 0, "")
    subject = fields[2].decode(errors="replace")[:LONGEST_SUBJECT]
    return CommitLine(fields[0].decode("ascii", "replace"), _to_seconds(fields[1]), subject)


def _to_seconds(said: bytes) -> int:
    return int(said) if said.isdigit() and len(said) < LONGEST_SECONDS else 0


def _diff_path(head: bytes) -> str:
    """The path of a file after a commit, or before it where the commit removed the file."""
    path = ""
    for line in head.split(b"\n")[1:]:
        if line.startswith((b"--- a/", b'--- "a/', b"+++ b/", b'+++ "b/')):
            path = line[6:].strip().strip(b'"').decode(errors="replace") or path
    return path


def read_commit_seconds(git: GitProgram, commit: str) -> int:
    """When a commit was made, in seconds; 0 if git's answer is no such number."""
    return _to_seconds(git.ask("show", "-s", "--format=%ct", commit, "--").strip())


def list_commits_between(git: GitProgram, newest: str, oldest: str = "", most: int = MOST_COMMITS) -> list[str]:
    """List the commits that `newest` reaches and `oldest` does not, newest first, without merges."""
    without = (f"^{oldest}",) if oldest else ()
    said = git.ask("rev-list", "--no-merges", f"--max-count={most}", newest, *without, "--", ".")
    return said.decode("ascii").split()


def read_removing_diffs(git: GitProgram, commits: Sequence[str], wants: Callable[[str], bool]) -> Iterator[CommitDiff]:
    """Read what these commits did to the wanted files, except commits that only added some.

    Commits that git can't read, as in a partial clone, are left out. Which files each commit touched is asked first,
    which costs little: git then makes no diffs of most files that are not wanted.
    """
    end = monotonic() + WALK_SECONDS
    for start in range(0, len(commits), BATCH):
        chosen = _choose_diffs(git, commits[start : start + BATCH], wants)
        left = chosen.commits
        while left and monotonic() < end:
            done = 0
            with suppress(Unreadable):
                for diff in _read_batch(git, left, wants, chosen.places):
                    with suppress(ValueError):
                        done = left.index(diff.commit.id, done)
                    yield diff
                    if monotonic() > end:
                        return
                break
            left = left[done + 1 :]


class WantedDiffs(NamedTuple):
    """The commits that changed or removed a wanted file, and pathspecs without most of the other files."""

    commits: list[str]
    places: list[str]


def _choose_diffs(git: GitProgram, commits: Sequence[str], wants: Callable[[str], bool]) -> WantedDiffs:
    """What is worth a diff; everything where git can't tell, as where a clone lacks folders."""
    found: dict[str, None] = {}
    wanted: set[str] = set()
    others: Counter[str] = Counter()
    try:
        for commit, status, path in _read_touched(git, commits):
            if not wants(path):
                others[path] += 1
                continue
            wanted.add(path)
            if status != ADDED:
                found[commit] = None
    except Unreadable:
        return WantedDiffs(list(commits), ["."])
    return WantedDiffs(list(found), [".", *_exclude(wanted, others)])


def _read_touched(git: GitProgram, commits: Sequence[str]) -> Iterator[tuple[str, bytes, str]]:
    """Every file that some commits touched: the commit, git's letter and the path."""
    with git.started(*TOUCHED, "--", ".") as running:
        running.give("".join(f"{each}\n" for each in commits).encode("ascii"))
        commit = ""
        fields = split_fields(running.process.stdout)
        for said in fields:
            line = said.lstrip(b"\n")
            if line.startswith(COMMIT_MARK):
                commit = line[1:].decode("ascii", "replace")
            elif line.startswith(b":"):
                yield commit, line.rpartition(b" ")[2], next(fields, b"").decode(errors="replace")
        git.check(running)


def _exclude(wanted: set[str], others: Counter[str]) -> Iterator[str]:
    """Pathspecs that leave out most of some files, by the folders and the ends of names that no wanted file has."""
    kept = {parent for path in wanted for parent in _list_parents(path)} | wanted
    kept_endings = {ending for path in wanted for ending in _list_endings(path)}
    folders: Counter[str] = Counter()
    endings: Counter[str] = Counter()
    for path, times in others.items():
        folder = next((each for each in _list_parents(path) if each not in kept), None)
        if folder is not None:
            folders[folder] += times
            continue
        ending = next((each for each in _list_endings(path) if each not in kept_endings), None)
        if ending is not None:
            endings[ending] += times
    for folder, _ in folders.most_common(MOST_FOLDERS):
        yield f":(exclude,literal){folder}"
    for ending, _ in endings.most_common(MOST_ENDINGS):
        yield f":(exclude)*{ending}"


def _list_parents(path: str) -> Iterator[str]:
    """The folders that a file is in, the outermost first; none that git would not find under this name."""
    at = path.find("/")
    while at > 0 and "\ufffd" not in path:
        yield path[:at]
        at = path.find("/", at + 1)


def _list_endings(path: str) -> Iterator[str]:
    """The ends of a file's path that begin with a separator within its name or before it, the shortest first."""
    begin = max(path.rfind("/"), 0)
    if "\ufffd" in path or not WILD.isdisjoint(path[begin:]):
        return
    for at in range(len(path) - 1, begin - 1, -1):
        if path[at] in SEPARATORS:
            yield path[at:]


def _read_batch(
    git: GitProgram, commits: Iterable[str], wants: Callable[[str], bool], places: Sequence[str]
) -> Iterator[CommitDiff]:
    with git.started(*SMALL, *DIFFS, *places) as running:
        running.give("".join(f"{each}\n" for each in commits).encode("ascii"))
        stream = running.process.stdout
        if stream is not None:
            yield from read_diffs(stream, wants)
        git.check(running)
