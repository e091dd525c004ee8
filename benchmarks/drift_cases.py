"""Commits that took something away which a document went on naming, and the later commits that mended the document.

They are mined from the main line of a repository (each merge is one change, as a reviewer sees it), without any of the
product's rules. A case is a name that

- a line of the implementation defined (a function, class, type, constant, field, parameter or option), or that
  is the path of a file, also as a link from the document leads to it,
- a change took the last occurrence of out of the implementation, while a document that it left as it was had the name,
- the document neither defines itself in its examples nor tells as past (change logs, decisions, guides to migrate by,
  what stands below `versionchanged` and its like),
- and a later change took out of that document, which stays, and put into no other one, while it was still gone.
"""

import os
import posixpath
import random
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fieldguide.git.diff import COMMIT_FORMAT, CommitDiff, read_diffs

DOCUMENT = re.compile(r"\.(?:md|mdx|rst|adoc|asciidoc|txt|[1-9])$", re.IGNORECASE)
TOLD_AS_PAST = re.compile(
    r"change|release|news|history|relnotes|whats.?new|migrat|upgrad|deprecat|blog|announce|versioned|proposal"
    r"|(?:^|[/_-])(?:adr|rfc|decision|old|archive|licen[sc]e|todo)s?(?:[/_.-]|$)|requirements[^/]*(?:/[^/]*)?\.txt$|CMakeLists\.txt$",
    re.IGNORECASE,
)
NOT_IMPLEMENTATION = re.compile(
    r"(?:^|/)(?:docs?|documentation|tests?|testing|__tests__|e2e|spec|examples?|samples?|website|benchmarks?|sep|\.[^/]+)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_test\.[^/]+|[^/]*\.(?:test|spec)\.[^/]+|conftest\.py|[^/]*\.(?:po|svg|lock|snap|json|map))$"
)
MARKED = re.compile(
    r":(?!ref|doc|term|issue|pr|gh|pep|rfc|ticket|user|commit|pypi|abbr|cve|dtag|numref|keyword|kbd|guilabel|menuselection"
    r")[\w:+-]+:`([^`\n]{1,120})`|(?<!:)``([^`\n]{1,120})``|(?<!:)`([^`\n]{1,120})`"
)
NAME = re.compile(r"^~?[A-Za-z_][\w.]*(?:\(.*\)?)?$")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
LINK = re.compile(r"\]\(<?([^()\s<>#?:]+\.\w+)[^()\s]*\)")
FILE = re.compile(r"^[\w.-]+(?:/[\w.-]+)+$")
WORD = re.compile(r"[A-Za-z_$][\w$]*(?:-[\w$]+)*")
PART = re.compile(r"[A-Za-z_$][\w$]*")
JOINED = re.compile(r"\b(?:[A-Za-z]\w*_\w+|[A-Z]?[a-z0-9]+[A-Z]\w+)\b")  # plainly a name, wherever it stands
OF_VERSIONS = re.compile(
    r"(?m)^([ \t]*)\.\. (?:versionchanged|versionadded|versionremoved|deprecated)::.*\n(?:(?:\1[ \t]+.*)?\n)*"
)
LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") | frozenset(range(128, 256))
CUT = bytes(each if each in LETTERS else 32 for each in range(256))
CUT_LESS = bytes(each if each in LETTERS or each == 45 else 32 for each in range(256))
HEAD = "refs/remotes/origin/HEAD"
LONGEST_LINE = 500
DOCUMENTS = tuple(f":(glob)**/*.{suffix}" for suffix in ("md", "mdx", "rst", "adoc", "asciidoc", "txt", "[1-9]"))
NO_DOCUMENTS = (
    ".",
    *(
        f":(exclude,glob)**/*.{suffix}"
        for suffix in ("md", "mdx", "rst", "adoc", "po", "svg", "lock", "snap", "ipynb", "json")
    ),
)
LOG = (
    "log", "-p", "-U0", "--no-walk=unsorted", "--stdin", "--diff-merges=first-parent", "--no-renames", "--no-color",
    "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", COMMIT_FORMAT, "--",
)  # fmt: skip
IMPORT = re.compile(
    r"^\s*(?:import\b|from\b|use\b|#\s*include|export\b.*\bfrom\b|return\b|await\b|yield\b|throw\b|raise\b)"
)
DEFINING = (
    "def|class|function|fn|func|fun|struct|enum|trait|interface|type|define|module|defp|defmodule|macro_rules!|record"
)
SHORTEST = 4
MOST_MENDED_LINES = 1_000
BATCH = 500
SEED = 16


class Case(NamedTuple):
    """A commit that broke a document, the document, what it names, and the commit that mended it."""

    broke: str
    document: str
    name: str
    mended: str


@dataclass(slots=True)
class Event:
    """How often a commit removed and added a name in the implementation, and whether a removed line defined it."""

    place: int
    change: int
    is_bound: bool


def mined(repository: Path, most: int, latest: int) -> list[Case]:
    """Cases of the latest changes of a repository, of so many breaking ones at most, chosen at random."""
    commits = git(repository, "rev-list", "--first-parent", f"--max-count={latest}", HEAD).split()
    commits.reverse()
    places = {commit: place for place, commit in enumerate(commits)}
    mends = list(_mends(repository, commits))
    events = _events(repository, commits, places, {name for _, _, name in mends})
    deleted = _deleted(repository, places)
    now = _now(repository, {name for _, _, name in mends if name in events})
    candidates: dict[Case, None] = {}
    for mended, document, name in mends:
        place = (
            _broken_path(deleted, document, name, places[mended])
            if is_path(name)
            else _broken(events.get(name, []), places[mended], now[name.encode()])
        )
        if place is not None:
            candidates[Case(commits[place], document, name, mended)] = None
    standing = _standing(repository, list(candidates))
    order = sorted({case.broke for case in standing})
    chosen = set(random.Random(SEED).sample(order, min(most, len(order))))
    return [case for case in standing if case.broke in chosen]


def _mends(repository: Path, commits: list[str]) -> Iterator[tuple[str, str, str]]:
    """Names that a change took out of a document and put into none."""
    for diff in _diffs(repository, commits, _is_judged_document, DOCUMENTS):
        removed: dict[str, list[str]] = defaultdict(list)
        added: list[str] = []
        for hunk in diff.hunks:
            removed[hunk.path] += [line.decode(errors="replace") for line in hunk.removed.splitlines()]
            added += [line.decode(errors="replace") for line in hunk.added.splitlines()]
        if sum(map(len, removed.values())) > MOST_MENDED_LINES:
            continue
        still = {word for line in added for words in (WORD, PART) for word in words.findall(line)}
        for document, lines in removed.items():
            names = {name for line in lines for name in _named(line[:LONGEST_LINE])}
            yield from ((diff.commit.id, document, name) for name in sorted(names - still))


def _events(repository: Path, commits: list[str], places: dict[str, int], names: set[str]) -> dict[str, list[Event]]:
    """What happened to each of these names in the implementation, oldest first."""
    wanted = {name.encode() for name in names}
    found: dict[str, list[Event]] = defaultdict(list)
    for diff in _diffs(repository, commits, is_implementation, NO_DOCUMENTS):
        change: Counter[bytes] = Counter()
        bound: set[bytes] = set()
        for hunk in diff.hunks:
            change.update(_counted(hunk.added.splitlines(), wanted))
            for line in hunk.removed.splitlines():
                held = _counted([line], wanted)
                change.subtract(held)
                text = line[:LONGEST_LINE].decode(errors="replace")
                bound |= {word for word in held if _is_bound(text, word.decode(errors="replace"))}
        for word, count in change.items():
            if count:
                event = Event(places[diff.commit.id], count, word in bound)
                found[word.decode(errors="replace")].append(event)
    for events in found.values():
        events.sort(key=lambda event: event.place)
    return found


def _counted(lines: list[bytes], wanted: set[bytes]) -> Counter[bytes]:
    found: Counter[bytes] = Counter()
    for line in lines:
        found.update(word for word in line.translate(CUT).split() if word in wanted)
        if b"-" in line:
            words = (word.strip(b"-") for word in line.translate(CUT_LESS).split() if b"-" in word.strip(b"-"))
            found.update(word for word in words if word in wanted)
    return found


def _broken(events: list[Event], mended: int, now: int) -> int | None:
    """Where the last occurrence of a name went before it was mended, if a line that defined it went there.

    What is counted now is followed back.
    """
    count = now
    for event in reversed(events):
        if event.place < mended:
            return event.place if count == 0 and event.change < 0 and event.is_bound else None
        count -= event.change
    return None


def _now(repository: Path, names: set[str]) -> Counter[bytes]:
    """How often the implementation has each of these names at HEAD."""
    wanted = {name.encode() for name in names}
    listed = git(repository, "ls-tree", "-r", HEAD).splitlines()
    files = [line.partition("\t") for line in listed]
    blobs = [about.split()[2] for about, _, path in files if about.split()[1] == "blob" and is_implementation(path)]
    said = _batch(repository, "".join(f"{blob}\n" for blob in blobs), "--buffer")
    return _counted(said.splitlines(), wanted)


def _broken_path(deleted: dict[str, list[int]], document: str, name: str, mended: int) -> int | None:
    earlier = [place for path in _leads_to(document, name) for place in deleted.get(path, ()) if place < mended]
    return max(earlier) if earlier else None


def _leads_to(document: str, name: str) -> tuple[str, str]:
    """Where a path that a document writes may lead: from its folder, and from the root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(document), name)), posixpath.normpath(name.lstrip("/"))


def _deleted(repository: Path, places: dict[str, int]) -> dict[str, list[int]]:
    """Where each file was deleted or renamed."""
    log = ("log", "--first-parent", "--diff-merges=first-parent", "--no-renames", "--diff-filter=D", "--name-only")
    found: dict[str, list[int]] = defaultdict(list)
    place = -1
    for line in git(repository, *log, "--format=%x01%H", HEAD, is_checked=False).splitlines():
        if line.startswith("\x01"):
            place = places.get(line[1:], -1)
        elif line and place >= 0:
            found[line].append(place)
    return found


def _standing(repository: Path, cases: list[Case]) -> list[Case]:
    """Those whose document had the name, not as its own, when it was taken away, and is there without it later."""
    former = _former_names(repository)
    cases = [case._replace(document=old) for case in cases for old in _names_of(case.document, former)]
    places = {f"{case.broke}:{case.document}" for case in cases}
    for case in cases:
        places |= {f"{case.mended}:{name}" for name in (former.get(case.document, ""), case.document) if name}
        places |= {f"{case.mended}:{path}" for path in _leads_to(case.document, case.name) if is_path(case.name)}
    texts = _texts(repository, sorted(place for place in places if ":.." not in place))
    return [case for case in cases if _is_standing(case, texts, former)]


def _is_standing(case: Case, texts: dict[str, str], former: dict[str, str]) -> bool:
    names = (case.document, former.get(case.document, ""))
    mended = next((texts[f"{case.mended}:{name}"] for name in names if f"{case.mended}:{name}" in texts), None)
    broken = texts.get(f"{case.broke}:{case.document}")
    if broken is None or mended is None:
        return False
    is_file = is_path(case.name)
    if is_file and any(f"{case.mended}:{path}" in texts for path in _leads_to(case.document, case.name)):
        return False  # it is there again
    word = re.compile(rf"(?<![\w{'/.' if is_file else ''}-])(?:--)?{re.escape(case.name)}(?![\w])")
    lines = [line[:LONGEST_LINE] for line in OF_VERSIONS.sub("", broken).splitlines() if word.search(line)]
    is_named = case.name in {name for line in lines for name in _named(line)} and not word.search(mended)
    return is_named and (is_file or not _is_defined_in(broken, case.name))


def _former_names(repository: Path) -> dict[str, str]:
    """What each document is called that was renamed, by its former name."""
    log = ("log", "--first-parent", "--diff-merges=first-parent", "-M", "-l300", "--diff-filter=R", "--name-status")
    said = git(repository, *log, "--format=", HEAD, "--", *DOCUMENTS, is_checked=False)
    rows = (line.split("\t") for line in said.splitlines())
    return {row[1]: row[2] for row in rows if len(row) == 3}


def _names_of(document: str, former: dict[str, str]) -> list[str]:
    """A document's path, and the one that it had before."""
    return [document, *(old for old, new in former.items() if new == document)][:2]


def _is_defined_in(text: str, name: str) -> bool:
    """Whether a document defines a name itself: by the word for it, or it gives it a value and uses that again."""
    word = re.escape(name)
    if re.search(rf"(?m)^[ \t>*]*(?:[\w@]+ )*?(?:{DEFINING}|const|let|var|val)\s+(?:\([^()\n]*\)\s*)?{word}\b", text):
        return True
    given = re.search(rf"(?m)^[ \t>]*{word}(?:,[^=\n]*)?\s*:?=(?!=)", text)
    return given is not None and re.search(rf"(?<![\w.`]){word}(?![\w`])", text[given.end() :]) is not None


def _texts(repository: Path, places: list[str]) -> dict[str, str]:
    said, at = _batch(repository, "".join(f"{place}\n" for place in places)), 0
    found: dict[str, str] = {}
    for place in places:
        end = said.index(b"\n", at)
        words = said[at:end].split()
        at = end + 1
        if len(words) == 3 and words[2].isdigit():
            found[place] = said[at : at + int(words[2])].decode(errors="replace")
            at += int(words[2]) + 1
    return found


def _batch(repository: Path, asked: str, *options: str) -> bytes:
    process = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "--batch", *options],  # noqa: S607
        check=False,
        input=asked.encode(),
        capture_output=True,
        env=_environment(),
    )
    return process.stdout


def _diffs(
    repository: Path, commits: list[str], wants: Callable[[str], bool], places: tuple[str, ...]
) -> Iterator[CommitDiff]:
    """The change of each commit against its first parent; one that a clone has not whole is left out."""
    for start in range(0, len(commits), BATCH):
        left = commits[start : start + BATCH]
        while left:
            with subprocess.Popen(
                ["git", "-C", str(repository), *LOG, *places],  # noqa: S607
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            ) as process:
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write("".join(f"{each}\n" for each in left).encode("ascii"))
                process.stdin.close()
                done = 0
                for diff in read_diffs(process.stdout, wants):
                    done = left.index(diff.commit.id, done)
                    yield diff
            left = left[done + 1 :] if process.returncode else []


def _environment() -> dict[str, str]:
    return {**os.environ, "GIT_NO_LAZY_FETCH": "1"}


def _is_judged_document(path: str) -> bool:
    return bool(DOCUMENT.search(path)) and not TOLD_AS_PAST.search(path)


def is_path(name: str) -> bool:
    """Whether what a document names is a file."""
    return "/" in name or name.endswith((".md", ".mdx", ".rst"))


def is_implementation(path: str) -> bool:
    """Whether a file is what a project does: neither a document nor a test, an example or data."""
    return not DOCUMENT.search(path) and not NOT_IMPLEMENTATION.search(path)


def _is_bound(line: str, name: str) -> bool:
    """Whether a line makes the name the project's own.

    It defines it, gives it a value outside of functions (no indent, or as a member), or declares it as an option.
    """
    if IMPORT.search(line):
        return False
    word = re.escape(name)
    defined = rf"\b(?:{DEFINING})\s+(?:\([^()]*\)\s*)?[*&]?(?:\w+\.)?{word}\b"
    valued = rf"^(?:(?:export|pub|public|static|const|let|var|val|final)\s+)*{word}\s*(?::[^=]*)?="
    member = rf"^\s*(?:(?:self|this)\.|(?:(?:static|public|private|protected|readonly|final|pub)\s+)+){word}\s*[:=]"
    keyed = rf"^\s*[\"']?{word}[\"']?\??:\s"
    typed = rf"^\s*(?:[\w<>\[\],*&:]+\s+)+[*&]*{word}\("
    parameter = rf"\b(?:def|function|fn|func|fun)\s.*[(,]\s*\**{word}\s*[=:,)]"
    option = rf"[\"']--{word}[\"' =]" + (rf"|[\"']{word}[\"']" if "-" in name else "")
    return bool(re.search(f"{defined}|{valued}|{member}|{keyed}|{typed}|{parameter}|{option}", line))


def _named(text: str) -> Iterator[str]:
    """What a line of a document names: in marks, an option, or a word that is plainly a name of code."""
    for groups in MARKED.findall(text):
        span = next(each for each in groups if each).strip()
        span = span.rpartition("<")[2].rstrip(">") if span.endswith(">") else span
        if FILE.match(span):
            yield sys.intern(span)
        elif NAME.match(span):
            word = span.partition("(")[0].rstrip(".").rpartition(".")[2]
            if len(word) >= SHORTEST:
                yield sys.intern(word)
    for target in LINK.findall(text):
        if is_path(target):
            yield sys.intern(target)
    for option in OPTION.findall(text):
        yield sys.intern(option.lstrip("-"))
    for word in JOINED.findall(text):
        yield sys.intern(word)


def git(repository: Path, *arguments: str, is_checked: bool = True) -> str:
    """What git prints."""
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments],  # noqa: S607
        check=is_checked,
        capture_output=True,
        text=True,
        errors="replace",
    )
    return done.stdout
