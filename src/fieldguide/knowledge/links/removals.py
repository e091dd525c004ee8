"""Finds the names and files that commits removed, and their likely successors.

Only words that no file holds now are looked at, so a walk costs little more than git itself.
"""

import json
import sys
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import IO, Any, NamedTuple, cast

from fieldguide.git.program import GitProgram
from fieldguide.knowledge.links.project_names import (
    REMOVED,
    CachedPart,
    DriftCache,
    KnownPaths,
    PresentWords,
    find_words,
    is_own,
)
from fieldguide.text import regex as re
from fieldguide.text.errors import Unreadable

USED, QUOTED, BOUND, DEFINED = range(4)
"""How a removed line held a name: somewhere, in quotes, as what it gives a value to, or as what it defines."""


class CommitLine(NamedTuple):
    """A commit as it is told: its id, when it was made, and the first line of its message."""

    id: str
    seconds: int
    subject: str


class Removal(NamedTuple):
    """The commit that took a name away, how surely the name was the project's own, and what stands there now.

    `is_handed`: the commit began to use a library, which may have the name now.
    """

    commit: CommitLine
    strength: int
    path: str
    successor: str = ""
    is_handed: bool = False


LONGEST_CODE_LINE = 1_000
_NAME = r"[A-Za-z_$][\w$]*"
DEFINES = re.compile(
    r"(?:^|[\s;({])(?:def|class|function\*?|fn|func|fun|struct|enum|trait|interface|type|module|mod|macro_rules!|union"
    r"|#\s*define|protocol|record|object|namespace|package|defmodule|defp|defmacro|sub|typedef|const|static|val)"
    rf"\s+(?:\([^()]{{0,200}}\)\s*)?(?:self\.|[A-Za-z_$][\w$]*\.)*({_NAME})"
)
CALLABLE = re.compile(rf"^(?:\s{{0,8}})(?:[A-Za-z_][\w<>\[\],.:&*?]*\s+[*&]*){{1,6}}({_NAME})\s*(?:<[^<>]{{0,80}}>)?\(")
METHOD = re.compile(rf"^\s{{1,8}}(?:async |static |get |set |#)*({_NAME})\s*\([^()]{{0,200}}\)\s*(?::[^=]{{1,80}})?\{{")
BINDS = re.compile(
    r"""^\s*(?:[-+*]\s+)?(?:(?:export|public|private|protected|pub|final|let|var|default|declare|readonly|self\.|this\.)\s*)*"""
    r"""["']?([A-Za-z_$][\w$.-]*)["']?\s*(?:\?|!)?\s*(?:[:=?]|\|=|\+=|=>)"""
)
KEYWORD = re.compile(r"^\s+[A-Za-z_]\w*=[^=\s].*[,)]\s*$")  # an argument of a call that goes over several lines
PARAMETER = re.compile(rf"[(,]\s*(?:\*{{0,2}})({_NAME})\s*(?:=|:|,|\))")
QUOTES = re.compile(r"""["'`](?:-\w, *)?(-{0,2}[\w$][\w$.-]*)(?:[=:]?["'`]|[ =][<\[])""")
HELP = re.compile(r"""^\s*["'`]?\s*(?:-\w,?\s+)?--([a-z][\w-]+)(?:[ =][<\[\w]\S*)?\s{2,}\S""")  # of a help text

LOCAL = re.compile(r"^\s+(?:(?:const|let|var|val)\s+(?:mut\s+)?[a-z_$][\w$]*\s*(?::[^=]{1,80})?=[^=]|[\w, ]+:=)")


def find_bindings(line: str) -> dict[str, int]:
    """The names that a line holds in such a way, each with how; what it merely uses is not told."""
    line = line[:LONGEST_CODE_LINE]
    found = {quoted.group(1).lstrip("-"): QUOTED for quoted in QUOTES.finditer(line)}
    if "--" in line and (row := HELP.match(line)) is not None:
        found[row.group(1)] = QUOTED
    if not LOCAL.match(line):  # nobody else can name a variable of a function
        found.update(_named_in(line))
    return found


def _named_in(line: str) -> dict[str, int]:
    """The names that a line defines or gives a value to."""
    found: dict[str, int] = {}
    binding = BINDS.match(line)
    if binding is not None and not KEYWORD.match(line):
        found[binding.group(1)] = BOUND
        found[binding.group(1).rpartition(".")[2]] = BOUND
    definitions = [match.group(1) for match in DEFINES.finditer(line)] or _callables(line)
    if definitions:
        found.update({parameter.group(1): BOUND for parameter in PARAMETER.finditer(line)})
    found.update(dict.fromkeys(definitions, DEFINED))
    return found


def _callables(line: str) -> list[str]:
    """A function or method of a language that has no word for one."""
    matches = (pattern.match(line) for pattern in (CALLABLE, METHOD))
    return [match.group(1) for match in matches if match is not None and not _is_statement(line)][:1]


def _is_statement(line: str) -> bool:
    """Whether a line that looks like a function of C calls one instead."""
    first = line.split(None, 1)[0] if line.strip() else ""
    return first in (
        "return",
        "await",
        "yield",
        "throw",
        "raise",
        "else",
        "case",
        "new",
        "delete",
        "assert",
        "if",
        "in",
    )


LONGEST_DIFF_LINE = 4_096
MOST_COMMIT_BYTES = 16 << 20
START = b"\x01"
FORMAT = "--format=%x01%H%x00%ct%x00%s"
FIELDS = 3
LONGEST_SUBJECT = 120


@dataclass(slots=True)
class RemovedLines:
    """Lines of one file that were removed, and those that stand there instead."""

    path: str
    removed: list[bytes] = field(default_factory=list[bytes])
    added: list[bytes] = field(default_factory=list[bytes])


@dataclass(slots=True)
class CommitDiff:
    """A commit with its hunks; one that is very large has none, since it tells of nothing in particular."""

    commit: CommitLine
    hunks: list[RemovedLines] = field(default_factory=list[RemovedLines])
    size: int = 0

    @property
    def is_large(self) -> bool:
        """Whether more was changed than is looked at."""
        return self.size > MOST_COMMIT_BYTES


def read_diffs(stream: IO[bytes], wants: Callable[[str], bool]) -> Iterator[CommitDiff]:
    """Each commit as git prints it, with the hunks of the files that are wanted."""
    reader = _Reader(wants)
    while line := stream.readline(LONGEST_DIFF_LINE):
        whole = line
        while whole and not whole.endswith(b"\n"):
            whole = stream.readline(LONGEST_DIFF_LINE)
        finished = reader.take(line)
        if finished is not None:
            yield finished
    if reader.current is not None:
        yield reader.current


class _Reader:
    """Where the stream is: in which commit, file and hunk."""

    def __init__(self, wants: Callable[[str], bool]) -> None:
        self.current: CommitDiff | None = None
        self._wants = wants
        self._path = ""
        self._hunk: RemovedLines | None = None
        self._in_head = True

    def take(self, line: bytes) -> CommitDiff | None:
        """Read one line; the commit before, where another begins with it."""
        first = line[:1]
        if first == START:
            finished, self.current = self.current, CommitDiff(_commit(line))
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
            self._add(first, line)
        return None

    def _head(self, line: bytes) -> None:
        if line.startswith((b"--- a/", b'--- "a/')):
            self._path = _path(line)
        elif line.startswith((b"+++ b/", b'+++ "b/')):
            self._path = _path(line) or self._path
        elif line.startswith(b"@@"):
            self._in_head = False
            self._begin()

    def _begin(self) -> None:
        self._hunk = None
        if self.current is not None and self._path and self._wants(self._path):
            self._hunk = RemovedLines(self._path)
            self.current.hunks.append(self._hunk)

    def _add(self, first: bytes, line: bytes) -> None:
        assert self._hunk is not None and self.current is not None  # noqa: S101, PT018  `take` looked
        if first == b"-":
            self._hunk.removed.append(line[1:])
        elif first == b"+":
            self._hunk.added.append(line[1:])
        self.current.size += len(line)
        if self.current.is_large:
            self.current.hunks.clear()


def _commit(line: bytes) -> CommitLine:
    fields = line[1:].rstrip(b"\n").split(b"\0")
    if len(fields) < FIELDS:
        return CommitLine("", 0, "")
    seconds = int(fields[1]) if fields[1].isdigit() and len(fields[1]) < 16 else 0
    return CommitLine(
        fields[0].decode("ascii", "replace"), seconds, fields[2].decode(errors="replace")[:LONGEST_SUBJECT]
    )


def _path(line: bytes) -> str:
    return line[6:].strip().strip(b'"').decode(errors="replace")


IMPORTS = re.compile(
    r"""^\s*(?:from\s+([A-Za-z_]\w*)|import\s+([A-Za-z_]\w*)\s*(?:$|[.,;#]|as\b)|use\s+([A-Za-z_]\w*)::"""
    r"""|(?:import|export)\b.{0,200}\bfrom\s+["']([@A-Za-z][\w@/.-]*)["']|.{0,100}\brequire\(\s*["']([@A-Za-z][\w@/.-]*)["'])"""
)
MOST_IMPORT_LINES = 5_000
OPENS = (b"(", b"\\", b"{")
CLOSES = (b")", b"}", b";")
LONGEST_IMPORT_LINE = 500
NODE = frozenset(("fs", "path", "util", "http", "https", "os", "url", "events", "stream", "crypto", "assert", "zlib"))
RUST = frozenset(("std", "core", "alloc", "crate", "self", "super"))


def find_new_library_users(hunks: Sequence[RemovedLines], own: Container[str]) -> set[str]:
    """The files whose added lines import what is neither the project's nor the language's, nor was there before."""
    before = set(_roots(line for hunk in hunks for line in hunk.removed))
    return {
        hunk.path
        for hunk in hunks
        if any(root not in before and root not in own and not _is_of_language(root) for root in _roots(hunk.added))
    }


def find_foreign_words(hunks: Sequence[RemovedLines], own: Container[str]) -> set[bytes]:
    """Words that lines import from what is neither the project's nor the language's, also over several lines."""
    found: set[bytes] = set()
    for hunk in hunks:
        for lines in (hunk.removed, hunk.added):
            for line in _foreign_imports(lines[:MOST_IMPORT_LINES], own):
                found |= find_words(line[:LONGEST_IMPORT_LINE])
    return found


def _foreign_imports(lines: Sequence[bytes], own: Container[str]) -> Iterator[bytes]:
    """The lines that import from others; a bracket that one of them leaves open goes on in the next."""
    is_open = False
    for line in lines:
        root = next(_roots((line,)), "")
        if _is_foreign(root, own) or (is_open and not root):
            yield line
            is_open = (is_open or _has_any(line, OPENS)) and not _has_any(line, CLOSES)
        else:
            is_open = False


def _is_foreign(root: str, own: Container[str]) -> bool:
    return bool(root) and root not in own and not _is_of_language(root)


def _has_any(line: bytes, marks: Iterable[bytes]) -> bool:
    return any(mark in line for mark in marks)


def _roots(lines: Iterable[bytes]) -> Iterator[str]:
    for count, line in enumerate(lines):
        if count > MOST_IMPORT_LINES:
            return
        if b"import" in line or b"from" in line or b"require" in line or b"use " in line:
            match = IMPORTS.match(line[:LONGEST_IMPORT_LINE].decode(errors="replace"))
            if match:
                yield next(group for group in match.groups() if group).split("/")[0]


def _is_of_language(root: str) -> bool:
    return root in sys.stdlib_module_names or root in NODE or root in RUST or root.startswith("__")


MOST_PATHS = 200_000
MOST_RENAMES = 20  # of one file, one after the other
PATH_FORMAT = "--format=%x01%H%x00%ct%x00%s"
PATH_LOG = (
    "log",
    "-z",
    "--name-status",
    "--diff-filter=DR",
    "--no-merges",
    "--no-color",
    "--encoding=UTF-8",
    "--relative",
)
RENAMES = (("-M", "-l200"), ("--no-renames",))  # the second where a clone lacks the contents that tell
PATH_START = "\x01"


class RemovedPath(NamedTuple):
    """The commit that took a file away, and the name that it gave it instead; empty where it gave none."""

    commit: CommitLine
    renamed: str = ""


def find_removed_paths(git: GitProgram, newest: str, oldest: str = "", most: int = 40_000) -> dict[str, RemovedPath]:
    """Each file that a commit of this range took away, by the latest that did."""
    without = (f"^{oldest}",) if oldest else ()
    for renames in RENAMES:
        with suppress(Unreadable):
            said = git.ask(*PATH_LOG, *renames, PATH_FORMAT, f"--max-count={most}", newest, *without, "--", ".")
            return dict(_read_path_log(said))
    return {}


def find_successor_path(path: str, removed: Mapping[str, RemovedPath], present: "frozenset[str] | set[str]") -> str:
    """Where a file is now that was renamed, perhaps more than once; empty where it is gone."""
    for _ in range(MOST_RENAMES):
        found = removed.get(path)
        if found is None or not found.renamed:
            return ""
        path = found.renamed
        if path in present:
            return path
    return ""


def _read_path_log(said: bytes) -> Iterator[tuple[str, RemovedPath]]:
    """The first, which is the latest, of each path."""
    fields = iter(said.decode(errors="replace").split("\0"))
    commit = CommitLine("", 0, "")
    seen: set[str] = set()
    for part in fields:
        text = part.lstrip("\n")
        if text.startswith(PATH_START):
            seconds = next(fields, "")
            subject = next(fields, "")
            commit = CommitLine(text[1:], int(seconds) if seconds.isdigit() else 0, subject[:LONGEST_SUBJECT])
        elif text[:1] in ("D", "R") and len(text) <= 4:
            path = next(fields, "")
            new = next(fields, "") if text[:1] == "R" else ""
            if path not in seen and len(seen) < MOST_PATHS:
                seen.add(path)
                yield path, RemovedPath(commit, new)


MOST_SUCCESSOR_LINES = 200
WORD = re.compile(r"[A-Za-z_$][\w$-]*")


def find_successor(name: str, line: str, added: Sequence[bytes]) -> str:
    """The name in an added line that is else the same, or begins so; empty where none is, or several are."""
    before, _, after = line.rstrip().partition(name)
    if not before.strip() and not after.strip():
        return ""
    whole: set[str] = set()
    begun: set[str] = set()
    for word, rest in _words_behind(before, added):
        if word == name:
            continue
        if rest == after:
            whole.add(word)
        elif before.strip() and rest[:1] == after[:1]:
            begun.add(word)
    return _only(whole) or _only(begun)


def _only(words: set[str]) -> str:
    return next(iter(words)) if len(words) == 1 else ""


def _words_behind(before: str, lines: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """The words that stand in lines behind a beginning, each with the rest of its line."""
    for raw in lines[:MOST_SUCCESSOR_LINES]:
        text = raw.decode(errors="replace").rstrip()
        match = WORD.match(text[len(before) :]) if text.startswith(before) else None
        if match is not None:
            yield match.group(), text[len(before) + match.end() :]


MOST_COMMITS = 40_000
WALK_SECONDS = 90.0
BATCH = 2_000
LOG = (
    "log", "-p", "-U0", "--no-walk=unsorted", "--stdin", "--no-merges", "--no-renames", "--no-color", "--no-ext-diff",
    "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--encoding=UTF-8", "--relative", FORMAT, "--",
)  # fmt: skip
LEFT_OUT = (".md", ".mdx", ".rst", ".adoc", ".po", ".pot", ".svg", ".lock", ".snap", ".ipynb", ".min.js", ".map")
PLACES = (".", *(f":(exclude,glob)**/*{suffix}" for suffix in LEFT_OUT))
MOST_REMOVED = 200_000


class WalkedFiles(NamedTuple):
    """Which files a walk looks at: by their paths, and by the pathspecs that keep git from reading the others."""

    holds: Callable[[str], bool]
    places: tuple[str, ...]


OWN = WalkedFiles(is_own, PLACES)


class RemovedNames:
    """The latest removal of each name that is not there now; what is defined counts before what is only used."""

    def __init__(self, own_roots: Container[str] = ()) -> None:
        self.by_name: dict[str, Removal] = {}
        self._own_roots = own_roots
        self._foreign: set[bytes] = set()

    def take(self, diff: CommitDiff, present: PresentWords) -> None:
        """Look at a commit that is older than those before it."""
        added: set[bytes] = set()
        removed: set[bytes] = set()
        for hunk in diff.hunks:
            added |= find_words(b"".join(hunk.added))
            removed |= find_words(b"".join(hunk.removed))
        gone = present.absent(removed - added)
        wanted = {word for word in gone if self._is_wanted(word)}
        if not wanted or len(self.by_name) > MOST_REMOVED:
            return
        handed = find_new_library_users(diff.hunks, self._own_roots)
        self._foreign |= find_foreign_words(diff.hunks, self._own_roots) & wanted
        for hunk in diff.hunks:
            self._take_hunk(diff, hunk, wanted, is_handed=hunk.path in handed)

    def found(self) -> dict[str, Removal]:
        """The removals by name; what was once imported from a library is marked as handed to it."""
        marked = {word.decode(errors="replace") for word in self._foreign}
        for name in marked & self.by_name.keys():
            self.by_name[name] = self.by_name[name]._replace(is_handed=True)
        return self.by_name

    def _is_wanted(self, word: bytes) -> bool:
        known = self.by_name.get(word.decode(errors="replace"))
        return known is None or known.strength < DEFINED

    def _take_hunk(self, diff: CommitDiff, hunk: RemovedLines, wanted: set[bytes], *, is_handed: bool) -> None:
        for line in hunk.removed:
            held = find_words(line) & wanted
            if not held:
                continue
            text = line.decode(errors="replace")
            bound = find_bindings(text)
            for word in held:
                name = word.decode(errors="replace")
                strength = bound.get(name, USED)
                known = self.by_name.get(name)
                if strength > (known.strength if known else USED):
                    successor = find_successor(name, text, hunk.added)
                    self.by_name[name] = Removal(diff.commit, strength, hunk.path, successor, is_handed)


def list_commits_between(git: GitProgram, newest: str, oldest: str = "", most: int = MOST_COMMITS) -> list[str]:
    """The commits that one reaches and another does not, newest first, without merges."""
    without = (f"^{oldest}",) if oldest else ()
    said = git.ask("rev-list", "--no-merges", f"--max-count={most}", newest, *without, "--", ".")
    return said.decode("ascii").split()


def walk_removals(
    git: GitProgram, commits: Sequence[str], seconds: float = WALK_SECONDS, wanted: WalkedFiles = OWN
) -> Iterator[CommitDiff]:
    """The diffs of these commits; one that git can't read, as in a partial clone, is left out."""
    end = monotonic() + seconds
    for start in range(0, len(commits), BATCH):
        left = list(commits[start : start + BATCH])
        while left and monotonic() < end:
            done = 0
            with suppress(Unreadable):
                for diff in _read(git, left, wanted):
                    done = _place(left, diff.commit.id, done)
                    yield diff
                    if monotonic() > end:
                        return
                break
            left = left[done + 1 :]


def _place(commits: list[str], commit: str, after: int) -> int:
    with suppress(ValueError):
        return commits.index(commit, after)
    return after


def _read(git: GitProgram, commits: Iterable[str], wanted: WalkedFiles) -> Iterator[CommitDiff]:
    with git.started(*LOG, *wanted.places) as running:
        asked = running.process.stdin
        stream = running.process.stdout
        if asked is None or stream is None:
            return
        with suppress(BrokenPipeError):
            asked.write("".join(f"{each}\n" for each in commits).encode("ascii"))
            asked.close()
        yield from read_diffs(stream, wanted.holds)
        git.check(running)


VERSION = "1"  # of what is kept: another is read from git again
MOST_NEW = 5_000  # commits: beyond so many, everything is read again
LONGEST_SECONDS = 16
LARGEST_KEPT_BYTES = 64 << 20


class RemovedThings(NamedTuple):
    """What commits took away: names of code, and files."""

    names: Mapping[str, Removal]
    paths: Mapping[str, RemovedPath]


class PresentNames(NamedTuple):
    """The words of the code and of the implementation alone, and since when a removal is news."""

    words: PresentWords
    own_words: PresentWords
    news_from: int


def read_commit_seconds(git: GitProgram, commit: str) -> int:
    """When a commit was made."""
    said = git.ask("show", "-s", "--format=%ct", commit, "--").strip()
    return int(said) if said.isdigit() and len(said) < LONGEST_SECONDS else 0


def resolve_commit(git: GitProgram, name: str) -> str:
    """The id of a commit, a tag or a branch; Unreadable where there is none."""
    return git.ask("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}").decode("ascii").strip()


def find_removed_between(
    git: GitProgram, now: PresentNames, paths: KnownPaths, *, newest: str, oldest: str = "", most: int = MOST_COMMITS
) -> RemovedThings:
    """What the commits of a range took away that is not there now."""
    names = RemovedNames(paths.words)
    for diff in walk_removals(git, list_commits_between(git, newest, oldest, most), WALK_SECONDS):
        names.take(diff, now.own_words if diff.commit.seconds >= now.news_from else now.words)
    return RemovedThings(names.found(), find_removed_paths(git, newest, oldest, most))


def find_removed_until_now(git: GitProgram, now: PresentNames, paths: KnownPaths, kept: DriftCache) -> RemovedThings:
    """What all commits of HEAD took away; what is known of earlier ones is not read again."""
    head = resolve_commit(git, "HEAD")
    before = kept.read(REMOVED).get("")
    known = _loaded(before) if before is not None else None
    stamp = f"{VERSION} {head}"
    if before is not None and known is not None and before.stamp == stamp:
        return known
    oldest = _grown_from(git, before.stamp.partition(" ")[2], head) if before is not None and known is not None else ""
    new = find_removed_between(git, now, paths, newest=head, oldest=oldest)
    found = (
        RemovedThings({**known.names, **new.names}, {**known.paths, **new.paths})
        if known is not None and oldest
        else new
    )
    kept.put(REMOVED, {"": CachedPart(stamp, _written(found))})
    return found


def _grown_from(git: GitProgram, before: str, head: str) -> str:
    """The commit that was read until, where HEAD has grown from it by not too many; else nothing."""
    with suppress(Unreadable, ValueError):
        git.ask("merge-base", "--is-ancestor", before, head)
        if int(git.ask("rev-list", "--count", f"{before}..{head}")) <= MOST_NEW:
            return before
    return ""


def _written(removed: RemovedThings) -> bytes:
    commits: dict[CommitLine, int] = {}
    names = [
        [name, commits.setdefault(each.commit, len(commits)), each.strength, each.path, each.successor, each.is_handed]
        for name, each in removed.names.items()
    ]
    paths = [
        [path, commits.setdefault(each.commit, len(commits)), each.renamed] for path, each in removed.paths.items()
    ]
    text = json.dumps({"commits": [list(each) for each in commits], "names": names, "paths": paths})
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def _loaded(part: CachedPart) -> RemovedThings | None:
    """What was written; None where it was by another version, or is not legible."""
    if not part.stamp.startswith(f"{VERSION} "):
        return None
    try:
        text = zlib.decompressobj().decompress(part.content, LARGEST_KEPT_BYTES)
        said = cast("dict[str, list[list[Any]]]", json.loads(text))
        commits = [CommitLine(*each) for each in said["commits"]]
        names = {str(name): Removal(commits[commit], *rest) for name, commit, *rest in said["names"]}
        paths = {str(path): RemovedPath(commits[commit], renamed) for path, commit, renamed in said["paths"]}
    except (ValueError, TypeError, KeyError, IndexError, zlib.error, RecursionError):
        return None
    return RemovedThings(names, paths)
