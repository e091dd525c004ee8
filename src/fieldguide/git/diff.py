"""Reads from `git log` and `git diff` what commits did to files: renames, removals and hunks of changed lines.

Along first parents only. What every commit touched is read first, which takes git next to nothing; then hunks, only of
files in which somebody follows lines, under whichever names they had.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fieldguide.git.log import START, FileStatus, Hunk, parse_statuses
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
