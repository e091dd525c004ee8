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
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from fieldguide.drift.taken.diff_reading import CommitDiff
from fieldguide.drift.taken.removals import PLACES, Wanted, walk
from fieldguide.project_history.git_program import GitProgram

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
LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") | frozenset(range(128, 256))
CUT = bytes(each if each in LETTERS else 32 for each in range(256))
CUT_LESS = bytes(each if each in LETTERS or each == 45 else 32 for each in range(256))
HEAD = "refs/remotes/origin/HEAD"
LONGEST_LINE = 500
DOCUMENTS = tuple(f":(glob)**/*.{suffix}" for suffix in ("md", "mdx", "rst", "adoc", "asciidoc", "txt", "[1-9]"))
IMPORT = re.compile(
    r"^\s*(?:import\b|from\b|use\b|#\s*include|export\b.*\bfrom\b|return\b|await\b|yield\b|throw\b|raise\b)"
)
SHORTEST = 4
MOST_MENDED_LINES = 1_000
SEED = 16


class Case(NamedTuple):
    """A commit that broke a document, the document, what it names, and the commit that mended it."""

    broke: str
    document: str
    name: str
    mended: str


@dataclass(slots=True)
class Event:
    """How often a commit removed and added a name in the implementation, and whether a removed line bound it."""

    place: int
    change: int
    is_bound: bool


@dataclass(slots=True)
class Replay:
    """What the check told: the cases that it found and missed, its other alarms, and its CPU seconds."""

    found: list[Case] = field(default_factory=list[Case])
    missed: list[Case] = field(default_factory=list[Case])
    others: int = 0
    seconds: float = 0.0


def main() -> None:
    """Mine, replay and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=150, help="breaking commits of each repository")
    parser.add_argument("--latest", type=int, default=1_000_000, help="commits of each repository that are looked at")
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
    cases = mined(clone, arguments.most, arguments.latest)
    mining = time.process_time() - began
    replay = replayed(clone, cases, is_verbose=arguments.misses)
    print(f"{clone.name}: {figures(replay)}; mined in {mining:.0f} s", flush=True)


def figures(replay: Replay) -> str:
    """The shares in one line."""
    found, judged = replay.found, [*replay.found, *replay.missed]
    commits = {case.broke for case in judged}
    whole = commits - {case.broke for case in replay.missed}
    return (
        f"{len(commits)} commits, {len(judged)} mentions; found {_share(len(found), len(judged))}, commits with "
        f"one found {_share(len({case.broke for case in found}), len(commits))}, with all found "
        f"{_share(len(whole), len(commits))}; {replay.others} other alarms; "
        f"{replay.seconds / max(len(commits), 1):.2f} s CPU a commit"
    )


def mined(repository: Path, most: int, latest: int) -> list[Case]:
    """Cases of the latest commits of a repository, of so many breaking ones at most, chosen at random."""
    commits = _git(repository, "rev-list", "--no-merges", "--date-order", f"--max-count={latest}", HEAD).split()
    commits.reverse()
    places = {commit: place for place, commit in enumerate(commits)}
    mends = list(_mends(repository, commits))
    events = _events(repository, commits, places, {name for _, _, name in mends})
    deleted = _deleted(repository, places)
    now = _now(repository, {name for _, _, name in mends if name in events})
    found: dict[str, list[Case]] = defaultdict(list)
    for mended, document, name in mends:
        place = (
            _broken_path(deleted, name, places[mended])
            if "/" in name
            else _broken(events[name], places[mended], now[name.encode()])
        )
        if place is not None:
            found[commits[place]].append(Case(commits[place], document, name, mended))
    candidates = list(dict.fromkeys(case for cases in found.values() for case in cases))
    standing = _standing(repository, candidates)
    order = sorted({case.broke for case in standing})
    chosen = set(random.Random(SEED).sample(order, min(most, len(order))))
    return [case for case in standing if case.broke in chosen]


def _mends(repository: Path, commits: list[str]) -> Iterator[tuple[str, str, str]]:
    """Names that a commit took out of a document, which then has them nowhere in what it changed."""
    for diff in _diffs(repository, commits, Wanted(_is_judged_document, DOCUMENTS)):
        removed: dict[str, list[str]] = defaultdict(list)
        added: dict[str, list[str]] = defaultdict(list)
        for hunk in diff.hunks:
            removed[hunk.path] += [line.decode(errors="replace") for line in hunk.removed]
            added[hunk.path] += [line.decode(errors="replace") for line in hunk.added]
        if sum(map(len, removed.values())) > MOST_MENDED_LINES:
            continue
        for document, lines in removed.items():
            still = "".join(added[document])
            if still or len(lines) < MOST_MENDED_LINES // 10:
                names = {name for line in lines for name in _named(line[:LONGEST_LINE])}
                yield from ((diff.commit.id, document, name) for name in sorted(names) if name not in still)


def _events(repository: Path, commits: list[str], places: dict[str, int], names: set[str]) -> dict[str, list[Event]]:
    """What happened to each of these names in the implementation, oldest first."""
    wanted = {name.encode() for name in names}
    found: dict[str, list[Event]] = defaultdict(list)
    for diff in _diffs(repository, commits, OF_CODE):
        change: Counter[bytes] = Counter()
        bound: set[bytes] = set()
        for hunk in diff.hunks:
            change.update(_counted(hunk.added, wanted))
            for line in hunk.removed:
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
        words = line.translate(CUT).split()
        found.update(word for word in words if word in wanted)
        found.update(word.strip(b"-") for word in line.translate(CUT_LESS).split() if b"-" in word.strip(b"-"))
    return Counter({word: count for word, count in found.items() if word in wanted})


def _broken(events: list[Event], mended: int, now: int) -> int | None:
    """Where the last occurrence of a name went before it was mended, if a line that bound it went there.

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
    listed = _git(repository, "ls-tree", "-r", HEAD).splitlines()
    files = [line.partition("\t") for line in listed]
    blobs = [about.split()[2] for about, _, path in files if about.split()[1] == "blob" and _is_implementation(path)]
    process = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "--batch", "--buffer"],  # noqa: S607
        check=False,
        input="".join(f"{blob}\n" for blob in blobs).encode(),
        capture_output=True,
    )
    return _counted(process.stdout.splitlines(), wanted)


def _broken_path(deleted: dict[str, list[int]], name: str, mended: int) -> int | None:
    earlier = [place for place in deleted.get(name, ()) if place < mended]
    return max(earlier) if earlier else None


def _deleted(repository: Path, places: dict[str, int]) -> dict[str, list[int]]:
    """Where each file was deleted or renamed."""
    log = ("log", "--no-merges", "--no-renames", "--diff-filter=D", "--name-only", "--format=%x01%H", HEAD)
    found: dict[str, list[int]] = defaultdict(list)
    place = 0
    for line in _git(repository, *log, is_checked=False).splitlines():
        if line.startswith("\x01"):
            place = places.get(line[1:], 0)
        elif line:
            found[line].append(place)
    return found


def _standing(repository: Path, cases: list[Case]) -> list[Case]:
    """Those whose document still had the name when it was taken away, and that were mended in a later commit."""
    asked = "".join(f"{case.broke}:{case.document}\n" for case in cases).encode()
    process = subprocess.run(
        ["git", "-C", str(repository), "cat-file", "--batch"],  # noqa: S607
        check=True,
        input=asked,
        capture_output=True,
    )
    said, at, found = process.stdout, 0, list[Case]()
    for case in cases:
        end = said.index(b"\n", at)
        words = said[at:end].split()
        at = end + 1
        if len(words) != 3 or not words[2].isdigit():
            continue
        text = said[at : at + int(words[2])].decode(errors="replace")
        at += int(words[2]) + 1
        if re.search(rf"(?<![\w-])(?:--)?{re.escape(case.name)}(?![\w])", text):
            found.append(case)
    return [case for case in found if _succeeds(repository, "merge-base", "--is-ancestor", case.broke, case.mended)]


def _diffs(repository: Path, commits: list[str], wanted: Wanted) -> Iterator[CommitDiff]:
    """The diffs of commits; one that a clone has not whole is left out."""
    yield from walk(GitProgram(str(repository), 3_600), commits, 3_600, wanted)


def _is_judged_document(path: str) -> bool:
    return bool(DOCUMENT.search(path)) and not TOLD_AS_PAST.search(path)


def _is_implementation(path: str) -> bool:
    return not DOCUMENT.search(path) and not NOT_IMPLEMENTATION.search(path)


OF_CODE = Wanted(_is_implementation, (*PLACES, ":(exclude)*.json"))


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


def replayed(clone: Path, cases: list[Case], *, is_verbose: bool) -> Replay:
    """Run the check as of each commit that broke a document."""
    from fieldguide.confinement import ConfinedFolder
    from fieldguide.drift.check import drifted
    from fieldguide.drift.kept import KeptInMemory

    kept, replay = KeptInMemory(), Replay()
    by_commit: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        by_commit[case.broke].append(case)
    for commit, wanted in by_commit.items():
        if not _succeeds(clone, "checkout", "-q", "-f", "--detach", commit):
            continue
        began = time.process_time()
        drifts = drifted(ConfinedFolder(str(clone)), kept, since=f"{commit}^")
        replay.seconds += time.process_time() - began
        alarms = [each for each in drifts if each.is_alarm]
        for case in wanted:
            if any(each.document == case.document and case.name in f"{each.name} {each.gone}" for each in alarms):
                replay.found.append(case)
            elif not _is_still_there(clone, case.name):
                replay.missed.append(case)
                if is_verbose:
                    hints = [each for each in drifts if each.document == case.document and case.name in each.name]
                    print(f"  missed {case.name} in {case.document} by {commit[:9]}: {hints[:1]}")
        named = {(case.document, case.name) for case in wanted}
        replay.others += len({(each.document, each.gone) for each in alarms} - named)
    return replay


def _is_still_there(clone: Path, name: str) -> bool:
    """Whether the implementation that is checked out has a name after all: what was counted along branches may err."""
    if "/" in name:
        return (clone / name).exists()
    listed = _git(clone, "grep", "-l", "-I", "-w", "-F", "-e", name, is_checked=False).splitlines()
    return any(_is_implementation(path) for path in listed)


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
