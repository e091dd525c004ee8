"""Finds the names and files that commits removed, and their likely successors.

Only words that no file holds now are looked at, so a walk costs little more than git itself.
"""

import json
import sys
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple, cast

from fieldguide.git.diff import (
    COMMIT_FIELDS,
    COMMIT_FORMAT,
    LONGEST_SUBJECT,
    MOST_COMMITS,
    CommitDiff,
    CommitLine,
    ReplacedText,
    list_commits_between,
    read_removing_diffs,
)
from fieldguide.git.log import parse_statuses
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

MOST_IMPORT_LINES = 5_000
OPENS = (b"(", b"\\", b"{")
CLOSES = (b")", b"}", b";")
LONGEST_IMPORT_LINE = 500
REMEMBERED_LINES = 4_000  # commits move the same imports again and again
NODE = frozenset(("fs", "path", "util", "http", "https", "os", "url", "events", "stream", "crypto", "assert", "zlib"))
RUST = frozenset(("std", "core", "alloc", "crate", "self", "super"))
MOST_PATHS = 200_000
MOST_RENAMES = 20  # of one file, one after the other
PATH_LOG = (
    "log", "-z", "--name-status", "--diff-filter=DR", "--no-merges", "--no-color", "--encoding=UTF-8", "--relative",
)  # fmt: skip
RENAMES = (("-M", "-l200"), ("--no-renames",))  # the second where a clone lacks the contents that tell
MOST_SUCCESSOR_LINES = 200
WORD = re.compile(r"[A-Za-z_$][\w$-]*")
VERSION = "2"  # of what is kept: another is read from git again
MOST_NEW = 5_000  # commits: beyond so many, everything is read again
LARGEST_KEPT_BYTES = 64 << 20
USED, QUOTED, BOUND, DEFINED = range(4)
"""How a removed line held a name: somewhere, in quotes, as what it gives a value to, or as what it defines."""


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

QUOTE_SIGNS = frozenset("\"'`")
BINDING_SIGNS = frozenset(":=?")
STATEMENTS = frozenset(
    ["return", "await", "yield", "throw", "raise", "else", "case", "new", "delete", "assert", "if", "in"]
)
LOCAL = re.compile(r"^\s+(?:(?:const|let|var|val)\s+(?:mut\s+)?[a-z_$][\w$]*\s*(?::[^=]{1,80})?=[^=]|[\w, ]+:=)")


def find_bindings(line: str) -> dict[str, int]:
    """The names that a line quotes, binds or defines, each with how; names that it merely uses are left out.

    A pattern costs far more than a look for a sign that it needs.
    """
    line = line[:LONGEST_CODE_LINE]
    has_bracket = "(" in line
    found: dict[str, int] = {}
    if not QUOTE_SIGNS.isdisjoint(line):
        found = {quoted.group(1).lstrip("-"): QUOTED for quoted in QUOTES.finditer(line)}
    row = HELP.match(line) if "--" in line else None
    if row is not None:
        found[row.group(1)] = QUOTED
    if "=" in line and line[0].isspace() and LOCAL.match(line):  # nobody else can name a variable of a function
        return found
    binding = None if BINDING_SIGNS.isdisjoint(line) else BINDS.match(line)
    if binding is not None and not KEYWORD.match(line):
        found[binding.group(1)] = BOUND
        found[binding.group(1).rpartition(".")[2]] = BOUND
    definitions = [match.group(1) for match in DEFINES.finditer(line)]
    if not definitions and has_bracket and STATEMENTS.isdisjoint(line.split(None, 1)[:1]):
        function = CALLABLE.match(line) or METHOD.match(line)  # of a language without a keyword for it
        definitions = [function.group(1)] if function else []
    if definitions:
        found.update({parameter.group(1): BOUND for parameter in PARAMETER.finditer(line)})
    found.update(dict.fromkeys(definitions, DEFINED))
    return found


IMPORTS = re.compile(
    r"""^\s*(?:from\s+([A-Za-z_]\w*)|import\s+([A-Za-z_]\w*)\s*(?:$|[.,;#]|as\b)|use\s+([A-Za-z_]\w*)::"""
    r"""|(?:import|export)\b.{0,200}\bfrom\s+["']([@A-Za-z][\w@/.-]*)["']|.{0,100}\brequire\(\s*["']([@A-Za-z][\w@/.-]*)["'])"""
)


def find_new_library_users(hunks: Sequence[ReplacedText], own: Container[str]) -> set[str]:
    """The files whose added lines import what is neither the project's nor the language's, nor was there before."""
    before = set(_roots(hunk.removed for hunk in hunks))
    users: set[str] = set()
    for hunk in hunks:
        if any(root not in before and _is_foreign(root, own) for root in _roots((hunk.added,))):
            users.add(hunk.path)
    return users


def find_foreign_words(hunks: Sequence[ReplacedText], own: Container[str]) -> set[bytes]:
    """The words that lines import from libraries, also over several lines."""
    found: set[bytes] = set()
    for hunk in hunks:
        for text in (hunk.removed, hunk.added):
            for line in _foreign_imports(text, own) if _may_import(text) else ():
                found |= find_words(line[:LONGEST_IMPORT_LINE])
    return found


def _foreign_imports(text: bytes, own: Container[str]) -> Iterator[bytes]:
    """The lines that import from libraries, with the lines up to the end of an open bracket."""
    is_open = False
    for line in text.split(b"\n", MOST_IMPORT_LINES)[:MOST_IMPORT_LINES]:
        root = _find_root(line[:LONGEST_IMPORT_LINE]) if _may_import(line) else ""
        if (root and _is_foreign(root, own)) or (is_open and not root):
            yield line
            is_open = (is_open or _has_any(line, OPENS)) and not _has_any(line, CLOSES)
        else:
            is_open = False


def _is_foreign(root: str, own: Container[str]) -> bool:
    """Whether an imported module is neither the project's nor the language's."""
    if not root or root in own or root.startswith("__"):
        return False
    return root not in sys.stdlib_module_names and root not in NODE and root not in RUST


def _has_any(line: bytes, marks: Iterable[bytes]) -> bool:
    return any(mark in line for mark in marks)


def _roots(texts: Iterable[bytes]) -> Iterator[str]:
    """The modules that the first lines of some texts import, by the first part of their names."""
    left = MOST_IMPORT_LINES + 1
    for text in texts:
        for line in text.split(b"\n", left)[:left] if _may_import(text) else ():
            root = _find_root(line[:LONGEST_IMPORT_LINE]) if _may_import(line) else ""
            if root:
                yield root
        left -= text.count(b"\n") + bool(text)
        if left <= 0:
            return


def _may_import(line: bytes) -> bool:
    return b"import" in line or b"from" in line or b"require" in line or b"use " in line


@lru_cache(maxsize=REMEMBERED_LINES)
def _find_root(line: bytes) -> str:
    match = IMPORTS.match(line.decode(errors="replace"))
    return next(group for group in match.groups() if group).split("/")[0] if match else ""


class RemovedPath(NamedTuple):
    """The commit that removed a file, and its new name if it was renamed."""

    commit: CommitLine
    renamed: str = ""


def find_removed_paths(git: GitProgram, newest: str, oldest: str = "", most: int = 40_000) -> dict[str, RemovedPath]:
    """Each file that a commit of this range removed, with the latest commit that did."""
    without = (f"^{oldest}",) if oldest else ()
    for renames in RENAMES:
        with suppress(Unreadable):
            said = git.ask(*PATH_LOG, *renames, COMMIT_FORMAT, f"--max-count={most}", newest, *without, "--", ".")
            return _read_path_log(said)
    return {}


def find_successor_path(path: str, removed: Mapping[str, RemovedPath], present: "frozenset[str] | set[str]") -> str:
    """The present path of a file that was renamed, perhaps more than once; empty if it is gone."""
    for _ in range(MOST_RENAMES):
        found = removed.get(path)
        if found is None or not found.renamed:
            return ""
        path = found.renamed
        if path in present:
            return path
    return ""


def _read_path_log(said: bytes) -> dict[str, RemovedPath]:
    """The first entry, which is the latest, of each path."""
    removed: dict[str, RemovedPath] = {}
    for (identity, seconds, subject), files in parse_statuses(said.decode(errors="replace").split("\0"), COMMIT_FIELDS):
        commit = CommitLine(identity, int(seconds) if seconds.isdigit() else 0, subject[:LONGEST_SUBJECT])
        for each in files[: MOST_PATHS - len(removed)]:
            removed.setdefault(each.path, RemovedPath(commit, each.new))
    return removed


def find_successor(name: str, line: str, added: bytes) -> str:
    """The name in an added line that is otherwise the same, or begins the same; empty if there is none or several."""
    before, _, after = line.rstrip().partition(name)
    if not before.strip() and not after.strip():
        return ""
    whole: set[str] = set()
    begun: set[str] = set()
    for raw in added.split(b"\n", MOST_SUCCESSOR_LINES)[:MOST_SUCCESSOR_LINES]:
        text = raw.decode(errors="replace").rstrip()
        match = WORD.match(text[len(before) :]) if text.startswith(before) else None
        if match is None or match.group() == name:
            continue
        rest = text[len(before) + match.end() :]
        if rest == after:
            whole.add(match.group())
        elif before.strip() and rest[:1] == after[:1]:
            begun.add(match.group())
    for words in (whole, begun):
        if len(words) == 1:
            return words.pop()
    return ""


MOST_REMOVED = 200_000
FEW_WORDS = 8  # that are looked for in a line one by one, before all of its words are


class RemovedNames:
    """The latest removal of each name that is gone; definitions take precedence over uses."""

    def __init__(self, own_roots: Container[str] = (), newer: Mapping[str, Removal] | None = None) -> None:
        self.by_name: dict[str, Removal] = dict(newer or {})
        self._own_roots = own_roots
        self._foreign: set[bytes] = set()

    def take(self, diff: CommitDiff, present: PresentWords) -> None:
        """Read a commit that is older than those before it."""
        removed = [find_words(hunk.removed) for hunk in diff.hunks]
        added = [find_words(hunk.added) for hunk in diff.hunks]
        gone = present.absent(set[bytes]().union(*removed).difference(*added))
        wanted = set(filter(self._is_wanted, gone))
        if not wanted or len(self.by_name) > MOST_REMOVED:
            return
        handed = find_new_library_users(diff.hunks, self._own_roots)
        self._foreign |= find_foreign_words(diff.hunks, self._own_roots) & wanted
        for hunk, words in zip(diff.hunks, removed, strict=True):
            if held := words & wanted:
                self._take_hunk(diff, hunk, held, is_handed=hunk.path in handed)

    def found(self) -> dict[str, Removal]:
        """The removals by name; what was once imported from a library is marked as handed to it."""
        marked = {word.decode(errors="replace") for word in self._foreign}
        for name in marked & self.by_name.keys():
            self.by_name[name] = self.by_name[name]._replace(is_handed=True)
        return self.by_name

    def _is_wanted(self, word: bytes) -> bool:
        known = self.by_name.get(word.decode(errors="replace"))
        return known is None or known.strength < DEFINED

    def _take_hunk(self, diff: CommitDiff, hunk: ReplacedText, wanted: set[bytes], *, is_handed: bool) -> None:
        has_few = len(wanted) <= FEW_WORDS
        for line in hunk.removed.split(b"\n"):
            if has_few and not _has_any(line, wanted):
                continue
            held = find_words(line) & wanted
            if not held:
                continue
            text = f"{line.decode(errors='replace')}\n"
            bound = find_bindings(text)
            for word in held:
                name = word.decode(errors="replace")
                strength = bound.get(name, USED)
                known = self.by_name.get(name)
                if strength > (known.strength if known else USED):
                    successor = find_successor(name, text, hunk.added)
                    self.by_name[name] = Removal(diff.commit, strength, hunk.path, successor, is_handed)


class RemovedThings(NamedTuple):
    """The names and files that commits removed; the names are those of the newest `read_commits`, or of all."""

    names: Mapping[str, Removal]
    paths: Mapping[str, RemovedPath]
    read_commits: int = 0
    is_whole: bool = False


class PresentNames(NamedTuple):
    """The words of the code and of the implementation alone, and the time since which a removal is news."""

    words: PresentWords
    own_words: PresentWords
    news_from: int


def find_removed_between(
    git: GitProgram, now: PresentNames, paths: KnownPaths, *, newest: str, oldest: str = ""
) -> RemovedThings:
    """Find what the commits of a range removed that is not there now."""
    commits = list_commits_between(git, newest, oldest)
    names = _find_removed_names(git, commits, now, RemovedNames(paths.words))
    return RemovedThings(names, find_removed_paths(git, newest, oldest), len(commits))


def find_removed_until_now(
    git: GitProgram, now: PresentNames, paths: KnownPaths, kept: DriftCache, most: int = MOST_COMMITS
) -> RemovedThings:
    """Find what the commits of HEAD removed, reading at most so many of those that were not read before.

    A diff of every commit is what an index of a project with a long history takes longest for. So a pass reads the
    newest of them, and each later pass some older ones.
    """
    head = git.resolve("HEAD")
    before = kept.read(REMOVED).get("")
    removed = _read_on(git, now, paths, before, head)
    if before is None or removed is None:
        removed = RemovedThings({}, find_removed_paths(git, head))
    elif removed.is_whole and before.stamp == f"{VERSION} {head}":
        return removed
    if not removed.is_whole:
        commits = list_commits_between(git, head)[removed.read_commits :]
        names = _find_removed_names(git, commits[:most], now, RemovedNames(paths.words, removed.names))
        read_commits = removed.read_commits + len(commits[:most])
        removed = RemovedThings(names, removed.paths, read_commits, len(commits) <= most)
    kept.put(REMOVED, {"": CachedPart(f"{VERSION} {head}", _written(removed))})
    return removed


def _read_on(
    git: GitProgram, now: PresentNames, paths: KnownPaths, before: CachedPart | None, head: str
) -> RemovedThings | None:
    """What was kept, with what the commits since then removed; None if everything must be read again."""
    known = None if before is None else _loaded(before)
    if before is None or known is None:
        return None
    last = before.stamp.partition(" ")[2]
    if last == head:
        return known
    if not _grown_from(git, last, head):
        return None
    newer = find_removed_between(git, now, paths, newest=head, oldest=last)
    read_commits = newer.read_commits + known.read_commits
    return RemovedThings({**known.names, **newer.names}, {**known.paths, **newer.paths}, read_commits, known.is_whole)


def _find_removed_names(
    git: GitProgram, commits: Sequence[str], now: PresentNames, names: RemovedNames
) -> dict[str, Removal]:
    for diff in read_removing_diffs(git, commits, is_own):
        names.take(diff, now.own_words if diff.commit.seconds >= now.news_from else now.words)
    return names.found()


def _grown_from(git: GitProgram, before: str, head: str) -> bool:
    """Whether HEAD is at most so many commits ahead of the one that was read last."""
    try:
        git.ask("merge-base", "--is-ancestor", before, head)
        return int(git.ask("rev-list", "--count", f"{before}..{head}")) <= MOST_NEW
    except (Unreadable, ValueError):
        return False


def _written(removed: RemovedThings) -> bytes:
    commits: dict[CommitLine, int] = {}
    names = [
        [name, commits.setdefault(each.commit, len(commits)), each.strength, each.path, each.successor, each.is_handed]
        for name, each in removed.names.items()
    ]
    paths = [
        [path, commits.setdefault(each.commit, len(commits)), each.renamed] for path, each in removed.paths.items()
    ]
    listed = [list(each) for each in commits]
    read = [removed.read_commits, removed.is_whole]
    text = json.dumps({"commits": listed, "names": names, "paths": paths, "read": read})
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def _loaded(part: CachedPart) -> RemovedThings | None:
    """What `_written` wrote; None if another version did, or it is malformed."""
    if not part.stamp.startswith(f"{VERSION} "):
        return None
    try:
        text = zlib.decompressobj().decompress(part.content, LARGEST_KEPT_BYTES)
        said = cast("dict[str, Any]", json.loads(text))
        commits = [CommitLine(*each) for each in said["commits"]]
        names = {str(name): Removal(commits[commit], *rest) for name, commit, *rest in said["names"]}
        paths = {str(path): RemovedPath(commits[commit], renamed) for path, commit, renamed in said["paths"]}
        return RemovedThings(names, paths, int(said["read"][0]), bool(said["read"][1]))
    except (ValueError, TypeError, KeyError, IndexError, zlib.error, RecursionError):
        return None
