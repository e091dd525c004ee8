"""Replays commits that removed something their documentation named, and asks whether the check tells it at once.

A case is mined from a repository's own history, without any of our rules: a later commit takes a name out of a document
(in code marks, as a role, an option or a path, or in an example) while an earlier one took the last occurrence of that
name out of the implementation and left the document as it was. The check runs as of that earlier commit, as CI would
(`--since` its parent), and must name the document and the name.

    python -m benchmarks.documentation_drift REPOSITORY... [--most 150] [--work FOLDER] [--misses]

A repository is a git folder with its whole history; it is cloned, and nothing is written into it.
"""

import argparse
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

DOCUMENT = re.compile(r"\.(?:md|mdx|rst|adoc|asciidoc|txt|[1-9])$", re.IGNORECASE)
TOLD_AS_PAST = re.compile(r"change|release|news|history|relnotes|whats.?new|migrat|upgrad|deprecat|blog", re.IGNORECASE)
NOT_IMPLEMENTATION = re.compile(
    r"(?:^|/)(?:docs?|documentation|tests?|testing|__tests__|spec|examples?|samples?|website|benchmarks?|sep|\.[^/]+)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_test\.[^/]+|[^/]*\.(?:test|spec)\.[^/]+|conftest\.py|[^/]*\.(?:po|svg|lock|snap|json|map))$"
)
MARKED = re.compile(
    r":(?!ref|doc|term|issue|pr|gh|pep|rfc|ticket|user|commit|pypi|abbr|cve|dtag|numref|keyword|kbd|guilabel|menuselection"
    r")[\w:+-]+:`([^`\n]{1,120})`|(?<!:)``([^`\n]{1,120})``|`([^`\n]{1,120})`"
)
NAME = re.compile(r"^~?[A-Za-z_][\w.]*(?:\(.*\)?)?$")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]+")
FILE = re.compile(r"^[\w.-]+(?:/[\w.-]+)+$")
WORD = re.compile(r"[A-Za-z_$][\w$]*(?:-[\w$]+)*")
JOINED = re.compile(r"\b(?:[A-Za-z]\w*_\w+|[A-Z]?[a-z0-9]+[A-Z]\w+)\b")  # plainly a name, wherever it stands
LEFT_OUT = [
    f":(exclude,glob)**/{each}" for each in ("*.json", "*.po", "*.lock", "*.svg", "test*/**", "vendor/**", "*.ipynb")
]
IMPORT = re.compile(
    r"^\s*(?:import\b|from\b|use\b|#\s*include|export\b.*\bfrom\b|return\b|await\b|yield\b|throw\b|raise\b)"
)
SHORTEST = 4
MOST_MENDED_LINES = 200
SEED = 16


class Case(NamedTuple):
    """A commit that broke a document, the document, what it names, and the commit that mended it."""

    broke: str
    document: str
    name: str
    mended: str


@dataclass
class Changed:
    """What one commit took out of documents and of code."""

    id: str
    mentions: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    still: dict[str, str] = field(default_factory=lambda: defaultdict(str))
    removed: set[str] = field(default_factory=set)
    added: set[str] = field(default_factory=set)
    document_lines: int = 0


def main() -> None:
    """Mine, replay and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=150, help="breaking commits of each repository")
    parser.add_argument("--work", type=Path, help="where to clone to (default: a folder that is removed again)")
    parser.add_argument("--misses", action="store_true", help="print each case that was not found")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for repository in arguments.repositories:
            _judge(repository, arguments.work or Path(scratch), arguments)


def _judge(repository: Path, work: Path, arguments: argparse.Namespace) -> None:
    clone = work / f"replay-{repository.resolve().parent.name}"
    if not clone.exists():
        _git(repository, "clone", "-q", "--no-checkout", str(repository), str(clone))
    began = time.process_time()
    cases = mined(clone, arguments.most)
    mining = time.process_time() - began
    found, took, wrong = replayed(clone, cases, is_verbose=arguments.misses)
    commits = {case.broke for case in cases}
    whole = {broke for broke in commits if all(case in found for case in cases if case.broke == broke)}
    some = {case.broke for case in found}
    print(
        f"{clone.name}: {len(commits)} commits, {len(cases)} mentions; found {_share(len(found), len(cases))}, "
        f"commits with one found {_share(len(some), len(commits))}, with all found {_share(len(whole), len(commits))}; "
        f"{wrong} other alarms; {took / max(len(commits), 1):.2f} s CPU a commit; mined in {mining:.0f} s",
        flush=True,
    )


def mined(repository: Path, most: int) -> list[Case]:
    """Cases of a repository, of so many breaking commits at most, chosen at random."""
    commits = list(_changes(repository))
    taken: dict[str, list[int]] = defaultdict(list)
    for place, commit in enumerate(commits):
        for word in commit.removed - commit.added:
            taken[word].append(place)
    candidates: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for place, commit in enumerate(commits):
        if commit.document_lines > MOST_MENDED_LINES:
            continue
        for document, names in commit.mentions.items():
            for name in names:
                if name in commit.still[document] or name in commit.removed:
                    continue
                earlier = next((other for other in taken.get(name, ()) if other > place), None)
                if earlier is not None:
                    candidates[commits[earlier].id].append((document, name, commit.id))
    order = sorted(candidates)
    random.Random(SEED).shuffle(order)
    found: list[Case] = []
    kept = 0
    for broke in order:
        cases = [Case(broke, *each) for each in dict.fromkeys(candidates[broke]) if _is_case(repository, broke, *each)]
        found += cases
        kept += bool(cases)
        if kept >= most:
            break
    return found


def _is_case(repository: Path, broke: str, document: str, name: str, mended: str) -> bool:
    """Whether the name left the implementation with this commit, and the document still had it then."""
    if not _succeeds(repository, "merge-base", "--is-ancestor", broke, mended):
        return False
    text = _git(repository, "show", f"{broke}:{document}", is_checked=False)
    if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w])", text):
        return False
    if "/" in name:
        return True
    lines = _holding(repository, f"{broke}^", name)
    return any(_is_bound(line, name) for line in lines) and not _holding(repository, broke, name)


def _is_bound(line: str, name: str) -> bool:
    """Whether a line makes the name the project's own: it defines it, gives it a value, or declares it as an option."""
    if IMPORT.search(line):
        return False
    word = re.escape(name)
    keyword = "def|class|function|fn|func|fun|struct|enum|trait|interface|type|const|let|var|val|define|module"
    defined = rf"\b(?:{keyword})\s+(?:\([^()]*\)\s*)?[*&]?(?:\w+\.)?{word}\b"
    valued, option = (
        rf"^\s*(?:(?:self|this|static|public|private|export)[. ])*{word}\s*[:=]",
        rf"[\"'](?:--)?{word}[\"']",
    )
    typed = rf"^\s*(?:[\w<>\[\],*&:]+\s+)+[*&]*{word}\("
    return bool(re.search(f"{defined}|{valued}|{typed}", line) or ("-" in name and re.search(option, line)))


def _holding(repository: Path, commit: str, word: str) -> list[str]:
    """The lines of the implementation, as of a commit, that have a word."""
    said = _git(repository, "grep", "-I", "-w", "-F", "-e", word, commit, "--", is_checked=False)
    lines = (line.partition(":")[2].partition(":") for line in said.splitlines())
    return [text for path, _, text in lines if not DOCUMENT.search(path) and not NOT_IMPLEMENTATION.search(path)]


def _changes(repository: Path) -> Iterator[Changed]:
    """Every commit, newest first; one that a clone has not whole is left out."""
    left = _git(repository, "rev-list", "--no-merges", "--date-order", "refs/remotes/origin/HEAD").split()
    while left:
        last = ""
        for commit in _logged(repository, left):
            last = commit.id
            yield commit
        left = left[left.index(last) + 2 :] if last and last != left[-1] else left[1:] if not last else []


def _logged(repository: Path, commits: list[str]) -> Iterator[Changed]:
    log = ["log", "-p", "-U0", "--no-walk=unsorted", "--stdin", "--no-renames", "--format=%x01%H", "--", ".", *LEFT_OUT]
    with tempfile.TemporaryFile("w+") as asked:
        asked.writelines(f"{each}\n" for each in commits)
        asked.seek(0)
        process = subprocess.Popen(
            ["git", "-C", str(repository), *log],  # noqa: S607
            stdin=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            errors="replace",
            text=True,
        )
    commit, path, is_deleted = None, "", False
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("\x01"):
            if commit is not None:
                yield commit
            commit, path = Changed(sys.intern(line[1:].strip())), ""
        elif commit is None:
            continue
        elif line.startswith("diff --git "):
            path, is_deleted = line.rstrip("\n").partition(" b/")[2], False
        elif line.startswith("deleted file mode"):
            is_deleted = True
            if not DOCUMENT.search(path):
                commit.removed.add(path)
        elif line[0] in "+-" and not line.startswith(("--- ", "+++ ")) and len(line) < 1_000:
            _take(commit, path, line, is_deleted=is_deleted)
    if commit is not None:
        yield commit
    process.wait()


def _take(commit: Changed, path: str, line: str, *, is_deleted: bool) -> None:
    is_removed, text = line[0] == "-", line[1:]
    if DOCUMENT.search(path):
        if TOLD_AS_PAST.search(path) or is_deleted:
            return
        if is_removed:
            commit.document_lines += 1
            commit.mentions[path].update(_named(text))
        else:
            commit.still[path] += text
    elif not NOT_IMPLEMENTATION.search(path):
        words = {sys.intern(word) for word in WORD.findall(text)}
        (commit.removed if is_removed else commit.added).update(words)


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
    for option in OPTION.findall(text):
        yield sys.intern(option.lstrip("-"))
    for word in JOINED.findall(text):
        yield sys.intern(word)


def replayed(clone: Path, cases: list[Case], *, is_verbose: bool) -> tuple[set[Case], float, int]:
    """The cases that the check tells as of the commit that broke the document; its CPU seconds; its other alarms."""
    from fieldguide.confinement import ConfinedFolder
    from fieldguide.drift.check import drifted
    from fieldguide.drift.kept import KeptInMemory

    found: set[Case] = set()
    kept, took, wrong = KeptInMemory(), 0.0, 0
    by_commit: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_commit[case.broke].append(case)
    for commit, wanted in by_commit.items():
        if not _succeeds(clone, "checkout", "-q", "-f", "--detach", commit):
            continue
        began = time.process_time()
        drifts = drifted(ConfinedFolder(str(clone)), kept, since=f"{commit}^")
        took += time.process_time() - began
        alarms = [each for each in drifts if each.is_alarm]
        for case in wanted:
            if any(each.document == case.document and case.name in (each.name + " " + each.gone) for each in alarms):
                found.add(case)
            elif is_verbose:
                hints = [each for each in drifts if each.document == case.document and case.name in each.name]
                print(f"  missed {case.name} in {case.document} by {commit[:9]}: {hints[:1]}")
        named = {(case.document, case.name) for case in wanted}
        wrong += len({(each.document, each.gone) for each in alarms} - named)
    return found, took, wrong


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def _git(repository: Path, *arguments: str, is_checked: bool = True) -> str:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments],  # noqa: S607
        check=is_checked,
        capture_output=True,
        text=True,
        errors="replace",
    )
    return done.stdout


def _succeeds(repository: Path, *arguments: str) -> bool:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments],  # noqa: S607
        check=False,
        capture_output=True,
    )
    return done.returncode == 0


if __name__ == "__main__":
    main()
